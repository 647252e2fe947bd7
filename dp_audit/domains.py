"""`domain`: a draft of a domain file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dp_audit.arguments import exact, whole_number
from dp_audit.results import DomainResult
from synthesizers.drafts.draft import Bins, Draft
from synthesizers.drafts.forms import draft_schema_file
from synthesizers.drafts.from_table import GIVES_AWAY, draft_table
from synthesizers.drafts.names import draft_names
from synthesizers.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

MOST_BINS = 10_000
"""The most bins of a column: more are no bins that anybody counts in."""


def domain(
    columns: Sequence[str] = (),
    *,
    from_schema: str | Path | None = None,
    from_public_table: str | Path | pd.DataFrame | None = None,
    from_confidential_table: str | Path | pd.DataFrame | None = None,
    table: str | None = None,
    bins: Sequence[str | int] | str | int = (),
    apart: Sequence[str] = (),
    individual: str | None = None,
) -> DomainResult:
    """Draft a domain file of what is publicly known, with marks where that is not enough.

    >>> import dp_audit as dpa
    >>> result = dpa.domain(["age:number", "smoker:boolean"])
    >>> result
    <DomainResult: 2 attributes from names and types alone, 1 to fill in>
    >>> print(result.toml)
    # A draft of a domain file by dp-audit domain, from names and types alone.
    # Write values or bins in place of 'FILL IN', or delete the line.
    name = "domain"
    <BLANKLINE>
    [attributes]
    <BLANKLINE>
    # FILL IN: edges, as in bins = [0, 30, 60]
    age = { bins = "FILL IN", ordinal = true }
    smoker = { values = ["False", "True"] }
    <BLANKLINE>

    columns
        Names and types, ``NAME:TYPE``, where there is no other source: ``number``, ``category``,
        ``boolean``, ``date``, ``datetime``, ``time`` or ``id``.
    from_schema
        The path of a schema of another tool: SDNist's data dictionary or schema, metadata of SDV or
        SDMetrics, a table schema or data package of Frictionless Data, the ``parameters.json`` of
        DeID2, or a column schema.
    from_public_table
        The path of a public or a synthetic table (CSV or Parquet), or a data frame.
    from_confidential_table
        The same of a confidential table: what it gives away is told, and no (ε, δ) covers it.
    table
        The one that is meant of a schema of several.
    bins
        How many bins columns of numbers have: of equal width between the ends that a schema says,
        at percentiles of a table. ``20``, or ``"income=20"`` for one column; several as a list.
    apart
        Numbers that are codes and have a bin of their own, as ``"POVPIP=501"``; of tables.
    individual
        The column of a table that says whose record it is.

    Raises ``ValueError`` for what makes no sense.
    """
    sources = {
        "--from-schema": from_schema,
        "--from-public-table": from_public_table,
        "--from-confidential-table": from_confidential_table,
        "columns as NAME:TYPE": columns or None,
    }
    given = [flag for flag, source in sources.items() if source is not None]
    if len(given) != 1:
        raise InputError(f"a draft has one source, {', '.join(sources)}: name one of them")
    wanted = _bins(bins, apart)
    of_table = from_public_table is not None or from_confidential_table is not None
    _require_use(of_table or from_schema is not None, "--bins", wanted.all or wanted.named)
    _require_use(of_table, "--apart", apart)
    _require_use(of_table, "--id", individual)
    _require_use(from_schema is not None, "--table", table)
    secret = from_confidential_table is not None
    if from_schema is not None:
        draft = draft_schema_file(from_schema, wanted, table)
    elif of_table:
        source = from_confidential_table if secret else from_public_table
        assert source is not None
        draft = _of_table(source, wanted, individual, secret)
    else:
        draft = draft_names([columns] if isinstance(columns, str) else columns)
    return DomainResult(draft, GIVES_AWAY if secret else ())


def _of_table(
    source: str | Path | pd.DataFrame, bins: Bins, individual: str | None, secret: bool
) -> Draft:
    try:
        return draft_table(source, bins, individual, confidential=secret)
    except InputError as error:
        named = isinstance(source, str | Path) and not str(error).startswith(str(source))
        raise type(error)(f"{source}: {error}" if named else str(error)) from error


def _bins(bins: Sequence[str | int] | str | int, apart: Sequence[str]) -> Bins:
    """The bins that are asked for; raises InputError for another form."""
    every = None
    named = {}
    for text in [bins] if isinstance(bins, str | int) else bins:
        name, equals, count = str(text).rpartition("=")
        number = whole_number(count, "--bins", 1)
        if number > MOST_BINS:
            raise InputError(f"--bins must be at most {MOST_BINS}, found {number}")
        if equals:
            named[name] = number
        else:
            every = number
    codes = []
    for text in [apart] if isinstance(apart, str) else apart:
        name, equals, code = text.rpartition("=")
        number_apart = exact(code, "--apart") if equals else None
        if number_apart is None or number_apart.denominator != 1:
            raise InputError(f"--apart reads COLUMN=CODE, a whole number; found {text!r}")
        codes.append((name, number_apart))
    return Bins(every, tuple(named.items()), tuple(codes))


def _require_use(used: bool, flag: str, value: object) -> None:
    if value and not used:
        raise InputError(f"{flag} says nothing of this source; leave it out")
