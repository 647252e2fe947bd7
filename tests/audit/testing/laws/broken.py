"""Objects that break one law each, honest in all else: what a third party might have written."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from audit.auditors.effort import Effort
from audit.statements.claim import Claim
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour
from audit.subjects.subject import Subject
from audit.utility.metric import Metric
from audit.utility.pair import Pair
from audit.utility.score import Score
from synthesizers.budget import Budget, Cost, PureBudget
from synthesizers.curator import Curator, Setting
from synthesizers.laws.rounding import RandomRounding
from synthesizers.neighbours import Neighbours
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import Marginal, Sensitivity, Total
from synthesizers.selection import Exponential

F = Fraction
ONE = F(1)


@dataclass(frozen=True)
class Honest(DiscreteLaplace):
    """Noise of one's own class that keeps every law."""


@dataclass(frozen=True)
class FloatMass(DiscreteLaplace):
    def mass(self, value: int) -> Any:
        return float(np.exp(-abs(value)))


@dataclass(frozen=True)
class Unnormalised(DiscreteLaplace):
    def mass(self, value: int) -> Any:
        return super().mass(value) * F(99, 100)


@dataclass(frozen=True)
class Lopsided(DiscreteLaplace):
    def mass(self, value: int) -> Any:
        return super().mass(value if value >= 0 else value - 1)


@dataclass(frozen=True)
class WideSampler(DiscreteLaplace):
    def sample(self, size: int, entropy: Any) -> Any:
        return DiscreteLaplace(self.scale * 5 / 4).sample(size, entropy)


@dataclass(frozen=True)
class OwnRandomness(DiscreteLaplace):
    def sample(self, size: int, entropy: Any) -> Any:
        scale = float(self.scale)
        drawn = [random.expovariate(1 / scale) - random.expovariate(1 / scale) for _ in range(size)]
        return np.round(drawn).astype(np.int64)


@dataclass(frozen=True)
class FixedSeed(DiscreteLaplace):
    def sample(self, size: int, entropy: Any) -> Any:
        from synthesizers.randomness import InsecureSeededEntropy

        return super().sample(size, InsecureSeededEntropy(7))


