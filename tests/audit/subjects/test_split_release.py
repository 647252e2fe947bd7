"""Scores of records by a release: no coin is looked at, and copies stand out."""

from pathlib import Path

import numpy as np
import pytest

from audit.subjects.split_release import split_release
from audit.subjects.splits import write_split
from synthesizers.errors import InputError

NAMES = "age,city\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(2)
    rows = [f"{rng.integers(18, 90)}.{k:03},{rng.choice(list('ABC'))}\n" for k in range(200)]
    Path("table.csv").write_text(NAMES + "".join(rows))
    write_split("table.csv", "s", "5")
    return tmp_path


def test_released_records_score_most(folder: Path) -> None:
    lines = Path("s/training.csv").read_text()
    Path("r.csv").write_text(lines)
    subject = split_release("outputs:r.csv", "s/split.json")
    scores, chosen = subject.scores(), subject.split.chosen
    assert scores[chosen].min() > np.quantile(scores[~chosen], 0.9)


def test_scores_look_at_no_coin(folder: Path) -> None:
    Path("r.csv").write_text(NAMES + "30.5,A\n60,B\n")
    before = split_release("outputs:r.csv", "s/split.json").scores()
    write_split("table.csv", "other", "6")
    after = split_release("outputs:r.csv", "other/split.json").scores()
    assert (before == after).all()


def test_of_records_that_occur_often_the_share_released_counts(folder: Path) -> None:
    Path("t.csv").write_text("c\n" + "".join("ab"[k % 2] + "\n" for k in range(40)))
    write_split("t.csv", "t", "5")
    Path("r.csv").write_text("c\n" + "a\n" * 9 + "b\n" * 3)
    scores = split_release("outputs:r.csv", "t/split.json").scores()
    assert set(scores[::2]) == {1.0} and set(scores[1::2]) == {0.0}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("outputs:a.csv,b.csv", "one released table"),
        ("outputs:r.npy", "one released table"),
        ("module:function", "one released table"),
        ("outputs:absent.csv", "no file"),
        ("outputs:empty.csv", "has no rows"),
    ],
)
def test_what_is_no_release_is_refused(folder: Path, name: str, said: str) -> None:
    Path("empty.csv").write_text(NAMES)
    with pytest.raises(InputError, match=said):
        split_release(name, "s/split.json")
