"""The kernel: `prove` is the only maker of theorems, and the rules are all that it applies.

A theorem holds its judgment, the open hypotheses that it rests on, and how it
came about. Python cannot keep anyone from forging an object in memory; that is
why a proof travels as data (`proofs.derivation`) and is made again, here and by
a checker that shares no code with this package (`proofs/checker.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from proofs.errors import ProofError, UndecidedError, require
from proofs.hypotheses import HYPOTHESES
from proofs.judgments import Judgment
from proofs.parameters import plain
from proofs.rules import RULES
from synthesizers.errors import InputError, TooLargeError

_SEAL = object()


class Theorem:
    """A judgment that the rules entail; made by `prove` alone.

    ``judgment``: what holds. ``hypotheses``: the names of what it rests on and
    nothing here shows. ``rule``, ``premises``, ``parameters``: its last step.
    """

    __slots__ = ("hypotheses", "judgment", "parameters", "premises", "rule")
    judgment: Judgment
    hypotheses: frozenset[str]
    rule: str
    premises: tuple[Theorem, ...]
    parameters: Mapping[str, Any]

    def __init__(self, seal: object, **held: Any) -> None:
        require(seal is _SEAL, "a theorem is made by prove(), from a rule and its premises")
        for name, value in held.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise ProofError("a theorem cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise ProofError("a theorem cannot be changed")


def prove(
    rule: str, premises: Sequence[Theorem] = (), parameters: Mapping[str, object] | None = None
) -> Theorem:
    """Apply a rule; raises ProofError where a premise or a side condition does not fit.

    UndecidedError, which is one, where a number is too large to decide it.

    Guarantee
    ---------
    The judgment holds whenever all of the theorem's hypotheses do: each rule
    checks its side conditions and concludes no more than its page in
    ``proofs/statements`` says. Backed by the comparison with exact divergences in
    ``tests/proofs/test_soundness.py``.
    """
    require(rule in RULES, f"there is no rule {rule[:60]!r}")
    alone = all(type(premise) is Theorem for premise in premises)
    require(alone, f"the rule {rule} takes theorems as premises, and nothing else")
    given = plain({} if parameters is None else parameters)
    try:
        concluded = RULES[rule].apply([premise.judgment for premise in premises], given)
        # Raises where a number has too many digits to be written.
        concluded.judgment.to_json()
    except (UndecidedError, TooLargeError) as error:
        raise UndecidedError(f"the rule {rule} is not decided: {error}") from None
    except InputError as error:
        raise ProofError(f"the rule {rule} does not apply: {error}") from None
    require(
        concluded.hypotheses <= HYPOTHESES.keys(), f"the rule {rule} rests on unknown hypotheses"
    )
    return Theorem(
        _SEAL,
        judgment=concluded.judgment,
        hypotheses=concluded.hypotheses.union(*(p.hypotheses for p in premises)),
        rule=rule,
        premises=tuple(premises),
        parameters=given,
    )
