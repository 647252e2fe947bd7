"""MWEM+PGM: rounds that measure the worst marginal of a workload, joined by a graphical model.

Purpose: records whose marginals of a workload are accurate, by the multiplicative-weights loop
with a graphical model in place of its weights; plainer than AIM, which improves on it.

Source: Hardt, Ligett & McSherry 2012 (MWEM); McKenna, Sheldon & Miklau 2019, section 4
(MWEM+PGM). The split of the budget, the penalty for cells and the bound that grows with the
rounds follow the form in which McKenna et al. 2022 compare it to AIM.

Inputs: epsilon; delta; degree: the candidates are all marginals of so many attributes (default 2);
rounds T (default one per attribute); cells: the most that the model may hold (default 100,000);
steps of the estimation a round (default 100); inference = junction-tree (default) or mbi, which
needs the extra pgm; slack of the noisy counts.

Budget: rho, the largest whose zCDP implies (epsilon, delta), in T equal rounds. Of a round, nine
tenths for one marginal, of L2 sensitivity 1 under add-remove and √2 under replace-one, with
discrete Gaussian noise; a tenth for choosing it by the exponential mechanism, scored by the L1
distance of its counts to the model's less its number of cells: this moves by 1 under add-remove,
by 2 under replace-one, both ways. Where n is private, it has a round of its own, the first: the
noisy number of records. For persons of at most m records, m times each sensitivity. Accountant:
zCDP (Bun & Steinke 2016), ρ of a choice ε²/8 (Cesar & Rogers 2021).

Post-processing: a graphical model fitted to all answers, each round from the last; its records by
systematic sampling. On a small domain the model's whole table is rounded instead.

Assumes public: the domain; n under replace-one of records.

Known weaknesses: the number of rounds is a guess, and every round costs the same; marginals that
are never measured stay uniform.

Departures: discrete noise; whole marginals as queries; the model of the choices is rounded to
whole counts and bounded in cells; n, where private, is paid for; the optimiser.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from synthesizers.curator import Curator
from synthesizers.domain import Dataset
from synthesizers.errors import InputError
from synthesizers.estimation.fitting import INFERENCES, JUNCTION_TREE, fit_model, release_model
from synthesizers.estimation.models import NoisyMarginal
from synthesizers.programs.asking import noisy_records, rows_released
from synthesizers.programs.candidates import MEASURING, Candidate, affordable
from synthesizers.programs.gaussian_program import GaussianProgram
from synthesizers.programs.marginal_questions import (
    choose,
    epsilon_of_choice,
    measure_marginal,
    model_counts,
    price_of_choice,
    require_inference,
    require_steps,
)
from synthesizers.programs.parameters import one_of, parameter, whole
from synthesizers.queries import Marginal, ModelError


@dataclass(frozen=True, slots=True)
class MwemPgm(GaussianProgram):
    """See the module's card."""

    degree: int = parameter(whole, 2)
    rounds: int | None = parameter(whole, None)
    cells: int = parameter(whole, 100_000)
    steps: int = parameter(whole, 100)
    inference: str = parameter(one_of(*INFERENCES), JUNCTION_TREE)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        GaussianProgram.__post_init__(self)
        require_inference(self.inference)
        require_steps(self.degree, "degree")
        require_steps(self.steps, "steps")
        if self.rounds is not None:
            require_steps(self.rounds, "rounds")

    def __call__(self, curator: Curator) -> Dataset:
        """Records over the domain."""
        names = curator.domain.names
        rounds = len(names) if self.rounds is None else self.rounds
        shape = dict(zip(names, curator.domain.shape, strict=True))
        workload = list(combinations(names, min(self.degree, len(names))))
        rho = self.rho
        share = rho / rounds if curator.records is not None else rho / (rounds + 1)
        if not affordable(shape, workload, [], self.cells // rounds):
            raise InputError(
                "no marginal fits the model of the first round: give more cells or a lower degree"
            )
        total = self._total(curator, share)
        answers: list[NoisyMarginal] = []
        model = fit_model(shape, answers, total, self.steps, inference=self.inference)
        for number in range(1, rounds + 1):
            asked = [noisy.attributes for noisy in answers]
            candidates = affordable(shape, workload, asked, self.cells * number // rounds)
            epsilon = epsilon_of_choice((1 - MEASURING) * share)
            counts = [model_counts(model.counts(candidate)) for candidate in candidates]
            scores = score_candidates(candidates, counts)
            marginal = Marginal(candidates[choose(curator, scores, epsilon)])
            price = share - price_of_choice(epsilon)
            answers.append(measure_marginal(curator, marginal, price, self.slack))
            model = fit_model(shape, answers, total, self.steps, model, self.inference)
        return release_model(curator, model, rows_released(curator.setting, total))

    def _total(self, curator: Curator, rho: Fraction) -> float:
        """n where it is public, else with noise at the price of ``rho``; at least 1."""
        if curator.records is not None:
            return max(1.0, float(curator.records))
        return noisy_records(curator, rho, self.slack)


def score_candidates(candidates: list[Candidate], counts: list[tuple[int, ...]]) -> ModelError:
    """The question by which a candidate is chosen: its distance to the model, less its cells."""
    penalties = tuple(-len(model) for model in counts)
    return ModelError(tuple(map(Marginal, candidates)), tuple(counts), (), penalties)
