"""Patterns: pairs of neighbouring databases over a domain that mechanisms tend to fail on.

A pattern is the records that both databases hold, the rest, beside a unit's records: added to the
rest under add-remove, exchanged for another's under replace-one. Chains repeat the step.
Sources: StatDP's patterns of query answers (Ding et al. 2018), brought to records; what
auditors of synthesizers use (Annamalai, Ganev & De Cristofaro 2024): an empty or a uniform rest,
a repeated target, narrow columns; clip ends and bin edges.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from audit.auditors.attack.edges import at_or_above, below
from audit.auditors.attack.floors import claimed_value, takes_distance
from audit.auditors.attack.given_pairs import chain_pair
from audit.subjects.pair import Pair
from proofs.guarantees import GaussianDP, Guarantee
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours

Record = dict[str, Any]

MOST_CANDIDATES = 60
"""The most pairs of a search (six rounds of halving)."""

MOST_RECORDS_HELD = 200_000
"""Records of all candidates together (some 50 MB)."""

MODERATE = 30
"""Records of a database whose number the claim leaves open (above usual
thresholds of suppression, 3 to 20, and small enough to run often)."""

LARGEST = 1000
"""The most records of a database where the claim allows fewer (what a
mechanism does at larger n it does, as a rule, at this one, in less time)."""

MOST_STEPS = 250
"""The longest chain (long enough for ε = 0.01)."""

MOST_ATTRIBUTES = 3
"""Attributes, the first ones, whose own values make candidates."""

SMALL_DOMAIN = 16
"""The most cells of a domain each of which makes candidates."""

BEST_DISTANCE = Fraction("2.22")
"""The kε at which the floor's gap is least: the minimiser of sqrt(1 + e^x)/x, from the closed form
of the gap for Laplace noise, z·sqrt((1 + e^x)/N)/k at a distance k."""

BEST_GAUSSIAN_DISTANCE = Fraction("3.15")
"""The kμ at which the floor's gap is least: the minimiser of sqrt(Φ(x/2)Φ(-x/2))/(φ(x/2)·x), the
standard error of 2Φ⁻¹(accuracy)/k for guesses by the middle threshold."""


def candidates(
    domain: Domain | None, neighbours: Neighbours, records: int | None, guarantee: Guarantee
) -> tuple[Pair, ...]:
    """Verified pairs of neighbours, or of the ends of chains, the most telling first.

    At most `MOST_CANDIDATES`, all different. Databases are lists of records, mappings from
    attribute to value, in the domain and of the claim's number of ``records`` (see
    `audit.statements.claim.Claim`); where the domain has an id column, with whose they are. What
    both databases hold stands in the same places, so that they are neighbours in order as well.
    Chains are for claims that take a distance (`takes_distance`).

    Raises InputError without a domain, and where no two databases of the claim are neighbours.
    """
    if domain is None:
        raise InputError(
            "without a domain no databases can be made up; give --pair A.json B.json, or --domain"
        )
    made = sorted(_make(domain, neighbours, records, guarantee), key=lambda one: one.rank)
    found: dict[Hashable, Pair] = {}
    held = 0
    for one in made:
        if one.key in found:
            continue
        databases = one.databases(domain.individual)
        held += len(databases[0]) + len(databases[-1])
        if found and (held > MOST_RECORDS_HELD or len(found) == MOST_CANDIDATES):
            break
        found[one.key] = chain_pair(databases, neighbours, domain, one.words, records=records)
    if not found:
        raise InputError("no two databases that the claim speaks of are neighbours")
    return tuple(found.values())


@dataclass(frozen=True, eq=False)
class _Made:
    """A pair in the making: ``steps`` times a unit's records ``gone`` become those ``come``.

    The smaller the ``rank``, the more telling. ``rest``: what both databases hold besides.
    """

    rank: int
    words: str
    rest: tuple[Record, ...]
    gone: tuple[Record, ...]
    come: tuple[Record, ...]
    steps: int = 1

    @property
    def key(self) -> Hashable:
        """What the databases depend on."""
        parts = (self.rest, self.gone, self.come)
        texts = {
            id(record): _text(record) for record in {id(r): r for p in parts for r in p}.values()
        }
        return self.steps, tuple(tuple(texts[id(record)] for record in part) for part in parts)

    def databases(self, individual: str | None) -> list[list[Record]]:
        """The chain; no two records of either end are one object, which a mechanism may alter."""
        rest = [_own([record], individual, owner) for owner, record in enumerate(self.rest)]
        owners = range(len(rest), len(rest) + self.steps)
        before = [_own(self.gone, individual, owner) for owner in owners]
        after = [_own(self.come, individual, owner) for owner in owners]
        chain = [
            [record for owned in (*rest, *after[:step], *before[step:]) for record in owned]
            for step in range(self.steps + 1)
        ]
        chain[-1] = [dict(record) for record in chain[-1]]
        return chain


def _own(records: Sequence[Record], individual: str | None, owner: int) -> list[Record]:
    """The records, each its own object, with the id of their owner where there is an id column."""
    whose = {} if individual is None else {individual: str(owner + 1)}
    return [{**whose, **record} for record in records]


@dataclass(frozen=True, eq=False)
class _Target:
    """A record that makes the difference, and another one, that may stand in its place.

    ``rank``: added to those of its pairs. ``thorough``: whether all pairs are tried on it.
    """

    rank: int
    record: Record
    other: Record
    words: str
    thorough: bool = False


def _make(
    domain: Domain, neighbours: Neighbours, records: int | None, guarantee: Guarantee
) -> Iterator[_Made]:
    exact = neighbours.records_public and records is not None
    most = MODERATE if records is None else records if exact else min(records, LARGEST)
    for target in _targets(domain):
        for gone, come, words in _changes(target, domain, neighbours, most):
            room = most - max(len(gone), len(come))
            for rank, rest, where in _rests(target, domain, room, exact):
                if target.thorough or rank < 3:
                    yield _Made(target.rank + rank, f"{words}, {where}", rest, gone, come)
        if target.thorough:
            yield from _chains(target, neighbours, records, guarantee)


def _changes(
    target: _Target, domain: Domain, neighbours: Neighbours, most: int
) -> Iterator[tuple[tuple[Record, ...], tuple[Record, ...], str]]:
    """What a unit's records are in the first database and in the second."""
    size = min(neighbours.unit.max_records, most)
    if size < 1:
        return
    come, gone = (target.record,) * size, (target.other,) * size
    many = "a record" if neighbours.unit.is_record else f"a person's {size} records"
    if isinstance(neighbours, AddRemove):
        yield (), come, f"{many} more, {target.words}"
    else:
        if _text(target.record) != _text(target.other):
            yield gone, come, f"{many} exchanged, {target.words}"
        if not neighbours.unit.is_record:
            yield (), come, f"{many} in place of none, {target.words}"
    if size > 1:
        yield (), _spread_records(domain, size), f"{many} come, spread over the domain"


