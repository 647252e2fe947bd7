"""`disclosure`: what attacks on one release gain from the records that it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from audit.disclosure.checks import check_release, name_attackers
from audit.disclosure.tables import Tables
from audit.subjects.splits import read_split
from audit.utility.records import Outside, Records
from audit.verify import load_certificate, recheck_proof
from dp_audit.arguments import DomainLike, Number, probability, required_domain, whole_number
from dp_audit.progress import Progress, nobody
from dp_audit.reading import read_whole
from dp_audit.results import DisclosureResult, ReleaseResult
from synthesizers.domain import Dataset
from synthesizers.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    Table = str | Path | pd.DataFrame | Dataset | ReleaseResult


def disclosure(
    real: Table,
    synthetic: Table,
    domain: DomainLike,
    *,
    holdout: Table | None = None,
    split: str | Path | None = None,
    quasi_identifiers: str | Sequence[str] | None = None,
    secrets: str | Sequence[str] | None = None,
    link: Sequence[str | Sequence[str]] | None = None,
    certificates: Sequence[str | Path] = (),
    confidence: Number = 0.95,
    seed: int = 0,
    outside: Outside = "refuse",
    progress: Progress = nobody,
) -> DisclosureResult:
    """Attack one release, and see what it gains from the table that it was made from.

    >>> import dp_audit as dpa, pandas as pd
    >>> table = pd.DataFrame({"a1": [0, 1] * 200, "a2": [0, 1, 2, 3] * 100})
    >>> held = pd.DataFrame({"a1": [1, 0] * 200, "a2": [0, 1, 2, 3] * 100})
    >>> result = dpa.disclosure(table, table, dpa.Domain.from_cells("2x4"), holdout=held)
    >>> result
    <DisclosureResult: 7 attacks on a release of 400 records, none of it private>
    >>> result.disclosure.membership.advantage > 0.9
    True

    real, synthetic
        The table that the release was made from, and the release: paths (CSV or Parquet), data
        frames, `Dataset`s, or what `release` returned.
    domain
        A `Domain`, or the path of a domain file.
    holdout
        Records of the same source, set aside at random before the release was made.
    split
        In its place the path of a record that ``dp-audit split`` wrote: what is otherwise said of
        the holdout is then shown.
    quasi_identifiers
        Columns that others know from elsewhere; without them, all but the one that is guessed.
    secrets
        Columns that are guessed; without them, each other one in its turn.
    link
        Two sets of columns that come from two sources; without them, both halves of the columns.
    certificates
        Paths of certificates of the program that made the release.
    confidence
        Of the intervals of one kind of attack together.
    seed
        Of all that is drawn (0).
    outside
        Values that the domain does not declare: ``"refuse"``, or ``"cell"``, one of their own.
    progress
        Told of the work as it goes on.

    Raises ``ValueError`` for what makes no sense.
    """
    space = required_domain(domain, None, "record")
    error = 1 - probability(confidence, "--confidence")
    start = whole_number(seed, "--seed")
    sides = None if link is None else [_names(side) or () for side in link]
    attackers = name_attackers(space, _names(quasi_identifiers), _names(secrets), sides)
    if (holdout is None) == (split is None):
        raise InputError(
            "give a holdout, or the record of a split: --holdout FILE or --split split.json. "
            "Without records that the release was not made from, a hit is no sign of disclosure"
        )
    if outside not in ("refuse", "cell"):
        raise InputError(f"--outside is refuse or cell, found {str(outside)[:40]!r}")
    documents = [(Path(path).name, load_certificate(str(path))) for path in certificates]
    chosen = None
    named = {"real": real, "holdout": holdout, "synthetic": synthetic}
    if split is not None:
        found = read_split(split)
        chosen = found.chosen
        halves = (_frame(found.names, found.records, half) for half in (chosen, ~chosen))
        training, named["holdout"] = halves
    records: dict[str, Records] = {}
    left: dict[str, tuple[str, ...]] = {}
    for part, table in named.items():
        progress("reading", 0, 0, part)
        name = str(table) if isinstance(table, str | Path) else f"the {part} table"
        shown = part == "synthetic"
        records[part], left[name] = read_whole(name, table, space, outside, shown)
    if split is not None:
        half, _ = read_whole(str(split), training, space, outside, shown=False)
        _require_same(half, records["real"], str(split))
    result = check_release(
        Tables(**records, chosen=chosen),
        attackers,
        float(error),
        start,
        certificates=[(file, plain, recheck_proof(plain)) for file, plain in documents],
        undeclared={name: columns for name, columns in left.items() if columns},
        progress=lambda done, total, name: progress("checking", done, total, name),
    )
    return DisclosureResult(result)


def _names(columns: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """The names of columns, also of a list of them with commas."""
    if isinstance(columns, str):
        return tuple(name.strip() for name in columns.split(","))
    return None if columns is None else tuple(map(str, columns))


def _frame(names: Sequence[str], records: Sequence[Sequence[str]], chosen: Any) -> pd.DataFrame:
    import pandas as pd

    rows = [record for record, kept in zip(records, chosen, strict=True) if kept]
    return pd.DataFrame(rows, columns=list(names), dtype=str)


def _require_same(training: Records, real: Records, split: str) -> None:
    """Raise InputError unless the real table is the half that the split's coins chose."""
    alike = np.array_equal(training.codes, real.codes) and all(
        np.array_equal(numbers, real.binned[name], equal_nan=True)
        for name, numbers in training.binned.items()
    )
    if not alike:
        raise InputError(
            f"the real table is not the training half of {split}, record by record: the release "
            "must have been made from that half"
        )
