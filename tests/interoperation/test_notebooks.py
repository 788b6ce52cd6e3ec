"""What scikit-learn's notebook views and set_output do with our estimators."""

import re
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from sklearn import config_context
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skstruct import ConditionalRandomField, Ragged, _base, estimators, featurizers
from skstruct.featurizers import PerToken, PhraseExtractor, TokenFeaturizer
from tests.conftest import ROOT

TEXT = [["the", "dog", "barked"], ["a", "cat"]]
NAMES = [*estimators.__all__, *featurizers.__all__]
MODELS = [
    getattr(module, name)()
    for module in (estimators, featurizers)
    for name in module.__all__
    if hasattr(getattr(module, name), "get_params") and name != "PerToken"
]
each = pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)


@pytest.fixture
def urls(monkeypatch):
    """Addresses that the metadata of the package name, for the test to fill."""
    urls = []

    class Metadata:
        def get_all(self, key, otherwise):
            return urls if key == "Project-URL" and urls else otherwise

    monkeypatch.setattr(metadata, "metadata", lambda name: Metadata())
    _base._documentation.cache_clear()
    yield urls
    _base._documentation.cache_clear()


def links(model):
    return re.findall(r'href="(http[^"#]*)', model._repr_html_())


@each
def test_no_link_where_no_address_is_known(model, urls):
    assert links(model) == []


@each
def test_links_lead_to_pages_of_the_reference(model, urls):
    urls += ["Source, https://example.org", "Documentation, https://docs.example.org/"]
    name = type(model).__name__
    page = f"https://docs.example.org/api/skstruct.estimators.{name}.html"
    assert set(links(model)) <= {page}
    if hasattr(estimators, name):
        assert links(model)
        reference = Path(ROOT, "doc", "api.rst").read_text(encoding="utf-8")
        section = reference.split("currentmodule:: skstruct.estimators\n")[1]
        assert name in section.split("..")[1].split()


def test_links_of_scikit_learn_stay_its_own(urls):
    model = make_pipeline(StandardScaler(), ConditionalRandomField())
    assert links(model)
    assert all("scikit-learn.org" in link for link in links(model))


def test_not_installed(monkeypatch):
    def fail(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "metadata", fail)
    _base._documentation.cache_clear()
    assert links(ConditionalRandomField()) == []
    _base._documentation.cache_clear()


@pytest.mark.parametrize("output", ["pandas", "polars", "default"])
@pytest.mark.parametrize(
    ("featurizer", "X"),
    [
        (TokenFeaturizer(), TEXT),
        (PhraseExtractor(), TEXT),
        (PerToken(str.lower), TEXT),
        (PerToken(StandardScaler()), [np.eye(3), np.ones((2, 3))]),
    ],
    ids=["tokens", "phrases", "function", "scaler"],
)
def test_batches_stay_batches(featurizer, X, output):
    with config_context(transform_output=output):
        found = featurizer.fit_transform(X)
    assert isinstance(found, Ragged)
    assert len(found) == len(X)


def test_set_output_is_not_there():
    assert not hasattr(TokenFeaturizer(), "set_output")
    model = make_pipeline(TokenFeaturizer(), ConditionalRandomField())
    with pytest.raises(ValueError, match="Unable to configure output"):
        model.set_output(transform="pandas")


def test_fitted_views_show_attributes(urls):
    model = ConditionalRandomField().fit(TEXT, [["D", "N", "V"], ["D", "N"]])
    assert "transition_coef_" in model._repr_html_()
