"""The rules of bits, records and tables against laws enumerated in full, in fractions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.errors import ProofError
from proofs.guarantees import ApproxDP
from proofs.hypotheses import BASE
from proofs.judgments import Judgment, LossList, Private, Stable
from proofs.kernel import prove
from proofs.losses import ResponseLoss
from proofs.parameters import plain
from proofs.rules import RULES, tables
from proofs.rules.rule import Conclusion, Rule
from synthesizers.laws.dirichlet import DirichletMultinomial, PlugInMultinomial
from synthesizers.laws.pram import PostRandomisation, retaining
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.neighbours import (
    AddRemove,
    Neighbours,
    ReplaceOne,
    Unit,
    databases,
    neighbour_pairs,
)

mpmath.mp.dps = 40
Counts = tuple[int, ...]
Law = dict[Counts, Any]
RECORDS = ReplaceOne()
RELATIONS = [
    AddRemove(),
    ReplaceOne(),
    AddRemove(Unit("person", 2)),
    ReplaceOne(Unit("person", 2)),
    AddRemove(Unit("person", 3)),
]
NOT_RECORDS = [relation for relation in RELATIONS if relation != RECORDS]
SMALL = Fraction(1, 10**12)
POSTERIORS = {"dirichlet-multinomial": True, "plug-in-multinomial": False}
"""Whether each posterior law learns from the rows that it drew."""


def apply(rule: str, *judgments: Judgment, **given: Any) -> Conclusion:
    """What a rule concludes; a posterior law is the rule's parameter."""
    if rule in POSTERIORS:
        rule, given = "posterior-draws", {"law": rule, **given}
    return RULES[rule].apply(judgments, plain(given))


def proved(conclusion: Conclusion) -> ApproxDP:
    """The (ε, 0) of a mechanism of one response loss, as it is read off."""
    point = {"method": "sum", "epsilon": loss_of(conclusion).epsilon, "delta": 0, "hints": {}}
    found = apply("to-approx", conclusion.judgment, **point)
    assert isinstance(found.judgment, Private)
    assert isinstance(found.judgment.guarantee, ApproxDP)
    return found.judgment.guarantee


def loss_of(conclusion: Conclusion) -> ResponseLoss:
    assert isinstance(conclusion.judgment, Private)
    guarantee = conclusion.judgment.guarantee
    assert isinstance(guarantee, LossList)
    ((count, loss),) = guarantee.losses
    assert count == 1 and isinstance(loss, ResponseLoss) and loss.delta == 0
    return loss


def widest_ratio(
    law: Callable[[Counts], Law], neighbours: Neighbours, cells: int, records: int
) -> Any:
    """The largest ratio of an outcome's chances, over all neighbours of a small domain."""
    rows = databases(neighbours, cells, records)
    laws = [law(tuple(row)) for row in rows.tolist()]
    worst: Any = 0
    for one, other in neighbour_pairs(neighbours, rows).tolist():
        for left, right in ((laws[one], laws[other]), (laws[other], laws[one])):
            for outcome, chance in left.items():
                if chance and not right.get(outcome):
                    return math.inf
                worst = max(worst, chance / right[outcome] if chance else 0)
    return worst


def histogram(answers: Sequence[int], cells: int) -> Counts:
    return tuple(sum(answer == cell for answer in answers) for cell in range(cells))


def answers_law(matrix: Sequence[Sequence[Fraction]]) -> Callable[[Counts], Law]:
    """Every record answers by its row of the matrix: visit every vector of answers."""
    cells = len(matrix[0])

    @cache
    def law(counts: Counts) -> Law:
        sources = [source for source, count in enumerate(counts) for _ in range(count)]
        found: Law = {}
        for answers in itertools.product(range(cells), repeat=len(sources)):
            chance = math.prod(
                (matrix[s][a] for s, a in zip(sources, answers, strict=True)), start=Fraction(1)
            )
            key = histogram(answers, cells)
            found[key] = found.get(key, Fraction(0)) + chance
        return found

    return law


