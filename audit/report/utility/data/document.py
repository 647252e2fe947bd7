"""The data of synthetic tables beside the real one as JSON: all counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from audit.utility.data.attribute_counts import AttributeCounts
from audit.utility.data.compare import Data
from audit.utility.data.coverage import Coverage
from audit.utility.data.pair_counts import PairCounts, PairDistances


def data_json(data: Data, real: str, records: Mapping[str, int]) -> dict[str, Any]:
    """Every list of one entry a file is in the order of ``files``."""
    return {
        "files": list(data.files),
        "attributes": [_attribute(one) for one in data.attributes],
        "pairs": [_distances(pair) for pair in data.apart],
        "worst_pairs": [_pair(pair) for pair in data.pairs],
        "coverage": [_coverage(each, records[real], records[each.file]) for each in data.coverage],
    }


def _attribute(one: AttributeCounts) -> dict[str, Any]:
    held = [place for place, counts in enumerate(zip(*one.counts, strict=True)) if any(counts)]
    real, *synthetic = ([row[place] for place in held] for row in one.counts)
    return {
        "attribute": one.attribute,
        "values": [one.labels[place] for place in held],
        "real": real,
        "synthetic": synthetic,
        "distances": list(one.distances),
        "by_chance": list(one.chances),
    }


def _distances(pair: PairDistances) -> dict[str, Any]:
    return {
        "attributes": list(pair.attributes),
        "distances": list(pair.distances),
        "by_chance": list(pair.chances),
    }


def _pair(pair: PairCounts) -> dict[str, Any]:
    real, *synthetic = ([list(row) for row in table] for table in pair.counts)
    return {
        **_distances(pair.apart),
        "groups": [list(labels) for labels in pair.labels],
        "real": real,
        "synthetic": synthetic,
    }


def _coverage(each: Coverage, real: int, synthetic: int) -> dict[str, Any]:
    ranges = [None if ends is None else list(ends) for ends in each.ranges]
    return {
        "attribute": each.attribute,
        "file": each.file,
        "lost": _values(each.lost, real),
        "invented": _values(each.invented, synthetic),
        "unused": each.unused,
        "range_real": ranges[0],
        "range_synthetic": ranges[1],
    }


def _values(values: Sequence[tuple[str, int]], records: int) -> list[dict[str, Any]]:
    return [{"value": value, "records": count, "share": count / records} for value, count in values]
