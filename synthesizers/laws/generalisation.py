"""Generalisation: values give way to groups of values, for everyone or as far as needed."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from synthesizers.attributes import Attribute
from synthesizers.domain import Domain
from synthesizers.errors import InputError, TooLargeError
from synthesizers.laws.contingency import contingency_table
from synthesizers.laws.deterministic_laws import DeterministicLaw
from synthesizers.plain import is_integer, require_count, require_tuple

Grouping = tuple[int, ...]
"""The group of each code of one attribute, groups numbered by their first code."""

IntArray = NDArray[np.int64]

NOTHING = -1
"""The level that an outcome names for every attribute where nothing is released."""

MAX_GENERALISATIONS = 10_000
"""The most generalisations that k-anonymity chooses among."""

MAX_TRIALS = 1_000_000
"""The most generalisations of listed tables in one enumeration."""


def number_groups(groups: Sequence[Hashable]) -> Grouping:
    """Groups of any names, numbered 0, 1, 2, … by their first code."""
    numbers: dict[Hashable, int] = {}
    return tuple(numbers.setdefault(group, len(numbers)) for group in groups)


def require_groupings(groupings: object) -> tuple[Grouping, ...]:
    """Return some groupings; InputError unless groups are numbered by their first code.

    Any other numbering would put the counts of a table in another order.
    """
    found = require_tuple(groupings, "groupings of a generalisation")
    if not found:
        raise InputError("a generalisation needs the groups of at least one attribute")
    return tuple(_require_grouping(groups) for groups in found)


def _require_grouping(value: object) -> Grouping:
    groups = require_tuple(value, "groups of an attribute")
    if not groups or not all(is_integer(group) for group in groups):
        raise InputError("groups are one whole number a value, such as 0,0,1,1")
    groups = tuple(map(int, groups))
    if groups != (right := number_groups(groups)):
        raise InputError(
            f"groups are numbered 0, 1, 2, … by their first value: write "
            f"{','.join(map(str, right))}, not {','.join(map(str, groups))}"
        )
    return groups


def require_k(value: object) -> int:
    """Return the k of k-anonymity; InputError unless it is a whole number >= 1."""
    k = require_count(value, "k of k-anonymity")
    if k < 1:
        raise InputError("k-anonymity needs k >= 1 (k = 1 asks for nothing)")
    return k


def fitting(groups: Grouping, attribute: Attribute) -> Grouping:
    """Return the groups; InputError unless there is one for each of the attribute's values."""
    if len(groups) != attribute.size:
        raise InputError(
            f"groups has {len(groups)} numbers and attribute {attribute.name!r} has "
            f"{attribute.size} values (the missing one included): give one number a value"
        )
    return groups


def ladder(size: int, levels: Sequence[Sequence[Hashable]]) -> tuple[Grouping, ...]:
    """The generalisations of an attribute of ``size`` codes, finest first.

    Level 0 is every code by itself, and the last level one group of all
    (Samarati & Sweeney 1998 ask for it); ``levels`` lie between, or are those.
    """
    written = [number_groups(level) for level in levels]
    finest, coarsest = tuple(range(size)), (0,) * size
    if not written or written[0] != finest:
        written.insert(0, finest)
    if written[-1] != coarsest:
        written.append(coarsest)
    return tuple(written)


def ladder_of(domain: Domain, attribute: str) -> tuple[Grouping, ...]:
    """The ladder of an attribute's hierarchy in its domain; two levels where it has none."""
    found = (h.levels for h in domain.hierarchies if h.attribute == attribute)
    return ladder(domain.attribute(attribute).size, next(found, ()))


def coarse_counts(counts: IntArray, groupings: Sequence[Grouping]) -> IntArray:
    """Counts [cells] summed over the cells of one group an attribute, the last fastest."""
    table = contingency_table(counts, tuple(len(groups) for groups in groupings))
    shape = tuple(max(groups) + 1 for groups in groupings)
    coarse = np.zeros(shape, np.int64)
    np.add.at(coarse, np.ix_(*groupings), table)
    return coarse.ravel()


