"""Low bits of floats: noise in doubles tells what it was added to, whatever its law (Mironov 2012).

A sum of doubles is a multiple of what divides both. Noise that is large has no small bits, so that
of some sums that come out on one database none can come out on its neighbour, whose value is
farther off: a *witness*. No sampler has to be known for that.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from scipy.stats import binom

from audit.auditors.components.asking import Wanted
from audit.auditors.components.case import MOST_TESTED, Case, state_finding
from audit.auditors.components.forms import ADDITIVE
from audit.auditors.components.looking import Looked, Transcript
from audit.auditors.components.recording.steps import Call, Entry, Operation, Recording
from audit.auditors.components.shrinking import shrink
from audit.statements.evidence import Decision
from audit.statements.finding import Finding
from proofs.guarantees import ApproxDP

DRAWS = 100
"""Runs of each database that a witness is looked for in (of Laplace noise of scale 1 on 0 and 1,
every seventh sum is one)."""

MOST_PAIRS = 4
"""The most pairs that are tried for one line."""

BITS = 53
"""Of a double."""

PLAIN = ("numpy.random.", "random.", "scipy.stats.")
"""How the names of primitives begin whose noise is one of doubles."""

LEAST = -1074
"""The exponent of the smallest double."""

_SEEDS = 6_000_000
"""Where the seeds of these runs begin."""

ABOUT = "low bits of floats"


@dataclass(frozen=True)
class Sum:
    """A number of the output that is a value plus noise in doubles: its leaf, its step, its line.

    ``plain``: what the noise is added to, or taken from, on either database; ``turned``: it is
    taken from the noise. ``located``: the call of noise adds both, in a way that is its own.
    """

    leaf: int
    entry: Entry
    place: str
    plain: tuple[Fraction, Fraction]
    turned: bool
    located: bool = False

    @property
    def values(self) -> tuple[Fraction, ...]:
        """What a double is added to."""
        return tuple(-one if self.turned else one for one in self.plain)


def find_low_bits(case: Case, looks: Sequence[Looked]) -> Iterator[Finding]:
    """Unrounded sums of values and float noise in the output: a finding a line.

    Where the case counts doubles, a witness violates a claim without a δ, and one with a δ where
    witnesses come too often for it, tested at an eighth of the alarm. Otherwise they are noted: the
    claim is taken of real numbers.

    Guarantee
    ---------
    A sum that is called a witness came out of a run on one database, and is the value of the other
    one plus no double at all, if the program adds both as doubles. Backed by
    ``tests/audit/auditors/components/test_low_bits.py``.
    """
    by_place: dict[str, list[tuple[Looked, Sum]]] = {}
    for looked in looks:
        for one in _list_sums(looked):
            by_place.setdefault(one.place, []).append((looked, one))
    for place, sites in list(by_place.items())[:MOST_TESTED]:

        def shows(looked: Looked, place: str = place) -> bool:
            return any(one.place == place for one in _list_sums(looked))

        smallest = shrink(case, sites[0][0], shows)
        sites[0] = smallest, next(one for one in _list_sums(smallest) if one.place == place)
        if case.doubles:
            yield _count(case, sites)
        else:
            looked, one = sites[0]
            yield state_finding(
                case,
                looked,
                ABOUT,
                "real numbers, as the claim is read here",
                f"doubles: {one.place} adds a value and noise, and nothing rounds the sum, whose "
                "low bits tell the value (Mironov 2012); --doubles counts them",
                one.place,
                Decision.KEPT,
            )


def _list_sums(looked: Looked) -> Iterator[Sum]:
    transcript = looked.transcripts[0]
    for leaf, entry in enumerate(transcript.first.released):
        found = None if entry is None else _read_sum(transcript, leaf, entry)
        if found is not None:
            yield found


def _read_sum(transcript: Transcript, leaf: int, entry: Entry) -> Sum | None:
    steps = transcript.first.steps, transcript.second.steps
    if entry[0] >= min(map(len, steps)) or transcript.second.parted is not None:
        return None
    one, other = (of[entry[0]] for of in steps)
    if isinstance(one, Call) and isinstance(other, Call):
        return _read_located(leaf, entry, one, other)
    if not (isinstance(one, Operation) and isinstance(other, Operation)):
        return None
    if one.name not in ("add", "subtract") or not isinstance(one.answer[entry[1]], float):
        return None
    both = [
        [operand[entry[1]] for operand in step.operands if entry[1] < len(operand)]
        for step in (one, other)
    ]
    if [len(operands) for operands in both] != [2, 2]:
        return None
    for noise in (0, 1):
        drawn, values = both[0][noise], (both[0][1 - noise], both[1][1 - noise])
        if not isinstance(drawn, tuple) or drawn != both[1][noise]:
            continue
        form = transcript.read.forms.get(drawn)
        if form is None or not form.draws or form.moved:
            continue
        if not isinstance(steps[0][drawn[0]].answer[drawn[1]], float):
            continue
        first, second = map(_exactly, values)
        if first is not None and second is not None and first != second:
            turned = one.name == "subtract" and noise == 0
            return Sum(leaf, entry, one.place, (first, second), turned)
    return None


def _read_located(leaf: int, entry: Entry, one: Call, other: Call) -> Sum | None:
    """A draw about a location that moves."""
    plain = one.primitive.startswith(PLAIN) and isinstance(one.answer[entry[1]], float)
    if not plain or one.law not in ADDITIVE or not one.value or not other.value:
        return None
    first, second = (
        _exactly(of.value[entry[1] % len(of.value)]) for of in (one, other) if of.value
    )
    if first is None or second is None or first == second:
        return None
    return Sum(leaf, entry, one.place, (first, second), False, located=True)


def _exactly(value: object) -> Fraction | None:
    """A number that a double holds; None for others."""
    if not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return Fraction(value) if Fraction(float(value)) == value else None


def is_out_of_reach(total: float, value: Fraction) -> bool:
    """Whether no double s has ``value + s``, as doubles are added, equal to ``total``.

    s lies within a unit of ``total - value``, so that its last bit stands no lower than that of the
    smallest number there; and a sum, rounded or not, is a multiple of what divides both.
    """
    apart = abs(Fraction(total) - value)
    least = apart - Fraction(math.ulp(total))
    if least <= 0:
        return False
    step = Fraction(2) ** max(_exponent_of(least) - BITS + 1, LEAST)
    divisor = _power_that_divides(value)
    step = step if divisor is None else min(step, divisor)
    return (Fraction(total) / step).denominator != 1


def _exponent_of(size: Fraction) -> int:
    """That of the largest power of two that is at most a positive number."""
    near = size.numerator.bit_length() - size.denominator.bit_length()
    return near if Fraction(2) ** near <= size else near - 1


def _power_that_divides(value: Fraction) -> Fraction | None:
    """The largest power of two of which a double is a multiple; None of 0."""
    if not value:
        return None
    top = value.numerator & -value.numerator
    return Fraction(top, value.denominator)


@dataclass(frozen=True)
class Witnesses:
    """How many sums of a database are out of the other one's reach, and one of them."""

    number: int
    draws: int
    example: float


