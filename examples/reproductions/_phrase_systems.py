"""Clusterers that ``phrases.py`` compares."""

from collections.abc import Callable
from typing import NamedTuple

from skstruct.constraints import Sparsity
from skstruct.estimators import PitmanYorClusterer, PosteriorRegularizedClusterer

__all__ = ["FEWER", "SYSTEMS", "System", "regularized"]


class System(NamedTuple):
    """What a row of the tables is called, and its estimator of K and a seed."""

    title: str
    make: Callable


def regularized(title, **parameters):
    """One start unless the parameters say otherwise."""
    parameters = {"init": "random", "n_init": 1} | parameters

    def make(K, seed):
        return PosteriorRegularizedClusterer(K, random_state=seed, **parameters)

    return System(title, make)


SYSTEMS = {
    "em": regularized("EM", constraint=None),
    **{
        f"sparsity-{sigma}": regularized(
            f"sparsity, sigma = {sigma}", constraint=Sparsity(sigma)
        )
        for sigma in (1, 3, 10, 30, 100)
    },
    "direction": regularized(
        "agreement in direction", constraint=None, agreement="direction"
    ),
    "both": regularized(
        "agreement and sparsity, sigma = 10",
        constraint=Sparsity(10),
        agreement="direction",
    ),
    "pitman-yor": System(
        "Dirichlet process",
        lambda K, seed: PitmanYorClusterer(K, n_init=1, random_state=seed),
    ),
    "type": regularized("one category a phrase", constraint="type"),
    "from-type": regularized("sparsity, sigma = 10, from these", init="type"),
    "default": System(
        "default: the best of three starts",
        lambda K, seed: PosteriorRegularizedClusterer(K, random_state=seed),
    ),
}
# Where time is short.
FEWER = [
    name for name in SYSTEMS if name not in ("sparsity-1", "sparsity-3", "sparsity-100")
]
