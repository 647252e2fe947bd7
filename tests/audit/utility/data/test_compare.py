"""Tables laid beside each other, against counts made record by record."""

from __future__ import annotations

import dataclasses
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from audit.utility.counts import Attributes
from audit.utility.data import tally
from audit.utility.data.attribute_counts import AttributeCounts
from audit.utility.data.compare import WORST_PAIRS, Data
from audit.utility.data.pair_counts import MOST_GROUPS
from audit.utility.data.pooling import is_ordered
from audit.utility.labels import value_labels
from audit.utility.records import Records
from synthesizers.domain import Attribute, Domain
from tests.audit.utility.data import kinds_of_tables as kinds
from tests.audit.utility.slow_counts import Watched, slow_total_variation

CASES = [(name, outside) for name in kinds.DOMAINS for outside in (False, True)]


def tables_of(domain: Domain, outside: bool) -> tuple[Records, dict[str, Records]]:
    real = kinds.draw(domain, 500, 1, outside=outside)
    others = {"near": kinds.draw(domain, 400, 2), "far": kinds.draw(domain, 300, 3)}
    # Half of the second table's records have the last value of the first attribute.
    others["far"].codes[::2, 0] = domain.shape[0] - 1
    return real, others


def texts(table: Records, name: str) -> list[str]:
    labels = value_labels(table.domain, name)
    return [labels[code] for code in table.column(name)]


@pytest.mark.parametrize(("name", "outside"), CASES)
def test_attributes_are_counted_value_by_value(name: str, outside: bool) -> None:
    domain = kinds.DOMAINS[name]
    real, others = tables_of(domain, outside)
    data = kinds.lay(real, **others)
    assert data.files == ("near", "far")
    assert {one.attribute for one in data.attributes} == set(domain.names)
    for one in data.attributes:
        for table, counts in zip((real, *others.values()), one.counts, strict=True):
            held = {label: n for label, n in zip(one.labels, counts, strict=True) if n}
            assert held == Counter(texts(table, one.attribute))
            assert sum(counts) == table.records
        for table, distance in zip(others.values(), one.distances, strict=True):
            assert distance == float(slow_total_variation(real, table, (one.attribute,)))
    excesses = [one.excess for one in data.attributes]
    assert excesses == sorted(excesses, reverse=True)
    assert data.attributes[0].attribute == domain.names[0]


@pytest.mark.parametrize(("name", "outside"), CASES)
def test_pairs_are_counted_group_by_group(name: str, outside: bool) -> None:
    domain = kinds.DOMAINS[name]
    real, others = tables_of(domain, outside)
    data = kinds.lay(real, **others)
    count = len(domain.names) * (len(domain.names) - 1) // 2
    assert len(data.apart) == count and len(data.pairs) == min(count, WORST_PAIRS)
    assert tuple(pair.apart for pair in data.pairs) == data.apart[:WORST_PAIRS]
    worst = [max(pair.excesses) for pair in data.apart]
    assert worst == sorted(worst, reverse=True)
    for pair in data.pairs:
        codes = [group_of_codes(data, real, each) for each in pair.apart.attributes]
        shares = []
        for table, counts in zip((real, *others.values()), pair.counts, strict=True):
            columns = [table.column(each) for each in pair.apart.attributes]
            seen = Counter(
                (codes[0][int(a)], codes[1][int(b)]) for a, b in zip(*columns, strict=True)
            )
            found = {
                (pair.labels[0][i], pair.labels[1][j]): n
                for i, row in enumerate(counts)
                for j, n in enumerate(row)
                if n
            }
            assert found == seen
            shares.append({cell: Fraction(n, table.records) for cell, n in seen.items()})
        for other, distance in zip(shares[1:], pair.apart.distances, strict=True):
            cells = shares[0].keys() | other.keys()
            exact = sum(
                abs(shares[0].get(c, Fraction(0)) - other.get(c, Fraction(0))) for c in cells
            )
            assert distance == float(exact / 2)


