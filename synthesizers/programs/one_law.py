"""What most programs share: a release is one law of the whole table, asked once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from synthesizers.budget import Budget, PureBudget, UnlimitedBudget
from synthesizers.curator import Curator, Output, Setting
from synthesizers.laws.table_laws import TableLaw


@dataclass(frozen=True, slots=True)
class OneLaw(ABC):
    """A program of one table law; its subclasses name the law.

    One that releases other things than the law's counts brings its own
    ``__call__``, which asks for ``law`` and no more: the budget is its cost.
    """

    @abstractmethod
    def law(self, setting: Setting) -> TableLaw:
        """The law of the release; InputError where the parameters do not fit the setting."""

    def __call__(self, curator: Curator) -> Output:
        """Counts over the cells of the release, [cells]."""
        return curator.sanitize(self.law(curator.setting))

    def budget(self, setting: Setting) -> Budget:
        """The guarantee that follows from the law: its epsilon, or none."""
        epsilon = self.law(setting).cost(setting.neighbours).epsilon
        return UnlimitedBudget() if epsilon is None else PureBudget(epsilon)
