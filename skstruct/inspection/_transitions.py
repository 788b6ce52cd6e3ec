"""How states follow one another: a graph, or a heat map."""

from typing import Self

import numpy as np

from skstruct.inspection._base import Display, first_attribute, state_names
from skstruct.inspection._kinds import model_of
from skstruct.inspection._tables import as_table, check_length
from skstruct.inspection._words import shown, width_of, word_style

__all__ = ["TransitionDisplay"]

# States of the largest graph that "auto" draws, and of one that tells probabilities.
_MAX_GRAPH, _MAX_TOLD = 12, 6
_NODE = 0.15
# Durations beyond depend on rounding in 1 - p more than on the data.
_LONG = 1e6


class TransitionDisplay(Display):
    """Graph or heat map of the transitions between states.

    It is recommended to use `from_estimator`.

    Parameters
    ----------
    transitions : array-like of shape (K, K)
        Probability, or weight, of the state of a column after that of a row.
    states : array-like of shape (K,)
        Names of the states.
    durations : array-like of shape (K,), default=None
        Mean number of tokens that a visit to a state lasts, told beside its name; of
        more than a million (inf: the state has no end) as "> 1e6".
    weights : bool, default=False
        Whether transitions are weights of any sign, as those of a conditional random
        field, not probabilities.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        Where it was drawn.
    figure_ : matplotlib.figure.Figure
        The figure of it.
    im_ : matplotlib.image.AxesImage or None
        The heat map.
    text_ : ndarray of shape (K, K) of matplotlib.text.Text, or None
        Values, in heat maps of at most 200 cells.
    arrows_ : dict of (int, int) to matplotlib.patches.FancyArrowPatch
        Arrows of the graph, from state number to state number.

    Examples
    --------
    >>> from skstruct import AnnealedHMM
    >>> from skstruct.datasets import make_regime_series
    >>> from skstruct.inspection import TransitionDisplay
    >>> X, _ = make_regime_series(500, random_state=0)
    >>> model = AnnealedHMM(2, random_state=0).fit([X])
    >>> display = TransitionDisplay.from_estimator(model)
    >>> display.transitions.shape
    (2, 2)
    """

    def __init__(self, transitions, *, states, durations=None, weights=False):
        self.transitions = transitions
        self.states = states
        self.durations = durations
        self.weights = weights

    @classmethod
    def from_estimator(cls, estimator, *, ax=None, **plot_params) -> Self:
        """Show the transitions of a fitted model.

        Parameters
        ----------
        estimator : fitted estimator
            One with ``transmat_``, as :class:`~skstruct.AnnealedHMM` of order 1, or
            with ``transition_coef_``; or a pipeline or search of one.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        **plot_params : dict
            Passed to `plot`.

        Returns
        -------
        TransitionDisplay
            Drawn.

        Raises
        ------
        ValueError
            If a state depends on more than the one before it.
        TypeError
            If the estimator has no states, or none that follow one another.
        """
        states, model = state_names(estimator), model_of(estimator)
        weights = not hasattr(model, "transmat_")
        table = first_attribute(
            model, "transmat_", "transition_coef_", shows="transitions"
        )
        if table.ndim != 2:
            raise ValueError(
                f"transmat_ has shape {table.shape}: with order=2 a state depends on "
                "two others. Show TransitionDisplay(model.transmat_[k], "
                "states=model.states_), the transitions two steps after state k."
            )
        durations = None if weights else model.expected_durations_
        display = cls(table, states=states, durations=durations, weights=weights)
        return display.plot(ax, **plot_params)

    def plot(
        self, ax=None, *, kind="auto", min_probability=0.05, cmap=None, colorbar=True
    ) -> Self:
        """Draw the graph or the heat map.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        kind : {"auto", "graph", "matrix"}, default="auto"
            "auto": the graph for probabilities of at most 12 states.
        min_probability : float, default=0.05
            Transitions that are rarer have no arrow in the graph; raise it to see the
            strong ones among many states.
        cmap : str or matplotlib Colormap, default=None
            Colours of the heat map. None: "Blues", for weights "coolwarm".
        colorbar : bool, default=True
            Whether to explain them.

        Returns
        -------
        TransitionDisplay
            Drawn.

        Raises
        ------
        ValueError
            If ``kind`` is none of these, or "graph" where there are no probabilities;
            if there is not one finite number for each two states.
        """
        if kind not in ("auto", "graph", "matrix"):
            raise ValueError(f"kind must be 'auto', 'graph' or 'matrix', got {kind!r}.")
        if kind == "graph" and self.weights:
            raise ValueError(
                "kind='graph' draws probabilities, but these are weights; use 'matrix'."
            )
        states = "states", self.states
        table = as_table(self.transitions, "transitions", states, states)
        if self.durations is not None:
            check_length(self.durations, "durations", len(table), "state")
        self.im_ = self.text_ = None
        self.arrows_ = {}
        fits = len(table) <= _MAX_GRAPH and not self.weights
        if kind == "graph" or (kind == "auto" and fits):
            self._draw_graph(table, ax, min_probability)
        else:
            self._draw_matrix(table, ax, cmap, colorbar)
        return self

    def _names(self, form):
        """Names of states, with durations where there are some."""
        names = shown(self.states)
        if self.durations is None:
            return names
        return [
            form.format(name, _duration(mean))
            for name, mean in zip(names, self.durations, strict=True)
        ]

    def _draw_matrix(self, table, ax, cmap, colorbar):
        limit = max(np.abs(table).max(initial=0), 1e-12) if self.weights else 1
        self._heat_map(
            table,
            self._names("{} ({})"),
            shown(self.states),
            ax=ax,
            colorbar=colorbar,
            label="weight" if self.weights else "probability",
            values=True,
            cmap=cmap or ("coolwarm" if self.weights else "Blues"),
            vmin=-limit if self.weights else 0,
            vmax=limit,
        )
        lasts = "" if self.durations is None else " (mean duration)"
        self.ax_.set(xlabel="To", ylabel=f"From{lasts}")

    def _draw_graph(self, table, ax, min_probability):
        n = len(table)
        ring = 0 if n == 1 else max(0.65, 0.12 * n)
        reach = ring + _NODE + 0.55
        names = self._names("{}\nlasts {}")
        aside = 0.09 * width_of("\n".join(names).split("\n"))  # inches
        ax = self._axes(ax, (3.2 * reach + max(1, 2 * aside), 3.2 * reach))
        # Two states stand side by side, more begin at the top.
        angles = np.pi / (1 if n == 2 else 2) - 2 * np.pi * np.arange(n) / max(n, 1)
        out = np.column_stack([np.cos(angles), np.sin(angles)])
        self._draw_nodes(names, ring, out)
        for i, j in np.argwhere(table >= max(min_probability, 1e-12)).tolist():
            start, end, bend = _ends(ring * out, out, i, j)
            self.arrows_[i, j] = self._draw_arrow(table[i, j], i, start, end, bend)
            if i != j and n <= _MAX_TOLD:
                self._tell(table[i, j], i, start, end, bend)
        ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
        ax.set_axis_off()

    def _draw_nodes(self, names, ring, out):
        from matplotlib.patches import Circle

        style = word_style(names)
        for k, (x, y) in enumerate(out):
            self.ax_.add_patch(
                Circle((ring * x, ring * y), _NODE, color=f"C{k % 10}", zorder=3)
            )
            self.ax_.text(
                (ring + _NODE + 0.23) * x,
                (ring + _NODE + 0.23) * y,
                names[k],
                ha=("center", "left", "right")[int(np.sign(round(x, 6)))],
                va=("center", "bottom", "top")[int(np.sign(round(y, 6)))],
                **style,
            )

    def _tell(self, probability, state, start, end, bend):
        """Write a probability on its arc, before the middle, where arcs meet."""
        way, t = end - start, 0.4
        right = np.array([way[1], -way[0]])
        place = start + t * way + 2 * t * (1 - t) * bend * right
        self.ax_.text(
            *place,
            f"{probability:.2f}",
            fontsize=8,
            color=f"C{state % 10}",
            ha="center",
            va="center",
            bbox={"fc": "white", "ec": "none", "pad": 0.8},
        )

    def _draw_arrow(self, probability, state, start, end, bend):
        from matplotlib.patches import FancyArrowPatch

        arrow = FancyArrowPatch(
            start,
            end,
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>",
            mutation_scale=8 + 8 * probability,
            lw=0.5 + 3.5 * probability,
            color=f"C{state % 10}",
            alpha=0.8,
            shrinkA=0,
            shrinkB=0,
        )
        return self.ax_.add_patch(arrow)


def _duration(mean):
    """A mean duration as text; longer ones, also without end, are all alike."""
    if mean > _LONG:
        return "> 1e6"
    return f"{mean:.1f}" if mean < 100 else f"{mean:.0f}"


def _ends(centres, out, i, j):
    """Where the arrow from i to j starts and ends, and how far it bends to the right.

    ``out`` points outwards at each state; there the loop of a state stands.
    """
    start, end = centres[i], centres[j]
    if i == j:
        across = np.array([out[i][1], -out[i][0]])
        rim = _NODE * 0.8 * out[i]
        return start + rim - 0.1 * across, end + rim + 0.1 * across, -1.4
    way = (end - start) / np.linalg.norm(end - start)
    right = np.array([way[1], -way[0]])
    aside = _NODE * 0.4 * right
    return start + _NODE * way + aside, end - 1.1 * _NODE * way + aside, 0.15
