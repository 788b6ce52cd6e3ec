"""Compiled helpers that structures share: arrays in, arrays out."""

from skstruct.kernels._cache import ensure_cache

__all__ = []

# Before any other module of ours is compiled; `skstruct` imports this package first.
ensure_cache()
