"""English words beside Latin ones, and the endings of Latin."""

from typing import NamedTuple

__all__ = [
    "ACCUSATIVE",
    "ADJECTIVES",
    "ADVERBS",
    "BE",
    "CONJUNCTIONS",
    "DATIVE",
    "GENITIVE",
    "NOMINATIVE",
    "NOUNS",
    "NUMBERS",
    "POSSESSIVES",
    "PREPOSITIONS",
    "PRONOUNS",
    "VERBS",
]

NOMINATIVE, GENITIVE, DATIVE, ACCUSATIVE, ABLATIVE = range(5)

# Endings in the order of the cases, singular then plural; "-" is the dictionary form.
_DECLENSIONS = {
    "a": ("a ae ae am a", "ae arum is as is"),
    "us": ("us i o um o", "i orum is os is"),
    "er": ("- i o um o", "i orum is os is"),
    "um": ("um i o um o", "a orum is a is"),
    "c": ("- is i em e", "es um ibus es ibus"),
    "i": ("- is i em e", "es ium ibus es ibus"),
    "n": ("- is i - e", "a um ibus a ibus"),
    "u": ("us us ui um u", "us uum ibus us ibus"),
    "is": ("is is i em i", "es ium ibus es ibus"),
    "e": ("e is i e i", "ia ium ibus ia ibus"),
}

# The last field is the kind: person, animal, land (a place), thing or writing.
_NOUNS = """
king rex reg c m p | girl puella puell a f p | farmer agricola agricol a m p
soldier miles milit c m p | boy puer puer er m p | queen regina regin a f p
poet poeta poet a m p | slave servus serv us m p | friend amicus amic us m p
sailor nauta naut a m p | teacher magister magistr er m p | father pater patr c m p
mother mater matr c f p | woman/women femina femin a f p | brother frater fratr c m p
sister soror soror c f p | leader dux duc c m p | citizen civis civ i m p
master dominus domin us m p | shepherd pastor pastor c m p | consul consul consul c m p
enemy hostis host i m p | guard custos custod c m p | doctor medicus medic us m p
merchant mercator mercator c m p | Marcus Marcus Marc us m p | Julia Iulia Iuli a f p
Cornelia Cornelia Corneli a f p | Caesar Caesar Caesar c m p | Brutus Brutus Brut us m p
Cicero Cicero Ciceron c m p | dog canis can c m a | horse equus equ us m a
wolf/wolves lupus lup us m a | lion leo leon c m a | bird avis av i f a
bull taurus taur us m a | dove columba columb a f a | city urbs urb i f l
forest silva silv a f l | island insula insul a f l | field ager agr er m l
road via vi a f l | town oppidum oppid um n l | garden hortus hort us m l
mountain mons mont i m l | river flumen flumin n n l | temple templum templ um n l
bridge pons pont i m l | wall murus mur us m l | gate porta port a f l
shore litus litor n n l | kingdom regnum regn um n l | market forum for um n l
valley vallis vall i f l | harbour portus port u m l | book liber libr er m w
letter epistula epistul a f w | sword gladius gladi us m t | ship navis nav i f t
gift donum don um n t | rose rosa ros a f t | song carmen carmin n n w
crown corona coron a f t | table mensa mens a f t | shield scutum scut um n t
star stella stell a f t | spear hasta hast a f t | story fabula fabul a f w
ring anulus anul us m t | cup poculum pocul um n t | law lex leg c f w
army exercitus exercit u m t | word verbum verb um n w | burden onus oner n n t
"""

# The last field: what the adjective may describe.
_ADJECTIVES = """
good bonus bon us paltw | large magnus magn us palt | small parvus parv us paltw
new novus nov us ltw | old antiquus antiqu us ltw | brave fortis fort is pa
beautiful pulcher pulchr er paltw | famous clarus clar us plw | bad malus mal us paw
long longus long us tw | happy laetus laet us pa | heavy gravis grav is t
high altus alt us l | tired fessus fess us pa | white albus alb us at
black niger nigr er at | sad tristis trist is p | angry iratus irat us pa
sick aeger aegr er pa | broad latus lat us l | strong validus valid us pa
dear carus car us p | sacred sacer sacr er l
"""

