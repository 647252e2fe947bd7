"""What follows from finished pieces: verdicts, questions, flags, failures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from audit.review.conclusions.claims import FAILED, LATER, PENDING
from audit.review.conclusions.review import Review, SubmissionReview, conclude
from audit.review.orders import Order
from audit.review.pieces.piece import Piece
from audit.review.submissions.submission import StatedQuery
from tests.audit.review.orders import (
    Answer,
    Worked,
    certificate,
    make_order,
    make_prepared,
    scores,
)


def review(order: Order, answer: Answer) -> Review:
    """The review of an order all of whose pieces end as the answer says."""
    worked = Worked(answer)
    worked.work(order)
    return conclude(order, worked.read)


def review_one(
    folder: Path, verdicts: dict[tuple[str, str], Any], **named: Any
) -> SubmissionReview:
    """The review of one submission; its certificates by stage and ε."""

    def answer(piece: Piece) -> tuple[int, Any]:
        if piece.kind == "certify":
            return 0, verdicts.get((piece.stage, piece.epsilon), certificate("NOT REFUTED"))
        return 0, {}

    return review(make_order(make_prepared(folder, **named)), answer).submissions[0]


def test_the_worst_claim_is_the_verdict_of_a_submission(tmp_path: Path) -> None:
    one = review_one(tmp_path, {("final", "10"): certificate("REFUTED", cause="exact-size")})
    assert one.verdict == "REFUTED"
    assert [claim.verdict for claim in one.claims] == ["NOT REFUTED", "REFUTED"]
    assert not one.goes_on
    assert any("the exact size" in question for question in one.questions)


def test_a_refutation_of_the_prescreen_stands(tmp_path: Path) -> None:
    one = review_one(tmp_path, {("prescreen", "1"): certificate("REFUTED")})
    assert one.claims[0].verdict == "REFUTED"
    assert one.claims[0].stage == "prescreen"


def test_what_a_final_attack_shows_is_not_undone_by_the_short_one(tmp_path: Path) -> None:
    early = certificate("UNDECIDED", detectable=9.0, floor="0.5")
    late = certificate("NOT REFUTED", detectable=1.8, floor="0.3")
    one = review_one(tmp_path, {("prescreen", "1"): early, ("final", "1"): late})
    claim = one.claims[0]
    assert (claim.verdict, claim.stage, claim.detectable) == ("NOT REFUTED", "final", 1.8)
    assert claim.bounds.floor == "0.5"


def test_a_prescreen_does_not_answer_for_the_final_stage(tmp_path: Path) -> None:
    # It looks for the leak of half the noise, the final stage for the one that was asked for.
    early, late = certificate("NOT REFUTED", detectable=1.9), certificate("UNDECIDED")
    one = review_one(tmp_path, {("prescreen", "1"): early, ("final", "1"): late})
    assert one.claims[0].verdict == "UNDECIDED"
    one = review_one(tmp_path, {("prescreen", "1"): early, ("final", "1"): None})
    assert (one.claims[0].verdict, one.claims[0].stage) == ("UNDECIDED", "prescreen")
    assert len(one.failures) == 1


def test_blocks_that_are_missing_leave_a_claim_open(tmp_path: Path) -> None:
    order = make_order(make_prepared(tmp_path, epsilons=("0.05",)))

    def answer(piece: Piece) -> tuple[int, Any] | None:
        if piece.stage == "final" and piece.number > 0:
            return None
        return 0, certificate("NOT REFUTED") if piece.kind == "certify" else {}

    worked = Worked(answer)
    pieces = worked.work(order)
    assert max(piece.number for piece in pieces if piece.stage == "final") > 0
    assert conclude(order, worked.read).submissions[0].verdict == PENDING


@pytest.mark.parametrize(("shared", "verdict"), [(False, "REFUTED"), (True, "UNDECIDED")])
def test_blocks_accuse_together_only_by_runs_of_their_own_processes(
    tmp_path: Path, shared: bool, verdict: str
) -> None:
    order = make_order(make_prepared(tmp_path, epsilons=("0.05",)))
    found = certificate("NOT REFUTED", p_value=1e-6, shared=shared)
    one = review(order, lambda piece: (0, found if piece.stage == "final" else {})).submissions[0]
    assert one.verdict == verdict


@pytest.mark.parametrize(
    ("members", "verdict"),
    [
        ({}, "REFUTED"),
        ({"serves": True}, "UNDECIDED"),
        ({"serves": True, "new_process": True}, "REFUTED"),
        ({"serves": True, "new_process": False}, "UNDECIDED"),
        ({"warm": True}, "UNDECIDED"),
    ],
)
def test_runs_of_a_command_have_processes_of_their_own_unless_some_serve(
    tmp_path: Path, members: dict[str, bool], verdict: str
) -> None:
    order = make_order(make_prepared(tmp_path, epsilons=("0.05",)))
    subject = {"kind": "command", "name": "command:./run", **members}
    found = certificate("NOT REFUTED", p_value=1e-6, shared=True, subject=subject)
    one = review(order, lambda piece: (0, found if piece.stage == "final" else {})).submissions[0]
    assert one.verdict == verdict


def test_a_program_keeps_both_ends(tmp_path: Path) -> None:
    found = certificate("PROVED", floor="0.9", ceiling="1")
    one = review_one(tmp_path, {("prescreen", "1"): found, ("final", "10"): found}, asks=True)
    assert (one.verdict, one.goes_on) == ("PROVED", True)
    assert (one.claims[0].bounds.floor, one.claims[0].bounds.ceiling) == ("0.9", "1")


def test_nothing_is_known_of_what_has_not_run(tmp_path: Path) -> None:
    found = conclude(make_order(make_prepared(tmp_path)), lambda piece: None)
    assert [claim.verdict for claim in found.submissions[0].claims] == [PENDING, PENDING]
    assert found.partial


def test_a_prescreen_leaves_the_other_epsilons_for_later(tmp_path: Path) -> None:
    order = make_order(make_prepared(tmp_path), stage="prescreen")
    found = review(order, lambda piece: (0, certificate("NOT REFUTED"))).submissions[0]
    assert [claim.verdict for claim in found.claims] == ["NOT REFUTED", LATER]
    assert found.verdict == "NOT REFUTED"


def test_a_failure_keeps_its_epsilon_its_ending_and_its_log(tmp_path: Path) -> None:
    def answer(piece: Piece) -> tuple[int, Any]:
        if piece.kind == "trial" and piece.epsilon == "10":
            # As `dp-audit try` writes it.
            failure = {"phase": "run", "ending": "exit code 1", "place": "", "message": ""}
            run = {"command": "python synth.py", "log": "Traceback\nno room"}
            return 4, {"failure": failure, **run}
        return 0, certificate("NOT REFUTED") if piece.kind == "certify" else {}

    one = review(make_order(make_prepared(tmp_path)), answer).submissions[0]
    assert [claim.verdict for claim in one.claims] == ["NOT REFUTED", FAILED]
    assert {(f.phase, f.epsilon, f.ending) for f in one.failures} == {("run", "10", "exit code 1")}
    assert one.failures[0].command == "python synth.py"
    assert len(one.failures) == 5
    asked = [question for question in one.questions if "ε = 10" in question]
    assert len(asked) == 1
    assert "no room" in asked[0]
    assert {(f.command, f.log) for f in one.failures} == {("python synth.py", "Traceback\nno room")}


def test_runs_out_of_time_are_not_repeated_often(tmp_path: Path) -> None:
    failure = {"phase": "run", "ending": "time", "message": ""}
    one = review(
        make_order(make_prepared(tmp_path, epsilons=("1",))),
        lambda piece: (4, {"failure": failure, "log": ""}),
    ).submissions[0]
    assert [failure.ending for failure in one.failures] == ["its time ran out"] * 2
    assert one.verdict == FAILED


def test_persons_are_asked_about_where_single_records_are_safe(tmp_path: Path) -> None:
    def answer(piece: Piece) -> tuple[int, Any]:
        bad = piece.kind == "certify" and piece.level == "person"
        return 0, certificate("REFUTED" if bad else "NOT REFUTED")

    order = make_order(make_prepared(tmp_path, unit="person"), stage="prescreen")
    one = review(order, answer).submissions[0]
    assert [(claim.level, claim.claimed) for claim in one.claims[:2]] == [
        ("person", True),
        ("record", False),
    ]
    assert any("all records of a person" in question for question in one.questions)


def test_a_certificate_that_did_not_come_is_a_failure(tmp_path: Path) -> None:
    def answer(piece: Piece) -> tuple[int, Any]:
        return (70, None) if piece.kind == "certify" else (0, {})

    one = review(make_order(make_prepared(tmp_path), stage="prescreen"), answer).submissions[0]
    assert one.verdict == FAILED
    assert [(f.phase, f.ending) for f in one.failures] == [("certify", "exit code 70")]


@pytest.mark.parametrize(
    ("own", "proved", "flagged"),
    [((0.1, 0.2), False, True), ((0.1, 0.4), False, False), ((0.1, 0.2), True, False)],
)
def test_too_good_is_better_than_every_release_of_every_reference(
    tmp_path: Path, own: tuple[float, float], proved: bool, flagged: bool
) -> None:
    def answer(piece: Piece) -> tuple[int, Any]:
        if piece.kind == "utility":
            return 0, scores(*(own if piece.submission else (0.3, 0.5)))
        verdict = "PROVED" if proved else "NOT REFUTED"
        return 0, certificate(verdict) if piece.kind == "certify" else {}

    prepared = make_prepared(tmp_path, asks=proved, epsilons=("1",))
    one = review(make_order(prepared, data=tmp_path / "data.csv"), answer).submissions[0]
    assert [score.values for score in one.scores] == [own]
    assert bool(one.flags) == flagged


@pytest.mark.parametrize(("p_value", "flagged"), [(1e-7, True), (1e-5, False)])
@pytest.mark.parametrize("verdict", ["PROVED", "NOT REFUTED"])
def test_too_exact_is_what_no_program_of_the_claim_is_but_by_chance(
    tmp_path: Path, p_value: float, flagged: bool, verdict: str
) -> None:
    def answer(piece: Piece) -> tuple[int, Any]:
        if piece.kind == "exactness":
            found = {"runs": 20, "coins": 40, "right": 40, "wrong": 0.0, "least": 0.25}
            return 0, {"exactness": {**found, "p_value": p_value}}
        return 0, certificate(verdict) if piece.kind == "certify" else {}

    one = review(make_order(make_prepared(tmp_path)), answer).submissions[0]
    # At ε = 10 nothing could be seen.
    assert [found.epsilon for found in one.exactness] == ["1"]
    assert one.verdict == verdict
    assert [flag.partition(":")[0] for flag in one.flags] == ["Too exact at ε = 1"] * flagged
    assert not flagged or ("of 40 counts" in one.flags[0] and "below 0.25" in one.flags[0])


def test_a_run_without_a_table_says_nothing_of_exactness(tmp_path: Path) -> None:
    def answer(piece: Piece) -> tuple[int, Any]:
        if piece.kind == "exactness":
            return 0, {"exactness": None}
        return 0, certificate("NOT REFUTED") if piece.kind == "certify" else {}

    assert review(make_order(make_prepared(tmp_path)), answer).submissions[0].exactness == ()


@pytest.mark.parametrize(
    ("code", "said"), [(2, "the end"), (None, "its time ran out"), (-9, "was killed")]
)
def test_a_reference_without_a_table_is_told_with_its_reason(
    tmp_path: Path, code: int | None, said: str
) -> None:
    def answer(piece: Piece) -> tuple[Any, Any]:
        if piece.kind == "release" and piece.level == "mst":
            return code, None
        if piece.kind == "utility":
            return 0, scores(0.1, 0.2)
        return 0, certificate("NOT REFUTED") if piece.kind == "certify" else {}

    found = review(make_order(make_prepared(tmp_path), data=tmp_path / "data.csv"), answer)
    assert [(one.program, one.epsilons) for one in found.missing_references] == [
        ("mst", ("1", "10"))
    ]
    assert said in found.missing_references[0].sentence
    assert {one.program for one in found.references} == {"geometric-sanitizer"}
    assert not found.submissions[0].flags


def test_differences_of_a_write_up_are_questions(tmp_path: Path) -> None:
    def answer(piece: Piece) -> tuple[int, Any]:
        if piece.kind == "write-up":
            return 1, {"differences": [{"words": "it differs", "question": "Which is meant?"}]}
        return 0, certificate("PROVED") if piece.kind == "certify" else {}

    prepared = make_prepared(tmp_path, asks=True, queries=(StatedQuery("counts"),))
    one = review(make_order(prepared), answer).submissions[0]
    assert one.differences is not None
    assert [found.words for found in one.differences] == ["it differs"]
    assert "Which is meant?" in one.questions
    assert (one.verdict, one.goes_on) == ("PROVED", False)
