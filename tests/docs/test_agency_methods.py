from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

from audit.channels.measures.epsilon import epsilon
from audit.statements.decimals import Enclosure
from docs import agency_methods
from docs.agency_methods import (
    DIRICHLET,
    GEOMETRIC,
    HUNDREDTHS,
    METHODS,
    NOTHING,
    SANITIZERS,
    Method,
    errors,
    first_at_most,
    least_error,
    main,
    measures,
    noise_error,
    rounding_error,
    sanitized,
    shown,
    telling,
    weighted,
)
from tests.docs.agency_channels import BY_NAME, comparison, fractions, published

TABLES = [table for table in product(range(6), repeat=4) if sum(table) == 5]


def multinomial(table: Sequence[int]) -> float:
    """The chance that five records, thrown into four cells, give a table."""
    ways = math.factorial(5) // math.prod(map(math.factorial, table))
    return ways / 4**5


def near(ends: Enclosure, value: float) -> bool:
    return ends.upper - ends.lower < 1e-9 and abs(float(ends.lower) - value) < 1e-9


def holds(ends: Enclosure, value: Fraction, width: float = 1e-9) -> bool:
    return ends.lower <= value <= ends.upper and ends.upper - ends.lower < width


# Readings


def test_counts_are_read_as_published() -> None:
    assert shown((0, 3, 0, 6)) == [0, 3, 0, 6]


def test_the_count_of_a_group_is_spread_over_its_cells() -> None:
    assert shown((2, 3)) == [1, 1, Fraction(3, 2), Fraction(3, 2)]
    assert shown(("cell=1", 0, 5)) == [0, 0, Fraction(5, 2), Fraction(5, 2)]
    assert shown(("cell=2", 5)) == [Fraction(5, 4)] * 4


def test_what_is_left_of_the_total_is_spread_over_suppressed_counts() -> None:
    assert shown((None, 0, None, 2)) == [Fraction(3, 2), 0, Fraction(3, 2), 2]
    assert shown((None, None, None, None)) == [Fraction(5, 4)] * 4
    assert shown((0, 2, None, 1)) == [0, 2, 2, 1]


def test_a_sample_is_weighted_up_to_the_total() -> None:
    assert weighted((0, 1, 1, 0)) == [0, Fraction(5, 2), Fraction(5, 2), 0]
    assert [name for name, method in BY_NAME.items() if method.read is weighted] == ["subsample"]


# Errors


@pytest.mark.parametrize("method", METHODS, ids=list(BY_NAME))
def test_errors_are_sums_over_all_tables_and_releases(method: Method) -> None:
    channel = published(method.program)
    chances = [[float(chance) for chance in row] for row in fractions(channel)]
    rows = list(zip(channel.databases.tolist(), chances, strict=True))
    read = [[float(count) for count in method.read(output)] for output in channel.outputs]
    expected = [
        sum(
            chance * sum(abs(a - b) for a, b in zip(counts, table, strict=True))
            for chance, counts in zip(row, read, strict=True)
        )
        for table, row in rows
    ]
    best = sum(
        min(sum(row[place] * abs(table[cell] - count) for table, row in rows) for count in range(6))
        for place in range(len(read))
        for cell in range(4)
    )
    found = errors(channel, method.read)
    assert near(found["uniform"], sum(expected) / 56)
    thrown = [multinomial(table) * error for (table, _), error in zip(rows, expected, strict=True)]
    assert near(found["multinomial"], sum(thrown))
    assert near(found["worst"], max(expected))
    assert near(found["best"], best / 56) and found["best"].lower <= found["uniform"].upper


def test_the_errors_of_random_rounding_by_hand() -> None:
    # A count that is no multiple of 3 is off by 1 with chance 2/3 and by 2 with chance 1/3: 4/3 on
    # average. Of the 56 tables, 29 have such a count in a given cell (1: 15, 2: 10, 4: 3, 5: 1);
    # of 4^5 throws, 691 do (1: 405, 2: 270, 4: 15, 5: 1). (1, 1, 1, 2) has four of them.
    found = errors(published("random-round"))
    assert holds(found["uniform"], 4 * Fraction(4, 3) * Fraction(29, 56))
    assert holds(found["multinomial"], 4 * Fraction(4, 3) * Fraction(691, 4**5))
    assert holds(found["worst"], Fraction(16, 3))


