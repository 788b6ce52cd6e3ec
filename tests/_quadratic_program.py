"""Small dense convex quadratic programs by an interior-point method."""

import numpy as np


def solve_qp(diagonal, linear, G, h, A, b, n_iter=100):
    """min x^T diag x / 2 + linear x with G x <= h and A x = b: x, multipliers of G.

    Mehrotra's predictor and corrector. The best of all iterates counts, as the last
    ones may be spoilt by rounding; callers check their own duality gap.
    """
    x, y, z = np.zeros(len(linear)), np.zeros(len(b)), np.ones(len(h))
    s = np.maximum(h - G @ x, 1.0)
    least, best = np.inf, (x, z)
    for _ in range(n_iter):
        mu = s @ z / len(h)
        residuals = diagonal * x + linear + G.T @ z + A.T @ y, G @ x + s - h, A @ x - b
        error = max(s @ z, *(abs(r).max(initial=0) for r in residuals))
        if error < least:
            least, best = error, (x, z)
        if error < 1e-10 or mu < 1e-12:
            break
        system = _system(diagonal, G, A, z / s)
        _, _, ds, dz = _direction(system, residuals, G, s, z, s * z)
        reach = min(_longest(s, ds), _longest(z, dz))
        aimed = (s + reach * ds) @ (z + reach * dz) / len(h)
        centre = max((aimed / mu) ** 3, 1e-3) * mu
        dx, dy, ds, dz = _direction(
            system, residuals, G, s, z, s * z + ds * dz - centre
        )
        reach = 0.995 * min(_longest(s, ds), _longest(z, dz))
        x, y, s, z = x + reach * dx, y + reach * dy, s + reach * ds, z + reach * dz
    return best


def _system(diagonal, G, A, ratio):
    # A little on the diagonal: variables may lack curvature.
    core = np.diag(diagonal + 1e-9) + (G.T * ratio) @ G
    return np.block([[core, A.T], [A, -1e-10 * np.eye(len(A))]])


def _direction(system, residuals, G, s, z, complement):
    dual, primal, equal = residuals
    right = -dual - G.T @ ((z * primal - complement) / s)
    move = np.linalg.solve(system, np.append(right, -equal))
    dx, dy = move[: len(dual)], move[len(dual) :]
    ds = -primal - G @ dx
    return dx, dy, ds, -(complement + z * ds) / s


def _longest(x, dx):
    down = dx < 0
    return min(1.0, (-x[down] / dx[down]).min(initial=np.inf))
