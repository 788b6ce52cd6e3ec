"""What the displays share: axes, heat maps with names, and reading what is shown."""

from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_is_fitted

from skstruct._validation import as_ragged
from skstruct.containers import Batch
from skstruct.inspection._kinds import model_of
from skstruct.inspection._words import shown, width_of, word_style

__all__ = [
    "Display",
    "check_sample",
    "count_ticks",
    "first_attribute",
    "name_handles",
    "name_ticks",
    "one_sample",
    "state_names",
]

# Larger tables do not say their values, and longer axes have numbers for names.
_MAX_VALUES, _MAX_NAMES = 200, 120
# Inches: of a row, of a letter, and of the longest side of a figure.
_ROW, _LETTER, _LONGEST = 0.27, 0.09, 30.0


class Display:
    """Base of the displays; it knows matplotlib, and no model."""

    def _axes(self, ax, size):
        """Take the axes given, or new ones of this width and height in inches."""
        try:
            from matplotlib import pyplot as plt
            from matplotlib.axes import Axes
        except ImportError as error:
            raise ImportError(
                f"{type(self).__name__} draws with matplotlib: "
                "pip install 'skstruct[plot]'."
            ) from error
        if ax is None:
            size = np.clip(size, 3, _LONGEST)
            _, ax = plt.subplots(figsize=size, layout="constrained")
        elif not isinstance(ax, Axes):
            raise TypeError(
                f"ax must be one Axes of matplotlib, got {type(ax).__name__}; of an "
                "array of them pass one, such as axes[0] or axes[0, 1]."
            )
        self.ax_, self.figure_ = ax, ax.figure
        return ax

    def _heat_map(
        self,
        table,
        rows,
        columns,
        *,
        ax,
        colorbar,
        label,
        values=False,
        cell=_ROW,
        room=0.0,
        **style,
    ):
        """Draw a table; names of rows and columns are as shown, or None for numbers.

        ``label`` says what the colours mean, ``values`` whether the cells of a small
        table say theirs, ``cell`` how many inches wide they
        are, and ``room`` how many a legend above needs.
        """
        n_rows, n_columns = table.shape
        values = values and table.size <= _MAX_VALUES
        wide = (0.4 if values else cell) * n_columns
        if columns is None or n_columns > _MAX_NAMES:
            wide = min(wide, 12)
        width = 1.5 + _LETTER * width_of(rows or []) + wide
        height = 1.2 + 0.7 * _LETTER * width_of(columns or []) + _ROW * n_rows
        ax = self._axes(ax, (width + 0.9 * colorbar, height + room))
        self.im_ = self.text_ = None
        if not table.size:
            ax.set(xticks=[], yticks=[])
            ax.text(0.5, 0.5, "nothing to show", ha="center", transform=ax.transAxes)
            return
        self.im_ = ax.imshow(table, aspect="auto", interpolation="nearest", **style)
        name_ticks(ax.xaxis, columns, n_columns)
        name_ticks(ax.yaxis, rows, n_rows)
        if values:
            form = "d" if table.dtype.kind in "iu" else ".2f"
            self._write([[format(v, form) for v in row] for row in table])
        if colorbar:
            # As wide beside a large heat map as beside a small one.
            share = 0.5 / max(_inches(ax)[0], 3)
            self.figure_.colorbar(
                self.im_, ax=ax, label=label, fraction=share, pad=share / 4, aspect=30
            )

    def _write(self, words, **style):
        """Put text into the cells of the heat map, dark on light or light on dark."""
        colors = self.im_.cmap(self.im_.norm(self.im_.get_array()))[..., :3]
        is_dark = colors @ [0.299, 0.587, 0.114] < 0.5
        style = {"ha": "center", "va": "center", "fontsize": 8, **style}
        self.text_ = np.empty(is_dark.shape, dtype=object)
        for (i, j), dark in np.ndenumerate(is_dark):
            color = "white" if dark else "black"
            self.text_[i, j] = self.ax_.text(j, i, words[i][j], color=color, **style)


def name_ticks(axis, names, n) -> None:
    """Name the n ticks of an axis, if names are given and not too many to be read."""
    if names is None or len(names) > _MAX_NAMES:
        count_ticks(axis)
        return
    is_x = axis.axis_name == "x"
    style = word_style(names)
    points = 0.8 * 72 * _inches(axis.axes)[0 if is_x else 1] / n
    if points < 10:
        style["fontsize"] = max(points, 4)
    if is_x and width_of(names) > 3:
        style |= {"rotation": 45, "rotation_mode": "anchor", "ha": "right"}
    axis.set_ticks(np.arange(n), labels=names, **style)


def count_ticks(axis) -> None:
    """Ticks at whole numbers only, be it one."""
    axis.get_major_locator().set_params(integer=True, min_n_ticks=1)


def _inches(ax):
    """Width and height of axes, before a layout may move them."""
    return ax.get_window_extent().size / ax.figure.dpi


def name_handles(ax, handles, names, *, length=24, **style) -> None:
    """A legend with the words of users.

    Given as labels, those that begin with "_" would be left out, and others be read as
    formulas.
    """
    names = shown(names, length)
    legend = ax.legend(handles, [" "] * len(names), frameon=False, **style)
    words = word_style(names)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set(text=name, **words)


def one_sample(X, sample):
    """The batch of one sequence that ``sample`` names, as a model takes it."""
    batch = X if isinstance(X, Batch) else as_ragged(X)
    check_sample(sample, len(batch))
    return batch[[sample]]


def check_sample(sample, n) -> None:
    """Raise unless there is a sample of this number."""
    if not isinstance(sample, Integral) or not -n <= sample < n:
        raise ValueError(
            f"sample must be the number of one of the {n} samples of X, from 0, got "
            f"{sample!r}."
        )


def state_names(estimator):
    """Names of the states or classes of a fitted estimator."""
    return first_attribute(estimator, "states_", "classes_", shows="states")


def first_attribute(estimator, *names, shows):
    """The first of these attributes that a fitted estimator, or its last step, has."""
    model = model_of(estimator)
    check_is_fitted(model)
    for name in names:
        if hasattr(model, name):
            return getattr(model, name)
    has = f"no {names[0]}" if len(names) == 1 else f"neither {' nor '.join(names)}"
    raise TypeError(
        f"{type(model).__name__} has {has}, so there are no {shows} to show."
    )
