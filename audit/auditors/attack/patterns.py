"""Patterns: pairs of neighbouring databases over a domain that mechanisms tend to fail on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from audit.auditors.attack.given_pairs import chain_pair
from audit.auditors.attack.kinds import Drawer, Sketch
from audit.auditors.attack.records import Encoding, Records
from audit.subjects.pair import Pair
from proofs.guarantees import Guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours

MOST_CANDIDATES = 100
"""The most pairs of a search (a first try of each takes some percent of the usual runs)."""

MOST_RECORDS_HELD = 200_000
"""Records of all candidates together (some 50 MB)."""


@dataclass(frozen=True)
class Sweep:
    """Pairs of n and of n + 1 units, each the last one's larger database: ``at`` n.

    ``sizes``: numbers n to begin with, rising.
    """

    sizes: tuple[int, ...]
    at: Callable[[int], Pair]


def candidates(
    domain: Domain | None,
    neighbours: Neighbours,
    records: int | None,
    guarantee: Guarantee,
    least: int = 0,
    encodings: Sequence[Encoding] = (Encoding.NUMBERS,),
) -> tuple[Pair, ...]:
    """Verified pairs of neighbours, or of the ends of chains, the most telling first.

    At most `MOST_CANDIDATES`, all different: of every kind the first, then of every kind the
    second, and so on. Databases are lists of records, mappings from attribute to value, in the
    domain and of the claim's number of ``records`` (see `audit.statements.claim.Claim`), ``least``
    or more; where the domain has an id column, with whose they are. What both databases hold stands
    in the same places, so that they are neighbours in order as well. Chains are for claims that
    take a distance (`takes_distance`). ``encodings``: those that bins are spelt in.

    Raises InputError without a domain, and where no two databases of the claim are neighbours.
    """
    drawers = _drawers(domain, neighbours, records, guarantee, least, encodings)
    assert domain is not None
    found: dict[Hashable, Pair] = {}
    held = 0
    for kind, sketch in _in_turn(drawers):
        key = sketch.key
        if key in found:
            continue
        databases = sketch.databases(domain.individual)
        held += len(databases[0]) + len(databases[-1])
        if found and (held > MOST_RECORDS_HELD or len(found) == MOST_CANDIDATES):
            break
        pair = chain_pair(databases, neighbours, domain, sketch.words, records=records)
        found[key] = replace(pair, kind=kind)
    if not found:
        more = f" with {least} records or more" if least else ""
        raise InputError(f"no two databases{more} that the claim speaks of are neighbours")
    return tuple(found.values())


def sweeps(
    domain: Domain | None,
    neighbours: Neighbours,
    records: int | None,
    guarantee: Guarantee,
    least: int = 0,
    encodings: Sequence[Encoding] = (Encoding.NUMBERS,),
) -> tuple[Sweep, ...]:
    """Databases that grow by one unit after the other, of spread records and of equal ones.

    None where the number of records is public: neighbours then have one size.
    """
    drawers = _drawers(domain, neighbours, records, guarantee, least, encodings)
    if not isinstance(neighbours, AddRemove):
        return ()
    return tuple(
        Sweep(drawer.sizes, _Grown(drawer, equal))
        for equal in (False, True)
        for drawer in drawers
        if len(drawer.sizes) > 1
    )


@dataclass(frozen=True)
class _Grown:
    """The pairs of a sweep."""

    drawer: Drawer
    equal: bool

    def __call__(self, units: int) -> Pair:
        drawer = self.drawer
        domain, sketch = drawer.values.domain, drawer.at_size(units, self.equal)
        databases = sketch.databases(domain.individual)
        pair = chain_pair(
            databases, drawer.neighbours, domain, sketch.words, records=drawer.records
        )
        return replace(pair, kind="sizes")


def _drawers(
    domain: Domain | None,
    neighbours: Neighbours,
    records: int | None,
    guarantee: Guarantee,
    least: int,
    encodings: Sequence[Encoding],
) -> list[Drawer]:
    if domain is None:
        raise InputError(
            "without a domain no databases can be made up; give --pair A.json B.json, or --domain"
        )
    if records is not None and least > records:
        raise InputError(
            f"databases of the claim have at most {records} records; --min-records {least} leaves "
            "none"
        )
    return [
        Drawer(Records(domain, encoding), neighbours, records, guarantee, least)
        for encoding in encodings
    ]


def _in_turn(drawers: Iterable[Drawer]) -> Iterator[tuple[str, Sketch]]:
    """Of every kind its first pair, then of every kind its second; each encoding is a kind."""
    named: list[tuple[str, Iterator[Sketch]]] = []
    for kinds in zip(*(_kinds(drawer) for drawer in drawers), strict=True):
        named += kinds
    for row in zip_longest(*(pairs for _, pairs in named)):
        for (kind, _), sketch in zip(named, row, strict=True):
            if sketch is not None:
                yield kind, sketch


def _kinds(drawer: Drawer) -> list[tuple[str, Iterator[Sketch]]]:
    labels = drawer.values.encoding is Encoding.LABELS
    return [
        (f"{kind}, in labels" if labels else kind, pairs) for kind, pairs in drawer.kinds().items()
    ]
