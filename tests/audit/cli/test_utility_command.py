"""``dp-audit utility`` as a user runs it: what it prints and writes, and how it refuses."""

from __future__ import annotations

import gzip
import io
import json
import math
import warnings
from pathlib import Path

import pandas as pd
import pytest

from tests.audit.calls import Command
from tests.audit.cli.towns import (
    DOMAIN,
    DRAWING,
    EVERY,
    FEW,
    HEADER,
    QUICK,
    SECRET,
    SOME,
    numbers,
    one_line,
    read,
    rows,
    scores,
)
from tests.audit.report.utility.samples import CONTRACT


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
    for name, part in (("first", slice(0, 30)), ("second", slice(30, None))):
        table.iloc[part].to_parquet(towns / "near" / f"{name}.parquet")
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
