"""What an output tells of the data beside its noisy answers, tested on plain runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from audit.auditors.attack.guessing.floors import p_value
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.components.asking import Ask, Wanted
from audit.auditors.components.looking import Looked
from audit.auditors.components.recording.steps import Recording
from audit.auditors.data_independence.separation import enough_runs
from audit.subjects.function import generator
from proofs.guarantees import Guarantee

LEARNED = 8
"""Runs of each database that a constant of the output is learned from."""

MOST_RUNS = 4_000
"""The most runs of a test: enough for ε up to 5.4."""

_PLAIN, _COINS = 7_000_000, 11
"""Where the seeds of plain runs begin, beyond those of recorded ones, and what coins are for."""


@dataclass(frozen=True)
class Told:
    """Something of the output that is one constant on one database, and another on the other.

    ``what``: in words. ``runs``: how many fair coins it guessed; ``error``: the p-value of the
    claim. ``leaf``: the place of the output, or None for its shape.
    """

    what: str
    runs: int
    error: float
    leaf: int | None


def find_told(
    ask: Ask, looked: Looked, seed: int, guarantee: Guarantee, alarm: float
) -> Told | None:
    """A constant of the output that tells the pair apart; None where there is none.

    ``alarm``: the chance that a subject that keeps the claim is accused here. Without enough runs
    to refute a claim the error is 1. Raises ProtocolError.

    Guarantee
    ---------
    Of a subject that keeps the guarantee when run on its own, the error is at most ``alarm`` with
    a chance of at most that, if its runs are independent: the constant is learned from other runs
    than those that test it, in none of which anything of ours looks on. Backed by
    ``tests/audit/auditors/components/test_honest_functions.py``.
    """
    base = _PLAIN + 100_000 * seed
    databases = [looked.pair.first, looked.pair.second]
    plain = [Wanted(run % 2, base + run, taken="plain") for run in range(2 * LEARNED)]
    made = ask(databases, plain)
    constant = _constant(made[0::2], made[1::2])
    if constant is None:
        return None
    of, leaf, what = constant
    values = of(made[0]), of(made[1])
    most = enough_runs(guarantee, alarm, MOST_RUNS)
    if most is None:
        return Told(what, 2 * LEARNED, 1.0, leaf)
    coins = generator(seed, _COINS).integers(2, size=most).tolist()
    wanted = [
        Wanted(coin, base + 2 * LEARNED + run, taken="plain") for run, coin in enumerate(coins)
    ]
    tested = ask(databases, wanted)
    guesses = [values.index(of(one)) if of(one) in values else None for one in tested]
    right = sum(guess == coin for guess, coin in zip(guesses, coins, strict=True))
    wrong = sum(guess == 1 - coin for guess, coin in zip(guesses, coins, strict=True))
    return Told(what, most, p_value(Guesses(most, right, wrong), guarantee), leaf)


Feature = tuple[Callable[[Recording], Any], int | None, str]


def _constant(first: Sequence[Recording], second: Sequence[Recording]) -> Feature | None:
    """What is one constant in all runs of one database, and another in all of the other."""
    features: list[Feature] = [
        (lambda one: one.error, None, "the exception"),
        (_shape, None, "the shape of the output"),
        (lambda one: len(one.output), None, "the size of the output"),
        (_list_finite, None, "which of the output's numbers are finite"),
        (_total, None, "the sum of the output's numbers"),
    ]
    sizes = {len(one.output) for one in (*first, *second)}
    if len(sizes) == 1:
        features += [
            (_leaf(place), place, f"entry {place} of the output") for place in range(sizes.pop())
        ]
    for feature in features:
        of = feature[0]
        ways = [{repr(of(one)) for one in runs} for runs in (first, second)]
        if all(len(way) == 1 for way in ways) and ways[0] != ways[1]:
            return feature
    return None


def _shape(one: Recording) -> Any:
    return len(one.output), tuple(leaf for leaf in one.output if isinstance(leaf, str))


def _list_finite(one: Recording) -> Any:
    return tuple(math.isfinite(leaf) for leaf in one.output if isinstance(leaf, int | float))


def _total(one: Recording) -> float | None:
    """Rounded, as sums of shares of a whole are not the same to the last bit."""
    numbers = [leaf for leaf in one.output if isinstance(leaf, int | float)]
    total = float(sum(numbers))
    return round(total, 6) if numbers and math.isfinite(total) else None


def _leaf(place: int) -> Callable[[Recording], Any]:
    return lambda one: one.output[place] if place < len(one.output) else None