@dataclass(frozen=True)
class Repeating(DiscreteLaplace):
    def sample(self, size: int, entropy: Any) -> Any:
        return np.repeat(super().sample(-(-size // 2), entropy), 2)[:size]


@dataclass(frozen=True)
class CheapShift(DiscreteLaplace):
    def shift_loss(self, shift: int) -> Fraction:
        return super().shift_loss(shift) * F(9, 10)


@dataclass(frozen=True)
class CheapCost(DiscreteLaplace):
    def cost(self, sensitivity: Sensitivity) -> Cost:
        # The L2 norm in place of the L1 norm: right for one answer, too little for several.
        return Cost.pure(F(sensitivity.linf) / self.scale)


@dataclass(frozen=True)
class CheapRho(DiscreteLaplace):
    def cost(self, sensitivity: Sensitivity) -> Cost:
        return Cost(None, F(sensitivity.l2_squared) / (8 * self.scale * self.scale))


@dataclass(frozen=True)
class CostlyNothing(DiscreteLaplace):
    def cost(self, sensitivity: Sensitivity) -> Cost:
        return super().cost(replace(sensitivity, l1=sensitivity.l1 + 1))


@dataclass(frozen=True)
class TupleJson(DiscreteLaplace):
    def to_json(self) -> dict[str, Any]:
        return {"law": self.name, "scale": (1, 2)}


NOISES: list[tuple[Any, str]] = [
    (FloatMass(F(2)), "chances_are_exact"),
    (Unnormalised(F(2)), "masses_sum_to_one"),
    (Unnormalised(F(2)), "tails_sum_masses"),
    (Lopsided(F(2)), "law_is_symmetric"),
    (WideSampler(F(2)), "sampler_follows_masses"),
    (OwnRandomness(F(2)), "sampler_uses_its_entropy_alone"),
    (FixedSeed(F(2)), "sampler_uses_its_entropy_alone"),
    (Repeating(F(2)), "sampler_draws_independently"),
    (CheapShift(F(2)), "shift_loss_bounds_every_ratio"),
    (CheapCost(F(2)), "cost_bounds_every_ratio"),
    (CheapRho(F(2)), "cost_bounds_every_divergence"),
    (CostlyNothing(F(2)), "no_change_costs_nothing"),
    (TupleJson(F(2)), "is_plain_data"),
]


@dataclass(frozen=True)
class HonestCounts(Marginal):
    """A query of one's own class that keeps every law."""


@dataclass(frozen=True)
class FloatCounts(Marginal):
    def answers(self, domain: Any, codes: Any, weights: Any) -> Any:
        return super().answers(domain, codes, weights) / 2


@dataclass(frozen=True)
class InOrder(Marginal):
    def answers(self, domain: Any, codes: Any, weights: Any) -> Any:
        found = super().answers(domain, codes, weights)
        if len(codes) and (np.diff(codes[:, 0]) < 0).any():
            found = found + 1
        return found


@dataclass(frozen=True)
class OfDistinct(Marginal):
    """Counts kinds of record in place of records, so that weights say something else."""

    def answers(self, domain: Any, codes: Any, weights: Any) -> Any:
        return super().answers(domain, codes, np.minimum(weights, 1))


@dataclass(frozen=True)
class OfAll(Marginal):
    """Centred by the mean of all databases that are asked together."""

    def answers(self, domain: Any, codes: Any, weights: Any) -> Any:
        found = super().answers(domain, codes, weights)
        return found - found.min(axis=0, keepdims=True)


@dataclass(frozen=True)
class BothWays(Marginal):
    """The sensitivity of add-remove under every relation."""

    def sensitivity(self, domain: Any, neighbours: Neighbours) -> Sensitivity:
        m = neighbours.unit.max_records
        return Sensitivity(m, m * m, m, False)


@dataclass(frozen=True)
class OneRecord(Marginal):
    """The sensitivity of a record whoever the unit is."""

    def sensitivity(self, domain: Any, neighbours: Neighbours) -> Sensitivity:
        return super().sensitivity(domain, type(neighbours)())


@dataclass(frozen=True)
class NotMonotone(Marginal):
    def sensitivity(self, domain: Any, neighbours: Neighbours) -> Sensitivity:
        return replace(super().sensitivity(domain, neighbours), monotone=True)


@dataclass(frozen=True)
class Misfit(Marginal):
    def sensitivity(self, domain: Any, neighbours: Neighbours) -> Sensitivity:
        return Sensitivity(4, 100, 50, False)


QUERIES: list[tuple[Any, str]] = [
    (FloatCounts(("a1",)), "answers_are_whole_numbers"),
    (InOrder(("a1",)), "order_of_records_says_nothing"),
    (OfDistinct(("a1",)), "histograms_have_the_answers_of_their_records"),
    (OfAll(("a1",)), "answers_stand_for_themselves"),
    (BothWays(("a1",)), "sensitivity_bounds_every_change"),
    (OneRecord(("a1",)), "sensitivity_bounds_every_change"),
    (NotMonotone(("a1",)), "sensitivity_bounds_every_change"),
    (Misfit(("a1",)), "norms_fit_together"),
]


@dataclass(frozen=True, slots=True)
class TwiceListed(RandomRounding):
    def outcomes(self, rows: Any) -> Any:
        return [*RandomRounding.outcomes(self, rows)] * 2


@dataclass(frozen=True, slots=True)
class Leaking(RandomRounding):
    def chance(self, counts: Any, outcome: Any) -> Any:
        return RandomRounding.chance(self, counts, outcome) * F(9, 10)


@dataclass(frozen=True, slots=True)
class UpSampler(RandomRounding):
    def sample(self, counts: Any, entropy: Any) -> Any:
        return -(-counts // self.base) * self.base


@dataclass(frozen=True, slots=True)
class Scribbling(RandomRounding):
    def sample(self, counts: Any, entropy: Any) -> Any:
        found = RandomRounding.sample(self, counts, entropy)
        counts[:] = 0
        return found


@dataclass(frozen=True, slots=True)
class Cheap(RandomRounding):
    def cost(self, neighbours: Neighbours) -> Cost:
        return Cost.pure(F(5))


TABLES: list[tuple[Any, str]] = [
    (TwiceListed(2), "outcomes_are_listed_once"),
    (Leaking(2), "chances_sum_to_one"),
    (UpSampler(2), "sampler_follows_chances"),
    (Scribbling(2), "sampler_leaves_the_table_alone"),
    (Cheap(2), "cost_bounds_every_ratio"),
]


@dataclass(frozen=True)
class HalfPrice(Exponential):
    """The cost of monotone scores for all of them."""

    def cost(self, sensitivity: Sensitivity) -> Cost:
        return Cost.pure(self.rate * sensitivity.linf)


@dataclass(frozen=True)
class Greedy(Exponential):
    def sample(self, scores: Sequence[int], entropy: Any) -> int:
        return int(np.argmax(scores))


SELECTIONS: list[tuple[Any, str]] = [
    (HalfPrice(F(1)), "cost_bounds_every_ratio"),
    (Greedy(F(1)), "sampler_follows_chances"),
]


@dataclass(frozen=True)
class Program:
    """An honest program of one's own: the total, with noise."""

    epsilon: Fraction = ONE

    def budget(self, setting: Setting) -> Budget:
        return PureBudget(self.epsilon)

    def __call__(self, curator: Curator) -> Any:
        return curator.measure(Total(), DiscreteLaplace(1 / self.epsilon), low=0, high=2)


@dataclass(frozen=True)
class Remembering(Program):
    seen: list[int] = field(default_factory=list, compare=False, hash=False)

    def __call__(self, curator: Curator) -> Any:
        self.seen.append(1)
        found = super().__call__(curator)
        return [*found, len(self.seen) // 400]


@dataclass(frozen=True)
class Unreliable(Program):
    def __call__(self, curator: Curator) -> Any:
        return [*super().__call__(curator), random.getrandbits(20)]


@dataclass(frozen=True)
class Overspending(Program):
    def __call__(self, curator: Curator) -> Any:
        return [super(Overspending, self).__call__(curator)[0] for _ in range(2)]


@dataclass(frozen=True)
class Doubled(Program):
    """Spends twice what it promises, and says so: the claim is broken, the budget is not."""

    def budget(self, setting: Setting) -> Budget:
        return PureBudget(2 * self.epsilon)

    def __call__(self, curator: Curator) -> Any:
        return [super(Doubled, self).__call__(curator)[0] for _ in range(2)]


class Local(Program):
    def __reduce__(self) -> Any:
        raise TypeError("not today")


@dataclass(frozen=True, kw_only=True)
class Rows(Metric):
    """The share of records that the synthetic table has."""

    name = "rows"
    lowest, highest, direction = 0.0, 1.0, "higher"

    def score(self, pair: Pair) -> Score:
        real, synthetic = pair.records
        return self.scored(min(real, synthetic) / max(real, synthetic, 1))


class Guess:
    """An auditor that finds what it is told to."""

    def __init__(self, accuses: bool, **fields: Any) -> None:
        self.accuses, self.fields = accuses, fields

    name, takes = "guess", ("program",)

    def examine(self, subject: Subject, claim: Claim, effort: Effort) -> Iterator[Finding]:
        stated: dict[str, Any] = {
            "auditor": "guess",
            "about": "a guess",
            "decision": Decision.of_declaration(self.accuses),
            "declared": "1",
            "found": "2",
            "rigour": Rigour.EXACT,
            "covers": "nothing",
            "again": "guess()",
        }
        yield Finding(**(stated | self.fields))


def unrelated() -> pd.DataFrame:
    """What has no laws."""
    return pd.DataFrame({"a": [1]})
