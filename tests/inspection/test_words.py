import warnings

import pytest
from matplotlib import font_manager, rc_context

from skstruct.inspection._words import shown, width_of, word_style


def test_control_characters_are_replaced():
    assert shown(["b\n\t", 7, "\ud800"]) == ["b\ufffd\ufffd", "7", "\ufffd"]


@pytest.mark.parametrize(
    ("length", "expected"),
    [(10, "abcdefghij"), (9, "abcd…ghij"), (8, "abcd…hij"), (2, "a…"), (1, "…")],
)
def test_long_words_keep_both_ends(length, expected):
    assert shown(["abcdefghij"], length) == [expected]


def test_long_names_with_numbers_stay_apart():
    names = [f"EXTRAORDINARY-LONG-TAG-NAME-{k:02d}" for k in range(45)]
    assert len(set(shown(names))) == 45
    assert shown(names)[7] == "EXTRAORDINAR…TAG-NAME-07"


def test_wide_letters_count_double():
    assert width_of(["ab", "日本"]) == 4
    assert width_of([]) == 0


def test_no_formulas_and_no_other_font_where_none_is_needed():
    assert word_style(["$x$", "שלום", "ж"]) == {"parse_math": False, "usetex": False}


def test_one_warning_names_what_no_font_has():
    with pytest.warns(UserWarning, match="characters 文 日 本") as caught:
        style = word_style(["日本", "文"])
    assert len(caught) == 1
    assert style["fontfamily"][0] == "sans-serif"


def test_an_installed_font_helps_out():
    # The user's font lacks Greek, and the first of the fallbacks here has it.
    with rc_context({"font.family": ["cmtt10"]}), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert word_style(["жук"])["fontfamily"] == ["cmtt10", "DejaVu Sans"]


def test_fonts_of_the_user_come_first():
    name = font_manager.get_font_names()[0]
    with rc_context({"font.family": [name, "DejaVu Sans"]}):
        assert "fontfamily" not in word_style(["שלום"])
