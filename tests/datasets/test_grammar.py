"""make_bitext: the Latin, the links, the seed."""

from itertools import pairwise

import numpy as np
import pytest

from skstruct._validation import as_links
from skstruct.datasets import _lexicon as lexicon
from skstruct.datasets import make_bitext


@pytest.fixture(scope="module")
def made():
    return make_bitext(400, random_state=7)


def lists(X):
    return [(source.tolist(), target.tolist()) for source, target in X]


def test_one_seed_one_bitext_and_no_other_generator(made):
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    X, links = make_bitext(400, random_state=7)
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    assert lists(X) == lists(made[0])
    assert all(map(np.array_equal, links, made[1]))
    assert lists(make_bitext(5, random_state=8)[0]) != lists(X[:5])


def test_sentences_are_many_and_words_few(made):
    X, _ = made
    assert len({(tuple(s), tuple(t)) for s, t in X}) > 390
    assert X.source.lengths.min() >= 3 and X.source.lengths.max() < 50
    assert 200 < len(set(X.source.values)) < 500
    assert len(set(X.target.values)) > 1.5 * len(set(X.source.values))


def test_every_word_has_a_partner(made):
    X, links = made
    assert links.shape == (400,) and links.dtype == object
    flat = as_links(links, X)
    assert len(flat.pair) == sum(map(len, links))  # nothing twice
    for side, tokens in ((X.source, flat.source), (X.target, flat.target)):
        linked = np.unique(side.offsets[flat.pair] + tokens)
        assert linked.tolist() == list(range(side.n_tokens))
    sure_latin = X.target.offsets[flat.pair] + flat.target
    assert len(np.unique(sure_latin[flat.sure])) == X.target.n_tokens


def test_only_articles_and_do_are_merely_possible(made):
    X, links = made
    flat = as_links(links, X)
    words = X.source.values[X.source.offsets[flat.pair] + flat.source]
    unsure = {"the", "a", "an", "do", "does", "did"}
    assert set(words[~flat.sure]) == unsure
    assert not unsure & set(words[flat.sure])


def partners(X, links, english):
    """Latin words that stand for an English one."""
    flat = as_links(links, X)
    words = X.source.values[X.source.offsets[flat.pair] + flat.source]
    latin = X.target.values[X.target.offsets[flat.pair] + flat.target]
    return set(latin[words == english])


def test_links_join_words_with_their_forms():
    X, links = make_bitext(2000, random_state=0)
    assert partners(X, links, "king") == {"rex", "regis", "regi", "regem", "rege"}
    assert partners(X, links, "two") == {"duo", "duae", "duorum", "duarum", "duos"} | {
        "duas",
        "duobus",
        "duabus",
    }
    assert partners(X, links, "not") == {"non"}
    assert partners(X, links, "from") == {"a", "ab"}
    assert partners(X, links, "sees") == {"videt"}
    assert partners(X, links, "'s") <= {
        noun.latin(lexicon.GENITIVE, 0) for noun in lexicon.NOUNS
    }


def test_articles_and_prepositions_fit_the_next_word():
    X, _ = make_bitext(2000, random_state=0)
    for source, target in lists(X):
        for word, following in pairwise(source):
            if word in ("a", "an"):
                assert (word == "an") == (following[0] in "aeiou")
        for word, following in pairwise(target):
            if word in ("a", "ab"):
                assert (word == "ab") == (following[0] in "aeiouh")


# Written by hand: the tables of a school grammar.
DECLINED = {
    "farmer": "agricola agricolae agricolae agricolam agricola "
    "agricolae agricolarum agricolis agricolas agricolis",
    "boy": "puer pueri puero puerum puero pueri puerorum pueris pueros pueris",
    "town": "oppidum oppidi oppido oppidum oppido "
    "oppida oppidorum oppidis oppida oppidis",
    "king": "rex regis regi regem rege reges regum regibus reges regibus",
    "city": "urbs urbis urbi urbem urbe urbes urbium urbibus urbes urbibus",
    "river": "flumen fluminis flumini flumen flumine "
    "flumina fluminum fluminibus flumina fluminibus",
    "army": "exercitus exercitus exercitui exercitum exercitu "
    "exercitus exercituum exercitibus exercitus exercitibus",
}


@pytest.mark.parametrize("english", DECLINED)
def test_nouns(english):
    (noun,) = (n for n in lexicon.NOUNS if n.english[0] == english)
    forms = [noun.latin(case, number) for number in (0, 1) for case in range(5)]
    assert forms == DECLINED[english].split()


AGREEING = {
    ("brave", "m"): "fortis fortis forti fortem forti "
    "fortes fortium fortibus fortes fortibus",
    ("brave", "n"): "forte fortis forti forte forti "
    "fortia fortium fortibus fortia fortibus",
    ("beautiful", "m"): "pulcher pulchri pulchro pulchrum pulchro "
    "pulchri pulchrorum pulchris pulchros pulchris",
    ("good", "f"): "bona bonae bonae bonam bona bonae bonarum bonis bonas bonis",
    ("good", "n"): "bonum boni bono bonum bono bona bonorum bonis bona bonis",
}


@pytest.mark.parametrize(("english", "gender"), AGREEING)
def test_adjectives(english, gender):
    (adjective,) = (a for a in lexicon.ADJECTIVES if a.english == english)
    forms = [adjective.latin(gender, c, number) for number in (0, 1) for c in range(5)]
    assert forms == AGREEING[english, gender].split()


CONJUGATED = {
    "love": "amo amas amat amamus amant / amavi amavisti amavit amavimus amaverunt / "
    "amabam amabas amabat amabamus amabant / amabo amabis amabit amabimus amabunt",
    "see": "video vides videt videmus vident / vidi vidisti vidit vidimus viderunt / "
    "videbam videbas videbat videbamus videbant / "
    "videbo videbis videbit videbimus videbunt",
    "lead": "duco ducis ducit ducimus ducunt / duxi duxisti duxit duximus duxerunt / "
    "ducebam ducebas ducebat ducebamus ducebant / ducam duces ducet ducemus ducent",
    "take": "capio capis capit capimus capiunt / cepi cepisti cepit cepimus ceperunt / "
    "capiebam capiebas capiebat capiebamus capiebant / "
    "capiam capies capiet capiemus capient",
    "give": "do das dat damus dant / dedi dedisti dedit dedimus dederunt / "
    "dabam dabas dabat dabamus dabant / dabo dabis dabit dabimus dabunt",
}


@pytest.mark.parametrize("english", CONJUGATED)
def test_verbs(english):
    (verb,) = (v for v in lexicon.VERBS if v.base == english)
    tenses = [
        " ".join(verb.latin(tense, person) for person in range(5))
        for tense in ("present", "perfect", "imperfect", "future")
    ]
    assert " / ".join(tenses) == CONJUGATED[english]


def test_english_endings():
    words = ["city", "boy", "teach", "punish", "have", "consul", "laugh"]
    assert [lexicon.plural(word) for word in words] == [
        "cities",
        "boys",
        "teaches",
        "punishes",
        "has",
        "consuls",
        "laughs",
    ]


def test_numbers_of_pairs():
    X, links = make_bitext(0)
    assert len(X) == len(links) == 0
    with pytest.raises(ValueError, match="n_pairs == -1, must be >= 0"):
        make_bitext(-1)
    with pytest.raises(TypeError, match="n_pairs"):
        make_bitext(2.5)
