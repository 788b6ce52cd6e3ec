"""Convex losses of structured predictors, which training lowers."""

__all__ = []
