"""Programs as strangers write them: honest ones, and ones that break the protocol."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from synthesizers.budget import Budget, PureBudget, ZCDPBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset
from synthesizers.errors import BudgetExceeded, DPAuditError
from synthesizers.events import Event, Measure
from synthesizers.laws.public_laws import UniformChoice
from synthesizers.laws.subsample import Subsample
from synthesizers.neighbours import ReplaceOne
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, Noise
from synthesizers.queries import CellCounts, ModelError, Query, Total, whole_table
from synthesizers.selection import Exponential

ONE = DiscreteLaplace(Fraction(1))


@dataclass(frozen=True)
class Asks:
    """A fixed list of measurements; all answers are released."""

    questions: tuple[tuple[Query, Noise, int, int], ...]

    def __call__(self, curator: Curator) -> list[int]:
        answers: list[int] = []
        for query, noise, low, high in self.questions:
            answers += curator.measure(query, noise, low=low, high=high).tolist()
        return answers


@dataclass(frozen=True)
class Histogram:
    """The noised histogram, with the budget that its one question uses up."""

    epsilon: Fraction = Fraction(1)
    declared: Fraction | None = None

    def __call__(self, curator: Curator) -> list[int]:
        query = whole_table(curator.domain)
        sensitivity = query.sensitivity(curator.domain, curator.neighbours)
        noise = DiscreteLaplace(sensitivity.l1 / Fraction(self.epsilon))
        return curator.measure(query, noise, low=0, high=curator.setting.require_rows()).tolist()

    def budget(self, setting: Setting) -> Budget:
        return PureBudget(Fraction(self.epsilon if self.declared is None else self.declared))


def first_cell(curator: Curator) -> list[int]:
    """One count with noise of scale 1."""
    return curator.measure(CellCounts((0,)), ONE, low=0, high=3).tolist()


def gaussian_cell(curator: Curator) -> list[int]:
    noise = DiscreteGaussian(Fraction(1))
    return curator.measure(CellCounts((0,)), noise, low=0, high=3).tolist()


def constant(curator: Curator) -> int:
    return 7


def drawn(curator: Curator) -> list[int]:
    """A public coin, then the count: the coin changes nothing."""
    curator.draw(UniformChoice(2))
    return first_cell(curator)


def adaptive(curator: Curator) -> list[int]:
    """What is asked second depends on the first answer."""
    first = curator.measure(CellCounts((0,)), ONE, low=0, high=2).tolist()
    cell = 0 if first[0] else 1
    return first + curator.measure(CellCounts((cell,)), ONE, low=0, high=2).tolist()


def selects(curator: Curator) -> int:
    names = curator.domain.names
    query = whole_table(curator.domain)
    scores = ModelError((query,), ((0,) * query.size(curator.domain),))
    assert names
    return curator.select(scores, Exponential(Fraction(1)))


def sanitizes(curator: Curator) -> list[int]:
    return curator.sanitize(Subsample(Fraction(1, 2))).tolist()


def crude(curator: Curator) -> list[int]:
    """The first cell as it is, or nearly: noise of scale 1/100."""
    noise = DiscreteLaplace(Fraction(1, 100))
    return curator.measure(CellCounts((0,)), noise, low=0, high=3).tolist()


class Exhausts:
    """Its one question uses the budget up, then a draw whose law follows the answer."""

    def __call__(self, curator: Curator) -> list[int]:
        found = curator.measure(CellCounts((0,)), ONE, low=0, high=10**6).tolist()
        curator.draw(UniformChoice(2 + found[0] % 2))
        return found

    def budget(self, setting: Setting) -> Budget:
        return PureBudget(
            ONE.cost(CellCounts((0,)).sensitivity(setting.domain, setting.neighbours)).epsilon
            or Fraction(0)
        )


class Keeps(Exhausts):
    """It has budget left after its first question."""

    def budget(self, setting: Setting) -> Budget:
        return PureBudget(Fraction(5))


class InZCDP(Exhausts):
    def budget(self, setting: Setting) -> Budget:
        sensitivity = CellCounts((0,)).sensitivity(setting.domain, setting.neighbours)
        return ZCDPBudget(ONE.cost(sensitivity).rho or Fraction(0))


class Declares(InZCDP):
    """It says beforehand what it asks, so that its curator refuses everything else."""

    def ledger(self, setting: Setting) -> list[Event]:
        return [Measure(CellCounts((0,)), ONE, 0, 10**6)]


class AsksTwice:
    """One question uses half of the budget up under add-remove, and all of it under replace-one."""

    def __call__(self, curator: Curator) -> list[int]:
        noise, query = DiscreteLaplace(Fraction(2)), whole_table(curator.domain)
        first = curator.measure(query, noise, low=0, high=1).tolist()
        return first + curator.measure(query, noise, low=0, high=1).tolist()

    def budget(self, setting: Setting) -> Budget:
        return PureBudget(Fraction(1))


class CatchesRefusal:
    """Asks beyond its budget and says nothing; where it is refused, it releases the count."""

    def __call__(self, curator: Curator) -> list[int]:
        try:
            curator.measure(CellCounts((0,)), DiscreteLaplace(Fraction(1, 10)), low=0, high=2)
        except BudgetExceeded:
            return curator.measure(CellCounts((0,)), ONE, low=0, high=2).tolist()
        return [0]

    def budget(self, setting: Setting) -> Budget:
        return PureBudget(Fraction(1))


class CatchesRefusalOfAnother(CatchesRefusal):
    """The same, and its costs are counted under another relation."""

    def budget(self, setting: Setting) -> Budget:
        return PureBudget(Fraction(1), ReplaceOne())


class AsksForFree:
    """Its budget counts under replace-one, where the second question costs nothing."""

    def __call__(self, curator: Curator) -> list[int]:
        first = curator.measure(CellCounts((0,)), ONE, low=0, high=9).tolist()
        noise = DiscreteLaplace(Fraction(1, 100))
        return first + curator.measure(Total(), noise, low=0, high=10**6).tolist()

    def budget(self, setting: Setting) -> Budget:
        return PureBudget(Fraction(1), ReplaceOne())


class OwnBudget:
    def check(self, spent: object) -> None:
        """Refuses nothing."""

    def is_exhausted(self, spent: object) -> bool:
        return True


class LyingBudget(Exhausts):
    def budget(self, setting: Setting) -> Any:
        return OwnBudget()


class BrokenBudget(Exhausts):
    def budget(self, setting: Setting) -> Budget:
        raise ZeroDivisionError


class QuietNoise(DiscreteLaplace):
    """A subclass that says that a shift loses nothing."""

    def shift_loss(self, shift: int) -> Fraction:
        return Fraction(0)


class Squares(CellCounts):
    """A subclass that is not linear: what it says of a difference is nothing."""

    def answers(self, domain: Any, codes: Any, weights: Any) -> Any:
        return super().answers(domain, codes, weights) ** 2 * 50


def quiet_noise(curator: Curator) -> list[int]:
    return curator.measure(CellCounts((0,)), QuietNoise(Fraction(1)), low=0, high=3).tolist()


def squares(curator: Curator) -> list[int]:
    return curator.measure(Squares((0,)), ONE, low=0, high=200).tolist()


class Alternates:
    """Asks another cell every time it is run, though its answers are the same."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self, curator: Curator) -> list[int]:
        self.runs += 1
        return curator.measure(CellCounts((self.runs % 2,)), ONE, low=0, high=3).tolist()

    def budget(self, setting: Setting) -> Budget:
        return PureBudget(Fraction(1))


