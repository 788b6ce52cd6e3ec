"""Which features speak for each state."""

from numbers import Integral
from typing import Self

import numpy as np
from sklearn.pipeline import Pipeline

from skstruct.inspection._base import Display, first_attribute, state_names
from skstruct.inspection._kinds import model_of
from skstruct.inspection._tables import as_table, check_length
from skstruct.inspection._words import shown, width_of, word_style

__all__ = ["TopFeaturesDisplay"]

# Words without names have less than this share of the uniform probability; their order
# is only that of the vocabulary.
_RARE = 0.1


class TopFeaturesDisplay(Display):
    """Table of the features of highest weight for each state, coloured by weight.

    Ranks without a name are those of symbols that a hidden Markov model hardly ever
    emits in this state, with less than a tenth of 1 / V, where V is the number of
    symbols: a state with one word shows one word.

    It is recommended to use `from_estimator`.

    Parameters
    ----------
    features : array-like of shape (K, n)
        Names of the features that speak for each state, the strongest first; "" leaves
        a rank without a name.
    weights : array-like of shape (K, n)
        Their weights.
    states : array-like of shape (K,)
        Names of the states.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        Where it was drawn.
    figure_ : matplotlib.figure.Figure
        The figure of it.
    im_ : matplotlib.image.AxesImage or None
        The weights.
    text_ : ndarray of shape (K, n) of matplotlib.text.Text, or None
        The names.

    Examples
    --------
    >>> from skstruct import ConditionalRandomField
    >>> from skstruct.inspection import TopFeaturesDisplay
    >>> X = [[{"tall": 1.0}, {"red": 1.0, "tall": 1.0}], [{"red": 1.0}]]
    >>> y = [["tree", "rose"], ["rose"]]
    >>> model = ConditionalRandomField().fit(X, y)
    >>> display = TopFeaturesDisplay.from_estimator(model, n=1)
    >>> display.states.tolist(), display.features.tolist()
    (['rose', 'tree'], [['red'], ['tall']])
    """

    def __init__(self, features, weights, *, states):
        self.features = features
        self.weights = weights
        self.states = states

    @classmethod
    def from_estimator(
        cls, estimator, *, n=10, feature_names=None, ax=None, **plot_params
    ) -> Self:
        """Show what a fitted model looks at.

        Parameters
        ----------
        estimator : fitted estimator
            :class:`~skstruct.CRFAutoencoderTagger`,
            :class:`~skstruct.ConditionalRandomField` or its like: weights ``coef_``,
            less the mean over states. :class:`~skstruct.AnnealedHMM` of symbols: their
            probabilities ``emissionprob_``. Or a pipeline or search of one.
        n : int, default=10
            How many features for each state.
        feature_names : array-like of shape (F,), default=None
            Names of the features. None asks the featurizer of the model, then for the
            columns of the frame it was fitted on, then the steps before it in a
            pipeline; where these have none they are "x0", "x1" ...
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        **plot_params : dict
            Passed to `plot`.

        Returns
        -------
        TopFeaturesDisplay
            Drawn.

        Raises
        ------
        ValueError
            If n is no positive integer, or there is not one name for each feature.
        TypeError
            If the estimator has no weights of features.
        """
        if not isinstance(n, Integral) or n < 1:
            raise ValueError(f"n must be a positive integer, got {n!r}.")
        states = state_names(estimator)
        weights, names = _weights(estimator)
        if feature_names is not None:
            names = np.asarray(feature_names, dtype=object)
        if names.shape != weights.shape[1:]:
            raise ValueError(
                f"feature_names must hold {weights.shape[1]} names, one for each "
                f"feature, got shape {names.shape}."
            )
        best = np.argsort(-weights, axis=1, kind="stable")[:, :n]
        features, highest = names[best], np.take_along_axis(weights, best, axis=1)
        if hasattr(model_of(estimator), "emissionprob_"):
            features[highest < _RARE / weights.shape[1]] = ""
        return cls(features, highest, states=states).plot(ax, **plot_params)

    def plot(self, ax=None, *, cmap=None, colorbar=True) -> Self:
        """Draw the table.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        cmap : str or matplotlib Colormap, default=None
            Colours. None: "coolwarm" where there are negative weights, else "Blues".
        colorbar : bool, default=True
            Whether to explain them.

        Returns
        -------
        TopFeaturesDisplay
            Drawn.

        Raises
        ------
        ValueError
            If there is not one name and one finite weight for each state and rank.
        """
        weights = as_table(
            self.weights, "weights", ("states", self.states), ("features", None)
        )
        check_length(self.features, "features", len(weights), "state")
        for k, row in enumerate(self.features):
            check_length(row, f"features[{k}]", weights.shape[1], "weight")
        words = [shown(row, 20) for row in self.features]
        every = [word for row in words for word in row]
        highest = np.abs(weights).max(initial=0) or 1
        has_negative = weights.min(initial=0) < 0
        self._heat_map(
            weights,
            shown(self.states),
            [str(rank + 1) for rank in range(weights.shape[1])],
            ax=ax,
            colorbar=colorbar,
            label="weight",
            cell=0.25 + 0.085 * width_of(every),
            cmap=cmap or ("coolwarm" if has_negative else "Blues"),
            vmin=-highest if has_negative else 0,
            vmax=highest,
        )
        if weights.size:
            self._write(words, clip_on=True, **word_style(every))
        self.ax_.set(xlabel="Rank", ylabel="State")
        return self


def _weights(estimator):
    """Weights (K, F) and names (F,) of the features of a fitted model."""
    model = model_of(estimator)
    if hasattr(model, "emissionprob_"):
        return model.emissionprob_, np.asarray(model.symbols_, dtype=object)
    coef = first_attribute(model, "coef_", "emissionprob_", shows="features")
    first_attribute(model, "featurizer_", shows="features")
    # Supervised models have a row for each class, as in scikit-learn.
    weights = coef if hasattr(model, "classes_") else coef.T
    names = _names(estimator, model, weights.shape[1])
    return weights - weights.mean(axis=0), np.asarray(names, dtype=object)


def _names(estimator, model, n):
    """Names of the n features that a model weighs, from the nearest that knows them."""
    steps = getattr(estimator, "best_estimator_", estimator)
    for names in (
        _names_out(model.featurizer_),
        getattr(model, "feature_names_in_", None),
        _names_out(steps[:-1]) if isinstance(steps, Pipeline) else None,
    ):
        if names is not None and len(names) == n:
            return names
    return [f"x{i}" for i in range(n)]


def _names_out(transformer):
    try:
        return transformer.get_feature_names_out()
    except (AttributeError, ValueError):  # without names, also of a step in it
        return None
