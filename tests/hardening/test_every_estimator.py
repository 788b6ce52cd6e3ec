"""What holds for every estimator: interrupts, seeds, threads, neighbours, user data."""

import copy
import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from skstruct import Bitext, Ragged
from tests.hardening._cases import (
    CASES,
    DATA,
    KINDS,
    answers,
    fit,
    flat,
    public_estimators,
)

# A few iterations do not converge.
pytestmark = pytest.mark.filterwarnings("ignore")


def those(has):
    """Runs a test for the estimators that have something."""
    pairs = [pair for pair in KINDS if has(CASES[pair[0]].make)]
    return pytest.mark.parametrize(("name", "kind"), pairs)


each = those(lambda model: True)
with_callbacks = those(lambda model: hasattr(model, "set_callbacks"))


@pytest.fixture(scope="module")
def saved():
    """Fitted models as bytes, so that no test sees what another has asked before."""
    return {pair: pickle.dumps(fit(*pair)) for pair in KINDS}


@pytest.fixture
def model(saved, name, kind):
    return pickle.loads(saved[name, kind])


def assert_alike(found, expected, **tolerance):
    assert found.keys() == expected.keys()
    for method in expected:
        a, b = flat(found[method]), flat(expected[method])
        assert len(a) == len(b), method
        for one, other in zip(a, b, strict=True):
            same = one == other
            assert same or one == pytest.approx(other, **tolerance), method


def test_every_public_estimator_is_here():
    tried = {type(case.make).__name__ for case in CASES.values()}
    assert set(public_estimators()) == tried


# Interrupts


class Interrupted(BaseEstimator):
    """A featurizer that is interrupted as it is fitted, or afterwards."""

    def __init__(self, method="fit"):
        self.method = method

    def fit(self, X, y=None):
        return self._answer("fit", self)

    def transform(self, X):
        return self._answer("transform", X)

    def _answer(self, method, answer):
        if method == self.method:
            raise KeyboardInterrupt
        return answer


class Callback:
    """Stops a fit in its second iteration, or breaks it."""

    def __init__(self, error=None):
        self.error, self.seen = error, 0

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context):
        self.seen += 1
        if self.seen < 2:
            return False
        if self.error is not None:
            raise self.error
        return True


def samples_until_interrupt(kind):
    yield from DATA[kind][0][:2]
    raise KeyboardInterrupt


def check_interrupt(make, fitted, prepare, *data):
    """A new model stays unfitted, a fitted one stays as it is."""
    new = prepare(clone(make))
    with pytest.raises(KeyboardInterrupt):
        new.fit(*data)
    with pytest.raises(NotFittedError):
        check_is_fitted(new)
    before = dict(vars(prepare(fitted)))
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(*data)
    assert vars(fitted).keys() == before.keys()
    assert all(vars(fitted)[name] is value for name, value in before.items())


@each
def test_interrupt_while_data_are_read(name, kind, model):
    class Broken(list):
        def __iter__(self):
            yield self[0]
            raise KeyboardInterrupt

    broken = Broken(DATA[kind][0])
    check_interrupt(CASES[name].make, model, lambda m: m, broken, *DATA[kind][1:])


@with_callbacks
def test_interrupt_by_a_callback(name, kind, model):
    def prepare(model):
        return model.set_callbacks(Callback(KeyboardInterrupt()))

    check_interrupt(CASES[name].make, model, prepare, *DATA[kind])


@those(lambda model: "featurizer" in model.get_params())
@pytest.mark.parametrize("method", ["fit", "transform"])
def test_interrupt_in_a_featurizer(name, kind, model, method):
    def prepare(model):
        return model.set_params(featurizer=Interrupted(method))

    check_interrupt(CASES[name].make, model, prepare, *DATA[kind])


@with_callbacks
def test_a_fit_that_a_callback_stops_is_a_model(name, kind):
    callback = Callback()
    model = clone(CASES[name].make).set_callbacks(callback).fit(*DATA[kind])
    assert callback.seen >= 2
    found = answers(model, *DATA[kind])
    assert np.isfinite([v for v in flat(found) if isinstance(v, float)]).all()


# Seeds, threads and processes

DIGESTS = """
import json, sys, warnings
warnings.simplefilter("ignore")
import joblib
from tests.hardening._cases import KINDS, fit
found = {}
for name, kind in KINDS:
    found[f"{name} {kind}"] = joblib.hash(vars(fit(name, kind)))
"""


def test_other_processes_and_hash_seeds_learn_the_same():
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", DIGESTS + "json.dump(found, sys.stdout)"],
        env=os.environ | {"PYTHONHASHSEED": "1", "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=True,
    )
    here = {}
    exec(DIGESTS, here)
    assert json.loads(done.stdout) == here["found"]
    assert len(here["found"]) == len(KINDS)


@those(lambda model: "n_jobs" in model.get_params(deep=False))
def test_threads_of_a_fit_change_nothing(name, kind, model):
    fitted = fit(name, kind, n_jobs=2)
    assert_alike(answers(fitted, *DATA[kind]), answers(model, *DATA[kind]), rel=1e-9)


@each
def test_eight_threads_ask_one_model(name, kind, saved, model):
    start = Barrier(8)

    def ask(_):
        start.wait()
        return answers(model, *DATA[kind])

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(8)))
    expected = answers(pickle.loads(saved[name, kind]), *DATA[kind])
    for each_found in found:
        assert_alike(each_found, expected, rel=0, abs=0)


# Neighbours


@each
def test_answers_do_not_depend_on_batch_mates(name, kind, model):
    X = DATA[kind][0]
    together = answers(model, X)
    for i in range(len(X)):
        alone = answers(model, X[i : i + 1])
        for method in alone.keys() - {"score", "link_table"}:
            whole = together[method]
            part = whole[i : i + 1] if not isinstance(whole, dict) else whole
            assert_alike({method: alone[method]}, {method: part}, abs=1e-9)


# Data of the user


def read_only(*arrays):
    for array in arrays:
        array.flags.writeable = False
    return arrays[0]


def frozen_data(kind):
    """The data of a kind in read-only arrays, with weights."""
    X, *y = DATA[kind]
    if kind == "table":
        X = read_only(X.copy())
    elif kind == "pairs":
        X = Bitext(X)
        for side in (X.source, X.target):
            read_only(side.values, side.offsets)
    else:
        X, *y = (Ragged(part) for part in (X, *y))
        for batch in (X, *y):
            read_only(batch.values, batch.offsets)
    return X, *y, read_only(np.linspace(1, 2, len(X)))


@each
def test_arrays_of_the_user_are_read_only(name, kind):
    *data, weight = frozen_data(kind)
    before = joblib.hash([data, weight])
    generator = np.random.get_state()[1].copy()  # noqa: NPY002
    model = clone(CASES[name].make)
    parameters = repr(model.get_params())
    if hasattr(model, "set_fit_request"):
        model.fit(*data, sample_weight=weight)
    else:
        model.fit(*data)
    answers(model, *data)
    assert joblib.hash([data, weight]) == before
    assert repr(model.get_params()) == parameters
    np.testing.assert_array_equal(np.random.get_state()[1], generator)  # noqa: NPY002


@each
def test_lists_of_the_user_stay(name, kind, model):
    data = copy.deepcopy(DATA[kind])
    before = joblib.hash(data)
    answers(model.fit(*data), *data)
    assert joblib.hash(data) == before
