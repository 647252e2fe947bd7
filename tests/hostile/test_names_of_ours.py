"""A submission may have modules with the names of our packages: it gets its own, and we keep ours.

Each child process has the submission's folder before ours on its path, and has imported ours when
the submission begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from audit.subjects.isolated import IsolatedBox
from audit.subjects.own_sources import OURS
from audit.subjects.pair import Pair
from audit.subjects.programs import ProgramBox
from audit.subjects.synthesizer import program_subject
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.neighbours import ReplaceOne

TWO = Domain.from_cells("2")
COINS = np.array([False, True, False, True])
OWN = """
NAME = __name__
VALUE = {value}
def __getattr__(name):
    raise AttributeError(f"the submission's own {{__name__}} has no {{name}}")
"""
TABLE = """
import pandas as pd
class Estimator:
    def fit(self, table):
        self.rows = len(table)
    def sample(self, rows):
        return pd.DataFrame({"value": [TOTAL] * rows})
"""
ALL = (
    "".join(f"import {name}\n" for name in OURS)
    + f"""
TOTAL = {" + ".join(f"{name}.VALUE" for name in OURS)}
def program(curator):
    return TOTAL
def function(database, rng):
    return TOTAL + len(database)
def batch(database, rng, runs):
    import audit
    return [audit.VALUE] * runs
"""
)
SOME = """
import audit, proofs
from fractions import Fraction
from synthesizers.budget import PureBudget
from synthesizers.events import Measure
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import Marginal
class Program:
    def __call__(self, curator):
        import audit
        scale = Fraction(audit.VALUE + proofs.VALUE)
        return curator.ask(Measure(Marginal(("cell",)), DiscreteLaplace(scale), 0, 9))
    def budget(self, setting):
        return PureBudget(Fraction(2, 3))
"""


def submission(folder: Path, own: tuple[str, ...], source: str) -> None:
    for value, name in enumerate(own, start=1):
        (folder / f"{name}.py").write_text(OWN.format(value=value))
    (folder / "mine.py").write_text(source)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the submission lies, and who audits it stands."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path


def test_a_program_gets_its_own(folder: Path) -> None:
    submission(folder, OURS, ALL)
    subject = program_subject("mine:program", {})
    box = ProgramBox(subject, Setting(TWO, ReplaceOne(), 1, 1), "output")
    drawn = box.draw(Pair([{"cell": "0"}], [{"cell": "1"}]), COINS, 1)
    subject.end()
    assert [values.tolist() for values in drawn.blocks] == [[[10.0]] * 4]


def test_a_program_asks_with_our_queries_beside_an_audit_of_its_own(folder: Path) -> None:
    submission(folder, ("audit", "proofs"), SOME)
    subject = program_subject("mine:Program", {})
    setting = Setting(TWO, ReplaceOne(), 1, 1)
    try:
        assert subject.budget(setting).to_json()["epsilon"] == str(Fraction(2, 3))
        box = ProgramBox(subject, setting, "output")
        drawn = box.draw(Pair([{"cell": "0"}], [{"cell": "1"}]), COINS, 1)
    finally:
        subject.end()
    assert len(drawn) == 4 and drawn.shapes[0].kind == "numbers"


def test_a_program_may_be_called_audit(folder: Path) -> None:
    submission(folder, (), "")
    (folder / "audit.py").write_text("def program(curator):\n    return 7\n")
    subject = program_subject("audit:program", {})
    box = ProgramBox(subject, Setting(TWO, ReplaceOne(), 1, 1), "output")
    drawn = box.draw(Pair([{"cell": "0"}], [{"cell": "1"}]), COINS, 1)
    subject.end()
    assert [values.tolist() for values in drawn.blocks] == [[[7.0]] * 4]


@pytest.mark.parametrize(
    ("form", "name", "values"),
    [
        ("function", "function", [11.0, 12.0, 11.0, 12.0]),
        ("batch", "batch", [1.0] * 4),
        ("estimator", "Estimator", None),
    ],
)
def test_what_can_only_be_run_gets_its_own(
    folder: Path, form: str, name: str, values: list[float] | None
) -> None:
    submission(folder, OURS, ALL + TABLE)
    box = IsolatedBox(
        "mine", f"mine:{name}", form, {}, str(folder), 60, None, rows=2, columns=("value",)
    )
    pair = Pair([{"value": 1}], [{"value": 1}, {"value": 2}])
    drawn = box.draw(pair, COINS, 1)
    if values is not None:
        assert [block.ravel().tolist() for block in drawn.blocks] == [values]
    else:
        # Tables whose only value is that of the submission's own modules.
        assert len(drawn) == 4 and "10" in str(drawn.blocks[0][0])
