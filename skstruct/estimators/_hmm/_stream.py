"""Stepwise EM: what lies between two batches, and what a batch adds to it."""

import reprlib
from dataclasses import dataclass, field, replace

import numpy as np
from sklearn.base import BaseEstimator

from skstruct.estimators._hmm._em import Run
from skstruct.estimators._hmm._model import HiddenMarkovModel
from skstruct.estimators._hmm._resolve import resolve_emission
from skstruct.estimators._sequences._state_names import StateNames

__all__ = ["Stream"]

# Of the weight of a new batch in the running average (Liang and Klein, 2009).
_POWER = 0.7


@dataclass
class Stream:
    """A model to go on from, and the expected counts a token that stand behind it.

    A fit leaves the ``totals`` of its counts only: with the ``average`` a fitted model
    would be twice as large, and the parameters give it back.
    """

    names: StateNames | None = None
    model: HiddenMarkovModel | None = None
    history: list = field(default_factory=list)
    n_e_steps: int = 0
    totals: list | None = None
    average: list | None = None
    n_tokens: float = 0.0

    def check(self, estimator, dictionary):
        """Raise if the parameters now ask for another model than that of the stream.

        Returns parameters of the emission that are others now, a dict.
        """
        kept = {"n_states": self.names.size, "order": self.model.order}
        for name, value in kept.items():
            if getattr(estimator, name) not in (None, value):
                raise ValueError(
                    f"{name}={getattr(estimator, name)}, but what was learnt so far "
                    f"has {name}={value}; fit starts anew."
                )
        learnt = self.names.states.tolist()
        if dictionary is not None and dictionary.states.tolist() != learnt:
            raise ValueError(
                f"tag_dictionary has the states {dictionary.states.tolist()}, but what "
                f"was learnt so far has {learnt}; fit starts anew, and "
                "TagDictionary(..., states=[...]) names more states."
            )
        return self._changes(estimator.emissions)

    def _changes(self, emissions):
        """Parameters that may change between batches, where they did."""
        if isinstance(emissions, str) and emissions == "auto":
            return {}
        learnt, asked = self.model.emission, resolve_emission(emissions, None)
        if type(asked) is not type(learnt):
            raise ValueError(
                f"emissions asks for {type(asked).__name__}, but what was learnt so "
                f"far has {type(learnt).__name__}; fit starts anew."
            )
        old = learnt.get_params(deep=False)
        changed = {
            name: value
            for name, value in asked.get_params(deep=False).items()
            if not (name.endswith("init") or _same(value, old[name]))
        }
        for name in changed.keys() - set(asked._may_change):
            raise ValueError(
                f"emissions has {name}={reprlib.repr(changed[name])}, but what was "
                f"learnt so far has {reprlib.repr(old[name])}; fit starts anew."
            )
        asked._check_parameters()
        return changed

    def copy(self):
        """A stream to go on with, its average there; this one stays as it is."""
        out = replace(self, model=self.model.copy())
        if out.average is None:
            out.n_tokens, out.totals = max(self.totals[-1].sum(), 1e-300), None
            counts = self.model.expected_statistics(self.totals)
            out.average = [c / out.n_tokens for c in counts]
        return out

    def learn(self, trainer):
        """Take one step of stepwise EM on the batch of a `Trainer`; returns a `Run`."""
        model = self.model
        posterior = trainer.posterior(model, 1.0)
        objective = trainer.objective(model, posterior, 1.0)
        self._blend(model.statistics(trainer.batch, posterior), trainer.n_tokens)
        model.m_step([self.n_tokens * counts for counts in self.average])
        last = self.history[-1] if self.history else {"beta": None}
        iteration = 1 + (last["iteration"] if last["beta"] == 1 else 0)
        entry = {"beta": 1.0, "iteration": iteration, "objective": float(objective)}
        self.history = [*self.history, entry]
        self.n_e_steps += 1
        totals = model.totals(posterior)
        return Run(model, objective, totals, self.history, 1, False)

    def _blend(self, new, n_tokens):
        """Move the average towards new counts; symbols that came later had none."""
        new = [counts / n_tokens for counts in new]
        if self.average is not None:
            rate = (self.n_tokens / n_tokens + 2) ** -_POWER
            padded = [
                np.pad(a, [(0, n - o) for o, n in zip(a.shape, s.shape, strict=True)])
                for a, s in zip(self.average, new, strict=True)
            ]
            new = [(1 - rate) * a + rate * s for a, s in zip(padded, new, strict=True)]
        self.average = new
        self.n_tokens += n_tokens


def _same(one, other):
    """Whether two values of a parameter, arrays or components maybe, are equal."""
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, BaseEstimator) and type(one) is type(other):
        theirs = other.get_params(deep=False)
        return all(_same(v, theirs[k]) for k, v in one.get_params(deep=False).items())
    return np.array_equal(np.asarray(one, object), np.asarray(other, object))
