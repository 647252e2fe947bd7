"""What a shell completes: commands, flags, and names that are built in.

The work is argcomplete's, of the extra ``completion``. It is imported where a shell asks, and by
``--completion``, which prints what the shell has to read.
"""

from __future__ import annotations

import argparse
import os
from typing import Any

from audit.cli.commands import COMMANDS
from audit.cli.usage import CommandParser, Parser
from synthesizers.errors import InputError

SHELLS = ("bash", "zsh", "fish")

TOPICS = {
    **dict.fromkeys(("subject", "program"), "programs"),
    **{"metrics": "metrics", "auditors": "auditors", "noise": "noise", "beyond": "causes"},
}
"""The topic of ``dp-audit list`` whose names a value may be, by where the parser keeps it."""

WORDS = {"neighbours": ("add-remove", "replace-one"), "unit": ("record", "person")}
"""The values of flags that are none of argparse's choices, by where the parser keeps them."""


class _Script(argparse.Action):
    """Print a shell's script, as ``--version`` prints the version."""

    def __call__(self, parser: argparse.ArgumentParser, *given: Any, **named: Any) -> None:
        _, shell, *_ = given
        try:
            from argcomplete.shell_integration import shellcode
        except ImportError:
            raise InputError(
                "completion is argcomplete's, which is not installed: "
                "pip install 'dp-audit[completion]', or argcomplete alone"
            ) from None
        print(shellcode([parser.prog], shell=shell))
        parser.exit()


def add(parser: Parser) -> None:
    """Declare ``--completion``."""
    parser.add_argument(
        "--completion",
        action=_Script,
        choices=SHELLS,
        help="print a script with which that shell completes commands, flags and names",
    )


def complete(parser: Parser, commands: argparse.Action) -> None:
    """Answer the shell that asks by its environment, and end; nothing where none does."""
    if "_ARGCOMPLETE" not in os.environ:
        return
    # Not at the top: an extra brings it.
    import argcomplete

    line = os.environ.get("COMP_LINE", "").split()
    name = next((word for word in line[1:] if word in COMMANDS), None)
    if name is not None and isinstance(commands.choices, dict):
        _name_values(commands.choices[name])
    argcomplete.autocomplete(parser)


def _name_values(command: CommandParser) -> None:
    """Have the values of a command's flags and words known, whose flags are loaded for it."""
    command.load()
    for action in command._actions:
        known = _known(action.dest)
        if known:
            # argcomplete reads it from there; argparse declares no such attribute.
            action.completer = _Completer(known)  # type: ignore[attr-defined]


def _known(dest: str) -> tuple[str, ...]:
    if dest not in TOPICS:
        return WORDS.get(dest, ())
    from audit.cli.listing import names

    return names(TOPICS[dest])


class _Completer:
    """Names, and for words that may be files as well the files."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def __call__(self, prefix: str, **_: Any) -> list[str]:
        from argcomplete.completers import FilesCompleter

        return [*self._names, *FilesCompleter()(prefix)]
