"""Before the first E-step: names of states, known labels, start values, schedule."""

import numpy as np
from sklearn.frozen import FrozenEstimator

from skstruct.estimators._hmm import HiddenMarkovModel
from skstruct.optim import geometric_schedule

__all__ = [
    "DEFAULT_N_STATES",
    "StateNames",
    "check_fixed",
    "implied_sizes",
    "initialiser",
    "schedule",
    "skewing_potentials",
    "start_model",
    "start_values",
]

DEFAULT_N_STATES = 12


class StateNames:
    """The names of states and the codes 0 .. K - 1 behind them.

    Parameters
    ----------
    n_states : int or None
        What the user asked for.
    dictionary : TagDictionary or None
        Names states, if given.
    labels, known : ndarray of shape (T,) or None
        Clamped labels and where they are known.
    implied : dict of str to int
        Numbers of states that start values imply, by parameter.

    Raises
    ------
    ValueError
        If the sources contradict one another.
    """

    def __init__(self, n_states, dictionary, labels, known, implied):
        sources = {"n_states": n_states, **implied}
        names = None
        if dictionary is not None:
            names = list(dictionary.states)
            sources["tag_dictionary"] = len(names)
        elif labels is not None and known.any():
            names = _names_from_labels(labels[known], sources)
            sources["y"] = len(names)
        sizes = {name: size for name, size in sources.items() if size is not None}
        if len(set(sizes.values())) > 1:
            stated = ", ".join(f"{name}: {size}" for name, size in sizes.items())
            raise ValueError(
                f"The number of states is contradictory ({stated}); leave "
                "n_states=None to take what the others imply."
            )
        self.size = next(iter(sizes.values()), DEFAULT_N_STATES)
        self.named = names is not None
        self.states = np.arange(self.size)
        if names is not None and not all(
            isinstance(n, int | np.integer) for n in names
        ):
            self.states = np.empty(self.size, dtype=object)
            self.states[:] = names

    def codes(self, labels, known, batch, name="y"):
        """Labels as codes, -1 where unknown."""
        of = {state: code for code, state in enumerate(self.states.tolist())}
        codes = np.full(len(labels), -1, dtype=np.intp)
        codes[known] = [of.get(label, -1) for label in labels[known].tolist()]
        foreign = np.flatnonzero(known & (codes < 0))
        if foreign.size:
            t = foreign[0]
            i = np.searchsorted(batch.offsets, t, side="right") - 1
            raise ValueError(
                f"{name}, sequence {i}, position {t - batch.offsets[i]}: "
                f"{labels[t]!r} is not one of the {self.size} states "
                f"({', '.join(map(str, self.states[:8].tolist()))}"
                f"{', ...' if self.size > 8 else ''})."
            )
        return codes


def _names_from_labels(labels, sources):
    """States that labels name; with more states asked for, the rest is numbered."""
    distinct = sorted(set(labels.tolist()))
    wanted = max((s for s in sources.values() if s is not None), default=0)
    if all(isinstance(label, int | np.integer) for label in distinct):
        if distinct and distinct[0] < 0:
            raise ValueError(
                f"Integer labels in y number the states from 0, got {distinct[0]}; "
                "-1 means unknown."
            )
        return list(range(max(wanted, distinct[-1] + 1 if distinct else 0)))
    return distinct + [f"state_{i}" for i in range(len(distinct), wanted)]


def start_values(estimator, emission):
    """Start values that the user gave, by the name of the parameter."""
    given = {
        "startprob_init": estimator.startprob_init,
        "transmat_init": estimator.transmat_init,
        "init of emissions": getattr(emission, "init", None),
        "means_init of emissions": getattr(emission, "means_init", None),
    }
    return {name: array for name, array in given.items() if array is not None}


def implied_sizes(given, skew):
    """Numbers of states that start values imply, by the name of the parameter."""
    sizes = {name: len(a) for name, a in given.items() if hasattr(a, "__len__")}
    if skew is None:
        return sizes
    if given:
        raise ValueError(
            f"skew_from gives the start values, and so does {next(iter(given))}; leave "
            "one of them None."
        )
    return {"skew_from": len(skew.states_)}


def check_fixed(fixed):
    """The parts to hold, as a set of known names."""
    parts = {"startprob", "transmat", "emission"}
    fixed = {fixed} if isinstance(fixed, str) else set(fixed)
    if not fixed <= parts:
        raise ValueError(
            f"fixed holds {sorted(fixed - parts)}; its entries may be {sorted(parts)}."
        )
    return fixed


