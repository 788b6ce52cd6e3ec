"""What an adversarial model answers: labelings, or its predictor's strategy."""

from skstruct._validation import check_node_weight
from skstruct.surrogates import smoothed_predictor, solve_game

__all__ = ["EquilibriumPredictions"]


class EquilibriumPredictions:
    """Decisions of an adversarial graphical model."""

    def predict(self, X):
        """Labels of every node.

        Parameters
        ----------
        X : GraphBatch, Ragged, list-like of sequences, or array of shape (n, F)
            Samples as in ``fit``.

        Returns
        -------
        Ragged, object array of arrays, or array of shape (n_samples,)
            Entries of ``classes_``, in the form of X: those of the labelling of
            largest score ("map"), or to which the predictor gives most weight, of
            equals the class that comes first ("equilibrium"). Of several labelings of
            the same score one is chosen, the same in each call for the same X.
        """
        self._validate_params("prediction", "max_treewidth", "n_jobs")
        read = self._read(X)
        mode = self.prediction
        if mode == "auto":
            mode = "equilibrium" if self._temperature > 0 else "map"
        if mode == "map":
            codes = self._map(read)
        else:
            codes = self._predictor(read, None).argmax(axis=1)
        return read.answer(self.classes_[codes])

    def predict_equilibrium(self, X, node_weight=None):
        r"""The predictor's strategy: its distribution of labels at every node.

        .. math:: \arg\min_p \max_Q \, \mathbb{E}_Q \, \text{score}_\theta(x, y)
            + \sum_i w_i \, p_i^\top L \, q_i

        This is how one does best to guess against the worst that the model admits. It
        is **not** an estimate of p(y | x): a label of certain loss has weight 0.

        Parameters
        ----------
        X : GraphBatch, Ragged, list-like of sequences, or array of shape (n, F)
            Samples as in ``fit``.
        node_weight : Ragged or list-like of sequences, default=None
            As in ``fit``.

        Returns
        -------
        Ragged, object array of arrays, or array of shape (n_samples, K)
            Rows of K probabilities, in the form of X. Its worst case is proven to be
            within a thousandth of the largest cost of the sample of the best there is;
            with a temperature it is the optimum of the smooth game.
        """
        read = self._read(X)
        return read.answer(self._predictor(read, node_weight))

    def _predictor(self, read, node_weight):
        batch = read.graphs.batch
        node_weight = check_node_weight(node_weight, batch.offsets)
        structure = self._structure(read, chains=False)
        game = self._costs.game(batch.offsets, node_weight)
        arguments = structure, read.potentials, game
        if self._temperature == 0:
            return solve_game(*arguments, n_jobs=self.n_jobs).predictor
        return smoothed_predictor(*arguments, self._temperature, n_jobs=self.n_jobs)
