"""Plans: parameters of metrics from TOML and from text."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Literal

import pytest

from audit.utility.metric import Metric
from audit.utility.pair import Pair
from audit.utility.parameters import parameter_names, plan_metric, read_plan
from audit.utility.score import Score
from synthesizers.errors import InputError

pytestmark = pytest.mark.smoke


@dataclass(frozen=True, kw_only=True)
class Planned(Metric):
    name = "planned"
    lowest, highest, direction = 0.0, 1.0, "lower"

    k: int = 3
    floor: float = 0.5
    weight: Fraction = Fraction(1, 3)
    groups: tuple[str, ...] = ()
    steps: tuple[int, ...] = ()
    target: str | None = None
    limit: int | None = 4
    kept: bool = True
    draws: int | None = None
    form: Literal["one", "two"] = "one"
    of: Metric | None = None
    given: tuple[object, ...] | None = None

    def score(self, pair: Pair) -> Score:
        return self.undefined("never measured")


def planned_with(**values: object) -> Metric:
    return plan_metric(Planned, values, lambda name: Planned(target=name))


def test_the_mode_and_the_draws_are_no_parameters() -> None:
    assert parameter_names(Planned)[:2] == ("k", "floor")
    assert {"mode", "given"}.isdisjoint(parameter_names(Planned))


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ({"k": 2}, {"k": "2"}),
        ({"floor": Decimal("0.25")}, {"floor": "0.25"}),
        ({"weight": Decimal("0.1")}, {"weight": "1/10"}),
        ({"groups": ["PUMA", "YEAR"]}, {"groups": "PUMA, YEAR"}),
        ({"steps": [1, 2]}, {"steps": "1,2"}),
        ({"target": "SEX"}, {"target": "SEX"}),
        ({"kept": False}, {"kept": "false"}),
        ({"form": "two"}, {"form": "two"}),
        ({"of": "other"}, {"of": "other"}),
    ],
)
def test_a_text_and_a_toml_value_set_the_same_parameter(
    typed: dict[str, object], text: dict[str, object]
) -> None:
    assert planned_with(**typed) == planned_with(**text)
    assert planned_with(**typed) != Planned()


def test_numbers_are_taken_exactly() -> None:
    found = planned_with(weight=Decimal("0.1"), floor="0.3")
    assert isinstance(found, Planned)
    assert found.weight == Fraction(1, 10)
    assert found.floor == 0.3 and isinstance(found.floor, float)


def test_none_unsets_a_parameter_that_may_be_none() -> None:
    found = planned_with(limit="none")
    assert isinstance(found, Planned) and found.limit is None


def test_a_dash_stands_for_an_underscore_and_a_metric_is_named() -> None:
    found = planned_with(of="inner")
    assert isinstance(found, Planned) and found.of == Planned(target="inner")


ENDLESS = int("0x" + "f" * 5000, 0)
"""As TOML reads hexadecimal numbers of any length, which Python refuses to write as decimals."""


@pytest.mark.parametrize(
    ("values", "part"),
    [
        ({"kk": 1}, "no parameter 'kk'"),
        ({"mode": "x"}, "no parameter 'mode'"),
        ({"given": []}, "no parameter 'given'"),
        ({"k": "two"}, "planned: k must be a finite number"),
        ({"k": "1/2"}, "planned: k must be a whole number"),
        ({"k": "1e16"}, "planned: k must be at most 1000000000000000 in size"),
        ({"k": "-1e400"}, "planned: k must be at most 1000000000000000 in size"),
        ({"floor": "1e400"}, "planned: floor must be a number below 1e308 in size"),
        ({"draws": 1_000_001}, "planned: draws must be at most 1000000"),
        ({"k": True}, "planned: k must be a number"),
        ({"k": [1]}, "planned: k must be a number"),
        ({"kept": "yes"}, "planned: kept must be true or false"),
        ({"target": 3}, "planned: target must be text"),
        ({"groups": 3}, "planned: groups must be a list"),
        ({"groups": [3]}, "planned: groups must be text"),
        ({"form": "three"}, "planned: form must be one of one, two"),
        ({"k": ENDLESS}, "planned: k must be a finite number"),
        ({"target": ENDLESS}, "planned: target must be text, not a longer number"),
        ({"groups": ENDLESS}, "planned: groups must be a list"),
        ({"form": [ENDLESS]}, "planned: form must be one of one, two"),
    ],
)
def test_a_value_of_another_type_is_refused_by_name(values: dict[str, object], part: str) -> None:
    with pytest.raises(InputError, match=part):
        planned_with(**values)


def test_a_plan_has_a_table_a_metric(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_text('[k-marginal]\nk = 2\ngroups = ["PUMA"]\n')
    assert read_plan(file) == {"k-marginal": {"k": 2, "groups": ["PUMA"]}}


@pytest.mark.parametrize("text", ["k = 2", "[k-marginal", "\udcff"])
def test_a_plan_of_another_form_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "plan.toml"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match="the plan"):
        read_plan(file)


def test_a_plan_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_plan(tmp_path / "absent.toml")