# English base, past and -ing form ("-" where a state has none); Latin conjugation,
# present and perfect stem; subjects; what the object may be; "+": takes a dative too.
_VERBS = """
see saw - 2 vid vid pa palt | love loved - 1 am amav p palw
have had - 2 hab habu p atw | praise praised praising 1 laud laudav p paw
carry carried carrying 1 port portav pa t | read read reading 3 leg leg p w
lead led leading 3 duc dux p pa | hear heard - io aud audiv pa paw
write wrote writing 3 scrib scrips p w | call called calling 1 voc vocav p pa
build built building 1 aedific aedificav p l | fear feared - 2 tim timu pa pa
hold held holding 2 ten tenu p t | defend defended defending 3 defend defend p pl
find found finding io inven inven pa palt | seek sought seeking 3 quaer quaesiv pa palt
conquer conquered conquering 3 vinc vic p pl | take took taking io cap cep p t
guard guarded guarding io custod custodiv pa lt | teach taught teaching 2 doc docu p p
warn warned warning 2 mon monu p p | leave left leaving 3 relinqu reliqu p pl
buy bought buying 3 em em p at | sell sold selling 3 vend vendid p at
punish punished punishing io pun puniv p p | send sent sending 3 mitt mis p ptw
give gave giving 1 d ded p +tw | show showed showing 1 monstr monstrav p +ltw
promise promised promising 3 promitt promis p +t
walk walked walking 1 ambul ambulav pa - | sing sang singing 1 cant cantav p -
work worked working 1 labor laborav pa - | run ran running 3 curr cucurr pa -
sleep slept sleeping io dorm dormiv pa - | fight fought fighting 1 pugn pugnav pa -
sail sailed sailing 1 navig navigav p - | come came coming io ven ven pa -
sit sat sitting 2 sed sed pa - | live lived living 1 habit habitav p -
weep wept weeping 2 fl flev p - | laugh laughed laughing 2 rid ris p -
remain remained remaining 2 man mans pa -
"""

ADVERBS = (
    ("often", "saepe"),
    ("always", "semper"),
    ("slowly", "lente"),
    ("quickly", "celeriter"),
    ("bravely", "fortiter"),
    ("again", "iterum"),
    ("secretly", "clam"),
    ("gladly", "libenter"),
    ("carefully", "diligenter"),
)
CONJUNCTIONS = (("and", "et"), ("but", "sed"), ("or", "aut"), ("because", "quod"))
# English, Latin, case, kinds of nouns.
PREPOSITIONS = (
    ("in", "in", ABLATIVE, "l"),
    ("with", "cum", ABLATIVE, "p"),
    ("towards", "ad", ACCUSATIVE, "l"),
    ("near", "prope", ACCUSATIVE, "l"),
    ("through", "per", ACCUSATIVE, "l"),
    ("without", "sine", ABLATIVE, "p"),
    ("in front of", "ante", ACCUSATIVE, "l"),
    ("out of", "ex", ABLATIVE, "l"),
    ("from", "ab", ABLATIVE, "l"),
    ("behind", "post", ACCUSATIVE, "l"),
    ("across", "trans", ACCUSATIVE, "l"),
    ("for", "pro", ABLATIVE, "p"),
)
# English, person (I, you, he, we, they), gender.
PRONOUNS = (
    ("they", 4, "m"),
    ("he", 2, "m"),
    ("I", 0, "m"),
    ("she", 2, "f"),
    ("we", 3, "m"),
    ("you", 1, "m"),
)

TENSES = ("present", "perfect", "imperfect", "future")
# Endings for each person; the vowel before them depends on the conjugation.
_ENDINGS = {
    "1": ("o as at amus ant", "a", "abo abis abit abimus abunt"),
    "2": ("eo es et emus ent", "e", "ebo ebis ebit ebimus ebunt"),
    "3": ("o is it imus unt", "e", "am es et emus ent"),
    "io": ("io is it imus iunt", "ie", "iam ies iet iemus ient"),
}
_PERFECT = "i isti it imus erunt"
_IMPERFECT = "bam bas bat bamus bant"
_IS = ("am", "are", "is", "are", "are")
_WAS = ("was", "were", "was", "were", "were")
_ESSE = {
    "present": "sum es est sumus sunt",
    "imperfect": "eram eras erat eramus erant",
    "future": "ero eris erit erimus erunt",
}


class Noun(NamedTuple):
    """A noun: English singular and plural, Latin dictionary form and stem."""

    english: tuple
    nominative: str
    stem: str
    declension: str
    gender: str
    kind: str

    def latin(self, case, number):
        """Form of a case, singular (0) or plural (1)."""
        return inflect(self.nominative, self.stem, self.declension, case, number)


