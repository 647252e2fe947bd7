"""What an attack found, as evidence."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

from audit.auditors.attack.floors import BETTOR_SHARE, at_or_above, claimed_name, p_value
from audit.auditors.attack.guesses import Guesses
from audit.auditors.attack.independence import Independence
from audit.auditors.attack.resolution import anytime_resolution, resolution
from audit.auditors.attack.rules import GuessingRule
from audit.auditors.effort import Attack
from audit.statements.claim import Claim
from audit.statements.decimals import decimal_below
from audit.statements.evidence import (
    AttackReplay,
    Bound,
    Decision,
    Evidence,
    Resolution,
    SampledWitness,
    Side,
)
from audit.statements.looks import describe_look
from audit.subjects.pair import Pair
from proofs.guarantees import ApproxDP


@dataclass(frozen=True)
class Tested:
    """How the guesses of a rule came out: the p-value of the claim, and the floors."""

    test: str
    guesses: Guesses
    p_value: float
    bound: Bound
    strict: Bound | None = None


@dataclass(frozen=True, eq=False)
class About:
    """What every finding of one attack is about."""

    claim: Claim
    attack: Attack
    pair: Pair
    mode: str

    @property
    def covers(self) -> str:
        """The databases that a finding speaks of."""
        if self.pair.distance == 1:
            return "the pair of neighbours tested"
        return f"the ends of a chain of {self.pair.distance} neighbours"

    def floor(self, value: float) -> Bound:
        """A bettor's floor as a bound."""
        found = at_or_above(value)
        if isinstance(self.claim.guarantee, ApproxDP):
            return Bound(Side.FLOOR, found, self.covers, "statistical")
        own = (claimed_name(self.claim.guarantee), found)
        return Bound(Side.FLOOR, at_or_above(0.0), self.covers, "statistical", own)

    def evidence(
        self,
        rule: GuessingRule | None,
        tested: Tested,
        could_see: Resolution,
        notes: Mapping[str, Any],
    ) -> Evidence:
        """What a test of a rule shows."""
        guesses, p = tested.guesses, tested.p_value
        refuted = p <= self.attack.alarm
        told = _describe_guesses(guesses) + _describe_processes(notes, refuted)
        if refuted:
            told = f"{told}, more than {self.claim.guarantee} allows; p-value {p:.2g}"
        else:
            told = f"no violation seen: {told}; p-value {p:.2g}"
        told += describe_look(self.attack.look, self.attack.alarm)
        if notes.get("partial"):
            told = f"interrupted; {told}"
        return Evidence(
            auditor="attack",
            finding=told,
            decision=Decision.VIOLATED if refuted else Decision.UNSEEN,
            covers=self.covers,
            whole=False,
            bound=tested.bound,
            confidence=decimal_below(1 - self.attack.error, 12),
            witness=None if rule is None else self._witness(rule, tested),
            replay=self._replay(notes),
            strict=tested.strict,
            resolution=None if refuted else could_see,
        )

    def of_dependence(
        self, seen: Independence, notes: Mapping[str, Any] = MappingProxyType({})
    ) -> Evidence:
        """What runs show that are no independent draws: no number for the claim."""
        return Evidence(
            auditor="attack",
            finding=seen.finding,
            decision=Decision.INVALID,
            covers=self.covers,
            whole=False,
            replay=self._replay({"repeatable": seen.repeatable, **notes}),
        )

    def of_sharing(self, finding: str, notes: Mapping[str, Any]) -> Evidence:
        """What runs that share processes show and first runs do not: nothing is decided."""
        return Evidence(
            auditor="attack",
            finding=finding,
            decision=Decision.UNDECIDED,
            covers=self.covers,
            whole=False,
            replay=self._replay(notes),
        )

    def p_value_of_steady(self, runs: int) -> float:
        """The p-value of the claim, if so many runs gave one output on each database, not the same.

        The first run on each says which outputs these are; all others guess right by them.
        """
        guesses = Guesses(max(runs - 2, 0), max(runs - 2, 0), 0, abstains=False)
        return p_value(guesses, self.claim.guarantee, self.pair.distance)

    def of_determinism(
        self,
        seen: Independence,
        p: float,
        could_see: Resolution,
        notes: Mapping[str, Any] = MappingProxyType({}),
    ) -> Evidence:
        """One output on each database, not the same: no number, but a violation if p is small.

        A mechanism whose other outputs are rarer than its claim allows looks the same, and is
        refuted by ``p`` at most as often as any other.
        """
        refuted = p <= self.attack.alarm
        finding = f"{seen.finding}; if deterministic, an output tells which database it was"
        if not refuted:
            finding = f"no violation seen: {seen.finding}, which the claim allows so few runs"
        finding += describe_look(self.attack.look, self.attack.alarm)
        event = ("A always gives one output, and B always another",)
        witness = SampledWitness(
            self.pair.show(), {}, "", event, "if deterministic", seen.runs, 0, 0, p
        )
        return Evidence(
            auditor="attack",
            finding=finding,
            decision=Decision.VIOLATED if refuted else Decision.UNSEEN,
            covers=self.covers,
            whole=False,
            witness=witness if refuted else None,
            replay=self._replay({"repeatable": seen.repeatable, **notes}),
            resolution=None if refuted else could_see,
        )

    def interrupted_evidence(self) -> Evidence:
        """Interrupted before anything was tested."""
        none = Guesses(0, 0, 0)
        tested = Tested("", none, 1.0, self.floor(0.0))
        return self.evidence(None, tested, self.could_bet(none, 1.0), {"partial": True})

    def could_test(self, guesses: Guesses) -> Resolution:
        """What a binomial test of so many guesses could have seen."""
        alarm = float(self.attack.alarm * (1 - BETTOR_SHARE))
        return resolution(guesses, self.claim.guarantee, alarm, self.pair.distance)

    def could_bet(self, guesses: Guesses, share: float) -> Resolution:
        """What bets on so many guesses could have seen, with a share of the alarm."""
        alarm = float(self.attack.alarm) * share
        return anytime_resolution(guesses, self.claim.guarantee, alarm, self.pair.distance)

    def _witness(self, rule: GuessingRule, tested: Tested) -> SampledWitness:
        return SampledWitness(
            self.pair.show(),
            rule.to_json(),
            rule.digest(),
            _event(rule),
            tested.test,
            tested.guesses.runs,
            tested.guesses.correct,
            tested.guesses.wrong,
            tested.p_value,
        )

    def _replay(self, notes: Mapping[str, Any]) -> AttackReplay:
        return AttackReplay(
            mode=self.mode,
            seed=self.attack.seed,
            runs=self.attack.runs,
            error=self.attack.error,
            alarm=self.attack.alarm,
            look=self.attack.look,
            versions=versions(),
            **notes,
        )


def versions() -> dict[str, str]:
    """The versions that the same runs and the same rule need."""
    names = ("dp-audit", "numpy", "scipy", "scikit-learn")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def _describe_processes(notes: Mapping[str, Any], refuted: bool) -> str:
    """Which processes the runs had, where several shared one; otherwise nothing."""
    if "shared_runs" not in notes:
        return ""
    shared, fresh = notes["shared_runs"], notes["fresh_runs"]
    if refuted:
        return (
            f", each in a process of its own (the rule comes from {shared} that shared processes)"
        )
    return f", which shared processes ({fresh} in processes of their own look like them)"


def _describe_guesses(guesses: Guesses) -> str:
    if not guesses.number:
        return f"no guess in {guesses.runs} runs"
    return f"{guesses.correct} of {guesses.number} guesses right, in {guesses.runs} runs"


def _event(rule: GuessingRule) -> tuple[str, ...]:
    """When the rule guesses which database, in words: A is the first, B the second."""
    said = rule.score.words()
    told = []
    if rule.high < math.inf:
        told.append(f"it guesses B where {said} comes to at least {rule.high:.6g}")
    if rule.low > -math.inf:
        told.append(f"it guesses A where {said} comes to at most {rule.low:.6g}")
    return tuple(told)
