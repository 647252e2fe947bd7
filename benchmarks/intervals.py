"""What an operation on intervals costs, beside the same on fractions that are rounded alike.

python benchmarks/intervals.py
"""

from __future__ import annotations

import operator
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

from synthesizers.intervals import Interval, exp_interval

ROUNDS = 20
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": operator.add,
    "product": operator.mul,
    "quotient": operator.truediv,
}


def by_fractions(operation: str, left: Interval, right: Interval) -> Interval:
    """The operation on the ends of positive intervals as fractions."""
    low, high = (
        (right.upper, right.lower) if operation == "quotient" else (right.lower, right.upper)
    )
    act = OPERATIONS[operation]
    return Interval.around(act(left.lower, low), act(left.upper, high))


def main() -> None:
    """Print microseconds of both, and their ratio; the results must be equal."""
    values = [exp_interval(Fraction(number, 7)) for number in range(1, 200)]
    pairs = list(pairwise(values))
    for operation, act in OPERATIONS.items():
        spent = [0.0, 0.0]
        for _ in range(ROUNDS):
            begun = time.process_time()
            ours = [act(left, right) for left, right in pairs]
            between = time.process_time()
            theirs = [by_fractions(operation, left, right) for left, right in pairs]
            spent[0] += between - begun
            spent[1] += time.process_time() - between
            assert ours == theirs
        own, plain = (seconds / ROUNDS / len(pairs) * 1e6 for seconds in spent)
        print(f"{operation:9} {own:6.2f} us, fractions {plain:6.2f} us, {plain / own:5.1f} times")


if __name__ == "__main__":
    main()
