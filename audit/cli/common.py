"""Flags that several commands share, and how their values are read."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

from dp_audit.arguments import whole_number
from synthesizers.errors import InputError


def settings(pairs: list[str] | None) -> dict[str, str]:
    """The ``--set name=value`` flags; raises InputError for a malformed or repeated one."""
    values: dict[str, str] = {}
    for pair in pairs or []:
        name, equals, value = pair.partition("=")
        name = name.strip().replace("_", "-")
        if not equals or not name:
            raise InputError(f"--set reads name=value, found {pair!r}")
        if name in values:
            raise InputError(f"--set {name} is given twice")
        values[name] = value.strip()
    return values


def arguments(function: Callable[..., Any], flags: argparse.Namespace) -> dict[str, Any]:
    """What the flags say of a function's arguments, by name; its defaults hold for the others."""
    names = [p.name for p in signature(function).parameters.values() if p.kind in _NAMED]
    stated = {name: getattr(flags, name, None) for name in names}
    if "parameters" in names:
        stated["parameters"] = settings(flags.set)
    return {name: value for name, value in stated.items() if value is not None}


_NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)


def require_writable(*paths: str | None, inputs: Sequence[str | None] = ()) -> None:
    """Raise InputError before any work if an output cannot be written or is used twice.

    ``inputs``: files that are read, which no output may be.
    """
    taken = {Path(path).resolve() for path in inputs if path is not None}
    for path in paths:
        if path in (None, "-"):
            continue
        assert path is not None
        target = Path(path)
        if target.is_dir():
            raise InputError(f"{path} is a folder; expected the name of a file to write")
        if not target.parent.is_dir():
            raise InputError(f"the folder of {path} does not exist; make it first")
        if target.resolve() in taken:
            raise InputError(f"{path} is used twice; give every file of a command its own name")
        taken.add(target.resolve())


def add_relation(
    parser: argparse.ArgumentParser, *, required: bool, default: str = "replace-one"
) -> None:
    """``--neighbours``, ``--unit``, ``--max-records``; ``default``: the relation without them."""
    parser.add_argument(
        "--neighbours",
        "--neighbors",
        required=required,
        metavar="RELATION",
        help="add-remove: one unit's records are there or not, and the number of records is "
        "private; replace-one: they are exchanged for others, and it is public"
        + ("" if required else f" (default: {default})"),
    )
    parser.add_argument(
        "--unit",
        default="record",
        metavar="record|person",
        help="who is protected: one record (default), or a person with all records of theirs",
    )
    parser.add_argument(
        "--max-records", type=_count, metavar="M", help="the most records of one person"
    )


def _count(text: str) -> int:
    try:
        return whole_number(text, "--max-records", 1)
    except InputError as error:
        # argparse shows no other error's words.
        raise argparse.ArgumentTypeError(str(error)) from None


def add_output(parser: argparse.ArgumentParser, *, html: bool = False) -> None:
    """``--json``, ``--quiet``, and ``--html`` where there is a page."""
    parser.add_argument("--json", metavar="FILE", help="write the result as JSON; - prints it")
    if html:
        parser.add_argument("--html", metavar="FILE", help="write the report")
    parser.add_argument("--quiet", action="store_true", help="no talk, no progress")


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """``--jobs``."""
    parser.add_argument("--jobs", metavar="N", help="processes (default: all cores)")


def add_python(parser: argparse.ArgumentParser) -> None:
    """``--python``, of commands that run a certificate's subject again."""
    parser.add_argument(
        "--python", metavar="PATH", help="the Python of its environment, if that is another one"
    )


def add_folder(parser: argparse.ArgumentParser) -> None:
    """``--folder``, of the same commands."""
    parser.add_argument(
        "--folder", metavar="PATH", help="where the subject lies (default: this folder)"
    )


def add_domain(parser: argparse.ArgumentParser) -> None:
    """``--domain``, ``--cells``."""
    parser.add_argument(
        "--domain", metavar="FILE", help="a domain file (TOML; see: dp-audit domain)"
    )
    parser.add_argument("--cells", metavar="K", help="a small domain: 4, or 2x3")


def add_limits(parser: argparse.ArgumentParser, seconds: str) -> None:
    """``--seconds``, ``--megabytes``: what one run of a subject may take."""
    parser.add_argument("--seconds", metavar="T", help=f"the longest that one may take ({seconds})")
    parser.add_argument("--megabytes", metavar="M", help="the memory that one may take (4096)")


def add_settings(parser: argparse.ArgumentParser) -> None:
    """``--set``."""
    parser.add_argument(
        "--set",
        action="append",
        metavar="name=value",
        help="a program parameter (see: dp-audit list programs); repeat",
    )


def add_as_program(parser: argparse.ArgumentParser) -> None:
    """``--as program``, which a command that takes programs alone accepts as `certify` does."""
    parser.add_argument(
        "--as",
        dest="form",
        choices=("program",),
        help="program: the subject asks a curator, as all must here; may be left out",
    )


def add_released(parser: argparse.ArgumentParser) -> None:
    """``--released``."""
    parser.add_argument(
        "--released",
        default="output",
        choices=("output", "transcript"),
        help="what is analysed: the synthetic data (default) or all noisy answers",
    )
