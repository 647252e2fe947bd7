"""A sampled witness in plain words: two databases, guesses of which was used, the claim's limit.

The two databases are called A and B, as in every report of a witness.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from audit.report.certificate.witness import claim_of_mu, most_under_mu
from audit.report.grid import Grid
from audit.report.percentages import percent
from audit.report.words import (
    guarantee_symbols,
    number,
    plural,
    record_text,
    short,
)
from audit.review.conclusions.chances import SMALL, one_in
from audit.statements.databases import expand
from audit.statements.evidence import Decision, SampledWitness, Search, ShownPair
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP

MAX_RECORDS = 6
"""The most records shown of either database."""

MAX_TEXT = 240
"""The most characters shown of one database or record."""

MAX_EVENTS = 8
"""The most lines shown of an event."""


@dataclass(frozen=True)
class AttackStory:
    """A sampled witness told to someone who has to decide.

    ``difference``, ``distance``, ``standing``: how the databases differ, how far they are apart,
    who says so. ``databases``: what is shown of them, as terms with text. ``events``: when which
    one is guessed, under a ``heading``. ``seen``, ``allowed``, ``strength``: what came of the
    guesses, what the claim allows, how unlikely that is under the claim. ``command``: tests the
    rule on fresh randomness. ``searched``: how the pair was found. Counts, ``allowed`` and
    ``digest`` are empty where nothing was guessed, since each database always gave one output.
    """

    difference: str
    databases: tuple[tuple[str, str], ...]
    distance: str
    standing: str
    heading: str
    events: tuple[str, ...]
    events_left_out: str
    counts: Grid | None
    seen: str
    allowed: str
    strength: str
    digest: str
    command: str
    searched: str = ""


def attack_story(
    witness: SampledWitness,
    guarantee: Guarantee,
    decision: Decision,
    command: str,
    search: Search | None = None,
    numbers: tuple[int, int] | None = None,
) -> AttackStory:
    """The witness in words, beside what the guarantee allows."""
    pair = witness.pair
    difference, databases = _difference(expand(pair.first), expand(pair.second))
    steps = pair.distance
    more = len(witness.event) - MAX_EVENTS
    fixed = witness.test == "if deterministic"
    return AttackStory(
        difference,
        databases,
        _distance(steps),
        _standing(pair),
        _heading(witness),
        witness.event[:MAX_EVENTS],
        f"and {plural(more, 'further condition')}" if more > 0 else "",
        None if fixed else _counts(witness),
        _describe_counts(witness),
        ""
        if fixed
        else f"{_describe_limit(witness, guarantee, steps)} {_ending(decision)}".strip(),
        _strength(witness),
        witness.digest,
        command,
        " ".join(
            filter(
                None,
                (
                    None if search is None else _describe_search(search),
                    None if numbers is None else _describe_numbers(*numbers),
                ),
            )
        ),
    )


def _describe_numbers(looked_at: int, held: int) -> str:
    return (
        f"Of the {held:,} numbers of an output {looked_at:,} were looked at, evenly spread from "
        "the first to the last."
    )


def _describe_search(search: Search) -> str:
    """How many pairs were tried, of how many kinds, and which were left out."""
    told = (
        f"The search tried {search.tried} of {plural(search.pairs, 'candidate pair')}, of "
        f"{search.kinds_tried} of {plural(search.kinds, 'kind')}"
    )
    if search.min_records:
        told += f", on databases of at least {plural(search.min_records, 'record')}"
    left = []
    if search.failed:
        left.append(f"{search.failed} because every run failed on both databases")
    if search.hopeless:
        left.append(f"{search.hopeless} because no guesses on them could refute the claim")
    return f"{told}; left out: {' and '.join(left)}." if left else f"{told}."


def _difference(first: Any, second: Any) -> tuple[str, tuple[tuple[str, str], ...]]:
    """How two databases differ, and what is shown of them."""
    if _is_table(first) and _is_table(second):
        return _records(first, second)
    shown = (("database A", _show(first)), ("database B", _show(second)))
    return "The subject was run on two databases, A and B.", shown


def _is_table(database: Any) -> bool:
    return isinstance(database, list) and all(isinstance(record, Mapping) for record in database)


def _records(
    first: list[Mapping[str, Any]], second: list[Mapping[str, Any]]
) -> tuple[str, tuple[tuple[str, str], ...]]:
    held, other = (
        Counter(record_text(dict(sorted(record.items()))) for record in table)
        for table in (first, second)
    )
    lost, gained = list((held - other).elements()), list((other - held).elements())
    sizes = f"A holds {plural(len(first), 'record')}, B {len(second)}."
    if (len(lost), len(gained)) == (1, 1):
        told = "Database B is database A with one record exchanged for another."
    elif (len(lost), len(gained)) == (0, 1):
        told = "Database B is database A with one record added."
    elif (len(lost), len(gained)) == (1, 0):
        told = "Database B is database A without one record."
    elif not lost and not gained:
        told = "The two databases hold the same records in another order."
    else:
        parts = [plural(len(part), "record") for part in (lost, gained)]
        told = f"Database A holds {parts[0]} that B does not, and B {parts[1]} that A does not."
    shown = (
        *_list_records("in A alone", lost),
        *_list_records("in B alone", gained),
        *_list_records("in both", list((held & other).elements())),
    )
    return f"{told} {sizes}", shown


def _list_records(term: str, records: list[str]) -> tuple[tuple[str, str], ...]:
    """Records that one database alone holds, equal ones together."""
    found = [
        (term, f"{f'{count} × ' if count > 1 else ''}{short(record, MAX_TEXT)}")
        for record, count in Counter(records).items()
    ]
    more = len(found) - MAX_RECORDS
    left_out = ((term, f"and {plural(more, 'further record')}"),) if more > 0 else ()
    return (*found[:MAX_RECORDS], *left_out)


def _show(database: Any) -> str:
    if isinstance(database, Mapping) and set(database) == {"sha256"}:
        return f"not carried by the certificate; SHA-256 of its JSON: {database['sha256']}"
    return short(json.dumps(database, ensure_ascii=False, sort_keys=True), MAX_TEXT)


def _distance(steps: int) -> str:
    if steps == 1:
        return ""
    return (
        f"They are the ends of a chain of {steps} neighbours: so the floor is that of the ends, "
        f"divided by {steps}."
    )


def _standing(pair: ShownPair) -> str:
    what = "neighbours" if pair.distance == 1 else "such ends"
    if pair.verified:
        return f"That they are {what} under the claim was checked."
    return f"That they are {what} under the claim is taken on the user's word."


def _heading(witness: SampledWitness) -> str:
    match witness.test:
        case "e-process":
            return "The rule that was bet on last"
        case "if deterministic":
            return "What was seen"
        case _:
            return "The rule, frozen before these runs"


def _counts(witness: SampledWitness) -> Grid:
    """How many runs ended so, with their share of all runs."""
    none = witness.runs - witness.correct - witness.wrong
    rows = (("right", witness.correct), ("wrong", witness.wrong), ("no guess", none))
    return Grid(
        "guesses",
        ("runs", "share"),
        tuple(
            (name, (f"{n:,}", percent(Fraction(n, witness.runs)) if witness.runs else "–"))
            for name, n in rows
        ),
    )


def _describe_counts(witness: SampledWitness) -> str:
    made = witness.correct + witness.wrong
    if witness.test == "if deterministic":
        return f"Each database gave one output in all of {plural(witness.runs, 'run')} together."
    if made == 0:
        return f"In {plural(witness.runs, 'run')} the rule never guessed."
    return f"Of {plural(made, 'guess', 'guesses')}, {percent(Fraction(witness.correct, made))} " + (
        "was right." if made == 1 else "were right."
    )


def _ending(decision: Decision) -> str:
    """What was found, beside the claim; nothing where that is left open."""
    if decision is Decision.VIOLATED:
        return "What was found goes beyond this: the claim is violated."
    return ""


def _describe_limit(witness: SampledWitness, guarantee: Guarantee, steps: int) -> str:
    """What the claim allows of guesses, in its own language."""
    match guarantee:
        case ApproxDP(delta=delta) if delta == 0:
            return _allowed_accuracy(guarantee.epsilon, steps)
        case ApproxDP():
            return _allowed_right(guarantee, witness)
        case GaussianDP():
            return _allowed_distance(guarantee, witness, steps)
        case ZCDP() | RenyiDP():
            return _allowed_divergence(guarantee)


def _allowed_accuracy(epsilon: Fraction, steps: int) -> str:
    power = "e^ε" if steps == 1 else f"e^({steps}·ε)"
    most = percent(_logistic(epsilon * steps))
    return (
        f"The claim allows at most {power}/(1 + {power}) = {most} of the guesses that are made to "
        "be right in the long run."
    )


def _logistic(exponent: Fraction) -> Fraction:
    """e^x/(1 + e^x), to some digits."""
    if exponent > 700:
        return Fraction(1)
    return Fraction(1 / (1 + math.exp(-float(exponent))))


def _allowed_right(guarantee: ApproxDP, witness: SampledWitness) -> str:
    epsilon = guarantee.epsilon
    value = f" ≈ {number(math.exp(epsilon), 4)}" if 0 < epsilon < 700 else ""
    delta = number(guarantee.delta)
    extra = f"half of δ = {delta}" if _one_sided(witness) else f"δ = {delta}"
    return (
        "The claim allows the chance that a run leads to a right guess to be at most "
        f"e^ε{value} times the chance that it leads to a wrong one, plus {extra}."
    )


def _allowed_distance(guarantee: GaussianDP, witness: SampledWitness, steps: int) -> str:
    wrong = _chance(witness.wrong, witness)
    most = most_under_mu(guarantee.mu * steps, wrong)
    ends = "" if steps == 1 else f", and {steps} times as far at the ends of the chain"
    whose = "guesses of one database" if _one_sided(witness) else "guesses"
    return (
        f"{claim_of_mu(guarantee)}{ends}. Where wrong {whose} have the chance "
        f"{percent(Fraction(wrong))}, as they had here, that allows right ones a chance of at most "
        f"{percent(Fraction(most))}."
    )


def _allowed_divergence(guarantee: ZCDP | RenyiDP) -> str:
    claim = guarantee_symbols(guarantee)
    limit = (
        "of every order α to be at most ρ·α"
        if isinstance(guarantee, ZCDP)
        else "of that order to be at most ε(α)"
    )
    return (
        f"The claim, {claim}, allows the Rényi divergence {limit}, also of how often guesses are "
        "right, wrong and not made from the same with right and wrong exchanged."
    )


def _chance(count: int, witness: SampledWitness) -> float:
    """The share of an event among runs; of a one-sided rule, among those on one database."""
    if witness.runs == 0:
        return 0.0
    return min(1.0, count / witness.runs * (2 if _one_sided(witness) else 1))


def _one_sided(witness: SampledWitness) -> bool:
    return witness.rule.get("low") == "-inf" or witness.rule.get("high") == "inf"


def _strength(witness: SampledWitness) -> str:
    chance = number(witness.p_value, 2) if witness.p_value >= SMALL else one_in(witness.p_value)
    if witness.p_value >= 1 and witness.test != "if deterministic":
        return "Guesses like these do not speak against the claim."
    match witness.test:
        case "e-process" | "bets until stopped":
            return (
                "Were the claim true, guesses would at any time have spoken against it as strongly "
                f"as these with a chance of at most {chance}."
            )
        case "if deterministic":
            return (
                "This violates the claim if the subject is deterministic: then each database gives "
                "what it gave here always, and one output tells for certain which it was."
            )
        case _:
            return (
                "Were the claim true, guesses as often right as these would come about with a "
                f"chance of at most {chance} (the p-value)."
            )
