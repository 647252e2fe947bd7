"""MWEM: multiplicative weights, each step by the count that the model misses most.

Purpose: answer many counting queries well with few questions; the first of the
methods that select what to measure.

Source: Hardt, Ligett & McSherry 2012 (NIPS), Figure 1; what people run, section
2.3 there. The zCDP version splits as McKenna, Miklau & Sheldon 2021 do. Blocks
of attributes, and where their weights begin, are ours.

Inputs: epsilon; noise = laplace (default) or gaussian; delta, with gaussian
noise alone; rounds, the T of the paper (default 30, a choice of this project);
variant = practice (default) or theory; width, the most attributes of a
marginal whose cells are queries (default 2: all marginals of one and of two);
cells, the most of a block (default 16384, a choice of this project; at most
2^20); blocks = a+b;c (attributes left out are blocks of their own; default:
attributes in the domain's order, packed); slack, how far beyond 0 and the
number of rows a noisy count may lie (default: no bound that matters); initial,
the share for one-way marginals where there is more than one block (default 3/4,
a choice of this project; 0: none, as in the paper).

Budget: the share initial is split evenly over the one-way marginals, of L1
sensitivity 1 under add-remove and 2 under replace-one (L2: 1 and √2). Of the
rest, each round has an equal share of epsilon (laplace) or of rho (gaussian;
the largest rho that gives (epsilon, delta), Canonne, Kamath & Steinke 2020), half
of it for choosing a query and half for its noisy count. A query counts a cell
of a marginal: sensitivity 1 under add-remove and replace-one alike, m for
persons of at most m records. The choice is an exponential mechanism on the
distances of all queries from the model (which move both ways: factor 1/2),
in hundredths of a record; the count has Laplace noise of scale 2T/epsilon, over
1 - initial.
Where n is private one share more is spent, before the rounds, on a noisy n.
Accountant: sums of epsilon, or of rho, with epsilon²/8 a choice (Cesar & Rogers
2021) and what its rounding leaves added to the count's.

Post-processing: the model starts uniform, or as the product of the noisy one-way
marginals, rid of negatives and with at least one record a value; it is moved by
multiplicative weights, noisy counts clipped to [0, n]. theory: by the new count alone; the
output is the average of the models before each round, so that the last count
is not used. practice: by 100 passes over all counts; the output is the last
model. It is rounded to the number of rows by largest remainder where the domain
has at most 4096 cells; otherwise blocks are drawn systematically, after a
model of the average was drawn.

Assumes public: the domain, the blocks, T, width, n under replace-one of
records, the number of rows (otherwise the noisy n).

Known weaknesses: many rounds are needed where the data are far from uniform,
and each makes the noise of all others larger; a round tells one count, and
attributes of different blocks stay independent: on tables of many attributes it
is hardly better than independent marginals.

Departures: queries are cells of marginals within blocks; a chosen one may be
chosen again. Weights of such
queries leave the blocks of such a start independent, so that this is MWEM on
the whole domain with these queries, and only the blocks' tables are held.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import Budget, PureBudget, ZCDPBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation.blocks import Block, cell_count, draw_records, table_of
from synthesizers.estimation.generation import SMALL_DOMAIN, public_generator, round_table
from synthesizers.estimation.multiplicative_weights import Part, reweight
from synthesizers.estimation.negatives import norm_sub
from synthesizers.programs.asking import rows_released
from synthesizers.programs.column_groups import (
    Group,
    attribute_groups,
    noisy_counts,
    nominal_budget,
    partition,
    require_disjoint,
    require_parameters,
)
from synthesizers.programs.marginal_questions import (
    choose,
    epsilon_of_choice,
    price_of_choice,
    require_steps,
)
from synthesizers.programs.parameters import one_of, parameter, rational, whole
from synthesizers.queries import CellErrors, Marginal, RecodedMarginal, Total

FloatArray = NDArray[np.float64]

MOST_CELLS = 2**20
"""The most cells of a block, whose table is held whole."""

PASSES = 100
"""Hardt, Ligett & McSherry 2012, section 2.3: passes over all counts measured so far."""

SCALE = 100
"""Distances are scored in hundredths of a record."""


@dataclass(frozen=True, slots=True)
class Mwem:
    """See the module's card."""

    epsilon: Fraction = parameter(rational)
    delta: Fraction | None = parameter(rational, None)
    noise: str = parameter(one_of("laplace", "gaussian"), "laplace")
    rounds: int = parameter(whole, 30)
    variant: str = parameter(one_of("practice", "theory"), "practice")
    width: int = parameter(whole, 2)
    cells: int = parameter(whole, 16384)
    blocks: tuple[Group, ...] = parameter(attribute_groups, ())
    slack: int | None = parameter(whole, None)
    initial: Fraction = parameter(rational, Fraction(3, 4))

    def __post_init__(self) -> None:
        require_parameters(self.noise, self.epsilon, self.delta)
        require_steps(self.rounds, "rounds")
        require_steps(self.width, "width")
        require_disjoint(self.blocks, "blocks")
        if not 0 <= self.initial < 1:
            raise InputError("initial must be at least 0 and below 1")

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return nominal_budget(self.noise, self.epsilon, self.delta)

    def __call__(self, curator: Curator) -> Dataset:
        """Synthetic records."""
        setting, domain = curator.setting, curator.domain
        blocks = self._blocks(domain)
        queries = [
            (number, marginal)
            for number, block in enumerate(blocks)
            for marginal in _marginals(block, self.width)
            if marginal.sensitivity(domain, setting.neighbours).l1
        ]
        initial = self.initial if len(blocks) > 1 else Fraction(0)
        share = (1 - initial) / (self.rounds + (setting.records is None))
        records = setting.records
        if records is None:
            noisy = noisy_counts(curator, Total(), self.budget(setting), share, self.slack)
            records = int(noisy[0])
        total = float(max(records, 1))
        laws = self._laws(curator, initial)
        tables = [total * reduce(np.multiply.outer, [laws[name] for name in b]) for b in blocks]
        models = [list(tables)]
        answers: list[list[tuple[Part, float]]] = [[] for _ in blocks]
        for _ in range(self.rounds if queries else 0):
            number, part, answer = self._round(curator, blocks, queries, tables, share)
            answers[number].append((part, min(max(answer, 0.0), total)))
            used, passes = (
                (answers[number], PASSES)
                if self.variant == "practice"
                else (answers[number][-1:], 1)
            )
            tables[number] = reweight(tables[number], used, total, passes)
            models.append(list(tables))
        kept = models[-1:] if self.variant == "practice" or not queries else models[:-1]
        mixed = [[Block(b, t) for b, t in zip(blocks, m, strict=True)] for m in kept]
        return _release_average(curator, mixed, rows_released(setting, float(records)))

    def _blocks(self, domain: Domain) -> tuple[Group, ...]:
        blocks = partition(domain, self.blocks, self.cells)
        most = max(cell_count(domain, block) for block in blocks)
        if most > MOST_CELLS:
            raise InputError(
                f"a block has {most} cells, more than {MOST_CELLS}; name blocks of fewer attributes"
            )
        return blocks

    def _laws(self, curator: Curator, share: Fraction) -> dict[str, FloatArray]:
        """Where the weights begin: each attribute's law, uniform unless a share pays for counts.

        Noisy counts are rid of negatives; a value has at least one record, so that it can return.
        """
        domain, budget = curator.domain, self.budget(curator.setting)
        laws = {}
        for name, size in zip(domain.names, domain.shape, strict=True):
            counts = np.ones(size)
            if share:
                each = share / len(domain.names)
                noisy = noisy_counts(curator, Marginal((name,)), budget, each, self.slack)
                counts = np.maximum(norm_sub(noisy.astype(np.float64)), 1.0)
            laws[name] = counts / counts.sum()
        return laws

    def _round(
        self,
        curator: Curator,
        blocks: Sequence[Group],
        queries: Sequence[tuple[int, Marginal]],
        tables: Sequence[FloatArray],
        share: Fraction,
    ) -> tuple[int, Part, float]:
        """One round: the block of the chosen query, the cells that it counts, its noisy count."""
        domain = curator.domain
        models = [_counts(tables[number], blocks[number], marginal) for number, marginal in queries]
        scores = CellErrors(
            tuple(marginal for _, marginal in queries),
            tuple(tuple(range(len(model))) for model in models),
            tuple(tuple(np.rint(SCALE * model).astype(np.int64).tolist()) for model in models),
            SCALE,
        )
        epsilon, budget, left = self._split_budget(curator.setting, share)
        cell = choose(curator, scores, epsilon)
        ends = np.cumsum([len(model) for model in models])
        which = int(np.searchsorted(ends, cell, side="right"))
        number, marginal = queries[which]
        cell -= int(ends[which]) - len(models[which])
        codes = dict(zip(marginal.attributes, _codes(domain, marginal, cell), strict=True))
        query = RecodedMarginal(
            marginal.attributes,
            tuple(_only(codes[name], domain.attribute(name).size) for name in marginal.attributes),
        )
        noisy = noisy_counts(curator, query, budget, left, self.slack)
        part: Part = tuple(codes.get(name, slice(None)) for name in blocks[number])
        return number, part, float(noisy[0])

    def _split_budget(self, setting: Setting, share: Fraction) -> tuple[Fraction, Budget, Fraction]:
        """The epsilon of a choice, and the budget and its share for what is measured after."""
        budget = self.budget(setting)
        if isinstance(budget, ZCDPBudget):
            epsilon = epsilon_of_choice(budget.rho * share / 2)
            return epsilon, budget, share - price_of_choice(epsilon) / budget.rho
        assert isinstance(budget, PureBudget)
        return budget.epsilon * share / 2, budget, share / 2


