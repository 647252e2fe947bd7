"""Designed tables keep their promises; files are read exactly."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path

import pytest

from synthesizers.errors import InputError
from synthesizers.laws.cell_keys import Changes
from synthesizers.laws.maximum_entropy import GRID, maximum_entropy
from synthesizers.laws.perturbation_tables import (
    MAX_DEVIATION,
    MAX_KEYS,
    Design,
    design_table,
    read_perturbation_table,
)
from tests.synthesizers.tables_on_disk import written

HALF = Fraction(1, 2)


def keys_of(row: Changes, keys: int) -> dict[int, int]:
    return {change: int(chance * keys) for change, chance in row}


def test_a_table_by_hand() -> None:
    """D = 1, V = 1/2: -1 and 1 with a quarter each, for every count."""
    table = design_table(Design(1, HALF, 256, 1))
    assert table.rows == (((-1, HALF / 2), (0, HALF), (1, HALF / 2)),)


def test_the_same_table_on_every_machine() -> None:
    """What this project wrote down once; the moments below it are checked by hand."""
    table = design_table(Design(2, Fraction(1), 256, 1))
    first, rest = (keys_of(row, 256) for row in table.rows)
    assert first == {-1: 102, 0: 78, 1: 50, 2: 26}
    assert rest == {-2: 16, -1: 63, 0: 98, 1: 63, 2: 16}
    # 50 + 2 · 26 = 102, and (102 + 50 + 4 · 26)/256 = 1; (2 · 63 + 8 · 16)/256 = 254/256.


GRID_OF_DESIGNS = [
    Design(deviation, Fraction(variance), keys, smallest)
    for deviation, variance, keys, smallest in itertools.product(
        (1, 2, 3, 5), ("1/2", "1", "2", "3"), (100, 256), (1, 2, 3)
    )
]


@pytest.mark.parametrize("design", GRID_OF_DESIGNS, ids=str)
def test_what_is_exact_and_what_is_near(design: Design) -> None:
    try:
        table = design_table(design)
    except InputError:
        assert design.variance > design.deviation or design.smallest > 1 or design.deviation == 1
        return
    assert len(table.rows) == design.last
    for count in range(1, design.last + 3):
        row = table.row(count)
        assert sum(chance for _, chance in row) == 1
        assert all((chance * design.keys).denominator == 1 for _, chance in row)
        assert all(abs(change) <= design.deviation for change, _ in row)
        assert all(count + v == 0 or count + v >= design.smallest for v, _ in row)
        assert sum(change * chance for change, chance in row) == 0
        if design.keys == 256:
            variance = sum(change**2 * chance for change, chance in row)
            assert abs(variance - design.variance) < Fraction(1, 10)
        changes = design.changes(count)
        exact = dict(zip(changes, maximum_entropy(changes, design.variance), strict=True))
        held = {change: Fraction(0) for change in changes} | dict(row)
        for change, chance in held.items():
            assert abs(chance - Fraction(exact[change], GRID)) <= Fraction(2, design.keys)


def test_which_changes_are_possible() -> None:
    design = Design(3, Fraction(2), 256, 3)
    assert design.last == 6
    assert design.changes(1) == [-1, 2, 3] and design.changes(2) == [-2, 1, 2, 3]
    assert design.changes(5) == [-2, -1, 0, 1, 2, 3] and design.changes(6) == list(range(-3, 4))
    whole = Design(3, Fraction(2), 256, 1)
    assert whole.last == 3 and whole.changes(2)[0] == -2


def test_the_last_row_is_the_first_with_every_change() -> None:
    for smallest in (1, 2, 4):
        design = Design(4, Fraction(2), 256, smallest)
        whole = list(range(-4, 5))
        assert design.changes(design.last) == whole
        assert design.changes(design.last - 1) != whole


@pytest.mark.parametrize(
    ("design", "words"),
    [
        (
            Design(2, Fraction(5, 2), 256, 1),
            "count of 1 .* variance 2.5: its variance can be from 0 to 2",
        ),
        (Design(3, Fraction(1), 256, 3), "count of 1 .* from 2 to 3"),
        (Design(1, HALF, 256, 3), "count of 1 .* can be 0 alone"),
        (Design(1, Fraction(1, 1000), 256, 1), "256 keys a count of 1 would never change"),
    ],
)
def test_designs_that_no_table_has(design: Design, words: str) -> None:
    with pytest.raises(InputError, match=words):
        design_table(design)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, Fraction(1), 256, 1), "deviation must be from 1"),
        ((MAX_DEVIATION + 1, Fraction(1), 256, 1), "deviation must be from 1"),
        ((2, Fraction(0), 256, 1), "variance must be positive"),
        ((2, Fraction(-1), 256, 1), "variance must be positive"),
        ((2, Fraction(1), 1, 1), "keys must be from 2"),
        ((2, Fraction(1), MAX_KEYS + 1, 1), "keys must be from 2"),
        ((2, Fraction(1), 256, 0), "smallest must be from 1"),
    ],
)
def test_parameters_are_checked(arguments: tuple[int, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Design(*arguments)


def test_a_variance_at_its_limit_is_kept() -> None:
    """D = V = 2: a count of 1 goes to 0 with chance 2/3, to 3 with 1/3, before rounding."""
    row = dict(design_table(Design(2, Fraction(2), 300, 1)).rows[0])
    assert row == {-1: Fraction(2, 3), 2: Fraction(1, 3)}


HEADER = "count,change,chance\n"


def test_a_file_is_taken_exactly(tmp_path: Path) -> None:
    text = HEADER + "2,1,0.25\n0,0,1\n1,-1,1/3\n1,2,0\n2,-1,0.75\n1,1,2/3\n"
    third = Fraction(1, 3)
    table = read_perturbation_table(str(written(tmp_path, text)))
    assert table.rows == (
        ((-1, third), (1, 2 * third)),
        ((-1, Fraction(3, 4)), (1, Fraction(1, 4))),
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,0,1\n", "first line must be count,change,chance"),
        (HEADER, "at least one row"),
        (HEADER + "0,0,1\n", "at least one row"),
        (HEADER + "1,0\n", "line 2: expected a count, a change and a chance"),
        (HEADER + "1,0.5,1\n", "line 2: count and change are whole numbers, found '0.5'"),
        (HEADER + "1,0,1.2\n", "line 2: expected a chance from 0 to 1"),
        (HEADER + "1,0,1\n1,0,0\n", "line 3: a count of 1 has this change twice"),
        (HEADER + "1,0,0.9\n", "count 1: the chances sum to 0.9, expected exactly 1"),
        (HEADER + "1,0,1\n3,0,1\n", "from 1 up without a gap"),
        (HEADER + "-1,1,1\n1,0,1\n", "from 1 up without a gap"),
        (HEADER + "0,1,1\n1,0,1\n", "count of 0 stays 0"),
        (HEADER + "1,-2,1\n", "count of 1: changes lie from -1"),
    ],
)
def test_files_that_are_no_tables(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_perturbation_table(str(written(tmp_path, text)))
