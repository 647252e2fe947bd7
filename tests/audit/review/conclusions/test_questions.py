"""Questions to send back: each is asked where there is something to ask, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audit.review.conclusions.questions import (
    ask_about_failures,
    ask_about_terms,
    ask_about_write_up,
)
from audit.review.conclusions.review import conclude
from audit.review.submissions.submission import Prepared, StatedClaim, StatedQuery
from audit.review.write_ups.comparing import Silence
from synthesizers.schemas import load_domain
from tests.audit.review.orders import Worked, certificate, make_order, make_prepared


def ask_of_terms(prepared: Prepared) -> list[str]:
    return ask_about_terms(prepared, load_domain(prepared.folder / "domain.toml"))


def test_the_terms_of_the_challenge_are_no_question(tmp_path: Path) -> None:
    assert ask_of_terms(make_prepared(tmp_path)) == []
    assert ask_of_terms(make_prepared(tmp_path, "two", unit="person")) == []


def test_another_claim_than_the_challenge_asks_for_is_a_question(tmp_path: Path) -> None:
    prepared = make_prepared(tmp_path)
    other = StatedClaim("rho={epsilon}", ("1/2",), "replace-one", "person", 4)
    (question,) = ask_of_terms(
        replace(prepared, submission=replace(prepared.submission, asked=other))
    )
    assert "rho=ε at ε = 1/2, replace-one, for a person with at most 4 records" in question
    assert "epsilon=ε at ε = 1 and 10, add-remove, for a record." in question


def test_another_domain_is_a_question(tmp_path: Path) -> None:
    prepared = make_prepared(tmp_path)
    (question,) = ask_of_terms(
        replace(prepared, submission=replace(prepared.submission, other_domain=True))
    )
    assert "The domain file is not that of the challenge" in question


def test_ids_beside_a_claim_about_records_are_a_question(tmp_path: Path) -> None:
    prepared = make_prepared(tmp_path, unit="person")
    claim = replace(prepared.submission.claim, unit="record", max_records=1)
    (question,) = ask_of_terms(
        replace(prepared, submission=replace(prepared.submission, claim=claim))
    )
    assert "'who'" in question and "May a person have several records" in question


def questions_of(folder: Path, answers: dict[str, Any]) -> list[str]:
    """The questions about a submission whose pieces of each kind end as the answers say."""
    defaults = {"certify": certificate("NOT REFUTED")}
    worked = Worked(lambda piece: (0, answers.get(piece.kind, defaults.get(piece.kind, {}))))
    order = make_order(make_prepared(folder))
    worked.work(order)
    return list(conclude(order, worked.read).submissions[0].questions)


def find_alive(finding: str) -> dict[str, Any]:
    """A certificate with what was seen before the attack."""
    found = certificate("UNDECIDED")
    seen = {"auditor": "attack", "finding": finding, "replay": {"mode": "alive"}}
    return {**found, "evidence": [{**found["evidence"][0], **seen}]}


@pytest.mark.parametrize(
    "finding",
    [
        "this subject seems to ignore its input: no rule tells tables apart (tried: bins)",
        "it reads bins as numbers and fails on labels: exit code 1",
    ],
)
def test_an_ignored_input_is_asked_about_once(tmp_path: Path, finding: str) -> None:
    asked = questions_of(tmp_path, {"certify": find_alive(finding)})
    (question,) = [one for one in asked if "Does the program read the records" in one]
    assert question.startswith(f"At ε = 1, {finding.partition(' (tried')[0]}.")
    assert not any("Does the program read" in one for one in questions_of(tmp_path, {}))


def test_an_output_of_another_form_is_asked_about_once(tmp_path: Path) -> None:
    output = {"words": "a table", "of_the_domain": False, "problem": "the column 'sex' is missing."}
    asked = questions_of(tmp_path, {"trial": {"output": output}})
    (question,) = [one for one in asked if "no table of the domain" in one]
    assert "the column 'sex' is missing. Which columns" in question
    text = {"words": "a text", "of_the_domain": False, "problem": None}
    assert any("it is a text" in one for one in questions_of(tmp_path, {"trial": {"output": text}}))
    fine = {"words": "a table", "of_the_domain": True, "problem": None}
    asked = questions_of(tmp_path, {"trial": {"output": fine}})
    assert not any("no table of the domain" in one for one in asked)


def test_the_spelling_of_a_query_is_ours_and_no_question(tmp_path: Path) -> None:
    prepared = make_prepared(tmp_path, queries=(StatedQuery("counts"),))
    silent = [
        Silence("counts", "question", "…").words,
        Silence("the question of x", "noise", "…").words,
    ]
    (question,) = ask_about_write_up(prepared, [], silent)
    assert "does not state the noise of 'the question of x'." in question
    assert ask_about_write_up(prepared, [], silent[:1]) == []


@pytest.mark.parametrize(
    ("log", "says"),
    [
        ("", "no output: it gave up. On"),
        (
            "one\ndp-audit: it gave up; ask its author\n",
            "no output: it gave up; ask its author. On",
        ),
        ("one\ntwo\n", "no output: it gave up. Its log ends with “two”. On"),
    ],
)
def test_what_a_log_says_of_a_failure_is_said_once(log: str, says: str) -> None:
    (asked,) = ask_about_failures([("1", "it gave up", log)])
    assert asked.startswith(f"At ε = 1, the program gives {says} which inputs")