def geometric_error(epsilon: float) -> float:
    """The average error of the geometric sanitizer, from its description, in plain doubles."""
    decay = math.exp(-epsilon / 2)

    def chance(noisy: int, count: int) -> float:
        tail = decay ** abs(noisy - count) / (1 + decay)
        return tail if noisy in (0, 5) else tail * (1 - decay)

    def rescaled(noisy: Sequence[int]) -> list[int]:
        total = sum(noisy)
        shares = [Fraction(5 * n, total) if total else Fraction(5, 4) for n in noisy]
        whole = [math.floor(share) for share in shares]
        order = sorted(range(4), key=lambda cell: (whole[cell] - shares[cell], cell))
        for cell in order[: 5 - sum(whole)]:
            whole[cell] += 1
        return whole

    total = 0.0
    for noisy in product(range(6), repeat=4):
        released = rescaled(noisy)
        for table in TABLES:
            likely = math.prod(chance(n, c) for n, c in zip(noisy, table, strict=True))
            total += likely * sum(abs(m - c) for m, c in zip(released, table, strict=True))
    return total / len(TABLES)


def test_the_error_of_the_geometric_sanitizer() -> None:
    found = sanitized(GEOMETRIC, Fraction(3, 2))[1]["uniform"]
    assert float(found.lower) == pytest.approx(geometric_error(1.5), abs=1e-9)


def test_geometric_noise_on_a_large_count() -> None:
    decay = math.exp(-0.7)
    series = sum(2 * n * decay**n * (1 - decay) / (1 + decay) for n in range(1, 200))
    found = noise_error(Fraction(7, 5))
    assert float(found.lower) == pytest.approx(series, abs=1e-12)
    assert found.upper - found.lower < 1e-15


def test_random_rounding_of_a_large_count_by_hand() -> None:
    # A multiple of 3 stays; else it is off by 1 with chance 2/3 and by 2 with chance 1/3: 4/3.
    assert rounding_error(3) == (0 + Fraction(4, 3) + Fraction(4, 3)) / 3 == Fraction(8, 9)
    # To base 5 with remainder r: r/5 up by 5 - r, and 1 - r/5 down by r, so 2r(5-r)/5.
    assert rounding_error(5) == Fraction(sum(2 * r * (5 - r) for r in range(5)), 25)


def test_no_method_errs_less_than_the_least_error() -> None:
    for value in (Fraction(1), Fraction(5, 2)):
        assert least_error(value).upper < sanitized(GEOMETRIC, value)[1]["uniform"].lower
    # With next to no ε the same table must be released whatever the confidential one.
    constant = min(
        sum(abs(a - b) for table in TABLES for a, b in zip(release, table, strict=True)) / 56
        for release in TABLES
    )
    assert constant - 0.05 < least_error(Fraction(1, 100)).lower < constant
    # PRAM of whole records is private itself, with e^ε = 12: ε is just below 2.49.
    pram = errors(published("pram"))
    assert least_error(Fraction(249, 100)).upper < pram["uniform"].lower


# Halving


def exactly(error: Callable[[Fraction], Fraction]) -> Callable[[Fraction], Enclosure]:
    return lambda value: Enclosure(error(value), error(value))


@pytest.mark.parametrize(
    "limit", [Fraction(100), Fraction(2), Fraction(1), Fraction(1, 3), Fraction(1, 10)]
)
def test_halving_finds_the_first_value_that_is_good_enough(limit: Fraction) -> None:
    found = first_at_most(exactly(lambda value: 1 / value), Enclosure(limit, limit), HUNDREDTHS)
    assert found == min(value for value in HUNDREDTHS if 1 / value <= limit)


