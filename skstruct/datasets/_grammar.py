"""A small English-Latin grammar that makes sentence pairs and their links."""

from itertools import count
from numbers import Integral
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state, check_scalar

from skstruct.containers import Bitext
from skstruct.datasets import _lexicon as lexicon

__all__ = ["make_bitext"]


def make_bitext(n_pairs=300, *, random_state=None):
    """Draw English sentences, their Latin translations and the links of the words.

    A grammar of some 190 words and their forms writes both sides at once. Latin has no
    articles, puts "of", "to", pronouns and auxiliaries into endings, verbs mostly last
    and adjectives on either side of the noun. Some words are frequent, others rare.

    Parameters
    ----------
    n_pairs : int, default=300
        The number of sentence pairs.
    random_state : int, RandomState or None, default=None
        Decides the sentences.

    Returns
    -------
    X : Bitext
        ``n_pairs`` pairs: English beside Latin, with the full stop as a token.
    links : ndarray of object of shape (n_pairs,)
        Int arrays (n_links, 3): English token, Latin token, and 1 for sure or 0 for
        possible. Articles and the "do" of negations are possible links of their noun
        and verb.

    See Also
    --------
    read_bitext : Real sentence pairs.

    Examples
    --------
    >>> from skstruct.datasets import make_bitext
    >>> X, links = make_bitext(3, random_state=0)
    >>> [" ".join(side) for side in X[0]]
    ['the queen left the famous walls .', 'regina reliquit claros muros .']
    >>> links[0][:4].tolist()
    [[0, 0, 0], [1, 0, 1], [2, 1, 1], [3, 3, 0]]
    """
    check_scalar(n_pairs, "n_pairs", Integral, min_val=0)
    rng = check_random_state(random_state)
    pairs, links = [], np.empty(n_pairs, dtype=object)
    for i in range(n_pairs):
        english, foreign = _Speaker(rng).sentence()
        pairs.append(([t.word for t in english], [t.word for t in foreign]))
        links[i] = np.array(_links(english, foreign), dtype=np.intp)
    return Bitext(pairs), links


def _links(english, foreign):
    """(English token, Latin token, 1 if sure) where both say the same."""
    return [
        (i, j, int(a.sure))
        for i, a in enumerate(english)
        for j, b in enumerate(foreign)
        if a.concept == b.concept
    ]


class _Token(NamedTuple):
    """A word and the concept that it shares with its partners on the other side."""

    word: str
    concept: int
    sure: bool = True


class _Phrase(NamedTuple):
    """A part of a sentence on both sides, and what agrees with it."""

    english: list
    latin: list
    concept: int
    kind: str = ""
    person: int = 2
    gender: str = "m"


