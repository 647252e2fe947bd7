"""GEM: a generative network fitted to the marginals that it gets most wrong.

Purpose: records whose k-way marginals are accurate, from a model whose size does not grow with
the domain or with the marginals that were measured.

Source: Liu, Vietri & Wu 2021, "Iterative methods for private synthetic data: unifying framework
and new methods", section 4.2 and Algorithm 2 (GEM, without public data); the loop is that of MWEM
(Hardt, Ligett & McSherry 2012). How marginals are chosen: AIM (McKenna et al. 2022, section 4).

Inputs: epsilon; delta; degree k: the workload is all marginals of so many attributes (default 2);
initial, the share for the one-way marginals (default 1/5; 0: none, as in the source); rounds T
(default 40); steps of Adam a round (default 50); learning-rate (default 1/200); rows of the noise
z (default 256), its width (default 32); hidden units (default 128); slack of the noisy counts.
Defaults are choices of this project.

Budget: rho, the largest whose zCDP implies (epsilon, delta). Where n is private, a twentieth asks
for the noisy number of records. Of what is left, the share initial goes to all one-way marginals,
unless they are the workload; the rest makes T equal rounds, or one for each marginal of a smaller
workload: nine tenths of a round for one marginal, of L2 sensitivity 1 under add-remove and √2
under replace-one, with discrete Gaussian noise; a tenth for choosing it, among those not yet
asked, by the exponential mechanism, scored by the L1 distance of its counts to the model's less
what noise alone would leave: this moves by 1 under add-remove, by 2 under replace-one, both ways,
so that the factor 1/2 stays. For persons of at most m records, m times each sensitivity.
Accountant: zCDP (Bun & Steinke 2016), ρ of a choice ε²/8 (Cesar & Rogers 2021).

Post-processing: the network begins all but independent, with the noisy one-way laws in its
biases. After each round it takes a fixed number of Adam steps, each smaller than the one before,
on the squared error of all answers. Weights before training and z are public constants. The
output is made by the moving average of the weights; no error on the data is looked at, and
nothing chooses a checkpoint. Of each row of z equally many records are drawn, systematically. A
domain of at most 4096 cells is fitted whole instead, by entropic mirror descent, and its table is
rounded.

Assumes public: the domain; n under replace-one of records.

Known weaknesses: the network's optimum is local, and it learns noise as well as data; rounds, rate
and sizes are guesses that no data may tune. Few records of many values are better served by a
graphical model.

Departures: whole marginals are chosen and answered instead of single cells, and one-way marginals
first; a round's split is AIM's, in place of halves; weights before the softmax begin near 0;
discrete noise; ρ of a choice is ε²/8 in place of ε²/2; z is fixed, in place of new z in every
step; all answers enter each step, in place of those with an error above half the mean; squared
errors; the model's counts are rounded to whole numbers in a question; n, where private, is paid
for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from synthesizers.curator import Curator
from synthesizers.domain import Dataset
from synthesizers.errors import InputError
from synthesizers.estimation.fitting import fit_model, release_model
from synthesizers.estimation.generation import SMALL_DOMAIN
from synthesizers.estimation.generative import GenerativeModel
from synthesizers.estimation.models import Model, NoisyMarginal
from synthesizers.programs.asking import noisy_records, rows_released
from synthesizers.programs.candidates import measure_worst
from synthesizers.programs.gaussian_program import GaussianProgram
from synthesizers.programs.marginal_questions import measure_marginal, require_steps
from synthesizers.programs.parameters import parameter, rational, whole
from synthesizers.queries import Marginal

COUNTING = Fraction(1, 20)
"""The share of the whole budget that a private n takes."""

MOST_CELLS = 4_000_000
"""The most queries among which a round chooses (a question holds a number
for each)."""

MOST_UNITS = 2**13
"""The most rows of the noise, its largest width and the most hidden units (it bounds the
memory)."""


@dataclass(frozen=True, slots=True)
class GEM(GaussianProgram):
    """See the module's card."""

    degree: int = parameter(whole, 2)
    initial: Fraction = parameter(rational, Fraction(1, 5))
    rounds: int = parameter(whole, 40)
    steps: int = parameter(whole, 50)
    learning_rate: Fraction = parameter(rational, Fraction(1, 200))
    rows: int = parameter(whole, 256)
    width: int = parameter(whole, 32)
    hidden: int = parameter(whole, 128)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        GaussianProgram.__post_init__(self)
        for name in ("degree", "rounds", "steps", "rows", "width", "hidden"):
            require_steps(getattr(self, name), name)
        if max(self.rows, self.width, self.hidden) > MOST_UNITS:
            raise InputError(f"rows, width and hidden are at most {MOST_UNITS}")
        if not 0 <= self.initial < 1:
            raise InputError("initial must be at least 0 and below 1")
        if not 0 < self.learning_rate <= 1:
            raise InputError("learning-rate must be above 0 and at most 1")

    def __call__(self, curator: Curator) -> Dataset:
        """Records over the domain."""
        shape = dict(zip(curator.domain.names, curator.domain.shape, strict=True))
        workload = list(combinations(shape, min(self.degree, len(shape))))
        if sum(Marginal(names).size(curator.domain) for names in workload) > MOST_CELLS:
            raise InputError(
                f"the marginals of {self.degree} attributes have more than {MOST_CELLS} cells in "
                "all; take a lower degree"
            )
        total, left = self._total(curator, self.rho)
        fit = _Fit.of(self, shape, total)
        if len(workload[0]) > 1 and self.initial:
            price = self.initial * left / len(shape)
            ones = [
                measure_marginal(curator, Marginal((name,)), price, self.slack) for name in shape
            ]
            fit, left = fit.begun(ones), left - price * len(shape)
        rounds = min(self.rounds, len(workload))
        for _ in range(rounds):
            weights = dict.fromkeys(workload, 1)
            answer = measure_worst(curator, fit.model, workload, weights, left / rounds, self.slack)
            workload.remove(answer.attributes)
            fit = fit.with_answer(answer)
        return release_model(curator, fit.averaged(), rows_released(curator.setting, total))

    def _total(self, curator: Curator, rho: Fraction) -> tuple[float, Fraction]:
        """n, public or noisy, at least 1; and what is left of the budget."""
        if curator.records is not None:
            return max(1.0, float(curator.records)), rho
        return noisy_records(curator, COUNTING * rho, self.slack), (1 - COUNTING) * rho


