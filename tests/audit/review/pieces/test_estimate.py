"""A review's plan: what it takes by a measured run, what that can see, and how it fits a time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from audit.review.orders import Order
from audit.review.pieces.attacks import claim_of, plan_blocks
from audit.review.pieces.estimate import BESIDE, fit, make_plan
from audit.review.pieces.piece import Piece
from synthesizers.errors import InputError
from tests.audit.review.orders import Worked, certificate, make_order, make_prepared


def measure(seconds: float) -> Worked:
    """Trials of so many seconds, and nothing else."""
    return Worked(lambda piece: (0, {"seconds": seconds}) if piece.kind == "trial" else None)


def plan_of(order: Order, seconds: float = 0.1) -> tuple[float, int]:
    """The seconds and the runs of an order's attacks."""
    worked = measure(seconds)
    worked.work(order)
    plan = make_plan(order, worked.read)
    return sum(one.seconds for one in plan.attacks), plan.runs


def test_attacks_take_the_time_of_their_runs(tmp_path: Path) -> None:
    order = make_order(make_prepared(tmp_path, epsilons=("1",)))
    seconds, runs = plan_of(order)
    assert seconds == pytest.approx(0.1 * runs)
    blocks = plan_blocks(order, claim_of(order, order.prepared[0], "1", "record"))
    assert runs == blocks.total + 2 * 150 + 2 * BESIDE
    assert plan_of(order, 0.2)[0] == pytest.approx(2 * seconds)


def test_a_finished_attack_measures_better_than_one_run(tmp_path: Path) -> None:
    order = make_order(make_prepared(tmp_path, epsilons=("1",)))

    def answer(piece: Piece) -> tuple[int, object] | None:
        if piece.kind == "certify":
            return (0, certificate("UNDECIDED")) if piece.stage == "prescreen" else None
        return 0, {"seconds": 50.0}

    worked = Worked(answer)
    worked.work(order)
    plan = make_plan(order, worked.read)
    # The made-up attack took two seconds.
    each = 2.0 / (2 * 150 + BESIDE)
    assert plan.attacks[0].seconds == pytest.approx(each * plan.attacks[0].runs)


def test_the_leak_asked_for_is_seen_at_one_and_not_at_ten(tmp_path: Path) -> None:
    order = make_order(make_prepared(tmp_path))
    worked = measure(0.1)
    worked.work(order)
    plan = make_plan(order, worked.read)
    sees = {one.epsilon: (one.sees, one.wanted) for one in plan.attacks}
    assert sees["1"][0] <= 2.0 == sees["1"][1]
    assert sees["10"][0] > 20.0 == sees["10"][1]
    assert "at ε = 10" in plan.words(2)
    early = make_plan(order.at("prescreen"), worked.read)
    assert [one.wanted for one in early.attacks] == [None]


def test_a_budget_is_kept_and_the_least_is_not_undercut(tmp_path: Path) -> None:
    order = make_order(make_prepared(tmp_path, epsilons=("1",)))
    order = replace(order, detect="1.2", runs=100_000)
    worked = measure(0.1)
    worked.work(order)
    whole = make_plan(order, worked.read).seconds
    fitted = fit(order, worked.read, whole / 4, 2)
    assert 0 < fitted.scale < 1
    assert make_plan(fitted, worked.read).seconds == pytest.approx(whole / 2, rel=0.05)
    assert fit(order, worked.read, whole, 2) == order
    with pytest.raises(InputError, match="--budget is too little"):
        fit(order, worked.read, 1.0, 1)


def test_many_runs_are_shared_out_over_blocks_with_the_error(tmp_path: Path) -> None:
    order = replace(make_order(make_prepared(tmp_path)), detect="1.1", runs=100_000)
    blocks = plan_blocks(order, claim_of(order, order.prepared[0], "1", "record"))
    assert blocks.number > 1
    assert blocks.runs <= 5_000
    spent = blocks.number * blocks.alarm + blocks.combined
    assert float(spent) == pytest.approx(0.9e-6)
    assert float(blocks.number * blocks.error) == pytest.approx(0.045)
