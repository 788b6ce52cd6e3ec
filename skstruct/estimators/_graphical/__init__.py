"""What supervised graphical models share, whatever their surrogate."""

__all__ = []
