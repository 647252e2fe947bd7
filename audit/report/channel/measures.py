"""All measures of a channel in the order that tells their story, and why some are missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from audit.channels.analysis import Analysis
from audit.channels.measures.groups import GroupLosses
from audit.channels.measures.optimum import Optimum
from audit.channels.measures.profile import Profile
from audit.channels.measures.rows import RowView
from audit.channels.measures.tradeoff import Tradeoff
from audit.channels.measures.unavailable import Unavailable
from audit.report.channel.attacker import AttackerView, attacker_view
from audit.report.channel.groups_plot import groups_plot
from audit.report.channel.languages import (
    Language,
    chosen_grid,
    groups_grid,
    groups_note,
    languages,
    law_notes,
    renyi_grid,
)
from audit.report.channel.profile_plot import profile_plot
from audit.report.channel.release import ReleaseView, optimum_view, rows_view
from audit.report.channel.renyi_plot import renyi_plot
from audit.report.channel.tradeoff_plot import tradeoff_plot
from audit.report.grid import Grid
from audit.report.picture import Plot

PARTS: Mapping[str, Mapping[str, str]] = {
    "attacker": {
        "guess": "telling two neighbours apart",
        "namings": "naming the confidential database",
    },
    "languages": {
        "zcdp": "ρ of zero-concentrated privacy",
        "gdp": "μ of Gaussian privacy",
        "profile": "the privacy profile",
        "tradeoff": "the trade-off function",
        "groups": "group privacy",
    },
    "optimum": {"optimum": "the distance from the optimum"},
    "rows": {"rows": "the row view"},
}
"""The measures that may be unavailable, with their names, by the part of the report they are in."""


@dataclass(frozen=True)
class MeasuresView:
    """The measures in words and pictures.

    ``gaps``: by part, lines that say what is not available and why. ``languages`` and all that
    belongs to them are empty where no two databases are neighbours.
    """

    attacker: AttackerView
    languages: tuple[Language, ...]
    plots: tuple[Plot, ...]
    renyi: Grid | None
    groups: Grid | None
    groups_note: str
    chosen: Grid | None
    law_notes: tuple[str, ...]
    optimum: ReleaseView | None
    rows: ReleaseView | None
    gaps: Mapping[str, tuple[str, ...]]


def measures_view(analysis: Analysis) -> MeasuresView:
    """The measures of an analysis."""
    compared = len(analysis.channel.pairs) > 0
    groups = analysis.groups
    return MeasuresView(
        attacker_view(analysis),
        languages(analysis) if compared else (),
        _plots(analysis) if compared else (),
        renyi_grid(analysis) if compared else None,
        groups_grid(groups) if isinstance(groups, GroupLosses) else None,
        groups_note(groups),
        chosen_grid(analysis),
        law_notes(analysis),
        optimum_view(analysis.optimum) if isinstance(analysis.optimum, Optimum) else None,
        rows_view(analysis.rows, analysis.channel.domain)
        if isinstance(analysis.rows, RowView)
        else None,
        gaps(analysis),
    )


def _plots(analysis: Analysis) -> tuple[Plot, ...]:
    pure = analysis.epsilon.enclosure
    found = [
        profile_plot(analysis.profile, pure, analysis.deltas)
        if isinstance(analysis.profile, Profile)
        else None,
        tradeoff_plot(analysis.tradeoff, analysis.gdp)
        if isinstance(analysis.tradeoff, Tradeoff)
        else None,
        renyi_plot(analysis.renyi, analysis.zcdp, pure),
        groups_plot(analysis.groups) if isinstance(analysis.groups, GroupLosses) else None,
    ]
    return tuple(plot for plot in found if plot is not None)


def gaps(analysis: Analysis) -> dict[str, tuple[str, ...]]:
    """What is not available, and why, by part.

    A reason that several measures share is said once, in the part where it is first met.
    """
    met: dict[str, tuple[str, list[str]]] = {}
    for part, names in PARTS.items():
        for field, name in names.items():
            value = getattr(analysis, field)
            if isinstance(value, Unavailable):
                met.setdefault(value.reason, (part, []))[1].append(name)
    return {
        part: tuple(
            _gap(names, reason, alone=len(PARTS[part]) == 1)
            for reason, (first, names) in met.items()
            if first == part
        )
        for part in PARTS
    }


def _gap(names: list[str], reason: str, alone: bool) -> str:
    if alone and len(names) == 1:
        return f"Not available: {reason}."
    return f"Not available ({', '.join(names)}): {reason}."
