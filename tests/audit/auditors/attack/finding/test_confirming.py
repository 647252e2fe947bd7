"""What runs that share processes show against a subject is tested on runs that share nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from audit.auditors.attack.attacked import AttackedBox
from audit.auditors.attack.auditor import attack_box
from audit.auditors.attack.finding.confirming import Finding, confirm
from audit.auditors.attack.finding.evidence import About
from audit.auditors.attack.finding.evidence import Tested as RuleTest
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.independence import first_runs
from audit.auditors.attack.rechecking.rechecking import recheck_attack
from audit.auditors.attack.rechecking.replaying import frozen_test, retest
from audit.auditors.attack.rechecking.stated_attacks import require_replay
from audit.auditors.attack.scores.rules import GuessingRule
from audit.auditors.attack.scores.scores import score_from_json
from audit.auditors.effort import Attack
from audit.parallel import here
from audit.statements.certificate import Certificate
from audit.statements.certificate_json import decode_evidence
from audit.statements.checks import Status
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Evidence, SampledWitness, Verdict, verdict
from audit.subjects.outcomes import Ended, Outcomes
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Seeds
from proofs.guarantees import parse_guarantee
from synthesizers.errors import InputError, ProtocolError
from synthesizers.neighbours import AddRemove

PAIR = Pair(0, 1)
ATTACK = Attack(runs=600, seed=5, error=Fraction(1, 20), alarm=Fraction(1, 10**6), pair=PAIR)
CLAIM = Claim(parse_guarantee("epsilon=1"), AddRemove(), "output", None, None)

Coins = NDArray[np.bool_]
Law = Callable[[Coins, np.random.Generator], NDArray[Any]]


def response(epsilon: float) -> Law:
    """Randomised response to a bit, with log odds of ``epsilon``."""

    def law(coins: Coins, random: np.random.Generator) -> NDArray[Any]:
        keeps = random.random(len(coins)) < 1 / (1 + math.exp(-epsilon))
        return np.where(keeps, coins, ~coins).astype(np.float64)

    return law


def laplace(coins: Coins, random: np.random.Generator) -> NDArray[Any]:
    # On a grid: the last bits of a sum of doubles would betray the coin.
    return coins + np.rint(random.laplace(size=len(coins)) * 1024) / 1024


def exact(coins: Coins, random: np.random.Generator) -> NDArray[Any]:
    return coins.astype(np.float64)


def made_at_import(coins: Coins, random: np.random.Generator) -> NDArray[Any]:
    """Forks of one process, whose generator was made before they forked."""
    return coins + random.laplace()


@dataclass
class Shared:
    """A box whose runs share processes; ``first``: the law where they don't."""

    later: Law
    first: Law
    serves: bool = True
    repeatable: bool = False
    name: str = "box"
    block: int = 50
    process: Any = None
    made: list[int] = field(default_factory=list)

    def draw(self, pair: Pair, coins: Coins, seed: int) -> Outcomes:
        if self.process is None:
            self.process = self._new(0)
        # What a process drew for itself first comes again in each of its forks.
        own = np.random.default_rng(seed) if self.repeatable else self._own(seed)
        return Outcomes.of_batch(self.later(coins, own), len(coins))

    def draw_afresh(self, pair: Pair, coins: Coins, seed: int) -> Outcomes:
        return replace(self, process=self._new(seed)).draw(pair, coins, seed)

    def draw_first(self, pair: Pair, coins: Coins, seed: int) -> Outcomes:
        self.made.append(len(coins))
        own = np.random.default_rng([seed, 2])
        return Outcomes.of_batch(self.first(coins, own), len(coins))

    def _new(self, seed: int) -> Any:
        return seed + 1

    def _own(self, seed: int) -> np.random.Generator:
        if self.later is made_at_import:
            return np.random.default_rng(self.process)
        return np.random.default_rng([seed, self.process])


def audited(box: Any, attack: Attack = ATTACK, claim: Claim = CLAIM) -> Evidence:
    return attack_box(AttackedBox(Drawing(box, Seeds(attack.seed), here), box), claim, attack)


def document(evidence: Evidence) -> dict[str, Any]:
    run = {"seconds": 60, "megabytes": 4096, "rows": None}
    subject = {"kind": "command", "name": "command:box", **run}
    return Certificate(subject, CLAIM, (evidence,), (), "").to_json()


BOTH = pytest.mark.parametrize("until_decided", [False, True])


