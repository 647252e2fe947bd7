"""What the page on agencies' methods says in words, against the channels and the comparisons."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import pytest

from audit.channels.measures.epsilon import epsilon
from docs.agency_methods import (
    DIRICHLET,
    FAR,
    GEOMETRIC,
    HUNDREDTHS,
    SANITIZERS,
    errors,
    noise_error,
    rounding_error,
    sanitized,
)
from tests.docs.agency_channels import BY_NAME, comparison, fractions, published

SUMS: dict[str, tuple[tuple[int, ...], ...]] = {
    "coarsen": ((0, 1), (2, 3)),
    "swap": ((0, 1), (2, 3), (0, 2), (1, 3)),
}
"""Groups of cells whose counts each of these methods gives away: of regions and of work if swapped.
"""


def percentage(text: str) -> float:
    return float(text.removesuffix(" %"))


def value_of(text: str) -> float:
    return math.inf if text == "∞" else float(text.removeprefix("≈ "))


@cache
def possible(program: str) -> list[tuple[tuple[int | None, ...], list[tuple[int, ...]]]]:
    """Every release of a method, with the tables that may stand behind it."""
    channel = published(program)
    tables = [tuple(table) for table in channel.databases.tolist()]
    chances = zip(*fractions(channel), strict=True)
    return [
        (output, [table for table, chance in zip(tables, column, strict=True) if chance])
        for output, column in zip(channel.outputs, chances, strict=True)
    ]


def behind(program: str) -> dict[int | None, set[int]]:
    """Of every count that a method shows, the true counts that may stand behind it."""
    found: dict[int | None, set[int]] = {}
    for output, tables in possible(program):
        for shown_count, counts in zip(output, zip(*tables, strict=True), strict=True):
            found.setdefault(shown_count, set()).update(counts)
    return found


def test_what_a_rounded_count_may_have_been() -> None:
    assert behind("random-round") == {0: {0, 1, 2}, 3: {1, 2, 3, 4, 5}, 6: {4, 5}}


def test_what_a_count_with_a_cell_key_may_have_been() -> None:
    found = behind("cell-key")
    assert 1 not in found and max(map(len, found.values())) == 5
    assert all(abs(n - m) <= 2 for m, counts in found.items() for n in counts if m is not None)
    assert all(0 not in counts for m, counts in found.items() if m != 0)


def test_what_suppression_tells_of_hidden_counts() -> None:
    found = behind("suppress")
    assert all(counts == {count} for count, counts in found.items() if count is not None)
    for output, tables in possible("suppress"):
        hidden = [cell for cell, count in enumerate(output) if count is None]
        assert all(min((table[cell] for cell in hidden), default=1) in (1, 2) for table in tables)
        assert len({sum(table[cell] for cell in hidden) for table in tables}) == 1
        if len(hidden) == 2 and sum(tables[0][cell] for cell in hidden) == 2:
            assert {tuple(table[cell] for cell in hidden) for table in tables} == {(1, 1)}


@pytest.mark.parametrize("program", list(SUMS))
def test_what_coarser_groups_and_swapping_give_away(program: str) -> None:
    for _, tables in possible(program):
        for cells in SUMS[program]:
            assert len({sum(table[cell] for cell in cells) for table in tables}) == 1


def test_coarser_groups_tell_nothing_else() -> None:
    assert all(
        len(tables) == (tables[0][0] + tables[0][1] + 1) * (tables[0][2] + tables[0][3] + 1)
        for _, tables in possible("coarsen")
    )


def test_nobody_is_alone_in_a_group_of_k_anonymity() -> None:
    assert all(count != 1 for output, _ in possible("k-anonymity") for count in output[1:])


def test_swapping_may_have_made_up_one_person_where_the_margins_leave_room() -> None:
    for output, tables in possible("swap"):
        a, b, c, d = (count or 0 for count in output)
        for cell, row, column in ((0, a + b, a + c), (1, a + b, b + d), (2, c + d, a + c)):
            room = output[cell] != max(0, row + column - 5)
            fewest = min(table[cell] for table in tables)
            assert fewest == (output[cell] or 0) - (1 if room else 0)


def test_pram_makes_every_release_possible_given_every_table() -> None:
    assert all(tables == possible("pram")[0][1] for _, tables in possible("pram"))
    assert len(possible("pram")) == len(possible("pram")[0][1]) == 56


@pytest.mark.parametrize("program", ["subsample", "bootstrap"])
def test_whoever_is_in_a_sample_exists(program: str) -> None:
    for output, tables in possible(program):
        assert all(table[cell] for table in tables for cell, m in enumerate(output) if m)


def far_of(program: str) -> float:
    """The largest finite log ratio of the chances of a release given two neighbours."""
    channel = published(program)
    chances = fractions(channel)
    ratios = [
        p / q
        for a, b in channel.pairs.tolist()
        for p, q in zip(chances[a], chances[b], strict=True)
        if p and q
    ]
    return max((abs(math.log(ratio)) for ratio in ratios), default=0.0)


@pytest.mark.parametrize("program", list(BY_NAME))
def test_finite_log_ratios_of_agencies_methods_are_not_far(program: str) -> None:
    assert far_of(program) < FAR / 2


@pytest.mark.parametrize("program", list(SANITIZERS))
def test_finite_log_ratios_of_sanitizers_are_not_far(program: str) -> None:
    # The last of a grid errs least, and has the largest ε: 10, or ln(5.01/0.01) of the Dirichlet.
    ends = epsilon(sanitized(program, SANITIZERS[program][1][-1])[0]).enclosure
    assert ends.upper < FAR / 2


@pytest.mark.slow
def test_only_two_methods_name_the_table_clearly_more_often() -> None:
    # In percentage points, as the page says: within 5 of the sanitizer, or over 15 above it.
    more = {
        name: percentage(found.own["named"]) - percentage(found.beside[GEOMETRIC]["named"])
        for name, found in ((name, comparison(name)) for name in BY_NAME)
    }
    assert {name for name, points in more.items() if points > 15} == {"k-anonymity", "swap"}
    assert {name for name, points in more.items() if abs(points) < 5} == {*BY_NAME} - {
        "k-anonymity",
        "swap",
    }


@pytest.mark.slow
@pytest.mark.parametrize("program", list(BY_NAME))
def test_only_pram_has_a_limit_and_every_sanitizer_has(program: str) -> None:
    found = comparison(program)
    certain = found.own["posterior"] == "100 %"
    assert certain == (found.own["epsilon"] == "∞") == (program != "pram")
    assert (value_of(found.own["ruled_out, uniform"]) > 0.4) == certain
    for name, row in found.beside.items():
        assert percentage(row["posterior"]) < 100 and value_of(row["epsilon"]) < 10, name


@pytest.mark.slow
def test_how_often_a_neighbour_is_ruled_out_differs() -> None:
    often = [value_of(comparison(name).own["ruled_out, uniform"]) for name in BY_NAME]
    often = [chance for chance in often if chance]
    assert max(often) > 2 * min(often)


@pytest.mark.slow
def test_the_limit_is_weakest_where_the_least_error_is() -> None:
    found = {name: comparison(name) for name in BY_NAME}
    assert min(found, key=lambda name: value_of(found[name].own["uniform"])) == "swap"
    sure = {name: percentage(one.beside[GEOMETRIC]["posterior"]) for name, one in found.items()}
    assert max(sure, key=lambda name: sure[name]) == "swap" and sure["swap"] > 98


@pytest.mark.slow
@pytest.mark.parametrize("program", list(BY_NAME))
def test_the_geometric_sanitizer_is_not_the_best_there_can_be(program: str) -> None:
    found = comparison(program).parameters
    assert value_of(found["ideal"]) < 0.8 * value_of(found[GEOMETRIC])


@pytest.mark.slow
def test_pram_has_a_smaller_epsilon_than_sanitizers_that_err_no_more() -> None:
    found = comparison("pram")
    assert set(found.beside) == {GEOMETRIC, "laplace-sanitizer"}
    assert all(
        value_of(found.own["epsilon"]) + 0.1 < value_of(row["epsilon"])
        for row in found.beside.values()
    )


@pytest.mark.slow
@pytest.mark.parametrize("program", list(BY_NAME))
def test_the_dirichlet_sanitizer_is_left_out_where_a_method_errs_less(program: str) -> None:
    least = sanitized(DIRICHLET, HUNDREDTHS[0])[1]["uniform"]
    own = errors(published(program), BY_NAME[program].read)["uniform"]
    assert (DIRICHLET in comparison(program).beside) == (own.lower >= least.upper)


@pytest.mark.slow
def test_bounds_on_small_counts_help_a_sanitizer() -> None:
    small = value_of(comparison("random-round").parameters[GEOMETRIC])
    assert noise_error(Fraction(small + 0.3).limit_denominator(100)).lower > rounding_error(3)
