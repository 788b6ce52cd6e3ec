"""Aligners by enumeration of all links of short pairs; shares no code with skstruct.

A direction links each word of the chain to one of the states or to none. Its pairs are
(states, chain): in reverse the sides are swapped. Links are arrays (chain, states).
"""

from typing import NamedTuple

import numpy as np
from scipy.special import digamma

from tests import _oracles as oracle

__all__ = [
    "Diagonal",
    "Encoder",
    "Found",
    "Markov",
    "Translations",
    "Uniform",
    "align",
    "as_keys",
    "encoders",
    "enumerate_text",
    "fitted_translations",
    "start",
    "swapped",
    "train_markov",
]

FLOOR, MAX_JUMP, RULES = 1e-12, 30, {"word": None, "stem": 4}


class Found(NamedTuple):
    """Links (J, K), words without (J,), and expected jumps of a pair."""

    log_partition: float
    links: np.ndarray
    null: np.ndarray
    jumps: np.ndarray


def swapped(pairs):
    return [(target, source) for source, target in pairs]


def as_keys(reconstruction):
    """What stands for a word as a condition, and as an outcome."""
    if callable(reconstruction):
        return reconstruction, reconstruction
    length = RULES[reconstruction]
    return (lambda word: str(word).lower()[:length],) * 2


class Translations:
    """theta from counts of links in the training pairs of one direction."""

    def __init__(self, pairs, keys, update, alpha, null_alpha, lexicon=()):
        self.keys, self.update = keys, update
        self.alpha, self.null_alpha = alpha, null_alpha
        self.prior, self.count, self.null = {}, {}, {}
        lexicon = dict(lexicon)
        for states, chain in [*pairs, *(([s], [t]) for s, t in lexicon)]:
            for t in map(keys[1], chain):
                self.null[t] = 0.0
                for s in map(keys[0], states):
                    self.prior[s, t], self.count[s, t] = alpha, 0.0
        for (s, t), count in lexicon.items():
            self.prior[keys[0](s), keys[1](t)] += count

    def learn(self, pairs, found, weight):
        self.count, self.null = (dict.fromkeys(d, 0.0) for d in (self.count, self.null))
        for (states, chain), posterior, w in zip(pairs, found, weight, strict=True):
            for j, t in enumerate(map(self.keys[1], chain if states else ())):
                self.null[t] += w * posterior.null[j]
                for i, s in enumerate(map(self.keys[0], states)):
                    self.count[s, t] += w * posterior.links[j, i]

    def _ratio(self, top, total):
        if self.update == "variational":
            top, total = (np.exp(digamma(max(x, 1e-300))) for x in (top, total))
        return max(top / total, FLOOR) if total > 0 else FLOOR

    def cells(self, states, chain, own=None):
        """Of new text (J, K); without own counts (J, K) of training text."""
        states, chain = (
            [k(w) for w in side]
            for k, side in zip(self.keys, (states, chain), strict=True)
        )
        out = np.zeros((len(chain), len(states)))
        own = np.zeros_like(out) if own is None else own
        for i, s in enumerate(states):
            total = sum(self.count[p] + self.prior[p] for p in self.prior if p[0] == s)
            total += self.alpha * len({t for t in chain if (s, t) not in self.prior})
            for j, t in enumerate(chain):
                top = self.count.get((s, t), 0.0) + self.prior.get((s, t), self.alpha)
                out[j, i] = self._ratio(top - own[j, i], total - own[j, i])
        return out

    def nothing(self, chain, own=0.0):
        total = sum(self.null.values()) + self.null_alpha * len(self.null)
        own = np.broadcast_to(own, len(chain))
        tops = [self.null.get(self.keys[1](t), 0.0) + self.null_alpha for t in chain]
        return np.array(
            [self._ratio(a - o, total - o) for a, o in zip(tops, own, strict=True)]
        )

    def of_training(self, pairs, found, weight):
        """Both for each pair of the training text itself."""
        out = []
        for (states, chain), posterior, w in zip(pairs, found, weight, strict=True):
            share = min(w, 1.0) if self.update == "cvb0" else 0.0
            out.append(
                (
                    self.cells(states, chain, share * posterior.links),
                    self.nothing(chain, share * posterior.null),
                )
            )
        return out

    def of_new(self, pairs):
        return [(self.cells(s, t), self.nothing(t)) for s, t in pairs]

    def log_prior(self):
        """Log-density of theta, up to a constant, under "map"."""
        total = 0.0
        for s, t in self.prior:
            row = sum(self.count[p] + self.prior[p] for p in self.prior if p[0] == s)
            theta = (self.count[s, t] + self.prior[s, t]) / row
            total += self.prior[s, t] * np.log(max(theta, FLOOR))
        for theta in self.nothing_by_outcome():
            total += self.null_alpha * np.log(theta)
        return total

    def nothing_by_outcome(self):
        total = sum(self.null.values()) + self.null_alpha * len(self.null)
        return [max((n + self.null_alpha) / total, FLOOR) for n in self.null.values()]


