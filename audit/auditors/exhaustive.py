"""The exhaustive auditor: the exact channel of an enumerated instance.

It looks at every pair of neighbours and every output. What it finds is exact
for the databases enumerated, and silent about all others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from audit.channel import Channel
from audit.claim import Claim
from audit.decimals import Enclosure
from audit.enumerate import Enumerated, Progress, channel_of, instance
from audit.evidence import Bound, Decision, Evidence, Side
from audit.measures import Extreme, decide_delta, decide_epsilon, epsilon_at
from audit.subject import ChannelSubject, ProgramSubject
from proofs.guarantees import ApproxDP
from synthesizers.curator import Setting
from synthesizers.errors import InputError
from synthesizers.events import Databases
from synthesizers.neighbours import histogram_count
from synthesizers.plan import plan

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


@dataclass(frozen=True)
class Instance:
    """What is enumerated: the databases of ``size`` records (0 to ``size`` where n is private).

    ``chosen``: a few of them alone.
    """

    subject: ProgramSubject
    claim: Claim
    setting: Setting
    size: int
    jobs: int = 1
    progress: Progress | None = None
    chosen: Databases | None = None

    @property
    def databases(self) -> Databases:
        """Its databases; TooLargeError where they cannot be listed."""
        return instance(self.setting, self.size) if self.chosen is None else self.chosen

    def products(self) -> int:
        """Databases × transcripts."""
        program, budget = self.subject.program, self.subject.budget(self.setting)
        return plan(program, self.setting, self.databases, budget).products

    def enumerate(self, databases: Databases, *, exact: bool) -> Enumerated:
        """The channel over some of its databases."""
        return channel_of(
            self.subject.program,
            self.setting,
            released=self.claim.released,
            exact=exact,
            databases=databases,
            jobs=1 if exact else self.jobs,
            progress=self.progress,
            budget=self.subject.budget(self.setting),
        )

    def __str__(self) -> str:
        if self.chosen is not None:
            return f"chosen among those of {self.size} records"
        return _sizes(self.setting.domain.size, self.size, self.setting.records is not None)


def examine_program(part: Instance) -> Examined:
    """Enumerate an instance and decide the claim on it, exactly where that is cheap.

    Raises TooLargeError where the instance is beyond the caps.

    Guarantee
    ---------
    ``decision`` is certified for every pair of neighbours among the databases
    enumerated. Backed by ``tests/audit/test_exhaustive.py``.
    """
    require_decidable(part.claim)
    exact = part.products() <= ALWAYS_EXACT
    return _examined(part, part.enumerate(part.databases, exact=exact), exact)


def sharpen(part: Instance, found: Examined) -> Examined:
    """Repeat an undecided comparison in exact chances, as far as that is affordable.

    All databases where they are few; otherwise the two of the witness, which
    are enough for a violation.
    """
    work, databases = part.products(), part.databases
    witness = found.evidence.witness
    if work <= RETRY_EXACT:
        return _examined(part, part.enumerate(databases, exact=True), True)
    if witness is None or 2 * work > RETRY_EXACT * len(databases.rows):
        return found
    rows = [_row(databases.rows, counts) for counts in (witness.source, witness.target)]
    pair = Databases(databases.domain, databases.rows[rows])
    channel = part.enumerate(pair, exact=True).channel
    decision, extreme = _decide(channel, part.claim)
    if decision is not Decision.VIOLATED:
        return found
    evidence = replace(found.evidence, decision=decision, witness=extreme.witness)
    return Examined(evidence, found.enumerated)


def _examined(part: Instance, found: Enumerated, exact: bool) -> Examined:
    decision, extreme = _decide(found.channel, part.claim)
    covers = f"{len(found.channel.databases)} databases, {part}"
    evidence = _evidence(
        found.channel,
        part.claim,
        (decision, extreme),
        covers,
        whole=part.claim.records == part.size and part.chosen is None,
        replay={
            "records": part.size,
            "arithmetic": "exact" if exact else "doubles with counted error",
        },
    )
    return Examined(evidence, found)


def _row(rows: Any, counts: tuple[int, ...]) -> int:
    return int((rows == counts).all(axis=1).argmax())


def examine_channel(subject: ChannelSubject, claim: Claim) -> Evidence:
    """Decide the claim on a channel given as a file.

    Raises InputError where it lists some databases and no two are neighbours.
    """
    require_decidable(claim)
    channel = subject.channel
    decision, extreme = _decide(channel, claim)
    sizes = channel.databases.sum(axis=1)
    largest, public = int(sizes.max()), channel.neighbours.records_public
    cells = channel.domain.size
    expected = histogram_count(cells if public else cells + 1, largest)
    complete = expected == len(channel.databases) and (not public or int(sizes.min()) == largest)
    whole = complete and claim.records == largest and claim.domain.shape == channel.domain.shape
    if not complete and not len(channel.pairs):
        raise InputError(
            f"{subject.name}: no two of the databases listed are neighbours under "
            f"{channel.neighbours.name}, so the file says nothing about the claim"
        )
    covers = f"the {len(channel.databases)} databases listed"
    if complete:
        covers += f", {_sizes(cells, largest, public)}"
    return _evidence(
        channel,
        claim,
        (decision, extreme),
        covers,
        whole=whole,
        replay={"arithmetic": "exact"},
    )


def _decide(channel: Channel, claim: Claim) -> tuple[Decision, Extreme]:
    wanted = require_decidable(claim)
    if wanted.delta == 0:
        return decide_epsilon(channel, wanted.epsilon)
    return decide_delta(channel, wanted.epsilon, wanted.delta)


def _evidence(
    channel: Channel,
    claim: Claim,
    decided: tuple[Decision, Extreme],
    covers: str,
    *,
    whole: bool,
    replay: dict[str, Any],
) -> Evidence:
    decision, extreme = decided
    wanted = require_decidable(claim)
    smallest = extreme.enclosure if wanted.delta == 0 else epsilon_at(channel, wanted.delta)
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
        replay=replay,
    )


def _sizes(cells: int, size: int, public: bool) -> str:
    over = "1 cell" if cells == 1 else f"{cells} cells"
    return f"all of {size if public else f'0 to {size}'} records over {over}"


def _at(wanted: ApproxDP) -> str:
    return f" at delta={wanted.delta}" if wanted.delta else ""


def _shown(ends: Enclosure) -> str:
    if ends.lower == ends.upper:
        return "infinite" if isinstance(ends.lower, float) else f"exactly {ends.lower}"
    return f"in {ends}"
