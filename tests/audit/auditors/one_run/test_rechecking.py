"""Certificates of one run: what is forged is found false."""

import hashlib
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from audit.statements.certificate import digest
from audit.verify import read_certificate, verify
from tests.audit.auditors.one_run.test_auditor import ask, noisy

Document = dict[str, Any]


@pytest.fixture(scope="module")
def honest() -> Document:
    plain: Document = ask(noisy(1.0)).to_json()
    return plain


def statuses(document: Document) -> dict[str, str]:
    plain = {**document, "digest": digest(document)}
    return {check.statement: check.status.value for check in verify(plain).checks}


def test_what_is_stated_follows_from_its_guesses(honest: Document) -> None:
    found = statuses(honest)
    assert found["one run"] == "confirmed"
    assert found["one run: the guesses"] == "not re-checked"
    assert found["verdict NOT REFUTED"] == "not re-checked"


def replay(document: Document) -> Document:
    found: Document = document["evidence"][0]["replay"]
    return found


def change_guess(document: Document) -> None:
    run = replay(document)["runs"][0]
    made = run["made"]
    place, other = made.index("+"), made.index("-")
    swapped = list(made)
    swapped[place], swapped[other] = "-", "+"
    run["made"] = "".join(swapped)
    run["sha256"] = hashlib.sha256(run["made"].encode()).hexdigest()


def count_more(document: Document) -> None:
    replay(document)["runs"][0]["right"] += 5


def other_seed(document: Document) -> None:
    replay(document)["seed"] = "5"


def fewer_guesses(document: Document) -> None:
    replay(document)["guesses"] -= 2


def smaller_p_value(document: Document) -> None:
    replay(document)["p_value"] /= 2


def larger_limit(document: Document) -> None:
    replay(document)["limit"] *= 1.5


def higher_floor(document: Document) -> None:
    for bound in (document["evidence"][0]["bound"], document["bounds"]["floor"]):
        bound["epsilon"] = {"lower": "2", "upper": "inf"}


def accuse(document: Document) -> None:
    document["evidence"][0]["decision"] = "violated"
    document["verdict"] = "REFUTED"


def larger_alarm(document: Document) -> None:
    replay(document)["alarm"] = "9/10"


def other_design(document: Document) -> None:
    replay(document)["design"] = "pairs"


def other_kind(document: Document) -> None:
    document["subject"] = {
        "kind": "release",
        "name": "outputs:a.csv",
        "sha256": "0" * 64,
        "split_sha256": "0" * 64,
        "records": 1200,
    }


def hide_guesses(document: Document) -> None:
    del replay(document)["runs"][0]["made"]


def assume_less(document: Document) -> None:
    document["assumptions"].pop()


def one_more_finding(document: Document) -> None:
    document["evidence"].append(deepcopy(document["evidence"][0]))


@pytest.mark.parametrize(
    "forge",
    [
        change_guess,
        count_more,
        other_seed,
        fewer_guesses,
        smaller_p_value,
        larger_limit,
        higher_floor,
        accuse,
        larger_alarm,
        other_design,
        other_kind,
        hide_guesses,
        assume_less,
        one_more_finding,
    ],
)
def test_what_is_forged_is_false(forge: Callable[[Document], None], honest: Document) -> None:
    forged = deepcopy(honest)
    forge(forged)
    assert "false or altered" in statuses(forged).values()


def test_a_key_that_no_version_has_is_strange(honest: Document) -> None:
    forged = deepcopy(honest)
    replay(forged)["more"] = 1
    plain = {**forged, "digest": digest(forged)}
    import json

    assert verify(read_certificate(json.dumps(plain), "c.json")).exit_code == 1