@BOTH
def test_a_leak_of_served_runs_is_refuted_by_first_runs_alone(until_decided: bool) -> None:
    box = Shared(response(3), response(3))
    found = audited(box, replace(ATTACK, until_decided=until_decided))
    assert found.decision is Decision.VIOLATED
    assert isinstance(found.witness, SampledWitness)
    assert found.witness.test == "exact binomial"
    fresh = require_replay(found).fresh_runs
    assert found.witness.runs == fresh
    # The first ones were compared, and the others tested the rule.
    assert sum(box.made) == 40 + fresh
    assert require_replay(found).shared_runs >= 40
    assert "each in a process of its own" in found.finding
    assert found.bound is not None and float(found.bound.epsilon.lower) > 1


@BOTH
def test_a_subject_without_noise_is_refuted_by_first_runs(until_decided: bool) -> None:
    found = audited(Shared(exact, exact), replace(ATTACK, until_decided=until_decided))
    assert found.decision is Decision.VIOLATED
    assert "if deterministic" in found.finding
    assert isinstance(found.witness, SampledWitness)
    assert found.witness.runs == require_replay(found).fresh_runs >= 45
    assert found.witness.p_value <= 1e-6


@BOTH
@pytest.mark.parametrize("serves", [False, True])
def test_a_generator_made_at_import_is_named_and_nobody_accused(
    until_decided: bool, serves: bool
) -> None:
    box = Shared(made_at_import, laplace, serves)
    found = audited(box, replace(ATTACK, until_decided=until_decided))
    assert found.decision is Decision.UNDECIDED
    assert verdict([found], False) is Verdict.UNDECIDED
    assert "a generator made when the program was loaded" in found.finding
    assert found.bound is None and found.strict is None and found.witness is None
    assert require_replay(found).fresh_runs == sum(box.made) - (40 if serves else 0)


def test_a_secret_of_the_process_that_only_hides_first_runs_refutes_nobody() -> None:
    """The offset is uniform, drawn once a process: runs of one process tell 0 from 1."""

    def offset(coins: Coins, random: np.random.Generator) -> NDArray[Any]:
        return (coins + 500 + random.integers(0, 2, len(coins))).astype(np.float64)

    def uniform(coins: Coins, random: np.random.Generator) -> NDArray[Any]:
        return random.integers(0, 1000, len(coins)).astype(np.float64)

    for serves in (False, True):
        found = audited(Shared(offset, uniform, serves))
        assert found.decision is Decision.UNDECIDED
        assert found.witness is None


def test_a_function_of_the_random_numbers_it_is_handed_has_nothing_to_share() -> None:
    box = Shared(response(3), response(0), serves=False, repeatable=True)
    found = audited(box)
    assert found.decision is Decision.VIOLATED
    assert box.made == []
    assert require_replay(found).fresh_runs is None


def test_served_runs_are_confirmed_even_if_they_are_the_same_again() -> None:
    found = audited(Shared(response(3), response(0), serves=True, repeatable=True))
    assert found.decision is Decision.UNDECIDED


@BOTH
def test_an_honest_subject_is_not_refuted_and_its_runs_are_counted(until_decided: bool) -> None:
    box = Shared(laplace, laplace)
    found = audited(box, replace(ATTACK, runs=1500, until_decided=until_decided))
    assert found.decision is Decision.UNSEEN
    assert require_replay(found).shared_runs == 3000
    assert require_replay(found).fresh_runs == sum(box.made) == 40
    assert "40 in processes of their own look like them" in found.finding


def test_a_subject_that_behaves_while_it_serves_is_not_called_not_refuted() -> None:
    found = audited(Shared(laplace, lambda coins, random: coins + 100.0))
    # Alone it gives one output a database: that is seen, and is what it is refuted by.
    assert found.decision is Decision.VIOLATED
    within = audited(Shared(laplace, exact))
    assert within.decision is Decision.VIOLATED
    other = audited(Shared(laplace, lambda coins, random: laplace(coins, random) + 100))
    assert other.decision is Decision.UNDECIDED
    assert "have other outputs than served ones" in other.finding


def test_a_subject_that_has_noise_only_while_it_serves_is_not_called_not_refuted() -> None:
    # In the middle of what is served, where no rank is out of the way.
    found = audited(Shared(laplace, lambda coins, random: np.full(len(coins), 0.5)))
    assert found.decision is Decision.UNDECIDED
    assert "always the same in processes of their own" in found.finding


