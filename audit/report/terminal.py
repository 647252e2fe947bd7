"""Certificates, comparisons and channels for a terminal, as rich renderables.

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

from audit.channels.analysis import Analysis
from audit.report.certificate.attack_story import AttackStory
from audit.report.certificate.terminal_attack import attack_told
from audit.report.certificate.views import (
    CertificateView,
    EvidenceRow,
    certificate_view,
    comparison_view,
)
from audit.report.channel.channel_view import analysis_view
from audit.report.channel.measures_view import measures_view
from audit.report.channel.terminal_measures import attacker_parts, language_parts, release_parts
from audit.report.ruler import Scale
from audit.report.terminal_sheet import Adaptive, Sheet
from audit.report.terminal_text import command_lines, shown
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
    lines = [sheet.text(line) for line in (view.meaning, view.rests) if line]
    verdict = Group(Text(view.verdict, style=f"bold {style}"), *lines)
    parts: list[RenderableType] = [
        Panel(verdict, box=box.ROUNDED, border_style=style, padding=(0, 1)),
        *([sheet.text(view.caution, "bold"), Text()] if view.caution else []),
        sheet.indented(sheet.pairs(view.facts)),
        Text(),
        sheet.heading("Bounds"),
    ]
    if view.bounds:
        ruler = sheet.ruler(view.scale, view.claim, view.bounds, sheet.columns(view.bounds))
        glyph = ":" if sheet.ascii_only else "┊"
        claim = sheet.text(f"{glyph} {view.claim.text} is claimed", "dim")
        parts += [sheet.indented(ruler), sheet.indented(claim)]
    else:
        parts.append(sheet.indented(sheet.text(view.no_bounds)))
    parts += [Text(), sheet.heading("Evidence")]
    if not view.evidence:
        parts.append(sheet.indented(Text("No auditor has reported a finding.")))
    for row in view.evidence:
        parts.append(sheet.indented(_evidence(sheet, row)))
    for auditor, story in view.witnesses[:1]:
        parts += [
            Text(),
            sheet.heading(f"Witness, found by {auditor}"),
            sheet.indented(
                attack_told(sheet, story) if isinstance(story, AttackStory) else sheet.story(story)
            ),
        ]
    if len(view.witnesses) > 1:
        others = ", ".join(auditor for auditor, _ in view.witnesses[1:])
        parts.append(sheet.indented(sheet.text(f"Further witnesses, found by {others}.", "dim")))
    parts += [Text(), sheet.heading("Assumed, and not shown by this certificate")]
    for assumption in view.assumptions or ("nothing",):
        table = Table.grid(padding=(0, 1))
        table.add_row(Text("-"), sheet.text(assumption))
        parts.append(sheet.indented(table))
    parts += [Text(), sheet.heading("Make it again")]
    command = shown(view.reproduce, sheet.ascii_only)
    for line in command_lines(command, sheet.width - 2):
        parts.append(sheet.indented(Text(line, overflow="fold", no_wrap=False)))
    parts += [Text(), sheet.text(view.digest, "dim")]
    return Group(*parts)


def _no_bounds(sheet: Sheet, scale: Scale) -> Text:
    return sheet.text(f"No finding bounds {scale.symbol} from either side.")


def _evidence(sheet: Sheet, row: EvidenceRow) -> Group:
    head = Text()
    head.append(shown(row.auditor, sheet.ascii_only), style="bold")
    head.append(": ")
    head.append(row.decision, style=_TONES[row.tone])
    if row.direction:
        bound = f"   {row.bound} ({row.direction})"
        head.append(shown(bound, sheet.ascii_only))
    head.overflow = "fold"
    covers = f"covers {row.covers} ({row.whole})"
    if row.confidence != "–":
        covers += f"; confidence {row.confidence}"
    told = [row.finding, row.resolution] if row.resolution else [row.finding]
    return Group(
        head,
        *(sheet.indented(sheet.text(text)) for text in told),
        sheet.indented(sheet.text(covers, "dim")),
    )


def comparison_lines(entries: Sequence[tuple[str, Certificate]]) -> RenderableType:
    """Named certificates side by side, on one scale for each parameter that they bound."""
    view = comparison_view(entries)

    def build(sheet: Sheet) -> RenderableType:
        parts: list[RenderableType] = []
        columns = sheet.columns([mark for row in view.rows for mark in row.bounds])
        for scale, row in ((scale, row) for scale, rows in view.groups for row in rows):
            head = Text(shown(row.name, sheet.ascii_only), style="bold", overflow="fold")
            head.append("  ")
            head.append(row.verdict, style=_TONES[row.tone])
            parts += [
                head,
                sheet.indented(sheet.text(f"claim {row.claim}; {row.relative_to}", "dim")),
            ]
            if row.bounds:
                ruler = sheet.ruler(scale, row.claim_mark, row.bounds, columns)
                parts.append(sheet.indented(ruler))
            else:
                parts.append(sheet.indented(_no_bounds(sheet, scale)))
            parts.append(Text())
        if view.caution:
            parts.append(sheet.text(view.caution))
        return Group(*parts)

    return Adaptive(build)


def analysis_lines(analysis: Analysis) -> RenderableType:
    """A channel's measures, its matrix and its odds where they are small enough to read."""
    view, measures = analysis_view(analysis), measures_view(analysis)

    def build(sheet: Sheet) -> RenderableType:
        headline = sheet.text(view.epsilon, "bold")
        headline.append(
            shown("   the smallest ε of this channel, in nats", sheet.ascii_only), "dim"
        )
        parts: list[RenderableType] = [headline]
        if view.epsilon_in_full:
            parts.append(sheet.text(view.epsilon_in_full, "dim"))
        parts += [sheet.indented(sheet.pairs(view.facts)), Text()]
        parts += attacker_parts(sheet, measures)
        if view.witness is not None:
            parts += [
                sheet.heading("The most telling output"),
                sheet.indented(sheet.story(view.witness)),
                Text(),
            ]
        else:
            parts += [sheet.text(view.no_witness), Text()]
        parts += language_parts(sheet, measures)
        parts += release_parts(sheet, measures)
        parts.append(sheet.heading("The channel: Pr[output | database]"))
        if view.matrix is not None:
            parts.append(sheet.indented(sheet.grid(view.matrix)))
        else:
            parts.append(sheet.indented(sheet.text(view.no_matrix)))
        if view.odds is not None:
            parts += [
                sheet.heading("Log odds between neighbours, the larger chance in the numerator"),
                sheet.indented(sheet.grid(view.odds)),
            ]
        elif view.no_odds:
            parts.append(sheet.text(view.no_odds))
        return Group(*parts)

    return Adaptive(build)
