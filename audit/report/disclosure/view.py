"""Disclosure checks as sections of a page, which a terminal shows as well."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from audit.disclosure.assurances import Assurance
from audit.disclosure.checks import Disclosure
from audit.disclosure.distances import Nearness
from audit.disclosure.matches import Matches
from audit.disclosure.membership import Membership
from audit.disclosure.risks import Risk, Trials
from audit.report.disclosure import words
from audit.report.disclosure.warnings import find_warnings
from audit.report.page import Section, TableSection, TextSection
from audit.report.percentages import percent
from audit.report.utility.words import NOTICE, group_digits
from audit.report.words import above, below, number, plural

DIGITS = 4
"""Significant digits of a number that has a standard error of about a hundredth."""


def sections(found: Disclosure) -> Iterator[Section]:
    """What was found, the worst warnings first, distances last."""
    yield TextSection("Not private", (NOTICE,))
    warnings = find_warnings(found)
    if warnings:
        yield TextSection("Look at this first", warnings)
    yield TextSection("What was compared", tuple(_describe_comparison(found)))
    yield _matches(found.matches)
    yield _attacks(found)
    yield TextSection("Who was in the table", _membership(found.membership))
    yield _describe_certificates(found)
    yield _distances(found)


def _describe_comparison(found: Disclosure) -> Iterator[str]:
    real, holdout, synthetic = map(group_digits, found.records)
    yield (
        f"Over the domain {found.domain}, records: {synthetic} of the release, {real} that it was "
        f"made from, {holdout} of the holdout."
    )
    yield words.SHOWN if found.by_coins else words.ASSUMED
    yield (
        f"{group_digits(found.shared.records)} of {plural(found.records[1], 'record')} of the "
        "holdout equal a real one in every column."
    )
    known, sides = found.attackers.known, found.attackers.sides
    knows = "every column but the one that is guessed" if known is None else ", ".join(known)
    linked = "" if sides is None else f" Linked: {' with '.join(', '.join(s) for s in sides)}."
    yield f"An attacker knows {knows}.{linked} Seed {found.seed}."


def _matches(found: tuple[Matches, ...]) -> TableSection:
    head = (
        "released records that match in",
        "a real record",
        "one that occurs once",
        "one of the holdout",
        "one that occurs once there",
    )
    rows = []
    for place, one in enumerate(found):
        counts = (one.real, one.real_once, one.holdout, one.holdout_once)
        cells = (_share(Trials(one.synthetic, count)) for count in counts)
        rows.append(("every column" if not place else ", ".join(one.columns), *cells))
    note = (
        "What matches the holdout as often is what the source has in common. The larger of two "
        "tables is matched more often."
    )
    return TableSection("Released records that equal real ones", head, tuple(rows), note)


def _attacks(found: Disclosure) -> TableSection:
    interval = f"{below(100 * (1 - _exactly(found.error)), 6)} % interval"
    head = ("attack", "real records hit", "holdout hit", "baseline", "risk", interval)
    ordered = sorted(found.risks, key=lambda one: -one.interval[0])
    note = f"{words.FLOOR} {words.RISK} {words.INTERVALS}"
    return TableSection("Attacks, and what they gain", head, tuple(map(_risk, ordered)), note)


def _risk(one: Risk) -> tuple[str, ...]:
    rates = (_share(one.real), _share(one.holdout), _share(one.baseline))
    if not one.real.made or not one.holdout.made:
        return (one.attack, *rates, "nothing to try", "–")
    if not one.has_power:
        return (one.attack, *rates, "no power: no evidence", "–")
    low, high = one.interval
    estimate = "–" if one.estimate is None else number(_exactly(one.estimate), 3)
    ends = f"{below(_exactly(low), 3)} to {above(_exactly(high), 3)}"
    return (one.attack, *rates, estimate, ends)


def _membership(one: Membership) -> tuple[str, ...]:
    of = "pairs of a real record and one of the holdout" if one.pairs else "records of both tables"
    game = "replace-one" if one.pairs else "add-remove"
    confidence = below(1 - _exactly(one.error), 6)
    told = (
        f"Of {group_digits(one.coins)} {of}, by the release alone, the clearest "
        f"{group_digits(one.guesses)} were guessed and {group_digits(one.right)} of these right. "
        f"At confidence {confidence}, and for whichever number is guessed of those that were "
        f"settled beforehand, the advantage of such guesses over chance is at least "
        f"{below(_exactly(one.advantage), DIGITS)}: a program of pure ε below "
        f"{below(_exactly(one.epsilon), DIGITS)} ({game}) is guessed as well with a chance of at "
        f"most {above(_exactly(one.error), 6)}."
    )
    if one.advantage > 0:
        return (told, words.FLOOR)
    return (told, "These guesses are not better than chance, from which nothing follows.")


def _describe_certificates(found: Disclosure) -> Section:
    title = "What certificates bound"
    if not found.assurances:
        return TextSection(title, (words.UNCERTIFIED,))
    head = ("certificate", "check", "bounded", "by how much")
    rows = tuple(row for one in found.assurances for row in _of_certificate(one, found))
    return TableSection(title, head, rows, words.ASKED_OF_FILES)


def _of_certificate(one: Assurance, found: Disclosure) -> Iterator[tuple[str, str, str, str]]:
    verdict, subject, claim, neighbours = one.states
    proof = "its proof holds" if one.rechecked else "as it states"
    name = f"{one.file}: {verdict} ({proof}), {subject}, {claim}, {neighbours}"
    if one.ceiling is None or one.alone is None:
        name = f"{one.file}: {verdict}, {subject}, {claim}, {neighbours}"
        yield (name, "all", "no", f"{one.obstacle}: it bounds nothing here")
        return
    most = above(one.ceiling.advantage, DIGITS)
    rate = f"the rate on real records is above that on the holdout by at most {most}"
    if one.ceiling.factor is not None and one.ceiling.addend is not None:
        rate += (
            f", and at most {above(one.ceiling.factor, DIGITS)} times it plus "
            f"{above(one.ceiling.addend, DIGITS)}"
        )
    if one.steps == 2:
        rate += " (two steps of its neighbours: another record is in the place of one that is out)"
    seen = number(_exactly(found.membership.gain), 3)
    yield (
        name,
        "membership",
        "yes",
        f"right guesses less wrong ones, of the real records tried: at most {most}; here: {seen}",
    )
    yield ("", "matches, linkability, inference", "yes", rate)
    if one.alone.factor is not None and one.alone.addend is not None:
        times = above(one.alone.factor * found.records[0], DIGITS)
        beside = above(one.alone.addend * found.records[0], DIGITS)
        yield (
            "",
            "singling out",
            "yes",
            f"a guess that a fresh record satisfies with chance w singles out a real one with a "
            f"chance of at most {times} w + {beside} (Cohen & Nissim 2020)",
        )
    else:
        yield ("", "singling out", "not computed", "state the claim as epsilon and delta for it")
    yield ("", "distances", "no", "they are no attack")


def _distances(found: Disclosure) -> TableSection:
    one = found.distances
    head = ("released records to", "distance, 5th percentile", "median", "ratio, 5th", "median")
    rows = (("the real table", *_nearness(one.real)), ("the holdout", *_nearness(one.holdout)))
    note = (
        f"Of {plural(one.records, 'released record')}, {percent(_exactly(one.nearer))} lie nearer "
        f"to a real record than to one of as large a part of the holdout. {words.REASONS}"
    )
    return TableSection(words.DISTANCES, head, rows, note)


def _nearness(one: Nearness) -> tuple[str, ...]:
    return tuple(number(_exactly(value), 3) for value in (*one.distance, *one.ratio))


def _share(trials: Trials) -> str:
    if not trials.made:
        return "none of 0"
    share = percent(Fraction(trials.hits, trials.made))
    return f"{group_digits(trials.hits)} of {group_digits(trials.made)} ({share})"


def _exactly(value: float) -> Fraction:
    return Fraction(value).limit_denominator(10**12)
