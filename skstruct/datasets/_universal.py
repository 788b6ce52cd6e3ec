"""From the tags of a treebank to coarse universal ones."""

import os
from collections.abc import Mapping

import numpy as np

from skstruct.containers import Ragged
from skstruct.containers._batch import locate
from skstruct.datasets._lines import bad_line, read_lines

__all__ = ["to_universal_tags"]

_SAME = ("VERB", "NOUN", "PRON", "ADJ", "ADV", "ADP", "CONJ", "DET", "NUM", "PRT", "X")
_PETROV12 = {tag: tag for tag in (*_SAME, ".")}
_BUILT_IN = {
    "ud-petrov12": _PETROV12
    | {"AUX": "VERB", "PROPN": "NOUN", "CCONJ": "CONJ", "SCONJ": "CONJ"}
    | {"PART": "PRT", "PUNCT": ".", "INTJ": "X", "SYM": "X"},
    "turkish-petrov12": _PETROV12 | {"PUNCT": ".", "ONOM": "X", "AFFIX": "X"},
}


def to_universal_tags(y, mapping):
    """Replace every tag by a coarser one.

    Parameters
    ----------
    y : Ragged or list-like of sequences of tags
        None, an unknown tag, stays None.
    mapping : dict, {"ud-petrov12", "turkish-petrov12"} or path-like
        From tag to tag: a dict; a built-in table; or a file of lines
        ``TAG<TAB>UNIVERSAL``, as Petrov, Das and McDonald publish them, gzipped if its
        name ends in ``.gz``. ``"ud-petrov12"`` takes the 17 tags of Universal
        Dependencies to the 12 universal tags (which stay as they are),
        ``"turkish-petrov12"`` those of `load_turkish_treebank`.

    Returns
    -------
    Ragged, list of lists or ndarray of object
        In the form of ``y``.

    Raises
    ------
    ValueError
        If a tag is not in the mapping; the message names tag, sentence and position.
        If the file has a malformed or contradictory line.

    References
    ----------
    S. Petrov, D. Das and R. McDonald (2012). A Universal Part-of-Speech Tagset. LREC.

    Examples
    --------
    >>> from skstruct.datasets import to_universal_tags
    >>> to_universal_tags([["PROPN", "AUX", "VERB", "PUNCT"]], "ud-petrov12")
    [['NOUN', 'VERB', 'VERB', '.']]
    >>> to_universal_tags([["NNS", "VBD"]], {"NNS": "NOUN", "VBD": "VERB"})
    [['NOUN', 'VERB']]
    """
    table = {**_as_dict(mapping), None: None}
    batch = y if isinstance(y, Ragged) else Ragged(y)
    tags = batch.values.tolist()
    try:
        answer = batch.with_values([table[tag] for tag in tags])
    except KeyError:
        at = next(i for i, tag in enumerate(tags) if tag not in table)
        sentence, position = locate(batch.offsets, at)
        raise ValueError(
            f"Sentence {sentence}, position {position}: the tag "
            f"{tags[at]!r} is not in the mapping; add it to a dict of your own."
        ) from None
    if isinstance(y, Ragged):
        return answer
    if isinstance(y, list | tuple):
        return [sentence.tolist() for sentence in answer]
    return np.asarray(answer)


def _as_dict(mapping):
    if isinstance(mapping, Mapping):
        return mapping
    if isinstance(mapping, str) and mapping in _BUILT_IN:
        return _BUILT_IN[mapping]
    if not (isinstance(mapping, str | os.PathLike) and os.path.isfile(mapping)):
        raise ValueError(
            f"mapping={mapping!r} is neither a dict, nor one of {sorted(_BUILT_IN)}, "
            "nor a file."
        )
    return _read_map(mapping)


def _read_map(path):
    table = {}
    for number, line in read_lines(path):
        if not line.strip():
            continue
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) != 2 or not all(fields):
            raise bad_line(path, number, f"expected TAG<TAB>UNIVERSAL, got {line!r}.")
        tag, universal = fields
        if table.setdefault(tag, universal) != universal:
            raise bad_line(
                path, number, f"{tag!r} is mapped to {table[tag]!r} and {universal!r}."
            )
    return table