def test_halving_finds_nothing_where_no_value_is_good_enough() -> None:
    limit = Enclosure(Fraction(1, 11), Fraction(1, 11))
    assert first_at_most(exactly(lambda value: 1 / value), limit, HUNDREDTHS) is None


def test_an_error_that_may_exceed_the_limit_is_not_good_enough() -> None:
    def error(value: Fraction) -> Enclosure:
        return Enclosure(1 / value, 1 / value + Fraction(1, 1000))

    found = first_at_most(error, Enclosure(Fraction(9, 10), Fraction(1)), HUNDREDTHS)
    assert found == Fraction(112, 100)  # 1/1.12 + 0.001 = 0.8939, and 1/1.11 + 0.001 = 0.9019


def test_halving_is_right_about_the_geometric_sanitizer() -> None:
    limit = errors(published("random-round"))["uniform"]
    grid = tuple(Fraction(step, 100) for step in range(150, 163))
    found = first_at_most(lambda v: sanitized(GEOMETRIC, v)[1]["uniform"], limit, grid)
    assert found == Fraction(156, 100)
    assert geometric_error(1.56) < 58 / 21 < geometric_error(1.55)


@pytest.mark.parametrize("program", list(SANITIZERS))
def test_errors_fall_along_the_grids(program: str) -> None:
    values = SANITIZERS[program][1][49::150]
    for way in ("uniform", "multinomial", "best"):
        found = [sanitized(program, value)[1][way] for value in values]
        assert all(a.lower > b.upper for a, b in pairwise(found))


NEAR = 20
"""How many values of a grid before and after a printed one are looked at."""

LINES: dict[str, tuple[str, str]] = {
    **{program: (program, "uniform") for program in SANITIZERS},
    "multinomial": (GEOMETRIC, "multinomial"),
    "best": (GEOMETRIC, "best"),
}
"""By the names of printed parameters: the sanitizer, and how its error is averaged."""


def around(grid: Sequence[Fraction], value: Fraction) -> Sequence[Fraction]:
    """The values of a grid near one of them."""
    place = grid.index(value)
    return grid[max(place - NEAR, 0) : place + NEAR + 1]


@pytest.mark.slow
@pytest.mark.parametrize("program", list(BY_NAME))
@pytest.mark.parametrize("line", [*LINES, "ideal"])
def test_errors_fall_around_every_printed_parameter(program: str, line: str) -> None:
    found = comparison(program)
    printed = found.parameters[line]
    if printed == NOTHING:
        assert line == DIRICHLET
        return
    if line == "ideal":
        way, error, grid = "uniform", least_error, HUNDREDTHS
    else:
        sanitizer, way = LINES[line]
        grid = SANITIZERS[sanitizer][1]

        def error(value: Fraction) -> Enclosure:
            return sanitized(sanitizer, value)[1][way]

    values = around(grid, Fraction(printed))
    errs = {value: error(value) for value in values}
    assert len(values) > NEAR
    assert all(errs[a].lower > errs[b].upper for a, b in pairwise(values))
    limit = errors(published(program), BY_NAME[program].read)[way]
    good = [value for value in values if errs[value].upper <= limit.lower]
    assert good and good[0] == Fraction(printed)


# Rows and sentences


def test_the_row_of_random_rounding_by_hand() -> None:
    channel = published("random-round")
    row = measures(channel, errors(channel))
    # No table of five people has multiples of 3 alone, so none comes out; empty cells stay.
    assert (row["itself"], row["itself_average"], row["changed"]) == ("0 %", "0 %", "0 %")
    # A record that leaves a count of 3 for one of 2 shows unless 2 and 1 both round as 3 and 0 do:
    # 1 - (2/3)(2/3) = 5/9.
    assert row["epsilon"] == "∞" and "least" not in row
    assert row["delta"] == row["limit"] == "≈ 0.5556"
    assert (row["posterior"], row["advantage"]) == ("100 %", "55.6 %")


