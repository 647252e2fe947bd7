"""Channel certificates: made and checked by two programs, and no forgery passes."""

from __future__ import annotations

import copy
import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs import checker
from proofs.channels import channel_certificate
from proofs.errors import ProofError, UndecidedError
from proofs.guarantees import ApproxDP
from synthesizers.exact import ExpRational
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit, databases
from tests.proofs.honest_certificates import certificate, domain

TINY = Fraction(1, 10**30)
RELATIONS: list[tuple[Neighbours, int, int]] = [
    (AddRemove(), 2, 2),
    (AddRemove(Unit("person", 2)), 2, 3),
    (ReplaceOne(), 3, 2),
    (ReplaceOne(Unit("person", 2)), 2, 2),
]


def table(neighbours: Neighbours, cells: int, records: int, seed: int = 0) -> tuple[Any, Any]:
    """The databases of an instance and rows of chances that sum to 1."""
    source = random.Random(seed)
    listed = databases(neighbours, cells, records).tolist()
    rows = []
    for _ in listed:
        weights = [source.randrange(1, 9) for _ in range(3)]
        rows.append([Fraction(weight, sum(weights)) for weight in weights])
    return listed, rows


def made(
    seed: int = 0, epsilon: str = "1/2", delta: str = "3/4", size: tuple[int, int] = (3, 2)
) -> Any:
    listed, rows = table(ReplaceOne(), *size, seed)
    claim = ApproxDP(Fraction(epsilon), Fraction(delta))
    return json.loads(json.dumps(channel_certificate(ReplaceOne(), listed, rows, claim)))


def rejected(data: Any, words: str = "") -> None:
    found = checker.check(data)
    assert found.status == "rejected" and words in found.reasons[0], found


@pytest.mark.parametrize(("neighbours", "cells", "records"), RELATIONS)
def test_what_is_made_is_checked(neighbours: Neighbours, cells: int, records: int) -> None:
    seen = set()
    for seed in range(6):
        listed, rows = table(neighbours, cells, records, seed)
        for epsilon, delta in [("0", "1/10"), ("1/3", "1/4"), ("1", "0"), ("3", "0")]:
            claim = ApproxDP(Fraction(epsilon), Fraction(delta))
            data = channel_certificate(neighbours, listed, rows, claim)
            found = checker.check(json.loads(json.dumps(data)))
            assert found.status == "checked", found.reasons
            assert found.judgment["finding"] == data["finding"] and data["complete"]
            seen.add(data["finding"])
            opposite = {"holds": "violated", "violated": "holds"}[data["finding"]]
            assert checker.check({**data, "finding": opposite}).status == "rejected"
    assert seen == {"holds", "violated"}


def test_a_violation_names_an_event_that_shows_it() -> None:
    data = made(delta="1/100")
    assert data["finding"] == "violated"
    left, right = data["pair"]
    event = [data["rows"][row] for row in (left, right)]
    p, q = (sum(Fraction(row[m]) for m in data["event"]) for row in event)
    assert [str(p), str(q)] == data["probabilities"]
    assert p > Fraction(1.6487) * q + Fraction(1, 100)


@pytest.mark.parametrize("delta", ["3/4", "1/100"])
def test_one_entry_changed_by_a_hair_is_rejected(delta: str) -> None:
    data = made(delta=delta)
    for row in range(len(data["rows"])):
        new = copy.deepcopy(data)
        new["rows"][row][0] = str(Fraction(new["rows"][row][0]) + TINY)
        rejected(new, "add up")
        new["rows"][row][1] = str(Fraction(new["rows"][row][1]) - TINY)
        rejected(new, "digest")


@pytest.mark.parametrize("delta", ["3/4", "1/100"])
def test_a_dropped_database_is_rejected(delta: str) -> None:
    data = made(delta=delta)
    for row in range(len(data["rows"])):
        new = copy.deepcopy(data)
        del new["rows"][row], new["databases"][row]
        rejected(new, "digest")
        # Even with a digest of its own it is not complete.
        found = checker.channel_of(
            checker.Meter(), checker.REPLACE, new["databases"], [list(one) for one in new["rows"]]
        )
        new["sha256"] = found.sha256
        rejected(new, "complete")


def test_a_pair_that_is_far_apart_can_not_be_left_out() -> None:
    listed = [[1, 0], [0, 1]]
    rows = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    good = channel_certificate(ReplaceOne(), listed, rows, ApproxDP(Fraction(2)))
    rejected({**good, "epsilon": "1"}, "not so close")
    for spare in ("pairs", "neighbour_pairs"):
        rejected({**good, spare: []}, "names")
    three = [[2, 0], [1, 1], [0, 2]]
    same, far = rows[0], [Fraction(1, 100), Fraction(99, 100)]
    close = channel_certificate(ReplaceOne(), three, [same, same, same], ApproxDP(Fraction(1)))
    forged = {**close, "rows": [[str(c) for c in row] for row in (same, same, far)]}
    forged["sha256"] = checker.channel_of(
        checker.Meter(), checker.REPLACE, three, forged["rows"]
    ).sha256
    rejected(forged, "not so close")


