"""The attack auditor: from runs to evidence, interrupted or not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from audit.auditors.attack.attacked import AttackedBox
from audit.auditors.attack.auditor import attack_box
from audit.auditors.attack.rechecking.stated_attacks import require_replay
from audit.auditors.effort import Attack
from audit.parallel import here
from audit.statements.certificate_json import encode
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Evidence, SampledWitness, Side, Verdict, verdict
from audit.subjects.function import FunctionBox
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Runs, Seeds
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.neighbours import AddRemove

PAIR = Pair(0, 1)
ATTACK = Attack(runs=4_000, seed=5, error=Fraction(1, 20), alarm=Fraction(1, 10**6), pair=PAIR)


def respond(database: int, rng: np.random.Generator, runs: int, epsilon: float = 2) -> Any:
    """Randomised response to a bit, with log odds of ``epsilon``."""
    keeps = rng.random(runs) < 1 / (1 + math.exp(-epsilon))
    return np.where(keeps, database, 1 - database)


def target(function: Callable[..., Any], batch: bool = True, seed: int = 5) -> AttackedBox:
    box = FunctionBox("box", function, batch)
    return AttackedBox(Drawing(box, Seeds(seed), here), box)


def claim(text: str, domain: Domain | None = None, records: int | None = None) -> Claim:
    return Claim(parse_guarantee(text), AddRemove(), "output", domain, records)


def floor_of(evidence: Evidence) -> float:
    assert evidence.bound is not None
    assert evidence.bound.side is Side.FLOOR
    name_and_ends = evidence.bound.parameter
    ends = evidence.bound.epsilon if name_and_ends is None else name_and_ends[1]
    assert ends.upper == math.inf
    return float(ends.lower)


@pytest.mark.parametrize("until_decided", [False, True])
def test_a_false_claim_is_refuted_with_a_rule_that_can_be_replayed(until_decided: bool) -> None:
    found = attack_box(
        target(respond), claim("epsilon=1"), replace(ATTACK, until_decided=until_decided)
    )
    assert found.decision is Decision.VIOLATED
    assert verdict([found], False) is Verdict.REFUTED
    assert isinstance(found.witness, SampledWitness)
    assert found.witness.p_value <= 1e-6
    assert found.witness.pair.first == 0
    assert found.witness.rule["score"]
    assert found.power is None
    assert 1 < floor_of(found) <= 2
    assert require_replay(found).seed == 5


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        # With c = 1/(1+e^-2): Φ⁻¹(c) - Φ⁻¹(1-c), and the divergences of (c, 1-c) from (1-c, c).
        ("mu=1", 2.357),
        ("alpha=2, rdp=1", 1.848),
        ("rho=1/2", 1.524),
        ("epsilon=1, delta=0.1", 1.878),
    ],
)
def test_claims_are_refuted_in_their_own_language(text: str, truth: float) -> None:
    found = attack_box(target(respond), claim(text), ATTACK)
    assert found.decision is Decision.VIOLATED
    # A floor above the truth is an error of 5 %; below 80 % of it, of less than 1e-9.
    assert 0.8 * truth < floor_of(found) <= truth * 1.02


@pytest.mark.parametrize("until_decided", [False, True])
def test_what_keeps_its_claim_is_not_refuted_and_its_power_says_what_could_be_seen(
    until_decided: bool,
) -> None:
    found = attack_box(
        target(respond), claim("epsilon=2"), replace(ATTACK, until_decided=until_decided)
    )
    assert found.decision is Decision.UNSEEN
    assert verdict([found], False) is Verdict.NOT_REFUTED
    assert found.power is not None
    assert 2 < found.power.detectable < found.power.detect == 4
    assert 0 < found.power.delta < 0.01
    assert found.power.needed is None
    assert 1.5 < floor_of(found) <= 2.1


EARLY = replace(ATTACK, stop_early=True)


def runs_of(evidence: Evidence) -> int:
    """The runs that tested the rule."""
    assert isinstance(evidence.witness, SampledWitness)
    return evidence.witness.runs


@pytest.mark.parametrize(
    ("text", "decision"), [("epsilon=1", Decision.VIOLATED), ("epsilon=3", Decision.UNSEEN)]
)
def test_runs_stop_early_once_they_have_decided(text: str, decision: Decision) -> None:
    whole = attack_box(target(respond), claim(text), ATTACK)
    early = attack_box(target(respond), claim(text), EARLY)
    assert whole.decision is early.decision is decision
    assert runs_of(early) < 0.6 * runs_of(whole)
    assert isinstance(early.witness, SampledWitness)
    assert early.witness.test == "bets until stopped"
    assert "where it stopped early" in early.finding
    assert require_replay(early).mode == "curtailed"
    assert 0.5 < floor_of(early) <= 2.1
    if decision is Decision.UNSEEN:
        # What was to be seen would have been, by the runs that were made.
        assert early.power is not None and early.control is not None
        assert early.power.detectable <= early.power.detect
        assert early.power.runs == runs_of(early)
        assert early.control.refuted


def test_runs_that_may_still_refute_are_all_made() -> None:
    """Too few for a leak of the size that is asked for: nothing of it is known early."""
    few = replace(EARLY, runs=150)
    found = attack_box(target(respond), claim("epsilon=2"), few)
    assert found == replace(
        attack_box(target(respond), claim("epsilon=2"), replace(few, stop_early=False)),
        replay=found.replay,
    )
    assert isinstance(found.witness, SampledWitness)
    assert found.witness.test == "exact binomial"


def test_the_strict_floor_is_below_the_floor() -> None:
    found = attack_box(target(respond), claim("epsilon=2"), ATTACK)
    assert found.strict is not None
    assert found.strict.epsilon.lower < floor_of(found)


@pytest.mark.parametrize("until_decided", [False, True])
def test_one_output_a_database_refutes_if_deterministic(until_decided: bool) -> None:
    def exact(database: int, rng: np.random.Generator) -> int:
        return database

    found = attack_box(
        target(exact, batch=False), claim("epsilon=1"), replace(ATTACK, until_decided=until_decided)
    )
    assert found.decision is Decision.VIOLATED
    assert "if deterministic" in found.finding
    assert found.bound is None


@pytest.mark.parametrize("until_decided", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_what_only_looks_deterministic_is_not_accused(seed: int, until_decided: bool) -> None:
    """In 120 runs, randomised response with log odds 6 errs in none with a chance of 3/4."""

    def hardly_random(database: int, rng: np.random.Generator, runs: int) -> Any:
        return respond(database, rng, runs, 6)

    attack = replace(ATTACK, runs=60, seed=seed, until_decided=until_decided)
    found = attack_box(target(hardly_random, seed=seed), claim("epsilon=6"), attack)
    assert found.decision is Decision.UNDECIDED
    assert found.power is not None and found.power.needed is not None
    assert found.bound is None or floor_of(found) <= 6


@pytest.mark.parametrize("until_decided", [False, True])
def test_runs_that_are_not_independent_give_no_number(until_decided: bool) -> None:
    cached: list[float] = []

    def stale(database: int, rng: np.random.Generator) -> float:
        if len(cached) % 10 == 0:
            cached.append(float(rng.laplace()))
        else:
            cached.append(cached[-1])
        return database + cached[-1]

    attack = replace(ATTACK, runs=1_000, until_decided=until_decided)
    found = attack_box(target(stale, batch=False), claim("epsilon=1/10"), attack)
    assert found.decision is Decision.INVALID
    assert verdict([found], False) is Verdict.INVALID_RUN
    assert found.bound is None
    assert found.witness is None


def test_a_constant_output_leaks_nothing() -> None:
    def constant(database: int, rng: np.random.Generator, runs: int) -> Any:
        return np.zeros(runs)

    found = attack_box(target(constant), claim("epsilon=1"), ATTACK)
    assert found.decision is Decision.UNDECIDED
    assert floor_of(found) == 0
    # No event was found that could show a leak, and no number of runs would change that.
    assert found.power is not None
    assert found.power.detectable == math.inf and found.power.needed is None


def test_an_exception_on_one_database_alone_is_a_finding() -> None:
    def picky(database: int, rng: np.random.Generator) -> float:
        if database and rng.random() < 0.5:
            raise ValueError(f"the secret is {database}")
        return 0.0

    found = attack_box(target(picky, batch=False), claim("epsilon=1"), replace(ATTACK, runs=500))
    assert found.decision is Decision.VIOLATED
    assert "secret" not in str(encode(found))


def test_a_subject_that_always_fails_has_broken_its_protocol() -> None:
    def broken(database: int, rng: np.random.Generator) -> float:
        raise ValueError("private")

    with pytest.raises(ProtocolError, match="raised ValueError") as error:
        attack_box(target(broken, batch=False), claim("epsilon=1"), replace(ATTACK, runs=50))
    assert "private" not in str(error.value)


class Opaque:
    """Nothing that can be looked into."""


@pytest.mark.parametrize("until_decided", [False, True])
def test_outputs_that_cannot_be_read_are_said_unless_they_give_a_database_away(
    until_decided: bool,
) -> None:
    def opaque(database: int, rng: np.random.Generator) -> object:
        return Opaque()

    def at_times(database: int, rng: np.random.Generator) -> object:
        return Opaque() if database and rng.random() < 0.9 else 0

    attack = replace(ATTACK, runs=300, until_decided=until_decided)
    with pytest.raises(ProtocolError, match=r"type Opaque .* can't be compared"):
        attack_box(target(opaque, batch=False), claim("epsilon=1"), attack)
    found = attack_box(target(at_times, batch=False), claim("epsilon=1"), attack)
    assert found.decision is Decision.VIOLATED


def test_a_number_beyond_the_doubles_is_an_output_like_others() -> None:
    def huge(database: int, rng: np.random.Generator) -> list[int]:
        return [(-1) ** int(rng.integers(2)) * 10**400, database]

    found = attack_box(target(huge, batch=False), claim("epsilon=1"), replace(ATTACK, runs=300))
    assert found.decision is Decision.VIOLATED


@pytest.mark.parametrize("until_decided", [False, True])
@pytest.mark.parametrize("runs", [1, 2, 10])
def test_a_handful_of_runs_is_an_audit_too(runs: int, until_decided: bool) -> None:
    attack = replace(ATTACK, runs=runs, until_decided=until_decided)
    found = attack_box(target(respond), claim("epsilon=1"), attack)
    assert found.decision is Decision.UNDECIDED
    assert verdict([found], False) is Verdict.UNDECIDED
    assert found.power is not None and found.power.detectable > found.power.detect == 2
    assert found.power.needed is not None and 200 < found.power.needed < 3_000


@pytest.mark.parametrize("until_decided", [False, True])
def test_pairs_are_searched_over_the_domain(until_decided: bool) -> None:
    def leaks_the_empty_database(database: list[Any], rng: np.random.Generator) -> float:
        return float(rng.random() < (0.9 if database else 0.1))

    attack = replace(ATTACK, pair=None, until_decided=until_decided)
    found = attack_box(
        target(leaks_the_empty_database, batch=False),
        claim("epsilon=1", Domain.from_cells("3"), 4),
        attack,
    )
    assert found.decision is Decision.VIOLATED
    assert isinstance(found.witness, SampledWitness)
    assert [] in (found.witness.pair.first, found.witness.pair.second)
    assert found.witness.pair.verified


def test_without_a_pair_and_without_a_domain_there_is_nothing_to_attack() -> None:
    with pytest.raises(InputError, match="--pair"):
        attack_box(target(respond), claim("epsilon=1"), replace(ATTACK, pair=None))


@dataclass(frozen=True, eq=False)
class Interrupted:
    """A source that is interrupted in a stage, after some of its blocks."""

    source: Drawing
    stage: str
    after: int

    def blocks(
        self, stage: str, pair: Pair, number: int, runs: int, start: int = 0
    ) -> Iterator[Runs]:
        for count, block in enumerate(self.source.blocks(stage, pair, number, runs, start)):
            if stage == self.stage and start + count >= self.after:
                raise KeyboardInterrupt
            yield block

    def runs(self, stage: str, pair: Pair, number: int, runs: int, start: int = 0) -> Runs:
        return Runs.join(self.blocks(stage, pair, number, runs, start))


class Slowly(FunctionBox):
    """A box of small blocks."""

    @property
    def block(self) -> int:
        return 100


@pytest.mark.parametrize(
    ("stage", "after", "until_decided", "floor"),
    [("learn", 1, False, 0), ("certify", 30, False, 0.9), ("anytime", 300, True, 0.9)],
)
def test_an_interrupted_audit_reports_what_was_found(
    stage: str, after: int, until_decided: bool, floor: float
) -> None:
    box = Slowly("box", respond, True)
    source = Interrupted(Drawing(box, Seeds(5), here), stage, after)
    attack = replace(ATTACK, until_decided=until_decided)
    found = attack_box(AttackedBox(source, box), claim("epsilon=2"), attack)
    assert require_replay(found).partial is True
    assert found.finding.startswith("interrupted")
    assert floor <= floor_of(found) <= 2


def test_an_interrupted_audit_may_have_refuted_the_claim() -> None:
    box = Slowly("box", respond, True)
    source = Interrupted(Drawing(box, Seeds(5), here), "certify", 40)
    found = attack_box(AttackedBox(source, box), claim("epsilon=1/2"), ATTACK)
    assert found.decision is Decision.VIOLATED
    assert isinstance(found.witness, SampledWitness)
    assert found.witness.test == "e-process"


def test_the_watcher_hears_of_every_run() -> None:
    heard: list[tuple[int, int, float]] = []
    attack_box(target(respond), claim("epsilon=1"), ATTACK, lambda *told: heard.append(told))
    assert heard[-1][0] == heard[-1][1] == 8_000
    assert heard[-1][2] > 1
    assert [done for done, _, _ in heard] == sorted(done for done, _, _ in heard)


def test_the_same_seed_finds_the_same_and_another_seed_something_else() -> None:
    def told(seed: int) -> Evidence:
        attack = replace(ATTACK, seed=seed)
        return attack_box(target(respond, seed=seed), claim("epsilon=1"), attack)

    def correct(seed: int) -> int:
        witness = told(seed).witness
        assert isinstance(witness, SampledWitness)
        return witness.correct

    assert told(1) == told(1)
    assert correct(1) != correct(2)


@pytest.mark.slow
def test_no_error_of_the_audit_is_spent_twice() -> None:
    """With nothing to find, at the boundary, at most 5 % of floors exceed the truth.

    Of 200 audits 24 or more would with a chance of less than 1e-4, were it 5 % each.
    """
    misses = 0
    for seed in range(200):
        attack = replace(ATTACK, runs=200, seed=seed)
        found = attack_box(target(respond, seed=seed), claim("epsilon=2"), attack)
        misses += floor_of(found) > 2
    assert misses < 24


def test_learning_takes_one_thread_of_linear_algebra() -> None:
    def threads() -> set[int]:
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    seen = []

    def watch(done: int, total: int, floor: float) -> None:
        seen.append(threads())

    with threadpool_limits(limits=2, user_api="blas"):
        attack = Attack(
            50, 1, Fraction(1, 20), Fraction(1, 10**6), pair=Pair(0, 1, 1, "given", True)
        )
        attack_box(target(respond), claim("epsilon=1"), attack, watch)
        assert threads() == {2}
    assert all(one == {1} for one in seen) and seen
