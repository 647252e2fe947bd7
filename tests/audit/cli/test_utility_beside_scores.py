"""``dp-audit utility`` beside its scores: subgroups, principal axes, a model."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

from tests.audit.calls import Command
from tests.audit.cli.towns import HEADER, QUICK, numbers, one_line, read, rows, scores


def test_subgroups_stand_beside_random_subsets(dp_audit: Command, towns: Path) -> None:
    (towns / "lost.csv").write_text(
        HEADER + "".join(line for line in rows(3, 150).splitlines(True) if "Rome" not in line)
    )
    words = "utility real.csv near.csv lost.csv --domain towns.toml --by sex --by city"
    shown = dp_audit(
        f"{words} --metric k-marginal --metric associations --json u.json --html u.html"
    )
    assert shown.code == 0
    found = {
        (one["attribute"], one["synthetic"]): one for one in read(towns / "u.json")["subgroups"]
    }
    assert list(found) == [(a, f) for a in ("sex", "city") for f in ("near.csv", "lost.csv")]
    sexes = found["sex", "near.csv"]
    assert {(one["metric"], one["group"]) for one in sexes["scores"]} == {
        (metric, sex) for metric in ("k-marginal", "associations") for sex in "12"
    }
    assert all(len(one["subsets"]) == sexes["subsets"] == 20 for one in sexes["scores"])
    (rome,) = [one for one in found["city", "lost.csv"]["groups"] if one["value"] == "Rome"]
    assert rome["synthetic"] == 0 and rome["real"] > 40
    page = (towns / "u.html").read_text()
    for text in ("near.csv by sex", "lost.csv by city"):
        assert text in page and text in shown.out


def test_by_subgroups_no_metric_warns_and_what_is_too_slow_is_told(
    dp_audit: Command, towns: Path
) -> None:
    sizes = {"a": 2, "b": 2, "c": 3, "d": 3}
    lines = [f"{name} = {{ values = {list(map(str, range(k)))} }}" for name, k in sizes.items()]
    (towns / "small.toml").write_text("\n".join(['name = "small"', "[attributes]", *lines]))
    for name, seed in (("r", 1), ("s", 2)):
        chance = random.Random(seed)
        table = [[str(chance.randrange(k)) for k in sizes.values()] for _ in range(140)]
        (towns / f"{name}.csv").write_text("\n".join(map(",".join, [list(sizes), *table])))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown = dp_audit("utility r.csv s.csv --domain small.toml --by a --json u.json")
    assert shown.code == 0
    (found,) = read(towns / "u.json")["subgroups"]
    refused = {one["metric"]: one["reason"] for one in found["refused"]}
    taken = {one["metric"] for one in found["scores"]}
    assert "ask for it with --metric subsample-equivalent" in refused["subsample-equivalent"]
    assert len(taken) > 12 and not taken & set(refused)
    assert taken | set(refused) == {metric for metric, _ in scores(towns / "u.json")}


def test_the_number_of_subsets_can_be_set(dp_audit: Command, towns: Path) -> None:
    words = "utility real.csv near.csv --domain towns.toml --by sex --metric total-variation"
    for jobs in (1, 2):
        assert dp_audit(f"{words} --subsets 39 --jobs {jobs} --json {jobs}.json").code == 0
    alone, shared = (read(towns / f"{jobs}.json")["subgroups"] for jobs in (1, 2))
    assert alone == shared and all(len(one["subsets"]) == 39 for one in alone[0]["scores"])
    assert "--subsets must be a whole number from 19" in one_line(dp_audit(f"{words} --subsets 18"))


def test_principal_axes_follow_from_public_tables_alone(dp_audit: Command, towns: Path) -> None:
    """Of the synthetic files where no metric is named, or of a public one; never of the real."""
    (towns / "other.csv").write_text(HEADER + rows(9, 80), encoding="utf-8")
    found = []
    for real, more in (("real", ""), ("other", ""), ("real", " --axes-from other.csv")):
        line = f"utility {real}.csv near.csv --domain towns.toml --metric total-variation"
        axes = more or " --axes-from near.csv"
        assert dp_audit(f"{line}{axes} --quiet --json u.json").code == 0
        found.append(read(towns / "u.json")["axes"])
    assert found[0]["axes"] == found[1]["axes"] != found[2]["axes"]
    assert found[0]["real"] != found[1]["real"]
    assert found[2]["public"] == ["other.csv"]
    assert dp_audit(f"{QUICK} --metric total-variation --json u.json").code == 0
    assert read(towns / "u.json")["axes"] is None


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("--axes-from real.csv", "--axes-from names the real table"),
        ("--axes-from ./real.csv", "--axes-from names the real table"),
        ("--axes-from turned.csv", "with the records of the real one"),
        ("--axes-from one.csv", "records are all alike"),
        ("--axes-from absent.csv", "absent.csv cannot be read"),
        ("--axes-from near.csv --chunk 5", "leave out --chunk"),
        ("--axes-from near.csv --json near.csv", "used twice"),
    ],
)
def test_a_table_that_gives_no_axes_is_one_line(
    dp_audit: Command, towns: Path, words: str, part: str
) -> None:
    header, *lines = (towns / "real.csv").read_text(encoding="utf-8").splitlines()
    (towns / "turned.csv").write_text("\n".join([header, *lines[::-1]]), encoding="utf-8")
    (towns / "one.csv").write_text(f"{header}\n{lines[0]}\n{lines[0]}\n", encoding="utf-8")
    assert part in one_line(dp_audit(f"{QUICK} --metric total-variation {words}"))


def test_a_model_is_short_for_the_parameters_of_a_regression(
    dp_audit: Command, towns: Path
) -> None:
    line = f"{QUICK} --metric interval-overlap --json u.json"
    assert dp_audit(f"{line} --model 'wage ~ age + city'").code == 0
    short = numbers(towns / "u.json")
    setting = "--set interval-overlap.outcome=wage --set interval-overlap.predictors=age,city"
    assert dp_audit(f"{line} {setting}").code == 0
    assert numbers(towns / "u.json") == short
    for model in ("wage", "~ age", "wage ~", "wage ~ age +", ""):
        assert "--model reads" in one_line(dp_audit(f"{line} --model '{model}'"))
    assert "no attribute 'pay'" in one_line(dp_audit(f"{line} --model 'pay ~ age'"))
