"""The decision of a statement: by a theorem, by a counterexample, or not at all."""

from __future__ import annotations

from dataclasses import dataclass

from proving import prove_statement
from reading import Formal
from refuting import refute


class ContradictionError(Exception):
    """A statement was both proved and refuted: one of the two is unsound."""


@dataclass(frozen=True)
class Decision:
    """``truth``: what was decided, None where it is open; ``because``: on what grounds.

    ``kernel_only``: the theorem holds a number that the independent checker can't afford.
    """

    truth: bool | None
    because: str
    kernel_only: bool = False


def decide(formal: Formal) -> Decision:
    """Decide a statement, which does not say whether it is true.

    Both ways are always tried. Raises ContradictionError where both succeed.
    """
    proof, counterexample = prove_statement(formal), refute(formal)
    if proof is not None and counterexample is not None:
        raise ContradictionError(
            f"proved by {', '.join(proof.rules)}, and refuted: {counterexample.words}"
        )
    if proof is not None:
        return Decision(True, f"proved by {', '.join(proof.rules)}", proof.kernel_only)
    if counterexample is not None:
        return Decision(False, counterexample.words)
    return Decision(None, "neither a proof nor a counterexample was found")
