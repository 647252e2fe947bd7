"""``challenge.toml``: what all submissions of a folder share."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.review.submissions.challenge import RunTerms, read_terms
from audit.review.submissions.claims import ClaimTerms
from audit.review.submissions.submission import Challenge
from synthesizers.errors import InputError
from tests.audit.review.made_submissions import DOMAIN, write_files

FULL = """
name = "spring"
data = "public.csv"
metrics = ["total-variation"]
[claim]
epsilons = [1]
unit = "person"
max_records = 4
[domain]
file = "domain.toml"
[run]
seconds = 9
[deid2]
parameters = "parameters.json"
format = "format.csv"
"""
FILES = {"public.csv": "", "domain.toml": DOMAIN, "parameters.json": "{}", "format.csv": ""}


def test_everything_is_read(tmp_path: Path) -> None:
    folder = write_files(tmp_path, {"challenge.toml": FULL, **FILES})
    terms = read_terms(folder)
    assert terms.challenge == Challenge("spring", folder / "public.csv", ("total-variation",))
    assert terms.claim == ClaimTerms(None, ("1",), None, "person", 4)
    assert terms.run == RunTerms(None, 9, None)
    assert {path.name for path in terms.files} == set(FILES)


def test_a_folder_without_the_file_is_a_challenge_of_its_name(tmp_path: Path) -> None:
    terms = read_terms(write_files(tmp_path / "spring", {"a": ""}))
    assert terms.challenge == Challenge("spring") and terms.claim == ClaimTerms()
    assert terms.files == ()


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ('data = "absent.csv"', "no file 'absent.csv'"),
        ("metrics = 1", "metrics must be a list"),
        (
            'metrics = ["total-varation"]',
            "no metric 'total-varation'; the nearest: total-variation",
        ),
        ('metrics = ["zzz"]', "there are total-variation"),
        ("[claim]\nepsilons = [-1]", "above 0"),
        ('[claim]\nneighbours = "both"', "neighbours must be"),
        ('[claim]\nguarantee = "eps={epsilon}"', "a claim reads"),
        ("[claim]\nmax_records = 3", "max_records goes with"),
        ("[claim]\nepsilon = 3", "'epsilon'"),
        ("zebra = 1\nlion = 2", "keys 'zebra', 'lion'"),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, toml: str, said: str) -> None:
    write_files(tmp_path, {"challenge.toml": toml})
    with pytest.raises(InputError) as refusal:
        read_terms(tmp_path)
    assert said in str(refusal.value)


def test_a_part_of_a_claim_is_no_problem(tmp_path: Path) -> None:
    write_files(tmp_path, {"challenge.toml": '[claim]\nunit = "person"\n'})
    assert read_terms(tmp_path).claim == ClaimTerms(unit="person")