def other_questions(curator: Curator) -> list[int]:
    """Questions from randomness of its own."""
    cell = random.randrange(2)
    first = curator.measure(CellCounts((cell,)), ONE, low=0, high=5).tolist()
    return first + curator.measure(CellCounts((0,)), ONE, low=0, high=5).tolist()


def own_randomness(curator: Curator) -> int:
    curator.measure(CellCounts((0,)), ONE, low=0, high=3)
    return random.getrandbits(64)


def raises(curator: Curator) -> list[int]:
    found = first_cell(curator)
    raise ValueError(f"the secret answer is {found}")


def exits(curator: Curator) -> list[int]:
    raise SystemExit(0)


def rubbish(curator: Curator) -> object:
    return {"counts": first_cell(curator)}


def reads_a_file(curator: Curator) -> list[int]:
    with open(os.devnull) as file:
        file.read()
    return first_cell(curator)


def hides_a_file(curator: Curator) -> list[int]:
    with contextlib.suppress(DPAuditError):
        reads_a_file(curator)
    return first_cell(curator)


def starts_a_process(curator: Curator) -> list[int]:
    os.system("true")
    return first_cell(curator)


def wants_data(curator: Curator) -> object:
    return curator.dataset


def wants_the_total(curator: Curator) -> list[int]:
    return curator.measure(Total(), ONE, low=0, high=3).tolist()


def unbounded(curator: Curator) -> list[int]:
    return curator.measure(CellCounts((0,)), ONE, low=0, high=None).tolist()


class OrderedRows:
    """Releases two records; which comes first says the answer, their histogram nothing."""

    def __call__(self, curator: Curator) -> Dataset:
        found = curator.measure(CellCounts((0,)), ONE, low=0, high=1).tolist()[0]
        table = Dataset.from_histogram(curator.domain, np.array([1, 1]))
        return table if found else Dataset(curator.domain, table.codes[::-1].copy())


def two_arguments(curator: Curator, other: int) -> list[int]:
    return first_cell(curator)


NUMBER = 5


def questions(items: Sequence[tuple[Query, Noise, int, int]]) -> Asks:
    """An `Asks` of a list."""
    return Asks(tuple(items))
