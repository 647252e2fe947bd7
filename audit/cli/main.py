"""The command line: flags in, exit codes out; everything else is called."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from synthesizers.errors import DPAuditError, InputError, ProtocolError

INTERNAL = 70
"""The exit code of a fault of ours (the contract's CONTRADICTION)."""

COMMANDS = {
    "demo": "release, certify and report on real records",
    "list": "list what is built in, with the programs' cards",
    "domain": "draft a domain file of a public schema or table",
    "channel": "Pr[output | database] for every small database",
    "certify": "decide a privacy claim about a subject",
    "split": "put half of a table's records aside by coins, to audit a release by",
    "compare": "certificates side by side, on one ruler where they may be",
    "choose": "which of several tables is nearest to private data, at a stated epsilon",
    "criteria": "decide what a board asks by certificates and other reports",
    "verify": "re-check every number of a certificate",
    "attest": "say to others what a certificate shows: label, registry entry, in-toto",
    "replay": "test the rule of a certificate on fresh runs",
    "release": "make a synthetic table from real data",
    "account": "add up what several mechanisms cost",
    "calibrate": "find the least noise for a claim",
    "explain": "print a proof step by step",
    "sensitivity": "compare a function's declared sensitivity with what is found",
    "stability": "compare a transformation's map with its outputs",
    "components": "look at the calls of noise inside a function, line by line",
    "utility": "how useful synthetic tables are",
    "writeup": "fill a write-up from what a program asks, or check one",
    "disclosure": "what attacks on a release gain from the records it was made from",
    "review": "review submissions: verdicts, questions to send back, utility",
    "merge": "join the folders of a review's shards",
    "init-submission": "write an example of a challenge submission",
    "try": "run a challenge submission once, to see whether it works",
    "self-test": "run every auditor on programs that lie, and on honest ones",
    "generate": "make a benchmark table: a public process, a hidden seed",
}
"""Every command with its line in ``--help``; its module, of its own name or in `_MODULES`, declares
its flags in ``add`` and obeys them in ``run``."""

_MODULES = {"list": "listing", "try": "trying"}
"""Modules of commands whose names are Python's own words."""


class _Command(argparse.ArgumentParser):
    """The parser of one command, whose module is imported when the command is given."""

    module = ""

    def parse_known_args(self, *given: Any, **named: Any) -> Any:
        """As every parser's, with the command's own flags."""
        if self.module:
            module, self.module = import_module(f"audit.cli.{self.module}"), ""
            module.add(self)
            self.set_defaults(run=module.run)
        flags, left = super().parse_known_args(*given, **named)
        many = [one for one in self._actions if not one.option_strings and one.nargs == "*"]
        if many and not any(word.startswith("-") and word != "-" for word in left):
            # Words behind flags: Python 3.11 takes those in front of them for all there are.
            setattr(flags, many[0].dest, [*getattr(flags, many[0].dest), *left])
            left = []
        return flags, left


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    main_parser = argparse.ArgumentParser(
        prog="dp-audit",
        description="Check a privacy claim before data are released.",
        allow_abbrev=False,
    )
    main_parser.add_argument("--version", action="version", version=version("dp-audit"))
    commands = main_parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=_Command
    )
    for name, line in COMMANDS.items():
        # What the parser above knows of abbreviations is not passed on.
        command = commands.add_parser(name, help=line, allow_abbrev=False)
        command.module = _MODULES.get(name, name.replace("-", "_"))
    return main_parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the contract's exit code and never raises for bad input.

    SIGTERM is Ctrl-C meanwhile: whoever reports what was found until then does so for both.
    """
    with _terminates_as_interrupted():
        return _run(argv)


@contextmanager
def _terminates_as_interrupted() -> Iterator[None]:
    """Take SIGTERM for Ctrl-C, where that is ours to say."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _run(argv: Sequence[str] | None) -> int:
    try:
        # A command's module is imported here, and with it the arithmetic that is asked for.
        flags = parser().parse_args(argv)
        code: int = flags.run(flags)
        sys.stdout.flush()
        return code
    except InputError as error:
        return _fail(error, 2)
    except ProtocolError as error:
        return _fail(error, 4)
    except DPAuditError as error:
        return _fail(error, 2)
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            # The reader went away; what was asked for is done.
            return 0
        return _fail(InputError(f"a file could not be read or written: {error.strerror}"), 2)
    except KeyboardInterrupt:
        print("interrupted; nothing was written", file=sys.stderr)
        return 130
    except Exception as error:
        return _internal(error)


def _internal(error: Exception) -> int:
    """A fault of ours: where it is, and nothing that it may quote."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = "an unknown place"
    if frame is not None:
        code = frame.tb_frame.f_code
        place = f"{Path(code.co_filename).name}, line {frame.tb_lineno}, in {code.co_name}"
    message = f"a fault of dp-audit itself ({type(error).__name__} at {place}): please report it"
    print(f"dp-audit: {message}", file=sys.stderr)
    return INTERNAL


def _fail(error: DPAuditError, code: int) -> int:
    # Names of files are a stranger's, too: no sign of them moves a terminal.
    shown = "".join(c if c.isprintable() or c == "\n" else "?" for c in str(error))
    print(f"dp-audit: {shown}", file=sys.stderr)
    return code
