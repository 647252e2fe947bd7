"""Programs by name: built-in ones, and those of a stranger's module."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from audit.subjects.digests import module_source
from audit.subjects.synthesizer import program_subject
from synthesizers.budget import PureBudget, UnlimitedBudget
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs import PROGRAMS
from tests.audit import third_party as theirs

SETTING = Setting.of(Domain.from_cells("2"), ReplaceOne(), 3)

NEEDED = {
    "adagrid": {"epsilon": "2", "delta": "1/100"},
    "aim": {"epsilon": "2", "delta": "1/100"},
    "dpsyn": {"epsilon": "2", "delta": "1/100"},
    "dpsyn-2020": {"epsilon": "2", "delta": "1/100"},
    "fourier": {"epsilon": "2"},
    "mst": {"epsilon": "2", "delta": "1/100"},
    "mwem-pgm": {"epsilon": "2", "delta": "1/100"},
    "nist-mst": {"epsilon": "2", "delta": "1/100"},
    "privbasis": {"epsilon": "2"},
    "privbayes": {"epsilon": "2"},
    "privbayes-gauss": {"epsilon": "2", "delta": "1/100"},
    "priview": {"epsilon": "2"},
    "privmrf": {"epsilon": "2", "delta": "1/100"},
    "privsyn": {"epsilon": "8", "delta": "1/100"},
    "two-way-marginals": {"epsilon": "2", "delta": "1/100"},
    "dp-wgan": {"epsilon": "1", "delta": "1/100"},
    "gem": {"epsilon": "1", "delta": "1/100"},
    "mwem": {"epsilon": "1"},
    "archetypes": {"epsilon": "1", "noise": "laplace"},
    "histograms": {"epsilon": "1"},
    "pfr-style": {"epsilon": "1"},
    "dp-field-groups": {"epsilon": "1"},
    "independent-marginals": {"epsilon": "1", "noise": "laplace"},
    "geometric-sanitizer": {"epsilon": "1"},
    "laplace-sanitizer": {"epsilon": "1"},
    "subsample": {"fraction": "1/2"},
    "pram": {"retain": "3/4"},
    "swap": {"share": "1/2"},
    "suppress": {"threshold": "3"},
    "random-round": {"base": "3"},
    "k-anonymity": {"k": "2"},
    "coarsen": {"level": "1"},
    "cell-key": {"deviation": "2", "variance": "1"},
}
"""Parameters that a program cannot do without."""

SOURCE = """
from dataclasses import dataclass
from fractions import Fraction

def honest(curator):
    return 0

def two(curator, other):
    return 0

def optional(curator, other=3):
    return 0

@dataclass
class Made:
    epsilon: Fraction
    word: str = "none"

    def __call__(self, curator):
        return 0

    def budget(self, setting):
        from synthesizers.budget import PureBudget
        return PureBudget(self.epsilon)

class Silent:
    def __init__(self, **given):
        open("ran", "w").close()

class Outer:
    inner = staticmethod(honest)

number = 5
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "adapter_under_test.py"
    path.write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [p for p in sys.path if p != ""])
    yield path
    sys.modules.pop("adapter_under_test", None)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_built_in_is_ours(name: str) -> None:
    values = NEEDED.get(name, {})
    subject = program_subject(name, values)
    assert subject.built_in
    assert subject.to_json() == {"kind": "program", "name": name, "parameters": values}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("geometric-sanitizer", {}),
        ("geometric-sanitizer", {"epsilon": "0"}),
        ("geometric-sanitizer", {"epsilon": "-1"}),
        ("geometric-sanitizer", {"epsilon": "nan"}),
        ("geometric-sanitizer", {"epsilon": "inf"}),
        ("geometric-sanitizer", {"epsilon": "one"}),
        ("geometric-sanitizer", {"epsilon": "1/0"}),
        ("geometric-sanitizer", {"epsilon": "1", "eps": "1"}),
        ("geometric-sanitizer", {"epsilon": "1", "rescale": "maybe"}),
        ("geometric-sanitizer", {"epsilon": "1", "calibrated-for": "both"}),
        ("laplace-sanitizer", {"epsilon": ""}),
        ("multinomial-dirichlet", {"alpha": "0"}),
        ("multinomial-dirichlet", {"alpha": "1,-1"}),
        ("multinomial-dirichlet", {"posterior": "median"}),
        ("subsample", {"fraction": "2"}),
        ("subsample", {"fraction": "0"}),
        ("no-such-program", {}),
        ("", {}),
    ],
)
def test_parameters_out_of_range_are_input_errors(name: str, values: dict[str, str]) -> None:
    with pytest.raises(InputError):
        program_subject(name, values)


def test_a_function_of_a_module(module: Path) -> None:
    subject = program_subject("adapter_under_test:honest", {})
    assert not subject.built_in
    source = module_source("adapter_under_test:honest")
    assert source is not None and source.files == (module,)
    assert subject.to_json() == {
        "kind": "module",
        "name": "adapter_under_test:honest",
        "parameters": {},
        **source.identity(),
    }
    assert isinstance(subject.budget(SETTING), UnlimitedBudget)


def test_attributes_may_be_nested_and_have_defaults(module: Path) -> None:
    program_subject("adapter_under_test:Outer.inner", {})
    program_subject("adapter_under_test:optional", {})


def test_a_class_is_made_with_exact_numbers(module: Path) -> None:
    subject = program_subject("adapter_under_test:Made", {"epsilon": "0.1", "word": "soft"})
    assert subject.budget(SETTING) == PureBudget(Fraction(1, 10))
    assert subject.identity["parameters"] == {"epsilon": "0.1", "word": "soft"}


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("no_such_module_of_anyone:f", "could not be imported"),
        ("adapter_under_test:nothing", "no attribute"),
        ("adapter_under_test:", "no attribute"),
        ("adapter_under_test:honest..x", "no attribute"),
        (":honest", "could not be imported"),
        ("adapter_under_test:number", "not callable"),
        ("adapter_under_test:two", "not a program"),
        ("adapter_under_test:Made", "could not be made"),
        ("adapter_under_test:Silent", "without __call__"),
        ("honest", "no subject"),
    ],
)
def test_what_is_no_program_is_an_input_error(module: Path, name: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        program_subject(name, {})


def test_a_function_takes_no_parameters(module: Path) -> None:
    with pytest.raises(InputError, match="no parameters"):
        program_subject("adapter_under_test:honest", {"epsilon": "1"})


def test_a_class_that_is_no_program_is_never_made(module: Path, tmp_path: Path) -> None:
    """The name and the parameters may come out of someone else's certificate."""
    with pytest.raises(InputError):
        program_subject("adapter_under_test:Silent", {"word": "x"})
    assert not (tmp_path / "ran").exists() and "adapter_under_test" not in sys.modules
    target = tmp_path / "made"
    with pytest.raises(InputError):
        program_subject("subprocess:Popen", {"args": f"touch {target}", "shell": "1"})
    assert not target.exists()


def test_a_module_that_raises_on_import_is_an_input_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "raises_on_import.py").write_text("raise ValueError('now')")
    (tmp_path / "bad_syntax_here.py").write_text("def :")
    monkeypatch.chdir(tmp_path)
    for name in ("raises_on_import:f", "bad_syntax_here:f"):
        with pytest.raises(InputError, match="could not be imported"):
            program_subject(name, {})


def test_a_budget_is_one_of_ours() -> None:
    from audit.subjects.subject import ProgramSubject

    for program in (theirs.LyingBudget(), theirs.BrokenBudget()):
        with pytest.raises(ProtocolError, match="budget"):
            ProgramSubject("m:a", program, False).budget(SETTING)
