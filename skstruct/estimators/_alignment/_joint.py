"""Both directions of an aligner, which learn from one another."""

import numpy as np

from skstruct.constraints import Cells
from skstruct.optim import project_posterior
from skstruct.potentials import odds_agreement, product_agreement

__all__ = ["Agreement", "DirectedModel", "Links", "infer"]

_AGREEMENTS = {"odds": odds_agreement, "product": product_agreement}

_N_STEPS = 5


class DirectedModel:
    """A fitted direction: translations, and an encoder of positions."""

    def __init__(self, table, encoder):
        self.table = table
        self.encoder = encoder


class Links:
    """The links of a text in one direction.

    Parameters
    ----------
    model : DirectedModel
        What is known.
    direction : Direction
        The text.
    features : TextFeatures or None
        Of the text, where the encoder wants some.
    n_jobs : int or None
        Threads.

    Attributes
    ----------
    posterior : LatticePosterior
        The links as they stand.
    """

    def __init__(self, model, direction, features=None, posterior=None, n_jobs=None):
        self.model = model
        self.direction = direction
        self.features = features
        self.posterior = posterior
        self.lattice = model.encoder.lattice(direction, features, n_jobs=n_jobs)

    def potentials(self, cell, null):
        """Potentials at weights of links (C,) and of no links (T,)."""
        return self.model.encoder.potentials(self.direction, self.features, cell, null)


class Agreement:
    """How directions draw one another, round by round.

    Parameters
    ----------
    kind : {"odds", "product"} or None
        The factor that the posterior of the other direction gives to a link.
    strength : float
        Its exponent in the last round; it grows evenly from 0.
    constraint : Constraint or None
        On the posteriors.
    """

    def __init__(self, kind, strength, constraint=None):
        self.kind = kind
        self.strength = strength
        self.constraint = constraint

    def strengths(self, n_rounds):
        """The exponent in each round."""
        strength = 0.0 if self.kind is None else self.strength
        return np.linspace(0, strength, n_rounds).tolist()

    def factor(self, other, strength):
        """What the posterior of the other direction gives to each link."""
        return _AGREEMENTS[self.kind](other, strength)


def infer(both, probabilities, agreement, strength, weights):
    """Posteriors of the directions at their translation probabilities.

    Parameters
    ----------
    both : list of Links
        One direction or two; their posteriors are replaced.
    probabilities : list of (cell, null)
        For each direction.
    agreement : Agreement
        How they draw one another.
    strength : float
        The exponent of this round.
    weights : list of ndarray of shape (n,)
        For each direction, weights of pairs in its counts.
    """
    cells = [cell for cell, _ in probabilities]
    if strength and len(both) == 2:
        for k, links in enumerate(reversed(both)):
            cells[k] = cells[k] * agreement.factor(links.posterior.cell, strength)

    def run(shifts):
        for k, links in enumerate(both):
            cell = cells[k] if shifts is None else cells[k] * np.exp(shifts[k])
            potentials = links.potentials(cell, probabilities[k][1])
            links.posterior = links.lattice.posterior(potentials, weights[k])
        found = [links.posterior for links in both]
        return [p.cell for p in found], [p.log_partition for p in found]

    if agreement.constraint is None:
        run(None)
        return
    text = both[0].direction.text
    names = tuple("reverse" if x.direction.reverse else "forward" for x in both)
    layout = Cells(text.source.lengths, text.target.lengths, names)
    project_posterior(run, agreement.constraint.bind(layout), n_steps=_N_STEPS)
