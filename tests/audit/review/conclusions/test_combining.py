"""One verdict of several blocks: nobody honest is accused more often than is stated."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chi2, combine_pvalues

from audit.review.conclusions.combining import Block, combine, combine_p_values
from audit.statements.evidence import Verdict

SMALL = Fraction(1, 10**6)


@pytest.mark.parametrize(
    "values", [(0.5,), (0.1, 0.2), (1e-7, 0.9, 0.4), (1.0, 1.0), (1e-300, 1.0)]
)
def test_p_values_are_combined_by_fishers_method(values: tuple[float, ...]) -> None:
    expected = chi2.sf(-2 * sum(map(math.log, values)), 2 * len(values))
    found = combine_p_values(values)
    assert found == pytest.approx(expected, rel=1e-6)
    assert found == pytest.approx(combine_pvalues(values).pvalue, rel=1e-6)


def test_no_p_values_say_nothing() -> None:
    assert combine_p_values([]) == 1.0


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_no_p_value_lies_outside_the_unit_interval(value: float) -> None:
    with pytest.raises(ValueError, match="p-value"):
        combine_p_values([0.5, value])


def test_uniform_p_values_are_combined_to_a_uniform_one() -> None:
    # 20 000 draws; Massart: a right combination deviates by 0.02 with a chance below 2e-6.
    rng = np.random.default_rng(3)
    found = np.sort([combine_p_values(rng.random(4).tolist()) for _ in range(20_000)])
    assert np.abs(found - np.arange(1, 20_001) / 20_000).max() < 0.02


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (["NOT REFUTED"], "NOT REFUTED"),
        (["UNDECIDED", "NOT REFUTED"], "NOT REFUTED"),
        (["UNDECIDED", "UNDECIDED"], "UNDECIDED"),
        (["NOT REFUTED", "REFUTED"], "REFUTED"),
        (["NOT REFUTED", "INVALID RUN"], "INVALID RUN"),
        (["REFUTED", "INVALID RUN"], "REFUTED"),
    ],
)
def test_what_speaks_against_a_claim_stands(verdicts: list[str], expected: str) -> None:
    blocks = [Block(Verdict(one), 0.5) for one in verdicts]
    assert combine(blocks, SMALL) is Verdict(expected)


def test_blocks_that_are_each_suspicious_refute_together() -> None:
    blocks = [Block(Verdict.UNDECIDED, 1e-3)] * 4
    assert combine(blocks, SMALL) is Verdict.REFUTED
    assert combine(blocks[:1], SMALL) is Verdict.UNDECIDED
    assert combine([*blocks[:2], Block(Verdict.NOT_REFUTED, 1.0)], SMALL) is Verdict.NOT_REFUTED


def test_a_block_without_a_p_value_counts_as_one_that_saw_nothing() -> None:
    # Which blocks have one may depend on what they saw.
    small = [Block(Verdict.UNDECIDED, 1e-4)] * 2
    assert combine(small, SMALL) is Verdict.REFUTED
    assert combine([*small, *[Block(Verdict.UNDECIDED, None)] * 6], SMALL) is Verdict.UNDECIDED


def test_runs_that_shared_processes_accuse_nobody_together() -> None:
    apart = [Block(Verdict.NOT_REFUTED, 1e-3)] * 4
    shared = [Block(Verdict.NOT_REFUTED, 1e-3, shared=True)] * 4
    assert combine(apart, SMALL) is Verdict.REFUTED
    assert combine(shared, SMALL) is Verdict.UNDECIDED
    assert combine([*apart, *shared], Fraction(1, 10**3)) is Verdict.REFUTED
    assert combine([*apart[:1], *shared[:1]], SMALL) is Verdict.NOT_REFUTED


@pytest.mark.parametrize("kept", [1.0, 0.5, 0.1])
def test_honest_blocks_are_accused_as_seldom_as_is_stated(kept: float) -> None:
    # 20 000 reviews of four blocks at a combined error of 5 %: 1 000 expected at most; a binomial
    # exceeds that by 200 with a chance below 1e-9. Blocks may keep small p-values alone.
    rng = np.random.default_rng(11)
    accused = 0
    for values in rng.random((20_000, 4)).tolist():
        blocks = [Block(Verdict.UNDECIDED, p if p <= kept else None) for p in values]
        accused += combine(blocks, Fraction(1, 20)) is Verdict.REFUTED
    assert accused <= 1_200
