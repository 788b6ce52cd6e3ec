"""Parts of AnnealedHMM: model, start values, training, answers."""

__all__ = []
