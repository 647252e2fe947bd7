from __future__ import annotations

from dataclasses import fields, replace

import pytest

from audit.channels.analysis import Analysis
from audit.channels.measures.unavailable import Unavailable
from audit.report.channel.measures import PARTS, gaps, measures_view
from tests.audit.report import samples

ANALYSES = samples.analyses()
STREAMED = ANALYSES["streamed"]


def lines(analysis: Analysis) -> list[str]:
    return [line for part in gaps(analysis).values() for line in part]


def test_every_measure_that_may_be_missing_has_a_name() -> None:
    may_miss = {field.name for field in fields(Analysis) if "Unavailable" in str(field.type)}
    assert may_miss == {name for part in PARTS.values() for name in part}


def test_one_reason_is_said_once_where_it_is_first_met() -> None:
    (line,) = lines(STREAMED)
    assert line.startswith("Not available (telling two neighbours apart, naming the confidential")
    (reason,) = {
        found.reason for found in vars(STREAMED).values() if isinstance(found, Unavailable)
    }
    assert line.endswith(f"): {reason}.")
    for part in PARTS.values():
        assert all(name in line for name in part.values())
    assert gaps(STREAMED)["attacker"] == (line,)


def test_several_reasons_are_said_each_in_its_part() -> None:
    some = replace(
        ANALYSES["response"],
        profile=Unavailable("one"),
        rows=Unavailable("two"),
        zcdp=Unavailable("one"),
        optimum=Unavailable("three"),
        groups=Unavailable("four"),
    )
    assert gaps(some) == {
        "attacker": (),
        "languages": (
            "Not available (ρ of zero-concentrated privacy, the privacy profile): one.",
            "Not available (group privacy): four.",
        ),
        "optimum": ("Not available: three.",),
        "rows": ("Not available: two.",),
    }


def test_nothing_is_missing_of_a_small_channel() -> None:
    assert lines(ANALYSES["response"]) == []


@pytest.mark.parametrize("name", ["lonely", "strangers"])
def test_without_neighbours_nothing_is_compared(name: str) -> None:
    view = measures_view(ANALYSES[name])
    assert view.languages == () == view.plots
    assert view.renyi is None and view.groups is None


def test_pictures_come_in_order() -> None:
    titles = [plot.title for plot in measures_view(ANALYSES["figure 1"]).plots]
    assert titles == [
        "Privacy profile",
        "Telling neighbours apart",
        "Rényi divergences",
        "Several records at once",
    ]
    assert measures_view(ANALYSES["alike"]).plots == ()
    assert len(measures_view(ANALYSES["disclosing"]).plots) == 2
