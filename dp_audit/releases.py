"""`release`: a synthetic table from real data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.release import Wanted, require_name
from audit.release import release as made
from dp_audit.arguments import DomainLike, optional_number, relation, required_domain, texts
from dp_audit.progress import Progress, nobody
from dp_audit.results import ReleaseResult
from synthesizers.domain import Dataset
from synthesizers.errors import InputError
from synthesizers.event_words import describe as describe_event
from synthesizers.events import Event, is_seed
from synthesizers.neighbours import Neighbours, ReplaceOne
from synthesizers.programs import PROGRAMS
from synthesizers.tables import from_frame

if TYPE_CHECKING:
    import pandas as pd


def release(
    program: str,
    data: str | Path | pd.DataFrame | Dataset,
    domain: DomainLike,
    *,
    rows: int | None = None,
    neighbours: str | Neighbours = ReplaceOne.name,
    unit: str = "record",
    max_records: int | None = None,
    parameters: Mapping[str, Any] | None = None,
    certificate: str | Path | None = None,
    trust_subject: bool = False,
    drop: Sequence[str] = (),
    numbers_within_bins: bool = False,
    progress: Progress = nobody,
    **keywords: Any,
) -> ReleaseResult:
    """Run a program on real data, and return the synthetic table with its ledger.

    >>> import dp_audit as dpa, pandas as pd
    >>> frame = pd.DataFrame({"cell": [0, 1, 1, 3]})
    >>> result = dpa.release("geometric-sanitizer", frame, dpa.Domain.from_cells("4"), epsilon=1)
    >>> result.guarantee
    "by the program's budget: epsilon = 1"
    >>> result.to_frame().columns.tolist()
    ['cell']

    program
        A built-in name, ``module:attribute`` or ``command:PATH``. Its own parameters are keywords,
        or a mapping ``parameters`` where one has the name of a keyword here.
    data
        The path of a table (CSV or Parquet), a data frame, or a `Dataset`. A program that is not
        built in takes the path alone, so that its process can be kept from the file.
    domain
        A `Domain`, or the path of a domain file.
    rows
        The public output size; needed where n is private.
    neighbours, unit, max_records
        As in `certify`.
    certificate
        The file of a certificate about the program: keep to its questions and its budget.
    trust_subject
        Run a program of a module even where nothing here can keep it from the data.
    drop
        Columns that the domain does not declare, such as names and numbers of persons: they are
        left out. Any other column of this kind is refused.
    numbers_within_bins
        Put out a number for each bin, drawn within it by public randomness.
    progress
        Told of each question.

    Raises ``ValueError`` for what makes no sense, ``RuntimeError`` for a program that asks what was
    not certified, or breaks its protocol.
    """
    require_name(program)
    about = required_domain(domain, None, unit)
    if isinstance(data, str | Path):
        table: str | Dataset = str(data)
    elif program not in PROGRAMS:
        raise InputError(
            "a program that is not built in is kept from the file of the data: give its path"
        )
    else:
        table = data if isinstance(data, Dataset) else from_frame(data, about, drop=tuple(drop))
        if table.domain != about:
            raise InputError("the dataset has another domain than the one that is stated")
    wanted = Wanted(
        program,
        table,
        about,
        relation(neighbours, unit, max_records),
        texts({**(parameters or {}), **keywords}),
        optional_number(rows, "--rows"),
        None if certificate is None else str(certificate),
        trust_subject,
        tuple(drop),
        numbers_within_bins,
    )

    def report(asked: int, event: Event) -> None:
        generating = "; generating" if is_seed(event) else ""
        progress("asking", asked, 0, f"{describe_event(event)}{generating}")

    return ReleaseResult(made(wanted, report))