class Uniform:
    local = False
    jump = np.zeros((1, 3))

    def __init__(self, null_prob):
        self.null_prob = null_prob

    def weights(self, K, J):
        return np.full((J, K), (1 - self.null_prob) / max(K, 1))

    def logs(self, states, chain):
        """Log-potentials of links (J, K) and of none (J,)."""
        K, J = len(states), len(chain)
        return np.log(self.weights(K, J)), np.full(J, np.log(self.null_prob))


class Diagonal(Uniform):
    def __init__(self, null_prob, tension):
        super().__init__(null_prob)
        self.tension = tension

    def distances(self, K, J):
        i, j = np.arange(1, K + 1), np.arange(1, J + 1)
        return abs(i / max(K, 1) - j[:, None] / max(J, 1))

    def weights(self, K, J):
        near = np.exp(-self.tension * self.distances(K, J))
        return (1 - self.null_prob) * near / near.sum(axis=1, keepdims=True)


class Markov(Uniform):
    local = True

    def __init__(self, null_prob, jump=None):
        super().__init__(null_prob)
        if jump is None:
            width = np.arange(-MAX_JUMP, MAX_JUMP + 1)
            jump = np.log(np.exp(-0.3 * abs(width - 1)) + 1e-3)
        self.jump = jump[None]

    def weights(self, K, J):
        return np.full((J, K), 1 - self.null_prob)

    def learn(self, found, weight):
        jumps = sum(w * f.jumps for f, w in zip(found, weight, strict=True)) + 0.5
        self.jump = np.log(jumps / jumps.sum())[None]


class Encoder:
    """A linear encoder by the names of its features: similarity and the like."""

    local = False

    def __init__(self, coef, null_coef, jump, counts, reverse=False):
        self.coef, self.null_coef, self.jump = coef, null_coef, jump[None]
        self.counts, self.reverse = counts, reverse

    def logs(self, states, chain):
        node = np.zeros((len(chain), len(states)))
        null = np.zeros(len(chain))
        for j, t in enumerate(chain):
            names = self._null_names(t, self.counts[not self.reverse])
            null[j] = sum(self.null_coef[name] for name in names)
            for i, s in enumerate(states):
                words = (t, s) if self.reverse else (s, t)
                names = self._names(*words)
                node[j, i] = sum(self.coef[n] for n in names if n in self.coef)
        return node, null

    def _null_names(self, word, counts):
        word = str(word).lower()
        yield f"frequency={_frequency(counts.get(word, 0))},{_class(word)}"
        name = f"word={word}"
        yield name if name in self.null_coef else "any other word"

    def _names(self, source, target):
        s, t = str(source).lower(), str(target).lower()
        short, long = sorted([len(s), len(t)])
        if s == t:
            yield f"similarity=same,length{_bin(max(short, 1), 6)}"
        else:
            n = 10 * (long - _distance(s, t)) // long
            yield f"similarity={n / 10},{'long' if short >= 4 else 'short'}"
        shared = next((k for k in range(short) if s[k] != t[k]), short)
        yield f"prefix{_bin(shared, 6)}{',whole' * (shared == short)}"
        yield f"class={_class(s)}|{_class(t)}"
        yield f"length{_bin(len(s) - len(t), 7)}"
        bins = (
            _frequency(c.get(w, 0)) for c, w in zip(self.counts, (s, t), strict=True)
        )
        yield "frequency={}|{}".format(*bins)


def _bin(n, most):
    if abs(n) >= most:
        return f">={most}" if n > 0 else f"<={-most}"
    return f"={n}"


def _frequency(count):
    return min(max(count, 1).bit_length() - 1, 7)


def _class(word):
    if any(c.isdigit() for c in word):
        return "digits"
    return "letters" if any(c.isalpha() for c in word) else "other"


def _distance(a, b):
    if not a or not b:
        return len(a) + len(b)
    if a[0] == b[0]:
        return _distance(a[1:], b[1:])
    return 1 + min(_distance(a[1:], b), _distance(a, b[1:]), _distance(a[1:], b[1:]))


def enumerate_pair(node, null, jump, local):
    J, K = node.shape
    paths = oracle.alignment_paths(node, null, jump, [0] * K, local)
    scores = np.array([score for _, score, _ in paths])
    links, no_link, jumps = np.zeros((J, K)), np.zeros(J), np.zeros(jump.shape)
    for (y, _, widths), p in zip(paths, oracle.probabilities(scores), strict=True):
        for j, k in enumerate(y):
            if k:
                links[j, k - 1] += p
            elif K:
                no_link[j] += p
        for width in widths:
            jumps[width] += p
    return Found(oracle.log_partition(scores), links, no_link, jumps[0])


def enumerate_text(pairs, positions, theta=None, factors=None):
    """What each pair has, at translations (cells, nothing) and factors of links."""
    out = []
    for n, (states, chain) in enumerate(pairs):
        node, null = positions.logs(states, chain)
        if theta is not None:
            node, null = node + np.log(theta[n][0]), null + np.log(theta[n][1])
        if factors is not None:
            node = node + np.log(factors[n])
        out.append(enumerate_pair(node, null, positions.jump, positions.local))
    return out


