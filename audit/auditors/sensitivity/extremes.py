"""The largest change among pairs of neighbours, and the smallest pair that exceeds a bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from audit.auditors.sensitivity.answers import Answering, NoAnswer, Outcome, Seen, changes, see
from audit.auditors.sensitivity.declaration import Declared, Norm, Size
from audit.auditors.sensitivity.small import Small
from audit.auditors.sensitivity.tolerance import Tolerance
from synthesizers.errors import ProtocolError


@dataclass(frozen=True)
class Extreme:
    """Of one norm: the pair that changes most, and the smallest one beyond what was declared.

    Of pairs that change alike, the one of the fewest records, then of the fewest distinct ones.
    ``exceeding``: None where no pair exceeds the bound by more than is tolerated.
    """

    largest: Seen
    exceeding: Seen | None


Extremes = Mapping[Norm, Extreme]


def extremes_of(
    pairs: Iterable[Seen], declared: Declared, tolerance: Tolerance | None = None
) -> Extremes:
    """The extremes among pairs that have answers, for every declared norm; empty without any."""
    allowed = tolerance or Tolerance()
    best: dict[Norm, Size] = {}
    largest: dict[Norm, Seen] = {}
    beyond: dict[Norm, Seen] = {}
    for pair in pairs:
        if not pair.answered:
            continue
        found = pair.changes
        for norm, bound in declared:
            size = norm.of(found)
            if norm not in best or size > best[norm]:
                best[norm], largest[norm] = size, pair
            elif size == best[norm] and lighter(pair, largest[norm]):
                largest[norm] = pair
            if allowed.exceeds(norm, bound, size, pair) and (
                norm not in beyond or lighter(pair, beyond[norm])
            ):
                beyond[norm] = pair
    return {norm: Extreme(pair, beyond.get(norm)) for norm, pair in largest.items()}


def lighter(pair: Seen, other: Seen) -> bool:
    """Whether it is easier to read; texts are looked at only where the counts leave it open."""
    counts = (len(pair.first) + len(pair.second), len(other.first) + len(other.second))
    return counts[0] < counts[1] or (counts[0] == counts[1] and pair.weight < other.weight)


def merge(parts: Iterable[Extremes]) -> Extremes:
    """The extremes over several instances."""
    found: dict[Norm, Extreme] = {}
    for part in parts:
        for norm, extreme in part.items():
            found[norm] = extreme if norm not in found else _merge(norm, found[norm], extreme)
    return found


def _merge(norm: Norm, left: Extreme, right: Extreme) -> Extreme:
    largest = min((left.largest, right.largest), key=lambda pair: (-pair.size(norm), pair.weight))
    beyond = [pair for pair in (left.exceeding, right.exceeding) if pair is not None]
    return Extreme(largest, min(beyond, key=lambda pair: pair.weight, default=None))


def exhaust(
    answering: Answering, small: Small, declared: Declared, tolerance: Tolerance | None = None
) -> Extremes:
    """The extremes among all pairs of a small instance; each database is asked once.

    Pairs without an answer on either side say nothing.

    Guarantee
    ---------
    The largest change over the instance's pairs, exactly. Backed by
    ``tests/audit/auditors/sensitivity/test_exhausted.py``, against a loop over all pairs of lists.
    """
    allowed = tolerance or Tolerance()
    outcomes = [answering.answer(database) for database in small.databases]
    distinct = _number(outcomes)
    known: dict[tuple[int, int], tuple[Size, ...]] = {}
    best: dict[Norm, Size] = {}
    wanted: dict[Norm, list[tuple[int, int]]] = {norm: [] for norm, _ in declared}
    beyond: dict[Norm, list[tuple[int, int]]] = {norm: [] for norm, _ in declared}

    def see_pair(first: int, second: int) -> Seen:
        databases = small.databases[first], small.databases[second]
        return Seen(*databases, (outcomes[first], outcomes[second]))

    for first, second in small.pairs:
        if isinstance(outcomes[first], NoAnswer) and isinstance(outcomes[second], NoAnswer):
            continue
        # Most answers occur many times, and so do pairs of them.
        key = (distinct[first], distinct[second])
        if key not in known:
            found = changes(outcomes[first], outcomes[second])
            known[key] = tuple(norm.of(found) for norm, _ in declared)
        for (norm, bound), size in zip(declared, known[key], strict=True):
            if norm not in best or size > best[norm]:
                best[norm], wanted[norm] = size, []
            if size == best[norm]:
                wanted[norm].append((first, second))
            if size > bound and allowed.exceeds(norm, bound, size, see_pair(first, second)):
                beyond[norm].append((first, second))

    def smallest(places: list[tuple[int, int]]) -> Seen:
        fewest = min(_records(small, pair) for pair in places)
        pairs = (see_pair(a, b) for a, b in places if _records(small, (a, b)) == fewest)
        return min(pairs, key=lambda pair: pair.weight)

    return {
        norm: Extreme(smallest(wanted[norm]), smallest(beyond[norm]) if beyond[norm] else None)
        for norm, _ in declared
        if wanted[norm]
    }


def _records(small: Small, pair: tuple[int, int]) -> int:
    return sum(len(small.databases[place]) for place in pair)


def _number(outcomes: list[Outcome]) -> list[int]:
    numbers: dict[str, int] = {}
    # By their text, in which NaN equals itself.
    return [numbers.setdefault(repr(outcome), len(numbers)) for outcome in outcomes]


def require_same_answers(answering: Answering, pair: Seen) -> None:
    """Raise ProtocolError unless the function answers a pair as before."""
    again = see(answering, pair.first, pair.second)
    if repr(again.answers) != repr(pair.answers):
        raise ProtocolError(
            "the function gave other answers when it was asked again: a query is a deterministic "
            "function of the database, before any noise"
        )
