"""The rule of finite channels: sound, tight, and refused beside its side conditions."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from proofs.errors import ProofError
from proofs.guarantees import ApproxDP
from proofs.hypotheses import BASE
from proofs.judgments import Private
from proofs.kernel import Theorem, prove
from proofs.rules.channels import FiniteChannel
from synthesizers.intervals import exp_interval
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit, databases

RELATIONS: list[tuple[Neighbours, int, int]] = [
    (AddRemove(), 2, 2),
    (AddRemove(Unit("person", 2)), 2, 3),
    (ReplaceOne(), 3, 2),
    (ReplaceOne(Unit("person", 2)), 2, 2),
]


def chances(source: random.Random, outputs: int) -> list[Fraction]:
    """A row that sums to 1, with a zero now and then."""
    weights = [source.choice([0, 1, 2, 3, 5, 8]) for _ in range(outputs)]
    weights[source.randrange(outputs)] += 1
    return [Fraction(weight, sum(weights)) for weight in weights]


def channel(neighbours: Neighbours, cells: int, records: int, seed: int) -> dict[str, Any]:
    """Parameters of the rule, without a claim."""
    listed = databases(neighbours, cells, records).tolist()
    source = random.Random(seed)
    rows = [[str(chance) for chance in chances(source, 3)] for _ in listed]
    return {"neighbours": neighbours, "databases": listed, "rows": rows}


def least_delta(given: dict[str, Any], epsilon: Fraction) -> mpmath.mpf:
    """The largest Σ (P - e^ε·Q)⁺ over every two databases that are neighbours, by definition."""
    with mpmath.workprec(300):
        power, worst = (
            mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator),
            mpmath.mpf(0),
        )
        for left, ours in zip(given["databases"], given["rows"], strict=True):
            for right, theirs in zip(given["databases"], given["rows"], strict=True):
                if given["neighbours"].are_neighbours(left, right):
                    pairs = [(Fraction(p), Fraction(q)) for p, q in zip(ours, theirs, strict=True)]
                    excess = [
                        mpmath.mpf(p.numerator) / p.denominator
                        - power * q.numerator / q.denominator
                        for p, q in pairs
                    ]
                    worst = max(worst, mpmath.fsum(max(e, mpmath.mpf(0)) for e in excess))
        return worst


def claimed(given: dict[str, Any], epsilon: object, delta: object) -> Theorem:
    return prove("finite-channel", [], {**given, "epsilon": epsilon, "delta": delta})


@pytest.mark.parametrize(("neighbours", "cells", "records"), RELATIONS)
def test_no_channel_diverges_by_more_than_proved(
    neighbours: Neighbours, cells: int, records: int
) -> None:
    for seed in range(8):
        given = channel(neighbours, cells, records, seed)
        for epsilon in (Fraction(0), Fraction(1, 3), Fraction(2)):
            least = least_delta(given, epsilon)
            with mpmath.workprec(300):
                near = Fraction(int(mpmath.floor(least * 2**60)), 2**60)
            above = near + Fraction(1, 2**59)
            if above < 1:
                theorem = claimed(given, epsilon, above)
                judgment = theorem.judgment
                assert isinstance(judgment, Private)
                assert judgment.guarantee == ApproxDP(epsilon, above)
                assert judgment.neighbours == neighbours and theorem.hypotheses == BASE
            if near > 0:
                with pytest.raises(ProofError):
                    claimed(given, epsilon, near - Fraction(1, 2**50))


def test_randomised_response_is_proved_at_its_epsilon_and_not_below() -> None:
    # The ratio of the chances is 3, and ln 3 = 1.09861228866810969139524523692252570464749…
    given = {
        "neighbours": ReplaceOne(),
        "databases": [[0, 1], [1, 0]],
        "rows": [["3/4", "1/4"], ["1/4", "3/4"]],
    }
    claimed(given, "1.0986122886681096913952452369225257046475", 0)
    with pytest.raises(ProofError):
        claimed(given, "1.0986122886681096913952452369225257046474", 0)


def test_enclosed_chances_are_taken_at_their_worse_ends() -> None:
    rows = [[["0.74", "0.76"], ["0.24", "0.26"]], [["0.24", "0.26"], ["0.74", "0.76"]]]
    given = {"neighbours": ReplaceOne(), "databases": [[0, 1], [1, 0]], "rows": rows}
    claimed(given, "1.1527", 0)  # ln(0.76/0.24) = 1.15267…
    with pytest.raises(ProofError):
        claimed(given, "1.1526", 0)
    found = FiniteChannel.of(
        ReplaceOne(),
        ((0, 1), (1, 0)),
        tuple(tuple((Fraction(a), Fraction(b)) for a, b in row) for row in rows),
    )
    ends = found.divergence(0, 1, exp_interval(Fraction(0)))
    assert (ends.lower, ends.upper) == (Fraction("0.48"), Fraction("0.52"))


@pytest.mark.parametrize(
    "row",
    [
        ["1/2", "1/2", f"1/{10**30}"],
        ["1/2", f"{10**30 // 2 - 1}/{10**30}", "0"],
        ["3/2", "-1/2", "0"],
        [["1/2", "1/3"], "1/2", "1/6"],
        [["0", "1/4"], ["0", "1/4"], "1/4"],
        [["1/2", "1"], ["1/2", "1"], "1/4"],
        ["1/2", "1/2"],
        [["0", "1/2", "1"], "1/2", "1/2"],
        ["1", None, "0"],
        [1, 0.0, "0"],
        [],
    ],
)
def test_rows_that_are_no_chances_are_refused(row: list[object]) -> None:
    given = channel(ReplaceOne(), 2, 1, 0)
    for place in range(2):
        rows = list(given["rows"])
        rows[place] = row
        with pytest.raises(ProofError):
            claimed({**given, "rows": rows}, 50, "0.999")


def test_databases_that_are_no_whole_instance_are_refused() -> None:
    def listed(neighbours: Neighbours, *sets: list[int]) -> dict[str, Any]:
        return {
            "neighbours": neighbours,
            "databases": list(sets),
            "rows": [["1/2", "1/2"] for _ in sets],
        }

    claimed(listed(AddRemove(), [0], [1], [2]), 0, 0)
    claimed(listed(ReplaceOne(), [2, 0], [1, 1], [0, 2]), 0, 0)
    refused = [
        listed(AddRemove(), [0], [2]),
        listed(AddRemove(), [1], [2]),
        listed(AddRemove(), [0, 0], [1, 0]),
        listed(AddRemove(), [0]),
        listed(AddRemove(), [0], [1], [1]),
        listed(AddRemove(), [0], [1], [-1]),
        listed(AddRemove(), [0], [1, 0]),
        listed(AddRemove()),
        listed(ReplaceOne(), [2, 0], [1, 1]),
        listed(ReplaceOne(), [1, 0], [0, 1], [2, 0], [1, 1], [0, 2]),
        listed(ReplaceOne(), [1], [2]),
        listed(ReplaceOne(Unit("person", 2)), [2, 0], [1, 1], [0, 2]),
    ]
    for given in refused:
        with pytest.raises(ProofError):
            claimed(given, 0, 0)


def test_hostile_sizes_are_refused_at_once() -> None:
    given = channel(AddRemove(), 1, 1, 0)
    for sets in ([[0], [10**30]], [[0], [2**31 - 1]], [[0] * 40, [1] + [0] * 39]):
        with pytest.raises(ProofError):
            claimed({**given, "databases": sets}, 50, "0.999")
    rows = [[f"1/{3**8000}", f"1/{7**4500}", "1/2"]] * 2
    with pytest.raises(ProofError):
        claimed({**given, "rows": rows}, 50, "0.999")
