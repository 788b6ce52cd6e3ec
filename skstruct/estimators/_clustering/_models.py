"""Which mixtures explain the rows of a table, for each kind of agreement."""

import numpy as np

from skstruct.estimators._clustering._mixture import ConditionalMixture
from skstruct.kernels._softmax import softmax_rows

__all__ = ["RowModels"]


class Keys:
    """Numbers what is classified: kept training keys first, all others alike.

    Parameters
    ----------
    kept : ndarray of shape (P,)
        Keys of the training rows, sorted.
    """

    def __init__(self, kept):
        self.kept = np.unique(kept)

    def __len__(self):
        return len(self.kept)

    def find(self, keys):
        """Number of each key; P for a new one."""
        at = np.minimum(np.searchsorted(self.kept, keys), max(len(self) - 1, 0))
        if not len(self):
            return np.zeros(len(keys), dtype=np.intp)
        return np.where(self.kept[at] == keys, at, len(self))


class _Reader:
    """Key and slots of rows, by the columns of a view."""

    def __init__(self, view, encoder):
        self.view = view
        self.sizes = encoder.sizes(view.slots)

    def learn(self, codes):
        self.keys = Keys(self._key(codes))

    def _key(self, codes):
        return codes[:, self.view.key]

    def read(self, codes):
        slots = [np.ascontiguousarray(codes[:, s]) for s in self.view.slots]
        return self.keys.find(self._key(codes)), slots


class _ReverseReader(_Reader):
    """Contexts are classified, by first and last word of the phrase."""

    def __init__(self, view, encoder):
        super().__init__(view, encoder)
        names = [str(n).split(" ") for n in encoder.columns[view.key].names.tolist()]
        self._ends, self.sizes = [], []
        for end in (0, -1):
            known = {}
            ends = [known.setdefault(words[end], len(known)) for words in names]
            # A phrase that is new has a word of its own there.
            self._ends.append(np.array([*ends, len(known)]))
            self.sizes.append(len(known))
        self._bases = [len(encoder.columns[s].names) + 1 for s in view.slots]

    def _key(self, codes):
        key = np.zeros(len(codes), dtype=object if self._is_large() else np.int64)
        for slot, base in zip(self.view.slots, self._bases, strict=True):
            key = key * base + codes[:, slot]
        return key

    def _is_large(self):
        return np.prod(self._bases, dtype=float) > 2**62

    def read(self, codes):
        phrase = codes[:, self.view.key]
        return self.keys.find(self._key(codes)), [end[phrase] for end in self._ends]


class RowModels:
    """One mixture, or two that agree.

    Parameters
    ----------
    views : list of View
        The columns of the first, and with agreement of views of the second model.
    direction : bool
        Whether a reverse model of the first view is the second one.
    encoder : TableEncoder
        It has learnt the columns.
    alpha : float
        Added to the counts of contexts.
    """

    def __init__(self, views, direction, encoder, alpha):
        self.readers = [_Reader(view, encoder) for view in views]
        if direction:
            self.readers.append(_ReverseReader(views[0], encoder))
        self.alpha = alpha

    def learn(self, rows):
        """Get ready for training rows."""
        self.mixtures = []
        for reader in self.readers:
            reader.learn(rows.codes)
            key, slots = reader.read(rows.codes)
            sizes = [len(reader.keys), *reader.sizes]
            self.mixtures.append(ConditionalMixture(key, slots, sizes, self.alpha))

    def update(self, weighted):
        """Maximise expected log-likelihoods; ``weighted`` are posteriors (N, K)."""
        for mixture in self.mixtures:
            mixture.update(weighted)

    def posterior(self, weight):
        """Posteriors (N, K) of the training rows, and the sum that they maximise."""
        return _posterior([m.log_joint(m.key, m.slots) for m in self.mixtures], weight)

    def log_prior(self):
        """Log of the priors, but for a constant."""
        return sum(mixture.log_prior for mixture in self.mixtures)

    def predict(self, codes):
        """Posteriors of any rows, (n, K)."""
        joint = [
            mixture.log_joint(*reader.read(codes))
            for mixture, reader in zip(self.mixtures, self.readers, strict=True)
        ]
        return _posterior(joint, np.zeros(len(codes)))[0]

    def score(self, codes):
        """Log-likelihood of the contexts of each row, by the first model."""
        joint = self.mixtures[0].log_joint(*self.readers[0].read(codes))
        return softmax_rows(joint)


def _posterior(joint, weight):
    r"""Posteriors from log-joint probabilities of one or two models.

    Two agree on :math:`q \propto \sqrt{P_1 P_2}`, which maximises the sum over rows of
    :math:`2 \log \sum_z \sqrt{p_1(x, z) p_2(x, z)}`.
    """
    shared = joint[0] if len(joint) == 1 else sum(joint) / 2
    totals = softmax_rows(shared)
    return shared, len(joint) * float(np.dot(weight, totals))
