"""Emissions with tokens to learn from, one of each kind and its options."""

import numpy as np

from skstruct.emissions import (
    Categorical,
    Gaussian,
    LogLinear,
    Poisson,
    Product,
    View,
)
from tests._documented import documented

K = 3
TRUTH = np.repeat([0, 1, 2], 40)


def symbols(rng):
    """Tokens that overlap between states."""
    return np.array(list("abcdefg"), dtype=object)[rng.integers(0, 4, 120) + TRUTH]


def vectors(rng, d=2):
    return rng.standard_normal((120, d)) @ np.array([[1.0, 0.5], [0.0, 2.0]])[
        :d, :d
    ] + (4.0 * TRUTH[:, None])


def counts(rng, d=2):
    return rng.poisson(1 + 5.0 * TRUTH[:, None], (120, d))


def holes(values, rng):
    values = np.array(values, dtype=float)
    values[rng.random(values.shape) < 0.2] = np.nan
    return values


def initial(symbol):
    """Features that the first and the last letters share."""
    return {"early": 1.0} if symbol < "c" else {"late": 2.0} if symbol > "e" else {}


def table(rng):
    """Rows that repeat: a symbol and two counts."""
    return np.column_stack([symbols(rng), counts(rng) // 4])


def numbers(rng):
    return np.column_stack([vectors(rng, 1), counts(rng)])


def times(rng):
    return rng.exponential(20.0**TRUTH)


CASES = {
    "documented": (documented("emission", "Exponential")(), times),
    "categorical": (Categorical(), symbols),
    "categorical-alpha": (Categorical(alpha=0.3), symbols),
    "categorical-variational": (Categorical(0.1, update="variational"), symbols),
    "categorical-int": (Categorical(), lambda rng: rng.integers(5, 9, 120)),
    "loglinear": (LogLinear(initial, l2=0.5, start_iter=200, max_iter=200), symbols),
    "gaussian": (Gaussian(), vectors),
    "gaussian-1d": (Gaussian(), lambda rng: vectors(rng, 1)[:, 0]),
    "gaussian-diag": (Gaussian("diag"), vectors),
    "gaussian-spherical": (Gaussian("spherical"), vectors),
    "gaussian-tied": (Gaussian("tied"), vectors),
    "poisson": (Poisson(), counts),
    "poisson-1d": (Poisson(), lambda rng: counts(rng, 1)[:, 0]),
    "poisson-holes": (
        Poisson(missing="marginalize"),
        lambda rng: holes(counts(rng), rng),
    ),
    "product": (Product(), table),
    "product-numbers": (
        Product(
            [
                ("size", View(emission=Gaussian("diag"), exponent=0.5)),
                ("count", View(emission=Poisson(), exponent=2)),
                ("kind", View(emission=Categorical())),
            ]
        ),
        numbers,
    ),
    "product-features": (
        Product(
            [
                (
                    "word",
                    View(
                        emission=LogLinear(initial, start_iter=200, max_iter=200),
                        exponent=0.5,
                    ),
                ),
                ("one", View(emission=Poisson())),
                ("two", View(emission=Categorical())),
            ]
        ),
        table,
    ),
    "product-prior": (
        Product(
            [
                ("kind", View(emission=Categorical(0.3), exponent=0.5)),
                ("one", View(emission=Categorical(1.0))),
                ("two", View(emission=Poisson(), exponent=1.5)),
            ]
        ),
        table,
    ),
} | {
    f"gaussian-{kind}-holes": (
        Gaussian(kind, missing="marginalize"),
        lambda rng: holes(vectors(rng), rng),
    )
    for kind in ("full", "tied", "diag", "spherical")
}


def parts(emission):
    """The emissions of views, or the only one."""
    return list(getattr(emission, "emissions_", {"": emission}).values())


def option(emission, name):
    """A parameter where it is set, in one of the parts, or None."""
    values = [part.get_params().get(name) for part in parts(emission)]
    return next(filter(None, values), None)


def has_prior(emission):
    """Whether a prior weighs against the counts."""
    return bool(option(emission, "alpha") or option(emission, "l2"))


def precision(emission):
    """Relative, of parameters after an M-step: some only come near the maximum."""
    return 1e-5 if option(emission, "l2") else 1e-9


def parameters(emission):
    return {
        f"{name}{i}": value
        for i, part in enumerate(parts(emission))
        for name, value in vars(part).items()
        if name in ("probabilities_", "coef_", "means_", "covariances_", "rates_")
    }
