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
from synthesizers.estimation.generation import SMALL_DOMAIN, public_generator, round_table
from synthesizers.estimation.systematic import Choices, systematic_choices
from synthesizers.queries.counts import cells_of_records

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
        shape = (cell_count(domain, self.given), cell_count(domain, self.attributes))
        if np.size(self.weights) != math.prod(shape):
            raise InputError(f"the weights of a block must be {shape[0]} lines of {shape[1]} cells")
        weights = np.asarray(self.weights, np.float64).reshape(shape)
        pooled = weights.sum(axis=0)
        instead = pooled if pooled.sum() > 0 else np.ones(shape[1])
        lines = np.where(weights.sum(axis=1, keepdims=True) > 0, weights, instead)
        chances: FloatArray = lines / lines.sum(axis=1, keepdims=True)
        return chances


def conditional(child: str, parents: tuple[str, ...], joint: FloatArray) -> Block:
    """How an attribute is drawn given its parents, as in a Bayesian network.

    ``joint``: noisy counts, one axis a parent and the child's last; those below 0 are taken as 0.
    """
    return Block((child,), np.maximum(joint, 0.0).reshape(-1, joint.shape[-1]), parents)


def cell_count(domain: Domain, attributes: Iterable[str]) -> int:
    """How many cells the marginal of some attributes has; 1 of none."""
    return math.prod(domain.attribute(name).size for name in attributes)


def uniform_rest(domain: Domain, blocks: Sequence[Block]) -> list[Block]:
    """The blocks, and after them a uniform one for each attribute that none of them draws."""
    drawn = {name for block in blocks for name in block.attributes}
    rest = [name for name in domain.names if name not in drawn]
    return [*blocks, *(Block((name,), np.ones(domain.attribute(name).size)) for name in rest)]


def table_of(domain: Domain, blocks: Sequence[Block]) -> FloatArray:
    """The chance of every cell of a small domain, [cells], of blocks that draw all attributes."""
    _require_order(domain, blocks)
    codes = domain.codes()
    chances = np.ones(len(codes))
    for block in blocks:
        given, drawn = (cells_of_records(domain, n, codes) for n in (block.given, block.attributes))
        chances *= block.chances(domain)[given, drawn]
    return chances


def draw_records(
    domain: Domain,
    blocks: Sequence[Block],
    rows: int,
    generator: np.random.Generator,
    choices: Choices = systematic_choices,
) -> Dataset:
    """``rows`` records of blocks that draw all attributes, each block after what it is given."""
    _require_order(domain, blocks)
    codes = np.zeros((rows, len(domain.names)), np.int64)
    for block in blocks:
        lines = cells_of_records(domain, block.given, codes)
        cells = choices(block.chances(domain), lines, generator)
        for name in reversed(block.attributes):
            cells, codes[:, domain.position(name)] = np.divmod(cells, domain.attribute(name).size)
    return Dataset(domain, codes)


def release_blocks(curator: Curator, blocks: Sequence[Block], rows: int) -> Dataset:
    """The output of blocks; attributes that none draws are uniform.

    A function of the transcript on a domain of at most `SMALL_DOMAIN` cells, otherwise records
    from `public_generator`.
    """
    domain = curator.domain
    complete = uniform_rest(domain, blocks)
    if domain.size <= SMALL_DOMAIN:
        return round_table(domain, table_of(domain, complete), rows)
    return draw_records(domain, complete, rows, public_generator(curator))


def _require_order(domain: Domain, blocks: Sequence[Block]) -> None:
    drawn: list[str] = []
    for block in blocks:
        if not set(block.given) <= set(drawn):
            raise InputError("a block comes after those that draw what it is given")
        drawn += block.attributes
    if sorted(drawn) != sorted(domain.names):
        raise InputError("blocks draw each attribute of their domain once")
