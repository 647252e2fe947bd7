"""The optimum against listing, other solvers, closed forms; and what a wrong solver does to it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit.channels.measures.optimum as module
from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from audit.channels.measures.epsilon import epsilon as smallest_epsilon
from audit.channels.measures.extreme import Extreme
from audit.channels.measures.mechanisms import Mechanisms
from audit.channels.measures.optimum import Optimum, optimum, optimum_at_own
from audit.channels.measures.optimum_solver import Proposal
from audit.channels.measures.unavailable import Unavailable
from audit.statements.decimals import Enclosure
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import Exact, ExpRational
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, databases
from synthesizers.programs import build
from tests.audit.channels.slow_measures import (
    SHAPES,
    blurred,
    floated,
    fractions,
    matrix,
    normalised,
)
from tests.audit.channels.slow_optimum import (
    best_remap,
    channel_of_tables,
    distance,
    grid,
    least_losses,
    near,
    tables,
)

F = Fraction
NOTHING = Enclosure(F(0), F(0))


def found(result: Optimum | Unavailable) -> Optimum:
    """An optimum that must be there."""
    assert isinstance(result, Optimum), result
    return result


def releasing(
    neighbours: Neighbours, cells: int, records: int, outputs: list[tuple[int, ...]] | None = None
) -> Channel:
    """A channel that tells nothing: all databases of an instance, and these outputs or the same."""
    listed = databases(neighbours, cells, records).tolist()
    return channel_of_tables(neighbours, listed, listed if outputs is None else outputs)


def exact_channel(
    neighbours: Neighbours,
    listed: tuple[tuple[int, ...], ...],
    outputs: list[tuple[int, ...]],
    rows: list[list[Exact]],
) -> Channel:
    """An exact channel over tables."""
    domain = Domain.from_cells(str(len(listed[0])))
    counts = np.array(listed, np.int64)
    return Channel.of_exact(domain, neighbours, counts, tuple(outputs), matrix(rows), "output")


def never_above(result: Optimum) -> None:
    """No mechanism is better than the optimum, and an average is no larger than the worst."""
    for least, own in (
        (result.uniform, result.own_uniform),
        (result.worst, result.own_worst),
        (result.uniform, result.worst),
        (result.own_uniform, result.own_worst),
    ):
        assert least.lower <= own.upper


# -- what the optimum is ---------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1, 2), F(1), F(2), F(4)])
@pytest.mark.parametrize("records", [1, 2, 3, 4])
def test_one_count_is_best_released_by_a_remapped_geometric(
    records: int, epsilon: Fraction
) -> None:
    # The main theorem of Ghosh, Roughgarden & Sundararajan 2009, for the uniform prior and |i - r|;
    # two cells with n public are one count, and their L1 distance is twice that.
    result = found(optimum(releasing(ReplaceOne(), 2, records), epsilon))
    assert near(result.uniform, best_remap(records, float(epsilon)), 1e-11)


def test_one_bit_in_closed_form() -> None:
    # n = 1 over k cells: randomized response, wrong with chance (k-1)/(k-1+e^ε), loss 2 if wrong.
    for cells in (2, 3, 5):
        for epsilon in (F(1, 100), F(1), F(7)):
            truth = 2 * (cells - 1) / (cells - 1 + math.exp(epsilon))
            result = found(optimum(releasing(ReplaceOne(), cells, 1), epsilon))
            assert near(result.uniform, truth, 1e-12)
            assert near(result.worst, truth, 1e-12)


@pytest.mark.parametrize(("cells", "records"), [(2, 4), (2, 5), (3, 3), (4, 2)])
def test_at_epsilon_0_the_best_is_a_constant_law(cells: int, records: int) -> None:
    result = found(optimum(releasing(ReplaceOne(), cells, records), F(0)))
    listed = databases(ReplaceOne(), cells, records).tolist()
    means = [F(sum(int(distance(row, one)) for row in listed), len(listed)) for one in listed]
    # The mean loss of a mixture is the mixture of mean losses.
    assert result.uniform.lower <= min(means) <= result.uniform.upper
    assert result.uniform.upper - result.uniform.lower <= F(1, 10**12)
    assert near(result.worst, least_losses(ReplaceOne(), listed, tables(cells, records), 0.0)[1])


def test_at_epsilon_0_a_mixture_helps_in_the_worst_case() -> None:
    # Three databases of one record: the best constant table is 2 away from two of them, and a
    # uniform one 2·(2/3) from each on average.
    result = found(optimum(releasing(ReplaceOne(), 3, 1), F(0)))
    assert near(result.uniform, 4 / 3, 1e-12)
    assert near(result.worst, 4 / 3, 1e-12)


@pytest.mark.parametrize(
    ("neighbours", "cells", "records"),
    [(ReplaceOne(), 2, 4), (ReplaceOne(), 3, 3), (AddRemove(), 2, 3), (AddRemove(), 1, 4)],
)
def test_the_optimum_falls_with_epsilon_to_nothing(
    neighbours: Neighbours, cells: int, records: int
) -> None:
    listed = [tuple(row) for row in databases(neighbours, cells, records).tolist()]
    channel = channel_of_tables(neighbours, listed, listed)
    last: Optimum | None = None
    for epsilon in (F(0), F(1, 10**6), F(1, 3), F(1), F(2), F(5), F(9), F(20), F(40), F(699)):
        result = found(optimum(channel, epsilon))
        never_above(result)
        if last is not None:
            assert result.uniform.lower <= last.uniform.upper
            assert result.worst.lower <= last.worst.upper
        last = result
    assert last is not None
    assert last.uniform.upper < F(1, 10**9)
    assert last.worst.upper < F(1, 10**9)


@pytest.mark.parametrize("epsilon", [F(1, 10**12), F(1, 10**7), F(1, 1000), F(12), F(30)])
def test_extreme_epsilons_keep_the_enclosures_narrow(epsilon: Fraction) -> None:
    for channel in (releasing(ReplaceOne(), 2, 12), releasing(ReplaceOne(), 3, 4)):
        result = found(optimum(channel, epsilon))
        assert result.note is None


def test_one_cell_or_one_database_loses_nothing() -> None:
    for channel in (
        releasing(ReplaceOne(), 1, 5),
        releasing(ReplaceOne(), 3, 0),
        channel_of_tables(ReplaceOne(), [(2, 1)], [(2, 1), (3, 0)]),
    ):
        for epsilon in (F(0), F(1)):
            result = found(optimum(channel, epsilon))
            assert result.uniform == NOTHING
            assert result.worst == NOTHING


def test_tables_of_another_size_are_as_far_as_the_sizes() -> None:
    result = found(optimum(releasing(ReplaceOne(), 2, 2, [(5, 0), (0, 5)]), F(25)))
    assert near(result.uniform, 3, 1e-6)
    assert near(result.worst, 3, 1e-6)
    assert result.ranges_over == "ε-DP mechanisms that release a table whose counts sum to 5"


# -- what it ranges over ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("neighbours", "listed"),
    [
        (ReplaceOne(), [tuple(row) for row in tables(2, 3)]),
        (ReplaceOne(), [tuple(row) for row in tables(3, 2)]),
        (ReplaceOne(), [(0, 4), (2, 2), (4, 0)]),
        (AddRemove(), [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]),
        (AddRemove(), [(0,), (1,), (2,)]),
    ],
)
def test_real_numbers_beyond_and_between_the_counts_do_not_help(
    neighbours: Neighbours, listed: list[tuple[int, ...]]
) -> None:
    cells = len(listed[0])
    outputs = [(0,) * cells, (1,) * cells]
    top = max(map(max, listed))
    result = found(optimum(channel_of_tables(neighbours, listed, outputs), F(1)))
    assert result.ranges_over == "ε-DP mechanisms, whatever real numbers they release as counts"
    halves = [value / 2 for value in range(-1, 2 * top + 2)]
    average, worst = least_losses(neighbours, listed, grid(halves, cells), 1.0)
    assert near(result.uniform, average)
    assert near(result.worst, worst)


def test_free_releases_are_better_than_tables_of_three_cells_and_no_better_of_two() -> None:
    # For two cells (a, b) is as good as (a, n-b') and (n-b, b), each half of the time.
    for cells, better in ((2, False), (3, True)):
        tied = found(optimum(releasing(ReplaceOne(), cells, 4), F(1, 2)))
        free = found(
            optimum(releasing(ReplaceOne(), cells, 4, [(0,) * cells, (1,) * cells]), F(1, 2))
        )
        assert (free.uniform.upper < tied.uniform.lower) == better
        assert (free.worst.upper < tied.worst.lower) == better
        assert free.uniform.lower <= tied.uniform.upper
        assert free.worst.lower <= tied.worst.upper


def test_negative_counts_are_free_releases() -> None:
    result = found(optimum(releasing(ReplaceOne(), 2, 2, [(3, -1), (-1, 3)]), F(1)))
    assert "whatever real numbers" in result.ranges_over
    never_above(result)
    # Of (0,2), (1,1), (2,0) the one output is 6, 4, 2 away and the other 2, 4, 6, alike.
    assert near(result.own_uniform, 4, 1e-12)
    assert near(result.own_worst, 4, 1e-12)


# -- the mechanism's own loss ----------------------------------------------------------------


@st.composite
def private_channels(draw: st.DrawFn) -> Channel:
    """Exact channels of tables whose ε is finite, over complete and incomplete lists."""
    neighbours, listed = draw(st.sampled_from([shape for shape in SHAPES if len(shape[1][0]) < 3]))
    cells = len(listed[0])
    table = st.lists(st.integers(0, 3), min_size=cells, max_size=cells).map(tuple)
    outputs = sorted(draw(st.sets(table, min_size=1, max_size=4)))
    weight = st.integers(1, 9).map(Fraction)
    line = st.lists(weight, min_size=len(outputs), max_size=len(outputs))
    return exact_channel(neighbours, listed, outputs, [normalised(draw(line)) for _ in listed])


@given(private_channels())
@settings(max_examples=60)
def test_random_channels_lose_at_least_the_optimum(channel: Channel) -> None:
    own = []
    for row, line in zip(channel.databases.tolist(), fractions(channel), strict=True):
        pairs = zip(line, channel.outputs, strict=True)
        own.append(sum((p * int(distance(row, output)) for p, output in pairs), F(0)))
    average, largest = sum(own) / len(own), max(own)
    for one in (channel, floated(channel, 40, [1, -1, 0])):
        extreme = smallest_epsilon(one)
        result = found(optimum_at_own(one, extreme))
        never_above(result)
        for ends, truth in ((result.own_uniform, average), (result.own_worst, largest)):
            assert ends.lower <= truth <= ends.upper
            assert ends.upper - ends.lower <= F(1, 10**12) * (1 + truth)
        assert result.epsilon == extreme.enclosure
        sizes = {sum(output) for output in channel.outputs}
        cells = channel.databases.shape[1]
        outputs = tables(cells, sizes.pop()) if len(sizes) == 1 else grid(range(5), cells)
        truths = least_losses(
            channel.neighbours,
            channel.databases.tolist(),
            outputs,
            float(extreme.enclosure.upper),
        )
        assert near(result.uniform, truths[0], 1e-7)
        assert near(result.worst, truths[1], 1e-7)


@given(private_channels())
@settings(max_examples=10)
def test_a_vague_epsilon_encloses_the_optimum_of_whatever_it_may_be(channel: Channel) -> None:
    extreme = smallest_epsilon(channel)
    truth = found(optimum_at_own(channel, extreme))
    lower, upper = extreme.enclosure.lower, extreme.enclosure.upper
    assert isinstance(lower, Fraction)
    assert isinstance(upper, Fraction)
    vague = Extreme(Enclosure(lower * F(2, 3), upper + F(1, 2)), None, None)
    result = found(optimum_at_own(channel, vague))
    for wide, narrow in ((result.uniform, truth.uniform), (result.worst, truth.worst)):
        assert wide.lower <= narrow.upper
        assert narrow.lower <= wide.upper
    ends = [found(optimum(channel, end)) for end in (upper + F(1, 2), lower * F(2, 3))]
    assert result.uniform.lower <= ends[0].uniform.upper
    assert result.uniform.upper >= ends[1].uniform.lower
    assert result.worst.lower <= ends[0].worst.upper
    assert result.worst.upper >= ends[1].worst.lower


def test_chances_known_as_intervals_give_an_enclosed_loss() -> None:
    rows: list[list[Exact]] = [[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]]
    sharp = exact_channel(ReplaceOne(), ((0, 1), (1, 0)), [(0, 1), (1, 0)], rows)
    vague = replace(blurred(sharp, F(1, 10), F(1, 2)), outputs=sharp.outputs)
    result = found(optimum_at_own(vague, smallest_epsilon(vague)))
    assert result.own_uniform.lower <= F(1, 2) <= result.own_uniform.upper
    assert result.own_uniform.lower < F(1, 2) - F(1, 100)
    assert result.uniform.lower <= F(1, 2) <= result.uniform.upper


def test_every_one_of_many_outputs_counts() -> None:
    # Doubles are read some columns at a time; 300 outputs are more than are read at once.
    outputs = [(count,) for count in range(300)]
    channel = channel_of_tables(AddRemove(), [(0,), (1,), (2,)], outputs)
    result = found(optimum(channel, F(1)))
    means = [F(sum(abs(count - n) for count in range(300)), 300) for n in range(3)]
    assert near(result.own_uniform, float(sum(means) / 3), 1e-9)
    assert near(result.own_worst, float(means[0]), 1e-9)


def test_own_epsilon_is_taken_exactly() -> None:
    # Randomized response at e^ε = e: the channel is the optimum itself.
    keep = ExpRational({F(1): F(1)}, {F(0): F(1), F(1): F(1)})
    rows: list[list[Exact]] = [[keep, 1 - keep], [1 - keep, keep]]
    channel = exact_channel(ReplaceOne(), ((0, 1), (1, 0)), [(0, 1), (1, 0)], rows)
    result = found(optimum_at_own(channel, smallest_epsilon(channel)))
    truth = 2 / (1 + math.e)
    for ends in (result.uniform, result.worst, result.own_uniform, result.own_worst):
        assert near(ends, truth, 1e-13)


PROGRAMS: list[tuple[str, dict[str, str], Neighbours, int, int]] = [
    ("geometric-sanitizer", {"epsilon": "1"}, ReplaceOne(), 2, 5),
    ("geometric-sanitizer", {"epsilon": "1"}, ReplaceOne(), 3, 3),
    ("geometric-sanitizer", {"epsilon": "2"}, AddRemove(), 2, 3),
    ("geometric-sanitizer", {"epsilon": "1", "rescale": "false"}, ReplaceOne(), 3, 2),
    ("geometric-sanitizer", {"epsilon": "1", "rescale": "false"}, AddRemove(), 2, 3),
    ("laplace-sanitizer", {"epsilon": "1/2"}, ReplaceOne(), 2, 4),
    ("laplace-sanitizer", {"epsilon": "3"}, ReplaceOne(), 3, 2),
    ("multinomial-dirichlet", {}, ReplaceOne(), 3, 3),
    ("multinomial-dirichlet", {"alpha": "1/3,2"}, ReplaceOne(), 2, 4),
    ("multinomial-dirichlet", {"posterior": "mean", "alpha": "20"}, AddRemove(), 2, 3),
]


@pytest.mark.parametrize(("name", "values", "neighbours", "cells", "records"), PROGRAMS)
def test_built_in_programs_lose_at_least_the_optimum(
    name: str, values: dict[str, str], neighbours: Neighbours, cells: int, records: int
) -> None:
    public = records if neighbours.records_public else None
    setting = Setting(Domain.from_cells(str(cells)), neighbours, public, records)
    for exact in (True, False):
        channel = channel_of(build(name, values), setting, exact=exact, size=records).channel
        result = found(optimum_at_own(channel, smallest_epsilon(channel)))
        never_above(result)
        assert result.note is None
        assert result.uniform.upper - result.uniform.lower < F(1, 10**9)
        assert result.worst.upper - result.worst.lower < F(1, 10**9)
        assert result.uniform.lower > 0


def test_the_geometric_sanitizer_of_two_cells_is_optimal_on_average() -> None:
    # At ε = 1 no remapping of the truncated geometric does better than none.
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 5)
    channel = channel_of(
        build("geometric-sanitizer", {"epsilon": "1"}), setting, exact=True
    ).channel
    result = found(optimum_at_own(channel, smallest_epsilon(channel)))
    truth = float(result.uniform.lower)
    assert near(result.own_uniform, truth, 1e-12)
    assert near(result.own_worst, 1.5443, 1e-4)
    assert near(result.worst, 1.3674, 1e-4)


# -- why there may be none -------------------------------------------------------------------


def test_reasons_against_an_optimum() -> None:
    same = [(0, 2), (1, 1), (2, 0)]
    channel = channel_of_tables(ReplaceOne(), same, same)
    infinite = Extreme(Enclosure.infinite(), None, None)
    half = Extreme(Enclosure(F(1), math.inf), None, None)
    large = Extreme(Enclosure(F(1), F(701)), None, None)
    transcript = replace(channel, released="transcript")
    short = replace(channel, outputs=((0,), (1,), (2,)))
    hidden = replace(channel, outputs=((0, 2), (1, 1), (2, None)))
    text = replace(channel, outputs=((0, 2), (1, 1), (2, "x")))
    huge = replace(channel, outputs=((0, 2), (1, 1), (2, 2**53)))
    results: list[tuple[Optimum | Unavailable, str]] = [
        (optimum_at_own(channel, infinite), "epsilon is infinite"),
        (optimum_at_own(channel, half), "not known to be finite"),
        (optimum_at_own(channel, large), "exceeds 700"),
        (optimum(channel, F(701)), "exceeds 700"),
        (optimum(transcript, F(1)), "a transcript is released"),
        (optimum(short, F(1)), "not a table over the domain's 2 cells"),
        (optimum(hidden, F(1)), "other values than counts"),
        (optimum(text, F(1)), "other values than counts"),
        (optimum(huge, F(1)), "too large"),
        (optimum(releasing(ReplaceOne(), 2, 3, [(10**8, 0)]), F(1)), "counts to visit"),
        (optimum(releasing(ReplaceOne(), 2, 200), F(1)), "chances, more than the 8000"),
    ]
    for result, words in results:
        assert isinstance(result, Unavailable)
        assert words in result.reason
    with pytest.raises(InputError, match="at least 0"):
        optimum(channel, F(-1))


# -- a solver that is wrong ------------------------------------------------------------------

Distort = Callable[[Mechanisms, Proposal, np.random.Generator], Proposal]


def noisy(_: Mechanisms, true: Proposal, random: np.random.Generator) -> Proposal:
    """Everything a little wrong."""
    return Proposal(*(x * random.uniform(0.9, 1.1, x.shape) for x in fields(true)))


def nonsense(_: Mechanisms, true: Proposal, random: np.random.Generator) -> Proposal:
    """Anything, numbers or not."""
    values = [0.0, 1.0, -1.0, 1e300, math.nan, math.inf, -math.inf]
    return Proposal(*(random.choice(values, x.shape) for x in fields(true)))


def turned(_: Mechanisms, true: Proposal, random: np.random.Generator) -> Proposal:
    """Every sign the wrong way."""
    return Proposal(*(-x for x in fields(true)))


def generous(_: Mechanisms, true: Proposal, random: np.random.Generator) -> Proposal:
    """Multipliers much too large, and a mechanism that tells the truth."""
    return Proposal(np.zeros_like(true.chances), true.prices * 100, true.prior)


def truthful(competitors: Mechanisms, true: Proposal, random: np.random.Generator) -> Proposal:
    """The confidential table itself, as if it were private."""
    return replace(true, chances=(competitors.losses == 0).astype(np.float64))


def fields(proposal: Proposal) -> list[np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """The arrays of a proposal."""
    return [proposal.chances, proposal.prices, proposal.prior]


@pytest.mark.parametrize("distort", [noisy, nonsense, turned, generous, truthful])
@pytest.mark.parametrize("epsilon", [F(0), F(1, 2), F(3)])
def test_a_wrong_solver_widens_the_enclosures_and_no_more(
    monkeypatch: pytest.MonkeyPatch, distort: Distort, epsilon: Fraction
) -> None:
    channel = releasing(ReplaceOne(), 3, 3)
    truth = found(optimum(channel, epsilon))
    for name in ("propose_average", "propose_worst"):
        monkeypatch.setattr(module, name, distorted(getattr(module, name), distort))
    wrong = found(optimum(channel, epsilon))
    for wide, narrow in ((wrong.uniform, truth.uniform), (wrong.worst, truth.worst)):
        assert wide.lower <= narrow.upper
        assert narrow.lower <= wide.upper
        assert wide.upper <= 6
    assert wrong.note is not None
    assert "wide" in wrong.note


def distorted(
    solve: Callable[[Mechanisms, float], Proposal], distort: Distort
) -> Callable[[Mechanisms, float], Proposal]:
    """A solver whose proposals are changed before they are seen."""

    def changed(competitors: Mechanisms, shrink: float) -> Proposal:
        return distort(competitors, solve(competitors, shrink), np.random.default_rng(7))

    return changed


def test_a_solver_without_time_leaves_a_sound_and_wide_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    channel = releasing(ReplaceOne(), 2, 8)
    truth = found(optimum(channel, F(1)))
    monkeypatch.setattr("audit.channels.measures.optimum_solver.MAX_SECONDS", 0.0)
    result = found(optimum(channel, F(1)))
    assert result.note is not None
    never_above(result)
    assert result.uniform.lower <= truth.uniform.lower
    assert result.uniform.upper >= truth.uniform.upper


def test_a_note_needs_an_enclosure_wide_in_both_senses() -> None:
    base = Optimum(NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, "all")
    for lower, upper, wide in (
        (F(1), F(1) + F(2, 10**6), True),
        (F(1), F(1) + F(1, 2 * 10**6), False),
        (F(0), F(1, 10**9), False),
        (F(0), F(2, 10**9), True),
    ):
        ends = Enclosure(lower, upper)
        assert (replace(base, uniform=ends).note is not None) == wide
        assert (replace(base, worst=ends).note is not None) == wide


@pytest.mark.slow
@pytest.mark.parametrize(("cells", "records"), [(2, 60), (3, 12), (4, 8)])
def test_larger_instances_are_narrow(cells: int, records: int) -> None:
    for epsilon in (F(1, 100), F(1), F(5)):
        result = found(optimum(releasing(ReplaceOne(), cells, records), epsilon))
        never_above(result)
        assert result.note is None
        assert result.uniform.upper - result.uniform.lower < F(1, 10**8)
        assert result.worst.upper - result.worst.lower < F(1, 10**8)
