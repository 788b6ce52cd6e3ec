"""The one place that looks at the form in which users give data."""

from skstruct._validation._batches import as_ragged, is_table, read_batch
from skstruct._validation._bitexts import read_bitext_batch
from skstruct._validation._features import check_features
from skstruct._validation._labels import (
    as_classes,
    as_known_labels,
    as_labels,
    is_unknown,
    plain,
    reject_lengths,
)
from skstruct._validation._links import Links, as_links
from skstruct._validation._weights import (
    check_node_weight,
    check_sample_weight,
    read_beside,
)
from skstruct.containers._reading import is_missing

__all__ = [
    "Links",
    "as_classes",
    "as_known_labels",
    "as_labels",
    "as_links",
    "as_ragged",
    "check_features",
    "check_node_weight",
    "check_sample_weight",
    "is_missing",
    "is_table",
    "is_unknown",
    "plain",
    "read_batch",
    "read_beside",
    "read_bitext_batch",
    "reject_lengths",
]
