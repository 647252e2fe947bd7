"""Three-way marginals, against the program record by record and against their definition."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.utility.compat import nist_2018_triples
from audit.utility.nist_2018.three_way_marginal import ThreeWayMarginal
from audit.utility.pair import NeedsRecords, Pair
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.errors import InputError
from tests.audit.utility.nist_2018.nist_2018_tables import (
    COLUMNS,
    DOMAIN,
    frame,
    pair_of,
    random_rows,
)
from tests.audit.utility.nist_2018.slow_nist_2018 import Codes, Rows, score_1

SMALL = Domain("small", tuple(Attribute(name, ("a", "b", "c")) for name in "PQRS"))


def slow_total_variation(real: Rows, synthetic: Rows, names: tuple[str, ...]) -> float:
    shares = []
    for rows in (real, synthetic):
        counts = Counter(tuple(row[name] for name in names) for row in rows)
        shares.append({cell: count / len(rows) for cell, count in counts.items()})
    cells = {*shares[0], *shares[1]}
    return sum(abs(shares[0].get(c, 0) - shares[1].get(c, 0)) for c in cells) / 2


def rows_of(codes: list[tuple[int, ...]]) -> Rows:
    return [{name: "abc"[code] for name, code in zip("PQRS", row, strict=True)} for row in codes]


@pytest.mark.parametrize("dense", [2**20, 0])
@pytest.mark.parametrize("sizes", [(1, 1), (7, 300), (400, 90), (333, 333)])
@pytest.mark.parametrize("outside", [False, True])
def test_the_programs_number_is_reproduced_in_every_bit(
    sizes: tuple[int, int], outside: bool, dense: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nist_2018_triples, "_DENSE", dense)
    for seed in range(3):
        real = random_rows(seed, sizes[0])
        synthetic = random_rows(seed + 100, sizes[1], outside=outside)
        metric = ThreeWayMarginal(mode="nist-2018", draws=25, seed=seed)
        found = metric.score(pair_of(real, synthetic))
        assert found.value == score_1(real, synthetic, COLUMNS, metric.triples(DOMAIN))


def test_the_program_finds_nothing_in_common_with_real_values_outside() -> None:
    real = [row | {"AGE": "40", "RACE": "12"} for row in random_rows(0, 50)]
    for triple in (["AGE", "SEX", "OWN"], ["OWN", "RACE", "SEX"], ["OWN", "SEX", "AGE"]):
        metric = ThreeWayMarginal(mode="nist-2018").with_draws([triple])
        found = metric.score(pair_of(real, real))
        assert found.value == score_1(real, real, COLUMNS, [triple])
        assert found.value == pytest.approx(0, abs=1e-6)


def test_a_blank_of_a_listed_attribute_is_out_of_range_in_the_program() -> None:
    domain = Domain(
        "d", (Attribute("A", ("0", "1"), missing=True), *DOMAIN.attributes[:3], SMALL.attributes[0])
    )
    real = [row | {"A": "0", "P": "a"} for row in random_rows(1, 40)]
    half = [row | {"A": "0" if k % 2 else ""} for k, row in enumerate(real)]
    metric = ThreeWayMarginal(mode="nist-2018").with_draws([["A", "CITY", "SEX"]])
    found = metric.score(pair_of(real, half, domain))
    columns = {**COLUMNS, "A": Codes(1)}
    assert found.value == score_1(real, half, columns, [["A", "CITY", "SEX"]])
    blank = metric.score(pair_of(half, half, domain)).value
    assert blank == pytest.approx(1e6 * sum(row["A"] != "" for row in half) / len(half))


def test_rounding_does_not_take_a_score_past_its_range() -> None:
    beyond = 0
    for seed in range(40):
        rows = random_rows(seed, 30 + seed)
        metric = ThreeWayMarginal(mode="nist-2018", draws=20, seed=seed)
        found = metric.score(pair_of(rows, rows))
        assert found.value == pytest.approx(1e6, rel=1e-12)
        assert found.value <= found.highest == 1e6
        printed = nist_2018_triples.reproduce(*pair_of(rows, rows).tables, metric.triples(DOMAIN))[
            0
        ]
        assert (printed > 1e6) == any(repr(printed) in text for text in found.stated)
        beyond += printed > 1e6
    assert beyond


@pytest.mark.parametrize("sizes", [(1, 1), (1, 40), (60, 45), (30, 30)])
def test_the_sound_score_is_the_mean_total_variation(sizes: tuple[int, int]) -> None:
    real, synthetic = random_rows(5, sizes[0]), random_rows(6, sizes[1])
    domain = DOMAIN.project(["CITY", "SEX", "RACE", "OWN", "LAST"])
    found = ThreeWayMarginal(draws=7).score(pair_of(real, synthetic, domain))
    apart = [slow_total_variation(real, synthetic, tuple(names)) for names in found.drawn]
    assert found.value == pytest.approx(1e6 * (1 - sum(apart) / 7), rel=1e-12)
    assert found.parts == pytest.approx([1e6 * (1 - d) for d in apart], abs=1e-6)
    assert found.seed == 0 and found.draws == 7
    detail = found.breakdown("marginals")
    assert detail is not None and detail.columns == ("attributes", "total variation")
    assert [row[1] for row in detail.rows] == pytest.approx(sorted(apart, reverse=True))
    assert {row[0] for row in detail.rows} == {" × ".join(names) for names in found.drawn}


def test_by_hand() -> None:
    domain = Domain("d", tuple(Attribute(name, ("0", "1")) for name in "ABC"))
    real = pd.DataFrame({"A": list("0011"), "B": list("0101"), "C": list("0000")})
    synthetic = pd.DataFrame({"A": list("01"), "B": list("00"), "C": list("01")})
    # Shares 1/4 in 000, 010, 100, 110 against 1/2 in 000 and 101: L1 = 1/4 + 3/4 + 1/2.
    found = ThreeWayMarginal()(real, synthetic, domain)
    assert found.value == 250_000
    assert found.stated == ("all 1 triples",)
    assert found.standard_error == 0


def test_a_value_outside_the_domain_is_a_cell_of_the_sound_score() -> None:
    real = rows_of([(0, 0, 0, 0)] * 4)
    synthetic = [*real[:3], dict(real[3]) | {"P": "other"}]
    found = ThreeWayMarginal().score(pair_of(real, synthetic, SMALL))
    assert found.value == pytest.approx(1e6 * (1 - 3 / 4 * 1 / 4))


def test_all_triples_are_taken_where_they_are_few_and_none_twice_where_not() -> None:
    assert ThreeWayMarginal(draws=4).triples(SMALL) == (
        ("P", "Q", "R"),
        ("P", "Q", "S"),
        ("P", "R", "S"),
        ("Q", "R", "S"),
    )
    drawn = ThreeWayMarginal(draws=50).triples(DOMAIN)
    assert len(set(drawn)) == 50
    assert {name for names in drawn for name in names} == set(DOMAIN.names)
    assert drawn == ThreeWayMarginal(draws=50).triples(DOMAIN)
    assert drawn != ThreeWayMarginal(draws=50, seed=1).triples(DOMAIN)


def test_the_program_draws_100_triples_without_the_last_attribute() -> None:
    drawn = ThreeWayMarginal(mode="nist-2018").triples(DOMAIN)
    assert len(drawn) == 100
    assert all(len(set(names)) == 3 for names in drawn)
    assert {name for names in drawn for name in names} == set(DOMAIN.names[:-1])


def test_the_program_draws_ordered_triples_uniformly() -> None:
    """Chi-squared over the 6 ordered triples of 3 columns, 6,000 draws, 5 degrees of freedom.

    A right draw exceeds 60 with probability below 1e-10; the seed is fixed.
    """
    drawn = ThreeWayMarginal(mode="nist-2018", draws=6000).triples(SMALL)
    counts = Counter(drawn)
    assert len(counts) == 6
    assert sum((count - 1000) ** 2 / 1000 for count in counts.values()) < 60


@pytest.mark.parametrize("mode", ["fixed", "nist-2018"])
def test_draws_can_be_given_again(mode: str) -> None:
    pair = pair_of(random_rows(1, 80), random_rows(2, 70))
    metric = ThreeWayMarginal(mode=mode, draws=30)
    own = metric.score(pair)
    again = ThreeWayMarginal(mode=mode).with_draws(own.drawn).score(pair)
    assert (again.value, again.drawn, again.parts) == (own.value, own.drawn, own.parts)
    assert again.seed is None and again.stated == ("30 given triples",)


def test_draws_do_not_depend_on_the_synthetic_table() -> None:
    real = random_rows(1, 80)
    metric = ThreeWayMarginal(draws=10)
    scores = [metric.score(pair_of(real, random_rows(seed, 40 + seed))) for seed in (3, 4)]
    assert scores[0].drawn == scores[1].drawn


def test_the_marginals_that_are_wanted_are_those_that_are_read() -> None:
    pair = pair_of(random_rows(1, 80), random_rows(2, 70))
    metric = ThreeWayMarginal(draws=10)
    assert len(metric.marginals_read(DOMAIN)) == 10
    assert not replace(metric, mode="nist-2018").marginals_read(DOMAIN)
    pair.count(metric.marginals_read(DOMAIN))
    assert (
        metric.score(pair).value
        == metric(*(frame(rows) for rows in (random_rows(1, 80), random_rows(2, 70))), DOMAIN).value
    )


class CountsAlone:
    """A table that hides its records."""

    def __init__(self, rows: Rows) -> None:
        records = pair_of(rows, rows).tables[0]
        self.domain, self.records = records.domain, records.records
        self.shape, self.counts = records.shape, records.counts


def test_only_the_program_needs_the_records() -> None:
    pair = Pair.of(CountsAlone(random_rows(1, 30)), CountsAlone(random_rows(2, 30)), DOMAIN)
    assert ThreeWayMarginal(draws=5).score(pair).value is not None
    with pytest.raises(NeedsRecords):
        ThreeWayMarginal(mode="nist-2018").score(pair)


def test_numbers_known_by_their_bins_alone_are_said_so() -> None:
    table = Dataset(DOMAIN, np.zeros((4, len(COLUMNS)), dtype=np.int64))
    found = ThreeWayMarginal(mode="nist-2018", draws=5).score(Pair.of(table, table, DOMAIN))
    assert any(
        "middle of its bin" in text and "AGE, INDEX, INCWAGE" in text for text in found.stated
    )


codes = st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(codes, codes, st.permutations(range(3)))
def test_range_self_score_order_and_relabelling(
    real: list[tuple[int, ...]],
    synthetic: list[tuple[int, ...]],
    labels: list[int],
) -> None:
    metric = ThreeWayMarginal()
    value = metric.score(pair_of(rows_of(real), rows_of(synthetic), SMALL)).value
    assert value is not None and 0 <= value <= 1e6
    assert metric.score(pair_of(rows_of(real), rows_of(real), SMALL)).value == 1e6
    assert metric.score(pair_of(rows_of(real), rows_of(real * 3), SMALL)).value == 1e6
    turned = pair_of(rows_of(real), rows_of(synthetic[::-1]), SMALL)
    assert metric.score(turned).value == value
    renamed = [
        rows_of([tuple(labels[code] for code in row) for row in table])
        for table in (real, synthetic)
    ]
    assert metric.score(pair_of(*renamed, SMALL)).value == pytest.approx(value, abs=1e-6)
    program = replace(metric, mode="nist-2018", given=metric.triples(SMALL))
    theirs = program.score(pair_of(rows_of(real), rows_of(synthetic), SMALL)).value
    assert theirs == pytest.approx(value, abs=1e-6)


def test_the_error_of_a_draw_without_repetition_shrinks_with_the_share_drawn() -> None:
    pair = pair_of(random_rows(1, 80), random_rows(2, 70))
    found = ThreeWayMarginal(draws=14).score(pair)
    mean = sum(found.parts) / 14
    spread = sum((part - mean) ** 2 for part in found.parts) / 13
    assert found.standard_error == pytest.approx(math.sqrt(spread / 14 * (1 - 14 / 56)))


@pytest.mark.parametrize(
    ("drawn", "part"),
    [
        ([], "no draw"),
        ([["AGE", "SEX"]], "three different attributes"),
        ([["AGE", "SEX", "AGE"]], "three different attributes"),
        ([["AGE", "SEX", 3]], "list of attributes"),
        (["AGE"], "list of attributes"),
    ],
)
def test_draws_of_another_form_are_refused(drawn: list[object], part: str) -> None:
    with pytest.raises(InputError, match=part):
        ThreeWayMarginal().with_draws(drawn)


def test_what_does_not_fit_the_domain_is_refused() -> None:
    with pytest.raises(InputError, match="no attribute 'X'"):
        ThreeWayMarginal(given=(("AGE", "SEX", "X"),)).check(DOMAIN)
    three = Domain("three", SMALL.attributes[:3])
    ThreeWayMarginal().check(three)
    with pytest.raises(InputError, match="the last is never drawn"):
        ThreeWayMarginal(mode="nist-2018").check(three)
    ThreeWayMarginal(mode="nist-2018", given=(("P", "Q", "R"),)).check(three)
    with pytest.raises(InputError, match="three attributes"):
        ThreeWayMarginal().check(Domain("two", SMALL.attributes[:2]))
    with pytest.raises(InputError, match="draws must be at least 1"):
        ThreeWayMarginal(draws=0)
    with pytest.raises(InputError, match="mode must be one of fixed, nist-2018"):
        ThreeWayMarginal(mode="sprint-2")