def test_the_row_of_pram_by_hand() -> None:
    channel = published("pram")
    row = measures(channel, errors(channel))
    # ε = ln(0.8·3/0.2) = ln 12, and a coin flip becomes 12/13.
    assert (row["epsilon"], row["posterior"]) == ("≈ 2.485", "92.3 %")
    assert row["limit"] == row["ruled_out"] == "0"
    # Five in one cell all stay there with a chance of 0.8^5 = 0.32768.
    assert telling(channel).count("32.8 %") == 1


def test_the_row_of_pram_from_its_chances() -> None:
    channel = published("pram")
    chances = np.array(fractions(channel), float)
    tables, releases = channel.databases, np.array(channel.outputs)
    pairs = [*channel.pairs.tolist(), *channel.pairs[:, ::-1].tolist()]
    delta = max(np.maximum(chances[a] - math.e * chances[b], 0).sum() for a, b in pairs)
    exceeded = np.zeros(chances.shape, bool)
    for a, b in pairs:
        exceeded[a] |= np.abs(np.log(chances[a] / chances[b])) > 1
    beyond = np.where(exceeded, chances, 0).sum(axis=1)
    differs = (releases[None] != tables[:, None]).astype(float)
    changed = np.einsum("nm,nmi->ni", chances, differs)
    itself = np.where(differs.any(axis=2), 0, chances).sum(axis=1)
    row = measures(channel, errors(channel))

    def says(name: str, value: float) -> bool:
        return row[name] == f"≈ {value:.4g}"

    assert says("delta", delta) and says("beyond, uniform", beyond.mean())
    assert says("uniform", float((chances * np.abs(releases - tables[:, None]).sum(2)).sum() / 56))
    assert row["changed"] == f"{100 * changed.min():.1f} %"
    assert row["itself"] == f"{100 * itself.max():.1f} %"
    assert row["itself_average"] == f"{100 * itself.mean():.1f} %"
    assert row["named"] == f"{100 * chances.max(axis=0).sum() / 56:.1f} %"


def test_only_pram_has_a_finite_epsilon() -> None:
    assert [name for name in BY_NAME if epsilon(published(name)).value is not None] == ["pram"]


def test_a_telling_release_in_a_sentence() -> None:
    # 2 rounds to 3 with chance 2/3 and to 0 with 1/3, 1 to 0 with 2/3; 3 stays 3.
    assert telling(published("random-round")) == (
        "Given the table (0, 2, 2, 1) the release is (0, 3, 0, 0) with a chance of 14.8 %; given "
        "its neighbour (0, 2, 3, 0), it never is."
    )


@pytest.mark.parametrize("program", ["random-round", "swap", "subsample"])
def test_what_rules_a_neighbour_out_counts_every_release(program: str) -> None:
    channel = published(program)
    chances, pairs = fractions(channel), channel.pairs.tolist()
    beside = {row: [a + b - row for a, b in pairs if row in (a, b)] for row in range(56)}
    sums = [
        sum(
            chance
            for place, chance in enumerate(row)
            if chance and any(not chances[other][place] for other in beside[number])
        )
        for number, row in enumerate(chances)
    ]
    row = measures(channel, errors(channel, BY_NAME[program].read))
    for name, value in (("ruled_out", max(sums)), ("ruled_out, uniform", Fraction(sum(sums), 56))):
        assert float(row[name].removeprefix("≈ ")) == pytest.approx(float(value), rel=1e-3)


# The page


def test_a_page_is_written_and_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "page.md"
    monkeypatch.setattr(agency_methods, "PAGE", target)
    monkeypatch.setattr(agency_methods, "page", lambda: "ε\n")
    assert main(["--check"]) == 1
    assert main([]) == 0 and target.read_text(encoding="utf-8") == "ε\n"
    assert main(["--check"]) == 0 and capsys.readouterr().err.count("\n") == 1
    target.write_text("ε = 1\n", encoding="utf-8")
    assert main(["--check"]) == 1 and "differs" in capsys.readouterr().err


@pytest.mark.slow
def test_the_page_is_what_its_script_writes() -> None:
    assert main(["--check"]) == 0
