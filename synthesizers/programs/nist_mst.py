"""NIST-MST: a public list of marginals of merged values, joined by a graphical model.

Purpose: records under zero-concentrated differential privacy where somebody knows, from public
data, which marginals matter: nothing is spent on finding out.

Source: McKenna, Miklau & Sheldon 2021, "Winning the NIST contest: a scalable and general approach
to differentially private synthetic data", Journal of Privacy and Confidentiality 11(3), of the
program that won the third match of the 2018 challenge. The default list is ours, and so is
everything that replaces the contest's own columns.

Inputs: epsilon; delta; marginals: the public list, as in sex+city+income;age+sex (default: each
attribute with the next one of the domain); weights: one positive number a marginal of the list
(default 1 each); doubled: attributes whose one-way marginals have twice the weight; exempt:
attributes whose values are not merged; cells: the most that the model may hold (default 1,000,000);
steps of the estimation (default 750); inference = junction-tree (default) or mbi, which needs the
extra pgm; slack of the noisy counts.

Budget: rho, the largest whose zCDP implies (epsilon, delta), in two equal parts: one for all
one-way marginals, one for the list. A part is a single Gaussian mechanism: its marginals, each of
L2 sensitivity 1 under add-remove and √2 under replace-one, are weighed by w/‖w‖, which costs each
of them w²/‖w‖² of the part. Discrete Gaussian noise. For persons of at most m records, m times
each sensitivity. Without a list (one attribute) all goes to the first part. Accountant: zCDP (Bun
& Steinke 2016).

Post-processing: values whose noisy count is below three standard deviations are merged into one.
Of the list is measured, in its order, what leaves the model its bound of cells. A graphical model
is fitted; its records by systematic sampling, merged values uniformly spread. On a small domain
the model's whole table is rounded instead.

Assumes public: the domain; the list, its weights, what is doubled and exempt; n under replace-one
of records. Otherwise n is estimated from the one-way marginals.

Known weaknesses: no better than its list; a list that was chosen with the private data in view is
a release of them.

Departures: zCDP in place of moments of order 2 to 4095; discrete noise; no column of the contest
is split or coarsened; the optimiser.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from synthesizers.curator import Curator
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation.compression import Compression, compression_of
from synthesizers.estimation.fitting import INFERENCES, JUNCTION_TREE, fit_model
from synthesizers.estimation.junction_trees import model_cells
from synthesizers.programs.asking import rows_released
from synthesizers.programs.gaussian_program import GaussianProgram
from synthesizers.programs.marginal_questions import (
    estimate_records,
    measure_marginal,
    require_inference,
    require_steps,
)
from synthesizers.programs.mst import RARE, spread_records
from synthesizers.programs.parameters import (
    attribute_names,
    attribute_sets,
    one_of,
    parameter,
    rationals,
    whole,
)
from synthesizers.queries import Marginal

MOST_RATIO = 10**6
"""How far weights may lie apart: noise stays within 64 bits."""

Listed = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NistMst(GaussianProgram):
    """See the module's card."""

    marginals: tuple[Listed, ...] | None = parameter(attribute_sets, None)
    weights: tuple[Fraction, ...] | None = parameter(rationals, None)
    doubled: tuple[str, ...] = parameter(attribute_names, ())
    exempt: tuple[str, ...] = parameter(attribute_names, ())
    cells: int = parameter(whole, 1_000_000)
    steps: int = parameter(whole, 750)
    inference: str = parameter(one_of(*INFERENCES), JUNCTION_TREE)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        GaussianProgram.__post_init__(self)
        require_inference(self.inference)
        require_steps(self.steps, "steps")
        if self.weights is not None:
            if self.marginals is None or len(self.weights) != len(self.marginals):
                raise InputError("weights are one number for each of the marginals of a list")
            if min(self.weights) <= 0:
                raise InputError("weights must be positive")
            if max(self.weights) > MOST_RATIO * min(self.weights):
                raise InputError(f"no weight may be over {MOST_RATIO} times another")

    def __call__(self, curator: Curator) -> Dataset:
        """Records over the domain."""
        names = curator.domain.names
        listed = self._list(curator.domain)
        rho = self.rho
        part = rho / 2 if listed else rho
        doubled = {name: Fraction(1 + (name in self.doubled)) for name in names}
        ones = [
            measure_marginal(curator, Marginal((name,)), price, self.slack)
            for name, price in zip(names, prices(list(doubled.values()), part), strict=True)
        ]
        total = estimate_records(curator, ones)
        compression = compression_of(ones, RARE, self.exempt)
        kept = affordable(compression, listed, self.cells)
        costs = prices([listed[marginal] for marginal in kept], part)
        answers = [compression.merge_codes(noisy) for noisy in ones] + [
            measure_marginal(curator, compression.marginal(marginal), price, self.slack)
            for marginal, price in zip(kept, costs, strict=True)
        ]
        model = fit_model(compression.shape, answers, total, self.steps, inference=self.inference)
        return spread_records(curator, compression, model, rows_released(curator.setting, total))

    def _list(self, domain: Domain) -> dict[Listed, Fraction]:
        """The marginals of the list with their weights; InputError for names that are unknown."""
        for name in (*self.doubled, *self.exempt):
            domain.position(name)
        listed = self.marginals
        if listed is None:
            listed = tuple(zip(domain.names, domain.names[1:], strict=False))
        for marginal in listed:
            domain.project(marginal)
        return dict(zip(listed, self.weights or (Fraction(1),) * len(listed), strict=True))


def prices(weights: list[Fraction], rho: Fraction) -> list[Fraction]:
    """What each marginal costs of one Gaussian mechanism of ``rho``: w²/Σw²."""
    squares = [weight * weight for weight in weights]
    return [rho * square / sum(squares) for square in squares]


def affordable(
    compression: Compression, listed: dict[Listed, Fraction], cells: int
) -> list[Listed]:
    """The marginals of the list, in its order, that leave the model so many cells."""
    kept: list[Listed] = []
    for marginal in listed:
        if model_cells(compression.shape, [*kept, marginal]) <= cells:
            kept.append(marginal)
    return kept
