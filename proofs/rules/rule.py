"""What a rule is: a function of its premises' judgments and its parameters to a conclusion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from proofs.errors import ProofError, UndecidedError
from proofs.judgments import Guarantee, Judgment, Private
from proofs.parameters import Parameters
from synthesizers.exact import Exact, compare, enclose
from synthesizers.intervals import Interval
from synthesizers.neighbours import Neighbours

J = TypeVar("J", bound=Judgment)
G = TypeVar("G", bound=Guarantee)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a rule concludes, and the hypotheses that it adds to those of its premises."""

    judgment: Judgment
    hypotheses: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Premises:
    """The judgments that a rule is applied to."""

    rule: str
    judgments: tuple[Judgment, ...]

    def all(self, kind: type[J]) -> tuple[J, ...]:
        """Every premise, all of one kind; ProofError for none or another."""
        found = tuple(judgment for judgment in self.judgments if isinstance(judgment, kind))
        if not found or len(found) != len(self.judgments):
            raise ProofError(f"the rule {self.rule} takes premises of the kind {kind.__name__}")
        return found

    def one(self, kind: type[J]) -> J:
        """The only premise; ProofError for another number or kind."""
        if len(self.judgments) != 1:
            raise ProofError(f"the rule {self.rule} takes one premise")
        return self.all(kind)[0]

    def none(self) -> None:
        """Raise ProofError where there is a premise."""
        if self.judgments:
            raise ProofError(f"the rule {self.rule} takes no premises")

    def private(self, *kinds: type[Guarantee]) -> Private:
        """The only premise, a mechanism with a guarantee of one of some kinds."""
        found = self.one(Private)
        if not isinstance(found.guarantee, kinds):
            self._refuse(kinds)
        return found

    def guarantees(self, kind: type[G]) -> tuple[tuple[Private, ...], tuple[G, ...]]:
        """All premises, mechanisms with guarantees of one kind under the same neighbours."""
        found = self.all(Private)
        guarantees = tuple(p.guarantee for p in found if isinstance(p.guarantee, kind))
        if len(guarantees) != len(found):
            self._refuse((kind,))
        if len({premise.neighbours for premise in found}) != 1:
            raise ProofError(f"the rule {self.rule} needs premises under the same neighbours")
        return found, guarantees

    def _refuse(self, kinds: tuple[type[Any], ...]) -> None:
        names = " or ".join(kind.__name__ for kind in kinds)
        raise ProofError(f"the rule {self.rule} needs a guarantee of the kind {names}")


Rule = Callable[[Premises, Parameters], Conclusion]


def require(condition: bool, rule: str, expected: str) -> None:
    """Raise ProofError where a side condition does not hold."""
    if not condition:
        raise ProofError(f"the rule {rule} does not apply: {expected}")


def at_most(left: Exact, right: Exact, rule: str, expected: str) -> None:
    """Raise ProofError unless ``left`` <= ``right``, UndecidedError where that stays open.

    Guarantee
    ---------
    Returns only if the inequality holds of the true values. Backed by
    ``tests/proofs/test_rule.py``.
    """
    if isinstance(left, Interval) or isinstance(right, Interval):
        low, high = enclose(left), enclose(right)
        order = -1 if low.upper <= high.lower else 1 if low.lower > high.upper else None
    else:
        order = compare(left, right)
    if order is None:
        raise UndecidedError(f"the rule {rule}: {expected} cannot be decided at this precision")
    require(order <= 0, rule, expected)


def require_relation(holds: bool, rule: str, neighbours: Neighbours, needed: str) -> None:
    """Raise ProofError where a rule does not hold under a premise's neighbours."""
    words = f"it holds under {needed}, and the premise is under {neighbours.name}"
    require(holds, rule, f"{words} of a {neighbours.unit.name}")
