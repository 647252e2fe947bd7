"""What an attacker gains from one release, as sentences and as spans from before to after."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from audit.channels.analysis import Analysis
from audit.channels.measures.unavailable import Unavailable
from audit.report.channel.attacker_words import guess_words, last_record_words, naming_words
from audit.report.channel.laws import LAWS
from audit.report.percentages import at_least, percent
from audit.report.picture import Span, Spans, percentages
from audit.statements.decimals import Enclosure


@dataclass(frozen=True)
class AttackerView:
    """``rises``: the attackers' certainty before and after; None where there is no rise to draw."""

    sentences: tuple[str, ...]
    rises: Spans | None


def attacker_view(analysis: Analysis) -> AttackerView:
    """The attackers of an analysis, those that were measured."""
    channel, record, guess = analysis.channel, analysis.last_record, analysis.guess
    sentences = [last_record_words(record, channel.domain, channel.neighbours)]
    rises = []
    if record.witness is not None:
        rises.append(_rise("The last record", record.prior, record.posterior))
    if not isinstance(guess, Unavailable):
        sentences.append(guess_words(guess))
        if guess.witness is not None:
            rises.append(_rise("Which of two neighbours", guess.without, guess.right))
    if not isinstance(analysis.namings, Unavailable):
        for name, naming in analysis.namings.items():
            sentences.append(naming_words(name, naming))
            rises.append(_rise(LAWS[name].names, naming.without, naming.right))
    if not rises:
        return AttackerView(tuple(sentences), None)
    return AttackerView(
        tuple(sentences),
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
