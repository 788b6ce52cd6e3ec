"""Text for notebooks: escaped, coloured, in its own direction of writing."""

from html import escape

from skstruct.inspection._words import printable

__all__ = ["TextView", "colour", "escaped"]

# A word is an atomic box, so that its direction does not reach its neighbours.
_STYLE = """
<style>
.skstruct-text p {display: flex; flex-wrap: wrap; gap: .3em; margin: .3em 0}
.skstruct-text span {display: inline-block; text-align: center; padding: .1em .3em;
  border-radius: .3em; line-height: 1.25; white-space: pre}
.skstruct-text span[style] {color: #222}
.skstruct-text .wrong {outline: 2px solid #d33}
.skstruct-text bdi {display: block; font-size: .7em; opacity: .75}
.skstruct-text small bdi {display: inline; font-size: 1em; opacity: 1}
.skstruct-text p > bdi {min-width: 1.5em}
.skstruct-text .pair {margin: .8em 0; width: fit-content; max-width: 100%}
</style>
"""


class TextView:
    """Base of objects that notebooks show as text.

    A subclass has ``_samples``, a generator of the HTML of one sample after another,
    and ``max_samples``, ``_n_samples``.
    """

    def _repr_html_(self):
        parts = [_STYLE, '<div class="skstruct-text">', *self._samples()]
        left_out = self._n_samples - self.max_samples
        if left_out > 0:
            parts.append(f"<p>… and {left_out} more</p>")
        return "\n".join([*parts, "</div>"])

    def __repr__(self):
        n = self._n_samples
        return f"{type(self).__name__}({n} sample{'s' * (n != 1)})"


def escaped(word):
    """A word of the user as HTML, also inside the quotes of an attribute."""
    return escape(printable(word))


def colour(k):
    """A light colour; those of small numbers differ most."""
    return f"hsl({137.508 * k % 360:.0f} 70% 85%)"
