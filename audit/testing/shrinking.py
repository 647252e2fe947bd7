"""The smallest counterexample: the fewest records, then the fewest cells, that show a violation.

A witness among all databases of an instance is the most telling one, and seldom the simplest. Here
instances are enumerated from the smallest upwards, so that what is found first is smallest.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from audit.auditors import exhaustive
from audit.auditors.attack.pairs.given_pairs import given_pair
from audit.auditors.deciding import Decided, decide
from audit.auditors.effort import Attack
from audit.channels.channel import Channel
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Evidence, SampledWitness, Witness
from audit.subjects.pair import Pair
from audit.subjects.subject import ProgramSubject
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError, ProtocolError

if TYPE_CHECKING:
    from audit.auditors.attack.attacked import AttackedBox

Parameter = TypeVar("Parameter")

MOST_PRODUCTS = 3_000_000
MOST_TRANSCRIPTS = 100_000
"""Products of databases and transcripts, and transcripts, up to which an instance is enumerated
for the sake of a smaller counterexample (choices of this project: some seconds)."""

MOST_TRIALS = 6
"""Smaller pairs that are attacked in place of one that refuted (each
costs as many runs as the attack itself)."""


@dataclass(frozen=True, eq=False)
class Smallest:
    """The smallest violation of a claim by a program.

    ``claim``: about the instance, its domain and number of records. ``pair``: the two histograms,
    the one whose output is likelier first. ``witness``: on this pair.
    """

    claim: Claim
    rows: int | None
    pair: tuple[tuple[int, ...], tuple[int, ...]]
    witness: Witness
    decided: Decided


def coarser(cells: int) -> tuple[Domain, ...]:
    """Domains of one attribute of 1, 2, … ``cells`` values, the smallest first."""
    return tuple(Domain.from_cells(str(count)) for count in range(1, cells + 1))


def smallest_violation(
    subject: ProgramSubject,
    claim: Claim,
    domains: Sequence[Domain],
    rows: int | None = None,
) -> Smallest | None:
    """The violation of the fewest records, then in the first of the domains; None without one.

    ``domains``: the claim's own alone, or smaller ones before it that the program takes as well.
    ``rows``: the public number of rows where it is not the number of records. Instances that the
    program refuses, or that are too large to enumerate in a few seconds, are passed over.

    Guarantee
    ---------
    Every pair that is returned violates the claim, exactly. Backed by
    ``tests/audit/testing/test_shrinking.py``.
    """
    most = rows if claim.records is None else claim.records
    if most is None:
        raise InputError("state how many records databases have at most: records=3")
    for records in range(1, most + 1):
        for domain in domains:
            found = _in_instance(subject, replace(claim, domain=domain, records=records), rows)
            if found is not None:
                return found
    return None


def _in_instance(subject: ProgramSubject, claim: Claim, rows: int | None) -> Smallest | None:
    channel = _channel(subject, claim, rows)
    if channel is None or decide(channel, claim.guarantee).decision is not Decision.VIOLATED:
        return None
    for numbers in _by_size(channel):
        part = _rows(channel, numbers)
        found = decide(part, claim.guarantee)
        if found.decision is Decision.VIOLATED and found.witness is not None:
            pair = found.witness.source, found.witness.target
            return Smallest(claim, rows, pair, found.witness, found)
    return None


def _channel(subject: ProgramSubject, claim: Claim, rows: int | None) -> Channel | None:
    """The instance's channel; None where it can't be had in a few seconds."""
    size = claim.records or 0
    domain = claim.require_domain()
    try:
        public = size if claim.neighbours.records_public else None
        setting = Setting(domain, claim.neighbours, public, size if rows is None else rows)
        part = exhaustive.Instance(subject, claim, setting, size)
        work = part.plan()
        if work.products > MOST_PRODUCTS or work.transcripts > MOST_TRANSCRIPTS:
            return None
        exact = work.products <= exhaustive.ALWAYS_EXACT
        return part.enumerate(part.databases, exact=exact).channel
    except (InputError, ProtocolError):
        # Programs may refuse domains and sizes that are not their own.
        return None


def _by_size(channel: Channel) -> list[tuple[int, int]]:
    """The pairs of neighbours: those of few records first, in the first cells."""
    rows = channel.databases

    def size(pair: tuple[int, int]) -> tuple[int, int, list[int]]:
        both = rows[list(pair)]
        return int(both.sum(axis=1).max()), int(both.sum()), (-both.sum(axis=0)).tolist()

    return sorted(map(_pair_of_numbers, channel.pairs.tolist()), key=size)


def _pair_of_numbers(pair: list[int]) -> tuple[int, int]:
    return pair[0], pair[1]


def _rows(channel: Channel, numbers: tuple[int, int]) -> Channel:
    """The channel of two of its databases."""
    of = list(numbers)
    powers = channel.powers
    return Channel(
        channel.domain,
        channel.neighbours,
        channel.databases[of],
        channel.outputs,
        channel.lower[of],
        channel.upper[of],
        None if channel.exact is None else channel.exact[of],
        channel.released,
        None
        if powers is None
        else replace(powers, mantissa=powers.mantissa[of], exponent=powers.exponent[of]),
    )


def smallest_parameter(
    over: Iterable[Parameter], violated: Callable[[Parameter], bool]
) -> Parameter | None:
    """The first parameter that shows a violation; None if none does.

    The parameters come in the order of size: numbers of queries, of attributes, of rounds.
    """
    return next((parameter for parameter in over if violated(parameter)), None)


def smaller_pair(target: AttackedBox, claim: Claim, attack: Attack, found: Evidence) -> Evidence:
    """The evidence of a refuting attack, or of one on a smaller pair that refutes as surely.

    Guarantee
    ---------
    Evidence on a smaller pair is returned only where it refutes at ``attack.alarm`` shared among
    all trials, so that an honest subject whose first attack was bad luck is not accused a second
    time with a higher chance than that. Backed by ``tests/audit/testing/test_shrinking.py``.
    """
    witness = found.witness
    if not isinstance(witness, SampledWitness):
        return found
    # Here, not above: shrinking what was enumerated needs no attack.
    from audit.auditors.attack.auditor import attack_box

    trials = _smaller_pairs(witness, claim)[:MOST_TRIALS]
    for pair in trials:
        alarm = attack.alarm / len(trials)
        again = attack_box(target, claim, replace(attack, pair=pair, alarm=alarm))
        if again.decision is Decision.VIOLATED:
            return again
    return found


def _smaller_pairs(witness: SampledWitness, claim: Claim) -> list[Pair]:
    """Neighbours with fewer of the records that both databases hold, the smallest first."""
    first, second = witness.pair.first, witness.pair.second
    if not (isinstance(first, list) and isinstance(second, list)):
        return []
    if claim.neighbours.records_public and claim.records is not None:
        return []
    texts = [[_text(record) for record in database] for database in (first, second)]
    steps = witness.pair.distance
    gone = _beyond(first, texts[0], texts[1])
    come = _beyond(second, texts[1], texts[0])
    shared = [record for record in first if not any(record is one for one in gone)]
    sizes = [0, *(2**k - 1 for k in range(1, 20)), len(shared)]
    found = []
    for size in dict.fromkeys(size for size in sizes if size <= len(shared)):
        fewer, other = ([*shared[:size], *part[: len(part) // steps]] for part in (gone, come))
        if max(len(fewer), len(other)) < max(len(first), len(second)):
            found.append((fewer, other))
    made = (_neighbours(first, second, claim) for first, second in found)
    return [pair for pair in made if pair is not None]


def _neighbours(first: list[Any], second: list[Any], claim: Claim) -> Pair | None:
    try:
        pair = given_pair(first, second, claim.neighbours, claim.domain, records=claim.records)
    except InputError:
        return None
    return replace(pair, pattern="the smallest pair that was found")


def _beyond(records: list[Any], texts: list[str], others: list[str]) -> list[Any]:
    """The records that another database does not hold as often."""
    left = Counter(texts) - Counter(others)
    found = []
    for record, text in reversed(list(zip(records, texts, strict=True))):
        if left[text] > 0:
            left[text] -= 1
            found.append(record)
    return found


def _text(record: Any) -> str:
    return json.dumps(record, sort_keys=True)
