"""Log-densities and expected moments of normal distributions, in chunks of rows.

Rows (T, d) are centred and scaled chunk by chunk; means and covariances are those of
the scaled rows. NaN is a missing feature.
"""

import numpy as np

__all__ = [
    "dense_moments",
    "diagonal_moments",
    "log_density_dense",
    "log_density_diagonal",
]

# Entries of a temporary: small enough for the cache, and no (T, K, d) array.
_CHUNK = 1 << 16
_LOG_2PI = np.log(2 * np.pi)


def log_density_diagonal(rows, centre, scale, means, variances):
    """Log-density of each row in each state, covariances diagonal (K, d)."""
    out = np.empty((len(rows), len(means)))
    log_norms = _LOG_2PI + np.log(variances) + 2 * np.log(scale)
    deviations = np.sqrt(variances)
    for part in _chunks(rows):
        columns = _columns(rows[part], centre, scale)
        seen = ~np.isnan(columns)
        squares = np.empty((len(means), columns.shape[1]))
        for k in range(len(means)):
            white = (columns - means[k][:, None]) / deviations[k][:, None]
            white[~seen] = 0.0
            squares[k] = np.einsum("dt,dt->t", white, white)
        out[part] = -0.5 * (squares + log_norms @ seen.astype(float)).T
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
        factors = np.linalg.cholesky(covariances[:, seen][:, :, seen])
        units = np.diagonal(factors, axis1=1, axis2=2) * scale[seen]
        log_norms = seen.sum() * _LOG_2PI + 2 * np.log(units).sum(axis=1)
        # Batched: SciPy's triangular solve wakes BLAS threads for each tiny matrix.
        whiteners = np.linalg.inv(factors)
        for part in _chunks(rows, ids):
            columns = _columns(rows[part], centre, scale)[seen]
            for k, whitener in enumerate(whiteners):
                white = whitener @ (columns - means[k, seen][:, None])
                squares = np.einsum("dt,dt->t", white, white)
                out[part, k] = -0.5 * (squares + log_norms[k])
    return out


def dense_moments(rows, counts, centre, scale, means, covariances):
    """Weights (K,), expected sums (K, d) and sums of products (K, d, d)."""
    first, second = np.zeros(means.shape), np.zeros(covariances.shape)
    for ids, seen in _patterns(rows):
        gains, spreads = _conditionals(covariances, seen)
        for part in _chunks(rows, ids):
            columns = _columns(rows[part], centre, scale)
            shares = np.ascontiguousarray(counts[part].T)
            for k in range(len(means)):
                if not seen.all():
                    deviations = columns[seen] - means[k, seen][:, None]
                    columns[~seen] = means[k, ~seen][:, None] + gains[k].T @ deviations
                weighted = columns * shares[k]
                first[k] += weighted.sum(axis=1)
                second[k] += weighted @ columns.T
                second[k] += shares[k].sum() * spreads[k]
    return counts.sum(axis=0), first, second


def _columns(rows, centre, scale):
    """Scaled rows, transposed: NumPy is slow along a short last axis."""
    return (np.ascontiguousarray(rows.T) - centre[:, None]) / scale[:, None]


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
