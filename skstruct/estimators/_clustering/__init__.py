"""Parts of the clusterers of tables."""

__all__ = []
