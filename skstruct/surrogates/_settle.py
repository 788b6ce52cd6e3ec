"""A predictor that settles: sweeps of the game, extrapolated sample by sample."""

import numpy as np

from skstruct.kernels._extrapolation import extrapolate

__all__ = ["Settler"]

# Changes from round to round that an extrapolation combines.
_MEMORY = 5
# A value that rises by less, as a share of it, has not risen.
_ROUNDING = 1e-12


class Settler:
    """Moves predictors by sweeps, and by what these have taught.

    Sweeps lower the value of the game from wherever they start, but slowly on long,
    strongly coupled samples. Anderson's extrapolation of them needs no more than the
    predictors that they give; it is safe, as each sample's value says whether it served
    it; and what was learnt of a sample serves nearby games too.

    Parameters
    ----------
    offsets : ndarray of shape (n + 1,)
        First nodes of samples.

    Examples
    --------
    >>> import numpy as np
    >>> from skstruct.structures import Potentials, Tree
    >>> from skstruct.surrogates import Game, Settler
    >>> tree = Tree([0, 2], [[0, 1]], [0, 1])
    >>> p = Potentials(np.array([[1.0, 0.0], [0.0, 0.0]]), np.eye(2))
    >>> game = Game.of(1 - np.eye(2), n_nodes=2)
    >>> predictor = np.full((2, 2), 0.5)
    >>> found, n_rounds = Settler(tree.offsets).settle(
    ...     lambda: tree.game_sweep(p, game, predictor, n_sweeps=2),
    ...     predictor,
    ...     lambda found: found.gap.max() < 1e-6,
    ...     max_rounds=100,
    ... )
    >>> bool(found.gap.max() < 1e-6)
    True
    """

    def __init__(self, offsets):
        self._offsets = offsets
        self._known = np.zeros((_MEMORY, len(offsets) - 1), dtype=bool)
        self._moves = self._changes = None
        self._slot = 0

    def settle(self, sweep, predictor, enough, max_rounds):
        """Sweep until it is enough.

        Parameters
        ----------
        sweep : callable
            ``sweep() -> Sweep`` moves the predictor, best there and back.
        predictor : ndarray of shape (N, K)
            Where it starts; changed in place.
        enough : callable
            ``enough(sweep) -> bool``.
        max_rounds : int
            Bound on the sweeps.

        Returns
        -------
        Sweep
            The last one.
        int
            How many there were.
        """
        start = predictor.copy()
        found = sweep()
        best, reached = found.log_partition.copy(), predictor.copy()
        residual = reached - start
        for n_rounds in range(1, max_rounds + 1):
            if n_rounds == max_rounds or enough(found):
                return found, n_rounds
            self._leap(residual, predictor)
            start[:] = predictor
            found = sweep()
            worse = found.log_partition > best + _ROUNDING * np.abs(best)
            back = np.repeat(worse, np.diff(self._offsets))
            predictor[back] = reached[back]
            last = np.where(back[:, None], residual, predictor - start)
            self._learn(predictor - reached, last - residual, worse)
            np.minimum(best, found.log_partition, out=best)
            reached[:], residual = predictor, last

    def _leap(self, residual, predictor):
        """To where the residuals would vanish, were they linear."""
        if self._known.any():
            args = self._moves, self._changes, residual, predictor
            extrapolate(self._offsets, self._known, *args)

    def _learn(self, move, change, worse):
        """Keep what a round changed; forget all of samples that it served badly."""
        if self._moves is None:
            self._moves, self._changes = np.zeros((2, _MEMORY, *move.shape))
        self._moves[self._slot], self._changes[self._slot] = move, change
        self._known[self._slot] = True
        self._known[:, worse] = False
        self._slot = (self._slot + 1) % _MEMORY
