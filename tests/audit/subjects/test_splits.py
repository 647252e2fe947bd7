"""Splits: halves that follow from a seed, and what is found where they do not."""

import json
from pathlib import Path

import pytest

from audit.subjects.coins import draw_coins
from audit.subjects.splits import read_release, read_split, write_split
from synthesizers.errors import InputError

SEED = "00ff"


def make_table(folder: Path, rows: int = 40) -> Path:
    path = folder / "table.csv"
    lines = [f'{k},"a, ""quoted"" {k % 3}"' for k in range(rows)]
    path.write_text("number,word\n" + "\n".join(lines) + "\n")
    return path


def test_a_split_is_read_as_it_was_written(tmp_path: Path) -> None:
    digest = write_split(make_table(tmp_path), tmp_path / "s", SEED)
    split = read_split(tmp_path / "s" / "split.json")
    assert split.sha256 == digest
    assert split.names == ("number", "word")
    assert [record[0] for record in split.records] == [str(k) for k in range(40)]
    assert (split.chosen == draw_coins(SEED, 0, 40)).all()
    assert split.records[4][1] == 'a, "quoted" 1'
    training = (tmp_path / "s" / "training.csv").read_text().splitlines()
    assert len(training) == 1 + split.chosen.sum()


def test_seeds_are_fresh(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    assert write_split(table, tmp_path / "a") != write_split(table, tmp_path / "b")


def test_files_that_are_there_stay(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    write_split(table, tmp_path / "s", SEED)
    with pytest.raises(InputError, match="already"):
        write_split(table, tmp_path / "s", SEED)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b\n1,2\n", "has 1 records"),
        ("a,a\n" + "1,2\n" * 30, "each once"),
        ("a,b\n" + "1,2\n" * 30 + "secret\n", "line 32"),
        ("", "line that names"),
    ],
)
def test_tables_that_cannot_be_split(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match=said) as raised:
        write_split(tmp_path / "t.csv", tmp_path / "s", SEED)
    assert "secret" not in str(raised.value)


def test_changed_halves_and_records_are_refused(tmp_path: Path) -> None:
    write_split(make_table(tmp_path), tmp_path / "s", SEED)
    record = tmp_path / "s" / "split.json"
    stated = json.loads(record.read_text())
    half = tmp_path / "s" / "holdout.csv"
    kept = half.read_text()
    half.write_text(kept.replace("number", "Number"))
    with pytest.raises(InputError, match="its digest differs"):
        read_split(record)
    half.write_text(kept)
    fewer = {"training": {**stated["training"], "records": 1}}
    for changed in ({"seed": "00fe"}, {"records": 39}, fewer):
        record.write_text(json.dumps({**stated, **changed}))
        with pytest.raises(InputError, match="not those that its coins chose"):
            read_split(record)
    outside = {**stated, "training": {**stated["training"], "file": "../table.csv"}}
    for wrong in ({}, {**stated, "more": 1}, {**stated, "seed": "x y"}, outside):
        record.write_text(json.dumps(wrong))
        with pytest.raises(InputError, match="no split record"):
            read_split(record)
    half.unlink()
    record.write_text(json.dumps(stated))
    with pytest.raises(InputError, match="absent"):
        read_split(record)


def test_a_release_has_the_columns_of_the_table(tmp_path: Path) -> None:
    write_split(make_table(tmp_path), tmp_path / "s", SEED)
    split = read_split(tmp_path / "s" / "split.json")
    (tmp_path / "r.csv").write_text("word,number\nx,1\n")
    assert read_release(tmp_path / "r.csv", split) == [("1", "x")]
    (tmp_path / "r.csv").write_text("word\nx\n")
    with pytest.raises(InputError, match="columns of the table"):
        read_release(tmp_path / "r.csv", split)


def test_a_mark_at_the_beginning_is_no_name(tmp_path: Path) -> None:
    table = make_table(tmp_path)
    table.write_text("\ufeff" + table.read_text(), encoding="utf-8")
    write_split(table, tmp_path / "s", SEED)
    assert read_split(tmp_path / "s" / "split.json").names == ("number", "word")
