"""Patterns: pairs of neighbouring databases over a domain that mechanisms tend to fail on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from audit.auditors.attack.pairs.kinds import Drawer
from audit.auditors.attack.pairs.records import Encoding, Records
from audit.auditors.attack.pairs.sizes import Sizes
from audit.auditors.attack.pairs.sketches import Sketch
from audit.statements.claim import Claim
from audit.subjects.pair import Pair
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove

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


def list_candidates(
    claim: Claim, least: int = 0, encodings: Sequence[Encoding] = (Encoding.NUMBERS,)
) -> tuple[Pair, ...]:
    """Verified pairs of neighbours, or of the ends of chains, the most telling first.

    At most `MOST_CANDIDATES`, all different: of every kind the first, then of every kind the
    second, and so on. Databases are lists of records, mappings from attribute to value, in the
    claim's domain and of its number of records, ``least`` or more; where the domain has an id
    column, with whose they are. What both databases hold stands in the same places, so that they
    are neighbours in order as well. Chains are for claims that take a distance (`takes_distance`).
    ``encodings``: those that bins are spelt in.

    Raises InputError without a domain, and where no two databases of the claim are neighbours.
    """
    drawers = _list_drawers(claim, least, encodings)
    found: dict[Hashable, Pair] = {}
    held = 0
    for kind, sketch in _in_turn(drawers):
        key = sketch.key
        if key in found:
            continue
        held += sketch.records_of_both
        if found and (held > MOST_RECORDS_HELD or len(found) == MOST_CANDIDATES):
            break
        found[key] = sketch.verify(claim, kind)
    if not found:
        more = f" with {least} records or more" if least else ""
        raise InputError(f"no two databases{more} that the claim speaks of are neighbours")
    return tuple(found.values())


def list_sweeps(
    claim: Claim, least: int = 0, encodings: Sequence[Encoding] = (Encoding.NUMBERS,)
) -> tuple[Sweep, ...]:
    """Databases that grow by one unit after the other, of spread records and of equal ones.

    None where the number of records is public: neighbours then have one size.
    """
    drawers = _list_drawers(claim, least, encodings)
    if not isinstance(claim.neighbours, AddRemove):
        return ()
    return tuple(
        Sweep(drawer.sizes.rising, _Grown(drawer, equal))
        for equal in (False, True)
        for drawer in drawers
        if len(drawer.sizes.rising) > 1
    )


@dataclass(frozen=True)
class _Grown:
    """The pairs of a sweep."""

    drawer: Drawer
    equal: bool

    def __call__(self, units: int) -> Pair:
        sketch = self.drawer.at_size(units, self.equal)
        return sketch.verify(self.drawer.claim, "sizes")


def _list_drawers(claim: Claim, least: int, encodings: Sequence[Encoding]) -> list[Drawer]:
    if claim.domain is None:
        raise InputError(
            "without a domain no databases can be made up; give --pair A.json B.json, or --domain"
        )
    if claim.records is not None and least > claim.records:
        raise InputError(
            f"databases of the claim have at most {claim.records} records; --min-records {least} "
            "leaves none"
        )
    sizes = Sizes(claim, least)
    return [Drawer(Records(claim.domain, encoding), claim, sizes) for encoding in encodings]


def _in_turn(drawers: Iterable[Drawer]) -> Iterator[tuple[str, Sketch]]:
    """Of every kind its first pair, then of every kind its second; each encoding is a kind."""
    named: list[tuple[str, Iterator[Sketch]]] = []
    for kinds in zip(*(_list_kinds(drawer) for drawer in drawers), strict=True):
        named += kinds
    for row in zip_longest(*(pairs for _, pairs in named)):
        for (kind, _), sketch in zip(named, row, strict=True):
            if sketch is not None:
                yield kind, sketch


def _list_kinds(drawer: Drawer) -> list[tuple[str, Iterator[Sketch]]]:
    labels = drawer.values.encoding is Encoding.LABELS
    return [
        (f"{kind}, in labels" if labels else kind, pairs) for kind, pairs in drawer.kinds().items()
    ]
