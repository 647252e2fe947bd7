"""The parser of one command: its help in titled groups, and one line for what it can't read."""

from __future__ import annotations

import argparse
import re
import shutil
import textwrap
from importlib import import_module
from itertools import takewhile
from typing import Any, NoReturn

from audit.cli.commands import COMMANDS
from audit.cli.groups import GROUPS
from synthesizers.errors import InputError
from synthesizers.suggestions import suggest

_PLAINER = (
    (r"^the following arguments are required: COMMAND", "name a command"),
    (r"^the following arguments are required: ", "missing: "),
    (r"/--neighbors", ""),
    (r"^argument (--[a-z-]+): expected one argument", r"\1 needs a value"),
    (r"^argument (--[a-z-]+): expected (\w+|at least one) arguments?", r"\1 needs \2 values"),
    (r"^argument [^:]*: (?=--)", ""),
)
"""What argparse says, in the words of the other messages."""

_TITLES = {flag: title for title, flags in GROUPS.items() for flag in flags}


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are errors of ours, and whose text keeps its lines."""

    def __init__(self, **named: Any) -> None:
        named.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **named)

    def error(self, message: str) -> NoReturn:
        """Raise InputError: what can't be read, and where the flags are shown."""
        for pattern, words in _PLAINER:
            message = re.sub(pattern, words, message)
        raise InputError(f"{message} (see: {self.prog} --help)")

    def parse_known_args(self, *given: Any, **named: Any) -> Any:
        """As every parser's, but a word that is left over is refused at once."""
        flags, left = super().parse_known_args(*given, **named)
        if left:
            self._refuse(left)
        return flags, left

    def _refuse(self, left: list[str]) -> NoReturn:
        """Raise InputError for the first word that is left over, an option before others."""
        flags = [word.partition("=")[0] for word in left if is_flag(word)]
        if flags:
            known = self._option_string_actions
            self.error(f"there is no option {flags[0]}{suggest(flags[0], known)}")
        self.error(f"nothing is expected where {left[0]!r} stands; quote a value that has spaces")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a word that is none of the action's, with the one that may be meant."""
        if action.choices is None or value in action.choices:
            return
        known = [str(choice) for choice in action.choices]
        what = "command" if action.dest == "command" else "/".join(action.option_strings)
        listed = "" if action.dest == "command" else f"; expected {', '.join(known)}"
        self.error(f"there is no {what or action.dest} {value!r}{listed}{suggest(value, known)}")


class CommandParser(Parser):
    """The parser of one command, whose module is imported when the command is given."""

    name = ""

    def load(self) -> None:
        """Import the command's module, and take its flags; once."""
        if not self.name:
            return
        command, self.name = COMMANDS[self.name], ""
        self.description = textwrap.fill(command.purpose, _width())
        self.epilog = "\n".join(["examples:", *map(fold, command.examples)])
        self._positionals.title, self._optionals.title = "what it is given", "help"
        self._groups = {title: self.add_argument_group(title) for title in GROUPS}
        module = import_module(f"audit.cli.{command.module}")
        module.add(self)
        self.set_defaults(run=module.run)

    def add_argument(self, *names: Any, **named: Any) -> argparse.Action:
        """As every parser's, in the group that the flag has in all commands."""
        title = _TITLES.get(str(names[0])) if names else None
        if title is None:
            return super().add_argument(*names, **named)
        return self._groups[title].add_argument(*names, **named)

    def parse_known_args(self, *given: Any, **named: Any) -> Any:
        """As every parser's, with the command's own flags."""
        self.load()
        words = given[0] if given and given[0] is not None else ()
        # Before what is missing is said: the mistyped option may be it.
        unknown = [word for word in takewhile("--".__ne__, words) if self._is_unknown(word)]
        if unknown:
            self._refuse(unknown)
        flags, left = argparse.ArgumentParser.parse_known_args(self, *given, **named)
        many = [one for one in self._actions if not one.option_strings and one.nargs == "*"]
        if many and not any(map(is_flag, left)):
            # Words behind flags: Python 3.11 takes those in front of them for all there are.
            setattr(flags, many[0].dest, [*getattr(flags, many[0].dest), *left])
            left = []
        if left:
            self._refuse(left)
        return flags, left

    def _is_unknown(self, word: str) -> bool:
        return word.startswith("--") and word.partition("=")[0] not in self._option_string_actions

    def format_usage(self) -> str:
        """The words and flags that are always given; the others are explained below it."""
        needed = [one for one in self._actions if one.required]
        words = " ".join([self.prog, *map(_spell, needed), "[options]"])
        return textwrap.fill(f"usage: {words}", _width(), subsequent_indent=" " * 7) + "\n"

    def format_help(self) -> str:
        """As every parser's, with the short usage."""
        _, _, rest = super().format_help().partition("\n\n")
        return f"{self.format_usage()}\n{rest.rstrip()}\n"


def is_flag(word: str) -> bool:
    """Whether a word is an option; a hyphen alone is standard input."""
    return word.startswith("-") and word != "-"


def fold(example: str, width: int = 78) -> str:
    """A command on lines of at most so many characters where its flags allow, for a shell."""
    lines = [""]
    for part in re.split(r" (?=--)", example):
        if lines[-1] and len(lines[-1]) + len(part) + 3 > width:
            lines[-1] += " \\"
            lines.append(f"      {part}")
        else:
            lines[-1] = f"{lines[-1]} {part}" if lines[-1] else f"  {part}"
    return "\n".join(lines)


def _spell(action: argparse.Action) -> str:
    name = action.metavar if isinstance(action.metavar, str) else action.dest
    if not action.option_strings:
        return f"{name} …" if action.nargs in ("+", "*") else name
    return f"{action.option_strings[0]} {name.upper() if action.metavar is None else name}"


def _width() -> int:
    return shutil.get_terminal_size().columns - 2
