"""``dp-audit utility`` as a user runs it: what it prints and writes, and how it refuses."""

from __future__ import annotations

import gzip
import io
import json
import math
import random
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from audit.statements.certificate import digest
from tests.audit.calls import Command, Shown
from tests.audit.report.utility.samples import CONTRACT

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


@pytest.fixture
def towns(folder: Path) -> Path:
    """A domain, a real table of 150 records, and two synthetic ones."""
    (folder / "towns.toml").write_text(DOMAIN, encoding="utf-8")
    for name, seed, count in (("real", 0, 150), ("near", 1, 150), ("far", 2, 60)):
        (folder / f"{name}.csv").write_text(HEADER + rows(seed, count), encoding="utf-8")
    return folder


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


# what it says


def test_every_metric_has_a_score_of_the_contract_and_no_warning(
    dp_audit: Command, towns: Path
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown = dp_audit(
            f"utility real.csv near.csv ./far.csv --domain towns.toml {EVERY} --json u.json "
            "--html u.html --save-draws d.json --quiet"
        )
    assert (shown.code, shown.err) == (0, "")
    document = read(towns / "u.json")
    assert document["refused"] == []
    found = document["scores"]
    assert len(found) == 2 * len({score["metric"] for score in found}) > 60
    # The file as it was typed.
    assert {score["synthetic"] for score in found} == {"near.csv", "./far.csv"}
    for score in found:
        assert set(score) >= CONTRACT
        assert score["undefined"] is None and score["mode"] == "fixed"
        assert score["direction"] in ("higher", "lower")
        low, high = (float(end) for end in score["range"])
        assert low <= score["value"] <= high and math.isfinite(score["value"])
        assert score["baseline"]["value"] is not None
    page = (towns / "u.html").read_text(encoding="utf-8")
    assert "<b>é" not in page and "&lt;b&gt;é" in page
    assert "NOT PRIVATE" in shown.out and "Ranking" in shown.out


def test_a_copy_of_the_real_table_is_as_good_as_can_be(dp_audit: Command, towns: Path) -> None:
    assert dp_audit(f"{QUICK} {EVERY} --json u.json".replace("near", "real")).code == 0
    for (metric, _), score in scores(towns / "u.json").items():
        best = score["range"][score["direction"] == "higher"]
        if metric not in (
            "subsample-equivalent",
            "standardised-pmse",
            "po50",
            "train-on-synthetic",
        ):
            assert score["value"] == pytest.approx(float(best), abs=1e-12), metric


def test_csv_gzip_and_standard_input_give_the_same_scores(
    dp_audit: Command, towns: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert dp_audit(f"{SOME} --json u.json").code == 0
    text = (towns / "near.csv").read_bytes()
    with gzip.open(towns / "near.csv.gz", "wb") as file:
        file.write(text)
    words = SOME.replace("near.csv", "{}") + " --json v.json"
    assert dp_audit(words.format("near.csv.gz")).code == 0
    first = list(numbers(towns / "u.json").values())
    assert list(numbers(towns / "v.json").values()) == first
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert dp_audit(words.format("-")).code == 0
    assert {synthetic for _, synthetic in scores(towns / "v.json")} == {"-"}
    assert list(numbers(towns / "v.json").values()) == first


def test_a_parquet_file_of_typed_columns_gives_the_scores_of_its_text(
    dp_audit: Command, towns: Path
) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow to write Parquet")
    import pandas as pd

    frame = pd.read_csv(towns / "near.csv", keep_default_na=False, na_values={"wage": [""]})
    typed = frame.assign(
        city=frame["city"].astype("category"),
        sex=frame["sex"].astype("Int64"),
        year=frame["year"].astype("uint16"),
        age=frame["age"].astype("float32"),
    )
    typed.to_parquet(towns / "near.parquet")
    for words in (SOME, f"{SOME} --chunk 40"):
        assert dp_audit(f"{words} --json u.json").code == 0
        assert dp_audit(words.replace("near.csv", "near.parquet") + " --json v.json").code == 0
        assert list(numbers(towns / "u.json").values()) == list(numbers(towns / "v.json").values())
    dates = typed.assign(year=pd.to_datetime("2018-01-01"))
    dates.to_parquet(towns / "near.parquet")
    assert "attribute 'year'" in one_line(dp_audit(SOME.replace("near.csv", "near.parquet")))


def test_without_a_baseline_there_is_no_null_table(dp_audit: Command, towns: Path) -> None:
    assert dp_audit(f"{SOME} --json u.json").code == 0
    assert all(score["baseline"] is None for score in scores(towns / "u.json").values())
    assert dp_audit(SOME.replace("--no-baseline", "--json u.json")).code == 0
    assert all(score["baseline"] for score in scores(towns / "u.json").values())


def test_talk_goes_to_standard_error_and_quiet_silences_it(dp_audit: Command, towns: Path) -> None:
    loud = dp_audit(SOME.replace("--quiet ", ""))
    assert "reading near.csv" in loud.err and "reading" not in loud.out
    assert dp_audit(SOME).err == ""


def test_a_terminal_without_colour_gets_none(
    dp_audit: Command, towns: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[31m" in dp_audit(SOME).out.replace("1;31", "31")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "31m" not in dp_audit(SOME).out


# flags


def test_draws_given_back_give_the_same_numbers(dp_audit: Command, towns: Path) -> None:
    needed = " ".join(f"--set {word}" for word in EVERY.split("--set ") if word.startswith(DRAWING))
    words = f"utility real.csv near.csv far.csv --domain towns.toml {needed} --seed 4 --quiet"
    words += "".join(f" --metric {metric}" for metric in DRAWING)
    assert dp_audit(f"{words} --json u.json --save-draws d.json").code == 0
    assert dp_audit(f"{words} --json v.json --draws d.json --save-draws e.json").code == 0
    first, second = numbers(towns / "u.json"), numbers(towns / "v.json")
    assert first == second
    drawn = read(towns / "d.json")
    assert set(drawn) == set(DRAWING) and read(towns / "e.json") == drawn
    for (metric, _), score in scores(towns / "v.json").items():
        # No seed drew them; a tree breaks ties by its own.
        assert score["draws"] and (metric == "pmse-ratio" or score["seed"] is None)


def test_replicates_are_runs_with_the_next_seeds(dp_audit: Command, towns: Path) -> None:
    words = f"{QUICK} --metric k-marginal --set k-marginal.draws=4 --json u.json"
    values = []
    for seed in (7, 8, 9):
        assert dp_audit(f"{words} --seed {seed}").code == 0
        ((_, score),) = scores(towns / "u.json").items()
        assert score["seed"] == seed
        values.append(score["value"])
    assert dp_audit(f"{words} --seed 7 --replicates 3").code == 0
    ((_, score),) = scores(towns / "u.json").items()
    assert [score["value"], *score["replicates"]] == values and len(set(values)) > 1


def test_a_flag_goes_over_a_plan_and_a_plan_over_defaults(dp_audit: Command, towns: Path) -> None:
    (towns / "plan.toml").write_text('[k-marginal]\nk = 2\ndraws = 5\ngroups = ["city"]\n')
    words = f"{QUICK} --metric k-marginal --json u.json --plan plan.toml"
    assert dp_audit(words).code == 0
    ((_, score),) = scores(towns / "u.json").items()
    assert score["draws"] == 5 and any(d["name"] == "groups" for d in score["details"])
    assert dp_audit(words, "--set", "k-marginal.draws=3").code == 0
    ((_, score),) = scores(towns / "u.json").items()
    assert score["draws"] == 3


@pytest.mark.parametrize(
    ("flag", "text"),
    [("--plan", "[k-marginal]\ndraws = 2\n"), ("--draws", '{"k-marginal": [["sex"], ["age"]]}')],
)
def test_a_plan_or_draws_may_come_from_standard_input(
    dp_audit: Command, towns: Path, monkeypatch: pytest.MonkeyPatch, flag: str, text: str
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert dp_audit(f"{SOME} --json u.json {flag} -").code == 0
    assert scores(towns / "u.json")["k-marginal", "near.csv"]["draws"] == 2


@pytest.mark.parametrize(
    ("mode", "metrics"),
    [
        ("nist-2018", {"three-way-marginal", "conjunction", "inequality", "nist-2018-total"}),
        ("sprint-1", {"pie-chart", "inv-pie"}),
        ("sprint-2", {"k-marginal"}),
        ("sdnist-1", {"k-marginal"}),
        ("sdnist-2.5", {"k-marginal", "hoc", "pmse", "specks"}),
        ("sdmetrics", {"column-shapes", "column-pair-trends", "quality"}),
        ("private-pgm", {"workload-error"}),
    ],
)
def test_a_mode_takes_the_metrics_that_have_it(
    dp_audit: Command, towns: Path, mode: str, metrics: set[str]
) -> None:
    sets = [word for word in EVERY.split("--set ") if word.split(".")[0] in metrics]
    words = "".join(f" --set {word}" for word in sets) + " --set k-marginal.groups=city"
    if "k-marginal" not in metrics:
        words = words.replace(" --set k-marginal.groups=city", "")
    shown = dp_audit(f"{QUICK} --compat {mode}{words} --json u.json")
    assert (shown.code, shown.err) == (0, "")
    found = scores(towns / "u.json")
    assert {metric for metric, _ in found} == metrics
    assert all(score["mode"] == mode for score in found.values())


def test_a_parameter_that_only_a_mode_has_is_set_with_the_mode(
    dp_audit: Command, towns: Path
) -> None:
    words = f"{QUICK} --metric k-marginal --set k-marginal.groups=city --compat sdnist-1 --json"
    found = []
    for penalty in ("0", "1000"):
        shown = dp_audit(f"{words} {penalty}.json --set k-marginal.bias_penalty={penalty}")
        assert (shown.code, shown.err) == (0, "")
        found.append(scores(towns / f"{penalty}.json")["k-marginal", "near.csv"]["value"])
    assert found[0] < found[1]
    assert "no bias penalty" in one_line(
        dp_audit(f"{words} x.json --set k-marginal.bias_penalty=3".replace("-1", "-2.5"))
    )


def test_counted_in_chunks_scores_are_the_same_or_undefined(dp_audit: Command, towns: Path) -> None:
    words = f"{QUICK} {EVERY} --json u.json"
    assert dp_audit(words).code == 0
    whole = numbers(towns / "u.json")
    assert dp_audit(f"{words} --chunk 37").code == 0
    chunked = scores(towns / "u.json")
    defined = 0
    for key, numbered in numbers(towns / "u.json").items():
        if chunked[key]["value"] is None:
            assert "in chunks" in chunked[key]["undefined"], key
        else:
            assert numbered == whole[key]
            defined += 1
    assert defined >= 8


def test_a_cluster_counts_tables_and_folders_with_the_same_scores(
    dp_audit: Command, towns: Path
) -> None:
    distributed = pytest.importorskip("distributed", reason="needs dask[distributed]")
    assert dp_audit(f"{SOME} --chunk 37 --json u.json").code == 0
    expected = {key[0]: score for key, score in numbers(towns / "u.json").items()}
    (towns / "near").mkdir()
    table = pd.read_csv(towns / "near.csv", dtype=str, keep_default_na=False)
    for name, rows in (("first", slice(0, 30)), ("second", slice(30, None))):
        table.iloc[rows].to_parquet(towns / "near" / f"{name}.parquet")
    workers = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with workers:
        words = f"{SOME} --cluster {workers.scheduler_address} --json u.json"
        for synthetic in ("near.csv", str(towns / "near")):
            shown = dp_audit(words.replace("near.csv", synthetic))
            assert (shown.code, shown.err) == (0, "")
            found = numbers(towns / "u.json")
            assert {key[0]: score for key, score in found.items()} == expected
    assert "reads tcp://host:8786" in one_line(dp_audit(f"{SOME} --cluster here"))


def test_values_outside_the_domain_are_refused_or_cells_of_their_own(
    dp_audit: Command, towns: Path
) -> None:
    for field in (f"1,{SECRET},1,20,5,2018,<i>", "1,Rome,1,1e400,5,2018,<i>", "1,Rome,1,,5,2018,"):
        (towns / "near.csv").write_text(HEADER + rows(1, 9) + field + "\n", encoding="utf-8")
        shown = dp_audit(SOME)
        assert shown.code == 2 and shown.out == ""
        assert "near.csv: attribute" in shown.err and "record 10: " in shown.err
        assert SECRET in shown.err or SECRET not in field
        turned = SOME.replace("real.csv near.csv", "near.csv real.csv")
        assert "near.csv: attribute" in one_line(dp_audit(turned))
        assert "near.csv: one part of" in one_line(dp_audit(f"{SOME} --chunk 4"))
        assert dp_audit(f"{FEW} --outside cell --json u.json").code == 0
        assert scores(towns / "u.json")["total-variation", "near.csv"]["value"] > 0


def test_releases_of_programs_are_ranked_with_their_claims(dp_audit: Command, towns: Path) -> None:
    for k in range(3):
        (towns / f"n{k}.csv").write_text(HEADER + rows(k + 5, 150), encoding="utf-8")
        (towns / f"f{k}.csv").write_text(HEADER + rows(k + 5, 20), encoding="utf-8")
    base = (
        "utility real.csv --domain towns.toml --metric total-variation --metric k-marginal "
        "--release-of near=n0.csv,n1.csv,n2.csv --release-of few=f0.csv,f1.csv,f2.csv"
    )
    ledger = json.dumps(
        {
            "schema": "dp-audit/ledger/1",
            "program": {"kind": "program", "name": "x"},
            "neighbours": "add-remove",
            "unit": "record",
            "max_records": None,
            "domain": {"name": "d", "attributes": [{"name": "a", "values": ["0", "1"]}]},
            "records": None,
            "rows": 5,
            "budget": {"epsilon": "1"},
            "spent": {"epsilon": "1", "rho": "1/2"},
            "events": [],
        }
    )
    (towns / "l.json").write_text(ledger)
    shown = dp_audit(f"{base} --claim-of near=l.json --json u.json --html u.html")
    assert shown.code == 0, shown.err
    told = " ".join(shown.out.split())
    assert "near has the best mean rank" in told and "different guarantees" in told
    assert "epsilon=1, add-remove (ledger l.json)" in told and "no claim is stated" in told
    document = read(towns / "u.json")
    assert document["programs"]["few"] == ["f0.csv", "f1.csv", "f2.csv"]
    assert document["ranking"]["leaders"] == ["near"]
    assert document["synthetic"][0]["promise"]["source"] == "ledger l.json"
    for words, part in [
        ("--claim-of other=l.json", "no synthetic table and no program"),
        ("--claim-of near=towns.toml", "towns.toml"),
        ("--release-of near=n0.csv", "given twice"),
        ("--release-of third", "reads NAME=VALUE"),
        ("--release-of third=n0.csv", "given twice"),
        ("--release-of third=real.csv,,near.csv", "has no name"),
        ("n0.csv --release-of n0.csv=near.csv,far.csv", "as a synthetic table is"),
    ]:
        assert part in one_line(dp_audit(f"{base} {words} --quiet"))
    assert "no synthetic table" in one_line(dp_audit("utility real.csv --domain towns.toml"))


def test_the_subsamples_of_a_k_marginal_have_its_groups(dp_audit: Command, towns: Path) -> None:
    words = f"{QUICK} --metric subsample-equivalent --metric k-marginal --json u.json"
    values = []
    for groups in ("", " --set k-marginal.groups=city,sex"):
        assert dp_audit(words + groups).code == 0
        found = scores(towns / "u.json")
        own = found["k-marginal", "near.csv"]["value"]
        stated = " ".join(found["subsample-equivalent", "near.csv"]["stated"])
        assert f"{own:.6g}"[:5] in stated
        values.append(own)
    assert values[0] != values[1]


def test_rules_of_the_domain_file_make_a_score(dp_audit: Command, towns: Path) -> None:
    (towns / "towns.toml").write_text(
        f'{DOMAIN}\n[rules]\nsexes = "sex in [1, 2]"\n'
        'young = "age < 15 -> wage is present and wage < 100"\n',
        encoding="utf-8",
    )
    assert dp_audit(f"{QUICK} --metric validity --json u.json").code == 0
    score = scores(towns / "u.json")["validity", "near.csv"]
    rules = {row[0]: row[2] for row in score["details"][0]["rows"]}
    assert set(rules) == {"age < 15 -> wage is present and wage < 100", "sex in [1, 2]"}
    assert 1 > score["value"] >= 1 - sum(rules.values()) and rules["sex in [1, 2]"] == 0
    text = (towns / "towns.toml").read_text(encoding="utf-8").replace("age < 15", "agee < 15")
    (towns / "towns.toml").write_text(text, encoding="utf-8")
    assert "no attribute 'agee'" in one_line(dp_audit(f"{QUICK} --metric validity"))
    # It is a fault of the file, and no reason to leave the metric out.
    assert "no attribute 'agee'" in one_line(dp_audit(QUICK))


def test_columns_beside_the_domain_and_copies_are_named_first(
    dp_audit: Command, towns: Path
) -> None:
    real = (towns / "real.csv").read_text(encoding="utf-8").splitlines()
    near = (towns / "near.csv").read_text(encoding="utf-8").splitlines()
    copied = [*near[:-3], *real[-3:]]
    named = [f"{line},{k}" for k, line in enumerate(copied)]
    named[0] = f"{near[0]},NAME"
    (towns / "near.csv").write_text("\n".join(named) + "\n", encoding="utf-8")
    shown = dp_audit(f"{SOME} --json u.json --html u.html".replace(" --quiet", ""))
    assert shown.code == 0
    first, scores_at = shown.out.index("'NAME'"), shown.out.index("Scores")
    assert first < scores_at
    told = " ".join(shown.out.split())
    assert "near.csv has 1 column that the domain does not declare: 'NAME'" in told
    assert "3 of 150 records of near.csv equal a real record in every column" in told
    document = read(towns / "u.json")
    assert document["synthetic"][0]["undeclared"] == ["NAME"]
    assert document["synthetic"][0]["copies"] == {
        "records": 3,
        "of_unique": 3,
        "whole": False,
        "persons": 0,
    }
    page = (towns / "u.html").read_text(encoding="utf-8")
    assert "NAME" in page and "equal a real record" in page


@pytest.mark.parametrize("name", ["real.csv", "again.csv"])
def test_a_file_beside_itself_is_called_a_copy(dp_audit: Command, towns: Path, name: str) -> None:
    (towns / "again.csv").write_bytes((towns / "real.csv").read_bytes())
    shown = dp_audit(SOME.replace("near.csv", name).replace(" --quiet", ""))
    assert shown.code == 0
    assert "it is a copy" in " ".join(shown.out.split())


def test_numbers_that_would_overflow_are_undefined_with_the_reason(
    dp_audit: Command, towns: Path
) -> None:
    huge = "".join(
        f"1,Rome,{k % 2 + 1},{sign}9e307,5,2018,\n" for k in range(9) for sign in ("", "-")
    )
    (towns / "near.csv").write_text(HEADER + rows(1, 40) + huge, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown = dp_audit(f"{QUICK} {EVERY} --outside cell --json u.json --html u.html")
    assert (shown.code, shown.err) == (0, "")
    found = scores(towns / "u.json")
    assert found["total-variation", "near.csv"]["value"] is not None
    told = found["associations", "near.csv"]["undefined"]
    assert "attribute 'age'" in told and "9e307" not in told


@pytest.mark.parametrize("count", [1, 5])
def test_tables_of_one_record_or_of_one_value_have_scores_or_reasons(
    dp_audit: Command, towns: Path, count: int
) -> None:
    (towns / "same.csv").write_text(HEADER + "1,Rome,1,20,,2018,\n" * count, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for real, synthetic in (("real", "same"), ("same", "near"), ("same", "same")):
            line = f"{QUICK} {EVERY}".replace("near", synthetic).replace("real", real)
            shown = dp_audit(f"{line} --json u.json --html u.html")
            assert (shown.code, shown.err) == (0, "")
            for score in scores(towns / "u.json").values():
                assert (score["value"] is None) == bool(score["undefined"])


@pytest.mark.parametrize(
    "domain",
    [
        '[attributes]\na = { values = ["x"] }\n',
        '[attributes]\na = { values = ["x", "y"] }\n',
        "[attributes]\na = { bins = [0, 1], missing = true }\n",
    ],
)
def test_a_domain_of_one_attribute_has_scores_or_reasons(
    dp_audit: Command, towns: Path, domain: str
) -> None:
    (towns / "one.toml").write_text(domain)
    value = "x" if "values" in domain else ""
    (towns / "one.csv").write_text("a\n" + f"{value}\n" * 4)
    shown = dp_audit(
        "utility one.csv one.csv --domain one.toml --quiet --json u.json --html u.html"
    )
    assert (shown.code, shown.err) == (0, "")
    assert scores(towns / "u.json")["total-variation", "one.csv"]["value"] == 0


# subgroups


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


# refusals


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("--metric nothing", "there is no metric 'nothing'"),
        ("--metric hoc", "hoc: "),
        ("--metric mgd --compat synthpop", "mgd has no mode 'synthpop'"),
        ("--compat nothing", "--compat must be one of"),
        ("--compat fixed", "--compat must be one of"),
        ("--compat sprint-2", "none of the metrics can be taken"),
        ("--compat synthpop --set mgd.tolerance=1", "mgd has no mode 'synthpop'"),
        ("--set k-marginal=2", "METRIC.NAME=VALUE"),
        ("--set k-marginal.k=2 --set k-marginal.k=3", "given twice"),
        ("--set nothing.k=2", "there is no metric 'nothing'"),
        ("--set k-marginal.kk=2", "no parameter 'kk'"),
        ("--set k-marginal.k=99", "k-marginal: "),
        ("--set k-marginal.k=nan", "k must be a finite number"),
        ("--set k-marginal.draws=1e12", "draws must be at most 1000000"),
        ("--set k-marginal.seed=1e400", "seed must be at most"),
        ("--set range-queries.share=1e400", "share must be a number below 1e308"),
        ("--set mgd.tolerance=-1", "tolerance"),
        ("--set mgd.tolerance=1e400 --metric mgd", "tolerance"),
        ("--set mgd.budget_seconds=1e400", "budget_seconds"),
        ("--set associations.numeric=nowhere", "associations: there is no attribute 'nowhere'"),
        ("--metric quality --set k-marginal.k=2", "not among the metrics asked for"),
        ("--seed -1", "--seed"),
        ("--seed 1.5", "--seed"),
        ("--replicates 0", "--replicates"),
        ("--replicates 1e9", "--replicates must be at most"),
        ("--chunk 0", "--chunk"),
        ("--plan absent.toml", "the plan absent.toml cannot be read"),
        ("--plan real.csv", "not valid TOML"),
        ("--draws absent.json", "cannot be read"),
        ("--draws real.csv", "not valid JSON"),
        ("--certificate real.csv", "real.csv"),
        ("--certificate absent.json", "absent.json cannot be read"),
        ("--save-draws u.json", "used twice"),
        ("--subsets 1e9", "--subsets must be at most"),
        ("--by nowhere", "--by nowhere: the domain has no such attribute"),
        ("--by sex --by sex", "--by names an attribute twice"),
        ("--by sex --chunk 5", "leave out --chunk and --cluster"),
    ],
)
def test_a_flag_that_cannot_be_read_is_one_line_and_no_file(
    dp_audit: Command, towns: Path, words: str, part: str
) -> None:
    before = names(towns)
    shown = dp_audit(f"{QUICK} --json u.json --html u.html {words}")
    assert part in one_line(shown)
    assert names(towns) == before


@pytest.mark.parametrize(
    ("plan", "part"),
    [
        ("k = 2", "must be a table"),
        ("[k-marginal]\nk = 'two'", "k must be a finite number"),
        ("[k-marginal]\nk = true", "k must be a number"),
        ("[k-marginal]\nk = [2]", "k must be a number"),
        ("[k-marginal]\nk = 2020-01-01", "k must be a number"),
        ("[k-marginal]\nk = nan", "k must be a"),
        ("[k-marginal]\ngroups = 3", "groups must be a list"),
        ("[k-marginal]\ngroups = ['nowhere']", "nowhere"),
        ("[k-marginal.k]\nx = 2", "k must be a number"),
        ("[nothing]", "there is no metric 'nothing'"),
        ("[subsample-equivalent]\nof = 'nothing'", "there is no metric 'nothing'"),
        ("[mgd]\ntargets = 3", "targets must be a list"),
        ("[mgd]\ntargets = [3]", "target 1"),
        ("[[mgd.targets]]\nattributes = ['nowhere']", "nowhere"),
        ("[[mgd.targets]]\nattributes = ['age']\nweights = { age = '1/2' }", "must sum to 1"),
        ("[[mgd.targets]]\nattributes = ['age']\ntolerance = -1", "tolerance"),
        ("[[mgd.targets]]\nattributes = ['age']\nimportance = 0", "importance"),
        ("[[mgd.targets]]\nattributes = []", "at least one attribute"),
    ],
)
def test_a_plan_of_wrong_types_is_one_line(
    dp_audit: Command, towns: Path, plan: str, part: str
) -> None:
    (towns / "plan.toml").write_text(plan)
    assert part in one_line(dp_audit(f"{QUICK} --plan plan.toml --json u.json"))
    assert not (towns / "u.json").exists()


@pytest.mark.parametrize(
    ("draws", "part"),
    [
        ("[]", "not a draws file"),
        ('{"k-marginal": 3}', "not a draws file"),
        ('{"k-marginal": []}', "empty"),
        ('{"k-marginal": ["city"]}', "k-marginal: a draw must be"),
        ('{"k-marginal": [[]]}', "k-marginal: a draw must be"),
        ('{"k-marginal": [["nowhere", "sex"]]}', "nowhere"),
        ('{"three-way-marginal": [["city", "sex"]]}', "three-way-marginal"),
        ('{"conjunction": [[["city", "Paris"]]]}', "a query is an object"),
        ('{"conjunction": [NaN]}', "a query is an object"),
        ('{"range-queries": [[["city", [99]]]]}', "range-queries"),
        ('{"pmse-ratio": ["x"]}', "pmse-ratio"),
        ('{"total-variation": [1]}', "has no random draws"),
        ('{"nothing": [1]}', "there is no metric 'nothing'"),
    ],
)
def test_draws_of_another_form_are_one_line(
    dp_audit: Command, towns: Path, draws: str, part: str
) -> None:
    (towns / "draws.json").write_text(draws)
    assert part in one_line(dp_audit(f"{QUICK} --draws draws.json --json u.json"))
    assert not (towns / "u.json").exists()


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        (HEADER, "no records"),
        (HEADER.replace("city,", ""), "lacks the columns 'city'"),
        (HEADER.replace("city", "sex"), "lacks the columns 'city'"),
        (HEADER + f"1,{SECRET},1,20,5,2018,\n", "attribute 'city'"),
        (HEADER + "1,Rome,1,nan,5,2018,\n", "attribute 'age'"),
        (HEADER + "1,Rome,1,2020-01-01,5,2018,\n", "attribute 'age'"),
        (HEADER + "1,Rome\n", "attribute 'sex'"),
        (HEADER + ",Rome,1,20,5,2018,\n", "id column 'person'"),
        (HEADER + f"1,Rome,1,20,5,2018,,{SECRET}\n", "not a well-formed CSV"),
        (HEADER + f'1,"{SECRET},1,20,5,2018,\n', "not a well-formed CSV"),
        ("\udcff\udcfe", "not a well-formed CSV"),
    ],
)
def test_a_table_that_does_not_fit_is_named_with_its_problems(
    dp_audit: Command, towns: Path, content: str, part: str
) -> None:
    (towns / "bad.csv").write_bytes(content.encode("utf-8", "surrogateescape"))
    before = names(towns)
    for line in ("utility real.csv bad.csv", "utility bad.csv near.csv"):
        for more in ("", " --chunk 3"):
            if more and "id column" in part:
                continue  # no count needs to know whose record it is
            shown = dp_audit(f"{line} --domain towns.toml --json u.json --quiet{more}")
            first, *problems = shown.err.splitlines()
            assert shown.code == 2 and shown.out == "" and first.startswith("dp-audit: ")
            assert "bad.csv" in first and part in shown.err
            assert all(problem.startswith("  attribute ") for problem in problems)
            # Of the confidential file, and of what is read in parts, no value is quoted.
            assert SECRET not in shown.err or (line.endswith("bad.csv") and not more)
    assert names(towns) == before


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("real.csv near.csv near.csv", "given twice"),
        ("real.csv near.csv ./near.csv", "given twice"),
        ("real.csv absent.csv", "absent.csv cannot be read"),
        ("real.csv towns.toml", "must end in .csv"),
        ("real.csv .", "must end in .csv"),
        ("- -", "standard input can be only one"),
        ("- near.csv --draws -", "standard input can be only one"),
        ("- near.csv --chunk 5", "standard input cannot be read in chunks"),
        ("real.csv near.csv --certificate c.json", "add --html"),
        ("real.csv near.csv --json no/u.json", "does not exist"),
        ("real.csv near.csv --json .", "is a folder"),
        ("real.csv near.csv --json near.csv", "used twice"),
    ],
)
def test_files_that_cannot_be_used_are_one_line(
    dp_audit: Command, towns: Path, words: str, part: str
) -> None:
    before = names(towns)
    shown = dp_audit(f"utility {words} --domain towns.toml --quiet")
    assert part in one_line(shown)
    assert names(towns) == before


def test_one_file_under_two_names_is_given_twice(dp_audit: Command, towns: Path) -> None:
    line = f"utility real.csv near.csv {towns / 'near.csv'} --domain towns.toml --quiet"
    assert "given twice" in one_line(dp_audit(line))


def test_a_marginal_too_large_to_number_is_one_line(dp_audit: Command, towns: Path) -> None:
    many = ", ".join(f'"{k}"' for k in range(1000))
    names_of = [f"c{k}" for k in range(8)]
    text = "[attributes]\n" + "".join(f"{name} = {{ values = [{many}] }}\n" for name in names_of)
    (towns / "wide.toml").write_text(text)
    (towns / "wide.csv").write_text(",".join(names_of) + "\n" + "1,2,3,4,5,6,7,8\n" * 3)
    line = "utility wide.csv wide.csv --domain wide.toml --quiet --json u.json --metric k-marginal"
    assert "take a smaller k" in one_line(dp_audit(f"{line} --set k-marginal.k=8"))
    assert dp_audit(f"{line} --set k-marginal.k=6").code == 0


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


def test_files_with_an_equals_sign_and_files_that_are_one(dp_audit: Command, towns: Path) -> None:
    near = (towns / "near.csv").read_text(encoding="utf-8")
    for name in ("near_eps=1.csv", "near_eps=2.csv"):
        (towns / name).write_text(near, encoding="utf-8")
    line = "utility real.csv --domain towns.toml --quiet --no-baseline --metric total-variation"
    shown = dp_audit(
        f"{line} --release-of near=near_eps=1.csv,near_eps=2.csv --release-of n=1=near.csv --json u"
    )
    assert shown.code == 0, shown.err
    programs = json.loads((towns / "u").read_text())["programs"]
    assert set(programs) == {"near", "n=1"} if isinstance(programs, dict) else len(programs) == 2
    assert "near_eps=1.csv, near_eps=2.csv and near.csv hold the same records" in one_text(shown)


def test_files_may_stand_behind_flags(dp_audit: Command, towns: Path) -> None:
    words = "--domain towns.toml --quiet --no-baseline --metric total-variation --json -"
    for files in (
        f"real.csv near.csv {words}",
        f"real.csv {words} near.csv",
        f"{words} real.csv near.csv",
    ):
        shown = dp_audit(f"utility {files}")
        assert shown.code == 0, shown.err
        assert [one["file"] for one in json.loads(shown.out)["synthetic"]] == ["near.csv"]
    assert "unrecognized" in dp_audit(f"utility real.csv {words} near.csv --nothing").err


def one_text(shown: Shown) -> str:
    return " ".join(shown.out.split())


def test_a_forged_certificate_promises_nothing(dp_audit: Command, towns: Path) -> None:
    line = "certify geometric-sanitizer --set epsilon=1 --claim epsilon=1 --cells 3 --rows 4"
    assert dp_audit(f"{line} --neighbours replace-one --records 9 --out c.json --quiet").code == 0
    asked = f"{QUICK} --metric total-variation --claim-of near.csv=c.json"
    assert "epsilon=1, replace-one (certificate c.json" in one_text(dp_audit(asked))
    forged = {**json.loads((towns / "c.json").read_text()), "claim": "epsilon=0.01"}
    (towns / "c.json").write_text(json.dumps(forged))
    assert "c.json promises nothing: its text was changed" in one_line(dp_audit(asked))
    (towns / "c.json").write_text(json.dumps({**forged, "digest": digest(forged)}))
    assert "promises nothing: the independent checker rejects" in one_line(dp_audit(asked))
