"""What a fitted hidden Markov model answers."""

import warnings
from numbers import Integral

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from skstruct._validation import (
    as_labels,
    check_features,
    is_table,
)
from skstruct.containers import Ragged
from skstruct.containers._batch import offsets_of
from skstruct.containers._vocabulary import reject_other_kind
from skstruct.emissions import Observations
from skstruct.estimators._hmm._model import STRUCTURES, TaggedBatch
from skstruct.estimators._sequences._predictions import SequencePredictions
from skstruct.estimators._sequences._reading import read_sequences
from skstruct.structures import marginals

__all__ = ["HMMPredictions"]


def _of_emission(name):
    """A property that reads an attribute of the fitted emission."""

    def read(self):
        check_is_fitted(self)
        if not hasattr(self.emissions_, name):
            raise AttributeError(
                f"{type(self.emissions_).__name__} emissions have no {name}."
            )
        return getattr(self.emissions_, name)

    return property(read)


def _of_model(name, part):
    """A property that reads a table of the fitted model, and cannot be set."""

    def read(self):
        check_is_fitted(self)
        table = getattr(self._model, part)
        if table is None:
            raise AttributeError(f"Models of order 1 have no {name}.")
        return table

    def refuse(self, value):
        raise AttributeError(
            f"{name} cannot be set: it is what fit found. Give your own values as "
            "startprob_init, transmat_init or options of emissions; fixed holds them."
        )

    return property(read, refuse)


def _filtered(chain, potentials):
    """Filtered states; after an impossible prefix, those of softened potentials."""
    out = chain.filter(potentials)
    impossible = ~out.any(axis=1)
    if impossible.any():
        out[impossible] = chain.filter(potentials.soften())[impossible]
    return out


def _sample_lengths(n_samples, length):
    """Lengths of the sequences to draw, shape (n_samples,)."""
    if not isinstance(n_samples, Integral) or n_samples < 0:
        raise ValueError(f"n_samples must be an integer >= 0, got {n_samples!r}.")
    lengths = np.asarray(length)
    if lengths.size and (lengths.dtype.kind not in "iu" or (lengths < 0).any()):
        raise ValueError(f"length must hold integers >= 0, got {length!r}.")
    if lengths.shape not in ((), (n_samples,)):
        raise ValueError(
            f"length must be one integer or one for each of the {n_samples} samples, "
            f"got shape {lengths.shape}."
        )
    return np.broadcast_to(lengths.astype(np.intp), (n_samples,))


