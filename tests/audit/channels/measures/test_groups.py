"""Group privacy against all paths and all pairs, and on the paper's instance by hand."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit.channels.measures.groups as groups
from audit.channels.abowd_vilhuber import example_channel, laplace_channel, plug_in_channel
from audit.channels.channel import Channel
from audit.channels.measures.delta import delta
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.groups import GroupLosses, group_losses, pairs_apart
from audit.statements.decimals import Enclosure
from synthesizers.exact import Exact
from synthesizers.neighbours import (
    AddRemove,
    Neighbours,
    ReplaceOne,
    Unit,
    databases,
    neighbour_pairs,
)
from tests.audit.channels.slow_measures import (
    DIGITS,
    SHAPES,
    blurred,
    channel_of_rows,
    encloses,
    floated,
    fractions,
    ordered_pairs,
    power,
    rational,
    rational_channels,
)
from tests.synthesizers.brute_force import fraction, relation_id

F = Fraction
LOSSES = {"0": F(0), "1/2": F(1, 2)}


def slow_distances(channel: Channel) -> dict[tuple[int, int], int]:
    """The least number of steps between any two databases, by relaxing over all middles."""
    count = len(channel.databases)
    length = {(a, b): math.inf for a in range(count) for b in range(count)}
    length.update(((a, a), 0) for a in range(count))
    length.update((pair, 1) for pair in ordered_pairs(channel))
    for middle, a, b in itertools.product(range(count), repeat=3):
        length[a, b] = min(length[a, b], length[a, middle] + length[middle, b])
    return {pair: int(steps) for pair, steps in length.items() if 0 < steps < math.inf}


def slow_loss(channel: Channel, apart: list[tuple[int, int]]) -> Fraction | None:
    """e to the largest |ln ratio| over ordered pairs; None where it is infinite."""
    table, largest = fractions(channel), F(1)
    for a, b in apart:
        for p, q in zip(table[a], table[b], strict=True):
            if p and not q:
                return None
            largest = max(largest, p / q if p else F(0))
    return largest


def slow_delta_over(channel: Channel, apart: list[tuple[int, int]], loss: Fraction) -> mpmath.mpf:
    table, factor = fractions(channel), power(loss)
    with mpmath.workdps(DIGITS):
        return max(
            mpmath.fsum(
                max(fraction(p) - factor * fraction(q), 0)
                for p, q in zip(table[a], table[b], strict=True)
            )
            for a, b in apart
        )


def check(found: GroupLosses, truth: Channel, exactly: bool) -> None:
    distances = slow_distances(truth)
    assert found.left_out == ""
    assert [loss.distance for loss in found.losses] == sorted(set(distances.values()))
    for loss in found.losses:
        apart = [pair for pair, steps in distances.items() if steps == loss.distance]
        assert 2 * loss.pairs == len(apart)
        ratio = slow_loss(truth, apart)
        with mpmath.workdps(DIGITS):
            log = mpmath.inf if ratio is None else mpmath.log(fraction(ratio))
        assert encloses(loss.epsilon.enclosure, log)
        assert loss.epsilon.enclosure.lower <= loss.naive.upper
        if exactly:
            assert loss.epsilon.value == ratio
            assert encloses(loss.naive, multiple(loss.distance, found.losses[0].epsilon.value))
        for text, value in LOSSES.items():
            assert encloses(loss.deltas[text].enclosure, slow_delta_over(truth, apart, value))
        rows = [tuple(row) for row in truth.databases.tolist()]
        for extreme in (loss.epsilon, *loss.deltas.values()):
            assert extreme.witness is not None
            ends = rows.index(extreme.witness.source), rows.index(extreme.witness.target)
            assert distances[ends] == loss.distance


def multiple(distance: int, ratio: Exact | None) -> mpmath.mpf:
    with mpmath.workdps(DIGITS):
        return mpmath.inf if ratio is None else distance * mpmath.log(fraction(rational(ratio)))


@given(rational_channels())
@settings(max_examples=60)
def test_fractions_exactly(channel: Channel) -> None:
    check(group_losses(channel, LOSSES, 9), channel, exactly=True)


@given(rational_channels(), st.booleans())
@settings(max_examples=40)
def test_vague_chances_enclose(channel: Channel, wide: bool) -> None:
    vague = blurred(channel, F(1, 20), F(1, 2)) if wide else floated(channel, 1000, [1, -1, 0])
    check(group_losses(vague, LOSSES, 9), channel, exactly=False)


@given(rational_channels())
@settings(max_examples=40)
def test_distance_one_is_the_neighbours(channel: Channel) -> None:
    for form in (channel, floated(channel, 1000, [1, -1, 0])):
        found = group_losses(form, LOSSES, 1).losses
        assert len(found) == bool(list(ordered_pairs(channel)))
        for loss in found:
            assert loss.epsilon.enclosure == epsilon(form).enclosure
            assert loss.epsilon.value == epsilon(form).value
            assert loss.naive == loss.epsilon.enclosure
            for text, value in LOSSES.items():
                assert loss.deltas[text].enclosure == delta(form, value).enclosure


def natural(neighbours: Neighbours, left: list[int], right: list[int]) -> int:
    """The least number of steps where every database in between is listed."""
    gained = sum(max(b - a, 0) for a, b in zip(left, right, strict=True))
    lost = sum(max(a - b, 0) for a, b in zip(left, right, strict=True))
    most = neighbours.unit.max_records
    if isinstance(neighbours, ReplaceOne):
        return math.ceil(max(gained, lost) / most)
    return math.ceil(gained / most) + math.ceil(lost / most)


RELATIONS: tuple[Neighbours, ...] = (
    ReplaceOne(),
    AddRemove(),
    AddRemove(Unit("person", 2)),
    ReplaceOne(Unit("person", 2)),
)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@pytest.mark.parametrize(("cells", "records"), [(1, 4), (2, 4), (3, 3)])
def test_on_complete_instances_the_distance_is_the_relations(
    neighbours: Neighbours, cells: int, records: int
) -> None:
    listed = databases(neighbours, cells, records)
    found = {
        tuple(pair): distance
        for distance, pairs in enumerate(
            pairs_apart(neighbour_pairs(neighbours, listed), len(listed)), start=1
        )
        for pair in pairs.tolist()
    }
    rows = listed.tolist()
    assert found == {
        (a, b): natural(neighbours, rows[a], rows[b])
        for a, b in itertools.combinations(range(len(rows)), 2)
    }


def test_a_step_through_an_unlisted_database_does_not_count() -> None:
    # (0, 4), (2, 2), (4, 0): two records apart, and the databases in between are not listed.
    channel = channel_of_rows([[F(1), F(0)], [F(1, 2), F(1, 2)], [F(0), F(1)]], SHAPES[4])
    assert group_losses(channel, LOSSES) == GroupLosses((), "")


def test_a_single_database_has_no_distance() -> None:
    assert group_losses(channel_of_rows([[F(1)]]), LOSSES) == GroupLosses((), "")
    zero = channel_of_rows([[F(1)]], (AddRemove(), ((0, 0),)))
    assert group_losses(zero, LOSSES) == GroupLosses((), "")


def test_a_larger_distance_may_lose_less() -> None:
    # The first and the last database are alike, the one in between is not.
    rows: list[list[Exact]] = [[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)], [F(3, 4), F(1, 4)]]
    first, second = group_losses(channel_of_rows(rows), LOSSES).losses
    assert first.epsilon.value == 3
    assert second.epsilon.value == 1
    assert second.deltas["0"].value == 0


def test_infinite_at_one_distance_and_finite_at_another() -> None:
    rows: list[list[Exact]] = [[F(1, 2), F(1, 2)], [F(1), F(0)], [F(1, 4), F(3, 4)]]
    first, second = group_losses(channel_of_rows(rows), LOSSES).losses
    assert first.epsilon.enclosure == first.naive == second.naive == Enclosure.infinite()
    assert second.epsilon.value == 2


def test_figure_1_by_hand() -> None:
    # Row n is Binomial(5, (n + 1/2)/6): from n to n + t the ratio is largest at one end, where
    # it is ((11/2 - n)/(11/2 - n - t))^5; the largest is that to n + t = 5, (2t + 1)^5.
    found = group_losses(plug_in_channel(), {}, 9).losses
    assert [loss.epsilon.value for loss in found] == [F(2 * t + 1) ** 5 for t in range(1, 6)]
    with mpmath.workdps(DIGITS):
        for t, loss in enumerate(found, start=1):
            assert encloses(loss.naive, 5 * t * mpmath.log(3))


def test_figure_3_by_hand() -> None:
    # Laplace noise of scale 1/2 loses 2 a step exactly, up to distance 4. From 0 to 5 the end
    # point gathers what lies beyond 1/2: (1 - e^-1/2)/(e^-9/2), whose logarithm is 9.489880.
    found = group_losses(laplace_channel(), {}, 9).losses
    for t, loss in enumerate(found[:4], start=1):
        assert loss.epsilon.enclosure == loss.naive == Enclosure(F(2 * t), F(2 * t))
    with mpmath.workdps(DIGITS):
        assert encloses(
            found[4].epsilon.enclosure, mpmath.log((2 - mpmath.exp(-1)) * mpmath.exp(9))
        )
    assert found[4].naive == Enclosure(F(10), F(10))
    assert len(found) == 5
    assert found[4].pairs == 1


def test_four_steps_unless_asked_for_more() -> None:
    channel = example_channel("geometric-sanitizer", epsilon="1")
    assert [loss.distance for loss in group_losses(channel, {}).losses] == [1, 2, 3, 4]
    assert [loss.distance for loss in group_losses(channel, {}, 2).losses] == [1, 2]
    assert group_losses(channel, {}, 2).left_out == ""


def test_more_work_than_allowed_ends_the_distances(monkeypatch: pytest.MonkeyPatch) -> None:
    # Six databases in a row: 5 pairs at distance 1, 4 at distance 2, six outputs each.
    channel = example_channel("geometric-sanitizer", epsilon="1")
    monkeypatch.setattr(groups, "MAX_ENTRIES", 2 * 5 * 6)
    assert len(group_losses(channel, {}).losses) == 4
    monkeypatch.setattr(groups, "MAX_ENTRIES", 2 * 5 * 6 - 1)
    found = group_losses(channel, {})
    assert found.losses == ()
    assert found.left_out == "5 pairs at distance 1 on 6 outputs are more than 59 comparisons"
