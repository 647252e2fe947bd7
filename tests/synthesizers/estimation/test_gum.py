"""GUM: the paper's example, the balance, and the exact law of an update by enumeration."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.estimation.gum import Gradual, Rates, additions, approach, removals
from synthesizers.estimation.record_targets import RecordTarget, independent_columns

State = tuple[tuple[int, ...], ...]


def test_the_rate_decays_in_steps() -> None:
    rates = Rates(1.0, 0.5, 2)
    assert [rates(number) for number in range(5)] == [1, 1, 0.5, 0.5, 0.25]


def test_additions_and_removals_by_hand() -> None:
    held, wanted = np.array([4, 10, 0, 20, 6]), np.array([10, 11, 5, 10, 4])
    # Lacking 6, 1, 5 at the rate 1/2: at most 2, 5 of what they hold, half of the target if empty.
    assert additions(held, wanted, 0.5).tolist() == [2, 1, 2.5, 0, 0]
    # Surpluses 10 of 20 and 2 of 6: b = 1/4 gives 5 + 1.5; b = 0.4 gives 8 and all of 2.
    assert removals(held, wanted, 0).tolist() == [0, 0, 0, 0, 0]
    assert removals(held, wanted, 12).tolist() == [0, 0, 0, 10, 2]
    assert removals(held, wanted, 10).tolist() == pytest.approx([0, 0, 0, 8, 2])
    assert removals(held, wanted, 6).tolist() == pytest.approx([0, 0, 0, 60 / 13, 18 / 13])


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1), st.data())
def test_losses_balance(cells: list[tuple[int, int]], data: st.DataObject) -> None:
    held, wanted = np.array(cells).T
    surplus = np.maximum(held - wanted, 0)
    total = data.draw(st.integers(0, int(surplus.sum())))
    lost = removals(held, wanted, total)
    assert lost.sum() == pytest.approx(total)
    assert (lost <= surplus + 1e-9).all() and (lost >= 0).all()
    # One share b for all that do not lose their whole surplus.
    partly = (lost < surplus - 1e-9) & (surplus > 0)
    shares = lost[partly] / held[partly]
    if len(shares):
        assert np.ptp(shares) < 1e-9
        whole = (surplus > 0) & ~partly
        assert (surplus[whole] / held[whole] <= shares[0] + 1e-9).all()


def test_the_running_example_of_dpsyn() -> None:
    # Figure 4: (income, gender, age), high = 1, female = 1, teenager, adult, elderly = 0, 1, 2. Of
    # (high, male) 4 become 2; (high, female) grows from 1 to 3, the target being 1 and 4.
    before = np.array([[1, 0, 0], [1, 0, 1], [1, 0, 1], [1, 0, 0], [1, 1, 2]], np.int32)
    target = RecordTarget((0, 1), (2, 2), np.array([0, 0, 1, 4]))
    held = target.count_cells(target.cells(before))
    assert additions(held, target.counts, 2.0).tolist() == [0, 0, 0, 2]
    assert removals(held, target.counts, 2).tolist() == [0, 0, 2, 0]
    for seed in range(20):
        codes = np.asfortranarray(before)
        Gradual(Rates(2.0), (0.5,))(codes, target, 0, np.random.default_rng(seed))
        assert target.count_cells(target.cells(codes)).tolist() == [0, 0, 2, 3]
        changed = codes[(codes != before).any(axis=1)].tolist()
        # One copy of the elderly, and one record whose gender alone changes.
        assert len(changed) == 2 and [1, 1, 2] in changed
        assert [1, 1, 0] in changed or [1, 1, 1] in changed


def systematic(amounts: list[Fraction]) -> Iterator[tuple[list[int], Fraction]]:
    """Every way of rounding amounts by one uniform draw, with its chance."""
    sums = [sum(amounts[: k + 1], Fraction(0)) for k in range(len(amounts))]
    turns = sorted({Fraction(0), Fraction(1), *(math.ceil(s) - s for s in sums)})
    for low, high in pairwise(turns):
        reached = [0, *(math.floor(s + (low + high) / 2) for s in sums)]
        yield [b - a for a, b in pairwise(reached)], high - low


def losses_of(held: list[int], wanted: list[int], total: int) -> list[Fraction]:
    """min(surplus, b·held) for the b that gives the total, by trying every order of the ends."""
    surplus = [max(h - w, 0) for h, w in zip(held, wanted, strict=True)]
    for capped in product((False, True), repeat=len(held)):
        left = total - sum(s for s, c in zip(surplus, capped, strict=True) if c)
        open_ = sum(h for h, s, c in zip(held, surplus, capped, strict=True) if s and not c)
        b = Fraction(left, open_) if open_ else Fraction(0)
        lost = [
            Fraction(s) if c else b * h if s else Fraction(0)
            for h, s, c in zip(held, surplus, capped, strict=True)
        ]
        fair = all(0 <= v <= s for v, s in zip(lost, surplus, strict=True))
        if (
            fair
            and sum(lost) == total
            and all(
                not c or not h or Fraction(s, h) <= b or not open_
                for h, s, c in zip(held, surplus, capped, strict=True)
            )
        ):
            return lost
    raise AssertionError


def law_of_update(
    state: State, columns: tuple[int, ...], wanted: list[int], rate: Fraction, share: Fraction
) -> Counter[State]:
    """The law of one update of binary columns, by every rounding and permutation of the rows."""
    cells = [int("".join(str(row[c]) for c in columns), 2) for row in state]
    held = [cells.count(cell) for cell in range(len(wanted))]
    added = [
        min(Fraction(max(w - h, 0)), rate * h) if h else rate * w
        for h, w in zip(held, wanted, strict=True)
    ]
    law: Counter[State] = Counter()
    for gains, p_gains in systematic(added):
        if not sum(gains):
            law[state] += p_gains
            continue
        for lost, p_lost in systematic(losses_of(held, wanted, sum(gains))):
            copied = [share * g if h else Fraction(0) for g, h in zip(gains, held, strict=True)]
            for copies, p_copies in systematic(copied):
                ways = list(product(permutations(range(len(state))), repeat=3))
                axes = range(len(columns))
                chance = p_gains * p_lost * p_copies / (len(ways) * len(axes))
                for (out, order, donors), axis in product(ways, axes):
                    free = [
                        r for c, k in enumerate(lost) for r in [r for r in out if cells[r] == c][:k]
                    ]
                    free.sort(key=order.index)
                    given = [
                        r
                        for c, k in enumerate(copies)
                        for r in [r for r in donors if cells[r] == c][:k]
                    ]
                    new = [list(row) for row in state]
                    for target, source in zip(free, given, strict=False):
                        new[target] = list(state[source])
                    rest = [
                        c
                        for c, (g, k) in enumerate(zip(gains, copies, strict=True))
                        for _ in range(g - k)
                    ]
                    digits = [[int(d) for d in f"{c:0{len(columns)}b}"] for c in range(len(wanted))]
                    rows = sorted(free[len(given) :], key=lambda r: digits[cells[r]][axis])
                    for row, cell in zip(
                        rows, sorted(rest, key=lambda c: digits[c][axis]), strict=True
                    ):
                        for column, digit in zip(columns, digits[cell], strict=True):
                            new[row][column] = digit
                    law[tuple(tuple(row) for row in new)] += chance
    assert sum(law.values()) == 1
    return law


@pytest.mark.parametrize(
    ("state", "columns", "wanted", "rate", "share"),
    [
        (((0, 0), (0, 1), (1, 1)), (0,), [1, 2], "1", "0"),
        (((0, 0), (0, 1), (1, 1)), (0,), [0, 3], "1/2", "1"),
        (((0, 0), (0, 0), (1, 1)), (0, 1), [0, 1, 1, 1], "1", "1/2"),
        (((0, 0), (0, 1), (0, 1)), (0, 1), [0, 1, 1, 1], "1/2", "1/2"),
        (((1, 1), (1, 1)), (0, 1), [1, 0, 0, 1], "3/4", "0"),
        (((0, 1), (1, 0), (1, 0)), (1, 0), [1, 1, 1, 0], "1", "1/2"),
    ],
)
def test_the_law_of_an_update(
    state: State, columns: tuple[int, ...], wanted: list[int], rate: str, share: str
) -> None:
    law = law_of_update(state, columns, wanted, Fraction(rate), Fraction(share))
    target = RecordTarget(columns, (2,) * len(columns), np.array(wanted))
    update = Gradual(Rates(float(Fraction(rate))), (float(Fraction(share)),))
    random, runs = np.random.default_rng(7), 1500
    seen: Counter[State] = Counter()
    for _ in range(runs):
        codes = np.array(state, np.int32, order="F")
        update(codes, target, 0, random)
        seen[tuple(map(tuple, codes.tolist()))] += 1
    assert set(seen) <= set(law)
    # Hoeffding and a union bound over at most 64 states: 0.09 off with chance below 1e-8.
    assert max(abs(seen[s] / runs - float(p)) for s, p in law.items()) < 0.09


def test_approach_reaches_targets_that_can_be_met_and_tells_its_progress() -> None:
    random = np.random.default_rng(3)
    x = random.integers(0, 4, 20_000)
    y = (x + random.integers(0, 3, 20_000)) % 5
    z = (y * 2 + random.integers(0, 2, 20_000)) % 6
    truth = np.stack([x, y, z], axis=1).astype(np.int32)
    targets = []
    for columns, shape in (((0, 1), (4, 5)), ((1, 2), (5, 6)), ((2, 0), (6, 4))):
        empty = RecordTarget(columns, shape, np.zeros(math.prod(shape), np.int64))
        held = empty.count_cells(empty.cells(truth))
        targets.append(RecordTarget.of(columns, held.reshape(shape).astype(float), 5000))
    ones = [np.bincount(column).astype(float) for column in truth.T]
    codes = independent_columns(ones, 5000, random)
    told: list[tuple[int, float]] = []
    reached = approach(
        codes, targets, Gradual(), 60, random, tolerance=0.01,
        progress=lambda done, distance: told.append((done, distance)),
    )  # fmt: skip
    assert reached == max(target.distance(codes) for target in targets) <= 0.01
    assert [done for done, _ in told] == list(range(1, len(told) + 1)) and told[-1][1] == reached
    assert approach(codes, targets, Gradual(), 5, random, tolerance=0.01) == reached
