"""The functions for Python: what they take, what they return, and that examples say what is so."""

from __future__ import annotations

import doctest
import json
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dp_audit as dpa
from audit.review.starter import write_starter
from dp_audit import results
from synthesizers.curator import Curator
from synthesizers.domain import Dataset
from synthesizers.errors import InputError
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import whole_table

FUNCTIONS = [name for name in dpa.__all__ if name.islower()]
MODULES = sorted({getattr(dpa, name).__module__ for name in FUNCTIONS} | {"dp_audit"})
SMALL: dict[str, Any] = {"neighbours": "replace-one", "cells": 2, "records": 2}


def noisy(curator: Curator) -> Any:
    """Every cell with Laplace noise of scale 2: epsilon = 1 under replace-one."""
    return curator.measure(whole_table(curator.domain), DiscreteLaplace(Fraction(2)), low=0, high=2)


def heads(database: Any, rng: np.random.Generator, runs: int) -> Any:
    """A fair coin, whatever the database."""
    return rng.integers(2, size=runs)


@pytest.mark.parametrize("name", MODULES)
def test_every_example_says_what_is_so(name: str) -> None:
    outcome = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert outcome.failed == 0 and outcome.attempted > 0


def test_every_function_has_an_example() -> None:
    for name in FUNCTIONS:
        assert f"dpa.{name}(" in (getattr(dpa, name).__doc__ or ""), name


def test_the_names_are_those_of_the_contract() -> None:
    assert dpa.__all__ == sorted(dpa.__all__) == dir(dpa)
    assert {"certify", "channel", "account", "calibrate", "release", "utility"} <= set(dpa.__all__)
    with pytest.raises(AttributeError, match="no attribute 'prove'"):
        dpa.prove  # noqa: B018


def table() -> pd.DataFrame:
    return pd.DataFrame({"cell": [0, 1, 1, 1]})


def drawn_count(records: list[dict[str, str]], rng: np.random.Generator) -> float:
    return len(records) + float(rng.laplace(scale=1.0))


class Total:
    """A sum that a map says to be a stable transformation of."""

    input_domain = "VectorDomain(AtomDomain(bounds=[0, 10], T=i32))"
    input_metric, output_metric = "SymmetricDistance()", "AbsoluteDistance(i32)"

    def map(self, distance: int) -> int:
        return 10 * distance

    def __call__(self, values: list[int]) -> int:
        return sum(values)


def each(place: Path) -> list[results.Result]:
    """A result of every function."""
    folder = write_starter(place / "team-7")
    domain = dpa.Domain.from_cells("2")
    certificate = dpa.certify(noisy, "epsilon=1", **SMALL)
    released = dpa.release("geometric-sanitizer", table(), domain, epsilon=0.5)
    named = dpa.certify("subsample", "epsilon=1, delta=1/2", parameters={"fraction": 0.5}, **SMALL)
    return [
        certificate,
        dpa.channel(noisy, **SMALL),
        dpa.account("10 * laplace(epsilon=0.1)", delta=0, neighbours="add-remove"),
        dpa.calibrate("gaussian", "rho=0.5", neighbours="add-remove"),
        released,
        dpa.utility(table(), released, domain, metrics=["total-variation"]),
        dpa.disclosure(table(), released, domain, holdout=table()),
        dpa.verify(named),
        dpa.compare(named, named),
        dpa.criteria([{"name": "proved", "figure": "verdict", "in": ["PROVED"]}], named),
        dpa.attest(named),
        dpa.choose({"one": table()}, table(), domain, epsilon=1),
        dpa.sensitivity(len, "l1=1", neighbours="add-remove", cells=2, records=2),
        dpa.components(drawn_count, "epsilon=1", neighbours="add-remove", cells=2, records=2),
        dpa.stability(Total()),
        dpa.domain(["age:number", "smoker:boolean"]),
        dpa.try_submission(folder, epsilon=1),
        dpa.review(folder, out=place / "review", plan=True),
        dpa.writeup("geometric-sanitizer", "epsilon=1", parameters={"epsilon": 1}, **SMALL),
    ]


def test_every_result_shows_itself_in_every_way(tmp_path: Path) -> None:
    made = each(tmp_path)
    assert {type(one).__name__ for one in made} == {
        name for name in vars(results) if name.endswith("Result") and name != "Result"
    }
    for one in made:
        line = repr(one)
        assert line.startswith(f"<{type(one).__name__}: ") and "\n" not in line and len(line) < 160
        assert len(str(one).splitlines()) >= 1
        page = one._repr_html_()
        assert page.startswith("<iframe") and page.count("<") == 2, "the page is not escaped"
        assert json.loads(one.json_text()) == json.loads(json.dumps(one.to_json()))
        one.save(tmp_path / "result.json")
        assert json.loads((tmp_path / "result.json").read_text()) == json.loads(one.json_text())
        one.save(tmp_path / "result.html")
        assert "<html" in (tmp_path / "result.html").read_text()
        if hasattr(one, "to_frame"):
            assert len(one.to_frame()) > 0