@dataclass(frozen=True, eq=False)
class _Fit:
    """The answers so far, and the model fitted to them: whole on a small domain, else a network."""

    program: GEM
    shape: Mapping[str, int]
    total: float
    model: Model
    answers: tuple[NoisyMarginal, ...] = ()

    @classmethod
    def of(cls, program: GEM, shape: Mapping[str, int], total: float) -> _Fit:
        if math.prod(shape.values()) <= SMALL_DOMAIN:
            return cls(program, shape, total, fit_model(shape, [], total, program.steps))
        network = (program.rows, program.width, program.hidden)
        rate = float(program.learning_rate)
        return cls(program, shape, total, GenerativeModel.start(shape, total, network, rate))

    def begun(self, answers: Sequence[NoisyMarginal]) -> _Fit:
        """Fitted to attributes measured alone: a network begins with their laws."""
        model = self.model
        if isinstance(model, GenerativeModel):
            model = model.independent(answers)
        else:
            model = fit_model(self.shape, answers, self.total, self.program.steps)
        return replace(self, model=model, answers=tuple(answers))

    def with_answer(self, answer: NoisyMarginal) -> _Fit:
        """Fitted to one answer more."""
        answers, steps = (*self.answers, answer), self.program.steps
        if isinstance(self.model, GenerativeModel):
            model: Model = self.model.fitted(answers, steps)
        else:
            model = fit_model(self.shape, answers, self.total, steps)
        return replace(self, model=model, answers=answers)

    def averaged(self) -> Model:
        """The model that is released."""
        model = self.model
        return model.averaged() if isinstance(model, GenerativeModel) else model
