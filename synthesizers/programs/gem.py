"""GEM: a generative network fitted to the marginals of its own worst queries.

Purpose: records whose k-way marginals are accurate, from a model whose size does not grow with
the domain or with the marginals that were measured.

Source: Liu, Vietri & Wu 2021, "Iterative methods for private synthetic data: unifying framework
and new methods", section 4.2 and Algorithm 2 (GEM, without public data); the loop is that of MWEM
(Hardt, Ligett & McSherry 2012).

Inputs: epsilon; delta; degree k: queries are the cells of all marginals of so many attributes
(default 2); rounds T (default 40); steps of Adam a round (default 50); learning-rate (default
1/200); rows of the noise z (default 256), its width (default 32); hidden units (default 128);
slack of the noisy counts.

Budget: rho, the largest whose zCDP implies (epsilon, delta), in T equal rounds, each half for a
choice and half for an answer (alpha = 1/2). A query is chosen by the exponential mechanism among
all cells of the marginals not yet asked, scored by |count - the model's|: each score moves by 1
under add-remove and replace-one, both ways, so that the factor 1/2 stays. The marginal that holds
the cell is asked whole, as its cells together cost what one costs but for the factor of
replace-one: L2 sensitivity 1 under add-remove, √2 under replace-one, discrete Gaussian noise.
Where n is private, a twentieth of rho before all rounds asks for the noisy number of records. For
persons of at most m records, m times each sensitivity. Accountant: zCDP (Bun & Steinke 2016), ρ
of a choice ε²/8 (Cesar & Rogers 2021). Where all marginals have been asked, the rest of the
budget is left.

Post-processing: after each round the network takes a fixed number of Adam steps on the squared
error of all answers. Weights before training and z are public constants. The output is made by
the moving average of the weights; no error on the data is looked at, and nothing chooses a
checkpoint. A domain of at most 4096 cells is fitted whole instead, by entropic mirror descent,
and its table is rounded.

Assumes public: the domain; n under replace-one of records.

Known weaknesses: large sparse marginals hold many cells, and one of them is often the worst
query; the network's optimum is local; rounds, rate and sizes are guesses that no data may tune.
At epsilon 1 on Adult (14 attributes, 588 values in all) its pairs are at a total variation of
0.10, farther off than those of independent marginals.

Departures: whole marginals are answered instead of single cells; discrete noise; ρ of a choice is
ε²/8 in place of ε²/2; z is fixed, in place of new z in every step; all answers enter each step,
in place of those with an error above half the mean; squared errors; the model's counts are
rounded to whole numbers in a question; n, where private, is paid for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations

from synthesizers.calibration import gaussian_variance
from synthesizers.curator import Curator
from synthesizers.domain import Dataset
from synthesizers.errors import InputError
from synthesizers.estimation import dense
from synthesizers.estimation.fitting import released
from synthesizers.estimation.generation import SMALL_DOMAIN
from synthesizers.estimation.generative import GenerativeModel
from synthesizers.estimation.models import Model, NoisyMarginal
from synthesizers.noise import DiscreteGaussian
from synthesizers.programs.asking import bounds_of_counts, rows_released
from synthesizers.programs.gaussian_program import GaussianProgram
from synthesizers.programs.marginal_questions import (
    chosen,
    epsilon_of_choice,
    measured,
    model_counts,
    price_of_choice,
    require_steps,
)
from synthesizers.programs.parameters import parameter, rational, whole
from synthesizers.queries import CellErrors, Marginal, Total

CHOOSING = Fraction(1, 2)
"""The share of a round that its choice takes (Liu, Vietri & Wu 2021: alpha = 1/2)."""

COUNTING = Fraction(1, 20)
"""The share of the whole budget that a private n takes (a choice of this project)."""

MOST_CELLS = 4_000_000
"""The most queries among which a round chooses (a choice of this project: a question holds a number
for each)."""

MOST_UNITS = 2**13
"""The most rows of the noise, its largest width and the most hidden units (a choice of this
project: it bounds the memory)."""

Names = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GEM(GaussianProgram):
    """See the module's card."""

    degree: int = parameter(whole, 2)
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
        rho = self.rho
        total, left = self._total(curator, rho)
        share = left / self.rounds
        epsilon = epsilon_of_choice(CHOOSING * share)
        fit = _Fit.of(self, shape, total)
        for _ in range(min(self.rounds, len(workload))):
            names = worst(curator, workload, fit.model, epsilon)
            workload.remove(names)
            price = share - price_of_choice(epsilon)
            fit = fit.with_answer(measured(curator, Marginal(names), price, self.slack))
        return released(curator, fit.averaged(), rows_released(curator.setting, total))

    def _total(self, curator: Curator, rho: Fraction) -> tuple[float, Fraction]:
        """n, public or noisy, at least 1; and what is left of the budget."""
        if curator.records is not None:
            return max(1.0, float(curator.records)), rho
        sensitivity = Total().sensitivity(curator.domain, curator.neighbours)
        noise = DiscreteGaussian(gaussian_variance(COUNTING * rho, sensitivity))
        low, high = bounds_of_counts(curator.setting, self.slack)
        noisy = curator.measure(Total(), noise, low=low, high=high)[0]
        return max(1.0, float(noisy)), (1 - COUNTING) * rho


def worst(curator: Curator, workload: Sequence[Names], model: Model, epsilon: Fraction) -> Names:
    """The marginal of a cell that is chosen by its error."""
    counts = [model_counts(model.counts(names)) for names in workload]
    cells = tuple(tuple(range(len(model))) for model in counts)
    scores = CellErrors(tuple(map(Marginal, workload)), cells, tuple(counts))
    cell = chosen(curator, scores, epsilon)
    ends = accumulate(map(len, counts))
    return next(names for names, end in zip(workload, ends, strict=True) if cell < end)


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
            return cls(program, shape, total, dense.fitted(shape, [], total, program.steps))
        network = (program.rows, program.width, program.hidden)
        rate = float(program.learning_rate)
        return cls(program, shape, total, GenerativeModel.untrained(shape, total, network, rate))

    def with_answer(self, answer: NoisyMarginal) -> _Fit:
        """Fitted to one answer more."""
        answers, steps = (*self.answers, answer), self.program.steps
        if isinstance(self.model, GenerativeModel):
            model: Model = self.model.fitted(answers, steps)
        else:
            model = dense.fitted(self.shape, answers, self.total, steps)
        return _Fit(self.program, self.shape, self.total, model, answers)

    def averaged(self) -> Model:
        """The model that is released."""
        model = self.model
        return model.averaged() if isinstance(model, GenerativeModel) else model
