"""Draws files."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.utility.draws import draws_text, read_draws
from audit.utility.score import Score
from synthesizers.errors import InputError


def score(metric: str, drawn: tuple[object, ...]) -> Score:
    return Score(metric, 0.5, 0.0, 1.0, "lower", drawn=drawn)


def test_a_draws_file_reads_back_what_was_drawn(tmp_path: Path) -> None:
    drawn = (["A", "Ünicode"], ["B", "C"])
    scores = [score("k-marginal", drawn), score("hoc", ({"row": 3, "slacks": [5, 6]},))]
    file = tmp_path / "draws.json"
    file.write_text(draws_text([*scores, score("total-variation", ())]), encoding="utf-8")
    assert read_draws(file) == {
        "k-marginal": [["A", "Ünicode"], ["B", "C"]],
        "hoc": [{"row": 3, "slacks": [5, 6]}],
    }


def test_scores_without_draws_make_an_empty_draws_file(tmp_path: Path) -> None:
    file = tmp_path / "draws.json"
    file.write_text(draws_text([score("total-variation", ())]))
    assert read_draws(file) == {}


@pytest.mark.parametrize("text", ["[]", "{", '{"k-marginal": 3}', '{"k-marginal": []}', "\udcff"])
def test_another_file_is_refused_with_its_name(tmp_path: Path, text: str) -> None:
    file = tmp_path / "draws.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=r"draws\.json"):
        read_draws(file)


def test_an_absent_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_draws(tmp_path / "absent.json")
