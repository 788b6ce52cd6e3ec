"""Pictures are drawn without a screen, and closed."""

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures():
    yield
    from matplotlib import pyplot as plt

    plt.close("all")


@pytest.fixture
def ticks():
    """Texts of the tick labels of an axis."""
    return lambda axis: [label.get_text() for label in axis.get_ticklabels()]
