"""The exhaustive auditor: the exact channel of an enumerated instance.

It looks at every pair of neighbours and every output. What it finds is exact
for the databases enumerated, and silent about all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from audit.auditors.deciding import decide
from audit.auditors.effort import Effort
from audit.auditors.spending import find_spending
from audit.channels.channel import Channel
from audit.channels.enumerate import Enumerated, Progress, channel_of, instance
from audit.statements.claim import Claim
from audit.statements.evidence import Bound, Decision, EnumerationReplay, Evidence, Side, Witness
from audit.subjects.subject import ChannelSubject, ProgramSubject
from synthesizers.curator import Setting
from synthesizers.errors import InputError, TooLargeError
from synthesizers.events import Databases
from synthesizers.neighbours import histogram_count
from synthesizers.plan import Plan, plan

ALWAYS_EXACT = 20_000
"""Products (databases × transcripts) up to which chances are exact from the start."""

MOST_TRANSCRIPTS = 5_000_000
"""Transcripts up to which an instance is examined: a few minutes of two cores. Above, an audit
turns to what covers any size, and to smaller instances."""

RETRY_EXACT = 400_000
"""Products up to which an undecided comparison is repeated in exact chances."""


@dataclass(frozen=True)
class Examined:
    """The evidence, and the channel it came from."""

    evidence: Evidence
    enumerated: Enumerated


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

    @classmethod
    def of(cls, subject: ProgramSubject, claim: Claim, effort: Effort) -> Instance:
        """The claim's own instance; of as many records as rows where the claim says none."""
        setting = effort.setting(claim)
        size = setting.require_rows() if claim.records is None else claim.records
        return cls(subject, claim, setting, size, effort.jobs, effort.progress)

    @property
    def databases(self) -> Databases:
        """Its databases; TooLargeError where they cannot be listed."""
        return instance(self.setting, self.size) if self.chosen is None else self.chosen

    def plan(self) -> Plan:
        """How large its enumeration is."""
        program, budget = self.subject.program, self.subject.budget(self.setting)
        return plan(program, self.setting, self.databases, budget)

    def products(self) -> int:
        """Databases × transcripts."""
        return self.plan().products

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


def examine(subject: ProgramSubject, claim: Claim, effort: Effort) -> Iterator[Evidence]:
    """The claim decided on its own instance, as `examine_program` does.

    What it enumerates is kept in ``effort.enumeration``.
    """
    part = Instance.of(subject, claim, effort)
    examined = examine_program(part)
    effort.enumeration.about = subject, claim, part.setting
    effort.enumeration.enumerated = examined.enumerated
    yield examined.evidence


def examine_file(subject: ChannelSubject, claim: Claim, effort: Effort) -> Iterator[Evidence]:
    """The claim decided on a channel given as a file, as `examine_channel` does."""
    yield examine_channel(subject, claim)


def examine_program(part: Instance) -> Examined:
    """Enumerate an instance and decide the claim on it, exactly where that is cheap.

    Raises TooLargeError where the instance is beyond the caps.

    Guarantee
    ---------
    ``decision`` is certified for every pair of neighbours among the databases
    enumerated. Backed by ``tests/audit/auditors/test_exhaustive.py``.
    """
    work = part.plan()
    if work.transcripts > MOST_TRANSCRIPTS:
        raise TooLargeError(
            f"the instance has {work.size_text} transcripts, more than the "
            f"{MOST_TRANSCRIPTS} that are examined; take fewer cells, records or bounds"
        )
    exact = work.products <= ALWAYS_EXACT
    return _conclude(part, part.enumerate(part.databases, exact=exact), exact)


def sharpen(part: Instance, found: Examined) -> Examined:
    """Repeat an undecided comparison in exact chances, as far as that is affordable.

    All databases where they are few; otherwise the two of the witness, which
    are enough for a violation.
    """
    work, databases = part.products(), part.databases
    witness = found.evidence.witness
    if work <= RETRY_EXACT:
        return _conclude(part, part.enumerate(databases, exact=True), True)
    if not isinstance(witness, Witness) or 2 * work > RETRY_EXACT * len(databases.rows):
        return found
    rows = [_row(databases.rows, counts) for counts in (witness.source, witness.target)]
    pair = Databases(databases.domain, databases.rows[rows])
    again = decide(part.enumerate(pair, exact=True).channel, part.claim.guarantee)
    if again.decision is not Decision.VIOLATED:
        return found
    budget = part.subject.budget(part.setting)
    assert again.witness is not None
    spending = find_spending(part.subject.program, part.setting, budget, part.claim, again.witness)
    evidence = replace(
        found.evidence, decision=again.decision, witness=again.witness, spending=spending
    )
    return Examined(evidence, found.enumerated)


def _conclude(part: Instance, found: Enumerated, exact: bool) -> Examined:
    covers = f"{len(found.channel.databases)} databases, {part}"
    evidence = _evidence(
        found.channel,
        part.claim,
        covers,
        whole=part.claim.records == part.size and part.chosen is None,
        replay=EnumerationReplay(
            records=part.size, arithmetic="exact" if exact else "doubles with counted error"
        ),
    )
    witness = evidence.witness
    if evidence.decision is Decision.VIOLATED and isinstance(witness, Witness):
        subject, setting = part.subject, part.setting
        spending = find_spending(
            subject.program, setting, subject.budget(setting), part.claim, witness
        )
        evidence = replace(evidence, spending=spending)
    return Examined(evidence, found)


def _row(rows: Any, counts: tuple[int, ...]) -> int:
    return int((rows == counts).all(axis=1).argmax())


def examine_channel(subject: ChannelSubject, claim: Claim) -> Evidence:
    """Decide the claim on a channel given as a file.

    Raises InputError where it lists some databases and no two are neighbours.
    """
    channel = subject.channel
    sizes = channel.databases.sum(axis=1)
    largest, public = int(sizes.max()), channel.neighbours.records_public
    cells = channel.domain.size
    expected = histogram_count(cells if public else cells + 1, largest)
    complete = expected == len(channel.databases) and (not public or int(sizes.min()) == largest)
    same_cells = claim.require_domain().shape == channel.domain.shape
    whole = complete and claim.records == largest and same_cells
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
        covers,
        whole=whole,
        replay=EnumerationReplay(arithmetic="exact"),
    )


def _evidence(
    channel: Channel, claim: Claim, covers: str, *, whole: bool, replay: EnumerationReplay
) -> Evidence:
    found = decide(channel, claim.guarantee)
    return Evidence(
        auditor="exhaustive",
        finding=(
            f"{found.finding}: every pair of neighbours among {covers}, "
            f"{len(channel.outputs)} possible {channel.released}s"
        ),
        decision=found.decision,
        covers=covers,
        whole=whole,
        bound=Bound(Side.EXACT, found.epsilon, covers, "exact", found.parameter),
        witness=found.witness,
        replay=replay,
    )


def _sizes(cells: int, size: int, public: bool) -> str:
    over = "1 cell" if cells == 1 else f"{cells} cells"
    return f"all of {size if public else f'0 to {size}'} records over {over}"