def response_matrix(odds: Fraction, values: int) -> list[list[Fraction]]:
    total = odds + values - 1
    return [[(odds if i == j else 1) / total for j in range(values)] for i in range(values)]


def log_bounds(number: Fraction | int) -> tuple[Fraction, Fraction]:
    """Rationals just below and just above ln of a number."""
    value = mpmath.log(mpmath.mpf(Fraction(number).numerator) / Fraction(number).denominator)
    middle = Fraction(int(value * 2**60), 2**60)
    return max(middle - SMALL, Fraction(0)), middle + SMALL


# --- randomized response -------------------------------------------------------------------------


@pytest.mark.parametrize("odds", [Fraction(3, 2), Fraction(5)])
@pytest.mark.parametrize("values", [2, 3])
def test_randomized_response_loses_exactly_its_epsilon(values: int, odds: Fraction) -> None:
    # e^ε is ``odds``: the rule concludes the ε that it is given, whatever it is.
    law = answers_law(response_matrix(odds, values))
    for records in (1, 2, 3):
        assert widest_ratio(law, RECORDS, values, records) == odds
    found = apply("local-randomizer", neighbours=RECORDS, values=values, epsilon="1/3")
    assert proved(found) == ApproxDP(Fraction(1, 3))
    assert found.hypotheses == BASE


@pytest.mark.parametrize("neighbours", NOT_RECORDS, ids=str)
def test_answers_of_all_records_are_refused_where_their_number_shows(
    neighbours: Neighbours,
) -> None:
    matrix = response_matrix(Fraction(3), 2)
    assert widest_ratio(answers_law(matrix), neighbours, 2, 2) == math.inf
    answering: list[dict[str, Any]] = [{"values": 2}, {"matrix": matrix}]
    for own in answering:
        with pytest.raises(ProofError, match="replace-one of a record"):
            apply("local-randomizer", neighbours=neighbours, epsilon=9, **own)


def test_randomized_response_costs_what_its_law_costs() -> None:
    law = RandomizedResponse(Fraction(2, 3))
    found = apply("local-randomizer", neighbours=RECORDS, values=4, epsilon=law.epsilon)
    assert proved(found).epsilon == law.cost(RECORDS).epsilon


@pytest.mark.parametrize("wrong", [{"values": 0}, {"values": True}, {"epsilon": -1}, {"delta": 0}])
def test_malformed_randomized_response_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ProofError):
        apply("local-randomizer", **{"neighbours": RECORDS, "values": 2, "epsilon": 1, **wrong})


# --- one bit -------------------------------------------------------------------------------------


def bit(l0: int | None = 1, linf: Any = 1, integers: bool = True) -> Stable:
    move = Fraction(linf)
    return Stable(AddRemove(), l0, move, move * move, move, False, integers)


def divergence(left: Sequence[Any], right: Sequence[Any], factor: Any) -> Any:
    return sum(max(p - factor * q, 0) for p, q in zip(left, right, strict=True))


def bits_law(bits: Sequence[int], odds: Fraction) -> list[Fraction]:
    """The chances of all vectors of bits, each kept with the given odds."""
    keep = odds / (odds + 1)
    return [
        math.prod(
            (keep if a == b else 1 - keep for a, b in zip(bits, out, strict=True)),
            start=Fraction(1),
        )
        for out in itertools.product((0, 1), repeat=len(bits))
    ]


def test_one_flipped_bit_has_the_curve_of_its_pair() -> None:
    assert loss_of(apply("response", bit(), epsilon="1/2")) == ResponseLoss(Fraction(1, 2))
    odds = Fraction(3)
    pair = [odds / (odds + 1), 1 / (odds + 1)]
    for moved in ((1, 1, 0), (0, 0, 0), (0, 1, 1)):
        for factor in (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2), odds, Fraction(4)):
            found = divergence(bits_law((0, 1, 0), odds), bits_law(moved, odds), factor)
            assert found == divergence(pair, pair[::-1], factor)


