"""The command line: flags in, exit codes out; everything else is called."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from audit.cli import (
    account,
    calibrate,
    certify,
    channel,
    demo,
    explain,
    generate,
    listing,
    release,
    replay,
    self_test,
    sensitivity,
    utility,
    verify,
)
from synthesizers.errors import DPAuditError, InputError, ProtocolError

INTERNAL = 70
"""The exit code of a fault of ours (the contract's CONTRADICTION)."""

COMMANDS = (
    demo,
    listing,
    channel,
    certify,
    verify,
    replay,
    release,
    account,
    calibrate,
    explain,
    sensitivity,
    utility,
    self_test,
    generate,
)


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    main_parser = argparse.ArgumentParser(
        prog="dp-audit",
        description="Check a privacy claim before data are released.",
        allow_abbrev=False,
    )
    main_parser.add_argument("--version", action="version", version=version("dp-audit"))
    commands = main_parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    for subparser in commands.choices.values():
        # It is not passed on by the parser above.
        subparser.allow_abbrev = False
    return main_parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the contract's exit code and never raises for bad input."""
    flags = parser().parse_args(argv)
    try:
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
    print(f"dp-audit: {error}", file=sys.stderr)
    return code
