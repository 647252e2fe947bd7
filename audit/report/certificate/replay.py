"""What fresh runs say of a certificate's finding, for a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from audit.auditors.attack.rechecking.replaying import FrozenTest, Retest
from audit.report.sheet import Adaptive, Sheet
from audit.report.words import bound_text, guarantee_words, number


def replay_lines(
    test: FrozenTest, found: Retest, alarm: float, subject: str, seed: int
) -> RenderableType:
    """The counts, what follows from them, and whether they confirm the certificate's finding."""
    guesses = found.guesses
    facts = [
        ("Claim", guarantee_words(test.claim.guarantee)),
        ("Subject", subject),
        ("Databases", _standing(test)),
        ("Fresh runs", f"{guesses.runs:,}, seed {seed}"),
        ("Right", f"{guesses.correct:,} guesses"),
        ("Wrong", f"{guesses.wrong:,} guesses"),
        ("None", f"{guesses.runs - guesses.number:,} runs without a guess"),
    ]
    if found.valid:
        facts += [
            ("p-value", f"{number(found.p_value, 2)} of the claim, on these runs alone"),
            ("Floor", f"{bound_text(found.floor)} at confidence 0.95"),
        ]

    def build(sheet: Sheet) -> RenderableType:
        return Group(sheet.pairs(facts), Text(), sheet.text(_conclusion(test, found, alarm)))

    return Adaptive(build)


def _standing(test: FrozenTest) -> str:
    steps = test.pair.distance
    what = "neighbours" if steps == 1 else f"the ends of a chain of {steps} neighbours"
    if test.pair.verified:
        return f"{what} under the claim, as was checked"
    return f"{what} under the claim on the word of whoever wrote the certificate"


def _conclusion(test: FrozenTest, found: Retest, alarm: float) -> str:
    seen = found.independence.finding
    if not found.valid:
        return f"Nothing follows: the runs are no independent draws ({seen})."
    refuted, error = found.refutes(alarm), number(alarm, 2)
    said = f"these runs {'refute' if refuted else 'do not refute'} the claim at an error of {error}"
    if found.deterministic and test.rule is None:
        return (
            f"The finding is confirmed: {seen}. If the subject is deterministic, one output tells "
            f"for certain which database it was; if it is not, {said}."
        )
    if refuted == test.refuted:
        return f"The finding is confirmed: {said}."
    if refuted:
        return f"The finding is not confirmed: {said}, where the certificate saw no violation."
    return f"The finding is not confirmed: {said}. More of them (--runs) would say more."
