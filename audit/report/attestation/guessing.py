"""A claim for laypersons: how well somebody guesses who knows all but one of the records."""

from __future__ import annotations

from fractions import Fraction

from audit.disclosure.ceilings import find_ceiling
from audit.report.percentages import percent_above
from audit.statements.claim import Claim
from audit.statements.evidence import Verdict
from proofs.guarantees import Guarantee
from synthesizers.neighbours import AddRemove, Neighbours

BEFORE = "50 %"
"""How often a tossed coin is right."""


def most_right(guarantee: Guarantee) -> Fraction:
    """How often a guess of one of two neighbours, equally likely beforehand, is right at most.

    Guarantee
    ---------
    No guesser of a mechanism that keeps the guarantee is right more often: it is half of one plus
    the ceiling of the advantage, rounded up. Backed by
    ``tests/audit/report/attestation/test_guessing.py``.
    """
    return (1 + find_ceiling(guarantee, 1).advantage) / 2


def describe_guess(claim: Claim, verdict: Verdict) -> tuple[str, str, str]:
    """How often a guess is right before and after the release, and the sentence around both.

    Where the claim is refuted, or where findings contradict each other, nothing bounds the second.
    """
    after = f"at most {percent_above(most_right(claim.guarantee))}"
    asked = _describe_question(claim.neighbours)
    knows = (
        f"Somebody knows every record but those in question, and guesses {asked}. With a coin to "
        f"go by, the guess is right {BEFORE} of the time"
    )
    if verdict in (Verdict.PROVED, Verdict.EXACT):
        return BEFORE, after, f"{knows}; with the release to go by, {after}."
    if verdict in (Verdict.NOT_REFUTED, Verdict.UNDECIDED):
        after = f"{after}, if the claim is true"
        return BEFORE, after, f"{knows}; with the release to go by, {after}, which is not shown."
    return (
        BEFORE,
        "no limit is known",
        f"{knows}; with the release to go by, no limit is known.",
    )


def describe_unit(relation: Neighbours) -> str:
    """The unit as a label has it."""
    unit = relation.unit
    return "a record" if unit.is_record else f"a person with at most {unit.max_records} records"


def _describe_question(relation: Neighbours) -> str:
    person = not relation.unit.is_record
    if isinstance(relation, AddRemove):
        return f"whether one {'person' if person else 'record'} is in the table"
    return f"which of two {'persons' if person else 'records'} is in the table"