def _factors(found, strength, kind):
    """What the links that the other direction found give to those of this one."""
    if strength == 0:
        return None
    out = []
    for pair in found:
        p = np.maximum(pair.links.T, 1e-4)
        if kind == "odds":
            p = np.minimum(p, 1 - 1e-3)
            p = p / (1 - p)
        out.append(p**strength)
    return out


def align(pairs, translations, positions, kind=None, strength=0.0, n_rounds=1):
    """Both directions of new text after rounds of agreement."""
    sides = pairs, swapped(pairs)
    theta = [t.of_new(side) for t, side in zip(translations, sides, strict=True)]
    both = [None, None]
    for gamma in np.linspace(0, strength, n_rounds):
        both = [
            enumerate_text(
                side, positions[k], theta[k], _factors(both[1 - k], gamma, kind)
            )
            for k, side in enumerate(sides)
        ]
    return both


def start(pairs, keys, weight, markov_steps=1, lexicon=()):
    """Posteriors after the warm start of a direction, and its Markov model."""
    theta = Translations(pairs, keys, "map", 0.0, 1e-9, lexicon)
    n = 1 / len(theta.null)
    given = [(np.full((len(t), len(s)), n), np.full(len(t), n)) for s, t in pairs]
    model = Markov(0.2)
    for positions in [Uniform(0.1)] * 5 + [model] * markov_steps:
        found = enumerate_text(pairs, positions, given)
        theta.learn(pairs, found, weight)
        given = theta.of_training(pairs, found, weight)
        if positions is model:
            model.learn(found, weight)
    return found, model


def train_markov(
    pairs,
    keys,
    weight,
    *,
    update,
    alpha,
    null_alpha,
    null_prob,
    kind,
    strength,
    max_iter,
    markov_steps=1,
    lexicon=(),
):
    """Train both directions; translations, positions, posteriors, log-likelihoods."""
    sides = pairs, swapped(pairs)
    lexicons = dict(lexicon), {(t, s): c for (s, t), c in dict(lexicon).items()}
    starts = [
        start(side, keys, weight, markov_steps, lex)
        for side, lex in zip(sides, lexicons, strict=True)
    ]
    both = [found for found, _ in starts]
    models = [Markov(null_prob, model.jump[0]) for _, model in starts]
    theta = [
        Translations(side, keys, update, alpha, null_alpha, lex)
        for side, lex in zip(sides, lexicons, strict=True)
    ]
    logs = []
    for gamma in np.linspace(0, strength, max_iter):
        given = []
        for t, side, found in zip(theta, sides, both, strict=True):
            t.learn(side, found, weight)
            given.append(t.of_training(side, found, weight))
        both = [
            enumerate_text(
                side, models[k], given[k], _factors(both[1 - k], gamma, kind)
            )
            for k, side in enumerate(sides)
        ]
        for model, found in zip(models, both, strict=True):
            model.learn(found, weight)
        logs.append(
            weight
            @ [a.log_partition + b.log_partition for a, b in zip(*both, strict=True)]
        )
    return theta, models, both, np.array(logs)


def fitted_translations(model, k=0):
    """Translations of a direction of a fitted model; looks at its private parts."""
    if isinstance(model._model, tuple):
        reader, table, reverse = *model._model[:2], False
    else:
        reader, table = model._model.translations, model._model.directed[k].table
        reverse = model._model.translations.reverse[k]
    known = [
        list(reader.encoder.sides[side].known[role])
        for side, role in zip(
            (reverse, not reverse), ("condition", "outcome"), strict=True
        )
    ]
    pairs_of_keys = reader.pairs[k]
    keys = [pairs_of_keys.source.tolist(), pairs_of_keys.outcome.tolist()]
    found = Translations([], None, table.update, table.alpha, table.null_alpha)
    for s, t, count in zip(*keys[:: -1 if reverse else 1], table.pairs, strict=True):
        found.count[known[0][s], known[1][t]] = count
    found.prior = dict.fromkeys(found.count, 0.0)
    found.null = {
        t: count - table.null_alpha
        for t, count in zip(known[1], table.null.tolist(), strict=True)
    }
    return found


def encoders(model, pairs):
    """Encoders of a fitted CRF autoencoder; the null weights are private."""
    counts = []
    for side in zip(*pairs, strict=True):
        words = [str(word).lower() for sentence in side for word in sentence]
        counts.append({word: words.count(word) for word in words})
    features = model._model.features
    out = []
    for k, reverse in enumerate(model._model.translations.reverse):
        coef = dict(zip(model.feature_names_, model.coef_[k], strict=True))
        weights = features.split(model._model.directed[k].encoder.coef, reverse)[2]
        names = features.nulls[reverse].feature_names
        null = dict(zip(names, weights, strict=True))
        out.append(Encoder(coef, null, model.jump_coef_[k], counts, reverse))
    return out
