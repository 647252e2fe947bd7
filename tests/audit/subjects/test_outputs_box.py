"""Outputs from files: what they are read as, and runs with fair coins made of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from audit.subjects import outputs
from audit.subjects.outcomes import Outcomes
from audit.subjects.outputs import GivenRuns, OutputsBox, read_outputs
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs, Seeds
from synthesizers.errors import InputError

pytestmark = pytest.mark.smoke

Write = Callable[[str, Any], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, content: Any) -> str:
        path = tmp_path / name
        if isinstance(content, np.ndarray):
            np.save(path, content)
        else:
            path.write_text(content)
        return str(path)

    return written


def box(first: int, second: int) -> OutputsBox:
    """Outputs 0, 1, 2, … of the first database, and 1000, 1001, 1002, … of the second."""
    held = [np.arange(count) + 1000.0 * side for side, count in enumerate((first, second))]
    read = [Outcomes.of_batch(values, len(values)) for values in held]
    return OutputsBox("outputs:a,b", read[0], read[1], ("1", "2"))


def values(runs: Runs) -> NDArray[np.float64]:
    block = runs.outcomes.blocks[0]
    assert isinstance(block, np.ndarray)
    return block.ravel()


def same(first: Outcomes, second: Outcomes) -> bool:
    return np.array_equal(first.codes(), second.codes())


# Reading


def test_lists_and_lines_of_json_are_read_alike(write: Write) -> None:
    items = [1.5, "x", None, [1, 2], {"a": [True, "y"]}, 0.1, [[1], 2]]
    whole = write("a.json", json.dumps(items))
    lines = write("a.jsonl", "".join(json.dumps(item) + "\n" for item in items))
    read = [read_outputs(path, path).first for path in (whole, lines)]
    assert len(read[0]) == len(items)
    assert same(read[0], read[1])
    kinds = [read[0].shapes[place].kind for place in read[0].of]
    assert kinds == ["numbers", "text", "nothing", "numbers", "data", "numbers", "data"]


def test_how_a_file_spells_whole_numbers_tells_nothing(write: Write) -> None:
    found = read_outputs(
        write("a.json", '[1, [2, 3], {"n": 4}, [{"n": 5}]]'),
        write("b.json", '[1.0, [2.0, 3.0], {"n": 4.0}, [{"n": 5.0}]]'),
    )
    assert same(found.first, found.second)
    assert set(found.first.shapes) == set(found.second.shapes)
    large = read_outputs(*[write(f"{n}.json", f"[{2**53 + n}]") for n in (0, 1)])
    assert not same(large.first, large.second)


def test_a_list_of_records_is_a_table(write: Write) -> None:
    path = write("a.json", '[[{"a": 1, "b": "x"}, {"a": 2, "b": "y"}], [{"a": 1}, {"b": 2}], []]')
    found = read_outputs(path, path).first
    assert [found.shapes[place].kind for place in found.of] == ["table", "data", "numbers"]
    table = found.blocks[0][0]
    assert table["a"].tolist() == [1.0, 2.0] and table["b"].tolist() == ["x", "y"]


def test_rows_of_csv_are_numbers_where_all_fields_are(write: Write) -> None:
    found = read_outputs(
        write("a.csv", "x,y\n1,2.5\n-0,nan\n3,error\n,4\n"), write("b.csv", "x,y\n1.0,2.50\n")
    )
    kinds = [found.first.shapes[place].kind for place in found.first.of]
    assert kinds == ["numbers", "numbers", "data", "data"]
    # What a row is read as doesn't depend on the rows beside it.
    assert same(found.first.take(np.array([0])), found.second)
    one = read_outputs(write("c.csv", "x\n1\nyes\n\n"), write("d.csv", "x\n1\n"))
    assert [one.first.shapes[place].kind for place in one.first.of] == ["numbers", "text", "text"]
    assert same(one.first.take(np.array([0])), one.second)


def test_arrays_give_an_output_a_place_of_the_first_axis(write: Write) -> None:
    array = np.arange(24.0).reshape(4, 3, 2)
    found = read_outputs(write("a.npy", array), write("b.npy", array[:2]))
    assert (len(found.first), len(found.second)) == (4, 2)
    block = found.first.blocks[0]
    assert isinstance(block, np.ndarray) and np.array_equal(block, array.reshape(4, 6))
    text = read_outputs(write("c.npy", np.array(["a", "b"])), write("d.npy", np.array(["abc"])))
    assert text.first.text(1) == "'b'" and text.second.shapes == text.first.shapes


@pytest.mark.parametrize(
    ("first", "second", "match"),
    [
        (("a.json", "[1]"), ("b.csv", "x\n1\n"), "one form"),
        (("a.txt", "1"), ("b.txt", "1"), "one form"),
        (("a.json", "[1]"), ("b.json", "[]"), "no outputs"),
        (("a.json", "[1]"), ("b.json", '{"a": 1}'), "a JSON list"),
        (("a.json", "[1]"), ("b.json", "[1"), "is not JSON"),
        (("a.json", "[1]"), ("b.json", "[" * 100_000), "is not JSON"),
        (("a.jsonl", "1\n"), ("b.jsonl", "1\n\n2\n"), "is not JSON"),
        (("a.jsonl", "1\n"), ("b.jsonl", ""), "is not JSON"),
        (("a.csv", "x\n1\n"), ("b.csv", "y\n1\n"), "one kind"),
        (("a.csv", "x\n1\n"), ("b.csv", "x\n"), "no outputs"),
        (("a.csv", "x\n1\n"), ("b.csv", ""), "empty"),
        (("a.csv", "1\n2\n"), ("b.csv", "1\n3\n"), "must name the columns"),
        (("a.npy", np.zeros(2)), ("b.npy", np.zeros(2, np.int64)), "one kind"),
        (("a.npy", np.zeros((2, 3))), ("b.npy", np.zeros((2, 2))), "one kind"),
        (("a.npy", np.zeros(2)), ("b.npy", np.zeros(0)), "no outputs"),
        (("a.npy", np.zeros(2)), ("b.npy", np.array(1.0)), "an array"),
        (("a.npy", np.zeros(2)), ("b.npy", np.array([1j])), "an array"),
        (("a.npy", np.zeros(2)), ("b.npy", np.array([{}], np.object_)), "cannot be read"),
        (("a.npy", np.zeros(2)), ("b.npy", "text"), "cannot be read"),
    ],
)
def test_files_that_say_something_else_are_refused(
    write: Write, first: tuple[str, Any], second: tuple[str, Any], match: str
) -> None:
    paths = [write(*first), write(*second)]
    for order in (paths, paths[::-1]):
        with pytest.raises(InputError, match=match):
            read_outputs(*order)


def test_files_that_cannot_be_read_are_refused(write: Write, tmp_path: Path) -> None:
    there = write("a.json", "[1]")
    (tmp_path / "b.json").write_bytes(b"\xff")
    for path in (tmp_path / "absent.json", tmp_path / "b.json"):
        with pytest.raises(InputError, match="cannot be read"):
            read_outputs(there, str(path))


def test_the_pair_names_files_by_their_digests(write: Write) -> None:
    found = read_outputs(write("a.json", "[1]"), write("b.json", "[2]"))
    # printf '[1]' | sha256sum
    assert found.pair.first == {
        "outputs": "sha256:080a9ed428559ef602668b4c00f114f1a11c3f6b02a435f0bdc154578e4d7f22"
    }
    assert found.pair.second != found.pair.first and not found.pair.verified
    assert found.name == "outputs:a.json,b.json"


# Runs


def test_every_run_is_the_next_output_of_the_file_that_its_coin_names() -> None:
    given = GivenRuns(box(300, 300), Seeds(1))
    pair = given.box.pair
    parts = [
        given.runs("search", pair, 0, 7),
        Runs.join(given.blocks("learn", pair, 3, 205)),
        given.runs("learn", pair, 3, 0),
        given.runs("certify", pair, 0, given.box.runs - 212),
    ]
    assert [len(part) for part in parts] == [7, 205, 0, given.box.runs - 212]
    found, coins = np.concatenate([values(p) for p in parts if len(p)]), Runs.join(parts).coins
    for side, offset in ((False, 0), (True, 1000)):
        assert np.array_equal(found[coins == side] - offset, np.arange(sum(coins == side)))


def test_calls_reserve_their_runs_in_the_order_in_which_they_are_made() -> None:
    first = GivenRuns(box(300, 300), Seeds(1))
    later, next_ = first.blocks("learn", first.box.pair, 0, 50), first.runs("x", Pair(0, 1), 0, 20)
    second = GivenRuns(box(300, 300), Seeds(1))
    whole = values(second.runs("learn", second.box.pair, 0, 70))
    assert np.array_equal(values(next_), whole[50:])
    assert np.array_equal(values(Runs.join(later)), whole[:50])


@pytest.mark.parametrize("runs", [1, 2, 99, 100, 101, 250])
def test_blocks_are_many_and_hold_all_runs(runs: int) -> None:
    sizes = [len(b) for b in GivenRuns(box(300, 300), Seeds(1)).blocks("x", Pair(0, 1), 0, runs)]
    assert sum(sizes) == runs and min(sizes) >= 1
    assert min(runs, 50) <= len(sizes) <= 100


def test_other_seeds_give_other_coins_and_the_same_seeds_the_same() -> None:
    drawn = [GivenRuns(box(300, 300), Seeds(seed)).whole.coins for seed in (1, 1, 2)]
    assert np.array_equal(drawn[0], drawn[1])
    assert not np.array_equal(drawn[0], drawn[2])


def test_more_runs_than_the_files_serve_are_refused() -> None:
    given = GivenRuns(box(300, 300), Seeds(1))
    given.runs("learn", given.box.pair, 0, given.box.runs - 5)
    with pytest.raises(InputError, match="5 are left where 6"):
        given.runs("certify", given.box.pair, 0, 6)
    assert len(given.runs("certify", given.box.pair, 0, 5)) == 5


@pytest.mark.parametrize(
    ("first", "second"), [(1, 1), (5, 80), (60, 60), (1000, 1000), (10, 10**5)]
)
def test_fair_coins_hardly_ever_ask_for_more_than_a_file_has(first: int, second: int) -> None:
    def missed(runs: int) -> float:
        # The coins' law, summed term by term.
        law = binom.pmf(np.arange(runs + 1), runs, 0.5)
        heads = np.arange(runs + 1)
        return float(law[heads > second].sum() + law[runs - heads > first].sum())

    runs = box(first, second).runs
    assert runs >= min(first, second)
    assert missed(runs) <= 1e-12 < missed(runs + 1)


def test_coins_that_ask_for_more_than_a_file_has_fall_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outputs, "RAN_OUT", 0.7)
    subject = box(8, 8)
    assert subject.runs == 15
    heads = [int(GivenRuns(subject, Seeds(seed)).whole.coins.sum()) for seed in range(200)]
    assert set(heads) == {7, 8}


def test_coins_are_fair_and_independent_of_one_another() -> None:
    # 40 coins of 4000 seeds. By Hoeffding a mean, or a mean product of signs, of 4000 errs by more
    # than 0.1 with chance at most 2 exp(-2 * 4000 * 0.05^2) = 4e-9 for a coin, 4e-9 for a pair.
    subject = box(60, 60)
    coins = np.array([GivenRuns(subject, Seeds(seed)).whole.coins[:40] for seed in range(4000)])
    signs = np.where(coins, 1.0, -1.0)
    assert abs(signs.mean(axis=0)).max() < 0.1
    products = signs.T @ signs / len(signs)
    assert abs(products[~np.eye(40, dtype=bool)]).max() < 0.1
