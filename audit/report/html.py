"""One self-contained HTML file of a page, which loads nothing from elsewhere.

Only the page of a review has a script, which sorts and filters its tables; they read well without.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from audit.channels.channel import Channel
from audit.report.attestation.label import Label
from audit.report.certificate.attack import AttackStory
from audit.report.certificate.view import certificate_view
from audit.report.channel.heatmap import Shade, common_shade, heat_map
from audit.report.channel.measures import measures_view
from audit.report.channel.view import analysis_view
from audit.report.comparison.rulers import comparison_view
from audit.report.contrast import writing_on
from audit.report.page import (
    AnalysisSection,
    CertificateSection,
    ComparisonSection,
    FoldedSection,
    Page,
    ReviewSection,
    Section,
    SubmissionSection,
    TableSection,
    TextSection,
    UtilitySection,
    unfold,
)
from audit.report.picture import ramp
from audit.report.review.view import review_view, submission_view
from audit.report.utility.phrases import PHRASES
from audit.report.utility.view import utility_view
from audit.report.words import clean


def render(page: Page) -> str:
    """The page as HTML text, well formed as XML too.

    Guarantee
    ---------
    Whatever text a page holds is shown as text: it is escaped, and characters
    that hide or reorder others are spelled out. Backed by
    ``tests/audit/report/test_html.py``.
    """
    template = _templates().get_template("page.html")
    plain = [unfold(section) for section in page.sections]
    shade = common_shade(_channels(plain))
    return template.render(
        page=page,
        sections=[(section, *_view(section, shade)) for section in page.sections],
        of_utility=any(isinstance(s, UtilitySection) for s in plain),
        of_review=any(isinstance(s, ReviewSection | SubmissionSection) for s in plain),
        of_privacy=not all(isinstance(s, UtilitySection) for s in plain),
        ramps=[(dark, _steps(ramp(dark))) for dark in (False, True)],
        sides=[_steps(ramp(dark, two_sided=True)) for dark in (False, True)],
    )


def render_label(label: Label) -> str:
    """A label as HTML text of one printed page; the same holds of its text as of a page's."""
    return _templates().get_template("label.html").render(label=label)


def _channels(sections: Sequence[Section]) -> list[Channel]:
    """The channels of which a heat map is drawn: on one page, by one scale of colours."""
    analysed = [
        section.analysis.channel for section in sections if isinstance(section, AnalysisSection)
    ]
    return [channel for channel in analysed if isinstance(channel, Channel)]


def _steps(colours: Sequence[str]) -> list[tuple[int, str, str]]:
    """The number of every step of a ramp, its colour, and that of the writing on it."""
    return [(step, colour, writing_on(colour)) for step, colour in enumerate(colours)]


def _view(section: Section, shade: Shade) -> tuple[str, Any]:
    """The template of a section, and what it shows beside the section's own text."""
    match section:
        case FoldedSection():
            return "folded.html", _view(section.section, shade)
        case CertificateSection():
            return "certificate.html", certificate_view(section.certificate)
        case ComparisonSection():
            return "comparison.html", comparison_view(section.entries)
        case AnalysisSection():
            channel = section.analysis.channel
            return "analysis.html", {
                "channel": analysis_view(section.analysis),
                "measures": measures_view(section.analysis),
                "map": heat_map(channel, shade) if isinstance(channel, Channel) else None,
            }
        case UtilitySection():
            return "utility.html", utility_view(section.results)
        case ReviewSection():
            return "review.html", review_view(section.review)
        case SubmissionSection():
            view = submission_view(section.submission, section.references, section.absent)
            return "submission.html", view
        case TableSection():
            return "table.html", None
        case TextSection():
            return "text.html", None


@cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("audit.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_to_html,
    )
    templates.globals.update(infinity=math.inf, phrases=PHRASES)
    templates.tests["sampled"] = lambda story: isinstance(story, AttackStory)
    return templates


def _to_html(value: Any) -> Any:
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
