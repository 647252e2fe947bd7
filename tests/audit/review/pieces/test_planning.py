"""Which pieces are wanted follows from the order, and from what came of the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from audit.review.pieces.commands import Asking
from audit.review.pieces.piece import Piece
from audit.review.pieces.planning import TRIALS, choose_epsilon, list_pieces
from audit.review.pieces.working import of_shard, trials_alone
from audit.review.submissions.submission import StatedQuery
from tests.audit.review.orders import Worked, certificate, make_order, make_prepared, scores


def answer(piece: Piece) -> tuple[int, object]:
    """Everything goes well, and nothing is refuted."""
    if piece.kind == "certify":
        return 0, certificate("NOT REFUTED", p_value=0.5)
    return 0, scores(0.1, 0.2) if piece.kind == "utility" else {}


def test_nothing_but_trials_is_wanted_before_a_submission_ran(tmp_path: Path) -> None:
    order = make_order(make_prepared(tmp_path))
    pieces = list_pieces(order, lambda piece: None)
    assert [(piece.kind, piece.epsilon) for piece in pieces] == [("trial", "1"), ("trial", "10")]


def test_a_prescreen_looks_at_one_epsilon_alone(tmp_path: Path) -> None:
    order = make_order(make_prepared(tmp_path), stage="prescreen", data=tmp_path / "data.csv")
    pieces = Worked(answer).work(order)
    found = [(piece.kind, piece.epsilon) for piece in pieces if piece.kind != "trial"]
    assert found == [("certify", "1"), ("release", "1"), ("utility", "1")]


def test_persons_are_looked_at_beside_single_records(tmp_path: Path) -> None:
    order = make_order(make_prepared(tmp_path, unit="person"), stage="prescreen")
    certify = [one for one in Worked(answer).work(order) if one.kind == "certify"]
    assert [one.level for one in certify] == ["person", "record"]
    most = [one.words[one.words.index("--max-records") + 1] for one in certify]
    assert most == ["3", "1"]
    assert all(one.words[one.words.index("--unit") + 1] == "person" for one in certify)


def test_the_final_stage_attacks_every_epsilon_with_the_leak_asked_for(tmp_path: Path) -> None:
    order = make_order(make_prepared(tmp_path), data=tmp_path / "data.csv")
    pieces = Worked(answer).work(order)
    final = [one for one in pieces if one.kind == "certify" and one.stage == "final"]
    assert {one.epsilon for one in final} == {"1", "10"}
    assert all(one.words[one.words.index("--detect") + 1] for one in final)
    detect = {one.epsilon: one.words[one.words.index("--detect") + 1] for one in final}
    assert detect == {"1": "2", "10": "20"}
    releases = [one for one in pieces if one.kind == "release" and one.submission]
    assert len(releases) == 4
    assert len({one.words for one in releases}) == 4


def test_references_have_the_public_number_of_rows(tmp_path: Path) -> None:
    # Without it, none of a table whose size is private can be made.
    prepared = make_prepared(tmp_path)
    launch = replace(prepared.submission.launch, rows=600)
    prepared = replace(prepared, submission=replace(prepared.submission, launch=launch))
    order = make_order(prepared, data=tmp_path / "data.csv")
    made = [one for one in list_pieces(order, lambda piece: None) if one.words[0] == "release"]
    assert {one.level for one in made} == {"mst", "geometric-sanitizer"}
    assert all(one.words[one.words.index("--rows") + 1] == "600" for one in made)


def test_a_refuted_claim_is_not_attacked_again(tmp_path: Path) -> None:
    def refute(piece: Piece) -> tuple[int, object]:
        if piece.kind == "certify" and piece.stage == "prescreen":
            return 1, certificate("REFUTED")
        return answer(piece)

    pieces = Worked(refute).work(make_order(make_prepared(tmp_path)))
    final = [one.epsilon for one in pieces if one.kind == "certify" and one.stage == "final"]
    assert final == ["10"]


def test_a_program_is_proved_at_each_epsilon_once(tmp_path: Path) -> None:
    query = StatedQuery("counts")
    order = make_order(make_prepared(tmp_path, asks=True, queries=(query,)))
    pieces = Worked(answer).work(order)
    certify = [(one.epsilon, one.stage) for one in pieces if one.kind == "certify"]
    assert certify == [("1", "prescreen"), ("10", "final")]
    assert all(not one.alarm and "--runs" not in one.words for one in pieces)
    assert [one.kind for one in pieces].count("write-up") == 1


def test_a_submission_that_fails_is_tried_five_times_and_then_left(tmp_path: Path) -> None:
    def fail(piece: Piece) -> tuple[int, object]:
        return (4, {}) if piece.epsilon == "10" else answer(piece)

    pieces = Worked(fail).work(make_order(make_prepared(tmp_path)))
    failing = [piece for piece in pieces if piece.epsilon == "10"]
    assert [piece.kind for piece in failing] == ["trial"] * TRIALS
    assert len({piece.digest for piece in failing}) == TRIALS


def test_one_failure_of_chance_is_tried_again(tmp_path: Path) -> None:
    def fail_once(piece: Piece) -> tuple[int, object]:
        return (4, {}) if piece.kind == "trial" and piece.number == 0 else answer(piece)

    pieces = Worked(fail_once).work(make_order(make_prepared(tmp_path)))
    assert [one.number for one in pieces if one.kind == "trial"] == [0, 1, 0, 1]
    assert any(one.kind == "certify" for one in pieces)


def test_tables_that_were_made_are_measured_though_one_failed(tmp_path: Path) -> None:
    def fail(piece: Piece) -> tuple[int, object]:
        return (4, {}) if piece.kind == "release" and piece.number == 0 else answer(piece)

    order = make_order(make_prepared(tmp_path, epsilons=("1",)), data=tmp_path / "data.csv")
    utility = [one for one in Worked(fail).work(order) if one.kind == "utility" and one.submission]
    assert [[need.number for need in one.needs] for one in utility] == [[1]]


@pytest.mark.parametrize("shards", [2, 3])
def test_shards_together_do_all_pieces_and_find_the_same_ones(tmp_path: Path, shards: int) -> None:
    data = tmp_path / "data.csv"
    prepared = (make_prepared(tmp_path, "one"), make_prepared(tmp_path, "two", asks=True))
    order = make_order(*prepared, data=data)
    whole = Worked(answer)
    wanted = whole.work(order)
    joined: set[str] = set()
    for shard in range(1, shards + 1):
        own = Worked(answer)
        for choose in (trials_alone, of_shard(shard, shards)):
            while missing := [
                one for one in choose(list_pieces(order, own.read)) if own.read(one) is None
            ]:
                ready = [one for one in missing if all(own.read(need) for need in one.needs)]
                own.work(order, ready)
        assert set(own.done) < set(whole.done)
        joined |= set(own.done)
    assert joined == {piece.digest for piece in wanted}


def test_another_seed_makes_other_runs_and_the_same_proofs(tmp_path: Path) -> None:
    order = make_order(make_prepared(tmp_path, asks=True), make_prepared(tmp_path, "two"))
    first = {one.words for one in Worked(answer).work(order) if one.kind == "certify"}
    second = {
        one.words for one in Worked(answer).work(replace(order, seed=8)) if one.kind == "certify"
    }
    assert {words for words in first if "--seed" not in words} == {
        words for words in second if "--seed" not in words
    }
    assert not {words for words in first if "--seed" in words} & second


@pytest.mark.parametrize(
    ("epsilons", "chosen"),
    [(("0.1", "1", "10"), "1"), (("0.1", "2"), "2"), (("1/3", "4"), "1/3"), (("8",), "8")],
)
def test_the_prescreen_takes_the_epsilon_nearest_to_one(
    tmp_path: Path, epsilons: tuple[str, ...], chosen: str
) -> None:
    assert choose_epsilon(make_prepared(tmp_path, epsilons=epsilons)) == chosen


def test_no_name_of_a_submission_is_that_of_the_data(tmp_path: Path) -> None:
    # It would be taken for unchanged as long as the data are.
    prepared = make_prepared(tmp_path, "data")
    asking = Asking(make_order(prepared, data=tmp_path / "data.csv"), prepared, "1")
    assert (asking.inputs, asking.of_data) == (("0",), ("d", "0"))
