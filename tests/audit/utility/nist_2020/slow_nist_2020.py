"""Slow and obvious versions of the scores of the Temporal Map Challenge and of SDNist.

Records are counted one by one in dictionaries and walked in sorted order. Where a
program leaves a sum to numpy or pandas, the same kind of sum is taken of a plain list,
so that the last bit can be compared.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.spatial.distance import jensenshannon

from synthesizers.domain import Attribute, Domain

Sets = Sequence[tuple[str, ...]]
Cell = tuple[int, ...]


def integer_domain(*frames: pd.DataFrame, individual: str | None = None, spare: int = 1) -> Domain:
    """The domain of integer columns: every value up to the largest, and ``spare`` more."""
    attributes = []
    for name in frames[0].columns:
        if name == individual:
            continue
        low = min(0, *(int(frame[name].min()) for frame in frames))
        high = max(int(frame[name].max()) for frame in frames) + spare
        attributes.append(Attribute(str(name), tuple(map(str, range(low, high + 1)))))
    return Domain("integers", tuple(attributes), individual=individual)


def cell_counts(frame: pd.DataFrame, names: Sequence[str]) -> Counter[Cell]:
    return Counter(tuple(int(row[name]) for name in names) for row in frame.to_dict("records"))


def in_groups(
    real: pd.DataFrame, synthetic: pd.DataFrame, groups: Sequence[str], names: Sequence[str]
) -> dict[Cell, list[tuple[int, int]]]:
    """The counts (real, synthetic) of every cell that occurs, cells and groups ascending."""
    counted = [cell_counts(frame, (*groups, *names)) for frame in (real, synthetic)]
    found: dict[Cell, list[tuple[int, int]]] = {}
    for cell in sorted(set(counted[0]) | set(counted[1])):
        pair = counted[0][cell], counted[1][cell]
        found.setdefault(cell[: len(groups)], []).append(pair)
    return found


def once(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def slow_fixed(
    real: pd.DataFrame, synthetic: pd.DataFrame, sets: Sets, groups: Sequence[str]
) -> float:
    distances = []
    for names in sets:
        for cells in in_groups(real, synthetic, groups, names).values():
            totals = [sum(counts) for counts in zip(*cells, strict=True)]
            if not all(totals):
                distances.append(1.0)
                continue
            distances.append(sum(abs(a / totals[0] - b / totals[1]) for a, b in cells) / 2)
    return 1000 * (1 - sum(distances) / len(distances))


def l1_or_two(cells: Sequence[tuple[int, int]]) -> float:
    totals = [sum(counts) for counts in zip(*cells, strict=True)]
    if min(totals) < 1:
        return 2.0
    return float(np.sum([abs(a / totals[0] - b / totals[1]) for a, b in cells]))


def bias(real: pd.DataFrame, synthetic: pd.DataFrame, groups: Sequence[str]) -> list[int]:
    """The absolute difference of the counts of each group, groups ascending."""
    counted = [cell_counts(frame, groups) for frame in (real, synthetic)]
    every = sorted(set(counted[0]) | set(counted[1]))
    return [abs(counted[0][group] - counted[1][group]) for group in every]


def slow_sprint_2(
    real: pd.DataFrame, synthetic: pd.DataFrame, sets: Sets, groups: Sequence[str], cutoff: int
) -> float:
    rows = [
        [l1_or_two(cells) for cells in in_groups(real, synthetic, groups, names).values()]
        for names in sets
    ]
    means = [float(np.mean(values)) for values in zip(*rows, strict=True)]
    off = bias(real, synthetic, groups)
    means = [2.0 if gap >= cutoff else mean for mean, gap in zip(means, off, strict=True)]
    return ((2.0 - float(np.mean(means))) / 2.0) * 1000


def slow_sprint_3(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    sets: Sets,
    groups: Sequence[str],
    cutoff: int | None = None,
) -> float:
    """The score before the factor 1000."""
    columns = [
        pd.Series([l1_or_two(c) for c in in_groups(real, synthetic, groups, names).values()])
        for names in sets
    ]
    means = pd.concat(columns, axis=1).mean(axis=1).tolist()
    if cutoff is not None:
        off = bias(real, synthetic, groups)
        means = [2.0 if gap >= cutoff else mean for mean, gap in zip(means, off, strict=True)]
    return (2.0 - float(np.mean(means))) / 2.0


def pandas_sums(groups: Sequence[Sequence[float]]) -> list[float]:
    """The sum of each list as pandas sums groups: in which order depends on its version."""
    values = [value for group in groups for value in group]
    labels = [place for place, group in enumerate(groups) for _ in group]
    return [float(total) for total in pd.Series(values).groupby(labels).sum()]


def slow_sdnist_1(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    sets: Sets,
    groups: Sequence[str],
    cutoff: int | None,
) -> float:
    sums: list[float] = []
    for names in sets:
        gaps = []
        for cells in in_groups(real, synthetic, groups, once(names)).values():
            totals = [max(sum(counts), 1) for counts in zip(*cells, strict=True)]
            gaps.append([abs(a / totals[0] - b / totals[1]) for a, b in cells])
        found = pandas_sums(gaps) if groups else [float(np.sum(gaps[0]))]
        sums = [a + b for a, b in zip(sums or [0.0] * len(found), found, strict=True)]
    means = [total / len(sets) for total in sums]
    if cutoff is not None:
        off = bias(real, synthetic, groups)
        means = [2.0 if gap > cutoff else mean for mean, gap in zip(means, off, strict=True)]
    scores = [(2 - mean) * 500 for mean in means]
    return float(np.mean(scores)) if groups else scores[0]


def slow_sdnist_25(
    real: pd.DataFrame, synthetic: pd.DataFrame, sets: Sets, groups: Sequence[str]
) -> tuple[float, dict[Cell, float | None]]:
    """The score, and that of each group; None for a group without real records."""
    total = 0.0
    by_group: dict[Cell, float | None] = {}
    for names in sets:
        tables = in_groups(real, synthetic, groups, once(names))
        gaps = [[abs(a / len(real) - b / len(synthetic)) for a, b in c] for c in tables.values()]
        shares = [[a / len(real) for a, _ in cells] for cells in tables.values()]
        for group, share, gap in zip(tables, pandas_sums(shares), pandas_sums(gaps), strict=True):
            size = sum(a for a, _ in tables[group])
            lost = min(share, gap) * len(real) / size if size else 0.0
            by_group[group] = (by_group.get(group) or 0.0) + lost if size else None
        total += float(np.sum([value for row in gaps for value in row]))
    scores = {
        group: None if lost is None else (1 - lost / len(sets)) * 1000
        for group, lost in by_group.items()
    }
    return (2 - total / len(sets)) * 500, scores


def slow_unfolded(
    frame: pd.DataFrame, person: str, period: str, features: Sequence[tuple[str, str]]
) -> Counter[tuple[object, ...]]:
    """How many persons have each combination of features."""
    persons: dict[int, list[dict[str, int]]] = {}
    for row in frame.to_dict("records"):
        persons.setdefault(row[person], []).append(row)
    found: Counter[tuple[object, ...]] = Counter()
    for rows in persons.values():
        values: list[object] = []
        for column, label in features:
            there = [row for row in rows if str(row[period]) == label]
            values.append(
                "none" if not there else there[0][column] if len(there) == 1 else "several"
            )
        found[tuple(values)] += 1
    return found


def slow_longitudinal(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    person: str,
    period: str,
    sets: Sequence[Sequence[tuple[str, str]]],
) -> float:
    distances = []
    for features in sets:
        counts = [slow_unfolded(frame, person, period, features) for frame in (real, synthetic)]
        n, m = (sum(count.values()) for count in counts)
        cells = set(counts[0]) | set(counts[1])
        distances.append(sum(abs(counts[0][c] / n - counts[1][c] / m) for c in cells) / 2)
    return 1000 * (1 - sum(distances) / len(distances))


def person_vectors(
    frame: pd.DataFrame, person: str, attributes: Sequence[str], values: Sequence[Sequence[int]]
) -> list[list[int]]:
    """The counts of each person, persons ascending: a number a value of each attribute."""
    vectors = []
    for one in sorted(set(frame[person])):
        rows = frame[frame[person] == one].to_dict("records")
        vectors.append(
            [
                sum(row[name] == value for row in rows)
                for name, listed in zip(attributes, values, strict=True)
                for value in listed
            ]
        )
    return vectors


def slow_similar(
    vectors: Sequence[Sequence[int]], target: Sequence[int], slacks: Sequence[int], *, equal: bool
) -> float:
    """The share of persons within the slack of the target in every dimension."""
    near = 0
    for vector in vectors:
        gaps = [abs(a - b) for a, b in zip(vector, target, strict=True)]
        inside = [
            gap <= slack if equal else gap < slack for gap, slack in zip(gaps, slacks, strict=True)
        ]
        near += all(inside)
    return near / len(vectors)


def pivoted(frame: pd.DataFrame, person: str, attributes: Sequence[str]) -> pd.DataFrame:
    """The joined tables of counts of the scorers of sprint 3 and SDNist.

    pandas renames what both have: "3" and "3p" for the value 3 of each.
    """
    first, second = (
        pd.crosstab(frame[person], frame[name]).rename_axis(columns=None) for name in attributes
    )
    both = set(first.columns) & set(second.columns)
    first = first.rename(columns={value: str(value) for value in both})
    return first.join(second.rename(columns={value: f"{value}p" for value in both}))


def slow_program_hoc(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    person: str,
    attributes: Sequence[str],
    draws: Sequence[tuple[int, Sequence[int]]],
    *,
    equal: bool,
) -> float:
    """The score before the factor 1000."""
    table = pivoted(real, person, attributes)
    other = pivoted(synthetic, person, attributes).reindex(columns=table.columns).fillna(0)
    vectors = [frame.to_numpy().astype(int).tolist() for frame in (table, other)]
    gaps = []
    for target, slacks in draws:
        shares = [slow_similar(v, vectors[0][target], slacks, equal=equal) for v in vectors]
        gaps.append(abs(shares[0] - shares[1]))
    return 1.0 - float(np.mean(gaps))


def slow_program_pie_row(real: Sequence[int], synthetic: Sequence[int]) -> float:
    """A row of the scorer of sprint 1."""
    if list(real) == list(synthetic):
        return 1.0
    kept = []
    for counts in (real, synthetic):
        total = sum(counts)
        kept.append([count if total and count / total >= 0.05 else 0 for count in counts])
    distance = jensenshannon(*(np.array(counts) + 1e-9 for counts in kept), base=2)
    misleading = sum(a == 0 and b > 0 for a, b in zip(*kept, strict=True)) * 0.2
    biased = 0.25 if abs(sum(real) - sum(synthetic)) > 500 else 0
    lost = float(np.sum([distance, misleading, biased]))
    return min(max(1.0 - lost, 0.0), 1.0)


def slow_pie_row(real: Sequence[int], synthetic: Sequence[int]) -> float:
    """A row by the sound definition."""
    if list(real) == list(synthetic):
        return 1.0
    if not sum(real) or not sum(synthetic):
        return 0.0
    shares = []
    for counts in (real, synthetic):
        kept = [count if 20 * count >= sum(counts) else 0 for count in counts]
        shares.append([count / sum(kept) if sum(kept) else 0.0 for count in kept])
    if any(shares[0]) != any(shares[1]):
        return 0.0
    divergence = 0.0
    for p, q in zip(*shares, strict=True):
        for share in (p, q):
            if share:
                divergence += share * math.log2(2 * share / (p + q)) / 2
    misleading = sum(p == 0 and q > 0 for p, q in zip(*shares, strict=True)) * 0.2
    biased = 0.25 if abs(sum(real) - sum(synthetic)) > 500 else 0.0
    return min(max(1 - math.sqrt(max(divergence, 0.0)) - misleading - biased, 0.0), 1.0)
