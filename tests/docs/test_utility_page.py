"""The page on utility metrics names what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from audit.utility.catalogue import METRICS, metric_named
from audit.utility.metric import FIXED
from audit.utility.parameters import plan_metric, read_plan
from tests.docs.lists import read_items

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "utility.md").read_text(encoding="utf-8")
WORDS = set(re.findall(r"`([^`\n]+)`", PAGE))


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_named_itself_or_by_its_logistic_form(name: str) -> None:
    plain = name.removesuffix("-logistic")
    assert plain in WORDS
    assert plain == name or (plain in METRICS and "…-logistic" in WORDS)


def test_every_mode_has_an_item_and_its_metrics_have_the_mode() -> None:
    modes = {mode for metric in METRICS.values() for mode in metric.modes} - {FIXED}
    listed: set[str] = set()
    for words, parts in read_items(PAGE):
        if "metrics" not in parts:
            continue
        of_item = re.findall(r"`([^`]+)`", words)
        listed.update(of_item)
        groups = parts["metrics"].split(";") if len(of_item) > 1 else [parts["metrics"]]
        for mode, group in zip(of_item, groups, strict=True):
            names = {name for name in re.findall(r"`([^`]+)`", group) if name in METRICS}
            having = {name for name, metric in METRICS.items() if mode in metric.modes}
            assert names == {name for name in having if not name.endswith("-logistic")}, mode
    assert listed == modes


def test_the_plan_that_is_shown_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("distances.csv").write_text("0,1/3\ninfinite,0\n")
    file = tmp_path / "plan.toml"
    part = PAGE.split("## Parameters")[1]
    file.write_text(part.split("```toml\n")[1].split("```")[0], encoding="utf-8")
    plan = read_plan(file)
    assert set(plan) <= set(METRICS)
    for name, values in plan.items():
        assert plan_metric(METRICS[name], values, metric_named).name == name
