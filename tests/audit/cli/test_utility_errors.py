"""``dp-audit utility`` on bad input: one line that says what to do, and no file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audit.statements.certificate import digest
from tests.audit.calls import Command, Shown
from tests.audit.cli.towns import HEADER, QUICK, SECRET, names, one_line
from tests.audit.review.certificates import GOLDEN


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
    assert (
        "there is no option --nothing"
        in dp_audit(f"utility real.csv {words} near.csv --nothing").err
    )


def one_text(shown: Shown) -> str:
    return " ".join(shown.out.split())


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("persons", "replace-one, persons of at most 2 records (certificate c.json: PROVED)"),
        ("module", "c.json promises nothing: it states no isolation of the program"),
    ],
)
def test_a_certificate_promises_what_it_shows_of_whom(
    name: str, says: str, dp_audit: Command, towns: Path
) -> None:
    held = (GOLDEN / f"before-isolation-{name}.json").read_bytes()
    (towns / "c.json").write_bytes(held)
    shown = dp_audit(f"{QUICK} --metric total-variation --claim-of near.csv=c.json")
    assert says in " ".join((shown.out + shown.err).split())


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