def _shape(domain: Domain, block: Group) -> tuple[int, ...]:
    return tuple(domain.attribute(name).size for name in block)


def _marginals(block: Group, width: int) -> list[Marginal]:
    """All marginals of one to ``width`` attributes of a block."""
    widths = range(1, min(width, len(block)) + 1)
    return [Marginal(names) for k in widths for names in itertools.combinations(block, k)]


def _counts(table: FloatArray, block: Group, marginal: Marginal) -> FloatArray:
    """The model's counts of a marginal, whose attributes stand in the block's order."""
    rest = tuple(axis for axis, name in enumerate(block) if name not in marginal.attributes)
    return np.asarray(table.sum(axis=rest).ravel(), np.float64)


def _codes(domain: Domain, marginal: Marginal, cell: int) -> tuple[int, ...]:
    codes = np.unravel_index(cell, _shape(domain, marginal.attributes))
    return tuple(int(code) for code in codes)


def _only(code: int, size: int) -> tuple[int, ...]:
    """The recoding that counts one code and no other."""
    return tuple(0 if other == code else -1 for other in range(size))


def _release_average(curator: Curator, models: Sequence[Sequence[Block]], rows: int) -> Dataset:
    """Records of the average of some models."""
    domain = curator.domain
    if domain.size <= SMALL_DOMAIN:
        average = sum((table_of(domain, model) for model in models), np.zeros(domain.size))
        return round_table(domain, average, rows)
    generator = public_generator(curator)
    ends = [math.floor(rows * number / len(models)) for number in range(len(models) + 1)]
    codes = [
        draw_records(domain, model, end - start, generator).codes
        for model, (start, end) in zip(models, itertools.pairwise(ends), strict=True)
    ]
    return Dataset(domain, np.concatenate(codes))
