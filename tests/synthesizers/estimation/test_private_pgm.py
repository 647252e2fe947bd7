"""Models fitted by mbi, beside those of the small domain's whole table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synthesizers.curator import Setting
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation import private_pgm
from synthesizers.estimation.fitting import MBI, fit_model
from synthesizers.estimation.models import NoisyMarginal
from synthesizers.neighbours import AddRemove
from synthesizers.programs.aim import Aim
from synthesizers.programs.mst import Mst
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run

SHAPE = {"a": 2, "b": 3, "c": 2}


def test_mbi_is_asked_for_by_the_name_of_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(private_pgm, "import_module", absent)
    private_pgm.require_mbi.cache_clear()
    with pytest.raises(InputError, match=r"pip install 'dp-audit\[pgm\]'"):
        Mst(Fraction(1), Fraction(1, 1000), inference=MBI)


@pytest.mark.slow
def test_mbi_and_the_whole_table_agree() -> None:
    pytest.importorskip("mbi", reason="needs mbi: pip install 'dp-audit[pgm]'")
    random = np.random.default_rng(3)
    table = random.gamma(0.5, size=(2, 3, 2))
    table *= 500 / table.sum()
    measured = [
        NoisyMarginal(("a", "b"), table.sum(axis=2).ravel() + random.normal(size=6), 1.0),
        NoisyMarginal(("b", "c"), table.sum(axis=0).ravel() + random.normal(size=6), 1.0),
    ]
    theirs = private_pgm.fit_mbi(SHAPE, measured, 500.0, 3000)
    ours = fit_model(SHAPE, measured, 500.0, 3000)
    for names in (("a", "b"), ("b", "c"), ("a", "c"), ("a", "b", "c")):
        # They work in single precision, and stop a little before the minimum.
        assert theirs.counts(names) == pytest.approx(ours.counts(names), abs=0.5)


@pytest.mark.slow
@pytest.mark.parametrize("program", [Mst, Aim], ids=["mst", "aim"])
def test_programs_run_on_mbi_while_they_are_watched(program: Any) -> None:
    pytest.importorskip("mbi", reason="needs mbi: pip install 'dp-audit[pgm]'")
    sizes = (20, 15, 10, 4)
    names = ("w", "x", "y", "z")
    values = [tuple(map(str, range(size))) for size in sizes]
    domain = Domain("large", tuple(map(Attribute, names, values)))
    random = np.random.default_rng(4)
    first = random.integers(0, 20, 4000)
    columns = [first, first * 15 // 20, random.integers(0, 10, 4000), first // 5]
    data = Dataset(domain, np.stack(columns, axis=1))
    asked = {"rounds": 6} if program is Aim else {}
    made = program(Fraction(5), Fraction(1, 10**6), inference=MBI, steps=1000, **asked)
    setting = Setting.of(domain, AddRemove(), 4000)
    released = run(made, data, setting, made.budget(setting), InsecureSeededEntropy(5)).output
    pairs = [
        np.histogram2d(table.codes[:, 0], table.codes[:, 1], bins=(range(21), range(16)))[0]
        for table in (data, released)
    ]
    assert np.abs(pairs[0] - pairs[1]).sum() / 8000 < 0.2
