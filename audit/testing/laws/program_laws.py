"""What every program of a curator must keep, in each of its readings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from audit.certify import Effort, certify
from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Side, Verdict
from audit.subjects.subject import ProgramSubject
from audit.testing.laws.agreement import DRAWS, require_agreement
from audit.testing.laws.ground import Ground, IntArray
from audit.testing.laws.law import SEED, broken, pass_through_pickle, require
from proofs.guarantees import ZCDP, ApproxDP, Guarantee
from synthesizers.budget import Budget, PureBudget, UnlimitedBudget, ZCDPBudget
from synthesizers.curator import Setting, canonical_output
from synthesizers.domain import Dataset
from synthesizers.errors import ProtocolError
from synthesizers.neighbours import Neighbours
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run

SAMPLED = DRAWS // 8
"""Runs on one database (a second of the sampling reading)."""


@dataclass(frozen=True, eq=False)
class Tried:
    """A program under one relation, on all databases of a ground.

    ``claim``: what it must keep, in place of the budget that it declares.
    """

    subject: ProgramSubject
    ground: Ground
    relation: Neighbours
    claim: Guarantee | None = None

    @property
    def setting(self) -> Setting:
        """The public constants: the ground's number of records is the public size."""
        return Setting.of(self.ground.domain, self.relation, self.ground.records)

    def channel(self, budget: Budget | None = None, program: Any = None) -> Channel:
        """The enumerated channel; what breaks the curator's protocol breaks the law."""
        chosen = self.subject.program if program is None else program
        size = self.ground.records
        try:
            return channel_of(chosen, self.setting, size=size, budget=budget).channel
        except ProtocolError as error:
            broken(str(error))

    def claimed(self) -> Guarantee | None:
        """The claim, else what the declared budget promises under the relation it counts under."""
        if self.claim is not None:
            return self.claim
        budget = self.subject.budget(self.setting)
        if isinstance(budget, UnlimitedBudget) or budget.neighbours not in (None, self.relation):
            return None
        if isinstance(budget, PureBudget):
            return ApproxDP(Fraction(budget.epsilon))
        return ZCDP(Fraction(budget.rho)) if isinstance(budget, ZCDPBudget) else None


def asks_the_same_on_replay_and_reads_nothing_else(tried: Tried) -> None:
    """Questions and output follow from the transcript alone; files and processes stay untouched.

    Every transcript has an output that can be released: whole numbers, texts, None, or records of
    the domain.
    """
    tried.channel()


def remembers_nothing(tried: Tried) -> None:
    """Enumerated again, and as a copy from another process, it has the same channel."""
    first, again = tried.channel(), tried.channel()
    require(_same(first, again), "enumerated twice, the program has two channels: it remembers")
    copy = pass_through_pickle(tried.subject.program)
    require(_same(first, tried.channel(program=copy)), "its pickled copy has another channel")


def sampling_agrees_with_enumeration(tried: Tried) -> None:
    """Runs on real data are of the enumerated law, by exact binomial tests at an error of 1e-9."""
    channel = tried.channel()
    rows = channel.databases
    chances = channel.centre
    for number in sorted({0, len(rows) // 2, len(rows) - 1}):
        counts = rows[number]
        dataset = _dataset(tried, counts)
        entropy = InsecureSeededEntropy(SEED, number)
        seen: Counter[Hashable] = Counter()
        for _ in range(SAMPLED):
            made = run(tried.subject.program, dataset, tried.setting, UnlimitedBudget(), entropy)
            seen[canonical_output(made.output, tried.ground.domain)] += 1
        law: dict[Hashable, float] = dict(
            zip(channel.outputs, chances[number].tolist(), strict=True)
        )
        require_agreement(law, seen, f"runs on {counts.tolist()}")


def stays_within_its_budget(tried: Tried) -> None:
    """No transcript costs more than the budget that it declares."""
    tried.channel(tried.subject.budget(tried.setting))


def exact_value_lies_below_theorem_and_claim(tried: Tried) -> None:
    """exact ≤ proved ≤ claimed: the claim, or that of the declared budget, is kept on the ground.

    The verdict is PROVED or EXACT, and the exact value lies below every theorem's ceiling.
    """
    guarantee = tried.claimed()
    if guarantee is None:
        return
    claim = Claim(guarantee, tried.relation, "output", tried.ground.domain, tried.ground.records)
    try:
        certificate = certify(tried.subject, claim, Effort(trusted=True), "").certificate
    except ProtocolError as error:
        broken(str(error))
    if certificate.verdict in (Verdict.PROVED, Verdict.EXACT):
        return
    found = [e.finding for e in certificate.evidence if e.decision is Decision.VIOLATED]
    value = certificate.bound(Side.EXACT)
    shown = "" if value is None else f", exact ε = {float(value.epsilon.lower):.6g}"
    broken(
        f"{certificate.verdict.value}: {guarantee} is claimed under {tried.relation.name}{shown}"
        + "".join(f"; {finding}" for finding in found[:1])
    )


def _dataset(tried: Tried, counts: IntArray) -> Dataset:
    """The records, each of a person of its own where persons are the unit."""
    domain = tried.ground.domain
    if tried.relation.unit.is_record:
        return Dataset.from_histogram(domain, counts)
    persons = replace(domain, individual=domain.individual or "person")
    listed = Dataset.from_histogram(persons, counts)
    return Dataset(persons, listed.codes, np.arange(listed.records))


def _same(first: Channel, second: Channel) -> bool:
    return (
        first.outputs == second.outputs
        and np.array_equal(first.lower, second.lower)
        and np.array_equal(first.upper, second.upper)
    )


LAWS: tuple[Callable[[Tried], None], ...] = (
    asks_the_same_on_replay_and_reads_nothing_else,
    remembers_nothing,
    sampling_agrees_with_enumeration,
    stays_within_its_budget,
    exact_value_lies_below_theorem_and_claim,
)