class _Speaker:
    """Says one sentence in both languages, with each noun at most once."""

    def __init__(self, rng):
        self.rng = rng
        self.numbers = count()
        self.said = set()

    def chance(self, p):
        return self.rng.random_sample() < p

    def pick(self, items):
        """One of the items; the first ones are the frequent ones."""
        return items[int(len(items) * self.rng.random_sample() ** 2)]

    def word(self, english, foreign):
        """The same in both languages, as tokens of a new concept."""
        concept = next(self.numbers)
        return _Phrase(_tokens(english, concept), _tokens(foreign, concept), concept)

    def sentence(self):
        english, foreign = self.clause()
        stop = self.word(".", ".")
        if self.chance(0.25):
            link = self.word(*self.pick(lexicon.CONJUNCTIONS))
            second = self.clause()
            english += link.english + second[0]
            foreign += link.latin + second[1]
        return english + stop.english, foreign + stop.latin

    def clause(self):
        verb = lexicon.BE if self.chance(0.15) else self.pick(lexicon.VERBS)
        tense, concept = self.pick(verb.tenses), next(self.numbers)
        subject = self.subject(verb.subjects, concept)
        negation, adverb = self.word("", ""), self.word("", "")
        if self.chance(0.15):
            negation = self.word("not", "non")
        elif self.chance(0.25):
            adverb = self.word(*self.pick(lexicon.ADVERBS))
        if verb is lexicon.BE:
            rest = [self.predicate(subject)]
        else:
            rest = self.complements(verb)
        auxiliary, is_sure, main = verb.english(
            tense, subject.person, negated=bool(negation.english)
        )
        english = [
            *subject.english,
            *_tokens(auxiliary, concept, is_sure),
            *negation.english,
            *adverb.english,
            *_tokens(main, concept),
            *(token for phrase in rest for token in phrase.english),
        ]
        foreign = [part.latin for part in (subject, *rest, adverb) if part.latin]
        if self.chance(0.25):
            self.rng.shuffle(foreign)
        place = 1 if self.chance(0.2) else len(foreign)
        form = _tokens(verb.latin(tense, subject.person), concept)
        foreign.insert(place, negation.latin + form)
        return english, [token for part in foreign for token in part]

    def subject(self, kinds, verb):
        if self.chance(0.3):
            word, person, gender = self.pick(lexicon.PRONOUNS)
            # Latin says it by the ending of the verb.
            return _Phrase(_tokens(word, verb), [], verb, "p", person, gender)
        first = self.noun_phrase(kinds, lexicon.NOMINATIVE)
        if not self.chance(0.12):
            return first
        second, link = self.noun_phrase("p", lexicon.NOMINATIVE), self.word("and", "et")
        return _Phrase(
            first.english + link.english + second.english,
            first.latin + link.latin + second.latin,
            link.concept,
            first.kind,
            4,
            first.gender if first.gender == second.gender else "m",
        )

    def predicate(self, subject):
        """An adjective that is said of the subject."""
        suited = [a for a in lexicon.ADJECTIVES if subject.kind in a.kinds]
        adjective, number = self.pick(suited), int(subject.person > 2)
        form = adjective.latin(subject.gender, lexicon.NOMINATIVE, number)
        return self.word(adjective.english, form)

    def complements(self, verb):
        """Objects, and where or with whom it happens."""
        phrases = []
        if kinds := verb.objects.strip("+-"):
            phrases.append(self.noun_phrase(kinds, lexicon.ACCUSATIVE))
        if "+" in verb.objects:
            given = self.noun_phrase("p", lexicon.DATIVE)
            to = _tokens("to", given.concept)
            phrases.append(given._replace(english=to + given.english))
        if self.chance(0.3 if phrases else 0.6):
            phrases.append(self.prepositional_phrase())
        return phrases

    def prepositional_phrase(self):
        english, foreign, case, kinds = self.pick(lexicon.PREPOSITIONS)
        phrase = self.noun_phrase(kinds, case)
        if foreign == "ab" and phrase.latin[0].word[0] not in "aeiouh":
            foreign = "a"
        word = self.word(english, foreign)
        return phrase._replace(
            english=word.english + phrase.english, latin=word.latin + phrase.latin
        )

    def noun_phrase(self, kinds, case, *, owned=True):
        nouns = [n for n in lexicon.NOUNS if n.kind in kinds and n not in self.said]
        noun = self.pick(nouns)
        self.said.add(noun)
        is_name = noun.english[0].istitle()
        number = int(not is_name and self.chance(0.35))
        word = self.word(noun.english[number], noun.latin(case, number))
        phrase = word._replace(
            kind=noun.kind, person=4 if number else 2, gender=noun.gender
        )
        if is_name:
            return phrase
        if self.chance(0.35):
            suited = [a for a in lexicon.ADJECTIVES if noun.kind in a.kinds]
            before = self.chance(0.4)
            phrase = self.agree(phrase, self.pick(suited), case, before=before)
        if owned and self.chance(0.15):
            return self.with_owner(phrase)
        return self.with_determiner(phrase, case)

    def agree(self, phrase, adjective, case, *, before):
        """Put an adjective before the English, and beside the Latin noun."""
        number = int(phrase.person > 2)
        form = adjective.latin(phrase.gender, case, number)
        word = self.word(adjective.english, form)
        foreign = [word.latin, phrase.latin] if before else [phrase.latin, word.latin]
        return phrase._replace(
            english=word.english + phrase.english, latin=foreign[0] + foreign[1]
        )

    def with_determiner(self, phrase, case):
        if self.chance(0.12):
            possessive = self.pick(lexicon.POSSESSIVES)
            return self.agree(phrase, possessive, case, before=False)
        if phrase.person > 2 and self.chance(0.3):
            number = self.pick(lexicon.NUMBERS)
            return self.agree(phrase, number, case, before=True)
        return self.with_article(phrase)

    def with_article(self, phrase):
        article = "the"
        if self.chance(0.35):
            is_vowel = phrase.english[0].word[0] in "aeiou"
            article = "" if phrase.person > 2 else "an" if is_vowel else "a"
        tokens = _tokens(article, phrase.concept, sure=False)
        return phrase._replace(english=tokens + phrase.english)

    def with_owner(self, phrase):
        """A genitive: after the noun, or before it."""
        owner = self.noun_phrase("p", lexicon.GENITIVE, owned=False)
        if owner.person == 2 and self.chance(0.5):
            of = _tokens("'s", owner.concept)
            return phrase._replace(
                english=owner.english + of + phrase.english,
                latin=owner.latin + phrase.latin,
            )
        of = _tokens("of", owner.concept)
        phrase = self.with_article(phrase)
        return phrase._replace(
            english=phrase.english + of + owner.english,
            latin=phrase.latin + owner.latin,
        )


def _tokens(words, concept, sure=True):
    return [_Token(word, concept, sure) for word in words.split()]
