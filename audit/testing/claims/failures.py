"""What a failing test prints: the ruler, the witness, the smallest pair as code, the replay."""

from __future__ import annotations

import io
import textwrap
from dataclasses import replace

from rich.console import Console, Group, RenderableType
from rich.text import Text

from audit.report.certificate.attack import AttackStory
from audit.report.certificate.findings import findings_lines
from audit.report.certificate.terminal import bounds_parts, witness_parts
from audit.report.certificate.view import CertificateView, certificate_view
from audit.report.certificate.witness import story
from audit.report.sheet import Adaptive, Sheet
from audit.statements.evidence import Decision, Verdict
from audit.testing.claims.checked import Checked

WIDTH = 96
"""Columns (a failure is read in logs that are wider than a terminal of
80, and indented by some)."""


FRESH = "certify(..., pair=(first, second), seed=1), or any other seed"
"""What tests a rule's pair on fresh randomness."""


def failure_text(checked: Checked, replay: str = "the same call: its seed is fixed") -> str:
    """The failure as plain text; ``replay``: what makes it again."""
    parts = [as_text(Adaptive(lambda sheet: _failure_group(sheet, checked)))]
    if checked.code:
        # Outside of the layout, whose lines are broken at its width.
        code = textwrap.indent(checked.code, "    ")
        parts += ["", "The smallest pair, as a test that fails by itself", "", code]
    return "\n".join([*parts, "", f"Make it again: {replay}"])


def as_text(part: RenderableType) -> str:
    """A report as text without colours, `WIDTH` columns wide."""
    page = io.StringIO()
    console = Console(file=page, width=WIDTH, no_color=True, force_terminal=False, highlight=False)
    console.print(part)
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines()).strip("\n")


def _failure_group(sheet: Sheet, checked: Checked) -> Group:
    parts: list[RenderableType] = [sheet.text(_headline(checked)), Text()]
    if checked.trouble:
        parts += [sheet.text(checked.trouble), Text()]
    if any(finding.about == "exceptions" for finding in checked.violations):
        parts += [sheet.text(_exceptions(checked)), Text()]
    if checked.certificate is not None:
        view = certificate_view(checked.certificate)
        if checked.verdict is Verdict.UNDECIDED:
            parts += [sheet.text(view.meaning), Text()]
        parts += [*bounds_parts(sheet, view), Text()]
        parts += _witness(sheet, checked, view)
    # Of a program the smallest pair stands above already.
    hidden = checked.smallest is not None
    others = [
        replace(finding, pair=None) if hidden else finding
        for finding in checked.violations
        if not finding.about.startswith("the claim ")
    ]
    if others:
        parts += [sheet.heading("What single properties show"), findings_lines(others)]
    return Group(*parts)


def _headline(checked: Checked) -> str:
    claim = checked.claim
    asserted = f"{claim.guarantee} under {claim.neighbours.name}, {claim.covers}"
    if checked.verdict is None:
        return f"{checked.name} broke the protocol: {asserted} could not be checked"
    if checked.verdict in (Verdict.REFUTED, Verdict.CONTRADICTION):
        return f"{checked.name} does not keep {asserted}"
    if checked.verdict not in checked.accepted:
        wanted = " or ".join(verdict.value for verdict in checked.accepted)
        headline = f"{checked.verdict.value}: {checked.name}, {asserted}; expected {wanted}"
        return headline + _out_of_reach(checked)
    return f"{checked.name} shows more of its data than {asserted} allows"


def _exceptions(checked: Checked) -> str:
    """What to look at first where the subject fails on some databases, often by mistake."""
    domain = checked.claim.domain
    named = "" if domain is None else f" The attributes of a record are: {', '.join(domain.names)}."
    return (
        f"{checked.name} raises an exception on one database and not on its neighbour, which an "
        f"attacker can see. If it is a mistake in the code, mend that first.{named}"
    )


def _out_of_reach(checked: Checked) -> str:
    """Why a test that found nothing wrong can't be shown what it requires, and what to do."""
    if checked.verdict is not Verdict.NOT_REFUTED or checked.certificate is None:
        return ""
    if checked.pair is not None:
        return ". A pair alone can refute a claim and not show it: leave out require, or the pair."
    return (
        ". Runs can refute a claim and not show it: write the mechanism as a program of a curator, "
        "which can be proved, or leave out require."
    )


def _witness(sheet: Sheet, checked: Checked, view: CertificateView) -> list[RenderableType]:
    smallest = checked.smallest
    if smallest is not None:
        told = story(
            smallest.witness,
            smallest.claim.require_domain(),
            smallest.claim.guarantee,
            Decision.VIOLATED,
        )
        size = f"The smallest violation, {smallest.claim.covers}"
        return [*witness_parts(sheet, size, told), Text()]
    parts: list[RenderableType] = []
    for auditor, witness in view.witnesses[:1]:
        if isinstance(witness, AttackStory):
            witness = replace(witness, command=FRESH)
        parts += [*witness_parts(sheet, f"Witness, found by {auditor}", witness), Text()]
    return parts