@dataclass(frozen=True, slots=True)
class GlobalRecoding(DeterministicLaw):
    """Counts over coarser cells: every value gives way to its group, in every record alike.

    ``groupings``: one an attribute, in order.

    Guarantee
    ---------
    The outcome has one count a coarse cell, the last attribute fastest, and
    sums to the number of records. Backed by
    ``tests/synthesizers/laws/test_generalisation.py``.
    """

    groupings: tuple[Grouping, ...]
    name = "global-recoding"

    def __post_init__(self) -> None:
        object.__setattr__(self, "groupings", require_groupings(self.groupings))

    def image(self, counts: IntArray) -> IntArray:
        """The coarse counts, [coarse cells]."""
        return coarse_counts(counts, self.groupings)


@dataclass(frozen=True, slots=True)
class KAnonymity(DeterministicLaw):
    """The least generalisation under which every group holds at least k records.

    Full-domain generalisation with suppression (Samarati & Sweeney 1998):
    one level an attribute, of least height (the sum of the levels), such that
    leaving out every group of fewer than ``k`` records leaves out at most
    ``suppressed`` of them. Of equal height the one that shows most groups wins,
    then the lexicographically first. ``ladders``: the levels of each attribute.

    Guarantee
    ---------
    An outcome is the levels and then the counts of their groups, each 0 or at
    least k, short of the number of records by at most ``suppressed``; or
    `NOTHING` for every attribute where no generalisation will do. Backed by
    ``tests/synthesizers/laws/test_generalisation.py``.
    """

    ladders: tuple[tuple[Grouping, ...], ...]
    k: int
    suppressed: int = 0
    name = "k-anonymity"

    def __post_init__(self) -> None:
        suppressed = require_count(self.suppressed, "number of suppressed records")
        ladders = require_tuple(self.ladders, "ladders of k-anonymity")
        object.__setattr__(self, "k", require_k(self.k))
        object.__setattr__(self, "suppressed", suppressed)
        object.__setattr__(self, "ladders", tuple(map(require_groupings, ladders)))
        if not self.ladders:
            raise InputError("k-anonymity needs the levels of at least one attribute")
        if self._choices > MAX_GENERALISATIONS:
            raise TooLargeError(
                f"the hierarchies allow {self._choices} generalisations, more than the "
                f"{MAX_GENERALISATIONS} that are tried; take fewer attributes or levels"
            )

    @property
    def _choices(self) -> int:
        """How many generalisations there are."""
        return math.prod(len(levels) for levels in self.ladders)

    def outcomes(self, rows: IntArray) -> list[tuple[int, ...]]:
        """Every image of a listed database, ascending; TooLargeError for too many trials."""
        if len(rows) * self._choices > MAX_TRIALS:
            raise TooLargeError(
                f"{len(rows)} databases of {self._choices} generalisations each are more than "
                f"{MAX_TRIALS} trials; take fewer cells, records or levels"
            )
        return DeterministicLaw.outcomes(self, rows)

    def image(self, counts: IntArray) -> IntArray:
        """The levels and the counts of their groups, or `NOTHING`."""
        for nodes in _by_height(tuple(len(levels) for levels in self.ladders)):
            shown = [(levels, self._show_groups(counts, levels)) for levels in nodes]
            sufficient = [(levels, groups) for levels, groups in shown if groups is not None]
            if sufficient:
                # Of equals the first is taken, and the nodes are in lexicographic order.
                levels, groups = max(sufficient, key=lambda node: np.count_nonzero(node[1]))
                return np.concatenate([np.array(levels, np.int64), groups])
        return np.full(len(self.ladders), NOTHING, np.int64)

    def _show_groups(self, counts: IntArray, levels: tuple[int, ...]) -> IntArray | None:
        """The groups of at least k records; None where too many records lie in others."""
        groupings = [steps[level] for steps, level in zip(self.ladders, levels, strict=True)]
        groups = coarse_counts(counts, groupings)
        small = groups < self.k
        if groups[small].sum() > self.suppressed:
            return None
        return np.where(small, 0, groups)


@lru_cache(maxsize=64)
def _by_height(depths: tuple[int, ...]) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Every choice of one level an attribute, by height and then lexicographic."""
    nodes = sorted(itertools.product(*map(range, depths)), key=sum)
    return tuple(tuple(same) for _, same in itertools.groupby(nodes, key=sum))
