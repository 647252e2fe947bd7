"""The kernel: `prove` is the only maker of theorems, and the rules are all that it applies.

A theorem holds its judgment, the open hypotheses that it rests on, and how it
came about. Python cannot keep anyone from forging an object in memory; that is
why a proof travels as data (`proofs.derivation`) and is made again, here and by
a checker that shares no code with this package (`proofs/checker.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from proofs.errors import ProofError, UndecidedError
from proofs.hypotheses import HYPOTHESES
from proofs.judgments import Judgment
from proofs.parameters import MAX_TEXT, plain
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
        if seal is not _SEAL:
            raise ProofError("a theorem is made by prove(), from a rule and its premises")
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
    if rule not in RULES:
        raise ProofError(f"there is no rule {rule[:60]!r}")
    if any(type(premise) is not Theorem for premise in premises):
        raise ProofError(f"the rule {rule} takes theorems as premises, and nothing else")
    given = plain({} if parameters is None else parameters)
    try:
        concluded = RULES[rule].apply([premise.judgment for premise in premises], given)
    except (UndecidedError, TooLargeError) as error:
        raise UndecidedError(f"the rule {rule} is not decided: {error}") from None
    except InputError as error:
        raise ProofError(f"the rule {rule} does not apply: {error}") from None
    if concluded.hypotheses - HYPOTHESES.keys():
        raise ProofError(f"the rule {rule} rests on unknown hypotheses")
    _require_writable(rule, concluded.judgment)
    return Theorem(
        _SEAL,
        judgment=concluded.judgment,
        hypotheses=concluded.hypotheses.union(*(p.hypotheses for p in premises)),
        rule=rule,
        premises=tuple(premises),
        parameters=given,
    )


def _require_writable(rule: str, judgment: Judgment) -> None:
    """Raise ProofError where a number of the judgment has too many digits to be written."""
    try:
        texts: list[Any] = [judgment.to_json()]
    except ValueError:
        # Python writes no integer of more than 4,300 digits.
        texts = ["9" * (MAX_TEXT + 1)]
    while texts:
        value = texts.pop()
        if isinstance(value, dict | list):
            texts += value.values() if isinstance(value, dict) else value
        elif (isinstance(value, str) and len(value) > MAX_TEXT) or (
            isinstance(value, int) and abs(value) >= 10**MAX_TEXT
        ):
            raise ProofError(f"the rule {rule} gives a number of more than {MAX_TEXT} digits")