class Adjective(NamedTuple):
    """An adjective: Latin masculine, stem and declension, what it describes."""

    english: str
    masculine: str
    stem: str
    declension: str
    kinds: str

    def latin(self, gender, case, number):
        """Form that agrees with a noun."""
        declension = self.declension
        if declension == "is":
            declension = "e" if gender == "n" else "is"
        elif gender != "m":
            declension = {"f": "a", "n": "um"}[gender]
        return inflect(self.masculine, self.stem, declension, case, number)


class Invariable(NamedTuple):
    """A word whose case, or gender, or both do not show."""

    english: str
    masculine: str
    feminine: str = ""
    neuter: str = ""

    def latin(self, gender, case, number):
        """Form that agrees with a noun."""
        forms = {"f": self.feminine, "n": self.neuter}.get(gender) or self.masculine
        forms = forms.split()
        return forms[case % len(forms)]


class Verb(NamedTuple):
    """A verb: English base, past and -ing form, Latin conjugation and stems."""

    base: str
    past: str
    ing: str
    conjugation: str
    stem: str
    perfect: str
    subjects: str
    objects: str

    @property
    def tenses(self):
        """The tenses it has; verbs of states have no progressive."""
        return tuple(t for t in TENSES if t != "imperfect" or self.ing != "-")

    def english(self, tense, person, *, negated):
        """Auxiliary, whether it has a meaning of its own, and main verb."""
        if tense == "future":
            return "will", True, self.base
        if tense == "imperfect":
            return _WAS[person], True, self.ing
        if negated and tense == "perfect":
            return "did", False, self.base
        if negated:
            return "does" if person == 2 else "do", False, self.base
        if tense == "perfect":
            return "", True, self.past
        return "", True, plural(self.base) if person == 2 else self.base

    def latin(self, tense, person):
        """Form of a tense and person."""
        if tense == "perfect":
            return self.perfect + _PERFECT.split()[person]
        present, vowel, future = _ENDINGS[self.conjugation]
        endings = {"present": present, "future": future}.get(tense, _IMPERFECT)
        vowel = vowel if tense == "imperfect" else ""
        return self.stem + vowel + endings.split()[person]


class Be:
    """To be: what other verbs say by auxiliary and ending, in forms of its own."""

    subjects, objects, tenses = "pa", "", ("present", "imperfect", "future")

    def english(self, tense, person, *, negated):
        """Auxiliary, whether it has a meaning of its own, and main verb."""
        if tense == "future":
            return "will", True, "be"
        return (_WAS if tense == "imperfect" else _IS)[person], True, ""

    def latin(self, tense, person):
        """Form of a tense and person."""
        return _ESSE[tense].split()[person]


def inflect(nominative, stem, declension, case, number):
    """Dictionary form, or stem and ending."""
    ending = _DECLENSIONS[declension][number].split()[case]
    return nominative if ending == "-" else stem + ending


def plural(word):
    """English word with -s, as nouns in the plural and verbs of he and she have it."""
    if word == "have":
        return "has"
    if word[-1] == "y" and word[-2] not in "aeou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "sh", "ch")) else "s")


def _entries(table):
    return [entry.split() for entry in table.replace("|", "\n").splitlines() if entry]


def _noun(english, *latin):
    forms = tuple(english.split("/")) if "/" in english else (english, plural(english))
    return Noun(forms, *latin)


NOUNS = tuple(_noun(*entry) for entry in _entries(_NOUNS))
ADJECTIVES = tuple(Adjective(*entry) for entry in _entries(_ADJECTIVES))
VERBS = tuple(Verb(*entry) for entry in _entries(_VERBS))
BE = Be()
NUMBERS = (
    Invariable(
        "two",
        "duo duorum duobus duos duobus",
        "duae duarum duabus duas duabus",
        "duo duorum duobus duo duobus",
    ),
    Adjective("many", "multus", "mult", "us", ""),
    Invariable(
        "three", "tres trium tribus tres tribus", "", "tria trium tribus tria tribus"
    ),
    Adjective("few", "paucus", "pauc", "us", ""),
    Invariable("four", "quattuor"),
    Invariable("five", "quinque"),
)
POSSESSIVES = (
    Adjective("my", "meus", "me", "us", ""),
    Invariable("his", "eius"),
    Adjective("our", "noster", "nostr", "er", ""),
    Invariable("their", "eorum"),
    Adjective("your", "tuus", "tu", "us", ""),
    Invariable("her", "eius"),
)
