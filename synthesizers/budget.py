"""What a question costs, and the budget that refuses one question too many.

The sums here are those of basic composition and of zCDP composition; both hold
for questions chosen adaptively as long as the sum is checked before each
question is answered (a privacy filter: Rogers et al. 2016; Whitehouse et al.
2023). The theorem that this entails is the proving layer's business.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from synthesizers.errors import BudgetExceeded, InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.plain import require_integer, require_rational, require_text


@dataclass(frozen=True, slots=True)
class SampledSteps:
    """``steps`` runs of Gaussian noise on a Poisson sample of ``rate``.

    ``mu_squared``: (how far a record moves the answers, in L2, over the noise's deviation)².
    """

    rate: Fraction
    mu_squared: Fraction
    steps: int = 1


@dataclass(frozen=True, slots=True)
class Cost:
    """An upper bound on the privacy loss of one question; None: no finite bound.

    ``epsilon``: pure differential privacy, in nats. ``rho``: zCDP (Bun &
    Steinke 2016). ``sampled``: the loss is at most that of these runs; None: it
    is of another kind. What tells nothing has none.
    """

    epsilon: Fraction | None
    rho: Fraction | None
    sampled: tuple[SampledSteps, ...] | None = None

    def __post_init__(self) -> None:
        if self.sampled is None and self.epsilon == 0:
            object.__setattr__(self, "sampled", ())

    @classmethod
    def pure(cls, epsilon: Fraction) -> Cost:
        """The cost of an ε-DP question: also ε²/2-zCDP (Bun & Steinke 2016, Prop. 1.4)."""
        return cls(epsilon, epsilon * epsilon / 2)

    def __add__(self, other: Cost) -> Cost:
        sampled = _together(self.sampled, other.sampled)
        return Cost(_plus(self.epsilon, other.epsilon), _plus(self.rho, other.rho), sampled)

    def to_json(self) -> dict[str, Any]:
        """The cost as plain data; null where there is no finite bound."""
        plain: dict[str, Any] = {
            "epsilon": None if self.epsilon is None else str(self.epsilon),
            "rho": None if self.rho is None else str(self.rho),
        }
        if self.sampled:
            plain["sampled"] = [_steps_json(one) for one in self.sampled]
        return plain


FREE = Cost(Fraction(0), Fraction(0))
UNBOUNDED = Cost(None, None)


def _plus(left: Fraction | None, right: Fraction | None) -> Fraction | None:
    if left is None or right is None:
        return None
    # Nearly every sum starts from nothing spent, and sums of fractions are slow.
    return left + right if left and right else left or right


def _together(
    left: tuple[SampledSteps, ...] | None, right: tuple[SampledSteps, ...] | None
) -> tuple[SampledSteps, ...] | None:
    """All runs of both, equal ones counted."""
    if left is None or right is None:
        return None
    if not (left and right):
        return left or right
    counts: dict[tuple[Fraction, Fraction], int] = {}
    for one in (*left, *right):
        kind = (one.rate, one.mu_squared)
        counts[kind] = counts.get(kind, 0) + one.steps
    return tuple(SampledSteps(*kind, steps) for kind, steps in counts.items())


def _steps_json(one: SampledSteps) -> dict[str, Any]:
    return {"rate": str(one.rate), "mu_squared": str(one.mu_squared), "steps": one.steps}


@dataclass(frozen=True, slots=True)
class PureBudget:
    """At most ``epsilon`` of pure differential privacy in all.

    ``neighbours``: the relation that costs are counted under; the curator's if None.
    """

    epsilon: Fraction
    neighbours: Neighbours | None = None

    def __post_init__(self) -> None:
        if self.epsilon < 0:
            raise InputError("a budget needs epsilon >= 0")

    def check(self, spent: Cost) -> None:
        """Raise BudgetExceeded where the sum of all costs passes the budget."""
        if spent.epsilon is None or spent.epsilon > self.epsilon:
            raise BudgetExceeded(_message(f"epsilon = {self.epsilon}", spent.epsilon))

    def is_exhausted(self, spent: Cost) -> bool:
        """Whether every further question that costs anything would be refused."""
        return spent.epsilon == self.epsilon

    def to_json(self) -> dict[str, Any]:
        """The budget as plain data."""
        return {"epsilon": str(self.epsilon), **_neighbours_member(self.neighbours)}


@dataclass(frozen=True, slots=True)
class ZCDPBudget:
    """At most ``rho`` of zero-concentrated differential privacy in all.

    ``neighbours``: the relation that costs are counted under; the curator's if None.
    """

    rho: Fraction
    neighbours: Neighbours | None = None

    def __post_init__(self) -> None:
        if self.rho < 0:
            raise InputError("a budget needs rho >= 0")

    def check(self, spent: Cost) -> None:
        """Raise BudgetExceeded where the sum of all costs passes the budget."""
        if spent.rho is None or spent.rho > self.rho:
            raise BudgetExceeded(_message(f"rho = {self.rho}", spent.rho))

    def is_exhausted(self, spent: Cost) -> bool:
        """Whether every further question that costs anything would be refused."""
        return spent.rho == self.rho

    def to_json(self) -> dict[str, Any]:
        """The budget as plain data."""
        return {"rho": str(self.rho), **_neighbours_member(self.neighbours)}


@dataclass(frozen=True, slots=True)
class SampledGaussianBudget:
    """At most ``steps`` questions answered with Gaussian noise on a Poisson sample of ``rate``.

    ``mu_squared``: the most that (how far a record moves the answers over the noise's deviation)²
    may be in any of them. Rate, noise and number are fixed beforehand; every other question that
    costs anything is refused. Poisson sampling hides records that come or go, so that under other
    neighbours than add-remove of a record nothing fits.
    """

    rate: Fraction
    mu_squared: Fraction
    steps: int

    def __post_init__(self) -> None:
        if not 0 < self.rate < 1:
            raise InputError(
                "a budget of sampled steps needs a rate between 0 and 1, both excluded"
            )
        if self.mu_squared <= 0 or self.steps < 1:
            raise InputError("a budget of sampled steps needs mu_squared > 0 and steps >= 1")

    @property
    def neighbours(self) -> None:
        """No relation of its own."""

    def check(self, spent: Cost) -> None:
        """Raise BudgetExceeded for a step too many, one of another kind, or another question."""
        limit = (
            f"{self.steps} Gaussian steps on Poisson samples of rate {self.rate}, of mu_squared "
            f"at most {self.mu_squared} each"
        )
        if spent.sampled is None:
            raise BudgetExceeded(
                f"the budget is {limit}, and the next question is no such step; sampling is "
                "accounted under add-remove of a record alone"
            )
        if any(one.rate != self.rate or one.mu_squared > self.mu_squared for one in spent.sampled):
            raise BudgetExceeded(f"the budget is {limit}, and the next step has another rate or mu")
        if sum(one.steps for one in spent.sampled) > self.steps:
            raise BudgetExceeded(f"the budget is {limit}, and all of them were made")

    def is_exhausted(self, spent: Cost) -> bool:
        """Whether every further question that costs anything would be refused."""
        return bool(spent.sampled) and sum(one.steps for one in spent.sampled or ()) == self.steps

    def to_json(self) -> dict[str, Any]:
        """The budget as plain data."""
        return {"sampled": _steps_json(SampledSteps(self.rate, self.mu_squared, self.steps))}


@dataclass(frozen=True, slots=True)
class UnlimitedBudget:
    """No limit: for analysis, and for programs that promise no finite guarantee."""

    @property
    def neighbours(self) -> None:
        """No relation of its own."""

    def check(self, spent: Cost) -> None:
        """Accept every question."""

    def is_exhausted(self, spent: Cost) -> bool:
        """Whether every further question would be refused: never."""
        return False

    def to_json(self) -> dict[str, Any]:
        """The budget as plain data."""
        return {"unlimited": True}


Budget = PureBudget | ZCDPBudget | SampledGaussianBudget | UnlimitedBudget


def rebuilt(budget: object) -> Budget | None:
    """The budget, made anew of Python's own values; None for an object of another class.

    A program's own class of number or relation could say one thing to the curator, which prices
    with it, and another to whoever reads the budget; and a program could change its budget later.
    Raises InputError for a limit that is no exact number, or a relation of another class.

    Guarantee
    ---------
    Every part of what is returned is of exactly its class, and shared with no program. Backed by
    ``tests/synthesizers/test_budget.py``.
    """
    if type(budget) is PureBudget:
        limit = require_rational(budget.epsilon, "epsilon of a budget")
        return PureBudget(limit, _rebuilt_relation(budget.neighbours))
    if type(budget) is ZCDPBudget:
        limit = require_rational(budget.rho, "rho of a budget")
        return ZCDPBudget(limit, _rebuilt_relation(budget.neighbours))
    if type(budget) is SampledGaussianBudget:
        rate = require_rational(budget.rate, "rate of a budget")
        squared = require_rational(budget.mu_squared, "mu_squared of a budget")
        return SampledGaussianBudget(
            rate, squared, require_integer(budget.steps, "steps of a budget")
        )
    return UnlimitedBudget() if type(budget) is UnlimitedBudget else None


def _rebuilt_relation(neighbours: object) -> Neighbours | None:
    if neighbours is None:
        return None
    for kind in (AddRemove, ReplaceOne):
        if type(neighbours) is kind and type(neighbours.unit) is Unit:
            unit = neighbours.unit
            name = require_text(unit.name, "unit of a budget")
            return kind(Unit(name, require_integer(unit.max_records, "records of a unit")))
    raise InputError("a budget is counted under AddRemove or ReplaceOne, and no subclass of them")


def _neighbours_member(neighbours: Neighbours | None) -> dict[str, Any]:
    if neighbours is None:
        return {}
    unit = {"name": neighbours.unit.name, "max_records": neighbours.unit.max_records}
    return {"counted_under": neighbours.name, "counted_unit": unit}


def _message(limit: str, spent: Fraction | None) -> str:
    total = "without finite bound" if spent is None else f"at {float(spent):.6g}"
    return (
        f"the budget is {limit}, and the next question would leave the total {total}; "
        "ask less, add more noise, or open the curator with a larger budget"
    )
