"""The four sections of a write-up as a page: main idea, before, privatization with proof, after."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from audit.report.certificate.proof import proof_lines
from audit.report.page import Page, Section, TableSection, TextSection
from audit.report.words import bound_text, guarantee_words, plural
from audit.review.submissions.stated_numbers import spell_share
from audit.review.write_ups.asked import AskedQuery
from audit.review.write_ups.write_up import WriteUp
from synthesizers.neighbours import describe

HEADER = ("what is asked", "sensitivity", "noise", "share", "asked at")

TO_WRITE = "To be written by the author: "

_ABOUT = ("Purpose", "Source", "Inputs", "Budget", "Known weaknesses", "Departures")
"""The paragraphs of a card that tell the main idea."""

_LABEL = re.compile(
    rf"({'|'.join((*_ABOUT, 'Assumes public', 'Post-processing'))}):\s+(.*)", re.DOTALL
)

ASSUMED = (
    "It is an assumption, which no run can show, that post-processing looks at nothing but these "
    "answers and the public constants: that the code which reads the private table is the "
    "curator's alone, and that the program keeps nothing of one run for the next."
)


def write_up_page(found: WriteUp) -> Page:
    """The write-up as a page of sections."""
    claim = found.claim
    lead = (
        f"Claimed: {guarantee_words(claim.guarantee)}; {describe(claim.neighbours)}. What stands "
        "here of questions, places and shares was seen in runs on made-up tables; what bounds "
        "the total is stated under the composition. A write-up is no certificate: "
        "dp-audit certify decides the claim."
    )
    return Page(f"Write-up of {found.program}", lead, tuple(_sections(found)))


def _sections(found: WriteUp) -> Iterator[Section]:
    card = _read_card(found.card)
    yield TextSection("1. Main idea", tuple(_main_idea(found, card)))
    yield TextSection("2. Pre-processing", tuple(_before(found, card)))
    yield _table(found)
    yield TextSection("3. Privatization: the questions seen", tuple(_course(found)))
    if found.elsewhere:
        yield TableSection(
            "3. Privatization: asked in other runs alone",
            HEADER,
            tuple(_row(one) for one in found.elsewhere),
        )
    yield TextSection("3. Privatization: definitions", tuple(_definitions(found)))
    yield TextSection("3. Proof: the composition", tuple(_composition(found)))
    yield TextSection("4. Post-processing", tuple(_after(found, card)))


def _read_card(card: str) -> Mapping[str, str]:
    """The paragraphs of a card by their labels; what has none joins the one before."""
    found: dict[str, str] = {}
    label = ""
    for paragraph in filter(None, (one.strip() for one in card.split("\n\n"))):
        match = _LABEL.fullmatch(paragraph)
        if match is not None:
            label, paragraph = match[1], match[2]
        text = " ".join(paragraph.split()).replace("``", "")
        found[label] = f"{found[label]} {text}" if label in found else text
    return found


def _main_idea(found: WriteUp, card: Mapping[str, str]) -> Iterator[str]:
    if not card:
        yield (
            f"{TO_WRITE}in a few sentences, what the algorithm does, and how its output becomes "
            "private."
        )
    if "" in card:
        yield card[""]
    if found.parameters:
        yield f"Set here: {', '.join(f'{name} = {value}' for name, value in found.parameters)}."
    for label in _ABOUT:
        if label in card:
            yield f"{label}: {card[label]}"


def _before(found: WriteUp, card: Mapping[str, str]) -> Iterator[str]:
    setting = found.setting
    sizes = ", ".join(
        f"{one.name} ({plural(one.size, 'value')})" for one in setting.domain.attributes
    )
    yield f"Public: the domain, of the attributes {sizes}."
    if setting.records is not None:
        yield f"Public: the number of records, n = {setting.records}."
    elif setting.rows is not None:
        yield (
            f"The number of records is private; the output and the bounds use the public size "
            f"{setting.rows}."
        )
    unit = setting.neighbours.unit
    if not unit.is_record:
        yield (
            f"Of each person at most {unit.max_records} records are kept, the first ones; which "
            "these are follows from the person's own records alone."
        )
    yield (
        "Each record is coded by itself: its values as places in the public lists, its numbers as "
        "public bins. This has sensitivity 0."
    )
    if "Assumes public" in card:
        yield f"Assumed public: {card['Assumes public']}"
    if not found.ours:
        yield f"{TO_WRITE}whatever else is done to records one by one before they are handed over."


def _table(found: WriteUp) -> TableSection:
    note = (
        f"Sensitivity under {describe(found.setting.neighbours)}. Shares are parts of "
        f"{found.shares_of}."
        if found.shares_of
        else "There are no shares: no budget is declared, and what is spent has no finite bound."
    )
    if not found.asked:
        note = "The program asked no question about the data in the first run."
    title = "3. Privatization: the questions"
    return TableSection(title, HEADER, tuple(_row(one) for one in found.asked), note)


def _row(one: AskedQuery) -> tuple[str, ...]:
    times = "" if one.times == 1 else f", {one.times} times"
    moved = "that of the law" if one.sensitivity is None else f"{one.norm} {one.sensitivity}"
    share = "no finite one" if one.share is None else spell_share(one.share)
    return f"{one.name}{times}", moved, one.law, share, one.place or "not told"


def _course(found: WriteUp) -> Iterator[str]:
    runs = f"{plural(len(found.tables), 'run')} on made-up tables ({'; '.join(found.tables)})"
    whose = "a line of our code" if found.ours else "the program's own word"
    match found.course:
        case "fixed":
            yield (
                "Every run asks the same questions, whatever the answers are: the curator refuses "
                f"every other. They were seen in {runs}."
            )
        case "alike":
            yield (
                f"The questions were the same in {runs}. Nothing shows that they are so in every "
                f"run. {_bounded(found)}"
            )
        case "varying":
            yield (
                f"The questions follow the answers: they differed in {runs}. Listed above are "
                f"those of the first run. {_bounded(found)}"
            )
    yield f"Where a question is asked is {whose}, and decides nothing."


def _bounded(found: WriteUp) -> str:
    """What bounds the total of questions that are not fixed."""
    if found.composition.derivation is None:
        return "Nothing bounds the total: no list is declared, and no finite budget."
    return (
        "What bounds the total is not this list but the budget: the curator adds up every cost "
        "before it answers, and refuses what would exceed the budget."
    )


def _definitions(found: WriteUp) -> Iterator[str]:
    asked = (*found.asked, *found.elsewhere)
    for definition, reason in dict.fromkeys((one.definition, one.reason) for one in asked):
        names = dict.fromkeys(one.name for one in asked if one.definition == definition)
        yield f"Of {'; '.join(list(names)[:5])}{'; …' if len(names) > 5 else ''}:"
        yield from _paragraphs(definition)
        if reason:
            yield "Why no unit moves it further:"
            yield from _paragraphs(reason)
    questions = list(dict.fromkeys(one.question for one in found.asked))
    if questions:
        yield "In full, as a ledger spells them, without what follows from earlier answers:"
        yield from questions


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield " ".join(paragraph.split())


def _composition(found: WriteUp) -> Iterator[str]:
    proved = found.composition
    if proved.derivation is None or proved.bound is None:
        yield f"No theorem bounds the total: {proved.refusal}."
        return
    implied = "which implies the claim" if proved.holds else "which does not reach the claim"
    yield f"A theorem: {bound_text(proved.bound)} over {proved.bound.covers}, {implied}."
    yield from _steps(proved.derivation)


def _steps(derivation: Mapping[str, Any]) -> Iterator[str]:
    """A proof, a paragraph a step, an assumption or a rule."""
    held = ""
    for line in filter(None, proof_lines(derivation)):
        if held.startswith("(") and line.startswith("      "):
            held += f"; {line.strip()}"
            continue
        if held:
            yield held
        held = f"{line}:" if line in ("It rests on", "The rules") else line.strip()
    yield held


def _after(found: WriteUp, card: Mapping[str, str]) -> Iterator[str]:
    if "Post-processing" in card:
        yield card["Post-processing"]
    elif not found.ours:
        yield f"{TO_WRITE}what is made of the noisy answers."
    if found.draws:
        yield (
            f"Public randomness is drawn by declared laws, which do not see the data: "
            f"{', '.join(found.draws)}."
        )
    yield f"What is released is the {found.claim.released}, made of the answers above."
    yield ASSUMED
