"""What DPSyn and PrivSyn share in asking: sets of attributes, and noisy views of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.estimation.consistency import View
from synthesizers.estimation.recoding import Recoding
from synthesizers.estimation.record_targets import Codes
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.programs.asking import bounds_of_counts
from synthesizers.queries import Marginal, Query, RecodedMarginal, Sensitivity

STEEPEST = 300.0
"""1/scale from which on Laplace noise is 0 for all that floats can tell."""


def all_pairs(domain: Domain, most_cells: int | None = None) -> tuple[tuple[str, ...], ...]:
    """Every pair of attributes of at most so many cells, and every attribute in no such pair."""
    sizes = dict(zip(domain.names, domain.shape, strict=True))
    pairs = [
        (left, right)
        for left, right in combinations(domain.names, 2)
        if most_cells is None or sizes[left] * sizes[right] <= most_cells
    ]
    paired = {name for pair in pairs for name in pair}
    return (*pairs, *((name,) for name in domain.names if name not in paired))


def together(queries: Sequence[Query], setting: Setting) -> Sensitivity:
    """The sensitivity of all the queries' answers as one vector, at most: their sums."""
    each = [query.sensitivity(setting.domain, setting.neighbours) for query in queries]
    return Sensitivity(
        sum(one.l1 for one in each),
        sum(one.l2_squared for one in each),
        max(one.linf for one in each),
        all(one.monotone for one in each),
    )


def ask_view(
    curator: Curator,
    query: Marginal | RecodedMarginal,
    noise: DiscreteGaussian | DiscreteLaplace,
    slack: int | None,
) -> View:
    """A noisy view of a marginal."""
    low, high = bounds_of_counts(curator.setting, slack)
    counts = curator.measure(query, noise, low=low, high=high)
    if isinstance(query, RecodedMarginal):
        shape = query.shape
    else:
        shape = tuple(curator.domain.attribute(name).size for name in query.attributes)
    return View(query.attributes, counts.reshape(shape).astype(np.float64), variance_of(noise))


def variance_of(noise: DiscreteGaussian | DiscreteLaplace) -> float:
    """The variance of a noisy count: of Laplace noise 2a/(1 - a)² with a = e^(-1/scale)."""
    if isinstance(noise, DiscreteGaussian):
        return float(noise.variance)
    return 1 / (math.cosh(min(float(1 / noise.scale), STEEPEST)) - 1)


def recode_view(view: View, recodings: Mapping[str, Recoding]) -> View:
    """A view of one attribute, its values grouped as its recoding says."""
    return View(view.attributes, recodings[view.attributes[0]].grouped(view.counts), view.variance)


def decode(
    domain: Domain,
    codes: Codes,
    recodings: Mapping[str, Recoding],
    one_ways: Sequence[View],
    generator: np.random.Generator,
) -> Dataset:
    """Records of groups as records of codes, by the noisy counts of single attributes."""
    counts = {view.attributes[0]: view.counts for view in one_ways}
    columns = [
        recodings[name].undone(codes[:, place].astype(np.int64), counts[name], generator)
        if name in counts
        else codes[:, place]
        for place, name in enumerate(domain.names)
    ]
    return Dataset(domain, np.stack(columns, axis=1).astype(np.int64))
