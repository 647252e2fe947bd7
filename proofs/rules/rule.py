"""What a rule is: a function of premises and parameters, whose types say what it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

from proofs.entries import Entries, RenyiCurve
from proofs.errors import ProofError, UndecidedError, require
from proofs.hypotheses import BASE
from proofs.judgments import Guarantee, Judgment, LossList, Private, Stable
from proofs.parameters import read_fields, types_of
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


Premises = tuple[Private, ...]
"""One or more premises about mechanisms, all under the same neighbours."""

PREMISES: dict[Any, str] = {
    None: "no premises",
    Stable: "one premise, about a query",
    Private: "one premise, about a mechanism",
    Premises: "one or more premises about mechanisms",
}
"""What a rule may need beside its parameters, in words."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: ``needs`` premises or none, reads ``parameters`` by their types, ``concludes``."""

    name: str
    needs: Any
    parameters: Mapping[str, Any]
    concludes: Callable[..., Conclusion]

    def apply(self, premises: Sequence[Judgment], given: Mapping[str, Any]) -> Conclusion:
        """What follows; ProofError for other premises or parameters than the declared ones."""
        read = read_fields(self.parameters, given, self.name)
        return self.concludes(*self._take(premises), **read)

    def _take(self, premises: Sequence[Judgment]) -> tuple[Any, ...]:
        """The arguments that the premises are, or ProofError."""
        kinds = [type(premise) for premise in premises]
        if self.needs != Premises:
            wanted = [] if self.needs is None else [self.needs]
            require(kinds == wanted, f"it takes {PREMISES[self.needs]}")
            return tuple(premises)
        require(set(kinds) == {Private}, f"it takes {PREMISES[Premises]}")
        same = len({premise.neighbours for premise in premises}) == 1
        require(same, "it needs premises under the same neighbours")
        return (tuple(premises),)


def rule(name: str) -> Callable[[Callable[..., Conclusion]], Rule]:
    """Make a rule of a function of its premises, if it needs any, and then of its parameters."""

    def of(concludes: Callable[..., Conclusion]) -> Rule:
        types = {name: kind for name, kind in types_of(concludes).items() if name != "return"}
        needs = next((kind for kind in types.values() if kind in PREMISES), None)
        own = {name: kind for name, kind in types.items() if kind not in PREMISES}
        return Rule(name, needs, own, concludes)

    return of


def require_neighbours(given: Neighbours, needed: Neighbours) -> None:
    """Raise ProofError where a rule holds under other neighbours than the given ones."""
    words = f"it holds under {_words(needed)}, and the premise is under {_words(given)}"
    require(given == needed, words)


def _words(neighbours: Neighbours) -> str:
    unit = neighbours.unit
    most = "" if unit.is_record else f" of at most {unit.max_records} records"
    return f"{neighbours.name} of a {unit.name}{most}"


def guarantee_of(premise: Private, kind: type[G]) -> G:
    """The premise's guarantee, which must be of one kind."""
    if not isinstance(premise.guarantee, kind):
        raise ProofError(f"it needs a guarantee of the kind {kind.__name__}")
    return premise.guarantee


def restate(premise: Private, guarantee: Guarantee, *rests: str) -> Conclusion:
    """A guarantee under the premise's neighbours, and what it rests on beside the premise."""
    return Conclusion(replace(premise, guarantee=guarantee), frozenset(rests))


def lose(neighbours: Neighbours, losses: Entries, *rests: str) -> Conclusion:
    """A mechanism that has these losses, and what it rests on beside `BASE`."""
    return Conclusion(Private(neighbours, LossList(losses)), BASE | frozenset(rests))


def curve_of(orders: tuple[Fraction, ...], epsilons: tuple[Fraction, ...]) -> RenyiCurve:
    """The curve of some orders with their epsilons; ProofError for what is none."""
    require(len(orders) == len(epsilons), "each order needs its epsilon")
    return RenyiCurve(tuple(zip(orders, epsilons, strict=True)))


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
