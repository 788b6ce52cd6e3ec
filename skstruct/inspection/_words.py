"""Words of users in pictures: short, no formulas, in fonts that have them."""

import re
import warnings
from unicodedata import east_asian_width

__all__ = ["printable", "shown", "width_of", "word_style"]

# Control characters and halves of surrogate pairs, which cannot be drawn or encoded.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
# Fonts of wide coverage that systems bring along.
_FALLBACKS = (
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans SC",
    "Source Han Sans SC",
    "WenQuanYi Zen Hei",
    "Microsoft YaHei",
    "PingFang SC",
    "Hiragino Sans",
    "IPAexGothic",
    "Malgun Gothic",
    "Apple SD Gothic Neo",
    "Arial Unicode MS",
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Devanagari",
    "Nirmala UI",
    "Segoe UI",
    "DejaVu Sans",
)
# Comes with matplotlib 3.11 and draws boxes that tell the script.
_LAST_RESORT = "Last Resort High-Efficiency"


def printable(word):
    """A word as text in which control characters are replaced."""
    return _UNPRINTABLE.sub("\ufffd", str(word))


def shown(words, length=24):
    """Words as pictures show them: printable, and long ones without their middle."""
    words = [printable(word) for word in words]
    tail = (length - 1) // 2  # numbers at the end tell names apart
    head = length - 1 - tail
    return [
        w if len(w) <= length else f"{w[:head]}…{w[len(w) - tail :]}" for w in words
    ]


def width_of(words):
    """Width of the widest word, in letters; those of East Asia count double."""
    return max(
        (sum(1 + (east_asian_width(c) in "WF") for c in word) for word in words),
        default=0,
    )


def word_style(words):
    """Properties of a matplotlib text that shows these words.

    Fonts are those of ``rcParams["font.family"]``, and where these lack characters,
    installed ones of wide coverage. A character that none has is warned of, once.
    """
    from matplotlib import font_manager, rcParams

    style = {"parse_math": False, "usetex": False}
    families = rcParams["font.family"]
    characters = {c for word in words for c in word if not c.isspace()}
    missing = _missing(characters, families)
    if not missing:
        return style
    installed = set(font_manager.get_font_names())
    helpful = []
    for family in _FALLBACKS:
        if family in installed and (left := _missing(missing, [family])) != missing:
            helpful.append(family)
            missing = left
    if missing:
        some = " ".join(sorted(missing)[:5])
        warnings.warn(
            f"No font of matplotlib's has the characters {some} ({len(missing)} in "
            "all), which are drawn as boxes. Install one that does, such as Noto Sans "
            "CJK, and name it: matplotlib.rcParams['font.family'] = ['sans-serif', "
            "'Noto Sans CJK JP'].",
            UserWarning,
            stacklevel=4,
        )
        helpful += [_LAST_RESORT] * (_LAST_RESORT in installed)
    return style | {"fontfamily": [*families, *helpful]}


def _missing(characters, families):
    """The characters that no font of these families has."""
    from matplotlib.font_manager import FontProperties, findfont
    from matplotlib.ft2font import FT2Font

    for family in families:
        if not characters:
            break
        font = FT2Font(findfont(FontProperties(family=[family])))
        characters = {c for c in characters if not font.get_char_index(ord(c))}
    return characters
