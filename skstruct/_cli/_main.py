"""From arguments to an exit code; what goes wrong is said in one line."""

import argparse
import os
import sys
import warnings
from contextlib import redirect_stderr

from skstruct._cli import _align, _tag

__all__ = ["main"]

_PROGRAM = "python -m skstruct"
# As shells report what signals end.
_INTERRUPTED, _BROKEN_PIPE = 130, 141


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: error: {message} (--help lists the options)\n")


def _parser():
    parser = _Parser(prog=_PROGRAM, description="Align translations, or tag text.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, command in (("align", _align), ("tag", _tag)):
        one = commands.add_parser(
            name,
            help=command.SUMMARY,
            description=f"{command.SUMMARY} {command.DETAILS}",
        )
        command.add_arguments(one)
        one.set_defaults(run=command.run, prog=one.prog)
    return parser


def main(argv=None):
    """Run a command.

    Parameters
    ----------
    argv : list of str, default=None
        The arguments; None takes those of the process.

    Returns
    -------
    int
        0, or 2 after an error in arguments, files or data, which has been said on
        standard error.
    """
    if sys.stderr is None:  # closed by the shell; print would go to standard output
        with open(os.devnull, "w") as nowhere, redirect_stderr(nowhere):
            return main(argv)
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as end:
        return end.code

    def say(kind, message):
        # An error in one line can be found in a log.
        line = " ".join(str(message).split())
        print(f"{arguments.prog}: {kind}: {line}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: say("warning", message)
        try:
            arguments.run(arguments)
            if sys.stdout:
                sys.stdout.flush()
        except KeyboardInterrupt:
            return _INTERRUPTED
        except BrokenPipeError:
            # Python flushes standard output once more when it ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return _BROKEN_PIPE
        except (ValueError, OSError, ImportError) as error:
            say("error", error)
            return 2
    return 0
