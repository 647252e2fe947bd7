"""What an attacker gains from one release, as sentences and as spans from before to after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from audit.channels.analysis import Analysis
from audit.channels.measures.attacker import EVENS, Guess, LastRecord, Naming
from audit.channels.measures.unavailable import Unavailable
from audit.report.channel.laws import LAWS
from audit.report.percentages import at_least, percent
from audit.report.picture import Span, Spans, percentages
from audit.report.words import cell_name, short, vector
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Witness
from synthesizers.domain import Domain
from synthesizers.neighbours import Neighbours


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


def last_record_words(record: LastRecord, domain: Domain, neighbours: Neighbours) -> str:
    """The attacker who knows all records but one."""
    witness = record.witness
    if witness is None:
        return "No two of the databases are neighbours: no attacker can be one record short."
    if record.gain.upper == 1:
        return "No release tells an attacker who knows all records but one anything about the last."
    known, claim, rival = _question(witness, domain, neighbours)
    held = (
        f"thought it a coin flip whether {claim} or {rival}"
        if record.prior == EVENS
        else f"held it {percent(record.prior)} likely that {claim}, and otherwise {rival},"
    )
    sure = "certain" if record.posterior.lower == 1 else f"{at_least(record.posterior)} sure"
    return (
        f"Knowing all records but {known}, and seeing the release {_spell(witness.event[0])}, "
        f"an attacker who {held} is now {sure} that {claim}."
    )


def _question(witness: Witness, domain: Domain, neighbours: Neighbours) -> tuple[str, str, str]:
    """What the attacker lacks, what is claimed of it, and the rival claim."""
    steps = [b - a for a, b in zip(witness.source, witness.target, strict=True)]
    lost = [cell for cell, step in enumerate(steps) if step < 0]
    gained = [cell for cell, step in enumerate(steps) if step > 0]
    if not neighbours.unit.is_record:
        return "one person's", f"the database is {_spell(witness.source)}", _spell(witness.target)
    if lost and gained:
        return "one", f"the last record is {_cell(domain, lost[0])}", _cell(domain, gained[0])
    claim, rival = ("present", "missing") if lost else ("missing", "present")
    return "one", f"the last record, of {_cell(domain, (lost + gained)[0])}, is {claim}", rival


def _cell(domain: Domain, cell: int) -> str:
    return f"“{short(cell_name(domain, cell))}”"


def _spell(values: Sequence[Any]) -> str:
    return short(vector(values))


def guess_words(guess: Guess) -> str:
    """The attacker who is told two neighbours, and names one."""
    witness = guess.witness
    if witness is None:
        return "No two of the databases are neighbours: there are none to be told apart."
    first, second = _spell(witness.source), _spell(witness.target)
    told = (
        f"{first} or {second}, equally likely"
        if guess.prior == EVENS
        else f"{first} with a chance of {percent(1 - guess.without)} and otherwise {second}"
    )
    beginning = f"Told that the confidential database is {told}, and shown one release, "
    if guess.right.upper == guess.without:
        return f"{beginning}the best attacker guesses no better than without the release."
    return (
        f"{beginning}the best attacker names the right one with a chance of "
        f"{at_least(guess.right)} instead of {percent(guess.without)}; right less wrong, an "
        f"advantage of {at_least(guess.advantage)}."
    )


def naming_words(name: str, naming: Naming) -> str:
    """The attacker who names the database; ``name``: that of the law that is the prior."""
    holder = LAWS[name].holder
    if naming.gain.upper == 1:
        return f"An attacker {holder} names the confidential one no better with the release."
    certainty = "certain" if naming.surest.lower == 1 else f"{at_least(naming.surest)} certain"
    return (
        f"An attacker {holder} names the confidential one with a chance of "
        f"{at_least(naming.right)} after seeing the release instead of {percent(naming.without)}. "
        f"The most telling release is {_spell(naming.output)}: after it the database "
        f"{_spell(naming.database)} is {certainty}."
    )
