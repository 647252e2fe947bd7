"""Replays: what is read of a certificate that anyone may have written, and fresh tests of it."""

from __future__ import annotations

import copy
import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from audit.auditors.attack.finding.evidence import list_versions
from audit.auditors.attack.guessing.floors import p_value
from audit.auditors.attack.independence.independence import RunsKind
from audit.auditors.attack.rechecking.replaying import (
    ALARM,
    MOST_RUNS,
    FrozenTest,
    frozen_test,
    read_pair,
    read_rule,
    retest,
)
from audit.auditors.attack.scores.rules import GuessingRule
from audit.auditors.attack.scores.scores import score_from_json
from audit.parallel import here
from audit.statements.certificate import Certificate
from audit.statements.certificate_json import encode
from audit.statements.claim import Claim
from audit.statements.evidence import AttackReplay, Decision, Evidence, ShownPair
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import CARRIED_CHARACTERS, Pair
from audit.subjects.runs import Seeds
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.neighbours import AddRemove, Neighbours, Unit

VALUE = {
    "score": "single",
    "column": [{"family": "numbers", "origin": "numbers", "features": [["v", "value", "0"]]}],
    "rising": True,
}


@dataclass(frozen=True)
class Noisy:
    """A number, or that of the records, with Laplace noise."""

    scale: float
    name: str = "a count"
    block: int = 2000

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        sizes = [d if isinstance(d, int) else len(d) for d in (pair.first, pair.second)]
        noise = np.random.default_rng(seed).laplace(scale=self.scale, size=len(coins))
        return Outcomes.of_batch(np.where(coins, sizes[1], sizes[0]) + noise, len(coins))


@dataclass(frozen=True)
class Told:
    """Each run gives what a function of the coin and the seed says."""

    function: Callable[[bool, int], Any]
    name: str = "told"
    block: int = 2000

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        return Outcomes.of_outputs([self.function(coin, seed) for coin in coins.tolist()])


def claim_of(
    text: str = "epsilon=1",
    relation: Neighbours | None = None,
    domain: Domain | None = None,
    records: int | None = None,
) -> Claim:
    return Claim(parse_guarantee(text), relation or AddRemove(), "output", domain, records)


def rule_of(
    low: float = 0.5, high: float = 0.5000001, score: dict[str, Any] = VALUE
) -> GuessingRule:
    return GuessingRule(score_from_json(score), low, high)


def document_of(
    pair: dict[str, Any] | None = None,
    claim: Claim | None = None,
    rule: GuessingRule | None = None,
    **changed: Any,
) -> dict[str, Any]:
    """What of a certificate a replay reads."""
    rule, claim = rule or rule_of(), claim or claim_of()
    counts = {"test": "exact binomial", "runs": 4000, "correct": 0, "wrong": 0, "p_value": 0.0}
    witness = {
        "pair": pair or encode(Pair(0, 1).show()),
        "rule": rule.to_json(),
        "digest": rule.digest(),
        "event": [],
        **counts,
        **changed,
    }
    error, alarm = Fraction(1, 20), Fraction(1, 10**9)
    replay = AttackReplay(
        mode="batch", seed=1, runs=4000, error=error, alarm=alarm, versions=list_versions()
    )
    tested = Evidence("attack", "seen", Decision.VIOLATED, "a pair", False, replay=replay)
    subject = {"kind": "outputs", "name": "outputs:a,b", "sha256": ["0" * 64] * 2}
    found = Certificate(subject, claim, (tested,), (), "").to_json()
    found["evidence"][0]["witness"] = witness
    return copy.deepcopy(found)


def test_what_a_certificate_states_is_read_back() -> None:
    found = frozen_test(document_of(), None)
    assert (found.pair.first, found.pair.second, found.pair.distance) == (0, 1, 1)
    assert found.rule is not None and found.rule.to_json() == rule_of().to_json()
    assert (found.runs, found.refuted, found.alarm) == (4000, True, 1e-9)
    infinite = frozen_test(document_of(rule=rule_of(-math.inf)), None).rule
    assert infinite is not None and infinite.one_sided


