import numpy as np

from skstruct import AnnealedHMM, CRFAutoencoderTagger
from skstruct.inspection import AnnealingPathDisplay

X = [["a", "b", "a"], ["b", "b", "a"]]


def test_the_last_objective_of_each_inverse_temperature():
    model = AnnealedHMM(2, betas=[0.25, 0.5, 1.0], tag_dictionary={"a": 0, "b": [0, 1]})
    history = model.fit(X).history_
    display = AnnealingPathDisplay.from_estimator(model)
    assert display.line_.get_xdata().tolist() == [0.25, 0.5, 1.0]
    for beta, value in zip(display.x_, display.line_.get_ydata(), strict=True):
        assert value == [r["objective"] for r in history if r["beta"] == beta][-1]
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_xlabel() == "Inverse temperature"


def test_plain_em_is_shown_by_iterations():
    model = AnnealedHMM(2, random_state=0).fit(X)
    display = AnnealingPathDisplay.from_estimator(model, color="C3")
    assert display.x_.tolist() == list(range(1, model.n_iter_ + 1))
    assert display.ax_.get_xlabel() == "Iteration"
    assert display.ax_.get_xscale() == "linear"
    assert display.line_.get_color() == "C3"


def test_one_iteration_is_a_whole_number():
    display = AnnealingPathDisplay([{"objective": -1.0}]).plot()
    low, high = display.ax_.get_xlim()
    assert [x for x in display.ax_.get_xticks() if low <= x <= high] == [1]


def test_effective_states_have_an_axis_of_their_own():
    history = [
        {"beta": b, "iteration": 1, "objective": -b, "effective_states": 1 + b}
        for b in (0.1, 0.5, 0.5, 1.0)
    ]
    display = AnnealingPathDisplay(history).plot()
    assert display.line_states_.get_ydata().tolist() == [1.1, 1.5, 2.0]
    assert display.ax_states_.get_ylabel() == "Effective number of states"
    assert np.array_equal(display.line_states_.get_xdata(), display.x_)
    del history[0]["effective_states"]
    display.plot()
    assert display.ax_states_ is None


def test_other_models_have_a_history_too():
    model = CRFAutoencoderTagger(2, reconstruction="token", max_iter=2, random_state=0)
    display = AnnealingPathDisplay.from_estimator(model.fit(X))
    assert display.objective_.tolist() == [r["objective"] for r in model.history_]
