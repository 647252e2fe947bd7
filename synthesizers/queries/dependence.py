"""Scores of a Bayesian network: how much a child depends on its parents.

A candidate is a child with one or more parents. The third score of PrivBayes, R, is
`IndependenceDistance` over 2n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.intervals import log2_interval
from synthesizers.neighbours import AddRemove, Neighbours
from synthesizers.plain import PlainQuery, require_integer, require_text, require_tuple
from synthesizers.queries.counts import Marginal
from synthesizers.queries.query import IntArray, Sensitivity, spans_sensitivity

Candidate = tuple[str, tuple[str, ...]]

MAX_SCALE = 2**20
"""The finest units of a mutual information: scores stay below 2^53."""

_MAX_RECORDS = 2**28
_ROUNDED = 6


def _require_candidates(value: object) -> tuple[Candidate, ...]:
    found = []
    for pair in require_tuple(value, "candidates of a dependence score"):
        members = require_tuple(pair, "a child with its parents")
        if len(members) != 2:
            raise InputError("a candidate is a child and the tuple of its parents")
        child = require_text(members[0], "child")
        parents = require_tuple(members[1], "parents of a child")
        names = tuple(require_text(name, "parent of a child") for name in parents)
        if not names:
            raise InputError("a candidate needs one or more parents")
        found.append((child, Marginal((child, *names)).attributes[1:]))
    if not found:
        raise InputError("a dependence score needs one or more candidates")
    return tuple(found)


def _sides(candidate: Candidate, domain: Domain) -> tuple[int, int]:
    """How many values the child has, and its parents together."""
    child, parents = candidate
    rows = domain.attribute(child).size
    return rows, Marginal((child, *parents)).size(domain) // rows


def _joint(candidate: Candidate, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
    """Counts, [databases, values of the child, values of its parents]."""
    child, parents = candidate
    counts = Marginal((child, *parents)).answers(domain, codes, weights)
    return counts.reshape(len(weights), *_sides(candidate, domain))


@dataclass(frozen=True, slots=True)
class MutualInformation(PlainQuery):
    """Scores: scale·n·I(child; parents) in bits, each of its terms c·log2 c rounded by itself.

    Σ⌈joint counts⌋ - Σ⌈counts of the child⌋ - Σ⌈counts of the parents⌋ + ⌈n⌋, where ⌈c⌋ is the
    integer nearest to scale·c·log2 c. ``records``: the public n; databases of another size score 0.

    Sensitivity under ReplaceOne, with g(c) = c·log2 c - (c-1)·log2(c-1): a record that leaves a
    cell of count c, row a and column b, and enters another, moves n·I by at most the largest
    h = g(a) + g(b) - g(c) >= 0; as a + b - c <= n and g is concave, h <= 2g((n+1)/2), and where
    one side has two values the move is at most g(n) (Zhang et al. 2017, Lemma 4.1). Rounding moves
    each of six such differences by at most 1. With n private the score has no useful bound: such
    neighbours are refused.
    """

    candidates: tuple[Candidate, ...]
    records: int
    scale: int = 1
    kind = "mutual-information"

    def __post_init__(self) -> None:
        object.__setattr__(self, "candidates", _require_candidates(self.candidates))
        for name in ("records", "scale"):
            number = require_integer(getattr(self, name), f"{name} of a mutual information")
            object.__setattr__(self, name, number)
        if not 0 <= self.records <= _MAX_RECORDS:
            raise InputError("the public number of records must lie in 0 … 2^28")
        if not 0 < self.scale <= MAX_SCALE:
            raise InputError("the scale of a mutual information must lie in 1 … 2^20")

    def size(self, domain: Domain) -> int:
        """One score a candidate."""
        for candidate in self.candidates:
            _sides(candidate, domain)
        return len(self.candidates)

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """Scores, [databases, candidates]."""
        of_size = weights.sum(axis=1) == self.records
        columns = []
        for candidate in self.candidates:
            joint = _joint(candidate, domain, codes, weights)
            marginals = [joint.sum(axis=1), joint.sum(axis=2)]
            parts = self._terms(joint).sum(axis=(1, 2)) + self._terms(joint.sum(axis=(1, 2)))
            score = parts - sum(self._terms(side).sum(axis=1) for side in marginals)
            columns.append(np.where(of_size, score, 0))
        return np.stack(columns, axis=1)

    def _terms(self, counts: IntArray) -> IntArray:
        values, places = np.unique(counts, return_inverse=True)
        rounded = [round_term(count, self.scale) for count in values.tolist()]
        return np.array(rounded, np.int64)[places.reshape(counts.shape)]

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """See the class; InputError unless neighbours exchange one record."""
        if not neighbours.records_public:
            raise InputError(
                "mutual information is scored for a public number of records alone; "
                "take replace-one of records, or another score"
            )
        spans = []
        for candidate in self.candidates:
            fewest = min(_sides(candidate, domain))
            still = fewest == 1 or self.records < 2
            spans.append(0 if still else _information_moves(self.records, self.scale, fewest == 2))
        return spans_sensitivity(spans)


@dataclass(frozen=True, slots=True)
class MaximalCorrelation(PlainQuery):
    """Scores: minus how many halves of records separate a joint from one of maximal correlation.

    The child has two values. Given to one of them, each value of the parents is
    right for some records; with k0 and k1 of them right over all values given to
    0 and to 1, the score is the largest -max(0, n - 2·k0) - max(0, n - 2·k1):
    2n times the score F of PrivBayes. n is the number of records that the
    database has.

    Sensitivity of one score: 2m, and 4m of exchanged persons. For any one giving, a record
    more moves n - 2·k0 and n - 2·k1 by 1 each, up or down. A record exchanged leaves n, and at
    most one of k0, k1 loses it: their terms rise by at most 2 in all, and likewise they fall. The
    largest of functions that move by at most 2 moves by at most 2 (Zhang et al. 2017,
    section 4.3).
    """

    candidates: tuple[Candidate, ...]
    kind = "maximal-correlation"

    def __post_init__(self) -> None:
        object.__setattr__(self, "candidates", _require_candidates(self.candidates))

    def size(self, domain: Domain) -> int:
        """One score a candidate; InputError for a child without exactly two values."""
        for candidate in self.candidates:
            if _sides(candidate, domain)[0] != 2:
                raise InputError(
                    f"{candidate[0]} does not have two values, as a child must have that is "
                    "scored by maximal correlation; take another score"
                )
        return len(self.candidates)

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """Scores, [databases, candidates]."""
        size = self.size(domain)
        scores = np.empty((len(weights), size), np.int64)
        for column, candidate in enumerate(self.candidates):
            for row, joint in enumerate(_joint(candidate, domain, codes, weights)):
                scores[row, column] = -_least_shortfall(joint)
        return scores

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """See the class."""
        size, m = self.size(domain), neighbours.unit.max_records
        exchanged = not isinstance(neighbours, AddRemove) and not neighbours.unit.is_record
        return spans_sensitivity([4 * m if exchanged else 2 * m] * size)


def _least_shortfall(joint: IntArray) -> int:
    """The least max(0, n - 2·k0) + max(0, n - 2·k1) of a joint [2, values of the parents].

    Value after value, the most k1 that goes with each k0; from half of n on, more k0 is no gain.
    """
    records = int(joint.sum())
    half = (records + 1) // 2
    mixed = (joint > 0).all(axis=0)
    # A value with records of one kind alone goes there.
    sure_zero, sure_one = (int(side[~mixed].sum()) for side in joint)
    most = np.full(half + 1, -1, np.int64)
    most[min(sure_zero, half)] = sure_one
    for zeros, ones in joint[:, mixed].T.tolist():
        given_one = np.where(most >= 0, most + ones, -1)
        step = min(zeros, half)
        given_one[step:] = np.maximum(given_one[step:], most[: half + 1 - step])
        given_one[half] = max(int(given_one[half]), int(most[half - step :].max()))
        most = given_one
    reached = np.flatnonzero(most >= 0)
    short = np.maximum(records - 2 * reached, 0) + np.maximum(records - 2 * most[reached], 0)
    return int(short.min())


@lru_cache(maxsize=1 << 17)
def round_term(count: int, scale: int) -> int:
    """The integer nearest to scale·c·log2 c; 0 for c = 0.

    Guarantee
    ---------
    Exact: c·log2 c is an integer or irrational, so that enclosures of it tell where it rounds
    to. Backed by ``tests/synthesizers/test_dependence_queries.py``.
    """
    if count == 0:
        return 0
    return _floor_of([(scale * count, Fraction(count))], Fraction(1, 2))


@lru_cache(maxsize=1024)
def _information_moves(records: int, scale: int, two_values: bool) -> int:
    """⌊scale·g(n)⌋, or ⌊scale·2g((n+1)/2)⌋, and 6 for the rounding of six differences; n >= 2."""
    above, below = Fraction(records), Fraction(records - 1)
    factors = scale * records, -scale * (records - 1)
    if not two_values:
        above, below = Fraction(records + 1, 2), Fraction(records - 1, 2)
        factors = scale * (records + 1), -scale * (records - 1)
    return _floor_of(list(zip(factors, (above, below), strict=True)), Fraction(0)) + _ROUNDED


def _floor_of(terms: list[tuple[int, Fraction]], shift: Fraction) -> int:
    """⌊Σ factor·log2 x + shift⌋, for a sum that is an integer of exact terms, or irrational."""
    bits = 64
    while True:
        low = high = shift
        for factor, argument in terms:
            ends = log2_interval(argument, bits)
            products = factor * ends.lower, factor * ends.upper
            low, high = low + min(products), high + max(products)
        if math.floor(low) == math.floor(high):
            return math.floor(low)
        bits *= 2