def test_a_result_of_a_stranger_moves_no_cursor_and_marks_up_nothing() -> None:
    one = dpa.sensitivity(len, "l1=1", neighbours="add-remove", cells=2, records=1)
    hostile = results.SensitivityResult("\x1b[2J<b>", one.declared, one.neighbours, one.findings)
    assert "\x1b" not in repr(hostile) and "<b>" not in hostile._repr_html_()


def test_a_program_of_the_callers_is_trusted_as_such_and_only_as_such() -> None:
    trusted = dpa.certify(noisy, "epsilon=1", **SMALL)
    assert trusted.verdict == "PROVED" or trusted.verdict == "EXACT"
    assert any("caller's own" in text for text in trusted.certificate.assumptions)
    assert dpa.certify(noisy, "epsilon=1", trust_subject=False, **SMALL).verdict == "UNDECIDED"
    assert dpa.certify(noisy, "epsilon=0.9", **SMALL).verdict == "REFUTED"


def test_a_function_is_attacked() -> None:
    asked: dict[str, Any] = {"neighbours": "add-remove", "seed": 1, "pair": (["a"], ["a", "b"])}
    result = dpa.certify(heads, "epsilon=1", runs=1000, **asked)
    assert result.verdict == "NOT REFUTED" and result.exit_code == 0
    assert result.certificate.evidence[-1].replay.runs == 1000
    assert result.power is not None and 1 < result.power <= 2
    assert result.to_json()["evidence"][-1]["power"]["detectable"] == result.power
    assert "would have been refuted with a chance of 90" in result.html()
    few = dpa.certify(heads, "epsilon=1", runs=40, **asked)
    assert few.verdict == "UNDECIDED" and few.exit_code == 3
    assert repr(few).startswith("<CertificateResult: UNDECIDED")
    with pytest.raises(ValueError, match="--detect is a leak beyond the claim"):
        dpa.certify(heads, "epsilon=1", runs=40, detect="1/2", **asked)


def test_a_float_is_read_by_its_shortest_decimal_everywhere() -> None:
    claim = dpa.certify("geometric-sanitizer", "epsilon=0.1", parameters={"epsilon": 0.1}, **SMALL)
    assert claim.verdict == "PROVED"
    assert claim.to_json()["subject"]["parameters"] == {"epsilon": "0.1"}
    least = dpa.calibrate("laplace", "epsilon=1", sensitivity=0.1, neighbours="add-remove")
    assert least.value == Fraction(1, 10)
    cost = dpa.account("laplace(epsilon=0.3)", delta=1e-6, neighbours="add-remove")
    assert cost.to_json()["delta"] == "1/1000000"


def test_a_dataset_is_released_and_one_of_another_domain_is_not() -> None:
    domain = dpa.Domain.from_cells("2")
    data = Dataset.from_histogram(domain, np.array([3, 1]))
    assert len(dpa.release("geometric-sanitizer", data, domain, epsilon=1).to_frame()) == 4
    with pytest.raises(InputError, match="another domain"):
        dpa.release("geometric-sanitizer", data, dpa.Domain.from_cells("3"), epsilon=1)


def test_a_program_of_others_is_given_no_table_in_memory() -> None:
    with pytest.raises(InputError, match="give its path"):
        dpa.release("mechanism:noisy", table(), dpa.Domain.from_cells("2"))
    with pytest.raises(InputError, match="takes the name of a program"):
        dpa.release(noisy, table(), dpa.Domain.from_cells("2"))  # type: ignore[arg-type]


def test_the_command_of_a_certificate_follows_from_the_arguments() -> None:
    result = dpa.certify("subsample", "epsilon=1, delta=1/2", parameters={"fraction": 0.5}, **SMALL)
    assert result.certificate.reproduce == (
        "dp-audit certify subsample --claim 'epsilon=1, delta=1/2' --neighbours replace-one "
        "--cells 2 --records 2 --set fraction=0.5"
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"neighbours": "both"}, "neighbours must be"),
        ({"cells": None}, "state the domain once"),
        ({"domain": "domain.toml"}, "state the domain once"),
        ({"confidence": 2}, "strictly between 0 and 1"),
        ({"alarm": float("nan")}, "finite number"),
        ({"runs": 0}, "runs must be"),
        ({"seed": 3}, "goes with an attack"),
        ({"until_decided": True}, "goes with an attack"),
        ({"stop_early": True}, "goes with an attack"),
        ({"stop_early": True, "until_decided": True}, "give one of them"),
        ({"parameters": {"epsilon": float("inf")}}, "finite number"),
        ({"parameters": {"epsilon": object()}}, "a number or a text"),
        ({"rounded": True}, "goes with a channel file"),
        ({"form": "function"}, "goes with module:attribute"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(wrong: dict[str, Any], said: str) -> None:
    asked = {"parameters": {"epsilon": 1}, **SMALL, **wrong}
    with pytest.raises(InputError, match=said):
        dpa.certify("geometric-sanitizer", "epsilon=1", **asked)


def test_an_object_of_the_callers_is_compared_with_nothing() -> None:
    live = dpa.certify(noisy, "epsilon=1", **SMALL)
    with pytest.raises(InputError, match="1 is no certificate that can be read again"):
        dpa.compare(live, live)
