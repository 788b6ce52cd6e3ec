"""How pieces of work are run, and how they are interrupted."""

import threading

import pytest

from skstruct.kernels._threads import run_chunks

PIECES = [(0, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_results_are_in_order(n_jobs):
    names = set()

    def do(first, last):
        names.add(threading.current_thread().name)
        return first, last

    assert run_chunks(do, PIECES, n_jobs) == PIECES
    assert ("MainThread" in names) == (n_jobs is None)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_interrupts_that_numba_hides_are_interrupts(n_jobs):
    def interrupted(first, last):
        raise SystemError("returned a result with an exception set") from (
            KeyboardInterrupt()
        )

    def broken(first, last):
        raise SystemError("something else")

    with pytest.raises(KeyboardInterrupt):
        run_chunks(interrupted, PIECES, n_jobs)
    with pytest.raises(SystemError, match="something else"):
        run_chunks(broken, PIECES, n_jobs)
