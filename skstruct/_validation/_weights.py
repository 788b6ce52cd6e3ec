"""Weights of samples."""

import numpy as np

__all__ = ["check_sample_weight"]

# Sums of weighted counts must stay finite.
_LARGEST_WEIGHT = 1e100


def check_sample_weight(sample_weight, n, *, allow_all_zero=False):
    """One finite weight for each of ``n`` samples.

    Parameters
    ----------
    sample_weight : array-like of shape (n,), float or None
        A number is the weight of every sample; None stands for 1.
    n : int
        The number of samples (sequences).
    allow_all_zero : bool, default=False
        Whether all samples may be left out.

    Returns
    -------
    ndarray of shape (n,), dtype float64

    Raises
    ------
    ValueError
        If the shape is wrong, a weight is negative or not finite, or all are zero
        where that is not allowed.
    """
    if sample_weight is None:
        return np.ones(n)
    try:
        weight = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"sample_weight must be numbers, one for each of the {n} samples."
        ) from error
    if weight.ndim == 0:
        weight = np.full(n, weight)
    if weight.shape != (n,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}, but there are {n} samples; give "
            "one weight for each sample (sequence), shape (n_samples,)."
        )
    bad = np.flatnonzero(~((weight >= 0) & (weight <= _LARGEST_WEIGHT)))
    if bad.size:
        raise ValueError(
            f"sample_weight of sample {bad[0]} is {weight[bad[0]]}; weights are "
            f"finite, not negative and at most {_LARGEST_WEIGHT:g}."
        )
    if n and not allow_all_zero and not weight.any():
        raise ValueError("sample_weight must hold at least one non-zero weight.")
    return weight
