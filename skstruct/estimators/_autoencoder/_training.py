"""What `CRFAutoencoderTagger.fit` does between reading its input and its results."""

import copy
import warnings
from contextlib import contextmanager
from pickle import PicklingError
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_memory

from skstruct._validation import check_features
from skstruct.emissions import Emission
from skstruct.estimators._autoencoder._model import (
    Autoencoder,
    EncodedBatch,
    Evaluation,
)
from skstruct.estimators._autoencoder._reconstruction import (
    Reconstruction,
    as_product,
    fit_reconstruction,
    surface,
)
from skstruct.estimators._autoencoder._starts import check_starts, guess_states
from skstruct.estimators._sequences._features import fit_featurizer, with_columns
from skstruct.estimators._sequences._state_names import StateNames, token_place
from skstruct.estimators._sequences._training_data import (
    read_training_data,
    warn_of_coverage,
    warn_of_rows,
)
from skstruct.estimators._sequences._word_states import WordStates, allowed_states
from skstruct.estimators._tag_dictionary import TagDictionary
from skstruct.kernels._blas import one_blas_thread
from skstruct.optim import block_coordinate_descent
from skstruct.solvers import LBFGS, AdaGrad
from skstruct.structures._base import sum_by_sequence

__all__ = ["Run", "TaggerTraining"]

# Of the encoder alone on labels that hold: steps, and the penalty of their sum.
_SUPERVISED_STEPS = 50
_SUPERVISED_L2 = 1.0
# Penalties by what names the states. Most of the text is unlabelled, and a weakly held
# encoder soon leaves what labels or a dictionary say.
_L2 = {"labels": 30.0, "dictionary": 10.0, "nothing": 0.6}
# A state that is expected less often than so many tokens of mean weight has none.
_NO_TOKENS = 0.5


class Run(NamedTuple):
    """Where one start led to."""

    weights: np.ndarray
    emission: Emission
    state: Evaluation
    history: list
    converged: bool = False
    stopped: bool = False

    @property
    def objective(self):
        """What runs are compared by."""
        return -self.state.loss