class HMMPredictions(SequencePredictions):
    """Decoding, probabilities, scores and samples of a fitted model."""

    startprob_ = _of_model("startprob_", "start")
    transmat_ = _of_model("transmat_", "transmat")
    second_transmat_ = _of_model("second_transmat_", "second")
    emissions_ = _of_model("emissions_", "emission")
    emissionprob_ = _of_emission("probabilities_")
    symbols_ = _of_emission("symbols_")
    means_ = _of_emission("means_")
    covariances_ = _of_emission("covariances_")
    rates_ = _of_emission("rates_")

    def _read(self, X, observed_labels=None, stacklevel=3):
        """Batch, answer, tagged batch and its potentials."""
        check_is_fitted(self)
        data, answer = read_sequences(X)
        check_features(self, X, data, reset=False)
        if is_table(X) and len(data) > 1 and self._saw_series:
            warnings.warn(
                "The rows of X are read as separate sequences, but fit saw sequences "
                "longer than one. For one series pass [X], for several "
                "Ragged.from_lengths(X, lengths).",
                stacklevel=stacklevel,
            )
        model = self._model
        reject_other_kind(getattr(model.emission, "symbols_", None), data.values)
        observations = model.emission.encode(data.values, offsets=data.offsets)
        observations, allowed = self._allowed(data.values, observations.in_use())
        codes = None
        if observed_labels is not None:
            name = "observed_labels"
            labels, known = as_labels(observed_labels, data, name)
            codes = self._names.codes(labels, known, data, name)
        batch = TaggedBatch(
            STRUCTURES[model.order],
            data.offsets,
            observations,
            allowed,
            codes,
            model.n_states,
        )
        return data, answer, batch, batch.spread(model.potentials(batch.rows))

    def _lattice(self, X, observed_labels):
        data, answer, batch, p = self._read(X, observed_labels, stacklevel=4)
        return data, answer, batch.chain, p

    def _log_likelihoods(self, X):
        data, _, batch, p = self._read(X, stacklevel=4)
        return data, batch.chain.log_partition(p, n_jobs=self.n_jobs)

    def _allowed(self, tokens, observations):
        """A row for each distinct token, and the states it may take."""
        if self._dictionary is None:
            return observations, None
        numbers = {}
        own = [numbers.setdefault(w, len(numbers)) for w in tokens.ravel().tolist()]
        index = np.array(own, dtype=np.intp)
        read = np.zeros(len(numbers), dtype=np.intp)
        read[index] = observations.index
        allowed = self._dictionary.allowed(list(numbers))
        return Observations(index, observations.rows[read]), allowed

    def predict(self, X, *, observed_labels=None):
        """States of every token.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            Sequences as in ``fit``. Unknown symbols say nothing of their state.
        observed_labels : Ragged or list-like of sequences, default=None
            Labels that hold; None (or -1 among integers) where unknown.

        Returns
        -------
        Ragged, object array of arrays, or array of shape (n_samples,)
            Entries of ``states_``, in the form of X. By the best path with
            ``decoding="viterbi"``, else token by token by the largest marginal.
        """
        _, answer, batch, p = self._read(X, observed_labels)
        if self.decoding == "viterbi":
            codes, _ = batch.chain.argmax(p)
        else:
            codes = marginals(batch.chain, p, n_jobs=self.n_jobs).argmax(axis=1)
        return answer(self.states_[codes])

    def filter_proba(self, X):
        """Probability of each state given the tokens up to it: no look ahead.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            Sequences as in ``fit``.

        Returns
        -------
        Ragged, object array of arrays, or array of shape (n_samples, K)
            Each row is p(y_t | x_1 .. x_t).
        """
        _, answer, batch, p = self._read(X)
        return answer(_filtered(batch.chain, p))

    def predict_next_proba(self, X) -> np.ndarray:
        """Probability of the state that follows the last token of each sequence.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            Sequences as in ``fit``; an empty one gives the start probabilities.

        Returns
        -------
        ndarray of shape (n_samples, K)
            Each row is p(y_{T+1} | x_1 .. x_T).
        """
        data, _, batch, p = self._read(X)
        # One more token that says nothing: what is known of it is the prediction.
        unknown, K = len(p.node), self._model.n_states
        index = np.insert(batch.chain.index, data.offsets[1:], unknown)
        offsets = data.offsets + np.arange(len(data) + 1)
        allowed = batch.allowed
        if allowed is not None:
            allowed = np.vstack([allowed, np.ones((1, K), dtype=bool)])
        longer = type(batch.chain)(offsets, index, allowed=allowed)
        p = p._replace(node=np.vstack([p.node, np.zeros(K)]))
        return _filtered(longer, p)[offsets[1:] - 1]

    def aic(self, X) -> float:
        """Akaike's information criterion of the model on X; lower is better.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            Sequences as in ``fit``.

        Returns
        -------
        float
            Twice the number of free parameters less twice the log-likelihood.
        """
        _, _, batch, p = self._read(X)
        total = batch.chain.log_partition(p, n_jobs=self.n_jobs).sum()
        return 2 * self._model.n_parameters() - 2 * total

    def bic(self, X) -> float:
        """Bayesian information criterion of the model on X; lower is better.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            Sequences as in ``fit``.

        Returns
        -------
        float
            As `aic`, each parameter weighing the log of the number of tokens.
        """
        data, _, batch, p = self._read(X)
        total = batch.chain.log_partition(p, n_jobs=self.n_jobs).sum()
        log_n = np.log(max(data.n_tokens, 1))
        return self._model.n_parameters() * log_n - 2 * total

    def sample(self, n_samples=1, *, length=100, random_state=None):
        """Draw sequences from the model.

        Parameters
        ----------
        n_samples : int, default=1
            Number of sequences.
        length : int or array-like of shape (n_samples,), default=100
            Their lengths.
        random_state : int, RandomState or None, default=None
            Source of randomness.

        Returns
        -------
        X : Ragged
            Tokens or vectors.
        y : Ragged
            Their states, entries of ``states_``.
        """
        check_is_fitted(self)
        rng = check_random_state(random_state)
        lengths = _sample_lengths(n_samples, length)
        offsets = offsets_of(lengths)
        states = self._model.sample_states(offsets, rng)
        values = self._model.emission.sample(states, rng)
        return (
            Ragged.from_arrays(values, offsets),
            Ragged.from_arrays(self.states_[states], offsets),
        )

    @property
    def stationary_distribution_(self):
        """Long-run share of each state, shape (K,)."""
        check_is_fitted(self)
        return self._model.stationary_distribution()

    @property
    def expected_durations_(self):
        """Expected number of tokens that a visit to each state lasts, shape (K,)."""
        check_is_fitted(self)
        if self.transmat_.ndim != 2:
            raise AttributeError("Durations are geometric in models of order 1 only.")
        with np.errstate(divide="ignore"):
            return 1.0 / (1.0 - np.diag(self.transmat_))
