"""Several views of a token, independent given its state."""

from contextlib import contextmanager

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from skstruct.emissions._base import Emission, Observations
from skstruct.emissions._categorical import Categorical
from skstruct.emissions._view import View, check_view, is_pair, joined
from skstruct.kernels._sums import add_rows, sum_rows

__all__ = ["Product"]


class Product(Emission):
    r"""Emission of several views, :math:`p(x \mid k) \propto \prod_v p_v(x_v \mid
    k)^{w_v}`.

    Views are independent given the state; the exponents :math:`w_v` say how much each
    counts. The M-step solves, for expected counts :math:`c_{tk}` of tokens,

    .. math:: \max_\theta \sum_v w_v \Bigl( \sum_{tk} c_{tk} \log p_v(x_{tv} \mid k)
        + \log p(\theta_v) \Bigr)

    which each view's own M-step does.

    Parameters
    ----------
    views : list of (str, View) or None, default=None
        Names and views, in the order of the columns. None makes a categorical view of
        each column, named "column_0" and so on, or of each key. ``next__exponent`` or
        ``next__emission__alpha`` are parameters of the view "next".

    Attributes
    ----------
    emissions_ : dict of str to Emission
        Fitted emission of each view.
    exponents_ : ndarray of shape (n_views,)
        Exponent of each view.
    n_features_in_ : int
        Number of views.

    Notes
    -----
    With exponents other than 1 the product is a weight, no distribution that sums to
    one: likelihoods compare models of equal exponents only, and AIC and BIC do not
    hold. `sample` draws each view from its own distribution, whatever its exponent.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.emissions import Categorical, Product, View
    >>> emission = Product(
    ...     [
    ...         ("word", View(emission=Categorical())),
    ...         ("length", View(emission=Categorical(), exponent=0.5)),
    ...     ]
    ... )
    >>> values = {"word": ["a", "rose", "is"], "length": [1, 4, 2]}
    >>> observations = emission.encode(values, reset=True)
    >>> emission.initialize(observations, 2, None)
    >>> counts = np.array([[3.0, 1.0], [1.0, 3.0], [0.0, 0.0]])
    >>> emission.m_step(emission.statistics(observations.rows, counts))
    >>> emission.emissions_["length"].probabilities_  # symbols 1, 2 and 4
    array([[0.75, 0.  , 0.25],
           [0.25, 0.  , 0.75]])
    >>> np.exp(emission.table(observations.rows[:2])).round(3)  # p * sqrt(p)
    array([[0.65 , 0.125],
           [0.125, 0.65 ]])
    """

    def __init__(self, views=None):
        self.views = views

    def get_params(self, deep=True):
        """Get parameters; with ``deep`` also the views and theirs.

        Parameters
        ----------
        deep : bool, default=True
            Add ``name`` and ``name__parameter`` of each view.

        Returns
        -------
        dict
        """
        params = super().get_params(deep=False)
        if deep and isinstance(self.views, list | tuple):
            for name, view in filter(is_pair, self.views):
                params[name] = view
                params |= {f"{name}__{p}": v for p, v in view.get_params().items()}
        return params

    def set_params(self, **params):
        """Set parameters: ``views``, a whole view by its name, or one of its own.

        Parameters
        ----------
        **params : dict
            Parameters by name.

        Returns
        -------
        Product
            The emission itself.
        """
        views = params.pop("views", self.views)
        if isinstance(views, list | tuple):  # a new list: the old one is the user's
            views = [
                (pair[0], params.pop(pair[0], pair[1])) if is_pair(pair) else pair
                for pair in views
            ]
        self.views = views
        return super().set_params(**params)

    def encode(self, values, *, reset=False, offsets=None):
        """Read every view; equal tokens share a row where there are many.

        Parameters
        ----------
        values : ndarray of shape (T, n_views), or dict of str to ndarray
            A table whose column i is view i, or the values (T,) or (T, d) of each view
            by its name.
        reset : bool, default=False
            Learn what the views' emissions learn of values.
        offsets : ndarray of shape (n + 1,), default=None
            Where sequences begin, so that errors name the sample and its position.

        Returns
        -------
        Observations
            Its ``rows`` are `ViewRows`: rows of each view's own observations.
        """
        if sp.issparse(values):
            raise ValueError("Product reads dense tables; got a sparse one.")
        if not isinstance(values, dict):
            values = np.asarray(values)
        if reset:
            self._check_parameters()
            self._learn_views(values)
        read = []
        for name, column in self._columns(values).items():
            with _naming(name):
                emission = self.emissions_[name]
                read.append(emission.encode(column, reset=reset, offsets=offsets))
        return joined(read)

    def extend(self, values, *, offsets=None, allowed=None):
        """Let every view learn what is new in more tokens.

        Parameters
        ----------
        values : ndarray of shape (T, n_views), or dict of str to ndarray
            As `encode` takes them.
        offsets : ndarray of shape (n + 1,), default=None
            Where sequences begin, for errors.
        allowed : None
            A product has no symbols of its own that could be restricted to states.
        """
        if allowed is not None:
            raise ValueError("Product cannot restrict new symbols to some states.")
        for name, column in self._columns(values).items():
            with _naming(name):
                self.emissions_[name].extend(column, offsets=offsets)

    def initialize(self, observations, n_states, random_state, *, allowed=None):
        """Start every view on its own.

        Parameters
        ----------
        observations : Observations
            What ``encode`` returned.
        n_states : int
            Number of states K.
        random_state : RandomState or None
            Where the start is random; None asks for the uniform start.
        allowed : ndarray of bool of shape (U, K), default=None
            States that may emit each row. It tells views of numbers where the states
            are; a symbol of one view keeps all states, since other views may differ.
        """
        codes, views = observations.rows.codes, observations.rows.views
        for v, (name, emission) in enumerate(self.emissions_.items()):
            tokens = Observations(codes[observations.index, v], views[v])
            may = None
            if allowed is not None and views[v].ndim > 1:
                index = np.ascontiguousarray(codes[:, v])
                may = sum_rows(index, allowed.astype(float), len(views[v])) > 0
            with _naming(name):
                emission.initialize(tokens, n_states, random_state, allowed=may)
        nothing = np.zeros((0, n_states))
        pairs = zip(self._emissions, views, strict=True)
        self._sizes = [len(e.statistics(rows[:0], nothing)) for e, rows in pairs]

    def table(self, rows):
        """Sum up the views' log-probabilities, weighted by their exponents.

        Parameters
        ----------
        rows : ViewRows
            Of U rows.

        Returns
        -------
        ndarray of shape (U, K)
        """
        read = rows.split()
        pairs = zip(self._emissions, read, strict=True)
        tables = [emission.table(view.rows) for emission, view in pairs]
        out = np.zeros((len(rows), tables[0].shape[1]))
        for view, table, exponent in zip(read, tables, self.exponents_, strict=True):
            add_rows(out, table, view.index, exponent)
        return out

    def statistics(self, rows, counts):
        """Compute the statistics of every view, one after another in one tuple.

        Parameters
        ----------
        rows : ViewRows
            Of U rows.
        counts : ndarray of shape (U, K)
            Expected number of tokens of each row in each state. Exponents do not
            scale them: they are the same for all parameters of a view.

        Returns
        -------
        tuple of ndarray
        """
        out = []
        for emission, view in zip(self._emissions, rows.split(), strict=True):
            of_view = sum_rows(view.index, counts, len(view.rows))
            out += emission.statistics(view.rows, of_view)
        return tuple(out)

    def m_step(self, statistics):
        """Let every view maximise its own part of the objective.

        Parameters
        ----------
        statistics : tuple of ndarray
            What ``statistics`` returned.
        """
        ends = np.cumsum(self._sizes)
        for emission, size, end in zip(self._emissions, self._sizes, ends, strict=True):
            emission.m_step(tuple(statistics[end - size : end]))

    def expected_statistics(self, mass):
        """Give those of every view, one after another in one tuple.

        Parameters
        ----------
        mass : ndarray of shape (K,)
            Expected number of tokens of each state.

        Returns
        -------
        tuple of ndarray
        """
        parts = [emission.expected_statistics(mass) for emission in self._emissions]
        return tuple(array for part in parts for array in part)

    def log_prior(self):
        """Sum up the views' log-priors, weighted by their exponents."""
        priors = [emission.log_prior() for emission in self._emissions]
        return float(self.exponents_ @ priors)

    def sample(self, states, random_state):
        """Draw each view from its own distribution, whatever its exponent.

        Parameters
        ----------
        states : ndarray of shape (T,)
            Numbers of states.
        random_state : RandomState
            Source of randomness.

        Returns
        -------
        ndarray of shape (T, n_views), or a dict if the training values were one
        """
        drawn = {
            name: emission.sample(states, random_state)
            for name, emission in self.emissions_.items()
        }
        return drawn if self._keyed else np.column_stack(list(drawn.values()))

    def perturb(self, amount, random_state):
        """Shake every view."""
        for emission in self._emissions:
            emission.perturb(amount, random_state)

    def reorder(self, order):
        """Renumber states: new state ``i`` is the old state ``order[i]``."""
        for emission in self._emissions:
            emission.reorder(order)

    @property
    def n_parameters(self):
        """Those of all views."""
        return sum(emission.n_parameters for emission in self._emissions)

    @property
    def _emissions(self):
        return self.emissions_.values()

    def _check_parameters(self):
        if self.views is None:
            return
        pairs = self.views if isinstance(self.views, list | tuple) else ()
        if not (pairs and all(map(is_pair, pairs))):
            raise ValueError(
                "views must be None or a list of (name, View), as in [('token', "
                f"View())]; got {self.views!r}."
            )
        names = [name for name, _ in pairs]
        for name, view in pairs:
            if not name or "__" in name or name == "views":
                raise ValueError(
                    f"The view {name!r} needs another name: it must not be empty, nor "
                    "'views', nor hold '__', which separates names of parameters."
                )
            if names.count(name) > 1:
                raise ValueError(f"Two views are named {name!r}; names must differ.")
            check_view(name, view)

    def _learn_views(self, values):
        """Unfitted emissions and exponents, by the parameters and the values."""
        self._keyed = isinstance(values, dict)
        n_tokens = len(next(iter(values.values()), ())) if self._keyed else len(values)
        if not n_tokens:
            raise ValueError("There are no tokens to learn from.")
        views = self.views
        if views is None:
            width = values.shape[1] if not self._keyed and values.ndim == 2 else 1
            columns = [f"column_{i}" for i in range(width)]
            views = [(name, View()) for name in (values if self._keyed else columns)]
        self.emissions_ = {
            name: Categorical(0.1, update="variational")
            if view.emission is None
            else clone(view.emission)
            for name, view in views
        }
        self.exponents_ = np.array([view.exponent for _, view in views], dtype=float)
        self.n_features_in_ = len(views)

    def _columns(self, values):
        """Values of each view, by its name, in the order of the views."""
        names = list(self.emissions_)
        if isinstance(values, dict):
            return _checked_dict(values, names)
        if not len(values):  # no tokens, as an empty list gives them, have any width
            return dict.fromkeys(names, np.zeros(0, dtype=object))
        if values.ndim != 2 or values.shape[1] != len(names):
            raise ValueError(
                f"Product has {len(names)} views ({', '.join(names)}) and reads tokens "
                f"of shape (T, {len(names)}), a column for each; got {values.shape}."
            )
        return dict(zip(names, values.T, strict=True))


def _checked_dict(values, names):
    """The values in the order of the names; raise for other names or lengths."""
    missing = [name for name in names if name not in values]
    extra = [name for name in values if name not in names]
    if missing or extra:
        raise ValueError(
            f"The values must have the keys {names}, the views' names; missing: "
            f"{missing}, not a view: {extra}."
        )
    n_tokens = len(values[names[0]])
    for name in names:
        if len(values[name]) != n_tokens:
            raise ValueError(
                f"The view {name!r} has {len(values[name])} tokens, {names[0]!r} has "
                f"{n_tokens}; all views see the same tokens."
            )
    return {name: values[name] for name in names}


@contextmanager
def _naming(name):
    """Say in errors which view they are of."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"View {name!r}: {error}") from error
