"""Before the first E-step: start values, parts to hold, schedule, initialiser."""

import numpy as np
from sklearn.frozen import FrozenEstimator

from skstruct.emissions._base import probability_rows, real_array
from skstruct.estimators._hmm._model import HiddenMarkovModel
from skstruct.optim import geometric_schedule

__all__ = [
    "arrange_start",
    "check_fixed",
    "check_held",
    "check_solver",
    "implied_sizes",
    "initialiser",
    "schedule",
    "skewing_potentials",
    "start_model",
    "start_values",
]

# Times at which the order of states is looked at: enough to see all of them begin.
_MAX_STEPS = 1000

# Many more cannot be meant: each costs several passes over the data.
_MAX_N_BETAS = 10_000


def start_values(estimator, emission):
    """Start values that the user gave, by the name of the parameter."""
    given = {
        "startprob_init": estimator.startprob_init,
        "transmat_init": estimator.transmat_init,
        **{
            f"{name} of emissions": array
            for name, array in emission.get_params(deep=False).items()
            if name.endswith("init")
        },
    }
    return {name: array for name, array in given.items() if array is not None}


def implied_sizes(given, skew, emission):
    """Numbers of states that start values imply, by the name of the parameter."""
    sizes = {name: len(a) for name, a in given.items() if hasattr(a, "__len__")}
    if emission.states_last:
        name = "init of emissions"
        sizes |= (
            {name: real_array(given[name], name).shape[-1]} if name in sizes else {}
        )
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
    parts = ["emission", "startprob", "transmat"]
    fixed = [fixed] if isinstance(fixed, str) else list(fixed)
    wrong = [part for part in fixed if part not in parts]
    if wrong:
        raise ValueError(f"fixed holds {wrong}; its entries may be {parts}.")
    return set(fixed)


def check_held(fixed, given, emission):
    """Raise if a part to hold has no start values: random ones are never wanted."""
    starts = {part: [f"{part}_init"] for part in ("startprob", "transmat")}
    starts["emission"] = [
        f"{name} of emissions"
        for name in emission.get_params(deep=False)
        if name.endswith("init")
    ]
    for part in sorted(fixed):
        if given.keys().isdisjoint(starts[part]):
            raise ValueError(
                f"fixed holds {part!r}, but nothing says at which values; give "
                f"{' or '.join([*starts[part], 'skew_from'])}."
            )


def check_solver(solver, betas, emission, fixed):
    """Raise if the likelihood cannot be climbed directly."""
    if solver != "lbfgs":
        return
    if (betas != 1).any():
        raise ValueError(
            "solver='lbfgs' climbs the likelihood itself, without annealing: leave "
            "beta_min='auto', beta_max=1.0 and betas=None, or use solver='em'."
        )
    if "emission" not in fixed and not hasattr(emission, "gradient"):
        raise ValueError(
            "solver='lbfgs' needs emissions that give gradients, such as "
            f"emissions='loglinear'; {type(emission).__name__} has none: use "
            "solver='em'."
        )


def schedule(betas, beta_min, beta_growth, beta_max, guided):
    """Inverse temperatures in rising order.

    ``guided``: a dictionary, known labels or an initialiser break the symmetry of
    states, without which annealing only forgets the start.
    """
    if betas is not None:
        out = real_array(betas, "betas")
        rising = out.ndim == 1 and out.size and out[0] > 0 and (np.diff(out) > 0).all()
        if not rising or not np.isfinite(out).all():
            raise ValueError(f"betas must be positive and rising, got {betas!r}.")
        return out
    if isinstance(beta_min, str):
        beta_min = min(0.1 if guided else 1.0, beta_max)
    if beta_min > beta_max:
        raise ValueError(f"beta_min={beta_min} exceeds beta_max={beta_max}.")
    if np.log(beta_max / beta_min) > _MAX_N_BETAS * np.log(beta_growth):
        raise ValueError(
            f"beta_growth={beta_growth} makes more than {_MAX_N_BETAS:,} inverse "
            f"temperatures from {beta_min} to {beta_max}; 1.2 is a usual factor."
        )
    return geometric_schedule(beta_min, beta_growth, beta_max)


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
        start = probability_rows(startprob_init, (K,), "startprob_init")
    if transmat_init is not None:
        transmat = probability_rows(transmat_init, shape, "transmat_init")
        if order == 2:
            second = np.tensordot(start, transmat, axes=1)
    emission.initialize(observations, K, random_state, allowed=allowed)
    return HiddenMarkovModel(start, transmat, second, emission, alpha, fixed)


def arrange_start(model, observations, offsets):
    """Reorder the states of an emission's start as a chain with zeros visits them.

    States that come early in the chain get those whose tokens come early in their
    sequences. First order only.
    """
    K, lengths = model.n_states, np.diff(offsets)
    nearest = model.emission.table(observations.rows).argmax(axis=1)
    state = nearest[observations.index]
    position = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    time = position / np.repeat(lengths, lengths)
    sizes = np.bincount(state, minlength=K)
    seen = np.bincount(state, weights=time, minlength=K) / np.maximum(sizes, 1)
    p, mass, moment = model.start, np.zeros(K), np.zeros(K)
    for t in range(min(lengths.max(), _MAX_STEPS)):
        mass, moment = mass + p, moment + t * p
        p = p @ model.transmat
    expected = np.divide(moment, mass, out=np.full(K, np.inf), where=mass > 0)
    order = np.empty(K, dtype=np.intp)
    order[np.argsort(expected, kind="stable")] = np.argsort(seen, kind="stable")
    model.emission.reorder(order)


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
    widths = [getattr(e, "n_features_in_", 1) for e in (fitted.emissions_, emission)]
    if widths[0] != widths[1]:
        raise ValueError(
            f"skew_from has seen {widths[0]} features, X has {widths[1]}; they must be "
            "the same."
        )
    if hasattr(emission, "emissions_"):
        raise ValueError(
            "skew_from is not for emissions of several views (Product): their "
            "vocabularies may differ. Use one emission, or plain annealing."
        )
    model = fitted._model.copy()
    if names.named:
        model.reorder([theirs.index(state) for state in names.states.tolist()])
    if not hasattr(emission, "symbols_"):
        return model.potentials(rows)
    # Our symbols as the initialiser reads them; other rows say nothing.
    ours, theirs = (e.encode(emission.symbols_) for e in (emission, model.emission))
    p = model.potentials(theirs.rows)
    node = np.zeros((len(rows), names.size))
    node[ours.index] = p.node[theirs.index]
    return p._replace(node=node)
