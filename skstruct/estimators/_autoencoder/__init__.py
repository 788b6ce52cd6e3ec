"""Parts of CRFAutoencoderTagger: model, features, reconstruction, starts, answers."""

__all__ = []
