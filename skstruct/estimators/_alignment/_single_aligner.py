"""What the aligners of one direction with independent links share."""

from abc import abstractmethod
from copy import copy
from numbers import Integral, Real
from typing import ClassVar

from skstruct._base import FitMonitor
from skstruct._params import Interval, StrOptions
from skstruct.estimators._alignment._aligner import Aligner
from skstruct.estimators._alignment._decoding import Alignment
from skstruct.estimators._alignment._direction import (
    TranslationModel,
    learn_translations,
)
from skstruct.estimators._alignment._independent import NULL_ALPHA, IndependentLinking
from skstruct.estimators._alignment._predictions import (
    count_lexicon,
    read_training_text,
)
from skstruct.estimators._alignment._text import TextEncoder

__all__ = ["SingleAligner"]


class SingleAligner(Aligner):
    """Aligner whose target words link to source words, each by itself."""

    _parameter_constraints: ClassVar = {
        **Aligner._parameter_constraints,
        "reconstruction": [StrOptions({"stem", "word", "brown"}), callable],
        "stem_length": [Interval(Integral, 1, None, closed="left")],
        "null_prob": [Interval(Real, 0, 1, closed="neither")],
    }

    @abstractmethod
    def _start_positions(self):
        """The prior of positions before training."""

    def _train(self, X, y, sample_weight):
        bitext, weight = read_training_text(self, X, sample_weight)
        encoder = TextEncoder(self.reconstruction, self.stem_length)
        translations, (direction,) = learn_translations(
            [TranslationModel(encoder, (False,))],
            bitext,
            self.lexicon_prior,
            stacklevel=5,
        )
        null_alpha = self.alpha or NULL_ALPHA
        (table,) = translations.tables(self.update, self.alpha, null_alpha)
        positions = self._start_positions()
        linking = IndependentLinking(positions, direction, self.n_jobs)
        n_words = weight @ direction.chain.lengths
        probabilities, history = table.uniform(direction), []

        def attributes():
            return self._attributes(
                bitext,
                (translations, copy(table), copy(positions)),
                linking,
                probabilities,
                history,
            )

        monitor = FitMonitor(self, X, y, n_runs=1, max_iter=self.max_iter)
        with monitor.run() as on_iteration:
            for n in range(1, self.max_iter + 1):
                posterior = linking.posterior(*probabilities)
                log_likelihood = float(weight @ posterior.log_partition / n_words)
                history.append({"iteration": n, "log_likelihood": log_likelihood})
                probabilities = table.train(direction, posterior, weight)
                positions.update(direction, posterior, weight)
                if on_iteration(attributes):
                    break
        fitted = attributes()
        monitor.close(lambda: fitted)
        return fitted

    def _attributes(self, bitext, model, linking, probabilities, history):
        alignment = _as_alignment(linking, probabilities)
        links = alignment.links(*self._decoding())
        fitted = {
            "links_": links,
            "history_": list(history),
            "n_iter_": len(history),
            "_model": model,
            "_lexicon": count_lexicon(bitext, links),
            **self._parameters(model[2]),
        }
        if self.store_posteriors:
            fitted["posteriors_"] = alignment.matrices()
        return fitted

    def _parameters(self, positions):
        """Fitted attributes of the prior of positions."""
        return {}

    def _apply(self, bitext):
        translations, table, positions = self._model
        (direction,) = translations.read(bitext)
        linking = IndependentLinking(positions, direction, self.n_jobs)
        return linking, table.apply(direction)

    def _align(self, bitext):
        return _as_alignment(*self._apply(bitext))

    def _score_pairs(self, bitext):
        linking, probabilities = self._apply(bitext)
        logs = linking.posterior(*probabilities).log_partition
        return logs, bitext.target.lengths

    def _decoding(self):
        return ("forward",)


def _as_alignment(linking, probabilities):
    text = linking.direction.text
    posteriors = {"forward": linking.posterior(*probabilities)}
    return Alignment(text.source.lengths, text.target.lengths, posteriors)
