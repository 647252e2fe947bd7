"""The paper's printed figures, recomputed from closed forms and read against its text."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import mpmath
import pytest

from audit.channels.abowd_vilhuber import (
    FIGURE_1,
    FIGURE_2,
    FIGURE_3,
    FIGURE_4,
    Figure,
    example_channel,
    figures,
    laplace_channel,
    plug_in_channel,
    predictive_channel,
)
from audit.channels.channel import Channel
from audit.channels.measures.delta import decide_delta, delta
from audit.channels.measures.epsilon import decide_epsilon, epsilon
from audit.channels.measures.probabilistic import probabilistic_delta
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision
from tests.audit.channels.slow_measures import encloses, fractions, is_narrow
from tests.synthesizers.brute_force import fraction, real

F = Fraction
TWO = F(2)
BINOMIAL_LAW = "multinomial, less likely cells"
PAPER = Path(__file__).resolve().parents[4] / "shared" / "papers" / "002_fc99e5cca82a4f3b.txt"


def grid(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().split("\n")]


def plug_in_by_hand() -> list[list[Fraction]]:
    """Row n, column m: Binomial(5, (n + 1/2)/6)."""
    p = [(n + F(1, 2)) / 6 for n in range(6)]
    return [
        [math.comb(5, m) * p[n] ** m * (1 - p[n]) ** (5 - m) for m in range(6)] for n in range(6)
    ]


def laplace_by_hand() -> list[list[mpmath.mpf]]:
    """Row n, column m: clamp(round(n + Laplace of scale 1/2)), by its distribution function."""

    def below(x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.exp(2 * x) / 2 if x < 0 else 1 - mpmath.exp(-2 * x) / 2

    with mpmath.workdps(60):
        half = mpmath.mpf(1) / 2
        cuts = [-mpmath.inf, *(m - half for m in range(1, 6)), mpmath.inf]
        return [
            [
                (1 if m == 5 else below(cuts[m + 1] - n)) - (0 if m == 0 else below(cuts[m] - n))
                for m in range(6)
            ]
            for n in range(6)
        ]


def log_odds_by_hand(rows: list[list[mpmath.mpf]]) -> list[list[mpmath.mpf]]:
    with mpmath.workdps(60):
        return [
            [abs(mpmath.log(p / q)) for p, q in zip(rows[n], rows[n + 1], strict=True)]
            for n in range(5)
        ]


@pytest.mark.parametrize("number", range(4))
def test_every_printed_number_to_its_last_digit(number: int) -> None:
    figure = figures()[number]
    by_hand = [[fraction(p) for p in row] for row in plug_in_by_hand()]
    if number >= 2:
        by_hand = laplace_by_hand()
    if number % 2:
        by_hand = log_odds_by_hand(by_hand)
    printed = grid((FIGURE_1, FIGURE_2, FIGURE_3, FIGURE_4)[number])
    assert figure.numbers == sum(map(len, printed)) == (36, 30, 36, 30)[number]
    assert figure.agreeing == figure.numbers
    for row, truths in enumerate(by_hand):
        for column, truth in enumerate(truths):
            interval = figure.computed[row][column]
            assert encloses(Enclosure.of(interval), truth)
            assert is_narrow(Enclosure.of(interval), F(1, 10**30))
            assert figure.printed[row][column] == F(printed[row][column])
            assert f"{float(truth):.6f}" == printed[row][column]


def test_132_numbers_in_all() -> None:
    assert sum(figure.numbers for figure in figures()) == 132
    assert sum(figure.agreeing for figure in figures()) == 132


def test_the_transcription_is_the_papers() -> None:
    if not PAPER.is_file():
        pytest.skip("needs ../shared/papers beside the checkout; it is not there")
    printed = re.findall(r"\b\d\.\d{6}\b", PAPER.read_text(encoding="utf-8"))
    ours = [n for figure in (FIGURE_1, FIGURE_2, FIGURE_3, FIGURE_4) for n in figure.split()]
    assert printed == ours


def test_a_wrong_digit_is_noticed() -> None:
    figure = figures()[0]
    for change in (F(1, 10**6), F(-1, 10**6)):
        rows = [list(row) for row in figure.printed]
        rows[5][3] += change
        altered = Figure(figure.title, tuple(map(tuple, rows)), figure.computed)
        assert altered.agreeing == 35


def test_exactly_eight_entries_of_figure_2_exceed_2_and_these() -> None:
    above = {
        (row, column)
        for row, line in enumerate(figures()[1].computed)
        for column, value in enumerate(line)
        if value.lower > 2
    }
    assert above == {(0, 3), (0, 4), (0, 5), (1, 5), (3, 0), (4, 0), (4, 1), (4, 2)}
    assert all(
        value.lower > 2 or value.upper < 2 for line in figures()[1].computed for value in line
    )


def exactly(channel: Channel, value: Fraction) -> None:
    """The smallest epsilon is ln of a rational."""
    found = epsilon(channel)
    assert found.value == value
    with mpmath.workdps(60):
        assert encloses(found.enclosure, mpmath.log(fraction(value)))


def test_the_plug_in_costs_five_ln_3() -> None:
    exactly(plug_in_channel(), F(3) ** 5)
    assert f"{float(epsilon(plug_in_channel()).enclosure.lower):.6f}" == "5.493061"


def test_equation_1_costs_ln_11() -> None:
    exactly(predictive_channel(), F(11))


def test_equation_1_is_another_matrix_than_figure_1() -> None:
    # Top left: the beta-binomial rises (1/2 + 5)(…)/(6 …), 0.715975; printed is 0.647228.
    chance = predictive_channel().chance(0, 0)
    expected = math.prod((F(11, 2) + i) / (6 + i) for i in range(5))
    assert chance == expected
    assert f"{float(expected):.6f}" == "0.715975"


def test_the_papers_0_0006_is_an_average_over_a_binomial_law() -> None:
    result = probabilistic_delta(plug_in_channel(), TWO)
    rows = plug_in_by_hand()
    law = [F(math.comb(5, n), 32) for n in range(6)]
    cells = {(0, 3), (0, 4), (0, 5), (1, 5), (5, 2), (5, 1), (5, 0), (4, 0)}
    by_hand = sum((law[n] * rows[n][m] for n, m in cells), F(0))
    assert encloses(result.average[BINOMIAL_LAW], fraction(by_hand))
    assert f"{float(by_hand):.8f}" == "0.00062316"
    assert is_narrow(result.average[BINOMIAL_LAW])


def test_the_worst_cases_are_a_hundred_times_larger() -> None:
    result = probabilistic_delta(plug_in_channel(), TWO)
    assert f"{float(result.worst.lower):.5f}" == f"{float(result.worst.upper):.5f}" == "0.10352"
    assert result.table in ((1, 4), (4, 1))
    rows = plug_in_by_hand()
    # Given (1, 4): outputs whose loss to (0, 5) or to (2, 3) exceeds 2.
    assert encloses(result.worst, fraction(rows[1][3] + rows[1][4] + rows[1][5]))
    found = delta(plug_in_channel(), TWO)
    assert f"{float(found.enclosure.lower):.5f}" == "0.06592"
    with mpmath.workdps(60):
        terms = [
            max(fraction(p) - mpmath.exp(2) * fraction(q), 0)
            for p, q in zip(rows[1], rows[0], strict=True)
        ]
        assert encloses(found.enclosure, mpmath.fsum(terms))
    assert found.witness is not None
    assert {found.witness.source, found.witness.target} in ({(1, 4), (0, 5)}, {(4, 1), (5, 0)})


def test_equation_1_fails_2_with_0_003526() -> None:
    found = delta(predictive_channel(), TWO)
    assert f"{float(found.enclosure.lower):.6f}" == "0.003526"
    assert (
        decide_delta(predictive_channel(), TWO, F(3526, 10**6) + F(1, 10**6))[0] is Decision.HOLDS
    )
    odds = [
        abs(float(mpmath.log(real(p) / real(q))))
        for a, b in pairwise(fractions(predictive_channel()))
        for p, q in zip(a, b, strict=True)
    ]
    assert sum(value > 2 for value in odds) == 2


def test_the_laplace_sanitizer_keeps_2_exactly() -> None:
    found = epsilon(laplace_channel())
    assert found.enclosure == Enclosure(TWO, TWO)
    assert decide_epsilon(laplace_channel(), TWO)[0] is Decision.HOLDS
    assert decide_epsilon(laplace_channel(), TWO - F(1, 10**30))[0] is Decision.VIOLATED


def test_figure_3_has_scale_one_over_epsilon_not_two() -> None:
    wider = example_channel("laplace-sanitizer", epsilon="1")
    chance = wider.chance(0, 0)
    assert chance is not None
    assert abs(float(real(chance)) - 0.816060) > 0.1


def test_the_comparator_clamped_discrete_laplace() -> None:
    channel = example_channel("geometric-sanitizer", epsilon="2")
    diagonal = []
    for n in range(6):
        chance = channel.chance(n, n)
        assert chance is not None
        diagonal.append(f"{float(real(chance)):.4f}")
    assert diagonal == ["0.8808", "0.7616", "0.7616", "0.7616", "0.7616", "0.8808"]
    found = epsilon(channel)
    assert found.enclosure == Enclosure(TWO, TWO)
    assert decide_epsilon(channel, TWO)[0] is Decision.HOLDS
    assert decide_epsilon(channel, F(1999999999, 10**9))[0] is Decision.VIOLATED
