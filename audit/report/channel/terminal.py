"""A channel for a terminal: its measures in words and numbers, and its matrix where it is small."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from audit.channels.analysis import Analysis
from audit.report.channel.measures import MeasuresView, measures_view
from audit.report.channel.release import ReleaseView
from audit.report.channel.view import AnalysisView, analysis_view
from audit.report.picture import Spans
from audit.report.sheet import Adaptive, Sheet


def analysis_lines(analysis: Analysis) -> RenderableType:
    """A channel's measures, its matrix and its odds where they are small enough to read."""
    view, measures = analysis_view(analysis), measures_view(analysis)
    return Adaptive(lambda sheet: _analysis(sheet, view, measures))


def _analysis(sheet: Sheet, view: AnalysisView, measures: MeasuresView) -> RenderableType:
    headline = sheet.text(view.epsilon, "bold")
    headline.append(sheet.spell("   the smallest ε of this channel, in nats"), "dim")
    parts: list[RenderableType] = [
        headline,
        *(sheet.text(text, "dim") for text in (view.epsilon_in_full,) if text),
        sheet.pairs(view.facts),
        Text(),
        *_attacker(sheet, measures),
    ]
    if view.witness is not None:
        parts += [
            sheet.heading("The most telling output"),
            sheet.indent(sheet.story(view.witness)),
        ]
    else:
        parts.append(sheet.text(view.no_witness))
    parts += [
        Text(),
        *_languages(sheet, measures),
        *_release(sheet, "Distance from the optimum", measures.optimum, measures.gaps["optimum"]),
        *_release(sheet, "What the release protects", measures.rows, measures.gaps["rows"]),
        sheet.heading("The channel: Pr[output | database]"),
        *([] if view.matrix is None else [sheet.grid(view.matrix)]),
        *sheet.lines([view.no_matrix]),
    ]
    if view.odds is not None:
        heading = "Log odds between neighbours, the larger chance in the numerator"
        parts += [sheet.heading(heading), sheet.grid(view.odds)]
    elif view.no_odds:
        parts.append(sheet.text(view.no_odds))
    return Group(*parts)


def _attacker(sheet: Sheet, view: MeasuresView) -> list[RenderableType]:
    """What the best attacker sees."""
    parts: list[RenderableType] = [sheet.heading("What the best attacker sees")]
    if view.attacker.rises is not None:
        parts += [_spans(sheet, view.attacker.rises), Text()]
    parts += sheet.lines(view.attacker.sentences)
    return [*parts, *sheet.lines(view.gaps["attacker"], "dim"), Text()]


def _languages(sheet: Sheet, view: MeasuresView) -> list[RenderableType]:
    """The channel in every language of privacy, and at chosen values of ε."""
    parts: list[RenderableType] = []
    if view.languages or view.gaps["languages"]:
        parts.append(sheet.heading("In every language of privacy"))
        for language in view.languages:
            parts += sheet.lines([f"{language.value}   ({language.name})"], "bold")
            parts.append(sheet.indent(Group(*sheet.lines([language.meaning]))))
        parts += [*sheet.lines(view.gaps["languages"], "dim"), Text()]
    if view.plots:
        parts += [sheet.pairs((plot.title, plot.fact) for plot in view.plots), Text()]
    if view.renyi is not None:
        parts += [sheet.heading("Rényi divergences by order, in nats"), sheet.grid(view.renyi)]
    if view.groups is not None:
        heading = "Databases that are several steps between neighbours apart"
        parts += [sheet.heading(heading), sheet.grid(view.groups)]
    if view.groups_note:
        parts += [*sheet.lines([view.groups_note], "dim"), Text()]
    if view.chosen is not None:
        parts += [sheet.heading("At chosen values of ε"), sheet.grid(view.chosen.turned())]
        parts += [*sheet.lines(view.law_notes, "dim"), Text()]
    return parts


def _release(
    sheet: Sheet, title: str, view: ReleaseView | None, gaps: tuple[str, ...]
) -> list[RenderableType]:
    if view is None and not gaps:
        return []
    parts: list[RenderableType] = [sheet.heading(title), *sheet.lines(gaps, "dim")]
    if view is not None:
        parts += sheet.lines(view.sentences)
        if view.grid is not None:
            parts += [Text(), sheet.grid(view.grid.turned())]
        elif view.spans is not None:
            parts.append(_spans(sheet, view.spans))
        parts += sheet.lines(view.notes, "dim")
    return [*parts, Text()]


def _spans(sheet: Sheet, spans: Spans) -> RenderableType:
    return sheet.pairs((row.name, row.text) for row in spans.rows)
