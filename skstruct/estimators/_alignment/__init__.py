"""Parts of the word aligners."""

__all__ = []
