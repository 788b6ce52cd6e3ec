"""What users align with today: eflomal, and fast_align and the IBM models of thot."""

from pathlib import Path
from tempfile import TemporaryDirectory

import eflomal
import numpy as np
import thot.alignment as ta

from skstruct.datasets import read_links

__all__ = ["FAST_ALIGN", "HMM", "IBM1", "IBM4", "run_eflomal", "run_thot"]

# Models and iterations, each model trained from the one before: the schedules of
# sil-machine, which trains thot's models by default with these.
FAST_ALIGN = ((ta.FastAlignModel, 4),)
IBM1 = ((ta.Ibm1AlignmentModel, 4),)
HMM = ((ta.Ibm1AlignmentModel, 5), (ta.HmmAlignmentModel, 4))
IBM4 = (
    (ta.Ibm1AlignmentModel, 5),
    (ta.HmmAlignmentModel, 5),
    (ta.Ibm3AlignmentModel, 5),
    (ta.Ibm4AlignmentModel, 4),
)


def run_eflomal(X):
    """Links of both directions; two runs differ, since there is no seed to give."""
    lines = [[" ".join(words) for words in side] for side in (X.source, X.target)]
    with TemporaryDirectory() as folder:
        paths = [str(Path(folder) / name) for name in ("forward", "reverse")]
        eflomal.Aligner().align(
            *lines, links_filename_fwd=paths[0], links_filename_rev=paths[1]
        )
        return [list(read_links(path)) for path in paths]


def run_thot(X, schedule):
    """Best links of both directions."""
    backward = _best_links(X.reversed(), schedule)
    return _best_links(X, schedule), [links[:, ::-1] for links in backward]


def _best_links(X, schedule):
    """A link at most for each target word."""
    pairs = [(source.tolist(), target.tolist()) for source, target in X]
    models = []
    for kind, _ in schedule:
        models.append(kind(*models[-1:]))
    top = models[-1]
    if isinstance(top, ta.FastAlignModel):
        top.variational_bayes = True
    for source, target in pairs:
        top.add_sentence_pair(source, target, 1)
    for model, (_, n_iterations) in zip(models, schedule, strict=True):
        model.start_training()
        for _ in range(n_iterations):
            model.train()
        model.end_training()
    best = [top.get_best_alignment(source, target)[1] for source, target in pairs]
    return [np.argwhere(matrix.to_numpy()) for matrix in best]
