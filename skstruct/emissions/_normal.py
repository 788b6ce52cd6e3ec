"""Log-densities and expected moments of normal distributions, in chunks of rows.

Rows (T, d) are centred and scaled chunk by chunk; means and covariances are those of
the scaled rows. NaN is a missing feature.
"""

import numpy as np
from scipy.linalg import solve_triangular

__all__ = [
    "dense_moments",
    "diagonal_moments",
    "log_density_dense",
    "log_density_diagonal",
]

# Entries of a temporary: small enough for the cache, and no (T, K, d) array.
_CHUNK = 1 << 17
_LOG_2PI = np.log(2 * np.pi)


def log_density_diagonal(rows, centre, scale, means, variances):
    """Log-density of each row in each state, covariances diagonal (K, d)."""
    out = np.empty((len(rows), len(means)))
    log_norms = _LOG_2PI + np.log(variances) + 2 * np.log(scale)
    for part in _chunks(rows):
        scaled = (rows[part] - centre) / scale
        seen = ~np.isnan(scaled)
        squares = np.empty((len(scaled), len(means)))
        for k in range(len(means)):
            deviations = np.where(seen, scaled - means[k], 0.0)
            squares[:, k] = deviations**2 @ (1 / variances[k])
        out[part] = -0.5 * (squares + seen.astype(float) @ log_norms.T)
    return out


def diagonal_moments(rows, counts, centre, scale, means, variances):
    """Weights, sums and sums of squares of what was observed, each (K, d)."""
    weight, first, second = np.zeros((3, *means.shape))
    for part in _chunks(rows):
        scaled = (rows[part] - centre) / scale
        seen = ~np.isnan(scaled)
        scaled = np.where(seen, scaled, 0.0)
        weight += counts[part].T @ seen.astype(float)
        first += counts[part].T @ scaled
        second += counts[part].T @ scaled**2
    return weight, first, second


def log_density_dense(rows, centre, scale, means, covariances):
    """Log-density of each row in each state, covariances full (K, d, d)."""
    out = np.empty((len(rows), len(means)))
    for ids, seen in _patterns(rows):
        some = means[:, seen], covariances[:, seen][:, :, seen]
        factors = np.linalg.cholesky(some[1])
        log_norm = seen.sum() * _LOG_2PI + 2 * np.log(scale[seen]).sum()
        log_norms = log_norm + 2 * np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(
            axis=1
        )
        whiteners = [solve_triangular(f, np.eye(len(f)), lower=True).T for f in factors]
        for part in _chunks(rows, ids):
            scaled = ((rows[part] - centre) / scale)[:, seen]
            for k, whitener in enumerate(whiteners):
                white = (scaled - some[0][k]) @ whitener
                squares = np.einsum("td,td->t", white, white)
                out[part, k] = -0.5 * (squares + log_norms[k])
    return out


def dense_moments(rows, counts, centre, scale, means, covariances):
    """Weights (K,), expected sums (K, d) and sums of products (K, d, d)."""
    first, second = np.zeros(means.shape), np.zeros(covariances.shape)
    for ids, seen in _patterns(rows):
        gains, spreads = _conditionals(covariances, seen)
        for part in _chunks(rows, ids):
            scaled = (rows[part] - centre) / scale
            for k in range(len(means)):
                if not seen.all():
                    deviations = scaled[:, seen] - means[k, seen]
                    scaled[:, ~seen] = means[k, ~seen] + deviations @ gains[k]
                weighted = scaled * counts[part, k][:, None]
                first[k] += weighted.sum(axis=0)
                second[k] += weighted.T @ scaled
                second[k] += counts[part, k].sum() * spreads[k]
    return counts.sum(axis=0), first, second


def _conditionals(covariances, seen):
    """Regression of missing on seen features, and the covariance that it leaves."""
    gone = ~seen
    across = covariances[:, seen][:, :, gone]
    gains = np.linalg.solve(covariances[:, seen][:, :, seen], across)
    spreads = np.zeros(covariances.shape)
    left = covariances[:, gone][:, :, gone] - across.transpose(0, 2, 1) @ gains
    spreads[np.ix_(np.arange(len(spreads)), gone, gone)] = left
    return gains, spreads


def _patterns(rows):
    """Rows (None: all) for each set of features that are seen together."""
    missing = np.isnan(rows)
    if not missing.any():
        return [(None, np.ones(rows.shape[1], dtype=bool))]
    distinct, which = np.unique(missing, axis=0, return_inverse=True)
    which = which.ravel()
    return [(np.flatnonzero(which == i), ~m) for i, m in enumerate(distinct)]


def _chunks(rows, ids=None):
    size = max(_CHUNK // rows.shape[1], 1)
    if ids is None:
        return [slice(i, i + size) for i in range(0, len(rows), size)]
    return [ids[i : i + size] for i in range(0, len(ids), size)]