def test_the_side_to_which_is_rounded_decides() -> None:
    # The ratio is exactly 3, and ln 3 lies between these two numbers that are 10^-40 apart.
    rows = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
    below = "1.0986122886681096913952452369225257046474"
    above = "1.0986122886681096913952452369225257046475"
    for epsilon, finding in ((below, "violated"), (above, "holds")):
        claim = ApproxDP(Fraction(epsilon))
        data = channel_certificate(ReplaceOne(), [[0, 1], [1, 0]], rows, claim)
        assert data["finding"] == finding
        assert checker.check(data).status == "checked"
        other = {below: above, above: below}[epsilon]
        assert checker.check({**data, "epsilon": str(Fraction(other))}).status == "rejected"


def test_enclosures_are_taken_at_their_worse_ends() -> None:
    rows = [
        [(Fraction(74, 100), Fraction(76, 100)), (Fraction(24, 100), Fraction(26, 100))],
        [(Fraction(24, 100), Fraction(26, 100)), (Fraction(74, 100), Fraction(76, 100))],
    ]
    listed = [[0, 1], [1, 0]]

    def of(epsilon: str) -> Any:
        return channel_certificate(ReplaceOne(), listed, rows, ApproxDP(Fraction(epsilon)))

    held, broken = of("1.1527"), of("1.04")
    assert (held["finding"], broken["finding"]) == ("holds", "violated")
    assert checker.check(held).status == checker.check(broken).status == "checked"
    with pytest.raises(UndecidedError):
        of("1.1")
    # ln(0.74/0.24) = 1.126, ln(0.76/0.26) = 1.073
    for epsilon in ("1.14", "1.1", "1.074"):
        for data in (held, broken):
            rejected({**data, "epsilon": epsilon})
        swapped = copy.deepcopy(data)
        swapped["rows"][0][0].reverse()
        rejected(swapped, "chance")
    moved = copy.deepcopy(broken)
    moved["probabilities"][0] = moved["probabilities"][0][::-1]
    rejected(moved, "chance")


@pytest.mark.parametrize("listed", [[[0, 1], [1, 0]], [[1, 0], [0, 1]]])
@pytest.mark.parametrize("turned", [False, True])
def test_each_direction_of_a_pair_counts(listed: list[list[int]], turned: bool) -> None:
    # One direction diverges by 1/2 at ε = 1, the other by 0.
    rows = [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1), Fraction(0)]]
    rows = rows[::-1] if turned else rows
    claim = ApproxDP(Fraction(1), Fraction(1, 2))
    held = channel_certificate(ReplaceOne(), listed, rows, claim)
    assert held["finding"] == "holds" and checker.check(held).status == "checked"
    rejected({**held, "delta": "1/4"}, "not so close")
    broken = channel_certificate(ReplaceOne(), listed, rows, ApproxDP(Fraction(1), Fraction(1, 4)))
    assert broken["pair"] == ([1, 0] if turned else [0, 1]) and broken["event"] == [1]
    rejected({**broken, "pair": broken["pair"][::-1]})


def test_chances_with_exponentials_are_enclosed() -> None:
    one = ExpRational.exp(Fraction(1))
    keep, move = one / (one + 1), 1 / (one + 1)
    rows = [[keep, move], [move, keep]]
    listed = [[0, 1], [1, 0]]
    near = Fraction(1) + Fraction(1, 10**40)
    held = channel_certificate(ReplaceOne(), listed, rows, ApproxDP(near))
    assert held["finding"] == "holds" and checker.check(held).status == "checked"
    with pytest.raises(UndecidedError):
        channel_certificate(ReplaceOne(), listed, rows, ApproxDP(Fraction(1)))
    wide = Interval(Fraction(-1, 10), Fraction(11, 10))
    with pytest.raises(UndecidedError):
        channel_certificate(ReplaceOne(), listed, [[wide, wide]] * 2, ApproxDP(Fraction(1)))


def test_the_worst_pair_and_its_slack_are_checked() -> None:
    data = made()
    worst = data["worst"]
    assert Fraction(worst["slack"]) > 0
    rejected({**data, "worst": {**worst, "slack": "3/4"}}, "not so close")
    rejected({**data, "worst": {**worst, "slack": "-1/4"}}, "negative")
    for pair in ([0, 0], [0], [0, 99], worst["pair"] * 2, "01", [0, -1]):
        rejected({**data, "worst": {**worst, "pair": pair}})
    others = [
        {**data, "worst": {**worst, "pair": [left, right]}}
        for left in range(len(data["rows"]))
        for right in range(len(data["rows"]))
        if left != right and [left, right] != worst["pair"]
    ]
    assert all(checker.check(other).status == "rejected" for other in others)