def test_a_certificate_may_ask_for_a_smaller_error_and_for_no_larger_one() -> None:
    for stated, used in (("1/20", ALARM), ("1/1000000000000", 1e-12), ("1/1000000", ALARM)):
        document = document_of()
        document["evidence"][0]["replay"]["alarm"] = stated
        assert frozen_test(document, None).alarm == pytest.approx(used, rel=1e-12)
    for stated in ("2", "0", "-1", "x", "inf", "1e-12", "2/40"):
        document["evidence"][0]["replay"]["alarm"] = stated
        with pytest.raises(InputError):
            frozen_test(document, None)


def test_the_finding_is_the_one_named_or_the_first_violation() -> None:
    document = document_of()
    seen = copy.deepcopy(document["evidence"][0])
    seen["decision"], seen["witness"]["runs"] = "no violation seen", 7
    document["evidence"] = [encode(PROVED), seen, *document["evidence"]]
    assert frozen_test(document, None).runs == 4000
    assert frozen_test(document, 2).runs == 7 and not frozen_test(document, 2).refuted
    for number in (1, 4, 0):
        with pytest.raises(InputError, match="there is one in 2, 3"):
            frozen_test(document, number)


PROVED = Evidence("proof", "proved", Decision.HOLDS, "all", True)


@pytest.mark.parametrize("evidence", [[], [encode(PROVED)], None, [1], {}])
def test_a_certificate_without_a_sampled_witness_is_no_replay(evidence: Any) -> None:
    document = {**document_of(), "evidence": evidence}
    with pytest.raises(InputError):
        frozen_test(document, None)


