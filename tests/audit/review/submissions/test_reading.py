"""``submission.toml``: what it says is read exactly, and all that is wrong is told at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.review.submissions.challenge import RunTerms, Terms
from audit.review.submissions.claims import ClaimTerms
from audit.review.submissions.reading import read_submission
from audit.review.submissions.submission import (
    Challenge,
    Launch,
    StatedClaim,
    StatedQuery,
    Submission,
)
from synthesizers.errors import InputError
from tests.audit.review.made_submissions import CLAIM, COPY, SILENT, TOML, write_copy

FULL = """
name = "team 7"
[run]
command = "python give.py {input} {output} {epsilon} {delta}"
rows = 10
seconds = 5
megabytes = 100
[claim]
guarantee = "epsilon={epsilon}, delta=1e-6"
epsilons = [0.1, 1, 10.0, "1/3", 1e-2]
neighbours = "add-remove"
unit = "person"
max_records = 7
[domain]
file = "domain.toml"
[write-up]
file = "notes.md"
[[write-up.query]]
name = "ages"
question = "marginal of age"
sensitivity = 7
share = 0.5
noise = "discrete Gaussian"
file = "give.py"
line = 2
[[write-up.query]]
name = "the rest"
"""


def read(folder: Path, toml: str, terms: Terms = SILENT) -> Submission:
    write_copy(folder, toml, **{"notes.md": "# Main idea"})
    return read_submission(folder, "given", terms, folder.parent / "made.toml")


def problems(folder: Path, toml: str, terms: Terms = SILENT) -> str:
    with pytest.raises(InputError) as refusal:
        read(folder, toml, terms)
    assert str(refusal.value).isprintable()
    return str(refusal.value)


def test_everything_that_a_file_states_is_read(tmp_path: Path) -> None:
    found = read(tmp_path / "x", FULL)
    assert found.name == "team 7" and found.folder == tmp_path / "x"
    assert found.launch == Launch(
        "template",
        ("python", "give.py", "{input}", "{output}", "{epsilon}", "{delta}"),
        rows=10,
        seconds=5,
        megabytes=100,
    )
    assert found.claim == StatedClaim(
        "epsilon={epsilon}, delta=1e-6",
        ("0.1", "1", "10", "1/3", "1e-2"),
        "add-remove",
        "person",
        7,
    )
    assert found.domain == tmp_path / "x" / "domain.toml"
    assert found.write_up.file == "notes.md"
    assert found.write_up.queries == (
        StatedQuery("ages", "marginal of age", "7", "0.5", "discrete Gaussian", "give.py", 2),
        StatedQuery("the rest"),
    )
    assert found.asked is None and found.beside == () and found.parameters == ()


def test_what_is_left_out_has_its_default(tmp_path: Path) -> None:
    found = read(tmp_path / "x", TOML)
    assert found.name == "given"
    assert found.claim == StatedClaim("epsilon={epsilon}", ("0.1", "1"), "add-remove")
    assert (found.launch.rows, found.launch.seconds, found.launch.megabytes) == (None, 60, 4096)


@pytest.mark.parametrize(
    ("run", "way", "words"),
    [
        ('program = "./give.py"', "submission", ("give.py",)),
        ('program = "give.py"\nprotocol = "curator"', "curator", ("give.py",)),
        ('module = "give:run"\nform = "function"', "module", ("give:run",)),
    ],
)
def test_each_way_is_read(tmp_path: Path, run: str, way: str, words: tuple[str, ...]) -> None:
    launch = read(tmp_path / "x", f"[run]\n{run}\n{CLAIM}").launch
    assert (launch.way, launch.words) == (way, words)


def test_parameters_are_texts_and_numbers_as_they_are_written(tmp_path: Path) -> None:
    toml = (
        f'[run]\nmodule = "give:run"\n{CLAIM}[parameters]\na = "{{epsilon}}"\nb-c = 0.10\nd = 3\n'
    )
    found = read(tmp_path / "x", toml)
    assert found.parameters == (("a", "{epsilon}"), ("b-c", "0.10"), ("d", "3"))


def test_all_problems_are_told_at_once_and_none_hides_another(tmp_path: Path) -> None:
    toml = """
