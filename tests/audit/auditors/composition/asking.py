"""Programs of a curator that keep their budget, and programs that don't."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from synthesizers.budget import Budget, PureBudget, UnlimitedBudget
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import BudgetExceeded
from synthesizers.neighbours import AddRemove
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.queries import CellCounts, Total

DOMAIN = Domain.from_cells("2")
SETTING = Setting(DOMAIN, AddRemove(), None, 2)
HALF = Fraction(1, 2)


def total(curator, epsilon=HALF):
    noise = DiscreteLaplace(1 / epsilon)
    return int(curator.measure(Total(), noise, low=0, high=2)[0])


def cell(curator, number, epsilon=HALF):
    noise = DiscreteLaplace(1 / epsilon)
    return int(curator.measure(CellCounts((number,)), noise, low=0, high=2)[0])


def gaussian(curator, variance=Fraction(1)):
    return int(curator.measure(Total(), DiscreteGaussian(variance), low=0, high=2)[0])


UNLIMITED = UnlimitedBudget()


@dataclass(frozen=True)
class Declared:
    """A program with a budget: asks by ``ask``."""

    ask: object
    budgeted: Budget = UNLIMITED

    def budget(self, setting):
        return self.budgeted

    def __call__(self, curator):
        return self.ask(curator)


def twice(curator):
    return [total(curator), total(curator)]


def three_times(curator):
    return [total(curator) for _ in range(3)]


def parallel(curator):
    """Two questions about different cells: 1/2 in all, though the costs add up to 1."""
    return [cell(curator, 0), cell(curator, 1)]


def adaptive(curator):
    """Asks a second time only after a large answer."""
    first = total(curator)
    return [first, total(curator) if first == 2 else 0]


def keeps_one_of_two(curator):
    first, _ = total(curator), total(curator)
    return [first]


def until_refused(curator):
    found = []
    try:
        while True:
            found.append(total(curator))
    except BudgetExceeded:
        return found


def by_what_is_spent(curator):
    """Asks until its own reading of the budget says that it is used up."""
    found = []
    while curator.spent.epsilon < 1:
        found.append(total(curator))
    return found


ONE = PureBudget(Fraction(1))
