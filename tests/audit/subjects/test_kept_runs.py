"""Kept runs: what is read is what was written, and nothing that is not ours."""

from __future__ import annotations

import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from audit.subjects.black_box import Starting
from audit.subjects.kept_runs import SECRET, KeptBox, RunFolder, keep_runs
from audit.subjects.outcomes import Ended, Outcomes, Raised
from audit.subjects.pair import Pair
from synthesizers.errors import InputError

PAIR = Pair([{"name": "Ottilie Wildermuth"}], [])
COINS = np.array([True, False, True])

OUTPUTS: list[list[Any]] = [
    [1.5, -0.0, float("nan")],
    [1, "text\ud800", None],
    [Raised("KeyError"), Ended("time"), [1, {"a": (2, None)}]],
    [pd.DataFrame({"x": ["a", None], "y": [1, 2]}), pd.DataFrame({"x": []}), np.ones((2, 3))],
    [object(), 10**400, {1, 2}],
]


@dataclass(eq=False)
class Told:
    """A box that gives the outputs it is told to, and counts how often it is asked."""

    outputs: list[Any]
    name: str = "told"
    block: int = 3
    asked: list[tuple[str, int]] = field(default_factory=list)

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        self.asked.append(("draw", seed))
        return Outcomes.of_outputs(self.outputs[: len(coins)])


@dataclass(eq=False)
class Restarting(Told):
    serves: bool = True

    def draw_afresh(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        self.asked.append(("afresh", seed))
        return Outcomes.of_outputs(self.outputs)

    def draw_first(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        self.asked.append(("first", seed))
        return Outcomes.of_outputs(self.outputs)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / "kept")


def files(folder: RunFolder) -> list[Path]:
    return [path for path in folder.path.iterdir() if path.name != SECRET]


@pytest.mark.parametrize("outputs", OUTPUTS, ids=lambda outputs: type(outputs[0]).__name__)
def test_outcomes_of_every_kind_come_back_as_they_were(
    folder: RunFolder, outputs: list[Any]
) -> None:
    box = keep_runs(Told(outputs), folder, "about")
    first, again = (box.draw(PAIR, COINS, 7) for _ in range(2))
    own = Outcomes.of_outputs(outputs)
    for found in (first, again):
        assert found.shapes == own.shapes
        assert found.of.tolist() == own.of.tolist()
        assert found.codes().tolist() == own.codes().tolist()


def test_a_call_is_made_once(folder: RunFolder) -> None:
    told = Told([1.0, 2.0, 3.0])
    for _ in range(3):
        keep_runs(told, RunFolder(folder.path), "about").draw(PAIR, COINS, 7)
    assert told.asked == [("draw", 7)]


@pytest.mark.parametrize(
    ("about", "pair", "coins", "seed"),
    [
        ("other", PAIR, COINS, 7),
        ("about", Pair([{"name": "Ottilie"}], []), COINS, 7),
        ("about", Pair([], [{"name": "Ottilie Wildermuth"}]), COINS, 7),
        ("about", PAIR, ~COINS, 7),
        ("about", PAIR, COINS[:2], 7),
        ("about", PAIR, COINS, 8),
    ],
)
def test_another_code_database_coin_or_seed_is_another_call(
    folder: RunFolder, about: str, pair: Pair, coins: NDArray[np.bool_], seed: int
) -> None:
    told = Told([1.0, 2.0, 3.0])
    keep_runs(told, folder, "about").draw(PAIR, COINS, 7)
    keep_runs(told, folder, about).draw(pair, coins, seed)
    assert len(told.asked) == 2


def test_runs_of_new_processes_are_kept_apart(folder: RunFolder) -> None:
    starting = Restarting([1.0, 2.0, 3.0])
    box: Any = keep_runs(starting, folder, "about")
    assert isinstance(box, Starting) and box.serves
    for _ in range(2):
        for draw in (box.draw, box.draw_afresh, box.draw_first):
            draw(PAIR, COINS, 7)
    assert starting.asked == [("draw", 7), ("afresh", 7), ("first", 7)]
    plain = keep_runs(Told([]), folder, "about")
    assert type(plain) is KeptBox and not isinstance(plain, Starting)


def test_nobody_else_reads_them_and_databases_are_not_there(folder: RunFolder) -> None:
    keep_runs(Told([1.0, 2.0, 3.0]), folder, "Wildermuth").draw(PAIR, COINS, 7)
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    for path in folder.path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert b"Wildermuth" not in path.read_bytes() + path.name.encode()


def test_names_say_nothing_to_who_has_not_the_key(tmp_path: Path) -> None:
    names = {RunFolder(tmp_path / place).name("a database") for place in "ab"}
    assert len(names) == 2


def change_a_byte(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("damage", [change_a_byte, cut, empty, replace_by_folder])
def test_a_damaged_file_is_refused(folder: RunFolder, damage: Any) -> None:
    told = Told([1.0, 2.0, 3.0])
    box = keep_runs(told, folder, "about")
    box.draw(PAIR, COINS, 7)
    damage(files(folder)[0])
    with pytest.raises(InputError, match="is damaged, or was not written"):
        box.draw(PAIR, COINS, 7)
    assert len(told.asked) == 1


def test_a_file_of_another_call_or_folder_is_refused(folder: RunFolder, tmp_path: Path) -> None:
    other = RunFolder(tmp_path / "other")
    folder.write("a", b"mine")
    other.write("b", b"theirs")
    assert folder.read("a") == b"mine"
    assert folder.read("c") is None
    (folder.path / "b").write_bytes((folder.path / "a").read_bytes())
    (folder.path / "c").write_bytes((other.path / "b").read_bytes())
    for name in "bc":
        with pytest.raises(InputError, match="not written by dp-audit in this folder"):
            folder.read(name)


def test_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="no folder of kept runs"):
        RunFolder(tmp_path)
    with pytest.raises(InputError, match="no folder of kept runs"):
        RunFolder(tmp_path / "thesis.tex")
    with pytest.raises(InputError, match="no folder of kept runs"):
        RunFolder(tmp_path / "a" / "b")


def test_a_damaged_key_is_refused(folder: RunFolder) -> None:
    (folder.path / SECRET).write_bytes(b"short")
    with pytest.raises(InputError, match="is damaged"):
        RunFolder(folder.path)


def test_what_fails_is_not_kept(folder: RunFolder) -> None:
    class Stopped(Told):
        def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keep_runs(Stopped([]), folder, "about").draw(PAIR, COINS, 7)
    assert files(folder) == []
