"""The smallest counterexample: exact, and no smaller one exists."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest

from audit.auditors.attack.attacked import AttackedBox
from audit.auditors.attack.auditor import attack_box
from audit.auditors.effort import Attack
from audit.parallel import here
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, SampledWitness
from audit.subjects.function import FunctionBox
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Seeds
from audit.subjects.subject import ProgramSubject
from audit.testing.shrinking import coarser, smaller_pair, smallest_parameter, smallest_violation
from proofs.guarantees import ZCDP, ApproxDP
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from tests.audit.testing.claims import mechanisms
from tests.audit.testing.claims.mechanisms import FromThree, ManyTotals, NoisyHistogram

F = Fraction


def claim(epsilon: Any, neighbours: Neighbours, cells: str = "3", records: int | None = 3) -> Claim:
    guarantee = epsilon if isinstance(epsilon, ZCDP) else ApproxDP(F(epsilon))
    return Claim(guarantee, neighbours, "output", Domain.from_cells(cells), records)


def subject(program: Any) -> ProgramSubject:
    return ProgramSubject("subject", program, False)


@pytest.mark.parametrize(
    ("neighbours", "cells"), [(AddRemove(), 1), (ReplaceOne(), 2)], ids=["add-remove", "replace"]
)
def test_an_under_noised_histogram_needs_two_records_and_two_cells_at_most(
    neighbours: Neighbours, cells: int
) -> None:
    # Under add-remove the loss is 1/scale, under replace-one 2/scale.
    scale = F(1, 2) if isinstance(neighbours, AddRemove) else F(1)
    about = claim(1, neighbours)
    found = smallest_violation(subject(NoisyHistogram(scale)), about, coarser(3))
    assert found is not None
    assert (found.claim.records, found.claim.require_domain().size) == (1, cells)
    assert neighbours.are_neighbours(*found.pair)
    chances = [p.lower for p in found.witness.probabilities]
    assert chances[0] > F(271, 100) * chances[1]


def test_the_violation_is_exact_and_none_is_smaller() -> None:
    about = claim(1, AddRemove(), cells="2")
    found = smallest_violation(subject(FromThree()), about, [about.require_domain()])
    assert found is not None and found.claim.records == 3
    # Only cell 0 is counted: one record in it is the least that differs.
    assert sorted(map(sum, found.pair)) == [0, 1]
    assert {counts[1] for counts in found.pair} == {0}


def test_a_claim_that_is_kept_has_no_counterexample() -> None:
    half = ZCDP(F(1, 2))
    for wanted, neighbours in ((1, AddRemove()), (2, ReplaceOne()), (half, AddRemove())):
        about = claim(wanted, neighbours, cells="2", records=2)
        assert smallest_violation(subject(NoisyHistogram(F(1))), about, coarser(2)) is None


def test_a_program_that_refuses_small_domains_is_tried_on_its_own() -> None:
    def particular(curator: Any) -> Any:
        if curator.domain.size < 3:
            raise InputError("three cells, please")
        return NoisyHistogram(F(1, 2))(curator)

    found = smallest_violation(subject(particular), claim(1, AddRemove()), coarser(3))
    assert found is not None and found.claim.require_domain().size == 3
    assert max(map(sum, found.pair)) == 1


def test_the_number_of_records_has_to_be_known() -> None:
    about = claim(1, AddRemove(), records=None)
    with pytest.raises(InputError, match="records=3"):
        smallest_violation(subject(NoisyHistogram()), about, coarser(2))


def test_the_smallest_number_of_queries_that_shows_a_mixed_up_sensitivity() -> None:
    def violated(k: int, root: bool) -> bool:
        about = claim(1, AddRemove(), records=1)
        return smallest_violation(subject(ManyTotals(k, root)), about, coarser(1)) is not None

    # √k·ε of k answers: 1 for one, √2 for two.
    assert smallest_parameter(range(1, 20), lambda k: violated(k, True)) == 2
    assert smallest_parameter(range(1, 5), lambda k: violated(k, False)) is None


def attacked(function: Any, about: Claim, pair: Pair) -> tuple[AttackedBox, Attack, Any]:
    box = FunctionBox("function", function, True)
    attack = Attack(3000, 7, F(1, 20), F(1, 10**6), pair=pair)
    target = AttackedBox(Drawing(box, Seeds(7), here), box)
    return target, attack, attack_box(target, about, attack)


def large_pair() -> Pair:
    rest = [{"cell": "0"} for _ in range(20)]
    return Pair([*rest, {"cell": "1"}], rest, 1, "large", True)


def test_a_refuting_attack_is_repeated_on_smaller_pairs() -> None:
    about = claim("1/10", AddRemove(), records=None)
    target, attack, evidence = attacked(mechanisms.rounded_count, about, large_pair())
    # ε = 1/2 against 1/10 in 6000 runs; the seed is fixed.
    assert evidence.decision is Decision.VIOLATED
    smaller = smaller_pair(target, about, attack, evidence)
    assert smaller.decision is Decision.VIOLATED
    assert isinstance(smaller.witness, SampledWitness)
    assert smaller.witness.pair.first == [{"cell": "1"}]
    assert smaller.witness.pair.second == []


def test_a_violation_of_large_databases_alone_stays_as_it_is() -> None:
    def from_twenty(database: Any, rng: Any, runs: int) -> Any:
        noise = mechanisms.rounded_count(database, rng, runs)
        return noise * 0 + len(database) if len(database) > 20 else noise * 0

    about = claim("1/10", AddRemove(), records=None)
    target, attack, evidence = attacked(from_twenty, about, large_pair())
    assert evidence.decision is Decision.VIOLATED
    smaller = smaller_pair(target, about, attack, evidence)
    assert isinstance(smaller.witness, SampledWitness)
    assert len(smaller.witness.pair.first) == 21


def test_where_the_number_of_records_is_stated_none_is_left_out() -> None:
    rest = [{"cell": "0"} for _ in range(5)]
    pair = Pair([*rest, {"cell": "1"}], [*rest, {"cell": "0"}], 1, "large", True)
    about = claim("1/10", ReplaceOne(), records=6)
    target, attack, evidence = attacked(mechanisms.rounded_count, about, pair)
    assert evidence.decision is Decision.VIOLATED
    assert smaller_pair(target, about, attack, evidence) is evidence


def test_pairs_come_smallest_first() -> None:
    about = claim(1, AddRemove(), cells="2", records=2)
    found = smallest_violation(subject(NoisyHistogram(F(1, 2))), about, [Domain.from_cells("2")])
    assert found is not None
    all_small = [
        (a, b)
        for a, b in itertools.permutations(itertools.product(range(2), repeat=2), 2)
        if AddRemove().are_neighbours(a, b)
    ]
    assert found.pair in all_small and max(map(sum, found.pair)) == 1
