"""What can only be run is looked at from within its own process, whose word is not taken for more.

Examinations of honest subjects accuse them with a chance of at most 1e-6 each.
"""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from fractions import Fraction

import pytest

from audit.auditors.data_independence.boxes import examine_box, read_answer
from audit.auditors.effort import Attack, Effort
from audit.auditors.registry import LeftOut
from audit.statements.claim import Claim
from audit.statements.evidence import Decision
from audit.statements.limits import Limits
from audit.subjects.black_boxes import Wanted, black_box
from audit.subjects.forms import form_of
from audit.subjects.live import live_box
from audit.subjects.pair import Pair
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.neighbours import AddRemove
from tests.audit.auditors.data_independence import leaking

DOMAIN = Domain.from_cells("3")
ADDED = Claim(ApproxDP(Fraction(1)), AddRemove(), "output", DOMAIN, 10)
ATTACK = Attack(2000, 1, Fraction(1, 20), Fraction(1, 10**6))

MODULE = """
import json, logging, os, time
import numpy as np, pandas as pd

def noise(rng):
    return int(rng.geometric(0.64)) - int(rng.geometric(0.64))

def fixed_seed(database, rng):
    return len(database) + np.random.default_rng(42).laplace()

class DomainOfTheData:
    def fit(self, table):
        self.seen = sorted(table["cell"].unique())
        return self

    def sample(self, rows):
        rng = np.random.default_rng()
        return pd.DataFrame({"cell": pd.Categorical(rng.choice(["0", "1", "2"], rows), self.seen)})

def raises_by_a_record(database, rng):
    if any(record["cell"] == "2" for record in database):
        raise KeyError("2")
    return noise(rng)

GENERATOR = np.random.default_rng()
def own_generator(database, rng):
    return len(database) + noise(GENERATOR)

def hangs(database, rng):
    time.sleep(100)

def dies(database, rng):
    os._exit(1)
"""


