"""Block coordinate descent on an encoder's weights and a reconstruction."""

__all__ = ["block_coordinate_descent"]

# Rounds over which the objective must have stopped to move.
_PATIENCE = 5


def block_coordinate_descent(
    evaluate,
    move,
    reconstruct,
    weights,
    *,
    max_iter,
    tol,
    encoder_steps=1,
    reconstruction_steps=1,
    on_iteration=None,
):
    """Lower a loss of two blocks of variables by a few steps on each in turn.

    The first round moves the encoder only.

    Parameters
    ----------
    evaluate : callable
        ``evaluate(weights)`` returns a tuple that begins with loss and gradient, at
        the present reconstruction.
    move : callable
        ``move(weights, state) -> (weights, state, moved)``: a step on the encoder;
        ``state`` is what ``evaluate`` returned.
    reconstruct : callable
        ``reconstruct(state)``: a step on the reconstruction.
    weights : ndarray
        Where to start.
    max_iter : int
        Bound on the number of rounds.
    tol : float
        Converged when the loss has moved by less than ``tol`` times its size a round,
        on average over five rounds.
    encoder_steps, reconstruction_steps : int
        Steps on each block in a round.
    on_iteration : callable, default=None
        ``on_iteration(iteration, weights, state) -> stop``, after each round.

    Returns
    -------
    weights : ndarray
    state : tuple
        What ``evaluate`` returns at the end.
    converged : bool
    stopped : bool
        Whether ``on_iteration`` asked to stop.

    Examples
    --------
    Rank one of a matrix, u and v in turn:

    >>> import numpy as np
    >>> from skstruct.optim import block_coordinate_descent
    >>> A, v = np.outer([1.0, 2.0], [3.0, 1.0]), np.array([1.0, 0.0])
    >>> def evaluate(u):
    ...     rest = np.outer(u, v) - A
    ...     return (rest**2).sum(), 2 * rest @ v, u
    >>> def move(u, state):
    ...     u = A @ v / (v @ v)
    ...     return u, evaluate(u), True
    >>> def reconstruct(state):
    ...     u = state[2]
    ...     v[:] = u @ A / (u @ u)
    >>> u, state, converged, stopped = block_coordinate_descent(
    ...     evaluate, move, reconstruct, np.ones(2), max_iter=50, tol=1e-6
    ... )
    >>> np.outer(u, v).round(3)
    array([[3., 1.],
           [6., 2.]])
    """
    state = evaluate(weights)
    losses = [state[0]]
    for iteration in range(1, max_iter + 1):
        if iteration > 1:
            for _ in range(reconstruction_steps):
                reconstruct(state)
                state = evaluate(weights)
        for _ in range(encoder_steps):
            weights, state, moved = move(weights, state)
            if not moved:
                break
        losses.append(state[0])
        if on_iteration and on_iteration(iteration, weights, state):
            return weights, state, False, True
        if iteration > _PATIENCE:
            change = abs(losses[-1] - losses[-1 - _PATIENCE])
            if change <= _PATIENCE * tol * abs(losses[-1]):
                return weights, state, True, False
    return weights, state, False, False