def test_two_moving_bits_are_refused_because_their_loss_is_larger() -> None:
    odds = Fraction(3)
    left, right = bits_law((0, 1), odds), bits_law((1, 0), odds)
    assert divergence(left, right, odds) > 0
    for wrong in (bit(2), bit(None), bit(1, 2), bit(1, 1, False)):
        with pytest.raises(ProofError, match="by 1 at most"):
            apply("response", wrong, epsilon=1)


def test_a_bit_that_never_moves_and_a_fair_coin_pass() -> None:
    assert loss_of(apply("response", bit(0, 0), epsilon=1)) == ResponseLoss(Fraction(1))
    assert loss_of(apply("response", bit(), epsilon=0)) == ResponseLoss(Fraction(0))
    with pytest.raises(ProofError):
        apply("response", bit(), epsilon="-1")


# --- a matrix of chances -------------------------------------------------------------------------

MATRIX = [
    [Fraction(5, 8), Fraction(2, 8), Fraction(1, 8)],
    [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)],
    [Fraction(1, 2), Fraction(1, 8), Fraction(3, 8)],
]


def matrix_ratio(matrix: Sequence[Sequence[Fraction]]) -> Fraction:
    columns = [column for column in zip(*matrix, strict=True) if any(column)]
    worst: Fraction = max(p / q for column in columns for p in column for q in column)
    return worst


@given(
    st.lists(st.lists(st.integers(1, 9), min_size=3, max_size=3), min_size=2, max_size=3),
)
def test_no_matrix_loses_more_than_its_column_ratio(weights: list[list[int]]) -> None:
    matrix = [[Fraction(weight, sum(row)) for weight in row] for row in weights]
    ratio = matrix_ratio(matrix)
    law = answers_law(matrix)
    for records in (1, 2):
        assert widest_ratio(law, RECORDS, len(matrix), records) == ratio
    below, above = log_bounds(ratio)
    found = apply("local-randomizer", neighbours=RECORDS, matrix=matrix, epsilon=above)
    assert proved(found) == ApproxDP(above)
    if below:
        with pytest.raises(ProofError, match="widest ratio"):
            apply("local-randomizer", neighbours=RECORDS, matrix=matrix, epsilon=below)


def test_a_matrix_of_equal_rows_loses_nothing() -> None:
    matrix = [["1/2", "1/2", 0], ["1/2", "1/2", 0]]
    found = apply("local-randomizer", neighbours=RECORDS, matrix=matrix, epsilon=0)
    assert proved(found) == ApproxDP(Fraction(0))
    with pytest.raises(ProofError):
        apply("local-randomizer", neighbours=RECORDS, matrix=matrix, epsilon="-1/1000")


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[1, 0], [0, 1]], "zero stands beside"),
        ([["1/2", "1/2"], [1, 0]], "zero stands beside"),
        # One attribute is randomised and the other stays as it is: the whole record is not.
        ([["1/2", "1/2", 0, 0]] * 2 + [[0, 0, "1/2", "1/2"]] * 2, "zero stands beside"),
        ([["1/2", "1/3"], ["1/2", "1/2"]], "sum to exactly 1"),
        ([["0.3333333333", "0.6666666666"]], "sum to exactly 1"),
        ([["3/2", "-1/2"], ["3/2", "-1/2"]], "matrix to be at least 0"),
        ([["1/2", "1/2"], [1]], "one length"),
        ([], "a list of one or more"),
        ([[]], "a list of one or more"),
        ("1", "matrix to be a list"),
        ([[1]] * 1001, "1 to 1000 rows"),
        ([["1/2", "1/2"], "11"], "to be a list"),
        ([["1/" + "9" * 2000, "1/7"]], "common denominator"),
    ],
)
def test_other_matrices_are_refused(matrix: Any, words: str) -> None:
    with pytest.raises(ProofError, match=words):
        apply("local-randomizer", neighbours=RECORDS, matrix=matrix, epsilon=50)


