"""Alive: what ignores its input is called so, what hides it behind its noise is not.

Tests that draw have a fixed seed; a comment says how sure their outcome is over the seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from audit.auditors.attack.alive import ERROR, POWER, Look, bound_chance, conclude_silent, look_at
from audit.auditors.attack.examine import examine_box
from audit.auditors.attack.pairs.far_tables import list_far_pairs
from audit.auditors.attack.rechecking.rechecking import recheck_attack
from audit.auditors.effort import Attack, Effort
from audit.parallel import here
from audit.statements.certificate_json import as_written
from audit.statements.checks import Status
from audit.statements.claim import Claim
from audit.statements.evidence import ALIVE, AttackReplay, Decision, Evidence, Verdict, verdict
from audit.subjects.function import FunctionBox
from audit.subjects.outcomes import Ended, Outcomes
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Seeds
from audit.subjects.subject import BlackBoxSubject
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit

Rng = np.random.Generator
Function = Callable[[Any, Rng], object]

ATTACK = Attack(runs=500, seed=3, error=Fraction(1, 20), alarm=Fraction(1, 10**6))
RECORDS = 50


def listed(attributes: int) -> Domain:
    values = ("0", "1", "2")
    return Domain("d", tuple(Attribute(f"a{k}", values) for k in range(attributes)))


BINNED = Domain("d", (Attribute.binned("age", [0, 50, 100]),))
LABELS = BINNED.attributes[0].values


def claim(
    domain: Domain, text: str = "epsilon=1", records: int = RECORDS, neighbours: Any = None
) -> Claim:
    relation: Neighbours = AddRemove() if neighbours is None else neighbours
    return Claim(parse_guarantee(text), relation, "output", domain, records)


def looks_of(
    function: Function, about: Claim, attack: Attack = ATTACK, seed: int = 3
) -> tuple[Look, ...]:
    box = FunctionBox("f", function, False)
    return look_at(Drawing(box, Seeds(seed), here), list_far_pairs(about), attack)


def find_alive(
    function: Function, about: Claim, attack: Attack = ATTACK, seed: int = 3
) -> Evidence | None:
    return conclude_silent(looks_of(function, about, attack, seed), about, attack)


def noise(database: Any, rng: Rng) -> object:
    return float(rng.laplace())


def constant(database: Any, rng: Rng) -> object:
    return "the same"


def made_up_table(database: Any, rng: Rng) -> object:
    import pandas as pd

    return pd.DataFrame({"a": rng.integers(0, 3, 5), "b": rng.choice(["x", "y"], 5)})


def names_of_attributes(database: Any, rng: Rng) -> object:
    return sorted({name for record in database for name in record} | {"a0", "a1"})


def always_raising_in_half(database: Any, rng: Rng) -> object:
    if rng.random() < 0.5:
        raise ValueError
    return 0


DEAD = (noise, constant, made_up_table, names_of_attributes, always_raising_in_half)


@pytest.mark.parametrize("function", DEAD)
@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne(Unit())])
def test_what_ignores_its_input_is_undecided(function: Function, neighbours: Neighbours) -> None:
    """One with noise is not called so with a chance of at most `ERROR`, over the seed."""
    found = find_alive(function, claim(listed(2), neighbours=neighbours))
    assert found is not None
    assert found.decision is Decision.UNDECIDED
    assert verdict([found], False) is Verdict.UNDECIDED
    assert "this subject seems to ignore its input" in found.finding
    # What was tried, and how often.
    assert "50 times the first values against 50 times the last ones" in found.finding
    assert " runs, where one that is right in " in found.finding


@pytest.mark.slow
def test_how_often_noise_is_taken_for_a_dependence() -> None:
    """At most as often as `ERROR` says: more than 9 of 150 with a chance below 1e-5."""
    about, attack = claim(listed(1)), replace(ATTACK, runs=100)
    missed = sum(find_alive(noise, about, attack, seed) is None for seed in range(150))
    assert missed <= 9
    assert binom.sf(9, 150, float(ERROR)) < 1e-5


def marginals(domain: Domain, epsilon: float) -> Function:
    """Noisy counts of all values of each attribute, each with its part of the claim."""
    scale = len(domain.attributes) / epsilon

    def measure(database: Any, rng: Rng) -> object:
        counts = [
            sum(record[one.name] == value for record in database)
            for one in domain.attributes
            for value in one.values
        ]
        return np.array(counts) + rng.laplace(scale=scale, size=len(counts))

    return measure


@pytest.mark.parametrize("attributes", [1, 2, 5, 15])
@pytest.mark.parametrize("epsilon", ["1/10", "1", "10"])
@pytest.mark.parametrize("records", [2, 20, 100])
@pytest.mark.parametrize("runs", [40, 300])
def test_noise_of_the_claims_size_is_not_called_dead(
    attributes: int, epsilon: str, records: int, runs: int
) -> None:
    """Its part of the claim on one attribute is four times what is taken to be visible.

    On this grid none of 1,440 audits by 20 other seeds called it dead.
    """
    domain = listed(attributes)
    about = claim(domain, f"epsilon={epsilon}", records)
    measure = marginals(domain, float(Fraction(epsilon)))
    assert find_alive(measure, about, replace(ATTACK, runs=runs)) is None


@pytest.mark.parametrize(
    ("text", "records", "attributes"),
    [("epsilon=1/10", 20, 1), ("epsilon=1", 2, 1), ("epsilon=1", 50, 20), ("mu=1/10", 20, 1)],
)
def test_where_noise_could_hide_a_difference_nothing_is_said(
    text: str, records: int, attributes: int
) -> None:
    assert find_alive(constant, claim(listed(attributes), text, records)) is None


def test_an_attack_of_a_few_runs_has_none_to_share() -> None:
    assert looks_of(constant, claim(listed(1)), replace(ATTACK, runs=39)) == ()


def test_what_counts_its_records_alone_reads_its_input() -> None:
    about = claim(listed(1))
    looks = looks_of(lambda database, rng: len(database), about)
    assert [look.depends for look in looks] == [False, False, True]
    assert conclude_silent(looks, about, ATTACK) is None


def test_what_reads_its_input_costs_one_look() -> None:
    looks = looks_of(lambda database, rng: sum(r["a0"] == "0" for r in database), claim(listed(1)))
    (look,) = looks
    assert look.depends
    assert look.runs == 40


def histogram_of_labels(database: Any, rng: Rng) -> object:
    return [sum(record["age"] == label for record in database) for label in LABELS]


def records_with_a_label(database: Any, rng: Rng) -> object:
    return sum(record["age"] in LABELS for record in database)


def mean_of_numbers(database: Any, rng: Rng) -> object:
    ages = [record["age"] for record in database if not isinstance(record["age"], str)]
    return sum(ages) / max(len(ages), 1)


def mean_of_all(database: Any, rng: Rng) -> object:
    return sum(record["age"] + 1 for record in database)


def reads_both(database: Any, rng: Rng) -> object:
    low = sum(record["age"] in (0, LABELS[0]) for record in database)
    return low + float(rng.laplace())


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (histogram_of_labels, "it reads bins as labels and seems to ignore numbers"),
        (records_with_a_label, "it reads bins as labels and seems to ignore numbers"),
        (mean_of_numbers, "it reads bins as numbers and seems to ignore labels"),
        (reads_both, None),
    ],
)
def test_which_encoding_of_bins_is_read(function: Function, words: str | None) -> None:
    found = find_alive(function, claim(BINNED))
    if words is None:
        assert found is None
    else:
        assert found is not None
        assert found.decision is Decision.SILENT
        assert found.finding.startswith(words)


def test_an_encoding_on_which_every_run_fails_is_no_secret() -> None:
    found = find_alive(mean_of_all, claim(BINNED, neighbours=ReplaceOne(Unit())))
    assert found is not None
    assert found.finding.startswith("it reads bins as numbers and fails on labels: all of ")
    assert found.finding.endswith(" raised TypeError")


def evidence(function: Function, about: Claim, attack: Attack = ATTACK) -> list[Evidence]:
    box = FunctionBox("f", function, False)
    subject = BlackBoxSubject("f", "function", box, (), {})
    return list(examine_box(subject, about, Effort(attack=attack)))


def test_it_stands_beside_an_attack_that_finds_nothing() -> None:
    attacked, alive = evidence(noise, claim(listed(1)), replace(ATTACK, runs=2_000))
    assert attacked.decision is Decision.UNSEEN
    assert alive.decision is Decision.UNDECIDED
    assert verdict([attacked, alive], False) is Verdict.UNDECIDED


def test_it_gives_way_to_an_attack_that_refutes() -> None:
    """One record alone is told from none; 50 are not told from 50 others, nor from none."""
    (found,) = evidence(lambda database, rng: len(database) == 1, claim(listed(1)))
    assert found.decision is Decision.VIOLATED


def test_databases_of_another_form_than_tables_are_not_made_up() -> None:
    seen: list[object] = []

    def number(database: Any, rng: Rng) -> object:
        seen.append(database)
        return 0

    attack = replace(ATTACK, runs=60, pair=Pair(3, 4))
    assert len(evidence(number, claim(listed(1)), attack)) == 1
    assert set(map(repr, seen)) == {"3", "4"}


def test_a_given_pair_of_tables_says_what_others_look_like() -> None:
    rows = Pair([{"a0": "1"}], [{"a0": "1"}, {"a0": "2"}], 1, "given", True)
    attack = replace(ATTACK, runs=60, pair=rows)
    _, alive = evidence(constant, claim(listed(1)), attack)
    assert alive.decision is Decision.UNDECIDED
    assert "seems to ignore its input" in alive.finding


def test_an_interrupt_as_it_begins_is_an_attack_of_no_runs() -> None:
    def interrupts(database: Any, rng: Rng) -> object:
        raise KeyboardInterrupt

    (found,) = evidence(interrupts, claim(listed(1)))
    assert found.partial
    assert "no guess in 0 runs" in found.finding


@pytest.mark.parametrize(
    ("text", "chance"),
    # A quarter of ten records: e^2.5 / (1 + e^2.5), Φ(1.25), Φ(1.25) for ρ = 1/2, ε(2) = 1.
    [("epsilon=1", 0.9241), ("mu=1", 0.8944), ("rho=1/2", 0.8944), ("alpha=2, rdp=1", 0.8944)],
)
def test_what_a_claim_allows_of_guesses(text: str, chance: float) -> None:
    assert bound_chance(parse_guarantee(text), 10, 1) == pytest.approx(chance, abs=1e-4)
    assert bound_chance(parse_guarantee(text), 30, 3) == pytest.approx(chance, abs=1e-4)


def test_what_would_have_been_seen_is_seen_that_often() -> None:
    """Among all looks of one number of tested runs, by the exact binomial."""
    for look in looks_of(constant, claim(listed(2)), replace(ATTACK, runs=2_000)):
        tested = [24, 48, 96, 192, 384]
        limit = float(ERROR) / 3 / 4
        powers = [binom.sf(binom.isf(limit, runs, 0.5), runs, look.seen) for runs in tested]
        assert any(abs(power - POWER) < 1e-6 for power in powers)


def alive_evidence() -> Evidence:
    found = find_alive(constant, claim(listed(2)))
    assert found is not None
    return as_written(found)


def test_it_is_confirmed_where_it_is_found_again_and_stated_as_unchecked_elsewhere() -> None:
    stated, about = alive_evidence(), claim(listed(2))
    assert [c.status for c in recheck_attack(stated, about, stated).checks] == [Status.CONFIRMED]
    checks = recheck_attack(stated, about, None).checks
    assert {check.status for check in checks} == {Status.UNCHECKED}
    forged = replace(stated, finding="this subject reads its input")
    checks = recheck_attack(forged, about, stated).checks
    assert Status.FALSE in {check.status for check in checks}


@pytest.mark.parametrize("decision", [Decision.UNSEEN, Decision.VIOLATED, Decision.HOLDS])
def test_it_concludes_nothing_else(decision: Decision) -> None:
    forged = replace(alive_evidence(), decision=decision)
    assert isinstance(forged.replay, AttackReplay) and forged.replay.mode == ALIVE
    with pytest.raises(InputError, match="concludes what no attack does"):
        recheck_attack(forged, claim(listed(2)), None)


def test_runs_that_all_fail_in_ways_that_differ_are_no_output_of_one_kind() -> None:
    """A box that fails otherwise on either table is told by how it fails."""

    class Fails:
        name, block = "fails", 100

        def draw(self, pair: Pair, coins: Any, seed: int) -> Outcomes:
            return Outcomes.of_outputs([Ended(f"exit code {1 + int(coin)}") for coin in coins])

    about = claim(listed(1))
    looks = look_at(Drawing(Fails(), Seeds(1), here), list_far_pairs(about), ATTACK)
    assert [look.depends for look in looks] == [True]
