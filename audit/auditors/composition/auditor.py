"""The auditor of composition: the ledger recounted, question by question and as a whole.

Four findings. The budget: no transcript's costs add up to more than is declared. The questions:
none reveals more than its cost. The whole: all answers together reveal no more than the sum. The
claim: what the composed loss says of it, and which question passes it. A fifth where the kernel
proves something of the ledger: no ceiling lies below an exact value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from audit.auditors.composition.questions import Question, loss_of
from audit.auditors.composition.recount import Ledgers, Unit, Unrefused, recount
from audit.auditors.composition.theorems import Compared, ceilings
from audit.auditors.deciding import Decided, decide, spell
from audit.auditors.effort import Effort
from audit.auditors.exhaustive import ALWAYS_EXACT, Instance
from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from audit.channels.measures.epsilon import decide_epsilon
from audit.channels.measures.zcdp import decide_zcdp, narrow_zcdp
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Witness
from audit.statements.finding import Finding, Rigour, Shown
from audit.subjects.subject import ProgramSubject
from proofs.guarantees import ZCDP, ApproxDP
from proofs.ledger.programs import fixed_ledger, of_ledger
from proofs.parts import Part
from synthesizers.budget import (
    FREE,
    PureBudget,
    SampledGaussianBudget,
    UnlimitedBudget,
    ZCDPBudget,
)
from synthesizers.curator import Setting
from synthesizers.errors import BudgetExceeded, InputError
from synthesizers.event_words import describe
from synthesizers.events import Databases, Event
from synthesizers.plan import plan

MOST_LOSSES = 200
"""Different questions whose loss is measured (an adaptive program may
have as many as transcripts)."""

UNITS: tuple[Unit, Unit] = ("epsilon", "rho")


def examine(subject: ProgramSubject, claim: Claim, effort: Effort) -> Iterator[Finding]:
    """What the ledger of a program adds up to, against its budget and its claim.

    The instance is of the claim's number of records, otherwise of the public number of rows (0 to
    so many where n is private). Raises TooLargeError where the instance can't be enumerated,
    ProtocolError where the program breaks the curator's protocol.

    Guarantee
    ---------
    ``violated`` follows from exact numbers: the costs that questions state add up to more than the
    declared budget, which is what a curator refuses; or the loss of a question, of all answers or
    of what is released is above its cost, their sum, or the claim. A claim below the sum of the
    costs is not accused for that alone: parallel questions and post-processing may keep it. Backed
    by ``tests/audit/auditors/composition/test_composition_auditor.py``.
    """
    part = Instance.of(subject, claim, effort)
    setting, databases = part.setting, part.databases
    declared = subject.budget(setting)
    program = Unrefused.of(subject, setting)
    ledgers = recount(program, setting, databases, setting.neighbours)
    whole = _Whole(subject, claim, setting, databases, program, ledgers)
    if not isinstance(declared, UnlimitedBudget):
        yield whole.budget(declared)
    yield from whole.questions()
    transcripts = whole.channel("transcript")
    yield from whole.check_composition(transcripts)
    yield whole.claimed(transcripts)
    events = fixed_ledger(
        subject.program, declared, setting, ledgers.ledgers, ours=subject.built_in
    )
    try:
        parts = of_ledger(events or (), setting)
    except InputError:
        return
    if parts:
        yield from whole.theorems(parts, transcripts)


@dataclass(frozen=True, eq=False)
class _Whole:
    """A program on an instance, recounted."""

    subject: ProgramSubject
    claim: Claim
    setting: Setting
    databases: Databases
    program: Unrefused
    ledgers: Ledgers

    def channel(self, released: str) -> Channel:
        """The channel of what is released; exact where that is cheap."""
        budget = self.program.budget
        work = plan(self.program, self.setting, self.databases, budget)
        return channel_of(
            self.program,
            self.setting,
            released=released,
            exact=work.products <= ALWAYS_EXACT,
            databases=self.databases,
            budget=budget,
        ).channel

    def budget(self, declared: PureBudget | ZCDPBudget | SampledGaussianBudget) -> Finding:
        """The largest sum of costs, under the budget's own neighbours, against it."""
        if isinstance(declared, SampledGaussianBudget):
            return self._steps(declared)
        unit: Unit = "epsilon" if isinstance(declared, PureBudget) else "rho"
        limit = declared.epsilon if isinstance(declared, PureBudget) else declared.rho
        relation = declared.neighbours or self.setting.neighbours
        counted = self.ledgers
        if relation != self.setting.neighbours:
            counted = recount(self.program, self.setting, self.databases, relation)
        ledger = counted.dearest[unit]
        place = ledger.passes(unit, limit)
        found = f"{unit} = {ledger.sum_in_words(unit)}"
        if place is not None:
            found += f"; question {place + 1} passes the budget"
        return self._finding(
            "budget",
            place is not None,
            f"{unit}={limit} under {relation.name}",
            found,
            responsible=None if place is None else ledger.name_question(place),
        )

    def _steps(self, declared: SampledGaussianBudget) -> Finding:
        """The ledger of the largest sum, against a budget of sampled steps."""
        ledger = self.ledgers.dearest["rho"]
        spent, place = FREE, None
        for number, cost in enumerate(ledger.costs):
            spent += cost
            try:
                declared.check(spent)
            except BudgetExceeded:
                place = number
                break
        found = f"{len(ledger.costs)} questions"
        return self._finding(
            "budget",
            place is not None,
            f"{declared.steps} sampled steps of rate {declared.rate}",
            found if place is None else f"{found}; question {place + 1} passes the budget",
            responsible=None if place is None else ledger.name_question(place),
        )

    def questions(self) -> Iterator[Finding]:
        """Each question's exact loss against its cost: one finding each that is above, or one."""
        domain, relation = self.setting.domain, self.setting.neighbours
        told: list[str] = []
        bad = False
        events = list(self.ledgers.questions)
        for event in events[:MOST_LOSSES]:
            cost = event.cost(domain, relation)
            found = loss_of(event, cost, self.setting, self.databases)
            if found is None:
                told.append(f"{describe(event)}: no finite cost stated")
                continue
            told.append(f"{describe(event)}: {found.unit} {spell(found.loss)} of {found.stated}")
            if found.decision is Decision.VIOLATED:
                bad = True
                yield self._question(event, found)
        if not bad:
            most = f"; {len(events) - 4} more" if len(events) > 4 else ""
            yield self._finding(
                "cost of each question",
                False,
                "no question reveals more than its cost",
                "; ".join(told[:4]) + most if told else "no question is asked",
                covers=f"{min(len(events), MOST_LOSSES)} of {len(events)} different questions, ",
            )

    def _question(self, event: Event, found: Question) -> Finding:
        ledger, place = self.ledgers.questions[event]
        return self._finding(
            "cost of each question",
            True,
            f"{found.unit}={found.stated}, the cost of {describe(event)}",
            f"{found.unit} is {spell(found.loss)}",
            found.witness,
            ledger.name_question(place),
        )

    def check_composition(self, transcripts: Channel) -> Iterator[Finding]:
        """All answers together against the sum of the costs, in each unit that has a finite one."""
        for unit in UNITS:
            total = self.ledgers.dearest[unit].spent(unit)
            if total is None or (unit == "rho" and not self._in_rho()):
                continue
            decide = decide_epsilon if unit == "epsilon" else decide_zcdp
            decision, extreme = decide(transcripts, total)
            if unit == "rho":
                extreme = narrow_zcdp(transcripts, extreme)
            yield self._finding(
                "loss of all answers",
                decision is Decision.VIOLATED,
                f"at most the sum of the costs, {unit} = "
                f"{self.ledgers.dearest[unit].sum_in_words(unit)}",
                f"{unit} is {spell(extreme.enclosure)}",
                extreme.witness,
            )

    def _in_rho(self) -> bool:
        declared = self.subject.budget(self.setting)
        asked = isinstance(self.claim.guarantee, ZCDP) or isinstance(declared, ZCDPBudget)
        return asked or self.ledgers.dearest["epsilon"].spent("epsilon") is None

    def claimed(self, transcripts: Channel) -> Finding:
        """What is released against the claim, with the question whose cost passes it."""
        released = self.claim.released
        channel = transcripts if released == "transcript" else self.channel("output")
        found = decide(channel, self.claim.guarantee)
        words, responsible = self._nominal(found)
        violated = found.decision is Decision.VIOLATED
        finding = self._finding(
            "claim",
            violated,
            f"{self.claim.guarantee}, {released} released",
            f"{words}{found.finding}",
            found.witness,
            responsible,
        )
        if not violated:
            return finding
        # This is about the claim itself, and its witness can be checked.
        return replace(finding, decision=Decision.VIOLATED, witness=found.witness)

    def _nominal(self, found: Decided) -> tuple[str, str | None]:
        """The sum of the costs in the claim's unit, where it has one, and the question at fault."""
        match self.claim.guarantee:
            case ApproxDP(limit, delta) if delta == 0:
                unit: Unit = "epsilon"
            case ZCDP(limit):
                unit = "rho"
            case _:
                return "", None
        ledger = self.ledgers.dearest[unit]
        place = ledger.passes(unit, limit)
        words = f"the costs add up to {unit} = {ledger.sum_in_words(unit)}"
        if place is None:
            return f"{words}; ", None
        passed = f"{words}, and question {place + 1} passes the claim; "
        if found.decision is not Decision.VIOLATED:
            return f"{words}, more than the claim, which needs another reason than them; ", None
        return passed, ledger.name_question(place)

    def theorems(self, parts: tuple[Part, ...], transcripts: Channel) -> Iterator[Finding]:
        """Each ceiling of the kernel below an exact value; or one finding that there is none."""
        compared = list(ceilings(parts, transcripts))
        for one in compared:
            if one.contradicts:
                yield self._theorem(one)
        if compared and not any(one.contradicts for one in compared):
            kinds = len({one.asked for one in compared})
            yield self._finding(
                "theorems about the ledger",
                False,
                "no exact value lies above a proved ceiling",
                f"{len(compared)} ceilings of {kinds} kinds lie at or above the exact values",
            )

    def _theorem(self, one: Compared) -> Finding:
        return self._finding(
            "theorems about the ledger",
            True,
            f"at most {one.ceiling}, by {one.rule} ({one.asked} with its own parameter open)",
            spell(one.exact),
            responsible=one.rule,
        )

    def _finding(
        self,
        about: str,
        violated: bool,
        declared: str,
        found: str,
        witness: Witness | None = None,
        responsible: str | None = None,
        covers: str = "",
    ) -> Finding:
        covered = (
            f"{covers}all {self.ledgers.transcripts} transcripts on {len(self.databases.rows)} "
            f"databases, {describe_relation(self.setting)}"
        )
        pair = None if witness is None else Shown(witness.source, witness.target)
        return Finding(
            auditor="composition",
            about=about,
            decision=Decision.of_declaration(violated),
            declared=declared,
            found=found,
            rigour=Rigour.EXACT,
            covers=covered,
            again=(
                "from audit.auditors.composition import examine\n"
                f"examine(subject, claim, setting)  # {self.subject.name}"
            ),
            pair=pair,
            responsible=responsible,
        )


def describe_relation(setting: Setting) -> str:
    """The neighbours and the cells of an instance, in a few words."""
    cells = setting.domain.size
    return f"{setting.neighbours.name} over {cells} {'cell' if cells == 1 else 'cells'}"
