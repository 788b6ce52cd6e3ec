"""Potentials: weights to log-potentials, expected counts to gradients."""

from skstruct.potentials._linear import LinearChain

__all__ = ["LinearChain"]
