"""The command line: flags in, exit codes out; everything else is called."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from audit.commands import certify, channel, demo, listing, release, verify
from synthesizers.errors import DPAuditError, InputError, ProtocolError

COMMANDS = (demo, listing, channel, certify, verify, release)


def parser() -> argparse.ArgumentParser:
    """The parser of all commands."""
    main_parser = argparse.ArgumentParser(
        prog="dp-audit",
        description="Check a privacy claim before data are released.",
        allow_abbrev=False,
    )
    commands = main_parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
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
    except KeyboardInterrupt:
        print("interrupted; nothing was written", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader went away; what was asked for is done.
        sys.stderr.close()
        return 0


def _fail(error: DPAuditError, code: int) -> int:
    print(f"dp-audit: {error}", file=sys.stderr)
    return code
