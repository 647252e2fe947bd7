"""MST: a maximum spanning tree of noisy two-way marginals, joined by a graphical model.

Purpose: records of a domain with many attributes under zero-concentrated differential privacy,
from few well measured marginals; quick, and strong at small epsilon.

Source: McKenna, Miklau & Sheldon 2021, "Winning the NIST contest: a scalable and general approach
to differentially private synthetic data", Journal of Privacy and Confidentiality 11(3).
Estimation: McKenna, Sheldon & Miklau 2019 (Private-PGM).

Inputs: epsilon; delta; steps of the estimation (default 250); inference = junction-tree (default)
or mbi, which needs the extra pgm; slack of the noisy counts.

Budget: rho, the largest whose zCDP implies (epsilon, delta), in three equal parts. A third on all
d one-way marginals, each of L2 sensitivity 1 under add-remove and √2 under replace-one, with
discrete Gaussian noise of one variance. A third on d - 1 choices of a pair by the exponential
mechanism, scored by the L1 distance of the true to the model's pair marginal: it moves by 1 under
add-remove, by 2 under replace-one, both ways, so that the factor 1/2 stays. What is left on the d
- 1 pairs chosen. For persons of at most m records, m times each sensitivity. One attribute has no
pair: it takes all. Accountant: zCDP (Bun & Steinke 2016), ρ of a choice ε²/8 (Cesar & Rogers
2021).

Post-processing: values whose noisy count is below three standard deviations are merged into one,
before pairs are scored; a graphical model is fitted to all answers; its records are drawn by
systematic sampling, merged values uniformly spread. On a small domain the model's whole table is
rounded instead.

Assumes public: the domain; n under replace-one of records. Otherwise n is estimated from the
one-way marginals.

Known weaknesses: a tree holds no marginal of three attributes and few pairs: beyond some epsilon
the error stays. Merged rare values lose their shape.

Departures: discrete noise; the model of the choices is rounded to whole counts; the optimiser.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from synthesizers.curator import Curator
from synthesizers.domain import Dataset
from synthesizers.estimation.compression import Compression, compression_of
from synthesizers.estimation.fitting import INFERENCES, JUNCTION_TREE, fit_model
from synthesizers.estimation.generation import SMALL_DOMAIN, public_generator, round_table
from synthesizers.estimation.models import Model, NoisyMarginal
from synthesizers.programs.asking import rows_released
from synthesizers.programs.gaussian_program import GaussianProgram
from synthesizers.programs.marginal_questions import (
    choose,
    epsilon_of_choice,
    estimate_records,
    measure_marginal,
    model_counts,
    price_of_choice,
    require_inference,
    require_steps,
)
from synthesizers.programs.parameters import one_of, parameter, whole
from synthesizers.queries import Marginal, ModelError

RARE = 3.0
"""Standard deviations of noise below which a value is merged with others (the paper, section 4)."""

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Mst(GaussianProgram):
    """See the module's card."""

    steps: int = parameter(whole, 250)
    inference: str = parameter(one_of(*INFERENCES), JUNCTION_TREE)
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        GaussianProgram.__post_init__(self)
        require_inference(self.inference)
        require_steps(self.steps, "steps")

    def __call__(self, curator: Curator) -> Dataset:
        """Records over the domain."""
        names = curator.domain.names
        rho = self.rho
        share = rho / 3 if len(names) > 1 else rho
        ones = [
            measure_marginal(curator, Marginal((name,)), share / len(names), self.slack)
            for name in names
        ]
        total = estimate_records(curator, ones)
        compression = compression_of(ones, RARE)
        answers = [compression.merge_codes(noisy) for noisy in ones]
        if len(names) > 1:
            answers += self._pairs(curator, compression, answers, total, rho - share)
        model = fit_model(compression.shape, answers, total, self.steps, inference=self.inference)
        return spread_records(curator, compression, model, rows_released(curator.setting, total))

    def _pairs(
        self,
        curator: Curator,
        compression: Compression,
        ones: list[NoisyMarginal],
        total: float,
        rho: Fraction,
    ) -> list[NoisyMarginal]:
        """The pairs of a spanning tree, measured; ``rho`` for choosing and measuring them."""
        independent = fit_model(
            compression.shape, ones, total, self.steps, inference=self.inference
        )
        edges = curator.domain.names[1:]
        epsilon = epsilon_of_choice(rho / 2 / len(edges))
        tree = spanning_tree(curator, compression, independent, epsilon)
        each = rho / len(edges) - price_of_choice(epsilon)
        return [
            measure_marginal(curator, compression.marginal(pair), each, self.slack) for pair in tree
        ]


def spanning_tree(
    curator: Curator, compression: Compression, model: Model, epsilon: Fraction
) -> list[Pair]:
    """Kruskal's tree with noisy choices: pairs that join parts of the forest, until one is left.

    Each choice costs ``epsilon``; a pair scores the L1 distance of its counts to the model's.
    """
    names = curator.domain.names
    counts = {pair: model_counts(model.counts(pair)) for pair in combinations(names, 2)}
    part = {name: number for number, name in enumerate(names)}
    tree: list[Pair] = []
    while len(tree) < len(names) - 1:
        joining = [pair for pair in counts if part[pair[0]] != part[pair[1]]]
        scores = ModelError(
            tuple(compression.marginal(pair) for pair in joining),
            tuple(counts[pair] for pair in joining),
        )
        left, right = joining[choose(curator, scores, epsilon)]
        tree.append((left, right))
        joined, away = part[left], part[right]
        part = {name: joined if number == away else number for name, number in part.items()}
    return tree


def spread_records(curator: Curator, compression: Compression, model: Model, rows: int) -> Dataset:
    """Records of a model of merged values, over the curator's own domain."""
    domain = curator.domain
    if domain.size <= SMALL_DOMAIN:
        table = compression.spread_table(model.counts(domain.names))
        return round_table(domain, table, rows)
    generator = public_generator(curator)
    return Dataset(domain, compression.spread_records(model.records(rows, generator), generator))
