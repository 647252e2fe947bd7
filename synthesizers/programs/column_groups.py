"""Groups of attributes, as users write them and as programs ask for their counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import Budget, PureBudget, ZCDPBudget
from synthesizers.calibration import gaussian_variance, laplace_scale, require_epsilon, zcdp_rho
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.estimation.blocks import cell_count
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, Noise
from synthesizers.programs.asking import bounds_of_counts, count_of_all
from synthesizers.programs.parameters import attribute_sets, parameter, rational, whole
from synthesizers.queries import Query, Sensitivity

Group = tuple[str, ...]


def attribute_groups(text: str, name: str) -> tuple[Group, ...]:
    """Disjoint groups of attributes: ``a+b;c+d``."""
    groups = attribute_sets(text, name)
    require_disjoint(groups, name)
    return groups


def require_disjoint(groups: Iterable[Group], name: str) -> None:
    """InputError where an attribute stands in two places."""
    listed = [attribute for group in groups for attribute in group]
    if len(set(listed)) != len(listed):
        raise InputError(f"{name} must name each attribute once at most")


def pack(domain: Domain, cells: int) -> tuple[Group, ...]:
    """The attributes in the domain's order, each with those before it while ``cells`` suffice."""
    groups: list[Group] = []
    for name in domain.names:
        if groups and cell_count(domain, (*groups[-1], name)) <= cells:
            groups[-1] = (*groups[-1], name)
        else:
            groups.append((name,))
    return tuple(groups)


def partition(domain: Domain, groups: Sequence[Group], cells: int) -> tuple[Group, ...]:
    """A partition of all attributes: ``groups`` as given, or `pack` where there are none.

    Attributes that no given group names are groups of their own. InputError for a name that the
    domain does not have.
    """
    if not groups:
        return pack(domain, cells)
    for group in groups:
        cell_count(domain, group)
    named = {name for group in groups for name in group}
    return (*groups, *((name,) for name in domain.names if name not in named))


def nominal_budget(noise: str, epsilon: Fraction, delta: Fraction | None) -> Budget:
    """ε for laplace; for gaussian the ρ that gives (ε, δ), which needs a delta."""
    if noise == "laplace":
        return PureBudget(Fraction(epsilon))
    if delta is None:
        raise InputError("gaussian noise needs a delta: add --set delta=…")
    return ZCDPBudget(zcdp_rho(epsilon, delta))


def require_parameters(noise: str, epsilon: Fraction, delta: Fraction | None) -> None:
    """InputError for an epsilon that is not positive, or noise and delta that do not fit."""
    require_epsilon(epsilon)
    if noise == "laplace" and delta is not None:
        raise InputError("laplace noise has no delta: leave it out")
    nominal_budget(noise, epsilon, delta)


def noise_for(budget: Budget, share: Fraction, sensitivity: Sensitivity) -> Noise:
    """The noise that costs a share of a budget: Gaussian of a zCDP one, Laplace of a pure one."""
    if isinstance(budget, ZCDPBudget):
        return DiscreteGaussian(gaussian_variance(budget.rho * share, sensitivity))
    assert isinstance(budget, PureBudget)
    return DiscreteLaplace(laplace_scale(budget.epsilon * share, sensitivity))


def noisy_counts(
    curator: Curator, query: Query, budget: Budget, share: Fraction, slack: int | None
) -> NDArray[np.int64]:
    """Noisy counts for a share of the budget; the known count where no unit moves them.

    Only counts that sum to the public number of records in a single cell are moved by none.
    """
    sensitivity = query.sensitivity(curator.domain, curator.neighbours)
    if sensitivity.l1 == 0:
        return np.array([count_of_all(curator.setting)], np.int64)
    low, high = bounds_of_counts(curator.setting, slack)
    noise = noise_for(budget, share, sensitivity)
    return curator.measure(query, noise, low=low, high=high)


def total_of(counts: Sequence[NDArray[np.int64]]) -> float:
    """What noisy counts of all records say of their number: the sum of the fewest cells."""
    return float(min(counts, key=len).sum())


@dataclass(frozen=True, slots=True)
class GroupProgram:
    """A program of noisy tables of public groups of attributes, with pure differential privacy.

    ``groups``: the partition; without one, attributes are packed in order up to ``cells``.
    """

    epsilon: Fraction = parameter(rational)
    groups: tuple[Group, ...] = parameter(attribute_groups, ())
    cells: int = parameter(whole, 1000)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        require_epsilon(self.epsilon)
        require_disjoint(self.groups, "groups")

    def budget(self, setting: Setting) -> PureBudget:
        """The nominal guarantee."""
        return PureBudget(Fraction(self.epsilon))
