"""What an attacker gains from one release, as sentences and as spans from before to after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from audit.analysis import Analysis
from audit.decimals import Enclosure
from audit.measures.unavailable import Unavailable
from audit.report.attacker_words import at_least, attacker_words, percent
from audit.report.curve import percentages
from audit.report.spans import Span, Spans

NAMING: Mapping[str, str] = {
    "uniform": "Which database, all equally likely",
    "multinomial": "Which database, records drawn at random",
}
"""What an attacker names, by the prior's name."""


@dataclass(frozen=True)
class AttackerView:
    """``rises``: the attackers' certainty before and after; None where there is no rise to draw."""

    sentences: tuple[str, ...]
    rises: Spans | None


def attacker_view(analysis: Analysis) -> AttackerView:
    """The attackers of an analysis, those that were measured."""
    channel, record, guess = analysis.channel, analysis.last_record, analysis.guess
    words = attacker_words(record, guess, analysis.namings, channel.domain, channel.neighbours)
    sentences = (words.last_record, *((words.guess,) if words.guess else ()), *words.naming)
    rises = []
    if record.witness is not None:
        rises.append(_rise("The last record", record.prior, record.posterior))
    if not isinstance(guess, Unavailable) and guess.witness is not None:
        rises.append(_rise("Which of two neighbours", guess.without, guess.right))
    if not isinstance(analysis.namings, Unavailable):
        for name, naming in analysis.namings.items():
            what = NAMING.get(name, f"Which database, prior “{name}”")
            rises.append(_rise(what, naming.without, naming.right))
    if not rises:
        return AttackerView(sentences, None)
    return AttackerView(
        sentences,
        Spans(
            "How sure an attacker is, before and after one release",
            percentages("chance of being right"),
            "before the release",
            "after it",
            tuple(rises),
        ),
    )


def _rise(name: str, before: Fraction, after: Enclosure) -> Span:
    text = f"{percent(before)} → {at_least(after)}"
    return Span(name, text, float(before), float(after.upper))
