"""What a submission is tried on: of the domain, of the unit, and as an audit tells it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from audit.review.submissions.trial_data import PERSONS, RECORDS, make_up, read_public
from synthesizers.domain_toml import domain_from_toml
from synthesizers.errors import InputError
from synthesizers.neighbours import RECORD, Unit

DOMAIN = domain_from_toml(
    """
[attributes]
sex = { values = ["1", "2"], missing = true }
age = { bins = [0, 30, 60.5], ordinal = true, missing = true }
day = { bins = [2020-01-01, 2020-06-01, 2021-01-01] }
[individual]
id = "who"
""",
    "d",
)


def test_made_up_records_are_of_the_domain_and_follow_from_the_seed() -> None:
    made = make_up(DOMAIN, RECORD, 3)
    assert len(made.records) == RECORDS == made.dataset.records and made.name == ""
    assert all(list(record) == ["sex", "age", "day"] for record in made.records)
    assert {record["sex"] for record in made.records} == {"1", "2", None}
    ages = [record["age"] for record in made.records]
    assert None in ages and all(age is None or 0 <= age <= 60.5 for age in ages)
    assert all("2020-01-01" <= record["day"] <= "2021-01-01" for record in made.records)
    assert make_up(DOMAIN, RECORD, 3).records == made.records
    assert make_up(DOMAIN, RECORD, 4).records != made.records


def test_persons_own_what_the_claim_allows() -> None:
    for most in (1, 2, 200):
        made = make_up(DOMAIN, Unit("person", most), 1)
        owned = Counter(record["who"] for record in made.records)
        assert len(owned) == PERSONS and 1 <= max(owned.values()) <= min(most, 3)
        assert all(next(iter(record)) == "who" for record in made.records)


def test_a_public_table_is_told_as_the_domain_has_it(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = ["7,1.0,12,2020-02-01,x", "7,2,,2020-12-31,x", '8,,"[0, 30)",2020-06-01,x']
    path.write_text("who,sex,age,day,other\n" + "\n".join(rows) + "\n")
    found = read_public(path, DOMAIN, Unit("person", 1))
    assert found.name == "t.csv"
    assert found.records == [
        {"who": "7", "sex": "1", "age": 12, "day": "2020-02-01"},
        {"who": "8", "sex": None, "age": "[0, 30)", "day": "2020-06-01"},
    ]
    assert found.dataset.records == 2
    of_records = read_public(path, DOMAIN, RECORD).records
    assert len(of_records) == 3 and of_records[1]["age"] is None and "who" not in of_records[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sex,age,day\n1,1,2020-01-01\n", "no column 'who'"),
        ("who,sex,age\n1,1,1\n", "day"),
        ("who,sex,age,day\n", "no records"),
        ("who,sex,age,day\n1,3,1,2020-01-01\n", "t.csv: .*sex"),
    ],
)
def test_another_table_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        read_public(path, DOMAIN, Unit("person", 3))
