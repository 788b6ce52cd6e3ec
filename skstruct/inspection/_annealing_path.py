"""What became of the objective while a model was annealed."""

from typing import Self

import numpy as np

from skstruct.inspection._base import Display, count_ticks, first_attribute

__all__ = ["AnnealingPathDisplay"]


class AnnealingPathDisplay(Display):
    r"""Objective, and effective number of states, against inverse temperature.

    Each :math:`\beta` is a dot, where EM ended there. Steps of the effective number of
    states show where states part; where the curve is still rising at the right, the
    schedule ended too early. Objectives of different :math:`\beta` are not comparable:
    look at the shape of the curve. Without annealing the picture is that of EM, one dot
    for each iteration.

    It is recommended to use `from_estimator`.

    Parameters
    ----------
    history : list of dict
        Records with "objective" and, if they have them, "beta", "iteration" and
        "effective_states", in the order of the iterations.

    Attributes
    ----------
    x_ : ndarray of shape (n,)
        Inverse temperatures in the order of the path, or iterations if there is one
        inverse temperature.
    objective_ : ndarray of shape (n,)
        The last objective of each.
    effective_states_ : ndarray of shape (n,) or None
        Their effective numbers of states; None where ``history`` does not tell.
    ax_ : matplotlib.axes.Axes
        Where the objective was drawn.
    ax_states_ : matplotlib.axes.Axes or None
        The axes over it, of the effective number of states.
    figure_ : matplotlib.figure.Figure
        The figure of it.
    line_ : matplotlib.lines.Line2D
        The objective.
    line_states_ : matplotlib.lines.Line2D or None
        The effective number of states.

    Examples
    --------
    >>> from skstruct import AnnealedHMM
    >>> from skstruct.inspection import AnnealingPathDisplay
    >>> X = [["the", "dogs", "run"], ["a", "run", "ends"], ["dogs", "sleep"]]
    >>> tags = {"the": "D", "a": "D", "dogs": "N", "run": ["N", "V"], "sleep": "V"}
    >>> model = AnnealedHMM(tag_dictionary=tags, beta_growth=1.8).fit(X)
    >>> AnnealingPathDisplay.from_estimator(model).x_.round(2)
    array([0.1 , 0.18, 0.32, 0.58, 1.  ])
    """

    def __init__(self, history):
        self.history = history

    @classmethod
    def from_estimator(cls, estimator, *, ax=None, **plot_params) -> Self:
        """Show how a model was fitted.

        Parameters
        ----------
        estimator : fitted estimator
            :class:`~skstruct.AnnealedHMM`, or another one with ``history_``; or a
            pipeline or search of one.
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        **plot_params : dict
            Passed to `plot`.

        Returns
        -------
        AnnealingPathDisplay
            Drawn.

        Raises
        ------
        TypeError
            If the estimator has no history.
        """
        history = first_attribute(estimator, "history_", shows="iterations")
        return cls(history).plot(ax, **plot_params)

    def plot(self, ax=None, **line_kw) -> Self:
        """Draw the path.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, default=None
            Where to draw; None makes a new figure.
        **line_kw : dict
            Passed to ``matplotlib.axes.Axes.plot`` for the objective.

        Returns
        -------
        AnnealingPathDisplay
            Drawn.

        Raises
        ------
        ValueError
            If a record of ``history`` has no "objective".
        """
        annealed = self._read()
        ax = self._axes(ax, (6, 4))
        from matplotlib.ticker import LogLocator

        style = {"marker": "o", "markersize": 4, "color": "C0", **line_kw}
        (self.line_,) = ax.plot(self.x_, self.objective_, **style)
        ax.set(
            xlabel="Inverse temperature" if annealed else "Iteration",
            ylabel="Objective",
        )
        self.ax_states_ = self.line_states_ = None
        if self.effective_states_ is not None:
            self.ax_states_ = ax.twinx()
            (self.line_states_,) = self.ax_states_.plot(
                self.x_, self.effective_states_, "s--", markersize=4, color="C1"
            )
            self.ax_states_.set_ylabel("Effective number of states", color="C1")
            ax.yaxis.label.set_color(self.line_.get_color())
        if annealed:
            ax.set_xscale("log")
            ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            ax.xaxis.set_major_formatter("{x:g}")
        else:
            count_ticks(ax.xaxis)
        return self

    def _read(self):
        """Take the path from the history; whether it is one of several betas."""
        for i, record in enumerate(self.history):
            if "objective" not in record:
                raise ValueError(
                    f"history[{i}] has no 'objective'; it has {sorted(record)}."
                )
        # The last record of each beta stays, in the place of the first.
        last = {record.get("beta", 1.0): record for record in self.history}
        annealed = len(last) > 1
        path = last if annealed else dict(enumerate(self.history, 1))
        self.x_ = np.array(list(path), dtype=float)
        self.objective_ = np.array([r["objective"] for r in path.values()], dtype=float)
        self.effective_states_ = None
        if path and all("effective_states" in record for record in path.values()):
            self.effective_states_ = np.array(
                [record["effective_states"] for record in path.values()], dtype=float
            )
        return annealed
