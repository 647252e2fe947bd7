"""What people write in Python, as the exact values that the rooms below take."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from numbers import Integral
from pathlib import Path

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, neighbours_from
from synthesizers.schemas import load_domain

Number = int | float | Fraction | Decimal | str
"""A number of a claim or a parameter; of a float, its shortest decimal is meant: 0.1 is 1/10."""

DomainLike = Domain | str | Path
"""A domain, or the path of its file."""

MAX_COUNT = 10**15
"""The largest count: more records than any table has, and safe in 64-bit sums."""


def exact(value: object, name: str) -> Fraction:
    """The exact number; raises InputError, with the name, for what is none.

    Guarantee
    ---------
    A float is read as the shortest decimal that denotes it, and as nothing else. Backed by
    ``tests/dp_audit/test_arguments.py``.
    """
    return parse_rational(_shortest_decimal(value), name)


def text(value: object, name: str) -> str:
    """A parameter as the text that a program reads; raises InputError for what has none."""
    plain = _shortest_decimal(value)
    if isinstance(plain, bool):
        return str(plain).lower()
    if isinstance(plain, tuple | list):
        return ",".join(text(member, name) for member in plain)
    if not isinstance(plain, int | Fraction | Decimal | str):
        raise InputError(f"{name} must be a number or a text, found {type(plain).__name__}")
    return str(plain)


def texts(parameters: Mapping[str, object]) -> dict[str, str]:
    """The parameters of a program, as ``--set`` would give them."""
    return {name.replace("_", "-"): text(value, name) for name, value in parameters.items()}


def _shortest_decimal(value: object) -> object:
    """A float, also one of numpy's, as its shortest decimal; of numpy's integers Python's."""
    if isinstance(value, float):
        return repr(float(value))
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else value


def probability(value: object, name: str) -> Fraction:
    """A number strictly between 0 and 1; raises InputError."""
    number = exact(value, name)
    if not 0 < number < 1:
        raise InputError(f"{name} must lie strictly between 0 and 1, found {str(value)[:40]!r}")
    return number


def at_least_zero(value: object, name: str) -> Fraction:
    """A number that is not negative; raises InputError."""
    number = exact(value, name)
    if number < 0:
        raise InputError(f"{name} must not be negative, found {str(value)[:40]!r}")
    return number


def whole_number(value: object, name: str, least: int = 0, most: int = MAX_COUNT) -> int:
    """A whole number; raises InputError."""
    refusal = InputError(
        f"{name} must be a whole number from {least} to {most}, found {str(value)[:40]!r}"
    )
    try:
        number = exact(value, name)
    except InputError:
        raise refusal from None
    if number.denominator != 1 or not least <= number <= most:
        raise refusal
    return int(number)


def optional_number(value: object, name: str, least: int = 0) -> int | None:
    """A whole number that may be left out."""
    return None if value is None else whole_number(value, name, least)


def process_count(jobs: object) -> int:
    """The number of processes: what was asked for, or the cores of this machine."""
    if jobs is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    return whole_number(jobs, "--jobs", 1)


def relation(neighbours: str | Neighbours, unit: str, max_records: int | None) -> Neighbours:
    """The neighbouring relation, of its name or as itself; raises InputError."""
    if isinstance(neighbours, str):
        return neighbours_from(neighbours, unit, max_records)
    if not isinstance(neighbours, AddRemove | ReplaceOne):
        raise InputError("name the neighbours: neighbours='add-remove' or 'replace-one'")
    if unit != "record" or max_records is not None:
        raise InputError("a relation has its unit inside: leave out unit and max_records")
    return neighbours


def require_a_pair(records: int | None) -> None:
    """Raise InputError for an instance of the empty database alone, of which every claim holds."""
    if records == 0:
        raise InputError(
            "with 0 records there is one database and no neighbour of it, so that every claim "
            "would hold: give --records 1 or more"
        )


def require_one_domain(domain: object, cells: object) -> None:
    """Raise InputError unless a domain is stated once or not at all, as what one is."""
    if domain is not None and cells is not None:
        raise InputError("state the domain once, not both: --domain FILE, or --cells 4 (or 2x3)")
    if not isinstance(domain, DomainLike | None):
        raise InputError("a domain is a Domain, or the path of a domain file")


def domain_of(domain: DomainLike | None, cells: int | str | None, unit: str) -> Domain | None:
    """The domain as it is stated, once or not at all; raises InputError."""
    require_one_domain(domain, cells)
    if cells is not None:
        small = Domain.from_cells(str(cells))
        # Its records have to say whose they are, as those of a file's domain do.
        return replace(small, individual="person") if unit == "person" else small
    return domain if isinstance(domain, Domain | None) else load_domain(domain)


def required_domain(domain: DomainLike | None, cells: int | str | None, unit: str) -> Domain:
    """The domain, where one has to be stated; raises InputError."""
    stated = domain_of(domain, cells, unit)
    if stated is None:
        raise InputError("state the domain once: --domain FILE, or --cells 4 (or 2x3)")
    return stated


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Files by their own names, or all as they were typed where two names are alike."""
    short = {path: Path(path).name for path in paths}
    return short if len(set(short.values())) == len(short) else {path: path for path in paths}
