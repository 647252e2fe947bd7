"""Certificates and comparisons for a terminal, as rich renderables.

They fit the console's width, need no colour, and use ASCII alone where the
console's encoding is not UTF-8.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from audit.report.certificate.attack import AttackStory
from audit.report.certificate.view import (
    CertificateView,
    EvidenceRow,
    certificate_view,
    no_bounds,
)
from audit.report.certificate.witness import Story
from audit.report.comparison.rulers import comparison_view
from audit.report.sheet import Adaptive, Sheet
from audit.statements.certificate import Certificate

_TONES = {
    "proved": "green",
    "exact": "green",
    "holds": "green",
    "not-refuted": "blue",
    "undecided": "yellow",
    "another-instance": "blue",
    "left-open": "yellow",
    "no-violation-seen": "blue",
    "declaration-kept": "blue",
    "declaration-kept-up-to-rounding": "blue",
    "declaration-exceeded": "red",
    "invalid-run": "yellow",
    "refuted": "red",
    "violated": "red",
    "contradiction": "magenta",
}


def certificate_lines(certificate: Certificate) -> RenderableType:
    """A certificate in full."""
    view = certificate_view(certificate)
    return Adaptive(lambda sheet: _certificate(sheet, view))


def _certificate(sheet: Sheet, view: CertificateView) -> RenderableType:
    style = _TONES[view.tone]
    certainty = str(view.answers.certainty or "")
    meaning = [sheet.text(line) for line in (view.meaning, certainty, view.rests) if line]
    verdict = Group(Text(view.verdict, style=f"bold {style}"), *meaning)
    parts: list[RenderableType] = [
        Panel(verdict, box=box.ROUNDED, border_style=style, padding=(0, 1)),
        *([sheet.text(view.caution, "bold"), Text()] if view.caution else []),
        sheet.pairs(view.facts),
        Text(),
        sheet.heading("Bounds"),
        *bounds_parts(sheet, view),
        Text(),
        sheet.heading("Evidence"),
        *(sheet.indent(_evidence(sheet, row)) for row in view.evidence),
    ]
    if not view.evidence:
        parts += sheet.lines(["No auditor has reported a finding."])
    for auditor, story in view.witnesses[:1]:
        parts += [Text(), *witness_parts(sheet, f"Witness, found by {auditor}", story)]
    if len(view.witnesses) > 1:
        others = ", ".join(auditor for auditor, _ in view.witnesses[1:])
        parts += sheet.lines([f"The certificate has further witnesses, found by {others}."], "dim")
    parts += [Text(), sheet.heading("Assumed, and not shown by this certificate")]
    for assumption in view.assumptions or ("nothing",):
        table = Table.grid(padding=(0, 1))
        table.add_row(Text("-"), sheet.text(assumption))
        parts.append(sheet.indent(table))
    parts += [Text(), sheet.heading("Make it again"), sheet.command(view.reproduce)]
    return Group(*parts, Text(), sheet.text(view.digest, "dim"))


def bounds_parts(sheet: Sheet, view: CertificateView) -> list[RenderableType]:
    """The bounds beside the claim on a ruler, or why there are none."""
    if not view.bounds:
        return sheet.lines([view.no_bounds])
    ruler = sheet.ruler(view.scale, view.claim, view.bounds, sheet.columns(view.bounds))
    glyph = ":" if sheet.ascii_only else "┊"
    return [ruler, *sheet.lines([f"{glyph} {view.claim.text} is claimed"], "dim")]


def witness_parts(sheet: Sheet, heading: str, story: Story | AttackStory) -> list[RenderableType]:
    """A witness under a heading."""
    body = _attack(sheet, story) if isinstance(story, AttackStory) else sheet.story(story)
    return [sheet.heading(heading), sheet.indent(body)]


def _attack(sheet: Sheet, story: AttackStory) -> Group:
    """A sampled witness in words, with a small table of its guesses."""
    about = (story.difference, story.distance, story.standing, story.searched)
    parts: list[RenderableType] = [
        *(sheet.text(text) for text in about if text),
        sheet.pairs(story.databases),
        Text(),
        sheet.text(f"{story.heading}:"),
        *sheet.lines(story.events),
        *sheet.lines([story.events_left_out], "dim"),
        Text(),
    ]
    if story.counts is not None:
        parts.append(sheet.grid(story.counts))
    parts += [sheet.text(text) for text in (story.seen, story.allowed, story.strength) if text]
    parts += [Text(), sheet.text("Tested on fresh randomness by:"), sheet.command(story.command)]
    if story.digest:
        parts.append(sheet.text(f"The rule's digest: {story.digest}", "dim"))
    return Group(*parts)


def _evidence(sheet: Sheet, row: EvidenceRow) -> Group:
    head = sheet.text(row.auditor, "bold")
    head = Text.assemble(head, ": ", (row.decision, _TONES[row.tone]), overflow="fold")
    if row.direction:
        head.append(sheet.spell(f"   {row.bound} ({row.direction})"))
    covers = f"covers {row.covers} ({row.whole})"
    if row.confidence != "–":
        covers += f"; confidence {row.confidence}"
    return Group(
        head, *sheet.lines([row.finding, row.cause, row.unseen]), *sheet.lines([covers], "dim")
    )


def comparison_lines(entries: Sequence[tuple[str, Certificate]]) -> RenderableType:
    """Named certificates side by side, on one scale for each yardstick of their claims."""
    view = comparison_view(entries)

    def build(sheet: Sheet) -> RenderableType:
        parts: list[RenderableType] = []
        columns = sheet.columns([mark for row in view.rows for mark in row.bounds])
        for place, (yardstick, scale, rows) in enumerate(view.groups, start=1):
            if len(view.groups) > 1:
                ruler = f"Ruler {place} of {len(view.groups)}: {yardstick}"
                parts += [sheet.text(ruler, "bold underline"), Text()]
            for row in rows:
                head = sheet.text(row.name, "bold").append("  ")
                head = Text.assemble(head, (row.verdict, _TONES[row.tone]), overflow="fold")
                parts += [head, *sheet.lines([f"claim {row.claim}; {row.relative_to}"], "dim")]
                if row.bounds:
                    parts.append(sheet.ruler(scale, row.claim_mark, row.bounds, columns))
                else:
                    parts += sheet.lines([no_bounds(scale.symbol)])
                parts.append(Text())
        return Group(*parts, *(sheet.text(text) for text in (view.caution,) if text))

    return Adaptive(build)
