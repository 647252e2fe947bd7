"""Drafts of tables: values, ranges, percentiles as SDNist 2.5 has them, dates, what is secret."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from synthesizers.domain import Attribute
from synthesizers.domain_toml import domain_from_toml
from synthesizers.drafts.draft import Bins, Complete, Draft
from synthesizers.drafts.from_table import GIVES_AWAY, MOST_VALUES, draft_table
from synthesizers.drafts.percentiles import percentile_edges, set_apart
from synthesizers.encoding import encode_texts
from synthesizers.errors import InputError
from synthesizers.tables import from_frame, read_table

NO_BINS = Bins()


def attribute(texts: list[object], bins: Bins = NO_BINS) -> Attribute:
    """What is drafted of one column, which has to read the column back."""
    frame = pd.DataFrame({"x": pd.Series(texts, dtype=object)})
    draft = draft_table(frame, bins)
    (column,) = draft.columns
    assert isinstance(column, Complete)
    domain = domain_from_toml(draft.toml(), "d")
    assert domain.attributes == (column.attribute,)
    from_frame(frame, domain)
    return column.attribute


def whole(low: int, high: int) -> tuple[str, ...]:
    return tuple(map(str, range(low, high + 1)))


def test_columns_are_told_by_their_texts() -> None:
    assert attribute(["b", "a", "b"]) == Attribute("x", ("a", "b"))
    assert attribute(["b", "", None]) == Attribute("x", ("b",), missing=True)
    assert attribute(["3", "1", "6"]) == Attribute("x", whole(1, 6))
    assert attribute([3, 1.0, None]) == Attribute("x", whole(1, 3), missing=True)
    assert attribute([*whole(0, 20)]) == Attribute("x", whole(0, 20), True)
    assert attribute(["3", "N", "2"]) == Attribute(*("x", ("2", "3"), False, None, True, "N"))
    assert attribute(["H", "N"]) == Attribute("x", ("H", "N"))
    assert attribute(["007", "12"]) == Attribute("x", ("007", "12"))
    assert attribute([True, False]) == Attribute("x", ("False", "True"))
    assert attribute(["0.5", "2", "N"]).edges == (Fraction(1, 2), 2, 3)
    assert attribute(["-7", "400"]).edges == (-7, -6, 400)
    assert attribute(["5.5"]).edges == (Fraction(11, 2), Fraction(13, 2))


def test_dates_have_bins_of_dates() -> None:
    days = attribute(["2020-02-28", "2020-02-29", "2020-03-05", ""])
    assert days.values == (
        *("[2020-02-28, 2020-02-29)", "[2020-02-29, 2020-03-01)", "[2020-03-01, 2020-03-05]"),
    )
    assert attribute([dt.date(2020, 2, 29), dt.date(2020, 3, 5)]).values[0][:11] == "[2020-02-29"
    times = attribute(["07:00", "08:30"])
    assert times.values == ("[07:00:00, 07:00:01)", "[07:00:01, 08:30:00]")
    assert attribute(["2020-01-01 07:00"]).values == ("[2020-01-01T07:00:00, 2020-01-01T07:00:01]",)
    assert attribute(["2020-01-01", "?"]).missing_label == "?"


def test_bins_are_asked_for_of_all_columns_or_of_one() -> None:
    ages = [*range(100)]
    assert attribute(list(ages)).edges is None
    assert attribute(list(ages), Bins(4)).edges == (0, 24, 49, 74, 99)
    assert attribute(list(ages), Bins(None, (("x", 4),))).edges == (0, 24, 49, 74, 99)
    assert attribute(list(ages), Bins(200)).edges is None
    assert attribute([1, 1, 1, 5], Bins(2)).values == whole(1, 5)
    assert len(attribute([*range(0, 3000, 3)]).values) == 20


def ranks_of_sdnist(numbers: list[int], synthetic: list[int]) -> tuple[list[int], list[int]]:
    """The bins of SDNist 2.5 in its own steps: ranks of the target, then comparisons."""
    target = pd.Series(numbers)
    binned = target.rank(pct=True).apply(lambda x: int(20 * x) if x < 1 else 19)
    placed = []
    for number in synthetic:
        place, last = 0, max(binned)
        for group in sorted(set(binned)):
            # A bin reaches to the largest number of the target in it, and the last bin further.
            place = group
            if number <= target[binned == group].max() or group == last:
                break
        placed.append(place)
    return list(binned), placed


@example([0, 0, *range(1, 39)], [0])  # the mean rank of both zeros is in a bin before that of 1
@given(
    st.lists(st.integers(-40, 40) | st.integers(-(10**6), 10**6), min_size=2, max_size=120),
    st.lists(st.integers(0, 10**6), min_size=1, max_size=30),
)
def test_twenty_bins_are_those_of_sdnist(numbers: list[int], places: list[int]) -> None:
    distinct = sorted(set(numbers))
    synthetic = [distinct[0] + place % (distinct[-1] - distinct[0] + 1) for place in places]
    counts = np.array([numbers.count(number) for number in distinct])
    edges = percentile_edges([Fraction(number) for number in distinct], counts, 20, 1)
    x = Attribute.binned("x", edges)
    mine = encode_texts(x, [*map(str, numbers), *map(str, synthetic)]).tolist()
    target, placed = ranks_of_sdnist(numbers, synthetic)
    # SDNist's numbers of bins have gaps where a number has many records.
    renumbered = {place: at for at, place in enumerate(sorted(set(target)))}
    assert mine == [renumbered[place] for place in (*target, *placed)]


def test_a_code_among_numbers_has_a_bin_of_its_own() -> None:
    numbers = [*range(501), *([501] * 400)]
    table = attribute(list(numbers), Bins(20, (), (("x", Fraction(501)),)))
    alone = attribute(list(range(501)), Bins(20))
    assert table.edges == (*(alone.edges or ())[:-1], 501, 502)
    edges = (Fraction(0), Fraction(5), Fraction(9))
    assert set_apart(edges, Fraction(-1)) == (-1, 0, 5, 9)
    assert set_apart(edges, Fraction(-9)) == (-9, -8, 5, 9)
    assert set_apart(edges, Fraction(7)) == (0, 5, 7, 8, 9)
    assert set_apart(edges, Fraction(20)) == (0, 5, 20, 21)


def test_names_and_ids_are_left_open() -> None:
    people = [f"person {number}" for number in range(MOST_VALUES + 1)]
    numbers = [*range(1000, 1000 + len(people))]
    frame = pd.DataFrame({"name": people, "number": numbers, "sex": ["f"] * len(people)})
    draft = draft_table(frame, Bins())
    assert [(gap.name, gap.key) for gap in draft.gaps] == [("name", "values")]
    assert "is it an id?" in draft.toml() and not any(name in draft.toml() for name in people)
    kept = draft_table(frame[["name", "sex"]], Bins(), "name")
    assert (kept.individual, [one.name for one in kept.left_out]) == ("name", ["name"])
    assert domain_from_toml(kept.toml(), "d").individual == "name"
    with pytest.raises(InputError, match="no column 'id'"):
        draft_table(frame, Bins(), "id")
    with pytest.raises(InputError, match="no column 'age'"):
        draft_table(frame, Bins(3, (("age", 4),)))


def secret() -> Draft:
    frame = pd.DataFrame({"sex": ["f", "m", "f"], "income": [31337, 5, 700], "e": ["", "", None]})
    return draft_table(frame, Bins(), confidential=True)


def test_a_draft_of_a_confidential_table_says_what_it_gives_away() -> None:
    draft = secret()
    text = draft.toml()
    heading, body = text.split("[attributes]")
    assert "from the CONFIDENTIAL table" in heading and "GIVES AWAY" in heading
    told = heading.replace("\n# ", " ")
    assert all(" ".join(sentence.split()) in told for sentence in GIVES_AWAY)
    assert [one.name for one in draft.checks] == ["sex", "income"]
    assert body.count("CHECK:") == 2 and body.count("FILL IN:") == 1
    shown = [column.check for column in draft.checks] + [gap.ask for gap in draft.gaps]
    assert not any(value in line for line in shown for value in ("31337", "700", "'f'"))
    assert "GIVES AWAY" not in draft_table(pd.DataFrame({"x": [1]}), Bins()).toml()


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet"])
def test_files_are_read_back_by_their_draft(suffix: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "code": ["01", "02", "02"],
            "n": [1, 2, 900],
            "seen": pd.Series(["2020-01-01T07:00:00", "2020-01-02", None], dtype="datetime64[ns]"),
            "gone": [None, None, None],
        }
    )
    path = tmp_path / f"people{suffix}"
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False)
    draft = draft_table(path, Bins())
    assert draft.name == "people" and [gap.name for gap in draft.gaps] == ["gone"]
    text = draft.toml().replace('values = "FILL IN"', 'values = ["x"]')
    assert read_table(path, domain_from_toml(text, "d")).records == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "the table is empty"),
        ("a,b\n", "has no records"),
        ("a,a\n1,2\n", "two columns of the same name"),
        ("a;b\n1;2\n", "parted by semicolons"),
        ("a\tb\n1\t2\n", "parted by tabs"),
        ("a,b\n1,2,3\n", "not a well-formed CSV"),
        ("a\x01\n1\n", "control character"),
        ('a\n"x\x01y"\n', "control character"),
        (",b\n1,2\n", "non-empty text"),
    ],
)
def test_what_is_no_table_is_one_clear_error(content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(content)
    with pytest.raises(InputError, match=said) as caught:
        draft_table(tmp_path / "people.csv", Bins())
    assert "x\x01y" not in str(caught.value)
    with pytest.raises(InputError):
        draft_table(tmp_path / "absent.csv", Bins())
