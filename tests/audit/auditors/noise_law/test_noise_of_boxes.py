"""The noise of a black box: what its outputs show with nothing declared, and the law it states.

Honest subjects are accused with a chance of at most a twentieth of the alarm each.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from audit.auditors.effort import Attack, Effort
from audit.auditors.noise_law.boxes import examine_box
from audit.auditors.noise_law.lattice import leak_beyond
from audit.auditors.registry import LeftOut
from audit.statements.claim import Claim
from audit.statements.finding import violations
from audit.subjects.black_boxes import Wanted, black_box
from audit.subjects.live import live_box
from proofs.guarantees import ApproxDP, GaussianDP
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove

DOMAIN = Domain.from_cells("2")
CLAIM = Claim(ApproxDP(Fraction(1)), AddRemove(), "output", DOMAIN, 4)
ATTACK = Attack(5000, 1, Fraction(1, 20), Fraction(1, 10**6))
E = np.exp(-1)

MODULE = """
import numpy as np

SHARED = np.random.default_rng(5)
def seeded_once(database, rng):
    return len(database) + int(SHARED.geometric(0.632)) - int(SHARED.geometric(0.632))

FRESH = np.random.default_rng()
def fresh(database, rng):
    return len(database) + int(FRESH.geometric(0.632)) - int(FRESH.geometric(0.632))
"""


def load_by_name(tmp_path, monkeypatch, name):
    (tmp_path / "module_of_noise.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    return black_box(Wanted(f"module_of_noise:{name}"), CLAIM)


def live(function):
    return live_box(function, "function", function.__name__, {}, None, DOMAIN)


def findings(subject, attack=ATTACK):
    return {one.about: one for one in examine_box(subject, CLAIM, Effort(attack=attack))}


def geometric(database, rng):
    return len(database) + int(rng.geometric(1 - E)) - int(rng.geometric(1 - E))


def laplace(database, rng):
    return len(database) + rng.laplace()


def rounded_laplace(database, rng):
    return len(database) + round(rng.laplace() * 1024) / 1024


def says_nothing(database, rng):
    return 7


def often_the_same(database, rng):
    return int(rng.random() < 0.01)


def noiseless(database, rng):
    return len(database)


def texts(database, rng):
    return str(geometric(database, rng))


@pytest.mark.parametrize(
    "honest", [geometric, rounded_laplace, says_nothing, often_the_same, texts]
)
def test_an_honest_function_is_not_accused(honest):
    assert not violations(findings(live(honest)).values())


def test_a_function_without_noise_is_named_so():
    (against,) = violations(findings(live(noiseless)).values())
    assert against.about == "fresh noise"
    assert "there is none" in against.found
    assert abs(len(against.pair.first) - len(against.pair.second)) == 1


def test_low_bits_of_noise_in_doubles_tell_what_it_was_added_to():
    (against,) = violations(findings(live(laplace)).values())
    assert against.about == "low bits of the output"


def test_a_seed_that_is_fixed_where_the_module_is_loaded_is_named(tmp_path, monkeypatch):
    (against,) = violations(findings(load_by_name(tmp_path, monkeypatch, "seeded_once")).values())
    assert "a seed is fixed" in against.found


def test_a_generator_that_is_fresh_in_each_process_is_not_accused(tmp_path, monkeypatch):
    assert not violations(findings(load_by_name(tmp_path, monkeypatch, "fresh")).values())


def state_noise(function, law):
    def subject(database, rng):
        return function(database, rng)

    subject.queries = {"count": (len, "l1=1")}
    subject.noise = law
    return live(subject)


def test_noise_of_its_stated_law_is_not_accused():
    found = findings(state_noise(geometric, "discrete_laplace(scale=1)"))
    assert "scale of the noise" in found
    assert not violations(found.values())


def test_noise_of_half_its_stated_scale_is_exceeded():
    found = findings(state_noise(geometric, "discrete_laplace(scale=2)"))
    assert {one.about for one in violations(found.values())} >= {"scale of the noise"}


def test_a_stated_law_without_the_query_is_left_out():
    def subject(database, rng):
        return geometric(database, rng)

    subject.noise = "laplace(scale=1)"
    with pytest.raises(LeftOut, match="not the one query"):
        findings(live(subject))


def test_too_few_runs_and_no_output_are_said():
    def fails(database, rng):
        raise ValueError

    with pytest.raises(LeftOut, match="give --runs"):
        findings(live(geometric), replace(ATTACK, runs=100))
    with pytest.raises(LeftOut, match="no run gave an output"):
        findings(live(fails))


@pytest.mark.parametrize("guarantee", [ApproxDP(Fraction(1)), GaussianDP(Fraction(1))])
def test_rules_of_low_bits_are_wrong_no_more_often_than_their_error(guarantee):
    """A response that uses up its claim, at errors of 1/5: over 30 of 100 have a chance of 1 %.

    Of the Gaussian claim it uses up less.
    """
    rng = np.random.default_rng(3)
    accused = 0
    for _ in range(100):
        coins = rng.integers(2, size=300).astype(bool)
        lies = rng.random(600) > 1 / (1 + E)
        learned = (lies[:150].astype(float), 1 - lies[150:300].astype(float))
        tested = np.where(lies[300:], ~coins, coins).astype(float)
        accused += leak_beyond(*learned, tested, coins, guarantee, 0.2).ratio <= 1
    assert accused <= 30
