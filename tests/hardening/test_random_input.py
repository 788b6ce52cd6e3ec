"""Random input: a clear error and the model as before, or a sound model."""

import dis
import os
import pickle
import warnings

import joblib
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from tests.hardening._cases import CASES, KINDS, answers, fit, flat
from tests.hardening._strategies import options, problems

# The gate tries the same examples each time, SKSTRUCT_HYPOTHESIS=full many others.
PROFILES = {"ci": 2_000, "full": 10_000 * len(KINDS)}
PROFILE = os.environ.get("SKSTRUCT_HYPOTHESIS", "ci")
profile = settings(
    max_examples=-(-PROFILES[PROFILE] // len(KINDS)),
    derandomize=PROFILE == "ci",
    database=None,
    phases=[Phase.generate],  # to shrink may take minutes
    deadline=60_000,  # ms: a hang, not a slow machine that compiles
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)


def check_refusal(error):
    """The error was meant, and says something."""
    last = error.__traceback__
    while last.tb_next:
        last = last.tb_next
    code = last.tb_frame.f_code
    meant = dis.opname[code.co_code[last.tb_lasti]] == "RAISE_VARARGS"
    if not meant and "sklearn" not in code.co_filename:
        raise AssertionError(f"by accident, {code.co_filename}:{last.tb_lineno}")
    assert len(str(error)) > 20


def state(model):
    """All that a model holds, by content."""
    return joblib.hash(vars(model))


def n_rows(answer):
    return answer.shape[0] if hasattr(answer, "shape") else len(answer)


def check_answers(found, X, kind):
    """Answers are finite, and as many as samples and tokens."""
    for name, answer in found.items():
        numbers = np.array([v for v in flat(answer) if isinstance(v, float)])
        if name in ("score", "score_samples"):  # what cannot be has the likelihood zero
            numbers = numbers[numbers != -np.inf]
        assert np.isfinite(numbers).all(), name
    for name in found.keys() - {"score", "link_table", "transform"}:
        assert n_rows(found[name]) == len(X), name
    if kind == "pairs":
        check_links(X, **found)
    elif kind != "table":
        per_token = found.keys() & {"predict", "predict_proba", "predict_equilibrium"}
        for name in per_token:
            assert [*map(n_rows, found[name])] == [*map(len, X)], name
    for name in found.keys() & {"predict_proba", "predict_equilibrium", "filter_proba"}:
        for p in found[name] if kind not in ("pairs", "table") else ():
            assert (p >= 0).all()
            np.testing.assert_allclose(p.sum(axis=-1), 1, atol=1e-8)


def check_links(X, predict=(), predict_proba=(), **others):
    """Links stay within their pair, and probabilities within [0, 1]."""
    for (source, target), links in zip(X, predict, strict=False):
        assert links.dtype == np.intp and (links >= 0).all()
        assert (links < [len(source), len(target)]).all()
    for (source, target), p in zip(X, predict_proba, strict=False):
        assert p.shape == (len(source), len(target))
        assert (p >= 0).all() and (p <= 1 + 1e-9).all()


def check_attributes(model):
    """No NaN nor infinity in what was learnt."""
    for name, value in vars(model).items():
        if name.endswith("_") and isinstance(value, np.ndarray):
            assert value.dtype.kind != "f" or np.isfinite(value).all(), name
    for record in getattr(model, "history_", []):
        numbers = [v for v in record.values() if isinstance(v, float)]
        assert np.isfinite(numbers).all(), record
    pickle.dumps(model)


@pytest.fixture(scope="module")
def fitted():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {pair: fit(*pair) for pair in KINDS}


def check(model, problem, kind, is_fitted):
    """Fit a model, and ask it, as a user would."""
    form, X, y, weight, new = problem
    before = state(model)
    more = {} if y is None else {"y": y}
    if weight is not None and hasattr(model, "set_fit_request"):
        more["sample_weight"] = weight
    try:
        batch = form(X)
        model.fit(batch, **more)
    except (ValueError, TypeError) as error:
        check_refusal(error)
        assert state(model) == before
        if not is_fitted:
            with pytest.raises(NotFittedError):
                check_is_fitted(model)
        return
    check_attributes(model)
    # Samples without weight need not be of a kind that can be learnt from.
    for data in [new] if 0 in (weight or ()) else [X, new]:
        try:
            found = answers(model, form(data))
        except (ValueError, TypeError) as error:
            assert data is new, error
            check_refusal(error)
        else:
            check_answers(found, data, kind)


@pytest.mark.parametrize(("name", "kind"), KINDS)
def test_a_clear_error_or_a_sound_model(name, kind, fitted):
    case = CASES[name]

    @profile
    @given(params=options(case), problem=problems(kind), again=st.booleans())
    def run(params, problem, again):
        model = clone(case.make)
        if again:  # a fitted model that is fitted to other data
            model = pickle.loads(pickle.dumps(fitted[name, kind]))
        model.set_params(**params)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            check(model, problem, kind, is_fitted=again)
        numeric = [w for w in told if issubclass(w.category, RuntimeWarning)]
        assert not [str(w) for w in numeric if "skstruct" in w.filename]
        assert len(told) < 10

    run()