def group_of_codes(data: Data, real: Records, name: str) -> dict[int, str]:
    """The label of the group of each code, found again from the labels and the real counts."""
    attribute = real.domain.attribute(name)
    (one,) = (each for each in data.attributes if each.attribute == name)
    groups = {code: label for code, label in enumerate(one.labels)}
    values = len(attribute.values)
    if values <= MOST_GROUPS:
        return groups
    counts = one.counts[0][:values]
    if not is_ordered(attribute):
        kept = sorted(range(values), key=lambda code: (-counts[code], code))[: MOST_GROUPS - 1]
        rest = f"{values - len(kept)} other values"
        return groups | {code: rest for code in range(values) if code not in kept}
    # By the middle of its records each value falls into one of equal parts of them all.
    below, parts = 0, []
    for count in counts:
        parts.append(min(MOST_GROUPS * (2 * below + count) // (2 * sum(counts)), MOST_GROUPS - 1))
        below += count
    for part in set(parts):
        codes = [code for code in range(values) if parts[code] == part]
        first, last = attribute.values[codes[0]], attribute.values[codes[-1]]
        if attribute.edges is not None:
            label = f"{first.split(', ')[0]}, {last.split(', ')[1]}"
        else:
            label = first if first == last else f"{first} to {last}"
        groups |= dict.fromkeys(codes, label)
    return groups


@pytest.mark.parametrize("name", kinds.DOMAINS)
def test_tables_counted_in_parts_give_the_same(name: str) -> None:
    real, others = tables_of(kinds.DOMAINS[name], True)
    whole = kinds.lay(real, **others)
    parts = {file: kinds.in_parts(table, 90) for file, table in others.items()}
    for table in (real, kinds.in_parts(real, 170)):
        found = kinds.lay(table, **parts)
        bare = [dataclasses.replace(each, ranges=(None, None)) for each in whole.coverage]
        assert [dataclasses.replace(each, ranges=(None, None)) for each in found.coverage] == bare
        assert dataclasses.replace(found, coverage=()) == dataclasses.replace(whole, coverage=())


def test_each_table_is_gone_through_once_if_pairs_are_small() -> None:
    real, others = tables_of(kinds.DOMAINS["mixed"], False)
    watched = Watched(real)
    sets = tally.sets_to_count(watched.domain, watched.shape)
    assert sets[:2] == [("colour",), ("sex",)] and len(sets) == 6 + 15
    kinds.lay(watched, near=others["near"])
    counted = Counter(names for one in watched.passes for names in one)
    assert set(counted) == set(sets) and set(counted.values()) == {1}


def test_pairs_that_are_too_many_are_those_of_the_first_attributes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, others = tables_of(kinds.DOMAINS["mixed"], False)
    monkeypatch.setattr(tally, "MOST_PAIRED", 4)
    data = kinds.lay(real, **others)
    names: set[Attributes] = {pair.attributes for pair in data.apart}
    assert len(names) == 6 and {each for pair in names for each in pair} == set(
        real.domain.names[:4]
    )


def test_large_pairs_are_not_held_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    real, others = tables_of(kinds.DOMAINS["mixed"], False)
    whole = kinds.lay(real, **others)
    monkeypatch.setattr(tally, "HELD_CELLS", 10)
    assert len(tally.sets_to_count(real.domain, real.shape)) == 6
    assert kinds.lay(real, **others) == whole


def test_files_are_renamed_everywhere() -> None:
    real, others = tables_of(kinds.DOMAINS["wide"], False)
    data = kinds.lay(real, **others).rename({"near": "n.csv", "far": "f.csv"})
    assert data.files == ("n.csv", "f.csv")
    assert {each.file for each in data.coverage} == {"n.csv", "f.csv"}


def test_the_frequent_and_the_different_are_kept() -> None:
    real, others = tables_of(kinds.DOMAINS["single"], False)
    (one,) = kinds.lay(real, **others).attributes
    pooling = one.pool_telling(60, 8, 2)
    sums = pooling.sums(one.table())
    assert (sums.sum(axis=1) == (500, 400, 300)).all()
    assert pooling.labels[-2:] == ("53 other values", "missing")
    real_counts = np.array(one.counts[0][:60])
    kept = [one.labels.index(label) for label in pooling.labels[:7]]
    assert (np.diff(real_counts[kept]) <= 0).all()
    assert set(np.argsort(-real_counts, kind="stable")[:4]) <= set(kept)
    # One that is frequent in no table but in a synthetic one is shown.
    counts = [list(row) for row in one.counts]
    counts[2][50] += 200
    more = type(one).of(one.attribute, one.labels, [np.array(row) for row in counts])
    assert "street 50" in more.pool_telling(60, 8, 2).labels
    assert more.pool_telling(60, 60, 2).labels == one.labels


def test_what_chance_would_do_does_not_make_a_column_worse() -> None:
    """Sixty values at random are farther apart than two, and no farther beyond chance.

    The excess of the sixty has the mean 0 and a deviation of about 0.01, that of the two is 0.08.
    """
    domain = Domain("d", (kinds.STREETS, Attribute("sex", ("f", "m"))))
    random = np.random.default_rng(1)
    real, other = (
        Records(
            domain, np.array([random.integers(60, size=1000), np.arange(1000) < men]).T.astype(int)
        )
        for men in (450, 540)
    )
    data = kinds.lay(real, other=other)
    assert [one.attribute for one in data.attributes] == ["sex", "street"]
    first, second = data.attributes
    assert first.distances < second.distances
    assert second.excess == second.distances[0] - second.chances[0]


def test_a_rare_value_that_differs_is_kept_and_one_without_records_is_not() -> None:
    labels = tuple(f"v{k}" for k in range(20))
    real, other = (
        np.array([50] * 12 + [5] * 4 + [0] * 4),
        np.array([50] * 12 + [5, 5, 5, 30] + [0] * 4),
    )
    one = AttributeCounts.of("a", labels, [real, other])
    assert "v15" in one.pool_telling(20, 8, 2).labels
    assert "v15" not in one.pool_telling(20, 8, 0).labels
    few = AttributeCounts.of(
        "a", labels, [np.array([9, 1] + [0] * 18), np.array([9, 3] + [0] * 18)]
    )
    assert few.pool_telling(20, 8, 2).labels == ("v0", "v1", "18 other values")
