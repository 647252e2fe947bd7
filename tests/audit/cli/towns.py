"""The tables that tests of ``utility`` look at, and how they read what it writes."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.audit.calls import Shown

SECRET = "zebra"


DOMAIN = """
name = "towns"
[attributes]
city = { values = ["Paris", "Lyon", "Rome"] }
sex = { values = ["1", "2"] }
age = { bins = [0, 20, 40, 60, 100], ordinal = true }
wage = { bins = [0, 10, 100, 1000], ordinal = true, missing = true }
year = { values = ["2018", "2019"], ordinal = true }
"q\\"<b>é" = { values = ["<i>", "'x'", "a,b"], missing = true }
[individual]
id = "person"
"""


HEADER = 'person,city,sex,age,wage,year,"q""<b>é"\n'


QUICK = "utility real.csv near.csv --domain towns.toml --quiet --no-baseline"


SOME = f"{QUICK} --metric k-marginal --metric total-variation"


FEW = f"{QUICK}" + "".join(
    f" --metric {name}"
    for name in ("total-variation", "associations", "table-utility", "pmse", "quality", "mgd")
)


DRAWING = (
    "range-queries",
    "k-marginal",
    "longitudinal-k-marginal",
    "hoc",
    "sprint-3-total",
    "three-way-marginal",
    "conjunction",
    "nist-2018-total",
    "pmse-ratio",
)


EVERY = (
    "--set longitudinal-k-marginal.period=year --set hoc.attributes=city,sex --set hoc.draws=5 "
    "--set sprint-3-total.origin=city --set sprint-3-total.destination=sex "
    "--set sprint-3-total.shift=year --set sprint-3-total.draws=5 --set range-queries.draws=20 "
    "--set edge-map.origin=city --set edge-map.destination=sex "
    "--set pie-chart.place=city --set pie-chart.period=year --set pie-chart.type=sex "
    "--set inv-pie.place=city --set inv-pie.period=year --set inv-pie.type=sex "
    "--set inequality.city=city --set inequality.sex=sex --set inequality.wage=wage "
    "--set nist-2018-total.city=city --set nist-2018-total.sex=sex "
    "--set nist-2018-total.wage=wage --set conjunction.draws=20 --set nist-2018-total.queries=20 "
    "--set train-on-synthetic.target=sex --set interval-overlap.outcome=sex "
    "--set subsample-equivalent.replicates=1 --set validity.rules=age>=0"
)


"""Parameters with which no metric is left out."""


def rows(seed: int, count: int) -> str:
    chance = random.Random(seed)
    lines = []
    for row in range(count):
        age = min(max(round(chance.gauss(40, 18)), 0), 100)
        wage = (
            "" if chance.random() < 0.1 else f"{min(abs(age * 3 + chance.gauss(0, 20)), 999):.2f}"
        )
        kind = chance.choice(["<i>", "'x'", '"a,b"', ""])
        city, sex = chance.choice(["Paris", "Lyon", "Rome"]), chance.choice("12")
        lines.append(
            f"{row // 3},{city},{sex},{age},{wage},{chance.choice(['2018', '2019'])},{kind}"
        )
    return "\n".join(lines) + "\n"


def read(path: Path) -> Mapping[str, Any]:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    found: Mapping[str, Any] = json.loads(path.read_text(), parse_constant=refuse)
    return found


def scores(path: Path) -> dict[tuple[str, str], Mapping[str, Any]]:
    return {(s["metric"], s["synthetic"]): s for s in read(path)["scores"]}


def numbers(path: Path) -> dict[tuple[str, str], tuple[object, ...]]:
    kept = ("value", "standard_error", "draws", "parts", "mode", "undefined", "details")
    return {key: tuple(score[k] for k in kept) for key, score in scores(path).items()}


def one_line(shown: Shown, code: int = 2) -> str:
    assert shown.code == code, shown
    lines = shown.err.splitlines()
    assert len(lines) == 1 and lines[0].startswith("dp-audit: "), shown.err
    assert SECRET not in shown.err and shown.out == ""
    return lines[0]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}
