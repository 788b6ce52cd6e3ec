"""Ordinary transformers on the tokens of a batch."""

from typing import Self

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    process_routing,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from skstruct._validation import as_labels, check_features, is_table, read_batch
from skstruct.containers import Ragged
from skstruct.containers._frame import with_names
from skstruct.featurizers._words import first_non_token

__all__ = ["PerToken"]


def _transformer_has(method):
    def check(self):
        return hasattr(getattr(self, "transformer_", self._given), method)

    return check


class _Function(TransformerMixin, BaseEstimator):
    """A function of one token as a transformer."""

    def __init__(self, function):
        self.function = function

    def fit(self, X, y=None) -> Self:
        return self

    def transform(self, X):
        return Ragged([[self.function(token) for token in X]]).values

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


class PerToken(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):
    """Apply a transformer of rows to the tokens of sequences.

    scikit-learn's transformers want a table, and sequences are none. This one lays the
    tokens of all sequences below one another, lets the transformer see them as rows,
    and cuts its answer as the sequences were cut.

    Parameters
    ----------
    transformer : estimator or callable
        Any transformer of 2-D data, also a Pipeline, FeatureUnion or ColumnTransformer.
        Of a Ragged of columns of a frame it is given a frame, so that it can name them.
        Tokens that are no vectors are given to it as one column, or as a list to those
        that ask for text or dicts (CountVectorizer, DictVectorizer). A clone is fitted.
        Or a function that answers for one token, such as ``str.lower``.

    Attributes
    ----------
    transformer_ : estimator
        The fitted transformer.
    n_features_in_ : int
        Number of columns that ``transformer_`` saw, where it counts them.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, if it was fitted on a DataFrame or on a Ragged of columns of one;
        ``transform`` asks for the same.

    See Also
    --------
    sklearn.preprocessing.FunctionTransformer : Makes a transformer of a function.

    Notes
    -----
    Sequences are answered by a :class:`~skstruct.containers.Ragged`, which keeps the
    tokens and the frame of the one given, whatever ``set_config(transform_output=...)``
    says. Where the sequences are of tokens (str or int) and the answers are not, it
    carries those tokens beside them. A plain table, which is n sequences of length one,
    is answered as ``transformer`` answers it. Labels reach the transformer only if
    there is one for each token. With metadata routing, what holds one value for each
    sequence, such as ``sample_weight``, is repeated for its tokens.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.preprocessing import StandardScaler
    >>> from skstruct.featurizers import PerToken
    >>> series = [np.array([[0.0], [2.0]]), np.array([[4.0]])]
    >>> scaled = PerToken(StandardScaler()).fit_transform(series)
    >>> scaled
    Ragged(2 sequences, 3 tokens, float64 x 1)
    >>> scaled[1].round(2)
    array([[1.22]])

    A normaliser of words, as the first step of a pipeline:

    >>> from sklearn.pipeline import make_pipeline
    >>> from skstruct import AnnealedHMM
    >>> pipe = make_pipeline(PerToken(str.lower), AnnealedHMM(2, random_state=0))
    >>> pipe.fit([["The", "dogs"], ["the", "cats"]])[-1].symbols_
    array(['cats', 'dogs', 'the'], dtype=object)
    """

    def __init__(self, transformer):
        self.transformer = transformer

    def fit(self, X, y=None, **params) -> Self:
        """Fit the transformer to all tokens.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or 2-D array-like
            The data.
        y : Ragged or list-like of sequences of labels, default=None
            For transformers that use labels: one for each token.
        **params : dict
            Metadata for the ``fit`` of the transformer.

        Returns
        -------
        PerToken
            This object.

        Raises
        ------
        ValueError
            If ``transformer`` is none, or needs labels that are not there.
        """
        self._fit("fit", X, y, params)
        return self

    def fit_transform(self, X, y=None, **params):
        """Fit the transformer to all tokens, and transform them.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or 2-D array-like
            The data.
        y : Ragged or list-like of sequences of labels, default=None
            For transformers that use labels: one for each token.
        **params : dict
            Metadata for the ``fit`` and ``transform`` of the transformer.

        Returns
        -------
        Ragged, or what the transformer answers to a table
            The transformed tokens.
        """
        return self._fit("fit_transform", X, y, params)

    @available_if(_transformer_has("transform"))
    def transform(self, X, **params):
        """Transform all tokens.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or 2-D array-like
            The data.
        **params : dict
            Metadata for the ``transform`` of the transformer.

        Returns
        -------
        Ragged, or what the transformer answers to a table
            The transformed tokens.
        """
        return self._apply("transform", X, params)

    @available_if(_transformer_has("inverse_transform"))
    def inverse_transform(self, X, **params):
        """Take transformed tokens back to what they were.

        Parameters
        ----------
        X : Ragged, list-like of sequences, or 2-D array-like
            Transformed tokens.
        **params : dict
            Metadata for the ``inverse_transform`` of the transformer.

        Returns
        -------
        Ragged, or what the transformer answers to a table
            Tokens as ``fit`` saw them.
        """
        return self._apply("inverse_transform", X, params)

    @available_if(_transformer_has("get_feature_names_out"))
    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Names of the columns that the transformer makes.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns it is given.

        Returns
        -------
        ndarray of str
            One name for each column.
        """
        check_is_fitted(self)
        return self.transformer_.get_feature_names_out(input_features)

    @property
    def n_features_in_(self):
        """Number of columns that the fitted transformer saw."""
        return self._of_transformer("n_features_in_")

    @property
    def feature_names_in_(self):
        """Names of the columns that the fitted transformer saw."""
        names = vars(self).get("_names")
        return self._of_transformer("feature_names_in_") if names is None else names

    def get_metadata_routing(self):
        """How metadata goes to the transformer.

        Returns
        -------
        MetadataRouter
            Each method hands its metadata to the same method of the transformer.
        """
        mapping = MethodMapping()
        for caller in ("fit", "transform", "fit_transform", "inverse_transform"):
            mapping.add(caller=caller, callee=caller)
        mapping.add(caller="fit_transform", callee="fit")
        mapping.add(caller="fit_transform", callee="transform")
        router = MetadataRouter(owner=self)
        return router.add(transformer=self._given, method_mapping=mapping)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if hasattr(self._given, "__sklearn_tags__"):
            inner = get_tags(self._given)
            for name in ("input_tags", "target_tags", "transformer_tags"):
                setattr(tags, name, getattr(inner, name))
            tags.non_deterministic = inner.non_deterministic
            tags.no_validation = inner.no_validation
        return tags

    @property
    def _given(self):
        """The parameter as a transformer."""
        given = self.transformer
        is_function = callable(given) and not hasattr(given, "fit")
        return _Function(given) if is_function else given

    def _of_transformer(self, attribute):
        # hasattr must say no before fit, which it does on an AttributeError.
        if "transformer_" not in vars(self):
            raise AttributeError(
                f"{type(self).__name__} has no {attribute} before fit."
            )
        return getattr(self.transformer_, attribute)

    def _fit(self, method, X, y, params):
        if not all(hasattr(self._given, m) for m in ("fit", "transform")):
            raise ValueError(
                f"transformer={self.transformer!r} has no fit and transform; pass a "
                "transformer, such as StandardScaler()."
            )
        batch, rows = _read(X, self._given)
        params = self._route(method, params, batch)
        if batch is not None:
            y = self._token_labels(y, batch)
        transformer, out = clone(self._given), None
        if method == "fit_transform" and hasattr(transformer, "fit_transform"):
            out = transformer.fit_transform(rows, y, **params["fit_transform"])
        else:
            transformer.fit(rows, y, **params["fit"])
            if method == "fit_transform":
                out = transformer.transform(rows, **params["transform"])
        answer = None if out is None else self._cut(out, batch, like=batch)
        example = names = None
        if batch is not None:
            example = Ragged.from_lengths(batch.values[:1], [1])
            if batch.header is not None:
                names = np.asarray(batch.header.columns, dtype=object)
        self.transformer_, self._example, self._names = transformer, example, names
        return answer

    def _apply(self, method, X, params):
        check_is_fitted(self)
        batch, rows = _read(X, self.transformer_)
        example = self._example
        if method == "transform" and batch is not None and batch.header is not None:
            # Of columns whose names are no text the transformer sees an array.
            check_features(self, X, batch, reset=False)
        if batch is not None and batch.n_tokens == 0 and example is not None:
            # Transformers refuse tables without rows, but sequences may all be empty.
            example = example[:]
            example.header = batch.header
            if method == "inverse_transform":
                example = self.transform(example)
            return _beside(self._apply(method, example, {}).values[:0], batch)
        params = self._route(method, params, batch)[method]
        out = getattr(self.transformer_, method)(rows, **params)
        return self._cut(out, batch, like=batch if method == "transform" else example)

    def _route(self, method, params, batch):
        """Metadata for each method of the transformer, one entry for each token."""
        routed = {"fit": params, "transform": {}, method: params}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, method, **params)["transformer"]
        if batch is None:
            return routed
        return {
            callee: {name: _repeat(value, batch) for name, value in values.items()}
            for callee, values in routed.items()
        }

    def _token_labels(self, y, batch):
        """Labels for a transformer that asks for them, or could use them."""
        required = get_tags(self._given).target_tags.required
        if y is None:
            return None
        try:
            labels, known = as_labels(y, batch)
        except ValueError:
            if required:
                raise
            return None
        if required and not known.all():
            raise ValueError(
                f"{type(self._given).__name__} needs a label for each token, but "
                f"y leaves {np.sum(~known)} unknown; fit it to the sequences that are "
                "fully labelled."
            )
        return labels if known.all() else None

    def _cut(self, out, batch, like):
        """Rows as sequences; one column where ``like`` has none is none again."""
        if batch is None:
            return out
        out = out if sp.issparse(out) else np.asarray(out)
        if out.shape[0] != batch.n_tokens:
            raise ValueError(
                f"{type(self._given).__name__} answered {out.shape[0]} rows for "
                f"{batch.n_tokens} tokens; PerToken needs one that keeps rows."
            )
        if like is not None and like.values.ndim == 1 and not sp.issparse(out):
            out = out[:, 0] if out.shape[1:] == (1,) else out
        return _beside(out, batch)


def _beside(values, batch):
    """Sequences of values that carry the tokens they describe."""
    out = batch.with_values(values)
    is_featurized = first_non_token(out.values) is not None
    if out.tokens is None and is_featurized and first_non_token(batch.values) is None:
        out.tokens = batch.values
    return out


def _read(X, transformer):
    """The batch, None for a table, and what the transformer is to see."""
    if is_table(X):
        return None, X
    batch = read_batch(X)[0]
    rows = batch.values
    if _wants_table(transformer):
        rows = rows[:, None] if rows.ndim == 1 else with_names(rows, batch.header)
    return batch, rows


def _wants_table(transformer):
    while nested := (
        getattr(transformer, "steps", None)
        or getattr(transformer, "transformer_list", None)
    ):
        transformer = nested[0][1]
    is_step = hasattr(transformer, "__sklearn_tags__")
    return not is_step or get_tags(transformer).input_tags.two_d_array


def _repeat(value, batch):
    """What there is one of for each sequence, for each of its tokens."""
    if isinstance(value, Ragged):
        return value.values
    is_array = hasattr(value, "__len__") and not isinstance(value, str | dict)
    if is_array and len(value) == len(batch):
        return np.repeat(np.asarray(value), batch.lengths, axis=0)
    return value
