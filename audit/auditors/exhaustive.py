"""The exhaustive auditor: the exact channel of an enumerated instance.

It looks at every pair of neighbours and every output. What it finds is exact
for the databases enumerated, and silent about all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from audit.channel import Channel
from audit.claim import Claim
from audit.decimals import Enclosure
from audit.enumerate import Enumerated, Progress, channel_of
from audit.evidence import Bound, Decision, Evidence, Side
from audit.measures import Extreme, decide_delta, decide_epsilon, epsilon_at
from audit.subject import ChannelSubject, ProgramSubject
from proofs.guarantees import ApproxDP
from synthesizers.curator import Setting
from synthesizers.enumeration import plan
from synthesizers.errors import InputError
from synthesizers.events import Databases
from synthesizers.neighbours import databases as list_databases

ALWAYS_EXACT = 20_000
"""Products (databases × transcripts) up to which chances are exact from the start."""

RETRY_EXACT = 400_000
"""Products up to which an undecided comparison is repeated in exact chances."""


@dataclass(frozen=True)
class Examined:
    """The evidence, and the channel it came from."""

    evidence: Evidence
    enumerated: Enumerated


def require_decidable(claim: Claim) -> ApproxDP:
    """The claim's (ε, δ); InputError for guarantees that this version does not decide."""
    if not isinstance(claim.guarantee, ApproxDP):
        raise InputError(
            f"this version decides claims of the form 'epsilon=…' and 'epsilon=…, delta=…'; "
            f"found '{claim.guarantee}'"
        )
    return claim.guarantee


def examine_program(
    subject: ProgramSubject,
    claim: Claim,
    setting: Setting,
    size: int,
    *,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Examined:
    """Enumerate the databases of ``size`` records (0 to ``size`` where n is private) and decide.

    Raises TooLargeError where the instance is beyond the caps.

    Guarantee
    ---------
    ``decision`` is certified for every pair of neighbours among the databases
    enumerated. Backed by ``tests/audit/test_exhaustive.py``.
    """
    require_decidable(claim)
    rows = list_databases(setting.neighbours, setting.domain.size, size)
    databases = Databases(setting.domain, rows)
    work = plan(subject.program, setting, databases).products

    def enumerate_with(exact: bool, chosen: Databases) -> Enumerated:
        return channel_of(
            subject.program,
            setting,
            released=claim.released,
            exact=exact,
            databases=chosen,
            jobs=1 if exact else jobs,
            progress=progress,
        )

    exact = work <= ALWAYS_EXACT
    found = enumerate_with(exact, databases)
    decision, extreme = _decide(found.channel, claim)
    if decision is Decision.UNDECIDED and not exact:
        if work <= RETRY_EXACT:
            exact, found = True, enumerate_with(True, databases)
            decision, extreme = _decide(found.channel, claim)
        elif extreme.witness is not None and work <= RETRY_EXACT * len(rows) // 2:
            # Two databases are enough for a violation, and cheap.
            pair = [list(extreme.witness.source), list(extreme.witness.target)]
            chosen = Databases(setting.domain, rows[[_row(rows, counts) for counts in pair]])
            closer = enumerate_with(True, chosen)
            if _decide(closer.channel, claim)[0] is Decision.VIOLATED:
                decision, extreme = _decide(closer.channel, claim)
    whole = claim.records == size
    instance = _Instance(setting.domain.size, size, setting.neighbours.records_public)
    evidence = _evidence(found.channel, claim, decision, extreme, instance, whole, exact)
    return Examined(evidence, found)


def products(subject: ProgramSubject, setting: Setting, size: int) -> int:
    """Databases × transcripts of an instance; TooLargeError where they cannot be listed."""
    rows = list_databases(setting.neighbours, setting.domain.size, size)
    return plan(subject.program, setting, Databases(setting.domain, rows)).products


def _row(rows: Any, counts: list[int]) -> int:
    return int((rows == counts).all(axis=1).argmax())


def examine_channel(subject: ChannelSubject, claim: Claim) -> Evidence:
    """Decide the claim on a channel given as a file."""
    require_decidable(claim)
    channel = subject.channel
    decision, extreme = _decide(channel, claim)
    sizes = channel.databases.sum(axis=1)
    largest, public = int(sizes.max()), channel.neighbours.records_public
    expected = len(list_databases(channel.neighbours, channel.domain.size, largest))
    whole = expected == len(channel.databases) and (not public or int(sizes.min()) == largest)
    instance = _Instance(channel.domain.size, largest, public) if whole else None
    return _evidence(channel, claim, decision, extreme, instance, whole, True)


def _decide(channel: Channel, claim: Claim) -> tuple[Decision, Extreme]:
    wanted = require_decidable(claim)
    if wanted.delta == 0:
        return decide_epsilon(channel, wanted.epsilon)
    return decide_delta(channel, wanted.epsilon, wanted.delta)


def _evidence(
    channel: Channel,
    claim: Claim,
    decision: Decision,
    extreme: Extreme,
    instance: _Instance | None,
    whole: bool,
    exact: bool,
) -> Evidence:
    wanted = require_decidable(claim)
    smallest = extreme.enclosure if wanted.delta == 0 else epsilon_at(channel, wanted.delta)
    number = len(channel.databases)
    covers = f"the {number} databases listed" if instance is None else f"{number} databases, {instance}"
    finding = f"the smallest epsilon{_at(wanted)} is {_shown(smallest)}"
    if wanted.delta:
        finding += f"; delta at epsilon={wanted.epsilon} is {_shown(extreme.enclosure)}"
    finding += (
        f": every pair of neighbours among {covers}, "
        f"{len(channel.outputs)} possible {channel.released}s"
    )
    return Evidence(
        auditor="exhaustive",
        finding=finding,
        decision=decision,
        covers=covers,
        whole=whole,
        bound=Bound(Side.EXACT, smallest, covers, "exact"),
        witness=extreme.witness,
        replay={
            "records": None if instance is None else instance.size,
            "arithmetic": "exact" if exact else "doubles with counted error",
        },
    )


@dataclass(frozen=True)
class _Instance:
    """The databases of an enumeration, for words."""

    cells: int
    size: int
    public: bool

    def __str__(self) -> str:
        over = "1 cell" if self.cells == 1 else f"{self.cells} cells"
        sizes = f"{self.size}" if self.public else f"0 to {self.size}"
        return f"all of {sizes} records over {over}"


def _at(wanted: ApproxDP) -> str:
    return f" at delta={wanted.delta}" if wanted.delta else ""


def _shown(ends: Enclosure) -> str:
    if ends.lower == ends.upper:
        return "infinite" if isinstance(ends.lower, float) else f"exactly {ends.lower}"
    return f"in {ends}"
