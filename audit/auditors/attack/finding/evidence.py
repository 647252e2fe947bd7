"""What an attack found, as evidence."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from types import MappingProxyType
from typing import Any

from audit.auditors.attack.finding.needed import count_needed
from audit.auditors.attack.finding.sentences import describe_rule
from audit.auditors.attack.guessing.floors import (
    BETTOR_SHARE,
    at_or_above,
    binomial_floor,
    binomial_p_value,
    claimed_name,
    p_value,
)
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.guessing.power import (
    Bets,
    Binomial,
    Refuting,
    bound_unseen,
    find_detectable,
    require_detect,
)
from audit.auditors.attack.guessing.stopping import stopped_floor, stopped_p_value
from audit.auditors.attack.independence.independence import Independence
from audit.auditors.attack.scores.rules import GuessingRule
from audit.auditors.attack.veils.causes import describe_leaks
from audit.auditors.effort import Attack
from audit.statements.claim import Claim
from audit.statements.decimals import decimal_below
from audit.statements.evidence import (
    CONTRADICTING,
    AttackReplay,
    Bound,
    Cause,
    Decision,
    Evidence,
    SampledWitness,
    Search,
    Side,
)
from audit.statements.looks import describe_look
from audit.statements.power import Control, Lack, Power, find_lack
from audit.subjects.pair import Pair
from proofs.guarantees import ApproxDP

BINOMIAL, STOPPED = "exact binomial", "bets until stopped"
"""The tests of a frozen rule: on all runs that were planned, and on those until it was stopped."""

_UNREFUTED = {
    None: "no violation seen",
    Lack.SUSPICION: "suspicious",
    Lack.RUNS: "too few runs to see a leak of the size asked for",
    Lack.CONTROL: "a planted leak was not refuted",
}
"""How the finding of an attack that does not refute begins, by what it lacks."""


@dataclass(frozen=True)
class Tested:
    """How the guesses of a rule came out: the p-value of the claim, and the floors."""

    test: str
    guesses: Guesses
    p_value: float
    bound: Bound | None
    strict: Bound | None = None


@dataclass(frozen=True, eq=False)
class About:
    """What every finding of one attack is about; ``search``: of its pair, unless that was given."""

    claim: Claim
    attack: Attack
    pair: Pair
    mode: str
    search: Search | None = None

    @property
    def covers(self) -> str:
        """The databases that a finding speaks of, and behind which known leaks."""
        behind = f", behind {describe_leaks(self.attack.beyond)}" if self.attack.beyond else ""
        if self.pair.distance == 1:
            return f"the pair of neighbours tested{behind}"
        return f"the ends of a chain of {self.pair.distance} neighbours{behind}"

    def floor(self, value: float) -> Bound:
        """A bettor's floor as a bound."""
        found = at_or_above(value)
        if isinstance(self.claim.guarantee, ApproxDP):
            return Bound(Side.FLOOR, found, self.covers, "statistical")
        own = (claimed_name(self.claim.guarantee), found)
        return Bound(Side.FLOOR, at_or_above(0.0), self.covers, "statistical", own)

    def test_all(self, guesses: Guesses) -> Tested:
        """The binomial test of a frozen rule, on as many runs as were planned before."""
        guarantee, distance = self.claim.guarantee, self.pair.distance
        bound, strict = (
            binomial_floor(guesses, guarantee, error, distance, self.covers)
            for error in (self.attack.error, CONTRADICTING)
        )
        p = binomial_p_value(guesses, guarantee, distance)
        return Tested(BINOMIAL, guesses, p, bound, strict)

    def test_stopped(self, guesses: Guesses) -> Tested:
        """The bets on a frozen rule, on runs that ended when the past said so."""
        guarantee, distance = self.claim.guarantee, self.pair.distance
        bound, strict = (
            self.floor(stopped_floor(guesses, guarantee, float(error), distance))
            for error in (self.attack.error, CONTRADICTING)
        )
        p = stopped_p_value(guesses, guarantee, distance)
        return Tested(STOPPED, guesses, p, bound, strict)

    def evidence(
        self,
        rule: GuessingRule | None,
        tested: Tested,
        test: Refuting,
        notes: Mapping[str, Any],
        control: Control | None = None,
        frequent: Guesses | None = None,
    ) -> Evidence:
        """What a test of a rule shows.

        ``test``: by which guesses refute. ``frequent``: how often guesses are made, where those
        tested are of several rules.
        """
        guesses, p = tested.guesses, tested.p_value
        refuted = p <= self.attack.alarm
        told = _describe_guesses(guesses) + _describe_processes(notes, refuted)
        if tested.test == STOPPED:
            told += ", where it stopped early"
        lacking, power = None, None
        if refuted:
            told = f"{told}, more than {self.claim.guarantee} allows; p-value {p:.2g}"
        else:
            lacking, power = self._power(tested, test, frequent or guesses, control)
            told = f"{_UNREFUTED[lacking]}: {told}; p-value {p:.2g}"
        told += describe_look(self.attack.look, self.attack.alarm)
        if self.attack.beyond:
            told = f"behind {describe_leaks(self.attack.beyond)}: {told}"
        if notes.get("partial"):
            told = f"interrupted; {told}"
        return Evidence(
            auditor="attack",
            finding=told,
            decision=_decide(refuted, lacking),
            covers=self.covers,
            whole=False,
            bound=tested.bound,
            confidence=decimal_below(1 - self.attack.error, 12),
            witness=None if rule is None else self._witness(rule, tested),
            replay=self._replay(notes),
            strict=tested.strict,
            power=power,
            control=None if refuted else control,
        )

    def _power(
        self, tested: Tested, test: Refuting, guesses: Guesses, control: Control | None = None
    ) -> tuple[Lack | None, Power]:
        """What the runs could have seen, and what lacks."""
        detect = float(require_detect(self.claim.guarantee, self.attack.detect))
        runs = guesses.runs
        power = Power(find_detectable(test, guesses), detect, bound_unseen(runs), runs)
        lacking = find_lack(tested.p_value, power, control)
        if lacking is None:
            return None, power
        right = tested.guesses.correct / max(tested.guesses.number, 1)
        accuracy = right if lacking is Lack.SUSPICION else None
        needed = count_needed(test, guesses, self.attack.runs, detect, accuracy)
        return lacking, replace(power, needed=needed)

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
            cause=Cause("fixed-seed", seen.finding) if seen.repeated else None,
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
        test: Refuting,
        guesses: Guesses,
        notes: Mapping[str, Any] = MappingProxyType({}),
    ) -> Evidence:
        """One output on each database, not the same: no number, but a violation if p is small.

        A mechanism whose other outputs are rarer than its claim allows looks the same, and is
        refuted by ``p`` at most as often as any other. ``test``, ``guesses``: what else could have
        been seen.
        """
        refuted = p <= self.attack.alarm
        finding = f"{seen.finding}; if deterministic, an output tells which database it was"
        lacking, power = None, None
        if not refuted:
            steady = Tested("if deterministic", Guesses(seen.runs, seen.runs, 0), p, None)
            lacking, power = self._power(steady, test, guesses)
            allowed = "which the claim allows so few runs"
            finding = f"{_UNREFUTED[lacking]}: {seen.finding}, {allowed}"
        finding += describe_look(self.attack.look, self.attack.alarm)
        event = ("A always gives one output, and B always another",)
        witness = SampledWitness(
            self.pair.show(), {}, "", event, "if deterministic", seen.runs, 0, 0, p
        )
        return Evidence(
            auditor="attack",
            finding=finding,
            decision=_decide(refuted, lacking),
            covers=self.covers,
            whole=False,
            witness=witness if refuted else None,
            replay=self._replay({"repeatable": seen.repeatable, **notes}),
            power=power,
        )

    def interrupted_evidence(self) -> Evidence:
        """Interrupted before anything was tested."""
        none = Guesses(0, 0, 0)
        tested = Tested("", none, 1.0, self.floor(0.0))
        return self.evidence(None, tested, self.bets(1.0), {"partial": True})

    @property
    def binomial(self) -> Binomial:
        """The binomial test, at its part of the alarm."""
        alarm = float(self.attack.alarm * (1 - BETTOR_SHARE))
        return Binomial(self.claim.guarantee, alarm, self.pair.distance)

    @property
    def stopped(self) -> Bets:
        """The bets of runs that end early, at their part of the alarm."""
        return self.bets(float(BETTOR_SHARE))

    def bets(self, share: float) -> Bets:
        """Bets with a share of the alarm."""
        return Bets(self.claim.guarantee, float(self.attack.alarm) * share, self.pair.distance)

    def _witness(self, rule: GuessingRule, tested: Tested) -> SampledWitness:
        return SampledWitness(
            self.pair.show(),
            rule.to_json(),
            rule.digest(),
            describe_rule(rule),
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
            detect=self.attack.detect,
            beyond=self.attack.beyond or None,
            search=self.search,
            versions=list_versions(),
            **notes,
        )


def _decide(refuted: bool, lacking: Lack | None) -> Decision:
    if refuted:
        return Decision.VIOLATED
    return Decision.UNSEEN if lacking is None else Decision.UNDECIDED


def list_versions() -> dict[str, str]:
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