def test_forged_events_are_rejected() -> None:
    data = made(delta="1/100")
    for event in ([], [0, 0], [99], [-1], [0, 1, 2], ["0"], 0):
        rejected({**data, "event": event})
    p, q = data["probabilities"]
    for stated in ([q, p], [p], [p, "0"], [p, q, q]):
        rejected({**data, "probabilities": stated})
    rejected({**data, "pair": data["pair"][::-1]})


@pytest.mark.parametrize("name", sorted(made()))
def test_missing_or_changed_members_are_rejected(name: str) -> None:
    data = made()
    fewer = {key: value for key, value in data.items() if key != name}
    assert checker.check(fewer).status in ("rejected", "malformed")
    for value in (None, 1, 0.5, "x", [], {}, True, "1e999999999"):
        weaker = name == "epsilon" and value == 1  # a larger epsilon holds, too
        if value is not data[name] and not weaker:
            assert checker.check({**data, name: value}).status in ("rejected", "malformed")


def test_incomplete_lists_say_so() -> None:
    listed = [[2, 0], [1, 1]]
    rows = [[Fraction(1, 2)] * 2] * 2
    data = channel_certificate(ReplaceOne(), listed, rows, ApproxDP(Fraction(0)))
    assert not data["complete"]
    found = checker.check(data)
    assert found.status == "checked" and "the listed 2 databases" in found.neighbours
    rejected({**data, "complete": True}, "complete")
    full = made()
    assert "all 6 databases" in checker.check(full).neighbours
    rejected({**full, "complete": False}, "complete")


def test_what_is_no_channel_is_refused_by_the_maker() -> None:
    half = [Fraction(1, 2)] * 2
    claim = ApproxDP(Fraction(1))
    for listed, rows in [
        ([[0, 1], [0, 1]], [half, half]),
        ([[0, 1], [0, 2]], [half, half]),
        ([[0, 1], [1, 0]], [half]),
        ([[0, 1], [1, 0]], [half, [Fraction(1, 2), Fraction(1, 3)]]),
        ([[0, 1], [1, 0]], [half, [0.5, 0.5]]),
        ([[0, 1], [1, 0]], [half, [Fraction(1)]]),
        ([], []),
    ]:
        with pytest.raises(ProofError):
            channel_certificate(ReplaceOne(), listed, rows, claim)


def test_certificates_show_or_refute_their_claim() -> None:
    own = {"neighbours": "replace-one", "domain": domain({"cell": 3}, 2)}
    held = certificate(None, "EXACT", channel_certificate=made(), **own)
    for claim in ("epsilon=1/2, delta=3/4", "epsilon=0.6, delta=0.8"):
        found = checker.check({**held, "claim": claim})
        assert found.status == "not re-checked" and "shows" in found.reasons[0]
    for claim in ("epsilon=0.4, delta=3/4", "rho=1"):
        rejected({**held, "claim": claim}, "does not show")
    rejected({**held, "claim": "epsilon=1/2, delta=3/4", "neighbours": "add-remove"}, "neighbours")
    broken = {**held, "channel_certificate": made(delta="1/100"), "verdict": "REFUTED"}
    found = checker.check({**broken, "claim": "epsilon=1/2, delta=1/200"})
    assert found.status == "checked" and "refutes" in found.reasons[0]
    assert found.guarantee.startswith("not ")
    rejected({**broken, "claim": "epsilon=1/2, delta=1/50"}, "does not show")


@pytest.mark.parametrize(
    ("shape", "records"), [({"cell": 4}, 2), ({"a": 2, "b": 2}, 2), ({"cell": 3}, 3)]
)
def test_a_channel_of_another_domain_or_number_of_records_is_rejected(
    shape: dict[str, int], records: int
) -> None:
    own = {"neighbours": "replace-one", "domain": domain(shape, records)}
    own |= {"channel_certificate": made(delta="1/100"), "claim": "epsilon=1/2, delta=1/200"}
    rejected(certificate(None, "REFUTED", **own), "about")


def test_a_certificate_in_a_file_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "channel.json"
    path.write_text(json.dumps(made()))
    assert checker.main([str(path)]) == 0
    path.write_text(json.dumps({**made(), "delta": "0"}))
    assert checker.main([str(path)]) == 1


def test_channels_too_large_to_check_are_left_to_the_kernel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checker, "WORK", 20)
    assert checker.check(made()).status == "kernel only"


def test_an_instance_of_a_hundred_and_sixty_five_databases_is_checked() -> None:
    data = made(size=(4, 8), epsilon="5", delta="1/10")
    assert len(data["databases"]) == 165 and checker.check(data).status == "checked"
