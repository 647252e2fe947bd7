"""The command line: flags in, exit codes out; everything else is called."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from audit.cli import completion
from audit.cli.commands import COMMANDS, overview
from audit.cli.libraries import missing_library
from audit.cli.usage import CommandParser, Parser
from synthesizers.errors import DPAuditError, InputError, ProtocolError

INTERNAL = 70
"""The exit code of a fault of ours (the contract's CONTRADICTION)."""


def parser() -> Parser:
    """The parser of all commands."""
    main_parser = Parser(
        prog="dp-audit",
        usage="dp-audit COMMAND …",
        description="Check a privacy claim before data are released.",
        epilog=f"{overview()}\n\nEach command says more, with examples: dp-audit COMMAND --help",
    )
    main_parser.add_argument("--version", action="version", version=version("dp-audit"))
    completion.add(main_parser)
    commands = main_parser.add_subparsers(
        dest="command",
        required=True,
        metavar="COMMAND",
        help="one of those below",
        parser_class=CommandParser,
    )
    for name in COMMANDS:
        commands.add_parser(name, prog=f"dp-audit {name}").name = name
    completion.complete(main_parser, commands)
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
    except ModuleNotFoundError as error:
        missing = missing_library(error)
        return _internal(error) if missing is None else _fail(InputError(missing), 2)
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
