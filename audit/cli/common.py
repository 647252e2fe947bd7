"""Flags that several commands share, and how their values are read."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.files import replacing
from synthesizers.neighbours import Neighbours, neighbours_from
from synthesizers.schemas import load_domain

MAX_COUNT = 10**15
"""The largest count of a flag: more records than any table has, and safe in 64-bit sums."""


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


def relation(flags: argparse.Namespace) -> Neighbours:
    """The neighbouring relation of the flags."""
    return neighbours_from(flags.neighbours, flags.unit, flags.max_records)


def domain(flags: argparse.Namespace) -> Domain:
    """The domain of ``--domain`` or ``--cells``."""
    file, cells = getattr(flags, "domain", None), getattr(flags, "cells", None)
    if file is not None and cells is None:
        return load_domain(file)
    if cells is not None and file is None:
        found = Domain.from_cells(cells)
        # Its records have to say whose they are, as those of a file's domain do.
        return replace(found, individual="person") if flags.unit == "person" else found
    raise InputError("state the domain once: --domain FILE, or --cells 4 (or 2x3)")


def whole_number(text: str, name: str, least: int = 0) -> int:
    """A whole number of a flag; raises InputError."""
    value = parse_rational(text, name)
    if value.denominator != 1 or not least <= value <= MAX_COUNT:
        raise InputError(
            f"{name} must be a whole number from {least} to {MAX_COUNT}, found {text[:40]!r}"
        )
    return int(value)


def optional_number(text: str | None, name: str, least: int = 0) -> int | None:
    """A whole number of a flag that may be left out."""
    return None if text is None else whole_number(text, name, least)


def epsilons(texts: list[str] | None) -> Mapping[str, Fraction]:
    """The ``--epsilon`` flags, keyed as typed."""
    found: dict[str, Fraction] = {}
    for text in texts or []:
        value = parse_rational(text, "--epsilon")
        if value < 0:
            raise InputError(f"--epsilon must not be negative, found {text!r}")
        found[text] = value
    return found


def jobs(text: str | None) -> int:
    """The number of processes: what was asked for, or the cores of this machine."""
    if text is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    return whole_number(text, "--jobs", 1)


def require_writable(*paths: str | None, inputs: Sequence[str | None] = ()) -> None:
    """Raise InputError before any work if an output cannot be written or is used twice.

    ``inputs``: files that are read, which no output may be.
    """
    taken = {Path(path).resolve() for path in inputs if path is not None}
    for path in paths:
        if path is None:
            continue
        target = Path(path)
        if target.is_dir():
            raise InputError(f"{path} is a folder; expected the name of a file to write")
        if not target.parent.is_dir():
            raise InputError(f"the folder of {path} does not exist; make it first")
        if target.resolve() in taken:
            raise InputError(f"{path} is used twice; give every file of a command its own name")
        taken.add(target.resolve())


def write_text(path: str, text: str) -> None:
    """Write a file whole or not at all."""
    with replacing(Path(path)) as file:
        file.write(text.encode())


def add_relation(
    parser: argparse.ArgumentParser, *, required: bool, default: str = "replace-one"
) -> None:
    """``--neighbours``, ``--unit``, ``--max-records``; ``default``: the relation without them."""
    parser.add_argument(
        "--neighbours",
        required=required,
        metavar="add-remove|replace-one",
        help="which databases are neighbours" + ("" if required else f" (default: {default})"),
    )
    parser.add_argument("--unit", default="record", metavar="record|person", help="default: record")
    parser.add_argument(
        "--max-records", type=_count, metavar="M", help="the most records of one person"
    )


def _count(text: str) -> int:
    return whole_number(text, "--max-records", 1)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """``--set``, ``--jobs``, ``--quiet``."""
    parser.add_argument(
        "--set",
        action="append",
        metavar="name=value",
        help="a program parameter (see: dp-audit list programs); repeat",
    )
    parser.add_argument("--jobs", metavar="N", help="processes (default: all cores)")
    parser.add_argument("--quiet", action="store_true", help="no talk, no progress")


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
