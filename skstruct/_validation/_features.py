"""The number and names of features."""

from sklearn.utils.validation import validate_data

__all__ = ["check_features"]


def check_features(estimator, X, batch, *, reset):
    """Keep or compare the number and names of features, as scikit-learn does.

    Parameters
    ----------
    estimator : estimator
        Gets ``n_features_in_``, and ``feature_names_in_`` from columns with names.
    X : object
        The data as the user gave it.
    batch : Ragged
        The data as `read_batch` gave it; tokens without features are not counted.
    reset : bool
        True in ``fit``; otherwise a difference from ``fit`` raises.

    Raises
    ------
    ValueError
        If the features differ from those in ``fit``.
    """
    if batch.values.ndim == 2:
        # Only frames have names; the values of other forms tell the number.
        named = X if hasattr(X, "columns") else batch.header
        named = batch.values if named is None else named
        validate_data(estimator, named, reset=reset, skip_check_array=True)