def test_first_runs_that_repeat_one_another_are_an_invalid_run() -> None:
    calls = iter(range(10**6))

    def stale(coins: Coins, random: np.random.Generator) -> NDArray[Any]:
        return np.array([np.random.default_rng(next(calls) // 10).laplace() for _ in coins])

    found = audited(Shared(made_at_import, stale))
    assert found.decision is Decision.INVALID
    assert require_replay(found).fresh_runs == 60


def test_a_submission_that_only_serves_has_broken_its_protocol() -> None:
    @dataclass
    class Alone(Shared):
        def draw_first(self, pair: Pair, coins: Coins, seed: int) -> Outcomes:
            return Outcomes.of_outputs([Ended("exit code 2")] * len(coins))

    with pytest.raises(ProtocolError, match=r"60 runs failed: 60 ended \(exit code 2\)"):
        audited(Alone(laplace, laplace))


def test_an_interrupt_before_first_runs_refutes_nobody() -> None:
    @dataclass
    class Stopped(Shared):
        def draw_first(self, pair: Pair, coins: Coins, seed: int) -> Outcomes:
            raise KeyboardInterrupt

    found = audited(Stopped(response(3), response(3), serves=False))
    assert found.decision is Decision.UNDECIDED
    assert require_replay(found).partial is True
    assert require_replay(found).fresh_runs == 0


def test_a_leak_too_small_for_bearably_many_first_runs_is_left_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(first_runs, "MOST", 100)
    box = Shared(response(1.5), response(1.5), serves=False)
    found = audited(box, replace(ATTACK, runs=3000))
    assert found.decision is Decision.UNDECIDED
    assert "too many runs" in found.finding
    assert box.made == []


def test_the_error_of_a_confirmation_is_that_of_first_runs_whatever_was_seen_before() -> None:
    rule = _rule()
    attack = replace(ATTACK, alarm=Fraction(1, 20))
    about = About(CLAIM, attack, PAIR, "batch")
    guesses = Guesses(4000, 3900, 100, abstains=False)
    tested = RuleTest("exact binomial", guesses, 0.0, about.floor(0.0))
    stated = about.evidence(rule, tested, about.binomial, {})
    violated = 0
    for seed in range(100):
        box = Shared(exact, response(1), serves=False)
        own = replace(about, attack=replace(attack, seed=seed))
        finding = Finding(own, stated, 0, 1, rule, guesses)
        source = Drawing(box, Seeds(seed), here)
        violated += confirm(finding, source, box).decision is Decision.VIOLATED
    # The claim's boundary: each has a chance of at most 0.05. By Chernoff, 25 or more of 100 have
    # one of 1e-10.
    assert violated < 25


def _rule() -> GuessingRule:
    found = audited(Shared(response(3), response(3), serves=False))
    assert isinstance(found.witness, SampledWitness)
    rule = dict(found.witness.rule)
    return GuessingRule(score_from_json(rule), float(rule["low"]), float(rule["high"]))


@pytest.mark.parametrize(
    ("later", "first", "expected"),
    [
        (response(3), response(3), Status.CONFIRMED),
        (laplace, laplace, Status.CONFIRMED),
        (exact, exact, Status.UNCHECKED),
        (made_at_import, laplace, Status.UNCHECKED),
    ],
)
def test_what_is_found_is_rechecked_from_its_own_counts(
    later: Law, first: Law, expected: Status
) -> None:
    stated = document(audited(Shared(later, first)))["evidence"][0]
    assert recheck_attack(decode_evidence(stated), CLAIM).checks[0].status is expected
    stated["decision"] = "violated" if stated["decision"] != "violated" else "undecided"
    assert recheck_attack(decode_evidence(stated), CLAIM).checks[0].status is Status.FALSE


def test_a_violation_by_other_runs_than_first_ones_is_no_finding_of_ours() -> None:
    stated = document(audited(Shared(response(3), response(3))))["evidence"][0]
    altered = {**stated, "replay": {**stated["replay"], "fresh_runs": 40}}
    assert recheck_attack(decode_evidence(altered), CLAIM).checks[0].status is Status.FALSE
    for change in (True, "60", None, -1):
        altered = {**stated, "replay": {**stated["replay"], "fresh_runs": change}}
        with pytest.raises(InputError):
            recheck_attack(decode_evidence(altered), CLAIM)
    del stated["replay"]["fresh_runs"]
    with pytest.raises(InputError):
        recheck_attack(decode_evidence(stated), CLAIM)


def test_a_replay_refutes_by_first_runs_alone() -> None:
    test = frozen_test(document(audited(Shared(response(3), response(3)))), None)
    leaky = retest(test, Shared(response(3), response(3)), 2000, 1, here)
    assert leaky.refutes(1e-6) and leaky.guesses.runs < 2000
    for box in (Shared(response(3), response(1)), Shared(made_at_import, laplace, serves=False)):
        found = retest(test, box, 2000, 1, here)
        assert found.valid and not found.refutes(1e-6)
    handed = Shared(response(3), response(1), serves=False, repeatable=True)
    assert retest(test, handed, 2000, 1, here).refutes(1e-6)
    assert handed.made == []
