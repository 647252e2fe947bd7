"""AIM: adaptive and iterative measurements of a workload of marginals, joined by a graphical model.

Purpose: records whose marginals of a workload are accurate, under zero-concentrated differential
privacy: each round measures the marginal that the model so far gets most wrong, as far as noise
lets one tell.

Source: McKenna, Mullins, Sheldon & Miklau 2022, "AIM: an adaptive and iterative mechanism for
differentially private synthetic data", PVLDB 15(11). Estimation: McKenna, Sheldon & Miklau 2019.

Inputs: epsilon; delta; degree: the workload is all marginals of so many attributes (default 2),
weighed equally; rounds T (default 16 per attribute); cells: the most that the model may hold
(default 200,000); steps of the estimation in a round (default 40) and at the end (default 400);
inference = junction-tree (default) or mbi, which needs the extra pgm; slack of the noisy counts.

Budget: rho, the largest whose zCDP implies (epsilon, delta). A round costs rho/T at first: nine
tenths for a marginal, of L2 sensitivity 1 under add-remove and √2 under replace-one, with
discrete Gaussian noise; a tenth for choosing it by the exponential mechanism. A candidate r
scores w·(L1 distance of its counts to the model's, less what noise alone would leave,
√(2/π)·σ·cells), w the attributes that it shares with the workload's marginals: the score moves by
w under add-remove, by 2w under replace-one, both ways. All one-way marginals come first, without
a choice. Where a measurement changed the model by less than its noise would, later rounds cost
four times as much; the last takes all that is left. For persons of at most m records, m times
each sensitivity. Accountant: zCDP (Bun & Steinke 2016), ρ of a choice ε²/8 (Cesar & Rogers 2021).

Post-processing: a graphical model fitted to all answers, each round from the last; its records by
systematic sampling. On a small domain the model's whole table is rounded instead.

Assumes public: the domain; n under replace-one of records. Otherwise n is estimated from the
noisy marginals.

Known weaknesses: the bound of the model's cells decides what can be measured at large epsilon;
time grows with rounds, cells and candidates.

Departures: discrete noise; weights over their greatest common divisor, model and noise offsets as
whole numbers; the model is bounded in cells, not in bytes; the optimiser.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from synthesizers.curator import Curator
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation.fitting import INFERENCES, JUNCTION_TREE, fit_model, release_model
from synthesizers.estimation.graphical import GraphicalModel
from synthesizers.estimation.models import NoisyMarginal, Shape
from synthesizers.programs.asking import rows_released
from synthesizers.programs.candidates import MEASURING, Candidate, affordable, measure_worst
from synthesizers.programs.gaussian_program import GaussianProgram
from synthesizers.programs.marginal_questions import (
    estimate_records,
    expected_noise,
    measure_marginal,
    require_inference,
    require_steps,
)
from synthesizers.programs.parameters import one_of, parameter, whole
from synthesizers.queries import Marginal

ROUNDS = 16
"""Rounds for each attribute (the paper, section 4)."""

ANNEALED = 4
"""How much more a round costs after an uninformative one: half the noise (the paper, section 4)."""


@dataclass(frozen=True, slots=True)
class Aim(GaussianProgram):
    """See the module's card."""

    degree: int = parameter(whole, 2)
    rounds: int | None = parameter(whole, None)
    cells: int = parameter(whole, 200_000)
    steps: int = parameter(whole, 40)
    last_steps: int = parameter(whole, 400)
    inference: str = parameter(one_of(*INFERENCES), JUNCTION_TREE)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        GaussianProgram.__post_init__(self)
        require_inference(self.inference)
        require_steps(self.degree, "degree")
        require_steps(self.steps, "steps")
        require_steps(self.last_steps, "last-steps")

    def __call__(self, curator: Curator) -> Dataset:
        """Records over the domain."""
        domain = curator.domain
        rounds = self._rounds(domain)
        shape = dict(zip(domain.names, domain.shape, strict=True))
        weights = workload_weights(domain.names, min(self.degree, len(domain.names)))
        rho = self.rho
        share = rho / rounds
        answers = [
            measure_marginal(curator, Marginal((name,)), MEASURING * share, self.slack)
            for name in domain.names
        ]
        left = rho - len(answers) * MEASURING * share
        model = self._model(curator, shape, answers, self.steps, None)
        while left:
            share = left if left < 2 * share else share
            allowed = math.floor(self.cells * (rho - left + share) / rho)
            candidates = affordable(shape, weights, [a.attributes for a in answers], allowed)
            noisy = measure_worst(curator, model, candidates, weights, share, self.slack)
            answers.append(noisy)
            left -= share
            before = model.counts(noisy.attributes)
            steps = self.steps if left else self.last_steps
            model = self._model(curator, shape, answers, steps, model)
            change = float(np.abs(model.counts(noisy.attributes) - before).sum())
            if change <= expected_noise(noisy.variance, len(before)):
                share *= ANNEALED
        return release_model(curator, model, rows_released(curator.setting, model.total))

    def _rounds(self, domain: Domain) -> int:
        """T; InputError where the one-way marginals alone would spend all."""
        least = len(domain.names) + 1
        rounds = ROUNDS * len(domain.names) if self.rounds is None else self.rounds
        if rounds < least:
            raise InputError(f"rounds must be at least {least}, one more than the attributes")
        return rounds

    def _model(
        self,
        curator: Curator,
        shape: Shape,
        answers: list[NoisyMarginal],
        steps: int,
        start: GraphicalModel | None,
    ) -> GraphicalModel:
        return fit_model(
            shape, answers, estimate_records(curator, answers), steps, start, self.inference
        )


def workload_weights(names: Sequence[str], degree: int) -> dict[Candidate, int]:
    """Each candidate's weight: how many attributes it shares with the workload's marginals, in all.

    The workload: all marginals of ``degree`` attributes; the candidates: those and all within
    them. Weights are over their greatest common divisor.
    """
    found = {}
    for size in range(1, degree + 1):
        for candidate in combinations(names, size):
            # Each attribute is in as many of the workload's marginals as any other.
            found[candidate] = size * math.comb(len(names) - 1, degree - 1)
    divisor = math.gcd(*found.values())
    return {candidate: weight // divisor for candidate, weight in found.items()}