def _rests(
    target: _Target, domain: Domain, room: int, exact: bool
) -> Iterator[tuple[int, tuple[Record, ...], str]]:
    """Ranks, what both databases hold, and words; ``room`` records in all where ``exact``."""
    here, there = (target.record,), (target.other,)
    if not exact or room == 0:
        yield 0, (), "alone"
    if room == 0:
        return
    yield 1, there * room, f"beside {room} of another kind"
    yield 2, here * room, f"beside {room} equal to it"
    # Counts at which tables are suppressed or rounded, and at which duplicates begin to show.
    for rank, copies in ((4, 2), (7, 1), (8, 4), (9, 9)):
        if copies < room:
            rest = (there * (room - copies) if exact else ()) + here * copies
            yield rank, rest, f"beside {copies} equal to it"
    yield 5, _spread_records(domain, room), f"beside {room} spread over the domain"
    for rank, half in ((6, room // 2), (10, 1)):
        if 0 < half <= room // 2:
            rest = there * (room - half if exact else half) + here * half
            yield rank, rest, f"between two kinds of {half} each"


def _chains(
    target: _Target, neighbours: Neighbours, records: int | None, guarantee: Guarantee
) -> Iterator[_Made]:
    """Chains of units, each of the target's records, added or exchanged one after the other."""
    size = neighbours.unit.max_records
    room = MOST_STEPS if records is None else min(MOST_STEPS, records // size)
    come, gone = (target.record,) * size, (target.other,) * size
    if isinstance(neighbours, AddRemove):
        gone = ()
    elif _text(target.record) == _text(target.other):
        return
    # The best distance of a claim shows at once what is out of reach of neighbours.
    distances = dict.fromkeys(min(steps, room) for steps in _distances(guarantee))
    for place, steps in enumerate(steps for steps in distances if steps > 1):
        exact = neighbours.records_public and records is not None
        rest = (target.other,) * (records - steps) if exact and records is not None else ()
        rank = target.rank + 3 * min(place, 1)
        yield _Made(rank, f"{steps} steps: {target.words}", rest, gone, come, steps)


def _distances(guarantee: Guarantee) -> list[int]:
    """How far apart the ends of chains may tell most: the best by what is claimed, 2 and 4."""
    if not takes_distance(guarantee):
        return []
    best = BEST_GAUSSIAN_DISTANCE if isinstance(guarantee, GaussianDP) else BEST_DISTANCE
    claimed = claimed_value(guarantee)
    ideal = round(min(Fraction(MOST_STEPS), best / claimed)) if claimed else MOST_STEPS
    # Twice as far as is best, errors are so rare that few runs tell nothing.
    return [steps for steps in (ideal, 2, 4) if steps > 1 and steps * claimed <= 2 * best]


def _targets(domain: Domain) -> Iterator[_Target]:
    """Records that make a difference."""
    low = {a.name: _low(a, 0) for a in domain.attributes}
    high = {a.name: _top(a) for a in domain.attributes}
    middle = {a.name: _low(a, len(a.values) // 2) for a in domain.attributes}
    yield _Target(0, high, low, "the last value of every attribute", True)
    yield _Target(3, low, high, "the first value of every attribute", True)
    for a in [a for a in domain.attributes if a.missing][:MOST_ATTRIBUTES]:
        yield _Target(2, {**low, a.name: None}, low, f"without a value of {a.name!r}")
    for a in [a for a in domain.attributes if a.edges is not None][:MOST_ATTRIBUTES]:
        yield from _at_edges(a, low)
    yield _Target(7, middle, low, "the middle value of every attribute")
    for a in domain.attributes[:MOST_ATTRIBUTES] if len(domain.attributes) > 1 else ():
        yield _Target(8, {**low, a.name: high[a.name]}, low, f"the last value of {a.name!r} only")
    for cell in range(domain.size if domain.size <= SMALL_DOMAIN else 0):
        yield _Target(9, _record(domain, cell), low if cell else high, f"cell {cell}")


def _at_edges(attribute: Attribute, record: Record) -> Iterator[_Target]:
    """Numbers next to an inner edge, and the two zeros."""
    name, edges = attribute.name, attribute.edges or ()
    if len(edges) > 2:
        edge = edges[len(edges) // 2]
        low, high = {**record, name: below(edge)}, {**record, name: at_or_above(edge)}
        yield _Target(5, low, high, f"{name!r} next below an edge")
    if edges[0] <= 0 <= edges[-1]:
        minus, plus = {**record, name: -0.0}, {**record, name: 0.0}
        yield _Target(6, minus, plus, f"{name!r} minus zero")


def _spread_records(domain: Domain, records: int) -> tuple[Record, ...]:
    """Records of cells evenly apart, or of all cells in turn where these are fewer."""
    size = domain.size
    cells = (n % size if size <= records else n * size // records for n in range(records))
    return tuple(_record(domain, cell) for cell in cells)


def _record(domain: Domain, cell: int) -> Record:
    values = []
    for attribute in reversed(domain.attributes):
        cell, code = divmod(cell, attribute.size)
        known = code < len(attribute.values)
        values.append((attribute.name, _low(attribute, code) if known else None))
    return dict(reversed(values))


def _low(attribute: Attribute, code: int) -> str | int | float:
    """A value, or the least number of a bin."""
    return attribute.values[code] if attribute.edges is None else at_or_above(attribute.edges[code])


def _top(attribute: Attribute) -> str | int | float:
    """The last value, or the largest number of the last bin."""
    if attribute.edges is None:
        return attribute.values[-1]
    edge = attribute.edges[-1]
    return -at_or_above(-edge)


def _text(record: Record) -> str:
    # Equality of records would take minus zero for zero.
    return json.dumps(record, sort_keys=True)