def schedule(betas, beta_min, beta_growth, beta_max, guided):
    """Inverse temperatures in rising order.

    ``guided``: a dictionary, known labels or an initialiser break the symmetry of
    states, without which annealing only forgets the start.
    """
    if betas is not None:
        out = _as_floats(betas, "betas")
        rising = out.ndim == 1 and out.size and out[0] > 0 and (np.diff(out) > 0).all()
        if not rising or not np.isfinite(out).all():
            raise ValueError(f"betas must be positive and rising, got {betas!r}.")
        return out
    if isinstance(beta_min, str):
        beta_min = min(0.1 if guided else 1.0, beta_max)
    if beta_min > beta_max:
        raise ValueError(f"beta_min={beta_min} exceeds beta_max={beta_max}.")
    return geometric_schedule(beta_min, beta_growth, beta_max)


def _as_floats(array, name):
    try:
        return np.array(array, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from error


def _checked_probabilities(array, shape, name):
    array = _as_floats(array, name)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, got {array.shape}.")
    sums = array.sum(axis=-1)
    if not ((array >= 0).all() and np.allclose(sums, 1.0)):
        raise ValueError(
            f"{name} must hold probabilities: no negative or missing entries, rows "
            f"that sum to one; they sum to {sums.min():.6g} .. {sums.max():.6g}."
        )
    return array


def start_model(
    emission,
    observations,
    allowed,
    n_states,
    *,
    order,
    startprob_init,
    transmat_init,
    alpha,
    fixed,
    random_state,
):
    """A model at its start values: given, uniform (no random state) or random.

    Random rows are Dirichlet(1).
    """
    K = n_states

    def rows(shape):
        table = np.ones(shape)
        if random_state is not None:
            table = random_state.standard_exponential(shape)
        return table / table.sum(axis=-1, keepdims=True)

    shape = (K,) * (order + 1)
    start = rows((K,))
    transmat, second = rows(shape), rows((K, K)) if order == 2 else None
    if startprob_init is not None:
        start = _checked_probabilities(startprob_init, (K,), "startprob_init")
    if transmat_init is not None:
        transmat = _checked_probabilities(transmat_init, shape, "transmat_init")
        if order == 2:
            second = np.tensordot(start, transmat, axes=1)
    emission.initialize(observations, K, random_state, allowed=allowed)
    return HiddenMarkovModel(start, transmat, second, emission, alpha, fixed)


def initialiser(skew_from):
    """The fitted estimator that skewed annealing starts from."""
    if not (
        isinstance(skew_from, FrozenEstimator)
        and hasattr(skew_from.estimator, "_model")
    ):
        raise ValueError(
            "skew_from must be a fitted AnnealedHMM as FrozenEstimator(hmm), from "
            f"sklearn.frozen: a clone would unfit anything else. Got {skew_from!r}."
        )
    return skew_from.estimator


def skewing_potentials(fitted, names, emission, rows, order):
    """Log-potentials of an initialiser for our rows, in our order of states."""
    if fitted.transmat_.ndim != order + 1:
        raise ValueError(
            f"skew_from is of order {fitted.transmat_.ndim - 1}, this model of order "
            f"{order}; they must be the same."
        )
    theirs = fitted.states_.tolist()
    if len(theirs) != names.size or (names.named and set(theirs) != set(names.states)):
        raise ValueError(
            f"skew_from has {len(theirs)} states ({theirs[:5]} ...), this model "
            f"{names.size} ({names.states[:5].tolist()} ...); they must be the same."
        )
    if hasattr(fitted.emissions_, "symbols_") != hasattr(emission, "symbols_"):
        raise ValueError(
            f"skew_from has {type(fitted.emissions_).__name__} emissions, this model "
            f"{type(emission).__name__}; they must be of the same kind."
        )
    model = fitted._model.copy()
    if names.named:
        model.reorder([theirs.index(state) for state in names.states.tolist()])
    if not hasattr(emission, "symbols_"):
        return model.potentials(rows)
    # Our symbols as the initialiser reads them; the row of unknown ones says nothing.
    known = model.emission.encode(emission.symbols_)
    p = model.potentials(known.rows)
    node = np.vstack([p.node[known.index], np.zeros(names.size)])
    return p._replace(node=node[rows])
