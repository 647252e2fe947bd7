"""The measures of a channel for a terminal: the facts of the pictures, without the pictures."""

from __future__ import annotations

from rich.console import RenderableType
from rich.text import Text

from audit.report.channel.measures_view import MeasuresView
from audit.report.channel.release_view import ReleaseView
from audit.report.picture import Spans
from audit.report.terminal_sheet import Sheet


def attacker_parts(sheet: Sheet, view: MeasuresView) -> list[RenderableType]:
    """What the best attacker sees."""
    parts: list[RenderableType] = [sheet.heading("What the best attacker sees")]
    if view.attacker.rises is not None:
        parts += [_spans(sheet, view.attacker.rises), Text()]
    parts += [sheet.indented(sheet.text(sentence)) for sentence in view.attacker.sentences]
    return [*parts, *_missing(sheet, view.gaps["attacker"]), Text()]


def language_parts(sheet: Sheet, view: MeasuresView) -> list[RenderableType]:
    """The channel in every language of privacy, and at chosen values of ε."""
    parts: list[RenderableType] = []
    if view.languages or view.gaps["languages"]:
        parts.append(sheet.heading("In every language of privacy"))
        for language in view.languages:
            parts += [
                sheet.indented(sheet.text(f"{language.value}   ({language.name})", "bold")),
                sheet.indented(sheet.indented(sheet.text(language.meaning))),
            ]
        parts += [*_missing(sheet, view.gaps["languages"]), Text()]
    facts = [(plot.title, plot.fact) for plot in view.plots if plot.fact]
    if facts:
        parts += [sheet.indented(sheet.pairs(facts)), Text()]
    if view.renyi is not None:
        parts += [
            sheet.heading("Rényi divergences by order, in nats"),
            sheet.indented(sheet.grid(view.renyi)),
        ]
    if view.groups is not None:
        parts += [
            sheet.heading("Databases that are several steps between neighbours apart"),
            sheet.indented(sheet.grid(view.groups)),
        ]
    if view.groups_note:
        parts += [sheet.indented(sheet.text(view.groups_note, "dim")), Text()]
    if view.chosen is not None:
        parts += [
            sheet.heading("At chosen values of ε"),
            sheet.indented(sheet.grid(view.chosen.turned())),
            *(sheet.indented(sheet.text(note, "dim")) for note in view.law_notes),
            Text(),
        ]
    return parts


def release_parts(sheet: Sheet, view: MeasuresView) -> list[RenderableType]:
    """The distance from the optimum, and what the release protects."""
    return [
        *_release(sheet, "Distance from the optimum", view.optimum, view.gaps["optimum"]),
        *_release(sheet, "What the release protects", view.rows, view.gaps["rows"]),
    ]


def _release(
    sheet: Sheet, title: str, view: ReleaseView | None, gaps: tuple[str, ...]
) -> list[RenderableType]:
    if view is None and not gaps:
        return []
    parts: list[RenderableType] = [sheet.heading(title), *_missing(sheet, gaps)]
    if view is not None:
        parts += [sheet.indented(sheet.text(sentence)) for sentence in view.sentences]
        if view.grid is not None:
            parts += [Text(), sheet.indented(sheet.grid(view.grid.turned()))]
        elif view.spans is not None:
            parts.append(_spans(sheet, view.spans))
        parts += [sheet.indented(sheet.text(note, "dim")) for note in view.notes]
    return [*parts, Text()]


def _spans(sheet: Sheet, spans: Spans) -> RenderableType:
    return sheet.indented(sheet.pairs([(row.name, row.text) for row in spans.rows]))


def _missing(sheet: Sheet, lines: tuple[str, ...]) -> list[RenderableType]:
    return [sheet.indented(sheet.text(line, "dim")) for line in lines]
