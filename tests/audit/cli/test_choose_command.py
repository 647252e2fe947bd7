"""``dp-audit choose``: what it prints and writes, what criteria make of it, and its errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.audit.calls import Command

BOARD = '[[criterion]]\nname = "near"\nfigure = "distance"\nat_most = "{}"\n'
ASKED = "choose near.csv far.csv --data real.csv --domain towns.toml"


def test_a_choice_is_printed_written_and_decided_by(dp_audit: Command, towns: Path) -> None:
    words = f"{ASKED} --epsilon 1000 --json c.json --ledger l.json --html c.html"
    shown = dp_audit(words)
    assert (shown.code, shown.err) == (0, "") and shown.out.startswith("near.csv of 2 candidates")
    assert "whoever publishes several adds up" in " ".join(shown.out.split())
    choice = json.loads((towns / "c.json").read_text())
    assert choice["chosen"] == "near.csv" and choice["epsilon"] == "1000"
    assert json.loads((towns / "l.json").read_text()) == choice["ledger"]
    assert "<html" in (towns / "c.html").read_text()
    for limit, code in (("1", 0), ("1/100000000", 1)):
        (towns / "board.toml").write_text(BOARD.format(limit))
        decided = dp_audit("criteria board.toml c.json")
        assert decided.code == code and "with a chance of 1/20" in " ".join(decided.out.split())
        assert "none of them is private" not in " ".join(decided.out.split())
    explained = dp_audit("explain c.json")
    assert explained.code == 0 and "1000-DP" in explained.out


def test_a_noisy_distance_leaves_a_criterion_undecided(dp_audit: Command, towns: Path) -> None:
    assert dp_audit(f"{ASKED} --epsilon 1/1000 --json c.json --quiet").code == 0
    (towns / "board.toml").write_text(BOARD.format("1/2"))
    assert dp_audit("criteria board.toml c.json").code == 3


def test_a_distance_that_is_not_told_is_undefined(dp_audit: Command, towns: Path) -> None:
    assert dp_audit(f"{ASKED} --epsilon 1 --telling 0 --json c.json --quiet").code == 0
    assert json.loads((towns / "c.json").read_text())["distance"] is None
    (towns / "board.toml").write_text(BOARD.format("1"))
    decided = dp_audit("criteria board.toml c.json")
    assert decided.code == 3 and "it was not told" in " ".join(decided.out.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"{ASKED} --epsilon 0", "epsilon"),
        (f"{ASKED} --epsilon x", "--epsilon"),
        (f"{ASKED} --epsilon 1 --telling 1", "both excluded"),
        (f"{ASKED} --epsilon 1 --error 1", "--error"),
        (f"{ASKED} --epsilon 1 --degree 4", "--degree"),
        (f"{ASKED} --epsilon 1 --column zebra", "--column"),
        (f"{ASKED} --epsilon 1 --neighbours add-remove", "--rows M"),
        (f"{ASKED} --epsilon 1 --rows 3", "--rows is for add-remove"),
        (f"{ASKED} --epsilon 1 --json real.csv", "used twice"),
        ("choose near.csv near.csv --data real.csv --domain towns.toml --epsilon 1", "named twice"),
        (f"{ASKED} --epsilon 1 --degree 0", "from 1 to 3"),
        ("choose near.csv ./real.csv --data real.csv --domain towns.toml --epsilon 1", "itself"),
        ("choose link.csv --data real.csv --domain towns.toml --epsilon 1", "itself"),
        ("choose none.csv --data real.csv --domain towns.toml --epsilon 1", "none.csv: the table"),
        ("choose board.toml --data real.csv --domain towns.toml --epsilon 1", "board.toml"),
        ("choose near.csv --data absent.csv --domain towns.toml --epsilon 1", "absent.csv"),
        ("choose near.csv --data real.csv --domain towns.toml --epsilon 1 --telling 0", "nothing"),
    ],
)
def test_bad_input_is_one_error(dp_audit: Command, towns: Path, words: str, said: str) -> None:
    (towns / "link.csv").symlink_to("real.csv")
    (towns / "none.csv").write_text((towns / "near.csv").read_text().splitlines()[0] + "\n")
    shown = dp_audit(words)
    assert (shown.code, shown.out) == (2, "")
    assert said in shown.err and len(shown.err.strip().splitlines()) <= 3
