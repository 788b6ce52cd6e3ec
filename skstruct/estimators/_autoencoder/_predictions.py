"""What a fitted CRF autoencoder answers."""

from numbers import Integral
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skstruct._validation import (
    as_labels,
    check_features,
)
from skstruct.containers import Ragged
from skstruct.estimators._autoencoder._model import EncodedBatch
from skstruct.estimators._autoencoder._reconstruction import surface
from skstruct.estimators._sequences._features import make_features, with_columns
from skstruct.estimators._sequences._predictions import SequencePredictions
from skstruct.estimators._sequences._reading import read_sequences
from skstruct.estimators._sequences._word_states import allowed_states
from skstruct.structures import marginals

__all__ = ["TaggerPredictions"]


class _Read(NamedTuple):
    """Sequences as the model reads them: potentials of p(y, x_hat | x)."""

    data: Ragged
    answer: object
    batch: EncodedBatch
    weights: np.ndarray
    log_prob: np.ndarray

    @property
    def potentials(self):
        return self.batch.potentials(self.weights, self.log_prob)


class TaggerPredictions(SequencePredictions):
    """Decoding, probabilities, scores and features of a fitted model."""

    def _read(self, X, observed_labels=None):
        check_is_fitted(self)
        data, answer = read_sequences(X)
        data = with_columns(data)
        check_features(self, X, data, reset=False)
        if data.values.ndim == 1 and data.n_tokens and hasattr(self, "n_features_in_"):
            raise ValueError(
                f"X holds tokens, but the model was fitted to {self.n_features_in_} "
                "features of each."
            )
        words = surface(data)
        features = np.zeros((0, len(self.coef_)))
        log_prob = np.zeros((0, len(self.states_)))
        if data.n_tokens:  # what is empty has no kind
            features = make_features(self.featurizer_.transform, data)
            log_prob = self.reconstruction_.log_prob(words)
        if features.shape[1] != len(self.coef_):
            raise ValueError(
                f"X has {features.shape[1]} features, but the model was fitted to "
                f"{len(self.coef_)}; transform it by the same fitted featurizer."
            )
        labels = None
        if observed_labels is not None:
            name = "observed_labels"
            labels = self._names.codes(
                *as_labels(observed_labels, data, name), data, name
            )
        allowed = None
        if self._dictionary is not None:
            allowed = allowed_states(self._dictionary, words)
        batch = EncodedBatch(
            features,
            data.offsets,
            len(self.states_),
            allowed=allowed,
            labels=labels,
            n_jobs=self.n_jobs,
        )
        weights = batch.linear.join(self.coef_, self.transition_coef_, self.start_coef_)
        return _Read(data, answer, batch, weights, log_prob)

    def _lattice(self, X, observed_labels):
        read = self._read(X, observed_labels)
        return read.data, read.answer, read.batch.joint, read.potentials

    def _log_likelihoods(self, X):
        read = self._read(X)
        free, joint = (
            chain.log_partition(p, n_jobs=self.n_jobs)
            for chain, p in (
                (read.batch.encoder, read.batch.potentials(read.weights)),
                (read.batch.joint, read.potentials),
            )
        )
        return read.data, joint - free

    def predict(self, X, *, observed_labels=None):
        r"""States of every token, by encoder and reconstruction together.

        .. math:: \arg\max_y \, p(y \mid x, \hat x)

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            Sequences as in ``fit``.
        observed_labels : Ragged or list-like of sequences, default=None
            Labels that hold; None (or -1 among integers) where unknown.

        Returns
        -------
        Ragged, object array of arrays, or array of shape (n_samples,)
            Entries of ``states_``, in the form of X. With ``decoding="posterior"``
            those of the largest marginals; with "type" each word of the training data
            has one state everywhere, unless a label says otherwise.

        Raises
        ------
        ValueError
            If X does not suit the model, or ``decoding`` is unknown, or "type" where
            tokens are vectors.
        """
        self._validate_params("decoding", "n_jobs")
        read = self._read(X, observed_labels)
        chain, p = read.batch.joint, read.potentials
        if self.decoding == "viterbi":
            codes, _ = chain.argmax(p)
        else:
            codes = marginals(chain, p, n_jobs=self.n_jobs).argmax(axis=1)
        if self.decoding == "type":
            if self._word_states is None:
                raise ValueError(
                    "decoding='type' gives each word its state, but tokens are "
                    "vectors; use 'viterbi' or 'posterior'."
                )
            codes = self._word_states.overrule(codes, surface(read.data).values)
            labels = read.batch.labels
            if labels is not None:
                codes = np.where(labels >= 0, labels, codes)
        return read.answer(self.states_[codes])

    @property
    def encoder_feature_names_(self):
        """Names of the encoder's features: "x0", "x1" ... where there are none."""
        check_is_fitted(self)
        try:
            names = self.featurizer_.get_feature_names_out()
        except AttributeError:  # also of a step of a pipeline
            names = [f"x{i}" for i in range(len(self.coef_))]
        return np.asarray(names, dtype=object)

    def top_features(self, n=10, *, feature_names=None):
        """The features of highest weight for each state, as a table.

        Parameters
        ----------
        n : int, default=10
            How many for each state.
        feature_names : array-like of shape (F,), default=None
            Names of the features where X brought them: in a Pipeline,
            ``pipe[:-1].get_feature_names_out()``. None: ``encoder_feature_names_``.

        Returns
        -------
        pandas.DataFrame
            Columns "state", "feature" and "weight"; the weight is the encoder's, less
            the feature's mean over states. Largest first within each state.

        Raises
        ------
        ValueError
            If n is no positive integer, or there is not one name for each feature.
        ImportError
            If pandas is not installed.
        """
        if not isinstance(n, Integral) or n < 1:
            raise ValueError(f"n must be a positive integer, got {n!r}.")
        names = self.encoder_feature_names_
        if feature_names is not None:
            names = np.asarray(feature_names, dtype=object)
            if names.shape != (len(self.coef_),):
                raise ValueError(
                    f"feature_names must hold {len(self.coef_)} names, one for each "
                    f"feature, got shape {names.shape}."
                )
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "top_features answers with a pandas DataFrame: "
                "pip install 'skstruct[plot]'."
            ) from error
        centred = self.coef_ - self.coef_.mean(axis=1, keepdims=True)
        best = np.argsort(-centred, axis=0, kind="stable")[:n].T
        n_kept = best.shape[1]
        return pd.DataFrame(
            {
                "state": np.repeat(self.states_, n_kept),
                "feature": names[best.ravel()],
                "weight": np.take_along_axis(centred, best.T, axis=0).T.ravel(),
            }
        )
