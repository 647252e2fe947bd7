"""`choose`: which of several tables is nearest to private data, at a stated epsilon."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from audit.choosing import choose as choose_privately
from audit.choosing import marginals_of
from dp_audit.arguments import (
    DomainLike,
    Number,
    exact,
    optional_number,
    probability,
    relation,
    required_domain,
    short_names,
    whole_number,
)
from dp_audit.results import ChoiceResult, ReleaseResult
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours, ReplaceOne
from synthesizers.tables import from_frame, read_table

if TYPE_CHECKING:
    import pandas as pd

    Table = str | Path | pd.DataFrame | Dataset | ReleaseResult


def choose(
    candidates: Sequence[str | Path] | Mapping[str, Table],
    data: str | Path | pd.DataFrame | Dataset,
    domain: DomainLike,
    epsilon: Number,
    *,
    columns: Sequence[str] | None = None,
    degree: int = 2,
    telling: Number = "1/2",
    error: Number = "1/20",
    rows: int | None = None,
    neighbours: str | Neighbours = ReplaceOne.name,
    unit: str = "record",
    max_records: int | None = None,
    drop: Sequence[str] = (),
) -> ChoiceResult:
    """Choose the synthetic table that is nearest to a private one, at the cost of ``epsilon``.

    >>> import dp_audit as dpa, pandas as pd
    >>> real = pd.DataFrame({"a1": [0, 1, 1, 1] * 250, "a2": [0, 0, 1, 2] * 250})
    >>> near, far = real.iloc[:100], real.iloc[:1]
    >>> small = dpa.Domain.from_cells("2x3")
    >>> result = dpa.choose({"near": near, "far": far}, real, small, epsilon=2)
    >>> result.chosen
    'near'
    >>> lower, upper = result.distance
    >>> upper < 0.1
    True

    candidates
        Paths (CSV or Parquet), or a mapping from names to paths, data frames, `Dataset`s, or what
        `release` returned. Each is public or a release of its own: its cost is not in ``epsilon``.
        The private table is refused.
    data
        The private table.
    domain
        A `Domain`, or the path of a domain file.
    epsilon
        What the choice costs, with all that is told of it.
    columns, degree
        The distance is the mean of the total variations on all marginals of one to so many of these
        columns (2; 3 at most), of the domain where they are left out.
    telling, error
        The share of epsilon that tells how near the chosen table is (0: that is not told; of a
        single candidate all of it does), and the chance that it lies outside of what is told.
    rows
        Where n is private: the public number of records that counts are compared for.
    neighbours, unit, max_records
        As in `certify`.
    drop
        Columns of the private table that the domain does not declare: they are left out. Those of
        candidates are not looked at.

    Raises ``ValueError`` for what makes no sense.
    """
    about = required_domain(domain, None, unit)
    named = _by_name(candidates)
    marginals = marginals_of(about, whole_number(degree, "--degree", 1, 3), columns)
    _require_others(named, data)
    share = exact(telling, "--telling")
    chance, size = probability(error, "--error"), optional_number(rows, "--rows", 1)
    where, cost = relation(neighbours, unit, max_records), exact(epsilon, "--epsilon")
    tables = {name: _candidate(name, table, about) for name, table in named.items()}
    return ChoiceResult(
        choose_privately(
            tables,
            lambda: _read(data, about, tuple(drop)),
            marginals,
            where,
            cost,
            telling=share,
            error=chance,
            rows=size,
        )
    )


def _by_name(candidates: Sequence[str | Path] | Mapping[str, Table]) -> dict[str, Table]:
    if isinstance(candidates, Mapping):
        return dict(candidates)
    if isinstance(candidates, str | Path):
        candidates = [candidates]
    paths = [str(one) for one in candidates]
    if len(set(paths)) < len(paths):
        raise InputError("a candidate is named twice: each is a table of its own")
    return {short_names(paths)[path]: path for path in paths}


def _require_others(named: Mapping[str, Table], data: Table) -> None:
    """InputError where the private table is a candidate: a ledger shows the counts of each."""
    for name, table in named.items():
        if table is data or _is_one_file(table, data):
            raise InputError(
                f"the candidate {name} is the private table itself: candidates are public, and "
                "the counts of each are written down"
            )


def _is_one_file(one: Table, other: Table) -> bool:
    if not isinstance(one, str | Path) or not isinstance(other, str | Path):
        return False
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False  # What can't be read is told where it is read.


def _candidate(name: str, table: Table, domain: Domain) -> Dataset:
    """A candidate, whose records are nobody's; errors name it."""
    held = table.released.table if isinstance(table, ReleaseResult) else table
    try:
        made = _read(held, domain, None)
    except InputError as error:
        reason = str(error).removeprefix(f"{name}: ")
        raise InputError(f"the candidate {name}: {reason}") from None
    if not made.records:
        raise InputError(f"the candidate {name} has no records")
    return Dataset(domain, made.codes)


def _read(
    table: str | Path | pd.DataFrame | Dataset, domain: Domain, drop: tuple[str, ...] | None
) -> Dataset:
    if isinstance(table, str | Path):
        return read_table(table, domain, drop=drop)
    held = table if isinstance(table, Dataset) else from_frame(table, domain, drop=drop)
    if held.domain.attributes != domain.attributes:
        raise InputError("the dataset has another domain than the one that is stated")
    return held
