"""Models on dask: predictions as delayed calls, fits and searches on a cluster."""

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_array_equal
from sklearn.model_selection import GridSearchCV

from skstruct import AnnealedHMM, ConditionalRandomField
from skstruct.datasets import make_hmm_sequences, make_labelled_graphs
from skstruct.metrics import v_measure_scorer

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def client():
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def sequences():
    return make_hmm_sequences(20, n_states=2, length=8, random_state=0)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_predict_as_delayed_calls(sequences, scheduler):
    X, _ = sequences
    model = AnnealedHMM(2, random_state=0).fit(X)
    parts = [dask.delayed(model.predict)(X[i : i + 5]) for i in range(0, 20, 5)]
    found = dask.compute(*parts, scheduler=scheduler)
    expected = model.predict(X)
    assert_array_equal(np.concatenate([part.values for part in found]), expected.values)


def test_predict_on_a_cluster(client, sequences):
    X, _ = sequences
    model = AnnealedHMM(2, random_state=0).fit(X)
    sent = client.scatter(model)
    future = client.submit(lambda m, x: m.predict(x), sent, X)
    assert_array_equal(future.result().values, model.predict(X).values)


def test_fit_and_search_on_a_cluster(client, sequences):
    X, y = sequences
    search = GridSearchCV(
        AnnealedHMM(n_init=2, max_iter=20, tol=0.1, random_state=0),
        {"n_states": [2, 3]},
        scoring=v_measure_scorer,
        cv=2,
    )
    alone = search.fit(X, y).cv_results_["mean_test_score"]
    with parallel_config("dask"):
        found = search.set_params(n_jobs=2).fit(X, y).cv_results_["mean_test_score"]
    assert_array_equal(found, alone)


def test_rows_of_a_dask_array():
    array = pytest.importorskip("dask.array")
    X, y = make_labelled_graphs(8, structure="chain", size=4, random_state=0)
    rows = array.from_array(X.values, chunks=8)
    expected = ConditionalRandomField().fit(X.values, y.values)
    model = ConditionalRandomField().fit(rows, y.values)
    assert_array_equal(model.coef_, expected.coef_)
    assert_array_equal(model.predict(rows), expected.predict(X.values))
