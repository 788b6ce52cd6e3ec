"""Models of independent rows, as those of a clustered table."""

import numpy as np

from skstruct.constraints import Rows
from tests._oracles import log_partition, probabilities


class Table:
    """Models with an arbitrary log-potential for each category of each row.

    ``infer`` is what the projection asks for: posteriors under shifted models. The
    log-partition of a phrase counts each row as often as it occurs, ``most`` times at
    most.
    """

    def __init__(self, sizes, n_states=3, directions=("forward",), most=4):
        rng = np.random.default_rng(0)
        self.directions = directions
        groups = np.repeat(np.arange(len(sizes)), sizes)
        multiplicity = rng.integers(1, 1 + most, len(groups)).astype(float)
        self.layout = Rows(groups, multiplicity, n_states, directions)
        self.scores = [
            2 * rng.standard_normal((len(groups), n_states)) for _ in directions
        ]

    def infer(self, shifts):
        rows = self.layout
        expectations, log_partitions = [], []
        for scores, shift in zip(self.scores, shifts, strict=True):
            shifted = scores + shift.reshape(scores.shape)
            expectations.append(np.concatenate([probabilities(s) for s in shifted]))
            of_rows = rows.multiplicity * [log_partition(s) for s in shifted]
            log_partitions.append(np.bincount(rows.groups, of_rows))
        return expectations, log_partitions
