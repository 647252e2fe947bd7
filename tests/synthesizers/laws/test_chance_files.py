"""Files of chances: what is read, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from synthesizers.errors import InputError
from synthesizers.laws import chance_files
from synthesizers.laws.chance_files import chance, read_lines, require_whole


def test_lines_keep_their_numbers_and_lose_their_blanks(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes('\ufeff1, 2\r\n\r\n ,\n"3",4 \n'.encode())
    assert read_lines(str(path)) == [(1, ["1", "2"]), (4, ["3", "4"])]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "is empty"), (b"\n,\n", "is empty"), (b"\xff\xfe1", "UTF-8"), (b'"1', "well-formed")],
)
def test_files_that_hold_no_lines(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=words):
        read_lines(str(path))


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"none\.csv cannot be read"):
        read_lines(str(tmp_path / "none.csv"))
    with pytest.raises(InputError, match="cannot be read"):
        read_lines(str(tmp_path))
    path = tmp_path / "long.csv"
    path.write_text("1,2\n" * 3)
    monkeypatch.setattr(chance_files, "MAX_CHARACTERS", 11)
    with pytest.raises(InputError, match="longer than 11"):
        read_lines(str(path))


def test_chances_are_exact() -> None:
    texts = {"0": 0, "1": 1, "0.1": Fraction(1, 10), "2/6": Fraction(1, 3), "5e-1": Fraction(1, 2)}
    assert {text: chance(text, "here") for text in texts} == texts


@pytest.mark.parametrize("text", ["", "-0.1", "1.01", "4/3", "nan", "inf", "1/0", "50%", "one"])
def test_texts_that_are_no_chances(text: str) -> None:
    with pytest.raises(InputError, match="there: expected a chance from 0 to 1"):
        chance(text, "there")


def test_chances_sum_to_exactly_one() -> None:
    require_whole([Fraction(1, 3)] * 3, "here")
    for wrong in ([], [Fraction(999999999, 10**9)], [Fraction(1), Fraction(1, 10**30)]):
        with pytest.raises(InputError, match=r"there: the chances sum to .* exactly 1"):
            require_whole(wrong, "there")
