"""How far beyond what is declared a change may lie, and still be one of rounding."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from audit.auditors.sensitivity.answers import Answer, Number, Record, Seen
from audit.auditors.sensitivity.declaration import Norm
from audit.statements.decimals import decimal_above
from audit.statements.finding import Excess

ROUNDOFF = Fraction(1, 2**53)
"""The largest relative error of one operation on doubles."""

BESIDE = 2
"""Operations beside the addition of the records: a product and a quotient, as of a mean."""

DEAREST = Fraction(1, 2**30)
"""The largest share of what was declared that is put down to rounding unasked: a billionth of ε is
nobody's to gain, and more is worth a word, whatever its cause."""

CONSTANTS = 16 * ROUNDOFF
"""How far off, relatively, a change of exact numbers may be: a function's constants, such as 0.1,
are doubles whatever it is given."""


def explains(norm: Norm, bound: Fraction, size: Fraction, pair: Seen) -> bool:
    """Whether the rounding of sums can bring a pair's change from its bound to where it lies.

    At most γ_n·Σ|x|, where n operations make an answer of n numbers x (Higham 2002,
    "Accuracy and Stability of Numerical Algorithms", section 4.2), here the database's records
    and `BESIDE` more; Σ|x| is that of the records' numbers, or the answer where it is more.
    """
    return any(_within(norm, bound, size, slack) for slack in _slacks(pair))


def _slacks(pair: Seen) -> Iterator[tuple[Fraction, ...]]:
    """What rounding may do to each coordinate: by the answers, and then by the records' numbers.

    The second looks at all records, and is computed only where the first does not do.
    """
    first, second = pair.answers
    assert isinstance(first, Answer) and isinstance(second, Answer)
    sides = ((first, pair.first), (second, pair.second))
    for whole in (False, True):
        parts = (
            _slack(
                answer.numbers, len(database), sum_of_numbers(database) if whole else Fraction(0)
            )
            for answer, database in sides
        )
        yield tuple(one + other for one, other in zip(*parts, strict=True))


def _slack(numbers: Sequence[Number], records: int, least: Fraction) -> Iterator[Fraction]:
    """Of each answer: how far it may be from what exact sums would give; of exact ones 0."""
    many = (records + BESIDE) * ROUNDOFF
    gamma = many / (1 - many)
    for number in numbers:
        rounds = isinstance(number, float) and math.isfinite(number)
        yield gamma * max(abs(Fraction(number)), least) if rounds else Fraction(0)


def sum_of_numbers(database: Sequence[Record]) -> Fraction:
    """Σ|x| over all numbers of the records."""
    return sum(
        (
            abs(Fraction(value))
            for record in database
            for value in record.values()
            if isinstance(value, int | float | Fraction) and math.isfinite(value)
        ),
        Fraction(0),
    )


def _within(norm: Norm, bound: Fraction, size: Fraction, slack: Sequence[Fraction]) -> bool:
    """Whether a norm is at most its bound and that of the slack together."""
    more = norm.of(slack)
    assert not isinstance(more, float)
    if norm is not Norm.L2:
        return size <= bound + more
    # (sqrt(bound) + sqrt(more))^2, without its roots.
    rest = size - bound - more
    return rest <= 0 or rest * rest <= 4 * bound * more


def excess_of(norm: Norm, bound: Fraction, size: Fraction, because: str) -> Excess:
    """How far a finite norm is beyond a positive bound, and what that can cost, rounded up."""
    share = root_above(size / bound) - 1 if norm is Norm.L2 else size / bound - 1
    value = root_above(bound) if norm is Norm.L2 else bound
    spelled = decimal_above(share, DIGITS)
    cost = f"noise calibrated to what is declared spends at most ε·(1 + {spelled}) instead of ε"
    if norm is Norm.L2:
        twice = decimal_above((1 + share) ** 2 - 1, DIGITS)
        cost = (
            f"noise calibrated to what is declared spends at most μ·(1 + {spelled}) instead of μ, "
            f"and ρ·(1 + {twice}) instead of ρ"
        )
    return Excess(decimal_above(share * value, DIGITS), spelled, because, cost)


def units_beyond(norm: Norm, bound: Fraction, size: Fraction, pair: Seen) -> str | None:
    """An excess in units in the last place of the largest answer; None where no answer is a float.

    As "2 units", rounded up.
    """
    floats = [
        abs(number)
        for answer in pair.answers
        if isinstance(answer, Answer)
        for number in answer.numbers
        if isinstance(number, float) and math.isfinite(number)
    ]
    if not floats:
        return None
    ends = (root_above(size), root_above(bound)) if norm is Norm.L2 else (size, bound)
    units = math.ceil((ends[0] - ends[1]) / Fraction(math.ulp(max(floats))))
    return f"{units} unit{'' if units == 1 else 's'}"


DIGITS = 3
"""Of an excess."""


def root_above(square: Fraction) -> Fraction:
    """A rational at most 2^-128 of it above the root of a positive one."""
    shift = 128 + square.denominator.bit_length()
    root = math.isqrt((square.numerator << 2 * shift) // square.denominator) + 1
    return Fraction(root, 1 << shift)
