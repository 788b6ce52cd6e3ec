"""Links between the words of translations."""

import re
import sys

import numpy as np

from skstruct._cli._files import (
    STANDARD,
    check_apart,
    check_content,
    check_output,
    to_read,
    to_write,
)
from skstruct._cli._progress import watched
from skstruct.datasets import read_bitext, read_links, write_links
from skstruct.estimators import (
    CRFAutoencoderAligner,
    DiagonalAligner,
    HMMAligner,
    IBM1Aligner,
    SymmetrizedAligner,
)
from skstruct.metrics import alignment_error_rate, alignment_precision_recall_f1

__all__ = ["DETAILS", "SUMMARY", "add_arguments", "run"]

SUMMARY = "Link the words of a text and of its translation."
DETAILS = (
    "Writes a line for each pair of sentences, with links i-j of source and target "
    "words, counted from 0 (Pharaoh's format, as fast_align does)."
)
_METHODS = (
    *("mean", "intersection", "union", "forward", "reverse"),
    *("grow-diag", "grow-diag-final", "grow-diag-final-and"),
)


def add_arguments(parser):
    """Declare what ``align`` takes."""
    add = parser.add_argument
    add("text", help="lines 'source ||| target', or the source text; - reads stdin")
    add("target", nargs="?", help="the target text, if it has a file of its own")
    add(
        *("-m", "--model"),
        choices=["crf", "hmm", "diagonal", "ibm1"],
        default="crf",
        help="crf: CRFAutoencoderAligner (the default); hmm: HMMAligner, faster; "
        "diagonal: the model of fast_align; ibm1: IBM Model 1",
    )
    add(
        *("-s", "--symmetrization"),
        choices=_METHODS,
        metavar="METHOD",
        help=f"how both directions are joined: {', '.join(_METHODS)} (by default mean; "
        "grow-diag-final-and for diagonal and ibm1)",
    )
    add(
        *("-r", "--reverse"),
        action="store_const",
        dest="symmetrization",
        const="reverse",
        help="the links of the reverse direction alone; still source-target",
    )
    add(
        "-I", "--iterations", type=int, metavar="N", help="(at most) so many iterations"
    )
    add("--seed", type=int, default=0, metavar="N", help="random seed (default 0)")
    add("-j", "--jobs", type=int, metavar="N", help="threads (default 1)")
    add(
        *("-g", "--gold"),
        metavar="FILE",
        help="links made by hand, i-j sure and i?j possible, counted from 0, for the "
        "first pairs or all; the alignment error rate goes to stderr",
    )
    add("-o", "--output", default=STANDARD, metavar="FILE", help="instead of stdout")


def run(arguments):
    """Align, write, and compare."""
    check_output(arguments.output)
    read = {"the text": arguments.text, "the target text": arguments.target}
    check_apart("-o", arguments.output, read | {"--gold": arguments.gold})
    with to_read(arguments.text) as path:
        X = _read_pairs(path, arguments.target)
    check_content(X, arguments.text, "sentence pairs")
    gold = arguments.gold and _read_gold(arguments.gold, X)
    with watched(_aligner(arguments)) as model:
        links = model.fit_predict(X)
    scores = _compared(gold, links) if arguments.gold else None
    with to_write(arguments.output) as path:
        write_links(links, path)
    if scores:
        print(scores, file=sys.stderr)


def _read_pairs(path, target_path):
    """The bitext; for a line that is not cut in two, advice for the command line."""
    try:
        return read_bitext(path, target_path)
    except ValueError as error:
        problem = re.match(r".*: expected one separator '\|\|\|', got \d+", str(error))
        if problem is None:
            raise
        raise ValueError(
            f"{problem[0]}. Each line is 'source ||| target'; a target text in a file "
            "of its own is named after that of the source."
        ) from error


def _read_gold(path, X):
    """Gold links of the first pairs or all, each inside its sentences."""
    gold = read_links(path, n_pairs=len(X))
    if not any(links is not None and len(links) for links in gold):
        raise ValueError(f"{path} holds no links.")
    sizes = np.column_stack([X.source.lengths, X.target.lengths])
    for number, (links, size) in enumerate(zip(gold, sizes, strict=True), 1):
        if links is None:
            continue
        outside = links[(links[:, :2] >= size).any(axis=1), :2]
        if len(outside):
            source, target = outside[0]
            raise ValueError(
                f"{path}, line {number}: the link {source}-{target} is out of range, "
                f"since the source has {size[0]} words and the target {size[1]}. Words "
                "are counted from 0: if the file counts from 1, take 1 from each "
                "number, as perl -pe 's/\\d+/$&-1/ge' does."
            )
    return gold


def _aligner(arguments):
    chosen = {"n_jobs": arguments.jobs}
    if arguments.iterations is not None:
        chosen["max_iter"] = arguments.iterations
    method = arguments.symmetrization
    if arguments.model in ("ibm1", "diagonal"):
        kind = IBM1Aligner if arguments.model == "ibm1" else DiagonalAligner
        return SymmetrizedAligner(
            kind(**chosen), method=method or "grow-diag-final-and"
        )
    chosen["symmetrization"] = method or "mean"
    if arguments.model == "hmm":
        return HMMAligner(**chosen)
    return CRFAutoencoderAligner(random_state=arguments.seed, **chosen)


def _compared(gold, links):
    rate = alignment_error_rate(gold, links)
    precision, recall, _ = alignment_precision_recall_f1(gold, links)
    return f"AER {rate:.4f}, precision {precision:.4f}, recall {recall:.4f}"
