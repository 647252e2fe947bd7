"""The example of ``init-submission``: it runs, and its claim is true."""

from __future__ import annotations

import importlib.util
from collections import Counter
from fractions import Fraction
from math import exp
from pathlib import Path
from types import ModuleType

import pytest

from audit.review.starter import FILES, write_starter
from synthesizers.errors import InputError
from tests.audit.review.made_submissions import open_one


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_starter(tmp_path / "team")


@pytest.fixture
def synth(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("starter_synth", folder / "synth.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_is_a_submission_whose_lines_are_where_it_says(folder: Path, tmp_path: Path) -> None:
    submission = open_one(folder, tmp_path / "u")
    (query,) = submission.write_up.queries
    assert query.file is not None and query.line is not None
    line = (folder / query.file).read_text().splitlines()[query.line - 1]
    assert "geometric(rate) - geometric(rate)" in line
    assert query.sensitivity == str(submission.claim.max_records)
    text = (folder / "writeup.md").read_text()
    heads = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert heads == ["Main idea", "Pre-processing", "Privatization and proof", "Post-processing"]


def test_nothing_is_overwritten(folder: Path) -> None:
    with pytest.raises(InputError, match="there already"):
        write_starter(folder)
    with pytest.raises(InputError, match="there already"):
        write_starter(folder / "synth.py")
    assert {path.name for path in folder.iterdir()} == set(FILES)
    (folder.parent / "empty").mkdir()
    write_starter(folder.parent / "empty")


def test_a_coin_is_exact(synth: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every way that the coins can fall, down to those of a chance below 1e-9, is followed."""

    class Fallen(Exception):
        pass

    def chance(rate: Fraction) -> float:
        total, paths = 0.0, [((), 1.0)]
        while paths:
            fixed, weight = paths.pop()
            if weight < 1e-9:
                continue
            rest = list(fixed)

            def coin(share: Fraction, rest: list[bool] = rest) -> bool:
                if not rest:
                    raise Fallen(share)
                return rest.pop(0)

            monkeypatch.setattr(synth, "coin", coin)
            try:
                total += weight if synth.exponential_coin(rate) else 0.0
            except Fallen as fallen:
                share = float(fallen.args[0])
                paths.append(((*fixed, True), weight * share))
                paths.append(((*fixed, False), weight * (1 - share)))
        return total

    for rate in (Fraction(1, 30), Fraction(1, 3), Fraction(1), Fraction(10, 3)):
        assert chance(rate) == pytest.approx(exp(-rate), abs=1e-6)


def test_noise_is_geometric(synth: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    fallen = iter([True, True, False])
    monkeypatch.setattr(synth, "exponential_coin", lambda rate: next(fallen))
    assert synth.geometric(Fraction(1)) == 2


def test_a_person_counts_as_often_as_the_claim_allows(synth: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "input.csv"
    rows = ["7,f,20", "8,m,60", "7,f,[0; 30)", "7,f,61", "7,m,1", "9,f,60"]
    path.write_text("who,sex,age\n" + "".join(f"{row}\n" for row in rows))
    attributes = [
        {"name": "sex", "values": ["f", "m"], "edges": None},
        {"name": "age", "values": ["[0; 30)", "[30; 60]"], "edges": ["0", "30", "60"]},
    ]
    domain = {"attributes": attributes, "individual": "who"}
    counts = synth.count_cells(str(path), domain, 3)
    assert counts == Counter(
        {
            ("f", "[0; 30)"): 2,
            ("f", "61"): 1,
            ("m", "[30; 60]"): 1,
            ("f", "[30; 60]"): 1,
        }
    )