def test_floats_in_a_matrix_are_refused() -> None:
    with pytest.raises(ProofError, match="float"):
        apply("local-randomizer", neighbours=RECORDS, matrix=[[0.5, 0.5]], epsilon=1)


def test_the_rule_of_a_matrix_takes_what_its_law_costs() -> None:
    law = PostRandomisation(retaining(Fraction(3, 4), 4))
    matrix = law.to_json()["matrix"]
    epsilon = law.cost(RECORDS).epsilon
    found = apply("local-randomizer", neighbours=RECORDS, matrix=matrix, epsilon=epsilon)
    assert proved(found).epsilon == epsilon


# --- posterior laws ------------------------------------------------------------------------------


def posterior_law(
    alpha: Sequence[Fraction], drawn: int, learns: bool
) -> Callable[[Counts], dict[Counts, Fraction]]:
    """Draw the rows one by one, by an urn that learns from each (or, plugged in, does not)."""

    def law(counts: Counts) -> dict[Counts, Fraction]:
        urn = [prior + count for prior, count in zip(alpha, counts, strict=True)]
        found = {(0,) * len(urn): Fraction(1)}
        for _ in range(drawn):
            grown: dict[Counts, Fraction] = {}
            for rows, chance in found.items():
                seen = rows if learns else (0,) * len(urn)
                total = sum(urn) + sum(seen)
                for cell, weight in enumerate(urn):
                    key = (*rows[:cell], rows[cell] + 1, *rows[cell + 1 :])
                    part = chance * (weight + seen[cell]) / total
                    grown[key] = grown.get(key, Fraction(0)) + part
            found = grown
        return found

    return law


def step_ratio(rule: str, least: Fraction, drawn: int) -> Fraction:
    return 1 + drawn / least if POSTERIORS[rule] else (1 + 1 / least) ** drawn


@pytest.mark.parametrize("rule", POSTERIORS)
@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize(
    ("alpha", "drawn", "records"),
    [
        ((Fraction(1, 2), Fraction(1, 2)), 3, 4),
        ((Fraction(1, 10), Fraction(7)), 2, 4),
        ((Fraction(4), Fraction(1, 3), Fraction(1)), 2, 3),
        ((Fraction(2),), 3, 3),
    ],
)
def test_no_neighbours_lose_more_than_the_posterior_rules(
    rule: str, neighbours: Neighbours, alpha: tuple[Fraction, ...], drawn: int, records: int
) -> None:
    law = posterior_law(alpha, drawn, POSTERIORS[rule])
    ratio = step_ratio(rule, min(alpha), drawn) ** neighbours.unit.max_records
    assert widest_ratio(law, neighbours, len(alpha), records) <= ratio
    given = {"neighbours": neighbours, "alpha_min": min(alpha), "records": drawn}
    below, above = log_bounds(ratio)
    found = apply(rule, **given, epsilon=above)
    assert proved(found) == ApproxDP(above)
    assert found.hypotheses == BASE
    with pytest.raises(ProofError, match="whole unit"):
        apply(rule, **given, epsilon=below)


@pytest.mark.parametrize("rule", POSTERIORS)
def test_one_replaced_record_attains_the_posterior_rules(rule: str) -> None:
    # The loss is attained by the last record of a cell, where all rows fall into that cell.
    alpha, drawn = (Fraction(1, 2), Fraction(10**9)), 3
    found = widest_ratio(posterior_law(alpha, drawn, POSTERIORS[rule]), RECORDS, 2, 1)
    assert step_ratio(rule, alpha[0], drawn) * (1 - Fraction(1, 10**8)) < found


