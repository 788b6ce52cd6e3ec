"""States of word types: what a dictionary allows, what most tokens of a word have."""

from skstruct.containers import Vocabulary
from skstruct.kernels._sums import sum_rows

__all__ = ["WordStates", "allowed_states"]


def allowed_states(dictionary, batch):
    """States that a dictionary allows each token, bool of shape (T, K).

    Parameters
    ----------
    dictionary : TagDictionary
        States of words.
    batch : Ragged
        Tokens.
    """
    if batch.values.ndim != 1:
        raise ValueError(
            "tag_dictionary lists states of words, but X holds vectors without "
            "tokens; give the words by Ragged.from_arrays(values, offsets, "
            "tokens=words)."
        )
    words = Vocabulary.learn(batch.values, batch.offsets)
    return dictionary.allowed(words.symbols)[words.codes(batch.values)]


class WordStates:
    """The state in which each word is expected most often.

    Parameters
    ----------
    tokens : ndarray of shape (T,)
        Training tokens.
    node : ndarray of shape (T, K)
        Their expected states.
    """

    def __init__(self, tokens, node):
        self._words = Vocabulary.learn(tokens)
        votes = sum_rows(self._words.codes(tokens), node, len(self._words))
        self._states = votes.argmax(axis=1)

    def overrule(self, codes, tokens):
        """States of tokens, with that of its word for each word known."""
        numbers = self._words.codes(tokens)
        known = numbers < len(self._words)
        out = codes.copy()
        out[known] = self._states[numbers[known]]
        return out
