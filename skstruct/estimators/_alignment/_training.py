"""What `fit` of the aligners of both directions does."""

from copy import copy
from numbers import Integral

import numpy as np

from skstruct._base import FitMonitor
from skstruct.constraints import CONSTRAINTS, Cells, Constraint, Constraints
from skstruct.estimators._alignment._decoding import Alignment
from skstruct.estimators._alignment._direction import (
    TranslationModel,
    learn_translations,
)
from skstruct.estimators._alignment._independent import warm_start
from skstruct.estimators._alignment._joint import (
    Agreement,
    DirectedModel,
    Links,
    infer,
)
from skstruct.estimators._alignment._predictions import (
    count_lexicon,
    read_training_text,
)
from skstruct.estimators._alignment._text import TextEncoder

__all__ = ["LINK_CONSTRAINTS", "RECONSTRUCTIONS", "JointModel", "JointTraining"]

RECONSTRUCTIONS = ("stem", "word", "brown")

LINK_CONSTRAINTS = {n: c for n, c in CONSTRAINTS.items() if Cells in c.layouts}


class JointModel:
    """A fitted aligner of one or both directions.

    Parameters
    ----------
    translations : TranslationModel or TranslationViews
        Reads texts.
    directed : list of DirectedModel
        One for each direction.
    features : EncoderFeatures or None
        Read by the encoders.
    agreement : Agreement
        How directions draw one another.
    n_rounds : int
        Rounds of inference.
    """

    def __init__(self, translations, directed, features, agreement, n_rounds):
        self.translations = translations
        self.directed = directed
        self.features = features
        self.agreement = agreement
        self.n_rounds = n_rounds

    def snapshot(self):
        """The model as it stands, which further training leaves alone."""
        directed = [
            DirectedModel(copy(d.table), copy(d.encoder)) for d in self.directed
        ]
        return JointModel(
            self.translations, directed, self.features, self.agreement, self.n_rounds
        )

    def read(self, bitext, n_jobs):
        """Links of a text, without posteriors yet."""
        directions = self.translations.read(bitext)
        features = None
        if self.features is not None:
            features = self.features.encode(directions[0].text)
        return [
            Links(model, direction, features, n_jobs=n_jobs)
            for model, direction in zip(self.directed, directions, strict=True)
        ]

    def align(self, bitext, n_jobs=None):
        """Posteriors of the links of a text."""
        both = self.read(bitext, n_jobs)
        probabilities = [x.model.table.apply(x.direction) for x in both]
        weights = [np.ones(len(bitext))] * len(both)
        for strength in self.agreement.strengths(self.n_rounds):
            infer(both, probabilities, self.agreement, strength, weights)
        return as_alignment(both)

    def score(self, bitext, n_jobs=None):
        """Log-likelihood of each pair, and number of words that it is of."""
        logs, n_words = np.zeros(len(bitext)), np.zeros(len(bitext), dtype=np.intp)
        for links in self.read(bitext, n_jobs):
            potentials = links.potentials(*links.model.table.apply(links.direction))
            logs += links.lattice.log_partition(potentials)
            logs -= links.model.encoder.log_partition(
                links.lattice, links.direction, links.features
            )
            n_words += links.direction.chain.lengths
        return logs, n_words


def as_alignment(both):
    """The posteriors of one or two directions."""
    text = both[0].direction.text
    names = ["reverse" if x.direction.reverse else "forward" for x in both]
    return Alignment(
        text.source.lengths,
        text.target.lengths,
        dict(zip(names, [x.posterior for x in both], strict=True)),
    )


