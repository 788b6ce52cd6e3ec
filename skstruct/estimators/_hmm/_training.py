"""What `AnnealedHMM.fit` does between reading its input and storing its results."""

import numpy as np
from sklearn.base import BaseEstimator

from skstruct._validation import (
    check_features,
)
from skstruct.containers._vocabulary import reject_other_kind
from skstruct.estimators._hmm._direct import climb
from skstruct.estimators._hmm._em import Run, Trainer
from skstruct.estimators._hmm._model import STRUCTURES, TaggedBatch, reordered
from skstruct.estimators._hmm._resolve import resolve_emission
from skstruct.estimators._hmm._setup import (
    arrange_start,
    check_fixed,
    check_held,
    check_solver,
    implied_sizes,
    initialiser,
    schedule,
    skewing_potentials,
    start_model,
    start_values,
)
from skstruct.estimators._hmm._stream import Stream
from skstruct.estimators._hmm._warnings import (
    warn_of_input,
    warn_of_labels,
)
from skstruct.estimators._sequences._state_names import StateNames
from skstruct.estimators._sequences._training_data import (
    read_training_data,
    warn_of_coverage,
)
from skstruct.estimators._tag_dictionary import TagDictionary

__all__ = ["Training"]


class Training:
    """Everything that is read and decided before the first E-step.

    Parameters
    ----------
    estimator : AnnealedHMM
        Gives the parameters; it is not changed.
    X, y, sample_weight : object
        As given to ``fit``.
    stream : Stream or None
        Go on with the states and the emission of earlier batches.
    """

    def __init__(self, estimator, X, y, sample_weight, stream=None):
        self.estimator = e = estimator
        self.stream = stream
        self._goes_on = stream is not None and stream.model is not None
        # Batches of a stream may be without labels.
        reads_none = self._goes_on and y is None
        supervision = "ignore" if reads_none else e.supervision
        data = read_training_data(X, y, sample_weight, supervision)
        self.data, self.weight, labels, known = data
        dictionary = None
        if e.tag_dictionary is not None:
            dictionary = TagDictionary.of(e.tag_dictionary)
        self.dictionary = dictionary
        self._read_values()
        self.features = self._read_features(X)
        self.fixed = check_fixed(e.fixed)
        skew = None
        if e.skew_from is not None and not self._goes_on:  # it only gives the start
            skew = initialiser(e.skew_from)
        self.given = start_values(e, self.emission)
        if self._goes_on:
            self.names = stream.names
        else:
            sizes = implied_sizes(self.given, skew, self.emission)
            self.names = StateNames(e.n_states, dictionary, labels, known, sizes)
            if skew is None:
                check_held(self.fixed, self.given, self.emission)
        K = self.names.size
        codes = None
        if labels is not None:
            codes = self.names.codes(labels, known, self.data)
        allowed = self._allowed()
        self.batch = TaggedBatch(
            STRUCTURES[e.order],
            self.data.offsets,
            self.observations,
            allowed,
            codes,
            K,
        )
        if self._goes_on and "emission" not in self.fixed:
            self.emission.allow(self.batch.emitted())
        self.labelled = labels is not None and known.any()
        self.guided = dictionary is not None or self.labelled
        self.skew = None
        if skew is not None:
            p = skewing_potentials(
                skew, self.names, self.emission, self.batch.rows, e.order
            )
            self.skew = self.batch.spread(p)
        self.betas = schedule(
            e.betas,
            e.beta_min,
            e.beta_growth,
            e.beta_max,
            e.solver == "em" and (self.guided or self.skew is not None),
        )
        check_solver(e.solver, self.betas, self.emission, self.fixed)
        if labels is not None and known.all():
            self.betas = self.betas[-1:]  # nothing is hidden: all give one posterior
        if e._warns:
            warn_of_input(self)
        if e._warns and allowed is not None and codes is not None:
            warn_of_labels(self, allowed, codes)

    def _read_values(self):
        values, offsets = self.data.values, self.data.offsets
        if not self._goes_on:
            self.emission = resolve_emission(self.estimator.emissions, values)
            self.observations = self.emission.encode(
                values, reset=True, offsets=offsets
            )
            return
        symbols = getattr(self.stream.model.emission, "symbols_", None)
        reject_other_kind(symbols, values)
        changes = self.stream.check(self.estimator, self.dictionary)
        self.stream = self.stream.copy()
        self.emission = self.stream.model.emission.set_params(**changes)
        may = None if self.dictionary is None else self.dictionary.allowed
        self.emission.extend(values, offsets=offsets, allowed=may)
        self.observations = self.emission.encode(values, offsets=offsets)

    def _read_features(self, X):
        """Number and names of features; a stream keeps those of its first batch."""
        owner = self.estimator if self._goes_on else BaseEstimator()
        check_features(owner, X, self.data, reset=not self._goes_on)
        names = ("n_features_in_", "feature_names_in_")
        return {name: getattr(owner, name) for name in names if hasattr(owner, name)}

    def _allowed(self):
        """States that each row of the emission may take, or None."""
        dictionary = self.dictionary
        if dictionary is None:
            return None
        if not hasattr(self.emission, "symbols_"):
            raise ValueError(
                "tag_dictionary lists states of symbols; it needs emissions that have "
                f"symbols, not {type(self.emission).__name__}."
            )
        symbols = self.emission.symbols_
        rows = self.emission.encode(symbols).index
        allowed = np.ones((len(self.observations.rows), self.names.size), dtype=bool)
        allowed[rows] = dictionary.allowed(symbols)
        covered = np.zeros(len(allowed), dtype=bool)
        covered[rows] = [s in dictionary for s in symbols.tolist()]
        self.coverage = share = covered[self.observations.index].mean()
        if self.estimator._warns:
            warn_of_coverage(share, dictionary, stacklevel=6)
        return allowed

    @property
    def n_init(self):
        """Number of starts."""
        if self.estimator.n_init != "auto":
            return self.estimator.n_init
        views = getattr(self.emission, "emissions_", {"": self.emission}).values()
        symbols = any(hasattr(view, "symbols_") for view in views)
        at_random = symbols and self.names.size > 1 and not self._starts_uniform()
        return 5 if at_random else 1

    @property
    def max_iter(self):
        """Bound on the iterations of a run."""
        e = self.estimator
        return (len(self.betas) - 1) * e.anneal_max_iter + e.max_iter

    def _starts_uniform(self):
        all_given = {"startprob_init", "transmat_init", "init of emissions"}
        return self.guided or self.skew is not None or all_given <= self.given.keys()

    def _needs_arranging(self):
        """Whether states are found by k-means, but follow each other in an order."""
        transmat = self.given.get("transmat_init")
        return (
            transmat is not None
            and (np.asarray(transmat) == 0).any()
            and self.estimator.order == 1
            and not self.guided
            and not hasattr(self.emission, "symbols_")
            and not any(name.endswith("of emissions") for name in self.given)
        )

    def _start(self, random_state, trainer):
        e = self.estimator
        model = start_model(
            self.emission,
            self.observations,
            self.batch.emitted(),
            self.names.size,
            order=e.order,
            startprob_init=e.startprob_init,
            transmat_init=e.transmat_init,
            alpha=e.transition_alpha,
            fixed=self.fixed,
            random_state=random_state,
        ).copy()
        if self._needs_arranging():
            arrange_start(model, self.observations, self.data.offsets)
        if self.skew is not None:  # begin where the initialiser is
            posterior = trainer.posterior(model, 0.0)
            model.fixed = ()
            model.m_step(model.statistics(self.batch, posterior))
            model.fixed = self.fixed
        return model

    def runs(self, random_state, monitor):
        """Run after run from its start, until a callback stops them."""
        e = self.estimator
        trainer = Trainer(self.batch, self.weight, self.skew, e.n_jobs)
        self.n_e_steps = 0
        for i in range(self.n_init):
            if monitor.stopped:
                return
            uniform = i == 0 and self._starts_uniform()
            model = self._start(None if uniform else random_state, trainer)
            with monitor.run() as tell:
                limits = {
                    "on_iteration": lambda *state, tell=tell: tell(
                        lambda: self._preview(*state)
                    ),
                    "max_iter": e.max_iter,
                    "tol": e.tol,
                }
                if e.solver == "lbfgs":
                    run = climb(trainer, model, **limits)
                else:
                    run = trainer.run(
                        model,
                        self.betas,
                        jitter=e.jitter,
                        random_state=random_state,
                        anneal_max_iter=e.anneal_max_iter,
                        anneal_tol=e.anneal_tol,
                        **limits,
                    )
            self.n_e_steps += run.n_e_steps + (self.skew is not None)
            yield run

    def step(self, random_state):
        """One step of stepwise EM on the stream."""
        stream = self.stream
        trainer = Trainer(self.batch, self.weight, self.skew, self.estimator.n_jobs)
        if stream.model is None:
            uniform = self._starts_uniform()
            stream.model = self._start(None if uniform else random_state, trainer)
            stream.names = self.names
        stream.model.alpha = self.estimator.transition_alpha
        stream.model.fixed = self.fixed
        run = stream.learn(trainer)
        self.n_e_steps = stream.n_e_steps
        return run

    def _preview(self, model, posterior, history):
        """Fitted attributes in mid-fit, for callbacks."""
        totals, objective = model.totals(posterior), history[-1]["objective"]
        return self.attributes(Run(model.copy(), objective, totals, history, 0, False))

    def attributes(self, run):
        """Fitted attributes, states in their stable order."""
        model, totals = run.model, run.totals
        if not self._states_are_told_apart():
            key = model.emission.sort_key()
            order = np.argsort(-totals[-1] if key is None else key, kind="stable")
            model = model.copy()
            model.reorder(order)
            totals = [reordered(counts, order) for counts in totals]
        stream = self.stream
        if stream is None:
            stream = Stream(self.names, model, run.history, self.n_e_steps, totals)
        return self.features | {
            "_model": model,
            "_names": self.names,
            "_dictionary": self.dictionary,
            "_stream": stream,
            "_saw_series": bool(self.data.lengths.max() > 1)
            or (
                self.stream is not None
                and getattr(self.estimator, "_saw_series", False)
            ),
            "states_": self.names.states,
            "history_": run.history,
            "n_iter_": len(run.history),
            "n_e_steps_": self.n_e_steps,
            "converged_": run.converged,
        }

    def _states_are_told_apart(self):
        """Whether names or start values say which state is which."""
        return (
            self.names.named
            or self.stream is not None
            or self.skew is not None
            or bool(self.given)
        )