@pytest.mark.parametrize("rule", POSTERIORS)
def test_a_person_loses_more_than_a_record(rule: str) -> None:
    alpha, drawn = (Fraction(1, 2), Fraction(1, 2)), 3
    law = posterior_law(alpha, drawn, POSTERIORS[rule])
    found = widest_ratio(law, ReplaceOne(Unit("person", 2)), 2, 4)
    assert found > step_ratio(rule, alpha[0], drawn)


@pytest.mark.parametrize("rule", POSTERIORS)
def test_a_table_of_no_rows_loses_nothing(rule: str) -> None:
    given = {"neighbours": AddRemove(), "alpha_min": "1/2", "records": 0, "epsilon": 0}
    assert proved(apply(rule, **given)) == ApproxDP(Fraction(0))


@pytest.mark.parametrize("rule", POSTERIORS)
@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
def test_the_posterior_rules_take_what_their_laws_cost(rule: str, neighbours: Neighbours) -> None:
    kind = DirichletMultinomial if POSTERIORS[rule] else PlugInMultinomial
    law = kind((Fraction(1, 2), Fraction(3)), 7)
    epsilon = law.cost(neighbours).epsilon
    given = {"neighbours": neighbours, "alpha_min": "1/2", "records": 7}
    assert proved(apply(rule, **given, epsilon=epsilon)).epsilon == epsilon
    with pytest.raises(ProofError):
        apply(rule, **given, epsilon=epsilon - SMALL)


@pytest.mark.parametrize("rule", POSTERIORS)
@pytest.mark.parametrize(
    "wrong",
    [{"alpha_min": 0}, {"alpha_min": "-1"}, {"records": -1}, {"records": "2"}, {"cells": 3}],
)
def test_malformed_posteriors_are_refused(rule: str, wrong: dict[str, Any]) -> None:
    given = {"neighbours": AddRemove(), "alpha_min": 1, "records": 2, "epsilon": 99}
    with pytest.raises(ProofError):
        apply(rule, **{**given, **wrong})


# --- what all of them share ----------------------------------------------------------------------

POSTERIOR = {"alpha_min": 1, "records": 2, "epsilon": 3}
GIVEN: list[tuple[str, dict[str, Any]]] = [
    ("local-randomizer", {"values": 3, "epsilon": 1}),
    ("local-randomizer", {"matrix": MATRIX, "epsilon": 2}),
    ("posterior-draws", {"law": "dirichlet-multinomial", **POSTERIOR}),
    ("posterior-draws", {"law": "plug-in-multinomial", **POSTERIOR}),
]


@pytest.mark.parametrize(("rule", "own"), GIVEN)
def test_the_kernel_knows_the_rules_of_tables(rule: str, own: dict[str, Any]) -> None:
    theorem = prove(rule, [], {"neighbours": RECORDS, **own})
    assert isinstance(theorem.judgment, Private)
    assert theorem.judgment.neighbours == RECORDS
    here = {own.name for own in vars(tables).values() if isinstance(own, Rule)}
    assert here == {*dict(GIVEN), "response"}


@pytest.mark.parametrize(("rule", "own"), GIVEN)
def test_rules_of_tables_take_no_premises_and_need_neighbours(
    rule: str, own: dict[str, Any]
) -> None:
    with pytest.raises(ProofError, match="no premises"):
        apply(rule, bit(), neighbours=RECORDS, **own)
    with pytest.raises(ProofError, match="neighbours"):
        apply(rule, **own)


def test_a_local_randomizer_is_given_in_one_way() -> None:
    for own in ({}, {"values": 3, "matrix": MATRIX}):
        with pytest.raises(ProofError, match="number of values, or a matrix"):
            apply("local-randomizer", neighbours=RECORDS, epsilon=9, **own)


def test_a_posterior_law_must_be_known() -> None:
    with pytest.raises(ProofError, match="law to be one of"):
        apply("posterior-draws", neighbours=RECORDS, law="dirichlet", **POSTERIOR)
