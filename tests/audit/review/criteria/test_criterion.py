"""Files of criteria: what they may say, and one clear error for everything else."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from audit.review.criteria.criterion import Criterion, read_criteria
from synthesizers.errors import InputError

HEAD = 'name = "board"\n[[criterion]]\nname = "a"\nfigure = "verdict"\n'


def write(folder: Path, text: str) -> Path:
    path = folder / "c.toml"
    path.write_text(text)
    return path


def test_numbers_are_exact_and_texts_are_lists(tmp_path: Path) -> None:
    text = f'{HEAD}at_least = 0.1\nat_most = "1/3"\n[[criterion]]\nname = "b"\nfigure = "f"\n'
    found = read_criteria(write(tmp_path, f'{text}in = ["PROVED", true]\nof = "x.csv"\n'))
    assert found.name == "board"
    assert found.criteria == (
        Criterion("a", "verdict", None, Fraction(1, 10), Fraction(1, 3)),
        Criterion("b", "f", ("PROVED", "true"), of="x.csv"),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not TOML"),
        ('name = "a"', "no list of criteria"),
        ("criterion = 3", "no list of criteria"),
        ("criterion = [3]", "is no table"),
        (HEAD, "needs either in, or at_least or at_most; it has neither"),
        (f'{HEAD}in = ["a"]\nat_most = 1', "it has in and at_most"),
        (f"{HEAD}in = []", "is a list of texts"),
        (f"{HEAD}in = [1]", "must be a text"),
        (f"{HEAD}at_least = 2\nat_most = 1", "no number is both"),
        (f'{HEAD}at_least = "many"', "must be a finite number"),
        (f"{HEAD}at_least = nan", "must be a finite number"),
        (f"{HEAD}at_leest = 1", "did you mean 'at_least'?"),
        (f"{HEAD}in = ['a']\n[[criterion]]\nname='a'\nfigure='f'\nin=['a']", "each its own name"),
        ("[[criterion]]\nfigure = 'f'\nin = ['a']", "name must be a text"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("?", r"\?")):
        read_criteria(write(tmp_path, text))