def _count(case: Case, sites: Sequence[tuple[Looked, Sum]]) -> Finding:
    """The finding on a line where doubles count: the first pair that refutes the claim."""
    delta = case.guarantee.delta if isinstance(case.guarantee, ApproxDP) else Fraction(0)
    share = case.alarm / (8 * MOST_TESTED * MOST_PAIRS * 2)
    for looked, one in sites[: 0 if sites[0][1].located else MOST_PAIRS]:
        for found in _look_for_witnesses(case, looked, one):
            chance = float(binom.sf(found.number - 1, found.draws, float(delta)))
            if not found.number or (delta and chance > share):
                continue
            return state_finding(
                case,
                looked,
                ABOUT,
                str(case.guarantee),
                f"{found.example!r} comes out on one database, and no double added to the other "
                f"one's value gives it ({found.number} of {found.draws} sums are such)",
                one.place,
                Decision.VIOLATED,
                case.alarm / (8 * MOST_TESTED) if delta else None,
            )
    looked, one = sites[0]
    return state_finding(
        case,
        looked,
        ABOUT,
        str(case.guarantee),
        "a draw about a value in doubles that nothing rounds: the attack tells what it shows"
        if one.located
        else "a sum of doubles that nothing rounds; none was seen that one database alone can give",
        one.place,
        Decision.UNDECIDED,
    )


def _look_for_witnesses(case: Case, looked: Looked, one: Sum) -> list[Witnesses]:
    """Of either database; nothing where its value is not the same in all runs."""
    start = _SEEDS + 2 * DRAWS * case.seed
    runs = [Wanted(number % 2, start + number) for number in range(2 * DRAWS)]
    made = case.ask([looked.pair.first, looked.pair.second], runs)
    sides = [_sums(made[side::2], one, side) for side in (0, 1)]
    if None in sides:
        return []
    found = []
    for side, sums in enumerate(sides):
        beyond = [total for total in sums or () if is_out_of_reach(total, one.values[1 - side])]
        found.append(Witnesses(len(beyond), DRAWS, beyond[0] if beyond else 0.0))
    return found


def _sums(runs: Sequence[Recording], one: Sum, side: int) -> list[float] | None:
    """The sums of runs on a database; None where one of them is another sum."""
    found = []
    for run in runs:
        step = run.steps[one.entry[0]] if one.entry[0] < len(run.steps) else None
        same = isinstance(step, Operation) and step.place == one.place
        if not same or one.leaf >= len(run.output) or run.released[one.leaf] != one.entry:
            return None
        assert isinstance(step, Operation)
        plain = [operand[one.entry[1]] for operand in step.operands]
        values = [value for value in plain if not isinstance(value, tuple)]
        if len(values) != 1 or Fraction(values[0]) != one.plain[side]:
            return None
        found.append(float(run.output[one.leaf]))
    return found
