"""What every model of state sequences answers, whatever its potentials come from."""

from numbers import Integral

from skstruct._validation import check_sample_weight, reject_lengths
from skstruct.structures import marginals

__all__ = ["SequencePredictions"]


class SequencePredictions:
    """Probabilities, best paths and mean scores of a fitted model.

    A model gives ``_lattice(X, observed_labels) -> (data, answer, chain, potentials)``
    and ``_log_likelihoods(X) -> (data, log-likelihood of each sequence)``.
    """

    def fit_predict(self, X, y=None, sample_weight=None):
        """Fit, then predict the training data.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            Sequences as in ``fit``.
        y : Ragged or list-like of sequences, default=None
            As in ``fit``; under ``supervision="clamp"`` known labels hold.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of sequences.

        Returns
        -------
        Ragged, object array of arrays, or array of shape (n_samples,)
            As ``predict`` returns it.
        """
        self.fit(X, y, sample_weight)
        labels = y if self.supervision == "clamp" else None
        return self.predict(X, observed_labels=labels)

    def predict_proba(self, X, *, observed_labels=None):
        """Probability of each state of every token, given all tokens.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            Sequences as in ``fit``.
        observed_labels : Ragged or list-like of sequences, default=None
            Labels that hold; None (or -1 among integers) where unknown.

        Returns
        -------
        Ragged, object array of arrays, or array of shape (n_samples, K)
            Posterior marginals of the states, columns in the order of ``states_``: not
            emission probabilities.
        """
        _, answer, chain, p = self._lattice(X, observed_labels)
        return answer(marginals(chain, p, n_jobs=self.n_jobs))

    def predict_k_best(self, X, k=5):
        """The k most probable state sequences of each sequence.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            Sequences as in ``fit``.
        k : int, default=5
            How many.

        Returns
        -------
        list of list of (states, log_prob)
            For each sequence its paths, best first: states (length,), and the (float)
            log-probability of the path given the tokens. Fewer than k where there are
            fewer.
        """
        if not isinstance(k, Integral) or k < 1:
            raise ValueError(f"k must be a positive integer, got {k!r}.")
        _, _, chain, p = self._lattice(X, None)
        log_z = chain.log_partition(p, n_jobs=self.n_jobs)
        return [
            [
                (self.states_[y], float(s - z))
                for y, s in zip(paths, scores, strict=True)
            ]
            for (paths, scores), z in zip(chain.k_best(p, k), log_z, strict=True)
        ]

    def score_samples(self, X):
        """Log-likelihood of each sequence.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            Sequences as in ``fit``.

        Returns
        -------
        ndarray of shape (n_samples,)
            Natural logarithms; 0 for an empty sequence, ``-inf`` for an impossible one.
            Of a CRF autoencoder, of the reconstruction given the sequence.
        """
        return self._log_likelihoods(X)[1]

    def score(self, X, y=None, sample_weight=None) -> float:
        """Mean log-likelihood of a token.

        Of a CRF autoencoder it is that of the reconstruction given the sequence, and
        compares models of one reconstruction only.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or array of shape (n_samples, n_features)
            Sequences as in ``fit``.
        y : object, default=None
            Not read; numbers that look like the lengths of sequences are refused.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of sequences.

        Returns
        -------
        float
            Greater is better.
        """
        data, each = self._log_likelihoods(X)
        reject_lengths(y, data)
        weight = check_sample_weight(sample_weight, len(data))
        used = weight > 0
        n_tokens = weight @ data.lengths
        return float(weight[used] @ each[used] / n_tokens) if n_tokens else 0.0
