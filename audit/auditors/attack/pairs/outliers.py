"""Outliers: pairs of a public table, with and without the records that are farthest from others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.pairs.given_pairs import chain_pair
from audit.auditors.attack.pairs.sizes import LARGEST
from audit.subjects.pair import Pair
from synthesizers.domain import Dataset
from synthesizers.neighbours import AddRemove, Neighbours
from synthesizers.tables import to_frame

MOST_OUTLIERS = 4
"""Records each of which makes a pair."""


def list_outlier_pairs(
    table: Dataset, neighbours: Neighbours, records: int | None
) -> tuple[Pair, ...]:
    """Pairs of a table without and with a record far from all others, the farthest first.

    Of a larger table the first `LARGEST` records, or as many as the claim's databases have. Under
    replace-one the record is exchanged for the one in the middle of the table. Far is who differs
    from the nearest other record in most attributes. Records are in labels; none where the claim
    is of persons, whose records the table may not tell apart, or has another number of records.
    """
    size = min(table.records, LARGEST if records is None else records)
    exact = neighbours.records_public and records is not None
    if not neighbours.unit.is_record or size < 2 or (exact and size != records):
        return ()
    codes = table.codes[:size]
    listed: list[dict[Any, Any]] = to_frame(table)[list(table.domain.names)][:size].to_dict(
        "records"
    )
    spelt = [
        {name: None if code == missing else row[name] for name, code, missing in parts}
        for row, parts in (
            (row, _parts(table, own)) for row, own in zip(listed, codes, strict=True)
        )
    ]
    apart = _nearest(codes)
    usual = spelt[int(np.argmin(apart))]
    found = []
    for place in np.argsort(-apart, kind="stable")[:MOST_OUTLIERS]:
        others = [dict(one) for n, one in enumerate(spelt) if n != place]
        whole = [*(dict(one) for one in others), dict(spelt[place])]
        first = others if isinstance(neighbours, AddRemove) else [*others, dict(usual)]
        if first == whole:
            continue
        told = f"record {place + 1} of the public table, far from all others"
        pair = chain_pair((first, whole), neighbours, table.domain, told, records=records)
        found.append(replace(pair, kind="outliers of a public table"))
    return tuple(found)


def _parts(table: Dataset, codes: NDArray[np.int64]) -> list[tuple[str, int, int]]:
    """Name, code and the code of the missing value, of each attribute."""
    attributes = table.domain.attributes
    return [(a.name, int(c), len(a.values)) for a, c in zip(attributes, codes, strict=True)]


def _nearest(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """[records], in how many attributes each record differs from the nearest other one."""
    found = np.empty(len(codes), np.int64)
    for place, own in enumerate(codes):
        apart = np.count_nonzero(codes != own, axis=1)
        apart[place] = codes.shape[1] + 1
        found[place] = apart.min()
    return found
