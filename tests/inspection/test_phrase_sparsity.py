import numpy as np
import pytest

from skstruct import PosteriorRegularizedClusterer
from skstruct.datasets import make_phrase_table
from skstruct.inspection import PhraseSparsityDisplay


def test_share_of_phrases():
    display = PhraseSparsityDisplay.from_predictions(
        ["a", "a", "a", "b", "c", "c"], [0, 1, 2, 0, 1, 1], name="_m"
    )
    assert display.line_.get_xdata().tolist() == [1, 2, 3]
    assert np.allclose(display.line_.get_ydata(), [2 / 3, 2 / 3, 1])
    (name,) = display.ax_.get_legend().get_texts()
    assert name.get_text() == "_m (mean 1.67)"


def test_curves_of_models_share_a_picture():
    X, y = make_phrase_table(300, random_state=0)
    model = PosteriorRegularizedClusterer(3, n_init=1, random_state=0).fit(X)
    display = PhraseSparsityDisplay.from_estimator(model)
    counts = model.n_clusters_per_phrase()
    assert display.line_.get_ydata()[0] == np.mean(counts == 1)
    gold = PhraseSparsityDisplay.from_predictions(
        X[:, 0], y, name="gold", ax=display.ax_, color="black"
    )
    texts = [text.get_text() for text in gold.ax_.get_legend().get_texts()]
    assert texts[0].startswith("PosteriorRegularizedClusterer (mean ")
    assert texts[1].startswith("gold (mean ")
    assert len(display.ax_.lines) == 2


@pytest.mark.parametrize("n", [1, 2, 45])
def test_ticks_are_numbers_of_categories(n):
    display = PhraseSparsityDisplay([1, n]).plot()
    display.figure_.canvas.draw()
    low, high = display.ax_.get_xlim()
    assert low == 0.5 and n + 0.5 <= high < 1.1 * n + 1
    ticks = [tick for tick in display.ax_.get_xticks() if low <= tick <= high]
    assert ticks and all(tick == round(tick) for tick in ticks)


def test_the_longest_of_several_curves_is_all_there():
    ax = None
    for counts in ([1, 1], [1, 7], [1, 3]):
        ax = PhraseSparsityDisplay(counts).plot(ax).ax_
    assert ax.get_xlim() == (0.5, 7.5)


def test_as_many_phrases_as_categories():
    with pytest.raises(ValueError, match="phrases has 2 entries, y_pred 1"):
        PhraseSparsityDisplay.from_predictions(["a", "b"], [0])
