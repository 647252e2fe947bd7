"""What is cheap and exact looks at a black box before the attack; one certificate, one report."""

from __future__ import annotations

import copy
import json

import pytest

from audit.cli.main import main
from audit.statements.certificate import digest
from audit.statements.checks import Status
from audit.verify import read_certificate, verify

SOURCE = """
import logging
import numpy as np, pandas as pd

class DomainOfTheData:
    def __init__(self, seed=0):
        self.rng = np.random.default_rng(seed)

    def fit(self, table):
        self.values = sorted(table["cell"].unique())
        counts = np.array([(table["cell"] == value).sum() for value in self.values])
        self.weights = np.maximum(counts + self.rng.laplace(size=len(counts)), 0) + 1
        return self

    def sample(self, rows):
        weights = self.weights / self.weights.sum()
        drawn = self.rng.choice(self.values, rows, p=weights) if len(weights) else []
        return pd.DataFrame({"cell": drawn}).astype("category")

def noise(rng):
    return int(rng.geometric(0.64)) - int(rng.geometric(0.64))

def says_how_many(database, rng):
    logging.getLogger("mechanism").info("fitting %d records", len(database))
    return len(database) + noise(rng)

def fixed_seed(database, rng):
    return len(database) + noise(np.random.default_rng(42))

def honest(database, rng, runs):
    return len(database) + rng.geometric(0.64, runs) - rng.geometric(0.64, runs)
"""

ASKED = "--claim epsilon=1 --neighbours add-remove --cells 3 --records 5 --seed 1"
BESIDE = {"data independence", "noise law", "sensitivity"}


@pytest.fixture(scope="module")
def certified(tmp_path_factory):
    folder = tmp_path_factory.mktemp("first")
    (folder / "module_first.py").write_text(SOURCE)
    made = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, more in (
            # Of its attack nothing is asked, and behind what it shows it would go on.
            ("DomainOfTheData", "--rows 5 --runs 500 --auditors data-independence,noise-law"),
            ("says_how_many", "--runs 500"),
            ("fixed_seed", "--runs 1000"),
            ("honest", "--runs 2000"),
        ):
            words = f"certify module_first:{name} {ASKED} {more} --quiet --out {name}.json"
            code = main(words.split())
            text = (folder / f"{name}.json").read_text()
            made[name] = (code, read_certificate(text, name))
    return folder, made


def findings(document, decision=None):
    return {
        one["property"]["about"]: one["property"]["found"]
        for one in document["evidence"]
        if "property" in one and decision in (None, one["decision"])
    }


ATTACKED = ("says_how_many", "fixed_seed", "honest")


def test_they_look_in_their_order_and_the_attack_comes_last(certified):
    for _, document in (certified[1][name] for name in ATTACKED):
        names = [one["auditor"] for one in document["evidence"]]
        assert names == sorted(names, key=("data independence", "noise law", "attack").index)
        assert names[-1] == "attack"


def test_a_domain_that_is_read_off_the_data_is_named(certified):
    code, document = certified[1]["DomainOfTheData"]
    assert (code, document["verdict"]) == (1, "REFUTED")
    against = findings(document, "violated")
    assert any("category of 'cell'" in found for found in against.values())


def test_a_fixed_seed_is_named(certified):
    code, document = certified[1]["fixed_seed"]
    assert (code, document["verdict"]) == (1, "REFUTED")
    assert "values of the output" in findings(document, "violated")
    assert "there is none" in findings(document, "declaration exceeded")["fresh noise"]


def test_log_lines_that_tell_are_named_and_leave_the_claim_undecided(certified):
    code, document = certified[1]["says_how_many"]
    assert (code, document["verdict"]) == (3, "UNDECIDED")
    assert "of log: '0'" in findings(document, "declaration exceeded")["logs and streams"]


def test_an_honest_function_is_not_accused(certified):
    code, document = certified[1]["honest"]
    assert (code, document["verdict"]) == (0, "NOT REFUTED")
    assert set(findings(document)) == {"what can be seen of a run", "fresh noise"}


def test_their_part_of_the_error_is_not_the_attacks(certified):
    for _, document in (certified[1][name] for name in ATTACKED):
        attack = document["evidence"][-1]["replay"]
        assert attack["alarm"] == "9/10000000"


def test_certificates_are_confirmed_by_looking_again(certified, monkeypatch):
    folder, made = certified
    monkeypatch.chdir(folder)
    found = verify(made["fixed_seed"][1])
    assert not [check for check in found.checks if check.status is Status.FALSE]
    names = {check.statement for check in found.checks if check.status is Status.CONFIRMED}
    assert "evidence of the data independence auditor" in names


def forged(document, change):
    altered = copy.deepcopy(document)
    change(altered)
    return {**altered, "digest": digest(altered)}


def drop_all_but_the_attack(document):
    document["evidence"] = [one for one in document["evidence"] if one["auditor"] == "attack"]
    document["verdict"] = "NOT REFUTED"


def drop_and_pass_for_older(document):
    drop_all_but_the_attack(document)
    document["evidence"][0]["replay"]["alarm"] = "1/1000000"


def acquit(document):
    first = document["evidence"][0]
    first["decision"] = "declaration kept"
    document["verdict"] = "NOT REFUTED"


@pytest.mark.parametrize("change", [drop_all_but_the_attack, drop_and_pass_for_older, acquit])
def test_a_finding_that_was_dropped_or_turned_is_found_false(certified, monkeypatch, change):
    folder, made = certified
    monkeypatch.chdir(folder)
    found = verify(forged(made["says_how_many"][1], change))
    assert [check for check in found.checks if check.status is Status.FALSE]


def test_the_attack_alone_has_the_whole_error(certified, monkeypatch):
    folder, _ = certified
    monkeypatch.chdir(folder)
    words = f"certify module_first:honest {ASKED} --runs 40 --auditors attack --quiet --out a.json"
    assert main(words.split()) == 3
    (attack,) = json.loads((folder / "a.json").read_text())["evidence"]
    assert attack["replay"]["alarm"] == "1/1000000"


def test_one_of_them_alone_makes_a_certificate(certified, monkeypatch):
    folder, _ = certified
    monkeypatch.chdir(folder)
    words = f"certify module_first:honest {ASKED} --runs 300 --auditors data-independence"
    assert main(f"{words} --quiet --out b.json".split()) == 3
    document = json.loads((folder / "b.json").read_text())
    assert {one["auditor"] for one in document["evidence"]} == {"data independence"}
    found = verify(read_certificate(json.dumps(document), "b.json"))
    assert not [check for check in found.checks if check.status is Status.FALSE]


def test_who_has_nothing_to_say_is_told_with_the_reason(certified, monkeypatch, capsys):
    folder, _ = certified
    monkeypatch.chdir(folder)
    main(f"certify module_first:honest {ASKED} --runs 40".split())
    told = " ".join(capsys.readouterr().err.split())
    assert "noise law (a tenth of the runs is too few: give --runs 500)" in told
    assert "dp-audit sensitivity examines a function by its name" in told
