"""Record swapping against labelled records, every subset and every matching of it."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2

from synthesizers.budget import UNBOUNDED
from synthesizers.errors import InputError, TooLargeError
from synthesizers.laws import swapping
from synthesizers.laws.swapping import RecordSwapping
from synthesizers.neighbours import AddRemove, ReplaceOne, databases, histograms
from synthesizers.randomness import InsecureSeededEntropy
from tests.synthesizers.brute_force import RELATIONS
from tests.synthesizers.slow_tables import Law, law_of

Record = tuple[int, ...]

HALF = Fraction(1, 2)


def matchings(labels: tuple[int, ...]) -> Iterator[list[tuple[int, int]]]:
    """Every way to pair off some labels."""
    if not labels:
        yield []
        return
    first, *rest = labels
    for partner in rest:
        left = tuple(label for label in rest if label != partner)
        for pairs in matchings(left):
            yield [(first, partner), *pairs]


def of_group(
    records: list[Record], attribute: int, share: Fraction
) -> list[tuple[list[Record], Fraction]]:
    """Every result of one key group with its chance: all subsets, all matchings."""
    size = 2 * int(share * len(records) / 2)
    subsets = list(itertools.combinations(range(len(records)), size))
    results = []
    for subset in subsets:
        pairings = list(matchings(subset))
        for pairs in pairings:
            after = [list(record) for record in records]
            for one, other in pairs:
                after[one][attribute] = records[other][attribute]
                after[other][attribute] = records[one][attribute]
            chance = Fraction(1, len(subsets) * len(pairings))
            results.append(([tuple(record) for record in after], chance))
    return results


def slowly(
    counts: tuple[int, ...], shape: tuple[int, ...], attribute: int, key: Any, share: Fraction
) -> Law:
    """The law of the whole table, one labelled record after the other."""
    cells = list(itertools.product(*map(range, shape)))
    groups: defaultdict[Record, list[Record]] = defaultdict(list)
    for cell, count in zip(cells, counts, strict=True):
        groups[tuple(cell[place] for place in key)] += [cell] * count
    law: Law = defaultdict(Fraction)
    for parts in itertools.product(*(of_group(g, attribute, share) for g in groups.values())):
        found = Counter(record for records, _ in parts for record in records)
        chance = math.prod((chance for _, chance in parts), start=Fraction(1))
        law[tuple(found[cell] for cell in cells)] += chance
    return dict(law)


CASES = [
    ((2, 2), 0, (), 4), ((2, 2), 1, (), 4), ((2, 3), 0, (), 3), ((2, 3), 1, (), 3),
    ((2, 2, 2), 0, (), 2), ((2, 2, 2), 0, (2,), 3), ((2, 2, 2), 1, (0,), 3),
    ((2, 2, 2), 2, (1,), 3), ((1, 2, 2), 1, (0,), 4), ((2, 2, 1, 2), 3, (1, 2), 2),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "attribute", "key", "records"), CASES)
@pytest.mark.parametrize("share", [Fraction(1, 3), HALF, Fraction(9, 10), Fraction(1)])
def test_every_small_table(
    shape: tuple[int, ...], attribute: int, key: tuple[int, ...], records: int, share: Fraction
) -> None:
    law = RecordSwapping(shape, attribute, key, share)
    for row in databases(AddRemove(), math.prod(shape), records).tolist():
        counts = tuple(row)
        assert law_of(law, counts) == slowly(counts, shape, attribute, key, share)


@pytest.mark.parametrize(
    ("shape", "attribute", "key", "counts", "share"),
    [
        ((2, 2), 0, (), (2, 1, 1, 2), Fraction(1)),
        ((2, 2), 0, (), (2, 1, 2, 2), HALF),
        ((2, 3), 1, (), (1, 1, 2, 1, 0, 1), Fraction(3, 4)),
        ((2, 2, 2), 1, (), (1, 0, 1, 1, 0, 2, 1, 0), Fraction(1)),
        ((2, 2, 2), 0, (1,), (1, 1, 1, 0, 2, 0, 0, 2), Fraction(1)),
        ((2, 3, 2), 1, (2,), (1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1), Fraction(2, 3)),
    ],
)
def test_larger_tables(
    shape: tuple[int, ...], attribute: int, key: tuple[int, ...], counts: tuple[int, ...],
    share: Fraction,
) -> None:  # fmt: skip
    law = RecordSwapping(shape, attribute, key, share)
    assert law_of(law, counts) == slowly(counts, shape, attribute, key, share)


def pair_counts(chosen: tuple[int, ...]) -> Iterator[dict[tuple[int, int], int]]:
    """Every number of pairs a kind in which each type occurs as often as it was chosen."""
    kinds = list(itertools.combinations_with_replacement(range(len(chosen)), 2))
    ranges = [range(min(chosen[u], chosen[v]) + 1) for u, v in kinds]
    for numbers in itertools.product(*ranges):
        met = Counter[int]()
        for (u, v), number in zip(kinds, numbers, strict=True):
            met[u] += number
            met[v] += number
        if all(met[kind] == count for kind, count in enumerate(chosen)):
            yield dict(zip(kinds, numbers, strict=True))


def test_the_closed_form_of_pair_counts() -> None:
    """∏ s_u!/(∏ M_uv! ∏ 2^M_uu M_uu!) matchings with pair counts M, at eight records of 2 × 2."""
    counts, shape = (3, 2, 1, 2), (2, 2)
    for share in (HALF, Fraction(1)):
        wanted: Law = defaultdict(Fraction)
        size = int(8 * share)
        for chosen in itertools.product(*(range(count + 1) for count in counts)):
            if sum(chosen) != size:
                continue
            selected = Fraction(math.prod(map(math.comb, counts, chosen)), math.comb(8, size))
            for pairs in pair_counts(chosen):
                below = math.prod(
                    math.factorial(number) * (2**number if u == v else 1)
                    for (u, v), number in pairs.items()
                )
                ways = Fraction(math.prod(map(math.factorial, chosen)), below)
                # Only (0,0) with (1,1), and (0,1) with (1,0), come out otherwise.
                moved = pairs[1, 2] - pairs[0, 3]
                outcome = tuple(
                    n + moved * sign for n, sign in zip(counts, (1, -1, -1, 1), strict=True)
                )
                wanted[outcome] += selected * ways / math.prod(range(1, size, 2))
        assert law_of(RecordSwapping(shape, 0, (), share), counts) == wanted


def test_by_hand() -> None:
    every = RecordSwapping((2, 2), 0, (), Fraction(1))
    # Two records that differ in both attributes are always paired, and cross over.
    assert law_of(every, (1, 0, 0, 1)) == {(0, 1, 1, 0): 1}
    # Of (0,0), (0,0), (1,1) a pair is drawn: two of three pairs change the table.
    most = RecordSwapping((2, 2), 0, (), Fraction(2, 3))
    assert law_of(most, (2, 0, 0, 1)) == {
        (2, 0, 0, 1): Fraction(1, 3),
        (1, 1, 1, 0): Fraction(2, 3),
    }
    # The same records with different keys never meet.
    keyed = RecordSwapping((2, 2, 2), 0, (2,), Fraction(1))
    assert law_of(keyed, (1, 0, 0, 0, 0, 0, 0, 1)) == {(1, 0, 0, 0, 0, 0, 0, 1): 1}
    # No record, one record, a share too small for a pair.
    for counts in ((0, 0, 0, 0), (0, 1, 0, 0)):
        assert law_of(every, counts) == {counts: 1}
    assert law_of(RecordSwapping((2, 2), 0, (), Fraction(1, 3)), (2, 0, 0, 3)) == {(2, 0, 0, 3): 1}


@pytest.mark.parametrize(
    ("share", "records", "drawn"),
    [(HALF, 8, 4), (HALF, 7, 2), (HALF, 3, 0), (HALF, 4, 2), (Fraction(1), 5, 4),
     (Fraction(1), 0, 0), (Fraction(1), 1, 0), (Fraction(1, 10), 442, 44)],
)  # fmt: skip
def test_how_many_take_part(share: Fraction, records: int, drawn: int) -> None:
    assert RecordSwapping((2, 2), 0, (), share).draw_count(records) == drawn


@pytest.mark.parametrize("law", [
    RecordSwapping((2, 2), 0, (), HALF), RecordSwapping((2, 2), 1, (), Fraction(1)),
])  # fmt: skip
def test_sums_and_support_over_all_databases(law: RecordSwapping) -> None:
    for neighbours in (AddRemove(), ReplaceOne()):
        rows = databases(neighbours, 4, 6)
        outcomes = law.outcomes(rows)
        assert outcomes == sorted(set(outcomes))
        reached = set()
        for counts in map(tuple, rows.tolist()):
            chances = {outcome: law.chance(counts, outcome) for outcome in outcomes}
            assert sum(chances.values()) == 1 and min(chances.values()) >= 0
            reached |= {outcome for outcome, chance in chances.items() if chance}
        assert reached == set(outcomes)


def margins(counts: Any, law: RecordSwapping) -> list[list[int]]:
    """What swapping leaves alone: the attribute by the key, and all else without it."""
    table = np.asarray(counts).reshape(law.shape)
    rest = tuple(place for place in range(table.ndim) if place not in (law.attribute, *law.key))
    return [table.sum(axis=rest).ravel().tolist(), table.sum(axis=law.attribute).ravel().tolist()]


def test_what_is_kept() -> None:
    law = RecordSwapping((2, 3, 2), 1, (2,), Fraction(1))
    counts = (1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1)
    outcomes = law_of(law, counts)
    assert len(outcomes) > 3
    for outcome in outcomes:
        assert margins(outcome, law) == margins(counts, law)


SAMPLED = [
    (RecordSwapping((2, 2), 0, (), HALF), (2, 2, 1, 3)),
    (RecordSwapping((2, 2), 1, (), Fraction(1)), (2, 2, 1, 3)),
    (RecordSwapping((2, 3), 0, (), Fraction(3, 4)), (1, 2, 0, 1, 1, 1)),
    (RecordSwapping((2, 2, 2), 1, (0,), Fraction(1)), (2, 1, 1, 2, 1, 0, 2, 1)),
    (RecordSwapping((2, 2, 2), 0, (), HALF), (1, 1, 0, 1, 1, 2, 0, 1)),
]


@pytest.mark.parametrize(("law", "counts"), SAMPLED)
def test_draws_have_the_law(law: RecordSwapping, counts: tuple[int, ...]) -> None:
    # 4000 draws, Pearson's chi-square over outcomes of 20 expected draws or more, the rare ones in
    # one pool: a right sampler fails a case with probability 1e-9 by the chi-square quantile.
    entropy = InsecureSeededEntropy(31)
    draws = 4000
    seen = Counter(tuple(law.sample(np.array(counts), entropy).tolist()) for _ in range(draws))
    exact = law_of(law, counts)
    assert set(seen) <= set(exact)
    pools: dict[Any, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for outcome, chance in exact.items():
        pool = pools[outcome if draws * chance >= 20 else "rare"]
        pool[0] += float(draws * chance)
        pool[1] += seen[outcome]
    assert len(pools) > 1
    statistic = sum((found - wanted) ** 2 / wanted for wanted, found in pools.values())
    assert chi2.sf(statistic, len(pools) - 1) > 1e-9


@pytest.mark.parametrize("key", [(), (2,)])
def test_draws_from_large_tables_keep_what_swapping_keeps(key: tuple[int, ...]) -> None:
    law = RecordSwapping((3, 4, 2), 0, key, Fraction(1, 5))
    counts: NDArray[np.int64] = np.arange(24, dtype=np.int64) * 97 % 1001
    counts[3] = 0
    drawn = law.sample(counts, InsecureSeededEntropy(5))
    assert drawn.dtype == np.int64 and drawn.min() >= 0
    assert margins(drawn, law) == margins(counts, law)
    moved = int(np.abs(drawn - counts).sum())
    assert 0 < moved <= 2 * int(counts.sum()) // 5


def test_a_draw_leaves_its_table_alone() -> None:
    counts = np.array([5, 5, 5, 5])
    RecordSwapping((2, 2), 0, (), Fraction(1)).sample(counts, InsecureSeededEntropy(6))
    assert counts.tolist() == [5, 5, 5, 5]


def test_the_longest_matching_of_an_exact_law() -> None:
    law = RecordSwapping((2, 2), 0, (), Fraction(1))
    # One record of another kind: it meets one of the 599 others, and they cross over.
    assert law_of(law, (599, 0, 0, 1)) == {(598, 1, 1, 0): 1}
    with pytest.raises(TooLargeError, match="600 records"):
        law.chance((602, 0, 0, 0), (602, 0, 0, 0))


def test_too_many_selections_or_chances() -> None:
    law = RecordSwapping((2, 2), 0, (), Fraction(1))
    with pytest.raises(TooLargeError, match="10000"):
        law.chance((12, 12, 12, 12), (12, 12, 12, 12))
    with pytest.raises(TooLargeError, match="fewer cells or records"):
        law.outcomes(histograms(4, 21))


def test_too_many_outcomes_of_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swapping, "MAX_CHANCES", 3)
    law = RecordSwapping((2, 2, 2), 0, (2,), Fraction(1))
    with pytest.raises(TooLargeError, match="3 outcomes"):
        law.chance((3, 3, 0, 0, 0, 0, 3, 3), (0,) * 8)


@pytest.mark.parametrize(
    ("shape", "attribute", "key", "share", "words"),
    [
        ((2, 2), 0, (), Fraction(0), "positive"),
        ((2, 2), 0, (), Fraction(3, 2), "at most 1"),
        ((2, 2), 0, (), 0.5, "share"),
        ((4,), 0, (), HALF, "nothing would change"),
        ((2, 2), 0, (1,), HALF, "nothing would change"),
        ((2, 1), 0, (), HALF, "nothing would change"),
        ((1, 2), 0, (), HALF, "nothing would change"),
        ((2, 2, 2), 0, (0,), HALF, "different attributes"),
        ((2, 2, 2), 0, (1, 1), HALF, "different attributes"),
        ((2, 2), 2, (), HALF, "different attributes"),
        ((2, 2), 0, (-1,), HALF, "different attributes"),
        ((2, 0), 0, (), HALF, "shape"),
    ],
)
def test_parameters_are_checked(
    shape: Any, attribute: Any, key: Any, share: Any, words: str
) -> None:
    with pytest.raises(InputError, match=words):
        RecordSwapping(shape, attribute, key, share)


def test_a_table_of_another_shape_is_refused() -> None:
    with pytest.raises(InputError, match="4 cells"):
        RecordSwapping((2, 2), 0, (), HALF).chance((1, 1, 1), (1, 1, 1))


def test_no_finite_cost_and_plain_data() -> None:
    law = RecordSwapping((2, 2, 3), 1, (0,), Fraction(1, 10))
    for neighbours in RELATIONS:
        assert law.cost(neighbours) == UNBOUNDED
    assert law.to_json() == {
        "law": "record-swapping", "shape": [2, 2, 3], "attribute": 1, "key": [0], "share": "1/10",
    }  # fmt: skip
