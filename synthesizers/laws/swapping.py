"""Record swapping: pairs of records exchange their values of one attribute."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthesizers import samplers
from synthesizers.budget import UNBOUNDED, Cost
from synthesizers.errors import InputError, TooLargeError
from synthesizers.laws.contingency import contingency_table, require_shape
from synthesizers.laws.table_laws import MAX_CHANCES
from synthesizers.neighbours import Neighbours
from synthesizers.noise import require_positive
from synthesizers.plain import PlainLaw, require_integer, require_integers
from synthesizers.randomness import Entropy

Outcome = tuple[int, ...]
IntArray = NDArray[np.int64]

MAX_SELECTED = 600
"""The most records of a key group that exchange in an exact law, two a step of a recursion."""

MAX_SELECTIONS = 10_000
"""The most selections by type of one key group in an exact law."""


def require_share(value: object) -> Fraction:
    """Return the share of records that are swapped; InputError unless above 0 and at most 1."""
    share = require_positive(value, "share of records that are swapped")
    if share > 1:
        raise InputError(f"the share of records that are swapped is at most 1, found {share}")
    return share


@dataclass(frozen=True, slots=True)
class RecordSwapping(PlainLaw):
    """Random pairs of records that agree on the key exchange their values of one attribute.

    Dalenius & Reiss 1982. Of the n records of each key group, s = 2⌊share·n/2⌋
    are chosen uniformly and paired uniformly, and each pair exchanges.
    ``shape``: the domain's; ``attribute``, ``key``: places in it.

    Guarantee
    ---------
    ``chance`` is exact: the sum, over how many of each type of record are
    chosen, of the multivariate hypergeometric ∏ C(n_u, s_u)/C(n, s) times the
    share of the (s-1)!! perfect matchings that lead to the outcome; key groups
    are independent. Every count of the attribute by key, and every count of all
    else without the attribute, stays as it is, so no finite ε holds. Backed by
    ``tests/synthesizers/laws/test_swapping.py``.
    """

    shape: tuple[int, ...]
    attribute: int
    key: tuple[int, ...]
    share: Fraction
    name = "record-swapping"

    def __post_init__(self) -> None:
        attribute = require_integer(self.attribute, "place of the swapped attribute")
        object.__setattr__(self, "shape", require_shape(self.shape))
        object.__setattr__(self, "attribute", attribute)
        object.__setattr__(self, "key", require_integers(self.key, "key of a swap"))
        object.__setattr__(self, "share", require_share(self.share))
        places = (self.attribute, *self.key)
        if len(set(places)) != len(places) or not set(places) <= set(range(len(self.shape))):
            raise InputError("the swapped attribute and those of the key are different attributes")
        if self.shape[self.attribute] < 2 or self.others < 2:
            raise InputError(
                "nothing would change: a swap needs a swapped attribute of two values or more, "
                "and another such attribute beside it and the key; swap another attribute or "
                "shorten the key"
            )

    @property
    def others(self) -> int:
        """How many combinations of values the attributes not swapped or in the key have."""
        return math.prod(self.shape[place] for place in self._order[len(self.key) + 1 :])

    @property
    def _order(self) -> tuple[int, ...]:
        """The attributes: the key, the swapped one, the others."""
        first = (*self.key, self.attribute)
        return (*first, *(place for place in range(len(self.shape)) if place not in first))

    def draw_count(self, records: int) -> int:
        """How many of a key group's records exchange."""
        return 2 * math.floor(self.share * records / 2)

    def _by_key(self, counts: IntArray) -> IntArray:
        """Counts [cells] as [key groups, types], a type being a value and all others' values."""
        table = contingency_table(counts, self.shape).transpose(self._order)
        return table.reshape(-1, self.shape[self.attribute] * self.others)

    def _by_cell(self, groups: IntArray) -> IntArray:
        """The inverse of `_by_key`."""
        table = groups.reshape([self.shape[place] for place in self._order])
        return table.transpose(np.argsort(self._order)).ravel()

    def outcomes(self, rows: IntArray) -> list[Outcome]:
        """Every table that some listed database may give; TooLargeError for too many."""
        found: set[Outcome] = set()
        for row in rows.tolist():
            found |= _table_law(self, tuple(row)).keys()
            if len(found) * len(rows) > MAX_CHANCES:
                raise TooLargeError(
                    f"swapping the {len(rows)} databases has more than {MAX_CHANCES} chances; "
                    "take fewer cells or records"
                )
        return sorted(found)

    def chance(self, counts: Outcome, outcome: Outcome) -> Fraction:
        """The exact chance of an outcome; TooLargeError for a table too large."""
        return _table_law(self, counts).get(outcome, Fraction(0))

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw, of a table of any size."""
        groups = self._by_key(counts).copy()
        for place in np.flatnonzero(groups.sum(axis=1) > 1).tolist():
            drawn = self.draw_count(int(groups[place].sum()))
            groups[place] = _swap(groups[place], drawn, self.others, entropy)
        return self._by_cell(groups)

    def cost(self, neighbours: Neighbours) -> Cost:
        """No finite bound: see the class."""
        return UNBOUNDED


def _exchange(own: Any, partner: Any, others: int) -> Any:
    """The type that a record has after it took its partner's value of the swapped attribute."""
    return partner // others * others + own % others


