"""Tables to be compared: their codes, the numbers behind bins, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.utility.records import (
    NumbersTooLarge,
    Outside,
    Records,
    is_measured,
    is_numeric,
    label_numbers,
    numbers_alike,
    of_dataset,
    of_frame,
    read_records,
)
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.tables import read_table

SECRET = "xyzzy31337"
WAGE = Attribute.binned("wage", [-10, 0, 20, 100], missing=True, missing_label="-1")
DOMAIN = Domain(
    "staff",
    (
        Attribute("sex", ("f", "m")),
        Attribute("grade", ("1", "2", "3"), ordinal=True, missing=True),
        WAGE,
        Attribute("site", ("a", "b"), missing=True, missing_label="N"),
    ),
)
FRAME = pd.DataFrame(
    {
        "site": ["a", "N", "b", ""],
        "wage": ["19.99", "20", "-1", "-0.5"],
        "sex": ["m", "f", "f", "m"],
        "unused": [SECRET] * 4,
        "grade": ["3", "", "1.0", "2"],
    }
)
CODES = [[1, 2, 1, 0], [0, 3, 2, 2], [0, 0, 3, 1], [1, 1, 0, 2]]


def test_records_are_coded_by_the_domain_and_keep_the_numbers_behind_bins() -> None:
    table = of_frame(FRAME, DOMAIN)
    assert table.codes.tolist() == CODES
    assert table.records == 4
    assert table.shape == DOMAIN.shape
    assert table.codes.flags.f_contiguous
    # -1 is how this table writes that there is no wage.
    np.testing.assert_array_equal(table.numbers("wage"), [19.99, 20, np.nan, -0.5])
    np.testing.assert_array_equal(table.numbers("grade"), [3, np.nan, 1, 2])
    assert table.midpoints == frozenset()


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet"])
def test_files_and_frames_give_the_same_records(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"t{suffix}"
    if suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="needs pyarrow to write Parquet")
        FRAME.to_parquet(path, index=False)
    else:
        FRAME.to_csv(path, index=False)
    table, expected = read_records(path, DOMAIN), of_frame(FRAME, DOMAIN)
    assert table.codes.tolist() == expected.codes.tolist()
    np.testing.assert_array_equal(table.numbers("wage"), expected.numbers("wage"))
    assert read_table(path, DOMAIN).codes.tolist() == table.codes.tolist()


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.assign(grade=[3.0, np.nan, 1.0, 2.0]),
        lambda f: f.assign(grade=pd.array([3, None, 1, 2], dtype="Int64")),
        lambda f: f.assign(grade=[3, None, 1, 2]),
        lambda f: f.assign(wage=[19.99, 20.0, -1.0, -0.5]).assign(wage=lambda g: g["wage"]),
        lambda f: f.assign(sex=f["sex"].astype("category"), site=f["site"].astype("category")),
        lambda f: f.assign(site=["a", None, "b", np.nan]),
        lambda f: f.iloc[:, ::-1],
        lambda f: f.set_axis([7, 7, 7, 7], axis="index"),
    ],
)
def test_columns_of_any_fitting_type_give_the_same_codes(
    change: Callable[[pd.DataFrame], pd.DataFrame],
) -> None:
    codes = of_frame(change(FRAME), DOMAIN).codes
    expected = np.array(CODES)
    if change(FRAME)["wage"].dtype == float:
        # The number -1.0 is no text "-1": it falls into the bin from -10.
        expected[2, 2] = 0
    assert codes.tolist() == expected.tolist()


def test_a_table_that_only_names_bins_has_their_middles() -> None:
    named = FRAME.assign(wage=["[0, 20)", "[20, 100]", "-1", "[-10, 0)"])
    table = of_frame(named, DOMAIN)
    assert table.codes.tolist() == CODES
    np.testing.assert_array_equal(table.numbers("wage"), [10, 60, np.nan, -5])
    assert table.midpoints == {"wage"}
    dataset = of_dataset(Dataset(DOMAIN, np.array(CODES)))
    assert dataset.midpoints == {"wage"}
    np.testing.assert_array_equal(dataset.numbers("wage"), table.numbers("wage"))
    for pair in ((table, of_frame(FRAME, DOMAIN)), (of_frame(FRAME, DOMAIN), table)):
        for numbers in numbers_alike(pair, "wage"):
            np.testing.assert_array_equal(numbers, [10, 60, np.nan, -5])
        for numbers in numbers_alike(pair, "grade"):
            np.testing.assert_array_equal(numbers, [3, np.nan, 1, 2])


def test_one_named_bin_beside_numbers_outside_the_domain_is_seen() -> None:
    mixed = FRAME.assign(wage=["[0, 20)", "5000", "-1", "-0.5"])
    table = of_frame(mixed, DOMAIN, "cell")
    assert table.midpoints == {"wage"}
    assert table.column("wage").tolist() == [1, 4, 3, 0]


def test_values_outside_the_domain_get_a_cell_of_their_own() -> None:
    odd = FRAME.assign(
        sex=["m", SECRET, "", "f"], wage=["1e999", "100.01", "x", ""], site=["c", "a", "N", "b"]
    )
    table = of_frame(odd, DOMAIN, "cell")
    assert table.column("sex").tolist() == [1, 2, 2, 0]
    assert table.column("wage").tolist() == [4, 4, 4, 3]
    assert table.column("site").tolist() == [3, 0, 2, 1]
    assert table.shape == (3, 4, 5, 4)
    np.testing.assert_array_equal(table.numbers("wage"), [np.nan, 100.01, np.nan, np.nan])


@pytest.mark.parametrize("bad", [0, 1, 37, 99])
def test_one_value_outside_among_many_is_found(bad: int) -> None:
    domain = Domain("d", (Attribute("a", tuple(map(str, range(100)))),))
    values = [str(k) if k != bad else SECRET for k in range(100)]
    table = of_frame(pd.DataFrame({"a": values}), domain, "cell")
    assert table.codes[:, 0].tolist() == [k if k != bad else 100 for k in range(100)]


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("sex", ["m", SECRET, "f", "f"], "'sex'.*does not declare"),
        ("sex", ["m", None, "f", "f"], "'sex'.*declares no missing value"),
        ("sex", [1.5, 2.5, 3.5, 4.5], "'sex'.*does not declare"),
        ("sex", [True, False, True, True], "'sex'.*does not declare"),
        ("wage", ["1", SECRET, "2", "3"], "'wage'.*neither a finite number"),
        ("wage", ["1", "31337", "2", "3"], "'wage'.*outside the bins"),
        ("wage", [np.inf, 1, 2, 3], "'wage'.*neither a finite number"),
        ("grade", [[SECRET], [], [], []], "'grade'.*neither text nor a number"),
        ("grade", pd.to_datetime(["2031-03-17"] * 4), "'grade'.*does not declare"),
        ("grade", [1 + 2j, 1, 2, 3], "'grade'.*does not declare"),
    ],
)
def test_values_that_do_not_fit_are_refused_without_showing_them(
    column: str, values: Any, message: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        of_frame(FRAME.assign(**{column: values}), DOMAIN)
    for private in (SECRET, "31337", "2031", "1.5"):
        assert private not in str(caught.value)


def test_missing_and_repeated_columns_are_refused_by_name(tmp_path: Path) -> None:
    twice = pd.concat([FRAME, FRAME[["grade"]]], axis="columns")
    for frame, found in ((FRAME.drop(columns="grade"), "lacks"), (twice, "several")):
        with pytest.raises(InputError, match="'grade'"):
            of_frame(frame, DOMAIN)
        frame.to_csv(tmp_path / "t.csv", index=False)
        with pytest.raises(InputError, match=f"{found}.*'grade'") as caught:
            read_records(tmp_path / "t.csv", DOMAIN)
        assert SECRET not in str(caught.value)


@pytest.mark.parametrize("outside", ["refuse", "cell"])
def test_files_without_records_are_refused(tmp_path: Path, outside: Outside) -> None:
    FRAME.iloc[:0].to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(InputError, match="no records"):
        read_records(tmp_path / "t.csv", DOMAIN, outside)
    with pytest.raises(InputError, match="cannot be read"):
        read_records(tmp_path / "absent.csv", DOMAIN, outside)
    assert of_frame(FRAME.iloc[:0], DOMAIN).records == 0
    assert of_frame(FRAME.iloc[:0], DOMAIN).shape == DOMAIN.shape


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (np.array([[0.0, 0, 0, 0]]), "integers"),
        (np.array([[0, 0, 0]]), "4 attributes"),
        (np.array([0, 0, 0, 0]), "4 attributes"),
        (np.array([[0, 0, 0, 0], [3, 0, 0, 0]]), "'sex'.*0 to 1, and 2"),
        (np.array([[0, 0, 0, 0], [0, 0, -1, 0]]), "'wage'"),
        (np.array([["a", "b", "c", "d"]]), "integers"),
    ],
)
def test_codes_outside_the_domain_are_refused(codes: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Records(DOMAIN, codes)


def test_numbers_and_persons_must_fit_the_records() -> None:
    codes = np.array(CODES)
    with pytest.raises(InputError, match=r"'wage'.*one a record"):
        Records(DOMAIN, codes, {"wage": np.zeros(3)})
    with pytest.raises(InputError, match=r"'grade'.*declare bins"):
        Records(DOMAIN, codes, {"grade": np.zeros(4)})
    with pytest.raises(InputError, match="person"):
        Records(DOMAIN, codes, persons=np.zeros(3, dtype=np.int64))


def test_codes_of_any_integer_type_become_int64_columns() -> None:
    for kind in (np.int8, np.uint16, np.int64):
        table = Records(DOMAIN, np.array(CODES, dtype=kind))
        assert table.codes.dtype == np.int64
        assert table.codes.flags.f_contiguous
        assert table.codes.tolist() == CODES


def test_records_can_be_taken_by_row() -> None:
    domain = Domain(DOMAIN.name, DOMAIN.attributes, individual="id")
    table = of_frame(FRAME.assign(id=["x", "y", "x", "z"]), domain)
    part = table.take(np.array([3, 0, 0]))
    assert part.codes.tolist() == [CODES[3], CODES[0], CODES[0]]
    np.testing.assert_array_equal(part.numbers("wage"), [-0.5, 19.99, 19.99])
    assert table.persons is not None and part.persons is not None
    assert table.persons.tolist() == [0, 1, 0, 2]
    assert part.persons.tolist() == [2, 0, 0]
    assert repr(part) == "Records(domain='staff')"


def test_a_table_is_not_counted_over_fewer_codes_than_it_has() -> None:
    table = of_frame(FRAME.assign(sex=["m", "x", "f", "f"]), DOMAIN, "cell")
    with pytest.raises(InputError, match="at least the codes"):
        list(table.counts((("sex",),), DOMAIN.shape))


def test_numbers_of_labels() -> None:
    np.testing.assert_array_equal(label_numbers(WAGE), [-5, 10, 60, np.nan, np.nan])
    ordinal, nominal = (Attribute("a", ("-1", "2.5"), ordinal=flag) for flag in (True, False))
    np.testing.assert_array_equal(label_numbers(ordinal), [-1, 2.5, np.nan])
    with pytest.raises(InputError, match=r"'site'.*must be numbers"):
        label_numbers(DOMAIN.attribute("site"))
    with pytest.raises(InputError, match="no attribute 'x'"):
        of_frame(FRAME, DOMAIN).numbers("x")
    assert [is_numeric(a) for a in (WAGE, ordinal, nominal)] == [True, True, True]
    assert [is_measured(a) for a in (WAGE, ordinal, nominal)] == [True, True, False]
    assert not is_measured(Attribute("a", ("low", "high"), ordinal=True))


def test_numbers_that_would_overflow_are_refused_when_they_are_asked_for() -> None:
    domain = Domain(
        "huge",
        (
            Attribute.binned("wide", [0, 1, 10**200]),
            Attribute("label", ("1", "1" + "0" * 101), ordinal=True),
        ),
    )
    small = of_frame(pd.DataFrame({"wide": ["0.5", "1e100"], "label": ["1", "1"]}), domain)
    assert small.numbers("wide").tolist() == [0.5, 1e100]
    large = of_frame(pd.DataFrame({"wide": ["0.5", "1.1e100"], "label": ["1", "1"]}), domain)
    named = of_frame(
        pd.DataFrame({"wide": ["[0, 1)", domain.attribute("wide").values[1]]}).assign(label="1"),
        domain,
    )
    for table in (large, named):
        with pytest.raises(NumbersTooLarge, match="attribute 'wide'") as refused:
            table.numbers("wide")
        assert "1.1e" not in str(refused.value)
    with pytest.raises(NumbersTooLarge):
        numbers_alike((small, named), "wide")
    # Such labels are names, and no numbers.
    assert not is_measured(domain.attribute("label"))
    with pytest.raises(InputError, match="its values must be numbers here"):
        small.numbers("label")
