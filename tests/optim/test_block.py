"""Block coordinate descent on a function of two numbers."""

import numpy as np
import pytest

from skstruct.optim import block_coordinate_descent


class Toy:
    """Loss 1 + (x - z)^2 + z^2; a step on either halves its distance to the best."""

    def __init__(self, z=4.0):
        self.z, self.log = z, []

    def evaluate(self, x):
        return 1 + (x - self.z) ** 2 + self.z**2, 2 * (x - self.z), x, self.z

    def move(self, x, state):
        assert state == self.evaluate(x)  # never one of another z
        self.log.append("x")
        x = (x + self.z) / 2
        return x, self.evaluate(x), True

    def reconstruct(self, state):
        x, z = state[2:]
        assert z == self.z
        self.log.append("z")
        self.z = (z + x / 2) / 2

    def run(self, x=0.0, **options):
        options = {"max_iter": 100, "tol": 1e-6} | options
        return block_coordinate_descent(
            self.evaluate, self.move, self.reconstruct, x, **options
        )


def test_it_descends_to_the_minimum():
    toy, losses = Toy(), []
    x, state, converged, stopped = toy.run(
        tol=0, max_iter=300, on_iteration=lambda i, x, s: losses.append(s[0])
    )
    assert (np.diff(losses) <= 1e-15).all()
    assert state == toy.evaluate(x) and not stopped
    assert x == pytest.approx(0, abs=1e-6) and toy.z == pytest.approx(0, abs=1e-6)
    assert converged and len(losses) < 300  # no loss moves for ever


@pytest.mark.parametrize(("encoder", "reconstruction"), [(1, 1), (3, 1), (2, 4)])
def test_the_first_round_moves_the_encoder_only(encoder, reconstruction):
    toy = Toy()
    toy.run(max_iter=3, encoder_steps=encoder, reconstruction_steps=reconstruction)
    later = "z" * reconstruction + "x" * encoder
    assert "".join(toy.log) == "x" * encoder + later + later


def test_every_step_on_the_reconstruction_sees_its_own_expectations():
    toy = Toy()  # its methods assert that the state is that of the present z
    _, state, *_ = toy.run(max_iter=2, reconstruction_steps=3)
    assert state == toy.evaluate(state[2])


def test_rounds_are_bounded_and_numbered_from_one():
    seen = []
    x, state, converged, stopped = Toy().run(
        max_iter=4, on_iteration=lambda i, x, s: seen.append((i, x, s[0]))
    )
    assert [i for i, *_ in seen] == [1, 2, 3, 4]
    assert seen[-1][1:] == (x, state[0])
    assert not converged and not stopped


def test_it_converges_when_five_rounds_together_hardly_move():
    losses = []
    _, _, converged, _ = Toy().run(
        tol=1e-3, on_iteration=lambda i, x, s: losses.append(s[0])
    )
    losses = np.array([Toy().evaluate(0.0)[0], *losses])
    change = np.abs(losses[5:] - losses[:-5]) / np.abs(losses[5:])
    assert converged
    assert change[-1] <= 5 * 1e-3 and (change[1:-1] > 5 * 1e-3).all()


def test_a_callback_stops_it_after_its_round():
    toy = Toy()
    x, state, converged, stopped = toy.run(on_iteration=lambda i, x, s: i == 3)
    assert stopped and not converged
    assert toy.log == ["x", "z", "x", "z", "x"]
    assert state == toy.evaluate(x)


def test_steps_on_the_encoder_end_where_it_cannot_move():
    toy = Toy()

    def stuck(x, state):
        toy.log.append("x")
        return x, state, False

    block_coordinate_descent(
        toy.evaluate,
        stuck,
        toy.reconstruct,
        1.0,
        max_iter=2,
        tol=0,
        encoder_steps=5,
    )
    assert toy.log == ["x", "z", "x"]