zebra = 1
name = "../up"
[run]
command = "python give.py {input} {outpt}"
rows = -1
python = "python3"
lion = 2
[claim]
epsilons = [0, 1]
neighbours = "both"
unit = "person"
[domain]
file = "../domain.toml"
[parameters]
x = 1
[write-up]
file = "absent.md"
[[write-up.query]]
share = 2
tiger = 1
"""
    said = problems(tmp_path / "x", toml)
    for part in (
        "'zebra'",
        "name must be at most",
        "unknown place {outpt}",
        "must have the place {output}",
        "rows must be a whole number",
        "python must be the absolute path",
        "'lion'",
        "epsilons must be numbers above 0",
        "neighbours must be add-remove or replace-one",
        "[domain]: file must be a path within the folder",
        "[parameters]: parameters go with module",
        "no file 'absent.md'",
        "[[write-up.query]] number 1: a query needs a name",
        "share must lie between 0 and 1",
        "'tiger'",
    ):
        assert part in said, part


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        (CLAIM, "state one of command, program, module, deid2, found none"),
        (f'[run]\ncommand = "{COPY}"\nmodule = "a:b"\n{CLAIM}', "found command and module"),
        (f'[run]\ncommand = "{COPY}"\nprotocol = "curator"\n{CLAIM}', "protocol goes with program"),
        (f'[run]\ncommand = "{COPY}"\nform = "function"\n{CLAIM}', "form goes with module"),
        (f'[run]\nprogram = "give.py"\npython = "/bin/sh"\n{CLAIM}', "a program names its own"),
        (f'[run]\nprogram = "/bin/sh"\n{CLAIM}', "a path within the folder"),
        (f'[run]\nprogram = "absent"\n{CLAIM}', "there is no file"),
        (f'[run]\nmodule = "give"\n{CLAIM}', "module:attribute"),
        (f'[run]\nmodule = "a.b:c;d"\n{CLAIM}', "module:attribute"),
        (f"[run]\ndeid2 = true\n{CLAIM}", "needs main.py"),
        (f'[run]\ncommand = "python \'x {{input}} {{output}}"\n{CLAIM}', "not closed"),
        (f'[run]\ncommand = "{{input}} {{output}}"\n{CLAIM}', "begin with a program"),
        (f'[run]\ncommand = "a {{input}} {{output}} {{rho}}"\n{CLAIM}', "has the place {rho}"),
        (f'[run]\ncommand = "a {{input}} {{output}} {{rows}}"\n{CLAIM}', "state rows"),
        (f'[run]\ncommand = "{COPY}"\n[claim]\nneighbours = "add-remove"\n', "needs epsilons"),
        (f'[run]\ncommand = "{COPY}"\n[claim]\nepsilons = [1]\n', "needs neighbours"),
        (TOML + 'guarantee = "rho=1"\n', "must hold {epsilon}"),
        (TOML + 'guarantee = "epsilon={epsilon}, delta=2"\n', "0 <= delta < 1"),
        (TOML + 'guarantee = "epsilon={epsilon}"\ndelta = 0.1\n', "state delta once"),
        (TOML + 'unit = "person"\n', "needs max_records"),
        (TOML + "max_records = 3\n", "max_records goes with"),
        (TOML.replace("[0.1, 1]", "[1, 1.0]"), "a number twice"),
        (TOML.replace("[0.1, 1]", "[]"), "epsilons is empty"),
        (TOML.replace("[0.1, 1]", "[nan]"), "list of numbers"),
        (TOML.replace("[0.1, 1]", "[inf]"), "list of numbers"),
        (TOML.replace("[0.1, 1]", "[true]"), "list of numbers"),
        ('name = "a\\u001b[2J"\n' + TOML, "name must be a text of one line"),
        ("[run\n", "not valid TOML (at line 1"),
        ("a = " + "[" * 5000, "not valid TOML"),
        ("#" * 2**21, "larger than"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, toml: str, said: str) -> None:
    assert said in problems(tmp_path / "x", toml)


def test_a_claim_of_rho_fills_its_own_place(tmp_path: Path) -> None:
    toml = (
        '[run]\ncommand = "a {input} {output} {rho}"\n[claim]\nguarantee = "rho={epsilon}"\n'
        'epsilons = [0.5]\nneighbours = "add-remove"\n'
    )
    assert read(tmp_path / "x", toml).claim.at("0.5") == "rho=0.5"


def test_rows_are_told_where_the_number_of_records_is_public(tmp_path: Path) -> None:
    toml = TOML.replace("{output}", "{output} {rows}").replace("add-remove", "replace-one")
    assert "{rows}" in read(tmp_path / "x", toml).launch.words


def test_a_domain_that_can_not_be_read_is_a_problem_among_the_others(tmp_path: Path) -> None:
    folder = write_copy(tmp_path / "x", TOML + "zebra = 1\n", **{"domain.toml": "name = 1"})
    with pytest.raises(InputError, match=r"zebra.*\[domain\]: .*domain\.toml"):
        read_submission(folder, "x", SILENT, tmp_path / "made.toml")


def test_persons_need_an_id_column(tmp_path: Path) -> None:
    plain = '[attributes]\nsex = { values = ["f", "m"] }\n'
    folder = write_copy(
        tmp_path / "x", TOML + 'unit = "person"\nmax_records = 2\n', **{"domain.toml": plain}
    )
    with pytest.raises(InputError, match="must name the id column"):
        read_submission(folder, "x", SILENT, tmp_path / "made.toml")


def test_a_challenge_fills_what_is_left_out_and_nothing_else(tmp_path: Path) -> None:
    asked = ClaimTerms("epsilon={epsilon}, delta=1e-9", ("1", "2"), "replace-one", "person", 5)
    other = write_copy(tmp_path / "other") / "domain.toml"
    terms = Terms(Challenge("c"), asked, RunTerms(3, 600, None), other)
    silent = read(tmp_path / "x", f'[run]\ncommand = "{COPY}"\nseconds = 7\n', terms)
    assert silent.claim == StatedClaim(
        "epsilon={epsilon}, delta=1e-9", ("1", "2"), "replace-one", "person", 5
    )
    assert silent.asked is None and silent.domain == other
    assert silent.launch.rows == 3 and silent.launch.seconds == 7
    assert silent.launch.megabytes == Launch.megabytes
    own = read(tmp_path / "y", TOML + "delta = 1e-3\n", terms)
    assert own.claim == StatedClaim(
        "epsilon={epsilon}, delta=1e-3", ("0.1", "1"), "add-remove", "person", 5
    )
    assert own.asked == silent.claim


def test_a_domain_of_its_own_is_another_only_if_it_says_something_else(tmp_path: Path) -> None:
    shared = write_copy(tmp_path / "shared") / "domain.toml"
    terms = Terms(Challenge("c"), domain=shared)
    stated = TOML + '[domain]\nfile = "own.toml"\n'
    text = shared.read_text()
    alike = write_copy(tmp_path / "x", stated, **{"own.toml": text.replace("clinic", "ours")})
    assert not read_submission(alike, "x", terms, tmp_path / "made.toml").other_domain
    more = text + '[attributes.more]\nvalues = ["a", "b"]\n'
    other = write_copy(tmp_path / "y", stated, **{"own.toml": more})
    assert read_submission(other, "y", terms, tmp_path / "made.toml").other_domain
    assert not read_submission(other, "y", SILENT, tmp_path / "made.toml").other_domain


def test_the_same_claim_in_other_words_is_no_question(tmp_path: Path) -> None:
    asked = ClaimTerms("epsilon={epsilon}, delta=0.000001", ("0.10", "1"), "add-remove")
    terms = Terms(Challenge("c"), asked)
    assert read(tmp_path / "x", TOML + "delta = 1e-6\n", terms).asked is None
    assert read(tmp_path / "y", TOML + "delta = 2e-6\n", terms).asked is not None


@pytest.mark.parametrize(
    ("limit", "terms", "most"),
    [
        ("seconds = 999999999", RunTerms(), 86400),
        ("seconds = 61", RunTerms(seconds=60), 60),
        ("megabytes = 99999999", RunTerms(), 2**20),
        ("megabytes = 2000", RunTerms(megabytes=1000), 1000),
    ],
)
def test_a_submission_takes_no_more_than_its_challenge_allows(
    tmp_path: Path, limit: str, terms: RunTerms, most: int
) -> None:
    # Its reviewer would wait for it.
    toml = TOML.replace("[claim]", f"{limit}\n[claim]")
    found = problems(tmp_path / "x", toml, Terms(Challenge("a challenge"), run=terms))
    assert f"must be at most {most}" in found
