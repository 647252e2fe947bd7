"""Records drawn one set of attributes after the other, from public weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from synthesizers.curator import Curator
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation.generation import SMALL_DOMAIN, public_generator, rounded_table

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Block:
    """How a set of attributes is drawn, independently or given others that were drawn before.

    ``weights``: [cells of ``given``, cells of ``attributes``], not negative, the last attribute
    fastest; one line where nothing is given. A line without weight is taken as the sum of all
    lines, and where that has none either, every cell is as likely as the other.
    """

    attributes: tuple[str, ...]
    weights: FloatArray
    given: tuple[str, ...] = ()

    def chances(self, domain: Domain) -> FloatArray:
        """The chance of each cell in each line, [cells of given, cells of attributes]."""
        shape = (cells_of(domain, self.given), cells_of(domain, self.attributes))
        if np.size(self.weights) != math.prod(shape):
            raise InputError(f"the weights of a block must be {shape[0]} lines of {shape[1]} cells")
        weights = np.asarray(self.weights, np.float64).reshape(shape)
        pooled = weights.sum(axis=0)
        instead = pooled if pooled.sum() > 0 else np.ones(shape[1])
        lines = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, instead)
        chances: FloatArray = lines / lines.sum(axis=1, keepdims=True)
        return chances


def cells_of(domain: Domain, attributes: Iterable[str]) -> int:
    """How many cells the marginal of some attributes has; 1 of none."""
    return math.prod(domain.attribute(name).size for name in attributes)


def uniform_rest(domain: Domain, blocks: Sequence[Block]) -> list[Block]:
    """The blocks, and after them a uniform one for each attribute that none of them draws."""
    drawn = {name for block in blocks for name in block.attributes}
    rest = [name for name in domain.names if name not in drawn]
    return [*blocks, *(Block((name,), np.ones(domain.attribute(name).size)) for name in rest)]


def table_of(domain: Domain, blocks: Sequence[Block]) -> FloatArray:
    """The chance of every cell of a small domain, [cells], of blocks that draw all attributes."""
    codes = domain.codes()
    chances = np.ones(len(codes))
    for block in blocks:
        given, drawn = (_numbered(domain, codes, n) for n in (block.given, block.attributes))
        chances *= block.chances(domain)[given, drawn]
    return chances


def records_drawn(
    domain: Domain,
    blocks: Sequence[Block],
    rows: int,
    generator: np.random.Generator,
    *,
    independently: bool = False,
) -> Dataset:
    """``rows`` records of blocks that draw all attributes, each block after what it is given.

    Systematic draws: of the records of one line, each cell gets what is due to it up to one
    record more or less, in random order. ``independently``: one draw a record instead.
    """
    codes = np.zeros((rows, len(domain.names)), np.int64)
    for block in blocks:
        lines = _numbered(domain, codes, block.given)
        cells = _drawn(block.chances(domain), lines, generator, independently)
        for name in reversed(block.attributes):
            cells, codes[:, domain.position(name)] = np.divmod(cells, domain.attribute(name).size)
    return Dataset(domain, codes)


def released(curator: Curator, blocks: Sequence[Block], rows: int) -> Dataset:
    """The output of blocks; attributes that none draws are uniform.

    A function of the transcript on a domain of at most `SMALL_DOMAIN` cells, otherwise records
    from `public_generator`.
    """
    domain = curator.domain
    complete = uniform_rest(domain, blocks)
    if domain.size <= SMALL_DOMAIN:
        return rounded_table(domain, table_of(domain, complete), rows)
    return records_drawn(domain, complete, rows, public_generator(curator))


def _numbered(domain: Domain, codes: IntArray, names: Sequence[str]) -> IntArray:
    """The cell of each record in the marginal of some attributes; 0 where they are none."""
    cells = np.zeros(len(codes), np.int64)
    for name in names:
        cells *= domain.attribute(name).size
        cells += codes[:, domain.position(name)]
    return cells


def _drawn(
    chances: FloatArray, lines: IntArray, generator: np.random.Generator, independently: bool
) -> IntArray:
    """A cell for each record, from the line of chances that it is given."""
    width = chances.shape[1]
    if independently:
        points = generator.random(len(lines))
    else:
        points = _systematic(lines, len(chances), generator)
    cumulative = np.cumsum(chances, axis=1)
    # Line l takes up the numbers from l to l + 1, so that one search serves all lines. Its last
    # cell of positive chance, and whatever follows, ends at l + 1 exactly and is never passed.
    cumulative /= cumulative[:, -1:]
    cumulative += np.arange(len(chances))[:, None]
    points = np.minimum(lines + points, np.nextafter(lines + 1.0, 0.0))
    found = np.searchsorted(cumulative.ravel(), points, side="right")
    return np.asarray(found - lines * width, np.int64)


def _systematic(lines: IntArray, count: int, generator: np.random.Generator) -> FloatArray:
    """Points of [0, 1), evenly spaced within each line's records and in random order there."""
    order = generator.permutation(len(lines))
    order = order[np.argsort(lines[order], kind="stable")]
    members = np.bincount(lines, minlength=count)
    starts = np.cumsum(members) - members
    ranks = np.arange(len(lines)) - starts[lines[order]]
    points = np.empty(len(lines))
    points[order] = (ranks + generator.random(count)[lines[order]]) / members[lines[order]]
    return points