class TaggerTraining:
    """Everything that is read and decided before the first step.

    Parameters
    ----------
    estimator : CRFAutoencoderTagger
        Gives the parameters; it is not changed.
    X, y, sample_weight : object
        As given to ``fit``.
    """

    def __init__(self, estimator, X, y, sample_weight):
        self.estimator = e = estimator
        data = read_training_data(X, y, sample_weight, e.supervision)
        self.data, self.weight = with_columns(data.batch), data.weight
        self.surface = surface(self.data)
        owner = BaseEstimator()
        check_features(owner, X, self.data, reset=True)
        self.input = vars(owner)
        self.dictionary = None
        if e.tag_dictionary is not None:
            self.dictionary = TagDictionary.of(e.tag_dictionary)
        self.names = StateNames(
            e.n_states, self.dictionary, data.labels, data.known, {}
        )
        warn_of_rows(self.data, self.names.size, stacklevel=5)
        self.labels = None
        if data.labels is not None:
            self.labels = self.names.codes(data.labels, data.known, self.data)
        self.inits = check_starts(
            e.init,
            words=self.surface.values.ndim == 1,
            named=self.dictionary is not None,
            labelled=self.labels is not None and bool((self.labels >= 0).any()),
        )
        self._warn_of_labels()
        with _naming_memory(e.memory):
            self._cached_fit = check_memory(e.memory).cache(_fit, ignore=["n_jobs"])
        self.reconstruction, self.observations = fit_reconstruction(
            as_product(e.reconstruction, self.surface), self.surface, self._fit
        )
        self.featurizer, features = fit_featurizer(e.featurizer, self.data)
        self.batch = EncodedBatch(
            features,
            self.data.offsets,
            self.names.size,
            allowed=self._allowed(),
            labels=self.labels,
            weight=self.weight,
            n_jobs=e.n_jobs,
        )

    def _fit(self, estimator, batch, y=None, n_jobs=None):
        """A fitted component, from ``memory`` where it is kept."""
        with _naming_memory(self.estimator.memory, estimator):
            return self._cached_fit(estimator, batch, y, n_jobs)

    def _warn_of_labels(self):
        """Say that there are none."""
        unknown = self.labels is None or not (self.labels >= 0).any()
        if self.estimator.supervision == "clamp" and unknown:
            warnings.warn(
                "supervision='clamp', but no label is known: y names no states.",
                stacklevel=5,
            )

    def _allowed(self):
        """States of each token by the dictionary; a label that holds is one of them."""
        if self.dictionary is None:
            return None
        allowed = allowed_states(self.dictionary, self.surface)
        words = self.surface.values.tolist()
        share = np.mean([word in self.dictionary for word in words])
        warn_of_coverage(share, self.dictionary, stacklevel=6)
        if self.labels is not None:
            known = np.flatnonzero(self.labels >= 0)
            foreign = known[~allowed[known, self.labels[known]]]
            if foreign.size:
                where = token_place(foreign[0], self.data.offsets)
                warnings.warn(
                    f"{foreign.size} labels of y contradict tag_dictionary, and win "
                    f"over it: first {where}.",
                    stacklevel=5,
                )
            allowed[known, self.labels[known]] = True
        return allowed

    @property
    def n_runs(self):
        """Number of starts."""
        return len(self.inits) * self.estimator.n_init

    def runs(self, random_state, monitor):
        """Run after run from its start, until a callback stops them."""
        largest = np.iinfo(np.int32).max
        seeds = random_state.randint(largest, size=self.estimator.n_init)
        for init in self.inits:
            for seed in seeds:  # the same for each kind, whatever the others are
                if monitor.stopped:
                    return
                rng = np.random.RandomState(seed)
                model, weights = self._start(init, rng)
                with monitor.run() as tell, one_blas_thread:
                    run = self._climb(model, weights, rng, tell)
                yield run

    def _start(self, init, random_state):
        """An autoencoder at its start, and the weights of its encoder."""
        weights, centre = np.zeros(self.batch.linear.n_weights), 0.0
        # Before anything else is drawn: other reconstructions get the same guess.
        if isinstance(init, str) and init == "supervised":
            weights, counts = self._learn_labels(weights)
            centre = weights
        else:
            counts = self._guess(init, random_state)
        emission = copy.deepcopy(self.reconstruction.product)
        model = Autoencoder(
            self.batch, self.observations, emission, self._l2(init), centre
        )
        model.start_at_random(random_state)
        if counts is not None:
            model.start_from(counts)
        return model, weights

    def _l2(self, init):
        """Strength of the penalty."""
        if self.estimator.encoder_l2 != "auto":
            return self.estimator.encoder_l2
        if isinstance(init, str) and init == "supervised":
            return _L2["labels"]
        return _L2["nothing" if self.dictionary is None else "dictionary"]

    def _guess(self, init, random_state):
        """Weighted states of tokens that a start expects, (T, K); None if it has none.

        States that labels or the dictionary rule out get nothing.
        """
        guess = guess_states(
            init,
            self.surface,
            self.names,
            dictionary=self.dictionary,
            labels=self.labels,
            random_state=random_state,
            n_jobs=self.estimator.n_jobs,
            fit=self._fit,
        )
        if guess is None:
            return None
        held = self.batch.held
        if held is not None:
            guess = np.where(held, np.maximum(guess, 1e-10), 0.0)
            guess /= guess.sum(axis=1, keepdims=True)
        return guess * np.repeat(self.weight, self.data.lengths)[:, None]

    def _learn_labels(self, weights):
        """An encoder of the known labels, and the states that it expects of all."""
        known = sum_by_sequence((self.labels >= 0).astype(float), self.data.offsets)
        part, _ = self.batch.take(np.flatnonzero(known))
        l2 = _SUPERVISED_L2 / part.weight.sum()

        def evaluate(weights):
            return part.evaluate(weights, None, l2)

        solver, state = LBFGS(), evaluate(weights)
        for _ in range(_SUPERVISED_STEPS):
            weights, state, moved = solver.step(evaluate, weights, state)
            if not moved:
                break
        return weights, self.batch.evaluate(weights, None, 0.0).node

    def _climb(self, model, weights, random_state, tell):
        e, history = self.estimator, []
        n_tokens = self.weight @ self.data.lengths

        def record(iteration, weights, state):
            history.append(
                {
                    "iteration": iteration,
                    "objective": float(-state.loss),
                    "log_likelihood": float(state.log_likelihood / n_tokens),
                }
            )

            def attributes():
                run = Run(weights, model.emission, state, list(history))
                return self.attributes(run)

            return tell(attributes)

        found = block_coordinate_descent(
            model.evaluate,
            self._move(model, random_state),
            model.reconstruct,
            weights,
            max_iter=e.max_iter,
            tol=e.tol,
            encoder_steps=e.encoder_steps,
            reconstruction_steps=e.reconstruction_steps,
            on_iteration=record,
        )
        weights, state, converged, stopped = found
        return Run(weights, model.emission, state, history, converged, stopped)

    def _move(self, model, random_state):
        """A step on the encoder: along L-BFGS, or AdaGrad over all minibatches."""
        if self.estimator.solver == "lbfgs":
            lbfgs = LBFGS()
            return lambda weights, state: lbfgs.step(model.evaluate, weights, state)
        adagrad = AdaGrad(self.estimator.learning_rate)
        filled = random_state.permutation(np.flatnonzero(self.weight > 0))
        n_parts = -(-len(filled) // self.estimator.batch_size)
        parts = [self.batch.take(ids) for ids in np.array_split(filled, n_parts)]
        share = self.weight.sum() / n_parts  # so that gradients are right on average

        def move(weights, state):
            for i in random_state.permutation(n_parts):
                part, rows = parts[i]
                log_prob = model.log_prob[rows]
                there = part.evaluate(
                    weights, log_prob, model.l2, model.centre, total=share
                )
                weights = adagrad.step(weights, there.gradient)
            state = model.evaluate(weights)
            if not np.isfinite(state.loss):
                raise ValueError(
                    "AdaGrad has left the range of numbers; use a learning_rate "
                    f"smaller than {self.estimator.learning_rate:g}."
                )
            return weights, state, True

        return move

    def attributes(self, run):
        """Fitted attributes, states by name or by frequency."""
        order = np.arange(self.names.size)
        if not self.names.named:
            order = np.argsort(-run.state.node.sum(axis=0), kind="stable")
        coef, transition, start = self.batch.linear.split(run.weights)
        product = copy.deepcopy(run.emission)
        product.reorder(order)
        words = None
        if self.surface.values.ndim == 1:
            words = WordStates(self.surface.values, run.state.node[:, order])
        return self.input | {
            "_names": self.names,
            "_dictionary": self.dictionary,
            "_word_states": words,
            "featurizer_": self.featurizer,
            "reconstruction_": Reconstruction(product, self.reconstruction.targets),
            "coef_": coef[:, order],
            "transition_coef_": transition[np.ix_(order, order)],
            "start_coef_": start[order],
            "states_": self.names.states,
            "history_": run.history,
            "n_iter_": len(run.history),
            "converged_": run.converged,
        }

    def warn_of(self, run):
        """Say that states have no tokens, or that there was nothing to learn from."""
        n_tokens = self.weight @ self.data.lengths
        few = _NO_TOKENS * min(
            n_tokens / self.data.n_tokens, n_tokens / self.names.size
        )
        empty = int((run.state.node.sum(axis=0) < few).sum())
        if empty and not run.stopped:
            warnings.warn(
                f"{empty} of {self.names.size} states have no tokens; use fewer "
                "n_states, a larger encoder_l2 or another init.",
                ConvergenceWarning,
                stacklevel=4,
            )


@contextmanager
def _naming_memory(memory, estimator=None):
    """Say of errors of keeping results that they are."""
    try:
        yield
    except PicklingError as error:
        raise ValueError(
            f"memory cannot keep {estimator}: it does not pickle ({error}). Write "
            "functions by def in a module, or leave memory=None."
        ) from error
    except OSError as error:
        if memory is None:
            raise
        raise ValueError(f"memory={memory!r} cannot be written: {error}.") from error


def _fit(estimator, batch, y, n_jobs):
    """Fit a component; a function of its own, so that its results can be kept."""
    if n_jobs is not None and "n_jobs" in estimator.get_params(deep=False):
        estimator.set_params(n_jobs=n_jobs)
    return estimator.fit(batch, y)  # FrozenEstimator insists on a y
