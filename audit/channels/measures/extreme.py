"""What every worst case over neighbours is made of: its value, its witness, its decision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.channels.columns import Columns
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision, Witness
from synthesizers.exact import Exact, add, compare, enclose

MAX_EXACT_TERMS = 60_000
"""The most candidate entries that are compared exactly."""


MAX_EXACT_BITS = 1 << 20
"""The longest rows of fractions, their denominators' bits together, that are added up exactly: the
denominator of the sum may be as long."""


def are_short(rows: Iterable[Iterable[Exact]]) -> bool:
    """Whether sums over each of some rows of exact chances stay of a moderate length."""
    return all(sum(map(_bits, row)) <= MAX_EXACT_BITS for row in rows)


def _bits(value: Exact) -> int:
    return value.denominator.bit_length() if isinstance(value, Fraction) else 0


@dataclass(frozen=True)
class Extreme:
    """A largest value over all pairs of neighbours.

    ``enclosure``: of the measure. ``value``: the exact number that decides, where
    known: for ε the largest ratio e^ε, for δ the largest δ itself. ``witness``:
    a pair and an event that attain the lower end; None without neighbours.
    """

    enclosure: Enclosure
    value: Exact | None
    witness: Witness | None


def decide(extreme: Extreme, bound: Exact, limit: Fraction) -> Decision:
    """Whether the extreme is at most wanted: certified, or UNDECIDED.

    ``bound``: what the extreme's ``value`` may be at most; ``limit``: the same
    for its ``enclosure`` (for ε, e^ε and ε).
    """
    if extreme.enclosure.upper <= limit:
        return Decision.HOLDS
    if extreme.enclosure.lower > limit:
        return Decision.VIOLATED
    order = None if extreme.value is None else compare(extreme.value, bound)
    if order is None:
        return Decision.UNDECIDED
    return Decision.VIOLATED if order > 0 else Decision.HOLDS


def witness_of(columns: Columns, source: int, target: int, outputs: Sequence[int]) -> Witness:
    """Two rows of a channel and an event, with its probability under each."""
    databases, listed = columns.databases, columns.outputs
    return Witness(
        tuple(databases[source].tolist()),
        tuple(databases[target].tolist()),
        tuple(listed[output] for output in outputs),
        (event_chance(columns, source, outputs), event_chance(columns, target, outputs)),
    )


def event_chance(columns: Columns, database: int, outputs: Sequence[int]) -> Enclosure:
    """The probability of a set of outputs."""
    if columns.exact is not None:
        total: Exact = Fraction(0)
        for output in outputs:
            total = add(total, columns.exact[database, output])
        return Enclosure.of(enclose(total))
    lower, upper = (side[0, list(outputs)].tolist() for side in columns.rows([database]))
    return Enclosure(sum(map(Fraction, lower), Fraction(0)), sum(map(Fraction, upper), Fraction(0)))
