"""What a rule is: premises, declared parameters, and a function from both to a conclusion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

from proofs.errors import ProofError, UndecidedError
from proofs.judgments import Guarantee, Judgment, Private, Stable
from proofs.parameters import Kind, Parameters
from synthesizers.exact import Exact, compare, enclose
from synthesizers.intervals import Interval
from synthesizers.neighbours import Neighbours

G = TypeVar("G", bound=Guarantee)

PRECISIONS = (192, 768, 3072)
"""The bits at which an inequality is tried before it stays open."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a rule concludes, and the hypotheses that it adds to those of its premises."""

    judgment: Judgment
    hypotheses: frozenset[str] = frozenset()


Needs = Callable[[Sequence[Judgment]], tuple[Any, ...]]
"""Reads premises: gives the arguments that they are to a rule's function, or raises ProofError."""


def nothing(premises: Sequence[Judgment]) -> tuple[()]:
    """No premises."""
    require(not premises, "it takes no premises")
    return ()


def query(premises: Sequence[Judgment]) -> tuple[Stable]:
    """One premise, about a query."""
    (premise,) = premises if len(premises) == 1 else (None,)
    if not isinstance(premise, Stable):
        raise ProofError("it takes one premise, about a query")
    return (premise,)


def mechanism(premises: Sequence[Judgment]) -> tuple[Private]:
    """One premise, about a mechanism."""
    (premise,) = premises if len(premises) == 1 else (None,)
    if not isinstance(premise, Private):
        raise ProofError("it takes one premise, about a mechanism")
    return (premise,)


def mechanisms(premises: Sequence[Judgment]) -> tuple[tuple[Private, ...]]:
    """One or more premises about mechanisms, all under the same neighbours."""
    found = tuple(premise for premise in premises if isinstance(premise, Private))
    require(0 < len(found) == len(premises), "it takes one or more premises about mechanisms")
    same = len({premise.neighbours for premise in found}) == 1
    require(same, "it needs premises under the same neighbours")
    return (found,)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: ``needs`` its premises, reads ``parameters`` by their kinds, and ``concludes``."""

    name: str
    needs: Needs
    parameters: Mapping[str, Kind[Any]]
    concludes: Callable[..., Conclusion]

    def apply(self, premises: Sequence[Judgment], given: Mapping[str, Any]) -> Conclusion:
        """What follows; ProofError for other premises or parameters than the declared ones."""
        reader = Parameters(self.name, given)
        read = {name: kind(reader, name) for name, kind in self.parameters.items()}
        reader.close()
        return self.concludes(*self.needs(premises), **read)


def rule(
    name: str, needs: Needs, **parameters: Kind[Any]
) -> Callable[[Callable[..., Conclusion]], Rule]:
    """Make a rule of a function: its premises come first, its parameters by their names."""
    return lambda concludes: Rule(name, needs, parameters, concludes)


def require(condition: bool, expected: str) -> None:
    """Raise ProofError where a side condition does not hold."""
    if not condition:
        raise ProofError(expected)


def require_relation(holds: bool, neighbours: Neighbours, needed: str) -> None:
    """Raise ProofError where a rule does not hold under a premise's neighbours."""
    words = f"it holds under {needed}, and the premise is under {neighbours.name}"
    require(holds, f"{words} of a {neighbours.unit.name}")


def guarantee_of(premise: Private, kind: type[G]) -> G:
    """The premise's guarantee, which must be of one kind."""
    if not isinstance(premise.guarantee, kind):
        raise ProofError(f"it needs a guarantee of the kind {kind.__name__}")
    return premise.guarantee


def restate(premise: Private, guarantee: Guarantee) -> Conclusion:
    """Another guarantee of the premise's mechanism, under its neighbours."""
    return Conclusion(replace(premise, guarantee=guarantee))


def at_most(left: Exact, right: Exact, expected: str) -> None:
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
        raise UndecidedError(f"{expected}: it cannot be decided at this precision")
    require(order <= 0, expected)


def at_most_growing(value: Callable[[int], Interval], bound: Fraction, expected: str) -> None:
    """`at_most` for a number enclosed to as many bits as asked for, at the first that decide.

    Guarantee
    ---------
    Returns only if the number is at most ``bound``, where each interval holds it. Backed by
    ``tests/proofs/test_rule.py``.
    """
    for bits in PRECISIONS:
        found = value(bits)
        if found.upper <= bound or found.lower > bound:
            break
    at_most(found, bound, expected)
