"""Sentence pairs with their links, for notebooks."""

from typing import Self

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from skstruct._validation import as_links, read_bitext_batch
from skstruct.inspection._html import TextView, colour, escaped
from skstruct.inspection._kinds import check_aligner

__all__ = ["AlignedText"]


class AlignedText(TextView):
    """Sentences over their translations, linked words in one colour, for a notebook.

    Words that links join have one colour and one number; words without a link have
    none. With gold links, the sure ones that were missed and the links that are not
    gold are listed below.

    Parameters
    ----------
    X : Bitext or list-like of (source tokens, target tokens)
        Pairs of sentences.
    y_pred : Ragged or list-like of links
        Links of each pair, as ``predict`` gives them.
    y_true : Ragged or list-like of links, default=None
        Gold links, None where those of a pair are unknown.
    max_samples : int, default=20
        How many pairs are shown.

    Raises
    ------
    ValueError
        If links are out of range, or not given for each pair; the message names it.

    See Also
    --------
    AlignmentDisplay : One pair as a matrix, with probabilities.

    Notes
    -----
    Text runs in the direction of its script, and is escaped. The view needs no
    JavaScript; ``_repr_html_()`` is its source.

    Examples
    --------
    >>> from skstruct.inspection import AlignedText
    >>> X = [(["the", "dog", "barks"], ["canis", "latrat"])]
    >>> AlignedText(X, [[(1, 0), (2, 1)]])
    AlignedText(1 sample)
    """

    def __init__(self, X, y_pred, *, y_true=None, max_samples=20):
        self.X, self.y_pred, self.y_true = X, y_pred, y_true
        self.max_samples = max_samples
        self._bitext, _ = read_bitext_batch(X)
        self._n_samples = len(self._bitext)
        self._links = as_links(y_pred, self._bitext, "y_pred")
        self._gold = None
        if y_true is not None:
            self._gold = as_links(y_true, self._bitext, "y_true")

    @classmethod
    def from_estimator(cls, estimator, X, y=None, *, max_samples=20) -> Self:
        """Show how a fitted aligner aligns.

        Parameters
        ----------
        estimator : fitted aligner
            Such as :class:`~skstruct.HMMAligner`.
        X : Bitext or list-like of (source tokens, target tokens)
            Pairs of sentences.
        y : Ragged or list-like of links, default=None
            Gold links, None where those of a pair are unknown.
        max_samples : int, default=20
            How many pairs are shown.

        Returns
        -------
        AlignedText

        Raises
        ------
        TypeError
            If the estimator has states, classes or clusters: it is no aligner.
        """
        check_aligner(estimator)
        return cls(X, estimator.predict(X), y_true=y, max_samples=max_samples)

    def _samples(self):
        for i in range(min(self._n_samples, self.max_samples)):
            source, target = self._bitext[i]
            links = _of_pair(self._links, i)
            groups = _groups(links, len(source), len(target))
            yield '<div class="pair">'
            yield _sentence(source, groups[: len(source)], i)
            yield _sentence(target, groups[len(source) :], "")
            if self._gold is not None and self._gold.known[i]:
                yield from self._errors(i, links, source, target)
            yield "</div>"

    def _errors(self, i, links, source, target):
        """Sure gold links that were missed, and links that are not gold."""
        found, gold = set(map(tuple, links)), _of_pair(self._gold, i)
        sure = self._gold.sure[self._gold.pair == i]
        missed = [link for link in map(tuple, gold[sure]) if link not in found]
        wrong = sorted(found - set(map(tuple, gold)))
        for what, wanted in (("missed", missed), ("wrong", wrong)):
            if wanted:
                pairs = (
                    f"<bdi>{escaped(source[s])}</bdi>&ndash;<bdi>{escaped(target[t])}</bdi>"
                    for s, t in wanted
                )
                yield f"<p><small>{what}: {', '.join(pairs)}</small></p>"


def _of_pair(links, i):
    own = links.pair == i
    return np.column_stack([links.source[own], links.target[own]])


def _groups(links, n_source, n_target):
    """Number, from 1, of the group of each word that links join; 0 without links."""
    n = n_source + n_target
    source, target = links[:, 0], links[:, 1] + n_source
    graph = coo_array((np.ones(len(links)), (source, target)), shape=(n, n))
    _, component = connected_components(graph, directed=False)
    linked = np.zeros(n, dtype=bool)
    linked[source] = linked[target] = True
    groups = np.zeros(n, dtype=np.intp)
    # By the order of their first words, so that neighbours differ in colour.
    order = dict.fromkeys(component[linked].tolist())
    number = {c: k for k, c in enumerate(order, 1)}
    groups[linked] = [number[c] for c in component[linked].tolist()]
    return groups


def _sentence(words, groups, number):
    tokens = [f"<bdi>{number}</bdi>"]
    for word, group in zip(words, groups.tolist(), strict=True):
        style = f' style="background: {colour(group)}"' if group else ""
        below = group or "&nbsp;"
        tokens.append(f"<span{style}>{escaped(word)}<bdi>{below}</bdi></span>")
    return f'<p dir="auto">{"".join(tokens)}</p>'