LIAR = """
from audit.auditors.data_independence import inside
inside.answer = lambda subject, examination, seconds: '{"findings": [1]}'

def lies(database, rng):
    return int(rng.integers(2))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("boxes")
    (path / "module_of_boxes.py").write_text(MODULE)
    (path / "lying_module.py").write_text(LIAR)
    return path


def load_by_name(folder, monkeypatch, name, **limits):
    monkeypatch.chdir(folder)
    name = name if ":" in name else f"module_of_boxes:{name}"
    return black_box(Wanted(name, rows=5, limits=Limits(**limits)), ADDED)


def live(function, name="live"):
    return live_box(function, form_of(function), name, {}, None, DOMAIN)


def findings(subject, claim=ADDED, attack=ATTACK):
    return {one.about: one for one in examine_box(subject, claim, Effort(attack=attack))}


def test_a_fixed_seed_violates_the_claim_by_values(folder, monkeypatch):
    found = findings(load_by_name(folder, monkeypatch, "fixed_seed"))["values of the output"]
    assert found.decision is Decision.VIOLATED
    assert {len(found.pair.first), len(found.pair.second)} == {0, 1}
    assert found.error == pytest.approx(1e-6 / 20)


def test_a_domain_that_is_read_off_the_data_is_named_by_the_schema(folder, monkeypatch):
    found = findings(load_by_name(folder, monkeypatch, "DomainOfTheData"))
    assert found["schema"].decision is Decision.VIOLATED
    assert "category of 'cell'" in found["schema"].found


def says_how_many(database, rng):
    logging.getLogger("mechanism").debug("fitting %d records", len(database))
    return len(database) + int(rng.geometric(0.64)) - int(rng.geometric(0.64))


def test_a_log_line_that_tells_is_beside_a_claim_about_the_output():
    found = findings(live(says_how_many))
    assert found["logs and streams"].decision is Decision.EXCEEDED
    assert found["what can be seen of a run"].decision is Decision.KEPT
    assert "logs" not in found["what can be seen of a run"].found


@pytest.mark.parametrize("honest", leaking.HONEST, ids=lambda honest: honest.__name__)
def test_an_honest_function_is_not_accused(honest):
    attack = replace(ATTACK, runs=600)
    assert not any(one.violated for one in findings(live(honest), attack=attack).values())


def test_a_generator_of_the_module_is_not_accused(folder, monkeypatch):
    found = findings(load_by_name(folder, monkeypatch, "own_generator"))
    assert not any(one.violated for one in found.values())


def smooth_sensitivity(database, rng):
    scale = 2 if len(database) % 2 else 3
    return len(database) + scale * (int(rng.geometric(0.5)) - int(rng.normal(0, scale)))


def test_a_scale_that_nobody_sees_is_said_and_held_against_nobody():
    found = findings(live(smooth_sensitivity))["scales of noise"]
    assert found.decision is Decision.KEPT
    assert "not said to be visible" in found.found


def remembers(database, rng, answers={}):  # noqa: B006 - that it is kept is the point
    key = len(database)
    if key not in answers:
        answers[key] = int(rng.random() < 0.5)
    return answers[key]


def test_noise_that_one_process_remembers_is_no_violation_of_the_claim():
    """What one process always gives on each database is new in the next."""
    several = [findings(live(remembers), attack=replace(ATTACK, seed=seed)) for seed in range(1, 5)]
    decisions = [found[about].decision for found in several for about in found]
    assert Decision.EXCEEDED in decisions
    assert Decision.VIOLATED not in decisions


def test_of_given_databases_nothing_is_told(folder, monkeypatch):
    pair = Pair([{"cell": "0"}], [{"cell": "0"}, {"cell": "2"}], 1, "given", True)
    attack = replace(ATTACK, pair=pair)
    subject = load_by_name(folder, monkeypatch, "raises_by_a_record")
    found = findings(subject, attack=attack)["exceptions"]
    assert found.decision is Decision.VIOLATED
    assert "Error" not in found.to_report_json()["found"]
    assert (found.pair, found.responsible) == (None, None)
    public = findings(subject, attack=replace(attack, data_is_public=True))["exceptions"]
    assert "KeyError" in public.found


def test_no_more_runs_are_made_than_a_tenth_of_those_of_the_attack(tmp_path):
    made = tmp_path / "made"

    def counting(database, rng):
        with open(made, "a") as file:
            file.write(".")
        return len(database) + int(rng.geometric(0.64)) - int(rng.geometric(0.64))

    findings(live(counting), attack=replace(ATTACK, runs=500))
    assert 20 < made.stat().st_size <= 100


def test_too_few_runs_are_said():
    with pytest.raises(LeftOut, match="give --runs"):
        findings(live(says_how_many), attack=replace(ATTACK, runs=20))


def test_without_databases_there_is_nothing_to_look_at():
    with pytest.raises(LeftOut, match="without a domain or a pair"):
        findings(live(says_how_many), replace(ADDED, domain=None, records=None))


@pytest.mark.parametrize("least", [3, 9])
def test_databases_are_made_of_the_least_records_that_are_asked_for(least):
    found = findings(live(says_how_many), attack=replace(ATTACK, min_records=least))
    pair = found["logs and streams"].pair
    assert min(len(pair.first), len(pair.second)) >= least


@pytest.mark.parametrize("least", [10, 100])
def test_a_least_number_of_records_that_leaves_no_neighbours_is_refused(least):
    with pytest.raises(InputError, match=r"no two databases|leaves none"):
        findings(live(says_how_many), attack=replace(ATTACK, min_records=least))


def test_a_run_that_hangs_ends_the_examination_in_time(folder, monkeypatch):
    with pytest.raises(LeftOut, match="a run took more than 1 seconds"):
        findings(load_by_name(folder, monkeypatch, "hangs", seconds=1))


def test_a_process_that_ends_is_left_to_the_attack(folder, monkeypatch):
    with pytest.raises(LeftOut, match="process ended"):
        findings(load_by_name(folder, monkeypatch, "dies"))


def test_a_process_that_sends_something_else_is_left_to_the_attack(folder, monkeypatch):
    with pytest.raises(LeftOut, match="something else than findings"):
        findings(load_by_name(folder, monkeypatch, "lying_module:lies"))


TOLD = {
    "detector": "data independence",
    "about": "schema",
    "violated": True,
    "declared": "the same on neighbours",
    "found": "columns: a on the first database, b on the second, in 60 runs",
    "rigour": "statistical",
    "covers": "some pairs",
    "pair": {"first": [], "second": [{"cell": "0"}]},
    "responsible": "columns",
    "replay": "",
    "error": 1e-6,
}

ALTERED = {
    "another auditor": {"detector": "attack"},
    "another property": {"about": "the claim"},
    "no decision": {"violated": 1},
    "a number in place of a text": {"found": 3},
    "a text that is too long": {"found": "x" * 5000},
    "a control sequence": {"found": "\x1b[2J"},
    "no rigour": {"rigour": "proved"},
    "no error": {"error": 2.0},
    "an error that is no number": {"error": "1e-6"},
    "no neighbours": {"pair": {"first": [], "second": [{"cell": "0"}] * 5}},
    "equal databases": {"pair": {"first": [], "second": []}},
    "records of another domain": {"pair": {"first": [], "second": [{"cell": "9"}]}},
    "half a pair": {"pair": {"first": []}},
    "a key too many": {"verdict": "PROVED"},
}


def test_the_findings_of_a_process_are_read():
    (found,) = read_answer(json.dumps({"findings": [TOLD]}), ADDED)
    assert found.to_report_json() == TOLD


@pytest.mark.parametrize("change", ALTERED.values(), ids=ALTERED.keys())
def test_a_finding_of_another_form_is_refused(change):
    with pytest.raises(ProtocolError, match="something else than findings"):
        read_answer(json.dumps({"findings": [TOLD | change]}), ADDED)


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{}", '{"findings": 1}', "[" * 5000, '{"findings": [], "more": 1}', "NaN"],
)
def test_another_answer_is_refused(text):
    with pytest.raises(ProtocolError, match="something else than findings"):
        read_answer(text, ADDED)


def test_why_there_are_no_findings_is_shown_in_few_printable_words():
    with pytest.raises(ProtocolError) as raised:
        read_answer(json.dumps({"refused": "\x1b[2J" + "x" * 10**6}), ADDED)
    assert str(raised.value).startswith("?[2Jxxx")
    assert len(str(raised.value)) <= 500
