"""Certificates side by side, as the strings that every form of report lays out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.report.ruler import Mark, Scale, bound_marks, claim_mark, common_scale, power_marks
from audit.report.words import yardstick_words
from audit.review.comparison.yardsticks import group_claims
from audit.statements.certificate import Certificate
from proofs.guarantees import ApproxDP, RenyiDP
from synthesizers.neighbours import describe


@dataclass(frozen=True)
class ComparisonRow:
    """One certificate of a comparison."""

    name: str
    verdict: str
    tone: str
    claim: str
    relative_to: str
    claim_mark: Mark
    bounds: tuple[Mark, ...]

    def bound(self, kind: str) -> str:
        """The text of a side's bound, or a dash."""
        return next((mark.text for mark in self.bounds if mark.kind == kind), "–")


@dataclass(frozen=True)
class ComparisonView:
    """Certificates side by side.

    ``groups``: those whose claims have one yardstick, in words, on its axis; ``caution``: in what
    the certificates are not alike, or empty.
    """

    rows: tuple[ComparisonRow, ...]
    groups: tuple[tuple[str, Scale, tuple[ComparisonRow, ...]], ...]
    caution: str


def comparison_view(entries: Sequence[tuple[str, Certificate]]) -> ComparisonView:
    """Several certificates, on one scale for each yardstick of their claims."""
    rows = []
    for name, certificate in entries:
        claim = certificate.claim
        verdict = certificate.verdict
        rows.append(
            ComparisonRow(
                name,
                verdict.value,
                verdict.name.lower().replace("_", "-"),
                str(claim.guarantee),
                f"{claim.neighbours.name}, {claim.released}, {claim.covers}",
                claim_mark(certificate),
                (*bound_marks(certificate), *power_marks(certificate)),
            )
        )
    alike = group_claims([certificate.claim for _, certificate in entries])
    groups = tuple(
        (
            yardstick_words(stick),
            common_scale([entries[k][1] for k in places]),
            tuple(rows[k] for k in places),
        )
        for stick, places in alike.items()
    )
    return ComparisonView(tuple(rows), groups, _caution(entries))


def _caution(entries: Sequence[tuple[str, Certificate]]) -> str:
    aspects = {
        "neighbours": [describe(c.claim.neighbours) for _, c in entries],
        "what is released": [c.claim.released for _, c in entries],
        "the databases covered": [c.claim.covers for _, c in entries],
        "the kind of guarantee": [type(c.claim.guarantee).__name__ for _, c in entries],
        "δ": [
            str(c.claim.guarantee.delta)
            for _, c in entries
            if isinstance(c.claim.guarantee, ApproxDP)
        ],
        "the order α": [
            str(c.claim.guarantee.alpha)
            for _, c in entries
            if isinstance(c.claim.guarantee, RenyiDP)
        ],
    }
    unlike = [name for name, values in aspects.items() if len(set(values)) > 1]
    if not unlike:
        return ""
    return (
        f"These certificates differ in {', '.join(unlike)}: their bounds answer different "
        "questions, and the smaller is not for that reason the more private."
    )
