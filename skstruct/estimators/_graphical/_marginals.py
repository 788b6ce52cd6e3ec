"""What a model with probabilities of labelings answers."""

from itertools import pairwise
from numbers import Integral

import numpy as np
from sklearn.utils import ClassifierTags

__all__ = ["MarginalPredictions"]


class MarginalPredictions:
    """Decisions and probabilities of a conditional random field."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # What has predict_proba is asked for its classes, classifier or not.
        tags.classifier_tags = ClassifierTags()
        return tags

    def _marginals(self, read):
        structure = self._structure(read, chains=True)
        return structure.posterior(read.potentials, n_jobs=self.n_jobs).node

    def predict(self, X):
        """Labels of every node.

        Parameters
        ----------
        X : GraphBatch, Ragged, list-like of sequences, or array of shape (n, F)
            Samples as in ``fit``.

        Returns
        -------
        Ragged, object array of arrays, or array of shape (n_samples,)
            Entries of ``classes_``, in the form of X. With ``prediction="bayes"`` each
            has the least expected loss, of equals the class that comes first; with
            "map" all together are most probable, and of several such labelings one is
            chosen, the same in each call for the same X.
        """
        self._validate_params("prediction", "max_treewidth", "n_jobs")
        read = self._read(X)
        if self.prediction == "map":
            codes = self._map(read)
        else:
            codes = self._costs.decide(self._marginals(read))
        return read.answer(self.classes_[codes])

    def predict_proba(self, X):
        """Marginal probabilities of the labels of every node.

        Parameters
        ----------
        X : GraphBatch, Ragged, list-like of sequences, or array of shape (n, F)
            Samples as in ``fit``.

        Returns
        -------
        Ragged, object array of arrays, or array of shape (n_samples, K)
            Rows of K probabilities, in the form of X and the order of ``classes_``.
        """
        read = self._read(X)
        return read.answer(self._marginals(read))

    def edge_proba(self, X):
        """Marginal probabilities of the pairs of labels along every edge.

        Parameters
        ----------
        X : GraphBatch, Ragged, list-like of sequences, or array of shape (n, F)
            Samples as in ``fit``.

        Returns
        -------
        ndarray of objects, of shape (n_samples,)
            An array of shape (n_edges, K, K) for each sample, in the order of its
            edges; in a chain, entry t is of nodes t and t + 1.
        """
        read = self._read(X)
        structure = self._structure(read, chains=False)
        tables = structure.edge_marginals(read.potentials)
        out = np.empty(len(read.graphs.batch), dtype=object)
        for i, (begin, end) in enumerate(pairwise(read.graphs.edge_offsets)):
            out[i] = tables[begin:end]
        return out

    def predict_k_best(self, X, k):
        """The k most probable labelings of each sample.

        Parameters
        ----------
        X : GraphBatch, Ragged, list-like of sequences, or array of shape (n, F)
            Samples as in ``fit``.
        k : int
            How many.

        Returns
        -------
        list of (labels, log_probability)
            For each sample labels (m, n_nodes) and their log p(y | x), (m,), best
            first; m < k where there are fewer labelings.
        """
        if not isinstance(k, Integral) or k < 1:
            raise ValueError(f"k must be a positive integer, got {k}.")
        read = self._read(X)
        structure = self._structure(read, chains=True)
        log_partition = structure.log_partition(read.potentials, n_jobs=self.n_jobs)
        found = structure.k_best(read.potentials, k)
        return [
            (self.classes_[labels], score - z)
            for (labels, score), z in zip(found, log_partition, strict=True)
        ]

    def score_samples(self, X, y=None):
        """Log p(y | x) of each sample.

        Parameters
        ----------
        X : GraphBatch, Ragged, list-like of sequences, or array of shape (n, F)
            Samples as in ``fit``.
        y : Ragged or list-like of sequences, default=None
            The labels of their nodes. None: the most probable ones, so that the answer
            says how sure they are.

        Returns
        -------
        ndarray of shape (n_samples,)
            0 for samples without nodes.
        """
        read = self._read(X)
        structure = self._structure(read, chains=True)
        if y is None:
            score = structure.argmax(read.potentials)[1]
            return score - structure.log_partition(read.potentials, n_jobs=self.n_jobs)
        values = self._surrogate.values(
            structure, read.potentials, None, self._codes(y, read)
        )
        return -values
