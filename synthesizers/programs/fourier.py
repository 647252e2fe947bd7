"""Noisy Fourier coefficients of marginals of binary attributes, and a table that fits them.

Purpose: a set of marginals of binary attributes, consistent with each other,
from as few noisy numbers as they depend on.

Source: Barak, Chaudhuri, Dwork, Kale, McSherry & Talwar 2007. Here the
characters are not normalised, so that coefficients are whole numbers and the
noise is discrete; the paper's scale 2|F|/(epsilon·2^(d/2)) is ours under
replace-one, in its units.

Inputs: epsilon; marginals (sets of attributes as in a1+a2;a2+a3; default: all
pairs, or the one attribute there is); output (records, default, or marginals:
the noisy counts of the marginals, one after the other, rounded); slack (how
far beyond the possible values noisy coefficients may lie; default: no bound
that matters; give a small one to enumerate).

Budget: all of epsilon on one question, the coefficients of F, all subsets of
the marginals; the empty set, whose coefficient is n, only where n is private.
A record changes each coefficient by 1, and its exchange by 2: the L1
sensitivity is |F| under add-remove and 2(|F| - 1) under replace-one of
records; for persons of at most m records m|F| and m(2|F| - 1). Noise: discrete
Laplace of scale sensitivity/epsilon. Guarantee: epsilon-DP.

Post-processing: coefficients are clamped to ±(rows + slack). For records, a
linear program (HiGHS) finds a table without negative counts whose largest
difference from the noisy coefficients is least; the table is brought to whole
records by largest remainder: to the public number of rows, or to the noisy n.

Assumes public: the domain and the marginals; n under replace-one of records.

Known weaknesses: binary attributes alone. The table is held whole, so domains
of more than 4096 cells (12 attributes) are refused, as are more than 2^22
coefficients times cells. Least largest error leaves the table itself open; the
solver's corner has few cells filled. Coefficients of sets that are in no
marginal are whatever that corner has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

import numpy as np

from synthesizers.budget import Budget, PureBudget
from synthesizers.calibration import laplace_scale, require_epsilon
from synthesizers.curator import Curator, Output, Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError, TooLargeError
from synthesizers.estimation.fourier import (
    Positions,
    characters,
    downward_closure,
    marginal_of,
    nearest_table,
)
from synthesizers.estimation.generation import SMALL_DOMAIN, round_table
from synthesizers.neighbours import Neighbours
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs.asking import bounds_of_counts, rows_released
from synthesizers.programs.parameters import attribute_sets, one_of, parameter, rational, whole
from synthesizers.queries import Layer, LinearQueries, Sensitivity

MAX_ENTRIES = 2**22
"""The most coefficients times cells of one question (some seconds)."""


@dataclass(frozen=True, slots=True)
class Fourier:
    """See the module's card."""

    epsilon: Fraction = parameter(rational)
    marginals: tuple[tuple[str, ...], ...] | None = parameter(attribute_sets, None)
    output: str = parameter(one_of("records", "marginals"), "records")
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return PureBudget(Fraction(self.epsilon))

    def __call__(self, curator: Curator) -> Output:
        """Records, or the rounded counts of one marginal after the other."""
        setting, domain = curator.setting, curator.domain
        wanted = self._coefficients(domain)
        sets = downward_closure(wanted)
        if setting.records is not None:
            sets = sets[1:]
        _require_size(domain, len(sets))
        query, sensitivity = _question(domain, sets, curator.neighbours)
        noise = DiscreteLaplace(laplace_scale(self.epsilon, sensitivity))
        _, high = bounds_of_counts(setting, self.slack)
        answers = curator.measure(query, noise, low=-high, high=high)
        public = {} if setting.records is None else {(): setting.records}
        noisy = public | dict(zip(sets, answers.tolist(), strict=True))
        if self.output == "marginals":
            counts = np.concatenate([marginal_of(noisy, marginal) for marginal in wanted])
            return np.rint(counts).astype(np.int64)
        table = nearest_table(noisy, len(domain.names), exact=setting.records is not None)
        return round_table(domain, table, rows_released(setting, noisy[()]))

    def _coefficients(self, domain: Domain) -> list[Positions]:
        if any(size != 2 for size in domain.shape):
            raise InputError("fourier takes attributes of two values each, no more and no fewer")
        if self.marginals is None:
            return list(combinations(range(len(domain.names)), min(2, len(domain.names))))
        return [tuple(sorted(map(domain.position, names))) for names in self.marginals]


def _require_size(domain: Domain, coefficients: int) -> None:
    if domain.size > SMALL_DOMAIN or domain.size * coefficients > MAX_ENTRIES:
        raise TooLargeError(
            f"fourier holds the whole table: at most {int(math.log2(SMALL_DOMAIN))} attributes and "
            f"{MAX_ENTRIES} coefficients times cells; take fewer attributes or smaller marginals"
        )


# The matrix takes longer than all else on small domains, and is the same in every run.
@lru_cache(maxsize=8)
def _question(
    domain: Domain, sets: tuple[Positions, ...], neighbours: Neighbours
) -> tuple[LinearQueries, Sensitivity]:
    query = coefficients_query(domain, sets)
    return query, query.sensitivity(domain, neighbours)


def coefficients_query(domain: Domain, sets: tuple[Positions, ...]) -> LinearQueries:
    """The Fourier coefficients of sets of binary attributes, one answer a set."""
    layers = []
    for row, signs in enumerate(characters(sets, len(domain.names))):
        for weight in (1, -1):
            places = np.where(signs == weight, row, -1)
            if places.max() >= 0:
                layers.append(Layer(weight, tuple(places.tolist())))
    return LinearQueries(domain.names, tuple(layers))
