"""States of the words of a text."""

from pathlib import Path

import joblib
import numpy as np

from skstruct._cli._files import (
    STANDARD,
    check_apart,
    check_content,
    check_output,
    check_regular,
    errors_about,
    shown,
    to_read,
    to_write,
)
from skstruct._cli._progress import watched
from skstruct._persistence import trusted_types
from skstruct.containers import Ragged
from skstruct.datasets import read_conllu, read_text, write_conllu
from skstruct.datasets._conllu import looks_like_conllu, replace_column
from skstruct.datasets._lines import replaced
from skstruct.estimators import AnnealedHMM, CRFAutoencoderTagger

__all__ = ["DETAILS", "SUMMARY", "add_arguments", "run"]

SUMMARY = "Induce the word classes of a text, or tag it by a saved model."
DETAILS = (
    "Writes CoNLL-U. Of CoNLL-U, all but the column of the tags stays as it is; the "
    "lines of a text become sentences, but for empty ones."
)
_TRAINING = {"model": "--model", "n_states": "--n-states", "iterations": "--iterations"}


def add_arguments(parser):
    """Declare what ``tag`` takes."""
    add = parser.add_argument
    add("text", help="CoNLL-U, or tokenised text, a sentence a line; - reads stdin")
    add(
        *("-f", "--format"),
        choices=["conllu", "text"],
        help="what the text is (by default CoNLL-U if its name ends in .conllu or "
        ".conllu.gz)",
    )
    add(
        *("-m", "--model"),
        choices=["crf", "hmm"],
        help="crf: CRFAutoencoderTagger (the default); hmm: AnnealedHMM, faster",
    )
    add("-n", "--n-states", type=int, metavar="N", help="word classes (default 12)")
    add("-I", "--iterations", type=int, metavar="N", help="at most so many iterations")
    add("--seed", type=int, default=0, metavar="N", help="random seed (default 0)")
    add("-j", "--jobs", type=int, metavar="N", help="threads (default 1)")
    add(
        *("-c", "--column"),
        choices=["xpos", "upos", "misc"],
        default="xpos",
        help="where the tags go (default xpos, since upos is for universal tags; misc "
        "adds State=...)",
    )
    add(
        "--model-in",
        metavar="FILE",
        help="a saved model: *.skops, or by joblib, which runs code of the file",
    )
    add("--model-out", metavar="FILE", help="save the model: *.skops, else by joblib")
    add("-o", "--output", default=STANDARD, metavar="FILE", help="instead of stdout")


def run(arguments):
    """Train or load a model, tag, write."""
    _check_files(arguments)
    with to_read(arguments.text) as path:
        is_conllu = _is_conllu(arguments, path)
        X = read_conllu(path)[0] if is_conllu else read_text(path)
        X = X[X.lengths > 0]
        check_content(X, arguments.text, "words")
        model = _model(arguments, X)
        states = _states(model, X, arguments.model_in)
        tags = X.with_values(_tags(states, arguments.column))
        if arguments.model_out:
            _save(model, arguments.model_out)
        with to_write(arguments.output) as output:
            if is_conllu:
                replace_column(path, output, tags, tag=arguments.column)
            else:
                write_conllu(output, X, tags, tag=arguments.column)


def _check_files(arguments):
    """Raise if what is to be written has no place, or that of another file."""
    output, model_out = arguments.output, arguments.model_out
    check_output(output)
    check_apart("-o", output, {"--model-in": arguments.model_in})
    if model_out:
        check_regular("--model-out", model_out)
        check_apart(
            "--model-out", model_out, {"the text": arguments.text, "-o": output}
        )


def _is_conllu(arguments, path):
    if arguments.format:
        return arguments.format == "conllu"
    if arguments.text.lower().removesuffix(".gz").endswith(".conllu"):
        return True
    if looks_like_conllu(path):
        raise ValueError(
            f"{shown(arguments.text)} looks like CoNLL-U; pass --format conllu, or "
            "--format text if each line is a sentence."
        )
    return False


def _model(arguments, X):
    if arguments.model_in:
        for name, option in _TRAINING.items():
            if getattr(arguments, name) is not None:
                raise ValueError(
                    f"{option} is for training, but --model-in gives a trained model."
                )
        return _load(arguments.model_in)
    chosen = {"random_state": arguments.seed, "n_jobs": arguments.jobs}
    if arguments.iterations is not None:
        chosen["max_iter"] = arguments.iterations
    kind = AnnealedHMM if arguments.model == "hmm" else CRFAutoencoderTagger
    with watched(kind(arguments.n_states, **chosen)) as model:
        return model.fit(X)


def _uses_skops(path):
    return Path(path).suffix == ".skops"


def _save(model, path):
    with errors_about(path), replaced(path) as unfinished:
        if _uses_skops(path):
            _skops().dump(model, unfinished)
        else:
            joblib.dump(model, unfinished)


def _load(path):
    try:
        if _uses_skops(path):
            model = _skops().load(path, trusted=trusted_types())
        else:
            model = joblib.load(path)
    except (OSError, ImportError):
        raise
    except Exception as error:  # broken pickles raise anything
        why = f": {error}" if _uses_skops(path) else "."
        raise ValueError(
            f"{path} is no model that --model-out of this version has written{why}"
        ) from error
    if isinstance(model, type) or not hasattr(model, "predict"):
        raise _no_tagger(path, model)
    return model


def _states(model, X, path):
    """The state of each word, by a model that may come from a file."""
    if not path:
        return Ragged(model.predict(X)).values
    try:
        states = Ragged(model.predict(X))
    except Exception as error:  # what else can predict raises anything
        raise _no_tagger(path, model, f" these words: {error}") from error
    if not np.array_equal(states.offsets, X.offsets):
        raise _no_tagger(path, model)
    return states.values


def _tags(states, column):
    """States as this column holds them."""
    tags = [str(state) for state in states]
    if column != "misc":
        return tags
    for tag in tags:
        if "|" in tag:
            raise ValueError(
                f"the state {tag!r} holds '|', which parts the entries of misc; take "
                "another --column."
            )
    return [f"State={tag}" for tag in tags]


def _no_tagger(path, model, why="."):
    name = type(model).__name__
    return ValueError(f"{path} holds a {name}, which cannot tag{why}")


def _skops():
    try:
        import skops.io
    except ImportError as error:
        raise ImportError(
            "Files *.skops need skops: pip install skstruct[skops]"
        ) from error
    return skops.io