class JointTraining:
    """Training of an aligner, from its input to its fitted attributes.

    Parameters
    ----------
    estimator : JointAligner
        Tells the parameters.
    X, y, sample_weight : object
        What the user gave.
    """

    def __init__(self, estimator, X, y, sample_weight):
        self.estimator = estimator
        self._given = X, y
        self.bitext, self.weight = read_training_text(estimator, X, sample_weight)

    def run(self):
        """Fit; the fitted attributes."""
        e = self.estimator
        both, learners, model = self._start()
        monitor = FitMonitor(e, *self._given, n_runs=1, max_iter=e.max_iter)
        weights = [learner.weight for learner in learners]
        n_words = [
            learner.weight @ x.direction.chain.lengths
            for x, learner in zip(both, learners, strict=True)
        ]
        history = []
        with monitor.run() as on_iteration:
            for n, strength in enumerate(model.agreement.strengths(e.max_iter), 1):
                before = as_alignment(both).mean
                probabilities = [
                    x.model.table.train(x.direction, x.posterior, self.weight)
                    for x in both
                ]
                infer(both, probabilities, model.agreement, strength, weights)
                logs = [
                    learner.update(x.posterior)
                    for x, learner in zip(both, learners, strict=True)
                ]
                change = np.abs(as_alignment(both).mean - before).sum()
                history.append(
                    {
                        "iteration": n,
                        "objective": float(sum(logs) / sum(n_words)),
                        "change": float(change / len(both[0].direction.chain.codes)),
                    }
                )
                if on_iteration(lambda: self._attributes(both, model, history)):
                    break
        fitted = self._attributes(both, model, history)
        monitor.close(lambda: fitted)
        return fitted

    def _start(self):
        """Links of the training text after the warm start, and what learns."""
        e = self.estimator
        constraint = self._constraint()
        models = [TranslationModel(x, self._directions()) for x in self._views()]
        translations, directions = learn_translations(
            models, self.bitext, e.lexicon_prior, stacklevel=7
        )
        starts = [
            warm_start(
                direction,
                table,
                self.weight,
                markov_steps=1 if e.init == "hmm" else 0,
                n_jobs=e.n_jobs,
            )
            for direction, table in zip(
                directions, translations.start_tables(), strict=True
            )
        ]
        tables = translations.tables(e.update, e.alpha, e.null_alpha)
        features, text, encoders = e._encoders(directions, [jump for _, jump in starts])
        directed = [DirectedModel(*x) for x in zip(tables, encoders, strict=True)]
        both = [
            Links(model, direction, text, posterior, e.n_jobs)
            for model, direction, (posterior, _) in zip(
                directed, directions, starts, strict=True
            )
        ]
        learners = e._learners(both, self.weight)
        agreement = Agreement(e.agreement, e.agreement_strength, constraint)
        n_rounds = e.max_iter if e.agreement else 1
        model = JointModel(translations, directed, features, agreement, n_rounds)
        return both, learners, model

    def _views(self):
        """Readers of the text, one for each view of a word."""
        e = self.estimator
        lengths = e.stem_length
        lengths = [lengths] if isinstance(lengths, Integral) else list(lengths)
        if not lengths or not all(
            isinstance(n, Integral) and not isinstance(n, bool) and n > 0
            for n in lengths
        ):
            raise ValueError(
                "stem_length must be a positive integer, or several in a list; got "
                f"{e.stem_length!r}."
            )
        several = isinstance(e.reconstruction, list | tuple)
        given = e.reconstruction if several else [e.reconstruction]
        bad = [r for r in given if not callable(r) and r not in RECONSTRUCTIONS]
        if bad or not given:
            raise ValueError(
                f"reconstruction has {bad[0] if bad else 'nothing in it'!r}; expected "
                f"functions of a word, or {', '.join(map(repr, RECONSTRUCTIONS))}."
            )
        return [
            TextEncoder(r, n)
            for r in given
            for n in (lengths if r == "stem" else lengths[:1])
        ]

    def _directions(self):
        e = self.estimator
        alone = e.symmetrization in ("forward", "reverse")
        if alone and e.agreement is None and e.constraint is None:
            return (e.symmetrization == "reverse",)
        return False, True

    def _constraint(self):
        given = self.estimator.constraint
        if isinstance(given, list | tuple):
            return Constraints([_as_constraint(c) for c in given])
        return None if given is None else _as_constraint(given)

    def _attributes(self, both, model, history):
        e = self.estimator
        alignment = as_alignment(both)
        links = alignment.links(e.symmetrization, e.threshold)
        fitted = {
            "links_": links,
            "directions_": list(alignment.posteriors),
            "history_": list(history),
            "n_iter_": len(history),
            "_model": model.snapshot(),
            "_lexicon": count_lexicon(self.bitext, links),
            **e._parameters(both),
        }
        if e.store_posteriors:
            fitted["posteriors_"] = alignment.matrices()
        return fitted


def _as_constraint(given):
    """The constraint of this name, or the constraint itself."""
    if isinstance(given, str) and given in LINK_CONSTRAINTS:
        return LINK_CONSTRAINTS[given]()
    if isinstance(given, Constraint) and Cells in given.layouts:
        return given
    names = ", ".join(map(repr, LINK_CONSTRAINTS))
    raise ValueError(
        f"constraint has {given!r}; expected {names} or a Constraint on links."
    )
