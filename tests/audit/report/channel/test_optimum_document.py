from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from audit.channels.measures.optimum import Optimum
from audit.channels.measures.unavailable import Unavailable
from audit.report.channel.document import to_json
from audit.statements.decimals import Enclosure
from tests.audit.report import samples

F = Fraction
ANALYSIS = samples.analysis(samples.response())


def written(optimum: Optimum | Unavailable, exact: bool) -> dict[str, Any]:
    document = to_json(replace(ANALYSIS, optimum=optimum), exact)
    return {key: json.loads(json.dumps(document[key])) for key in document if "optimum" in key}


@pytest.mark.parametrize("exact", [False, True])
def test_the_optimum_is_rounded_down_and_the_own_loss_up(exact: bool) -> None:
    seventh, third = Enclosure(F(1, 7), F(1, 7)), Enclosure(F(1, 3), F(2, 3))
    document = written(Optimum(seventh, third, third, third, third, "all"), exact)
    assert set(document) == {"optimum"}
    body = document["optimum"]
    names = {"epsilon", "uniform", "worst", "own_uniform", "own_worst"}
    assert set(body) == names | {"loss", "enclosures", "ranges_over", "note"}
    assert body["loss"] == "l1"
    assert body["ranges_over"] == "all"
    assert set(body["enclosures"]) == names
    for name, ends in body["enclosures"].items():
        side = "lower" if name in ("uniform", "worst") else "upper"
        assert body[name] == ends[side]
        assert isinstance(body[name], str if exact else float)
        truth = (F(1, 7), F(1, 7)) if name == "epsilon" else (F(1, 3), F(2, 3))
        assert F(ends["lower"]) <= truth[0] <= truth[1] <= F(ends["upper"])
        assert F(ends["upper"]) - F(ends["lower"]) < truth[1] - truth[0] + F(1, 10**15)


def test_only_a_wide_optimum_has_a_note() -> None:
    point, wide = Enclosure(F(1), F(1)), Enclosure(F(1), F(2))
    narrow = Optimum(point, point, point, point, point, "all")
    assert "note" not in written(narrow, False)["optimum"]
    vague = replace(narrow, worst=wide)
    assert written(vague, False)["optimum"]["note"] == vague.note is not None


def test_no_optimum_is_null_with_its_reason() -> None:
    assert written(Unavailable("because"), False) == {
        "optimum": None,
        "optimum_reason": "because",
    }