def changed_rule(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """A certificate whose rule was changed, with the digest that fits."""
    document = document_of()
    witness = document["evidence"][0]["witness"]
    change(witness["rule"])
    text = json.dumps(witness["rule"], sort_keys=True, separators=(",", ":"))
    witness["digest"] = "sha256:" + hashlib.sha256(text.encode()).hexdigest()
    return document


@pytest.mark.parametrize(
    "change",
    [
        lambda rule: rule.update(score="pickle"),
        lambda rule: rule.update(score=["single"]),
        lambda rule: rule.pop("column"),
        lambda rule: rule.update(column=[{"family": "numbers"}]),
        lambda rule: rule.update(column=3),
        lambda rule: rule.update(low="nan"),
        lambda rule: rule.update(low=None),
        lambda rule: rule.update(low=True),
        lambda rule: rule.update(low=10**400),
        lambda rule: rule.update(high=rule["low"]),
        lambda rule: rule.update(low=[0]),
        lambda rule: rule.update(extra=1),
        lambda rule: rule.clear(),
        lambda rule: rule.update(filler="x" * (9 * 2**20)),
    ],
)
def test_a_malformed_rule_is_an_input_error(change: Callable[[dict[str, Any]], Any]) -> None:
    with pytest.raises(InputError):
        frozen_test(changed_rule(change), None)


@pytest.mark.parametrize(
    "score",
    [
        {"score": "cells", "codes": [], "values": [], "telling": ["a", "b"]},
        {"score": "cells", "codes": ["zz"], "values": [1], "telling": ["a", "b"]},
        {"score": "trees", "columns": VALUE["column"], "trees": [[[0], [0.0], [0], [0], [0.0]]]},
        {"score": "trees", "columns": VALUE["column"], "trees": [[[7], [0.0], [1], [1], [0.0]]]},
        {"score": "trees", "columns": VALUE["column"], "trees": [[[-1], [], [], [], []]]},
        {"score": "bins", "columns": VALUE["column"], "edges": [[1.0]], "values": [[]]},
        {"score": "bins", "columns": VALUE["column"], "edges": [], "values": [[1.0]]},
    ],
)
def test_a_rule_that_cannot_be_evaluated_is_an_input_error_and_no_crash(
    score: dict[str, Any],
) -> None:
    def forge(rule: dict[str, Any]) -> None:
        rule.clear()
        rule.update(low=0, high=1, **score)

    with pytest.raises(InputError):
        retest(frozen_test(changed_rule(forge), None), Noisy(1.0), 100, 1, here)


def test_a_rule_of_another_digest_is_refused() -> None:
    document = document_of()
    document["evidence"][0]["witness"]["rule"]["low"] = 0.4
    with pytest.raises(InputError, match="not the one that its digest is of"):
        frozen_test(document, None)
    with pytest.raises(InputError, match="not the one that its digest is of"):
        read_rule(rule_of().to_json(), "sha256:" + "0" * 64)
    for digest in (None, "sha256:0", 7):
        with pytest.raises(InputError):
            frozen_test(document_of(digest=digest), None)


@pytest.mark.parametrize("runs", [0, -1, "9", 9.0, True, None, MOST_RUNS + 1, 10**30])
def test_a_number_of_runs_that_nobody_would_wait_for_is_refused(runs: Any) -> None:
    with pytest.raises(InputError):
        frozen_test(document_of(runs=runs), None)


A, B, C = ({"k": "a"}, {"k": "b"}, {"k": "c"})


def stated(first: Any, second: Any, **more: Any) -> ShownPair:
    given = {"distance": 1, "pattern": "given", "verified": False, **more}
    return ShownPair(first, second, **given)


def test_whether_a_pair_are_neighbours_is_found_anew() -> None:
    """Whatever the certificate says of it."""
    claim = claim_of()
    assert read_pair(stated([A], [A, B], verified=False), claim).verified
    assert not read_pair(stated(0, 1, verified=True), claim).verified
    with pytest.raises(InputError, match="differ by 2 records"):
        read_pair(stated([A], [A, B, C], verified=True), claim)
    searched = read_pair(stated([A], [A, B], pattern="one record beside none"), claim)
    assert searched.pattern == "one record beside none" and searched.verified


def test_a_chain_is_found_again_between_its_ends() -> None:
    claim = claim_of()
    # Two more records are two steps; to claim more steps than there are only weakens the floor.
    for distance in (2, 5):
        pair = read_pair(stated([A], [A, B, C], distance=distance, verified=False), claim)
        assert pair.verified and pair.distance == distance
    for second in ([A, B, C, C], [A]):
        with pytest.raises(InputError, match="steps apart"):
            read_pair(stated([A], second, distance=2, verified=True), claim)
    assert not read_pair(stated(0, 5, distance=5, verified=True), claim).verified
    persons = claim_of(relation=AddRemove(Unit("person", 2)))
    assert not read_pair(stated([A], [A, B, C], distance=2, verified=True), persons).verified


def test_a_chain_lies_in_the_domain_and_within_the_number_of_records() -> None:
    domain = Domain.from_cells("2")
    one, other = ({domain.names[0]: value} for value in domain.attributes[0].values)
    claim = claim_of(domain=domain, records=3)
    assert read_pair(stated([one], [one, other, other], distance=2), claim).verified
    with pytest.raises(InputError):
        read_pair(stated([one], [one, A, A], distance=2), claim)
    with pytest.raises(InputError, match="at most 3 records"):
        read_pair(stated([one] * 3, [one] * 5, distance=2), claim)


@pytest.mark.parametrize("text", ["epsilon=1, delta=1e-6", "rho=1", "alpha=2, rdp=1"])
def test_a_chain_says_nothing_of_claims_that_take_no_distance(text: str) -> None:
    with pytest.raises(InputError, match="nothing sharp"):
        read_pair(stated(0, 5, distance=5), claim_of(text))


@pytest.mark.parametrize(
    "pair",
    [
        None,
        [],
        {"first": 1, "second": 2},
        encode(stated(1, 2, distance=0)),
        encode(stated(1, 2, distance=1.5)),
        encode(stated(1, 2, distance=True)),
        encode(stated(1, 2, distance=10**30)),
        encode(stated(1, 2, distance=MOST_RUNS + 1)),
        encode(stated(1, 1)),
        encode(stated([A], 3)),
        encode(stated("x" * (CARRIED_CHARACTERS + 1), "y")),
    ],
)
def test_a_malformed_pair_is_an_input_error(pair: Any) -> None:
    document = document_of()
    document["evidence"][0]["witness"]["pair"] = pair
    with pytest.raises(InputError):
        frozen_test(document, None)


def test_a_pair_that_a_certificate_names_by_digests_is_the_users() -> None:
    long = [{"k": "x" * CARRIED_CHARACTERS}], []
    carried = Pair(*long).show()
    assert set(carried.first) == {"sha256"}
    with pytest.raises(InputError, match="--pair"):
        read_pair(carried, claim_of())
    found = read_pair(carried, claim_of(), long)
    assert (found.first, found.second, found.verified) == (*long, True)
    with pytest.raises(InputError, match="not the one that was audited"):
        read_pair(carried, claim_of(), ([{"k": "y" * CARRIED_CHARACTERS}], []))


def test_a_database_that_strict_json_cannot_say_is_named_by_its_digest() -> None:
    """A certificate is written, and read again, in strict JSON."""
    pair = Pair([{"k": math.nan}], []).show()
    json.dumps(encode(pair), allow_nan=False)
    assert set(pair.first) == {"sha256"} and pair.second == []
    assert read_pair(pair, claim_of(), ([{"k": math.nan}], None)).verified


def leaky(runs: int = 4000) -> FrozenTest:
    return frozen_test(document_of(runs=runs), None)


def test_fresh_runs_refute_what_leaks_and_leave_what_keeps_its_claim() -> None:
    # Twice the claimed ε: 81.6 % of guesses are right, of which 73.1 % are allowed, with a
    # standard deviation of 0.6 %. The p-value is far below 1e-20; above 1e-6 with chance < 1e-12.
    found = retest(leaky(), Noisy(0.5), 4000, 1, here)
    assert found.valid and found.refutes(1e-6)
    assert 1 < found.floor.epsilon.lower <= 2
    # At the claim itself: p-values below 1e-6 have a chance of at most 1e-6.
    kept = retest(leaky(), Noisy(1.0), 4000, 1, here)
    assert kept.valid and not kept.refutes(1e-6)


def test_the_counts_are_those_of_a_direct_simulation_with_the_same_law() -> None:
    found = retest(leaky(), Noisy(0.5), 20_000, 2, here)
    # A rule that cuts halfway is right with chance 1 - e^-1 / 2. Both tails of an exact binomial at
    # 1e-9: a right implementation fails with probability below 1e-9.
    right = 1 - math.exp(-1) / 2
    low, high = binom.ppf([5e-10, 1 - 5e-10], 20_000, right)
    assert low <= found.guesses.correct <= high
    assert found.guesses.runs == 20_000 == found.guesses.number
    assert found.p_value == p_value(found.guesses, parse_guarantee("epsilon=1"))


def test_p_values_of_replays_at_the_claim_are_seldom_small() -> None:
    """The guarantee: at most x with a probability of at most x.

    100 replays; the number of p-values up to 0.05 is stochastically below a binomial of that
    chance, so that more than its 1 - 1e-9 quantile has a probability below 1e-9.
    """
    test = leaky(100)
    found = [retest(test, Noisy(1.0), 100, seed, here) for seed in range(100)]
    for level in (0.05, 0.3):
        small = sum(retested.p_value <= level for retested in found)
        assert small <= binom.ppf(1 - 1e-9, 100, level)
    above = sum(float(retested.floor.epsilon.lower) > 1 for retested in found)
    assert above <= binom.ppf(1 - 1e-9, 100, 0.05)


def test_a_replay_is_found_again_by_its_seed() -> None:
    first, again, other = (retest(leaky(), Noisy(0.5), 1000, seed, here) for seed in (3, 3, 4))
    assert first.guesses == again.guesses != other.guesses


def test_a_replay_shares_no_random_numbers_with_the_audit_even_at_its_seed() -> None:
    seen: set[int] = set()

    def noisy(coin: bool, seed: int) -> float:
        seen.add(seed)
        return 0.0

    retest(leaky(), Told(noisy), 4000, 3, here)
    stages = ("search", "learn", "certify", "check", "anytime")
    theirs = {Seeds(3).block(stage, 0, block)[1] for stage in stages for block in range(2)}
    assert seen and not seen & theirs


@pytest.mark.parametrize("claim", ["epsilon=1/10", "mu=1/10"])
def test_the_ends_of_a_chain_are_tested_as_such(claim: str) -> None:
    """Ten steps may leak ten times as much: at the truth they refute nothing."""
    pair = encode(stated(0, 10, distance=10))
    half = rule_of(5.0, 5.0000001)
    test = frozen_test(document_of(pair, claim_of(claim), half), None)
    # Noise of scale 10: ε is 0.1 a step, and μ less than 0.1, as 1 is the ε of the ends.
    kept = retest(test, Noisy(10.0), 4000, 5, here)
    assert not kept.refutes(1e-6)
    own = kept.floor.epsilon if kept.floor.parameter is None else kept.floor.parameter[1]
    # With the error 0.05; the seed has it right.
    assert 0 < own.lower <= 0.1
    # Noise of scale 2.5: 93.2 % of 4000 guesses are right on average, of which 73.1 % are allowed.
    if claim.startswith("epsilon"):
        assert retest(test, Noisy(2.5), 4000, 5, here).refutes(1e-6)


def test_runs_that_are_no_draws_refute_nothing() -> None:
    def stuck(coin: bool, seed: int) -> float:
        return float(coin) + np.random.default_rng(0).laplace(scale=0.5)

    def per_call(coin: bool, seed: int) -> float:
        return float(coin) + np.random.default_rng(seed % 2**32).laplace(scale=0.1)

    found = retest(leaky(), Told(per_call), 4000, 1, here)
    assert found.independence.kind is RunsKind.DEPENDENT
    assert not found.valid and not found.refutes(1e-6) and found.p_value < 1e-6
    # One output on each database is what a deterministic subject gives, too.
    assert retest(leaky(), Told(stuck), 4000, 1, here).deterministic


@dataclass(frozen=True)
class Cached(Told):
    """One output on each database within a process, and others in a new one."""

    serves = False

    def draw_afresh(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        return Outcomes.of_batch(coins + seed % 1000, len(coins))

    draw_first = draw_afresh


def test_new_calls_show_what_runs_do_not() -> None:
    found = retest(deterministic(400), Cached(lambda coin, seed: 1.0 + coin), 400, 1, here)
    assert found.independence.kind is RunsKind.DEPENDENT and not found.refutes(1e-6)


@dataclass(frozen=True)
class Broken:
    """A score that can't be evaluated."""

    error: Exception

    def evaluate(self, outcomes: Outcomes) -> NDArray[np.float64]:
        raise self.error

    def to_json(self) -> dict[str, Any]:
        return {}

    def words(self) -> str:
        return ""


@pytest.mark.parametrize(
    "error", [IndexError(), KeyError(), ValueError(), RecursionError(), ZeroDivisionError()]
)
def test_whatever_goes_wrong_with_a_rule_is_an_input_error(error: Exception) -> None:
    test = replace(leaky(), rule=GuessingRule(Broken(error), 0.0, 1.0))
    with pytest.raises(InputError, match="cannot be evaluated"):
        retest(test, Noisy(1.0), 100, 1, here)


def deterministic(runs: int, claim: str = "epsilon=1") -> FrozenTest:
    """What is stated of a subject that always gave one output on each database."""
    nothing: dict[str, Any] = {"rule": {}, "digest": "", "test": "if deterministic"}
    document = document_of(claim=claim_of(claim), runs=runs)
    document["evidence"][0]["witness"] |= nothing
    return frozen_test(document, None)


def test_a_deterministic_subject_is_seen_to_be_one_again() -> None:
    test = deterministic(200)
    assert test.rule is None
    found = retest(test, Told(lambda coin, seed: coin), 200, 1, here)
    # 198 outputs told the database, after one on either was seen.
    assert found.deterministic and (found.guesses.runs, found.guesses.correct) == (198, 198)
    assert found.refutes(1e-6)
    same = retest(test, Told(lambda coin, seed: 7), 200, 1, here)
    assert not same.deterministic and same.guesses.number == 0 and not same.refutes(1e-6)


def test_a_subject_that_only_looks_deterministic_is_not_refuted_by_few_runs() -> None:
    """Randomised response of ε = 9 that never errs in 60 runs, with chance 0.993, keeps ε = 9."""
    found = retest(deterministic(60, "epsilon=9"), Told(lambda coin, seed: coin), 60, 1, here)
    assert found.deterministic and not found.refutes(1e-6)


def test_a_box_that_cannot_be_run_is_a_protocol_error() -> None:
    def refuse(coin: bool, seed: int) -> float:
        raise ProtocolError("no")

    with pytest.raises(ProtocolError):
        retest(leaky(), Told(refuse), 100, 1, here)