def _swap(group: IntArray, drawn: int, others: int, entropy: Entropy) -> IntArray:
    """A key group's counts by type after one draw of who is chosen and who is paired."""
    chosen = samplers.hypergeometric_subset(group, drawn, entropy)
    records = np.repeat(np.arange(len(group)), chosen)[samplers.permutation(drawn, entropy)]
    left, right = records.reshape(2, -1)
    after = [_exchange(left, right, others), _exchange(right, left, others)]
    return group - chosen + np.bincount(np.concatenate(after), minlength=len(group))


@lru_cache(maxsize=65536)
def _table_law(law: RecordSwapping, counts: Outcome) -> Mapping[Outcome, Fraction]:
    """The law of a whole table: key groups are independent."""
    groups = law._by_key(np.array(counts, np.int64)).tolist()
    parts = [_group_law(tuple(group), law.draw_count(sum(group)), law.others) for group in groups]
    if math.prod(len(part) for part in parts) > MAX_CHANCES:
        raise TooLargeError(
            f"swapping one table has more than {MAX_CHANCES} outcomes; take fewer cells or records"
        )
    places = law._by_cell(np.arange(len(counts)).reshape(len(groups), -1)).tolist()
    found: dict[Outcome, Fraction] = {}
    for combination in itertools.product(*(part.items() for part in parts)):
        by_key = [count for outcome, _ in combination for count in outcome]
        outcome = tuple(by_key[place] for place in places)
        found[outcome] = math.prod((chance for _, chance in combination), start=Fraction(1))
    return found


@lru_cache(maxsize=65536)
def _group_law(group: Outcome, drawn: int, others: int) -> Mapping[Outcome, Fraction]:
    """The law of one key group's counts by type: selections times matchings, both counted."""
    limits = [min(count, drawn) for count in group]
    if drawn > MAX_SELECTED or math.prod(limit + 1 for limit in limits) > MAX_SELECTIONS:
        raise TooLargeError(
            f"a key group's records can be chosen in too many ways (more than {MAX_SELECTIONS} by "
            f"type, or more than {MAX_SELECTED} records); take fewer records or cells, or a "
            "smaller share"
        )
    ways: Counter[Outcome] = Counter()
    for chosen in itertools.product(*(range(limit + 1) for limit in limits)):
        if sum(chosen) == drawn:
            selections = math.prod(map(math.comb, group, chosen))
            kept = [count - part for count, part in zip(group, chosen, strict=True)]
            for after, matchings in _matchings(chosen, others).items():
                outcome = tuple(map(int.__add__, kept, after))
                ways[outcome] += selections * matchings
    total = math.comb(sum(group), drawn) * math.prod(range(1, drawn, 2))
    return {outcome: Fraction(number, total) for outcome, number in ways.items()}


@lru_cache(maxsize=65536)
def _matchings(chosen: Outcome, others: int) -> Mapping[Outcome, int]:
    """How many perfect matchings of the chosen records lead to each counts by type."""
    own = next((kind for kind, count in enumerate(chosen) if count), None)
    if own is None:
        return {chosen: 1}
    ways: Counter[Outcome] = Counter()
    rest = _change_count(chosen, own, -1)
    for partner, number in enumerate(rest):
        if number:
            after_own = _exchange(own, partner, others)
            after_partner = _exchange(partner, own, others)
            for after, matchings in _matchings(_change_count(rest, partner, -1), others).items():
                outcome = _change_count(_change_count(after, after_own, 1), after_partner, 1)
                ways[outcome] += number * matchings
    return ways


def _change_count(counts: Outcome, kind: int, step: int) -> Outcome:
    """Counts with one of them changed."""
    return (*counts[:kind], counts[kind] + step, *counts[kind + 1 :])
