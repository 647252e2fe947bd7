"""Tables in and out: coding against slow versions, refusals without values, round trips."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tempfile
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audit.utility.records import of_frame
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.encoding import encode_texts
from synthesizers.errors import InputError
from synthesizers.numerals import number_text
from synthesizers.tables import from_frame, read_table, table_frames, to_frame, write_table
from tests.synthesizers.tables_on_disk import written

SECRET = "xyzzy31337"
SEX = Attribute("sex", ("male", "female"))
GRADE = Attribute("grade", ("1", "2", "3"), ordinal=True, missing=True)
AGE = Attribute.binned("age", [0, 30, 60, 120], ordinal=True)
PEOPLE = Domain("people", (SEX, GRADE, AGE))
PERSONS = Domain("people", (SEX,), individual="person_id")
TABLE = "age,sex,grade\n0,male,1\n29.999,female,\n30,male,3\n120,female,2\n"
CODES = [[0, 0, 0], [1, 3, 0], [0, 2, 1], [1, 1, 2]]


@pytest.mark.parametrize("name", ["table.csv", "table.csv.gz"])
def test_a_table_is_coded_by_its_domain(tmp_path: Path, name: str) -> None:
    dataset = read_table(written(tmp_path, TABLE, name), PEOPLE)
    assert dataset.codes.tolist() == CODES
    assert dataset.persons is None


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + TABLE,
        TABLE.replace("\n", "\r\n"),
        TABLE.replace("\n", "\r"),
        TABLE.replace("30,male", '"30","male"'),
        TABLE.removesuffix("\n"),
        TABLE + "\n\n",
        "\n" + TABLE,
    ],
)
def test_dialects_of_csv(tmp_path: Path, text: str) -> None:
    assert read_table(written(tmp_path, text), PEOPLE).codes.tolist() == CODES


def test_standard_input_is_csv(monkeypatch: pytest.MonkeyPatch) -> None:
    source = io.BytesIO(TABLE.encode())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=source))
    assert read_table("-", PEOPLE).codes.tolist() == CODES
    assert not source.closed


edges = st.lists(
    st.fractions(-100, 100, max_denominator=30) | st.sampled_from([Fraction(1, 10), Fraction(3)]),
    min_size=2,
    max_size=6,
    unique=True,
).map(sorted)


def bin_slowly(bounds: list[Fraction], value: Fraction) -> int | None:
    """Return the bin of ``value``, by looking at each."""
    for k in range(len(bounds) - 1):
        last = k == len(bounds) - 2
        if bounds[k] <= value < bounds[k + 1] or (last and value == bounds[-1]):
            return k
    return None


@given(edges, st.data())
def test_bins_are_left_closed_and_the_last_edge_is_included(
    bounds: list[Fraction], data: st.DataObject
) -> None:
    attribute = Attribute.binned("x", bounds)
    near = [Fraction(number_text(b)) + d for b in bounds for d in (0, Fraction(1, 10**25))]
    decimal = [value for value in near if "/" not in number_text(value)]
    decimal.append(Fraction(data.draw(st.integers(-110, 110))))
    for value in decimal:
        expected = bin_slowly(bounds, value)
        if expected is None:
            with pytest.raises(InputError, match="outside the bins"):
                encode_texts(attribute, [number_text(value)])
        else:
            assert encode_texts(attribute, [number_text(value)]).tolist() == [expected]


def test_a_number_that_rounds_to_an_edge_is_compared_exactly() -> None:
    attribute = Attribute.binned("x", [0, Fraction(1, 10), 1])
    below, above = "0.09999999999999999999999", "0.10000000000000000000001"
    assert float(below) == float(above) == 0.1
    assert encode_texts(attribute, [below, "0.1", above]).tolist() == [0, 1, 1]
    for outside in ("1.00000000000000000000001", "-0.00000000000000000000001", "-1e-999"):
        with pytest.raises(InputError, match="outside the bins"):
            encode_texts(attribute, [outside])


def test_edges_that_round_to_one_float_stay_apart() -> None:
    tiny = Fraction(1, 10**30)
    attribute = Attribute.binned("x", [0, 1, 1 + tiny, 2])
    texts = ["1", number_text(1 + tiny / 2), number_text(1 + tiny)]
    assert encode_texts(attribute, texts).tolist() == [1, 1, 2]


@pytest.mark.parametrize(
    "value", ["nan", "NaN", "inf", "-inf", "Infinity", "1e9999999999", "0x10", "1_0", "12 ", "1/2"]
)
def test_what_is_not_a_finite_decimal_is_refused_in_a_bin(tmp_path: Path, value: str) -> None:
    with pytest.raises(InputError, match="attribute 'age'"):
        read_table(written(tmp_path, f"sex,grade,age\nmale,1,{value}\n"), PEOPLE)


@pytest.mark.parametrize(
    "row",
    [
        f"{SECRET},1,5",
        f"male,{SECRET},5",
        f"male,1,{SECRET}",
        "male,1,31337",
        "male,1,-31337.5",
        "male,1.5,31337",
        "male,31337,5",
        f'male,1,5,"{SECRET}"',
        f'male,1,"5{SECRET}',
        f"{SECRET},,",
    ],
)
def test_no_message_contains_a_value(tmp_path: Path, row: str) -> None:
    header = "sex,grade,age\n"
    for text in (f"{header}{row}\n", f"{header}male,1,5\n{row}\n", f"{row}\n{row}\n"):
        with pytest.raises(InputError) as caught:
            read_table(written(tmp_path, text), PEOPLE)
        message = str(caught.value).replace(str(tmp_path), "")
        assert "31337" not in message


def test_undeclared_columns_are_ignored_or_named_and_dropped(tmp_path: Path) -> None:
    path = written(tmp_path, "name,sex,id\nA,male,1\n")
    domain = Domain("d", (SEX,))
    for drop in (None, ("name", "id")):
        assert read_table(path, domain, drop=drop).codes.tolist() == [[0]]
    with pytest.raises(InputError, match=r"declare: 'id', 'name'; .* --drop 'id' --drop 'name'"):
        read_table(path, domain, drop=())
    with pytest.raises(InputError, match="declare: 'name'; "):
        read_table(path, domain, drop=["id"])
    with pytest.raises(InputError, match="'sex' is to be dropped"):
        read_table(path, domain, drop=["sex", "name", "id"])


def test_a_first_line_that_is_a_record_is_not_named(tmp_path: Path) -> None:
    path = written(tmp_path, f"sex,{SECRET},{SECRET}\nmale,1,1\n")
    with pytest.raises(InputError, match="same name") as caught:
        read_table(path, Domain("d", (SEX,)))
    assert SECRET not in str(caught.value)
    with pytest.raises(InputError, match="lacks the columns") as caught:
        read_table(written(tmp_path, f"male,{SECRET}\nmale,1\n"), Domain("d", (SEX,)), drop=())
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("header", "hint"),
    [
        ("sex;grade;age", "semicolons"),
        ("sex\tgrade\tage", "tabs"),
        ("Sex,grade,AGE", "'sex', 'age' in other letters"),
        ("sex, grade, age", "blanks around"),
    ],
)
def test_a_header_that_is_almost_right_gets_a_hint(tmp_path: Path, header: str, hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        read_table(written(tmp_path, f"{header}\nmale,1,5\n"), PEOPLE)


def test_all_problems_of_a_table_are_told_at_once(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "sex": ["male", "x", "x", None],
            "grade": ["1", "7", "2", "3"],
            "age": ["5", "many", "500", "-1"],
        }
    )
    with pytest.raises(InputError) as caught:
        from_frame(frame, PEOPLE)
    lines = str(caught.value).splitlines()
    assert lines[0] == "the table has 5 problems:"
    assert [line.split(" have ")[0].split(" has ")[0].strip() for line in lines[1:]] == [
        "attribute 'sex': a record",
        "attribute 'sex': 2 records",
        "attribute 'grade': a record",
        "attribute 'age': a record",
        "attribute 'age': 2 records",
    ]
    assert not any(text in str(caught.value) for text in ("'x'", "'7'", "many", "500", "-1"))
    with pytest.raises(InputError, match=r"record 2: 'x', record 3: 'x'") as caught:
        of_frame(frame, PEOPLE, shown=True)
    assert "record 3: '500', record 4: '-1'" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"sex,grade,age\nmal\xe9,1,5\n", "Line 2 is not UTF-8"),
        ("sex,grade,age\n".encode("utf-16"), "UTF-16"),
        (b"sex,grade,age\nmale,1,5\nmale,1,5,6\n", "Line 3 has 4 fields, and the header has 3"),
        (b'sex,grade,age\n"a\nb",1,5\n"male,1,5\nmale,1,5\n', "quote that opens in line 4"),
    ],
)
def test_a_fault_of_a_file_has_its_line(tmp_path: Path, content: bytes, where: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=where):
        read_table(path, PEOPLE)


def test_the_id_column_is_not_extra(tmp_path: Path) -> None:
    path = written(tmp_path, "sex,person_id\nmale,a\n")
    assert read_table(path, PERSONS, drop=()).records == 1


def test_all_missing_columns_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'sex', 'age'"):
        read_table(written(tmp_path, "grade\n1\n"), PEOPLE)


def test_repeated_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="several columns 'sex'"):
        read_table(written(tmp_path, "sex,sex\nmale,male\n"), Domain("d", (SEX,)))
    frame = pd.DataFrame([["male", "male"]], columns=["sex", "sex"])
    with pytest.raises(InputError, match="several columns 'sex'"):
        from_frame(frame, Domain("d", (SEX,)))


@pytest.mark.parametrize("text", ["", "\n\n", "sex\n", "sex"])
def test_a_table_without_records_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="table"):
        read_table(written(tmp_path, text), Domain("d", (SEX,)))


def test_a_missing_value_must_be_declared(tmp_path: Path) -> None:
    for text in ("sex,grade,age\n,1,5\n", "sex,grade,age\nmale,1\n"):
        with pytest.raises(InputError, match=r"attribute '(sex|age)'.*missing = true"):
            read_table(written(tmp_path, text), PEOPLE)
    for value in (None, np.nan, pd.NA, ""):
        with pytest.raises(InputError, match=r"attribute 'sex'.*missing = true"):
            from_frame(pd.DataFrame({"sex": ["male", value]}), Domain("d", (SEX,)))


@pytest.mark.parametrize("value", [None, np.nan, pd.NA, "", "N"])
def test_a_declared_missing_value_is_the_last_code(value: object) -> None:
    bins = Attribute.binned("x", [0, 1, 2], missing=True, missing_label="N")
    plain = Attribute("y", ("1", "2"), missing=True, missing_label="N")
    frame = pd.DataFrame({"x": ["1", value], "y": ["2", value]}, dtype=object)
    assert from_frame(frame, Domain("d", (bins, plain))).codes.tolist() == [[1, 1], [2, 2]]


def test_a_blank_line_of_a_single_column_is_a_missing_value(tmp_path: Path) -> None:
    domain = Domain("d", (GRADE,))
    assert read_table(written(tmp_path, 'grade\n\n1\n""\n'), domain).codes.tolist() == [
        [3],
        [0],
        [3],
    ]


def test_texts_like_na_are_values_and_not_missing(tmp_path: Path) -> None:
    domain = Domain("d", (Attribute("x", ("NA", "null", "nan", "None")),))
    dataset = read_table(written(tmp_path, "x\nnan\nNA\nNone\nnull\n"), domain)
    assert dataset.codes[:, 0].tolist() == [2, 0, 3, 1]


def test_codes_with_leading_zeros_are_texts(tmp_path: Path) -> None:
    domain = Domain("d", (Attribute("x", ("1", "01")),))
    dataset = read_table(written(tmp_path, "x\n01\n1\n1.0\n"), domain)
    assert dataset.codes[:, 0].tolist() == [1, 0, 0]
    with pytest.raises(InputError):
        read_table(written(tmp_path, "x\n001\n"), domain)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1, 2, 1]),
        pd.Series([1.0, 2.0, 1.0]),
        pd.Series([1, 2, 1], dtype="Int8"),
        pd.Series([1, 2, 1], dtype="float32"),
        pd.Series(["1", "2", "1"]),
        pd.Series(["1", "2", "1"], dtype="category"),
        pd.Series([1, 2, 1], dtype="category"),
        pd.Series([1, "2", Decimal(1)], dtype=object),
        pd.Series(["7", "1", "2", "1"], dtype="category").iloc[1:],
    ],
)
def test_columns_of_any_type_are_matched(column: pd.Series) -> None:
    domain = Domain("d", (Attribute("x", ("0", "1", "2")),))
    assert from_frame(pd.DataFrame({"x": column}), domain).codes[:, 0].tolist() == [1, 2, 1]


def test_negative_zero_and_negative_numbers_are_matched() -> None:
    domain = Domain("d", (Attribute("x", ("-1", "0")),))
    assert from_frame(pd.DataFrame({"x": [-0.0, -1.0]}), domain).codes[:, 0].tolist() == [1, 0]


def test_truth_values_are_matched_by_their_name() -> None:
    domain = Domain("d", (Attribute("x", ("False", "True")),))
    assert from_frame(pd.DataFrame({"x": [True, False]}), domain).codes[:, 0].tolist() == [1, 0]


@pytest.mark.parametrize("value", [1.5, np.inf, -1, 3, 10**30, [1], {"a": 1}, b"1", "one"])
def test_values_that_are_not_declared_are_refused(value: object) -> None:
    frame = pd.DataFrame({"x": pd.Series([value], dtype=object)})
    for attribute in (Attribute("x", ("0", "1")), Attribute.binned("x", [0, 1])):
        with pytest.raises(InputError, match="'x'"):
            from_frame(frame, Domain("d", (attribute,)))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_floats_are_the_decimals_they_denote(dtype: str) -> None:
    domain = Domain("d", (Attribute.binned("x", [0, Fraction(1, 10), Fraction(7, 10), 1]),))
    frame = pd.DataFrame({"x": np.array([0.1, 0.7, 0.05, 1, 1e-5], dtype=dtype)})
    assert from_frame(frame, domain).codes[:, 0].tolist() == [1, 2, 0, 2, 0]


def test_a_frame_without_records_is_a_dataset_without_records() -> None:
    assert from_frame(pd.DataFrame({"sex": []}), Domain("d", (SEX,))).records == 0


def test_persons_are_numbered_in_order_of_appearance(tmp_path: Path) -> None:
    path = written(tmp_path, "person_id,sex\nb,male\na,male\nb,female\n")
    dataset = read_table(path, PERSONS)
    assert dataset.persons is not None
    assert dataset.persons.tolist() == [0, 1, 0]
    assert dataset.clip_persons(1).codes.tolist() == [[0], [0]]


def test_persons_are_unknown_without_the_id_column(tmp_path: Path) -> None:
    dataset = read_table(written(tmp_path, "sex\nmale\n"), PERSONS)
    assert dataset.persons is None
    with pytest.raises(InputError, match="individual"):
        dataset.clip_persons(1)


@pytest.mark.parametrize("ids", [["a", None], ["a", ""], [1.0, np.nan], [1, "1"]])
def test_ids_that_do_not_identify_are_refused(ids: list[object]) -> None:
    frame = pd.DataFrame({"sex": ["male"] * 2, "person_id": pd.Series(ids, dtype=object)})
    with pytest.raises(InputError, match="id column 'person_id'"):
        from_frame(frame, PERSONS)


def test_labels_in_a_frame() -> None:
    frame = to_frame(Dataset(PEOPLE, np.array(CODES)))
    assert frame.columns.tolist() == ["sex", "grade", "age"]
    assert frame["grade"].tolist() == ["1", "", "3", "2"]
    assert frame["age"].tolist() == ["[0, 30)", "[0, 30)", "[30, 60)", "[60, 120]"]
    empty = to_frame(Dataset(PEOPLE, np.empty((0, 3), dtype=np.int64)))
    assert empty.shape == (0, 3)


labels = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=5)


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    """Draw records of a domain with awkward labels."""
    names = draw(st.lists(labels, min_size=1, max_size=3, unique=True))
    attributes = [
        Attribute(
            name,
            tuple(draw(st.lists(labels, min_size=1, max_size=4, unique=True))),
            missing=draw(st.booleans()),
        )
        for name in names
    ]
    if draw(st.booleans()):
        bounds = draw(edges)
        attributes[0] = Attribute.binned(names[0], bounds, missing=draw(st.booleans()))
    domain = Domain("d", tuple(attributes))
    rows = st.tuples(*(st.integers(0, size - 1) for size in domain.shape))
    return Dataset(domain, np.array(draw(st.lists(rows, min_size=1, max_size=6)), dtype=np.int64))


@given(datasets())
@example(
    Dataset(
        Domain("d", (Attribute('"', (",", '"', "'", " a ", "#", "-"), missing=True),)),
        np.arange(7).reshape(-1, 1),
    )
)
def test_writing_and_reading_back(dataset: Dataset) -> None:
    assert from_frame(to_frame(dataset), dataset.domain).codes.tolist() == dataset.codes.tolist()
    descriptor, path = tempfile_path(".csv")
    try:
        write_table(dataset, path)
        assert read_table(path, dataset.domain).codes.tolist() == dataset.codes.tolist()
    finally:
        os.close(descriptor)
        path.unlink()


def tempfile_path(suffix: str) -> tuple[int, Path]:
    """Return an open descriptor and the path of a new file (Hypothesis reuses fixtures)."""
    descriptor, name = tempfile.mkstemp(suffix=suffix)
    return descriptor, Path(name)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet"])
def test_every_format_round_trips(tmp_path: Path, suffix: str) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    domain = Domain("people", PEOPLE.attributes, individual="person_id")
    dataset = Dataset(domain, np.array(CODES), np.array([0, 1, 0, 2]))
    path = tmp_path / f"synthetic{suffix}"
    write_table(dataset, path)
    back = read_table(path, domain)
    assert back.codes.tolist() == CODES
    assert back.persons is not None
    assert back.persons.tolist() == [0, 1, 0, 2]
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


def test_the_bytes_written_depend_on_the_dataset_alone(tmp_path: Path) -> None:
    dataset = Dataset(PEOPLE, np.array(CODES))
    for name in ("a.csv.gz", "b.csv.gz"):
        write_table(dataset, tmp_path / name)
    content = (tmp_path / "a.csv.gz").read_bytes()
    assert content == (tmp_path / "b.csv.gz").read_bytes()
    # Bytes 4 to 7 of a gzip file are its time of writing.
    assert content[4:8] == b"\0\0\0\0"


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out.csv"
    path.write_text("old")

    def no_space(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_csv", no_space)
    with pytest.raises(InputError, match="No space left"):
        write_table(Dataset(PEOPLE, np.array(CODES)), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    dataset = Dataset(PEOPLE, np.array(CODES))
    (tmp_path / "folder.csv").mkdir()
    for path in (tmp_path / "nowhere" / "out.csv", tmp_path / "folder.csv"):
        with pytest.raises(InputError, match="cannot be written"):
            write_table(dataset, path)
    with pytest.raises(InputError, match="must end in"):
        write_table(dataset, tmp_path / "out.xlsx")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for path in (tmp_path / "absent.csv", tmp_path / "absent.csv.gz", tmp_path / "folder.csv"):
        with pytest.raises(InputError, match="cannot be read"):
            read_table(path, PEOPLE)
    with pytest.raises(InputError, match="must end in"):
        read_table(tmp_path / "table.txt", PEOPLE)


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    whole = gzip.compress((TABLE * 2000).encode(), mtime=0)
    contents = {
        "latin.csv": "sex,grade,age\nmalé,1,5\n".encode("latin-1"),
        "late.csv": (TABLE + "0,male,1\n" * 200_000).encode() + b"\xff,male,1\n",
        "plain.csv.gz": TABLE.encode(),
        "cut.csv.gz": whole[: len(whole) // 2],
        "altered.csv.gz": whole[:60] + b"\xff\xff\xff\xff" + whole[64:],
        "quote.csv": b'sex,grade,age\n"male,1,5\n',
        "header.csv": b'"sex,grade,age',
        "long.csv": b"sex,grade,age\nmale,1,5,6\n",
        "longer.csv": b"sex,grade,age\nmale,1,5\nmale,1,5,6\n",
        "index.csv": b"sex,grade,age\n7,male,1,5\n8,male,1,5\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError):
            read_table(tmp_path / name, PEOPLE)
        with pytest.raises(InputError):
            list(table_frames(tmp_path / name, PEOPLE, 1000))


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet"])
@pytest.mark.parametrize("rows", [1, 3, 4, 100])
def test_chunks_are_the_table_in_order(tmp_path: Path, suffix: str, rows: int) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    dataset = Dataset(PEOPLE, np.array(CODES * 2))
    path = tmp_path / f"table{suffix}"
    write_table(dataset, path)
    chunks = [from_frame(frame, PEOPLE) for frame in table_frames(path, PEOPLE, rows)]
    assert all(0 < chunk.records <= rows for chunk in chunks)
    assert np.concatenate([chunk.codes for chunk in chunks]).tolist() == CODES * 2


def test_parquet_columns_of_numbers_with_gaps(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table(
        {
            "other": [[1], [2], [3]],
            "grade": arrow.array([1, None, 3], arrow.int64()),
            "sex": arrow.array(["male", "female", "male"]).dictionary_encode(),
            "age": arrow.array([0.5, 30.0, 120.0]),
        }
    )
    path = tmp_path / "table.parquet"
    parquet.write_table(table, path)
    assert read_table(path, PEOPLE).codes.tolist() == [[0, 0, 0], [1, 3, 1], [0, 2, 2]]
    with pytest.raises(InputError, match="declare: 'other'"):
        read_table(path, PEOPLE, drop=())
    parquet.write_table(table.slice(0, 0), path)
    with pytest.raises(InputError, match="no records"):
        read_table(path, PEOPLE)


def test_parquet_integers_with_gaps_are_not_rounded(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    domain = Domain("d", (Attribute.binned("x", [0, 2**53 + 1, 2**54], missing=True),))
    path = tmp_path / "table.parquet"
    parquet.write_table(arrow.table({"x": [2**53, 2**53 + 1, None]}), path)
    assert read_table(path, domain).codes[:, 0].tolist() == [0, 1, 2]


def test_parquet_ids_beyond_the_floats_stay_apart(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"sex": ["male"] * 2, "person_id": [2**53, 2**53 + 1]})
    path = tmp_path / "table.parquet"
    parquet.write_table(table, path)
    dataset = read_table(path, PERSONS)
    assert dataset.persons is not None
    assert dataset.persons.tolist() == [0, 1]


def test_what_is_not_parquet_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "table.parquet"
    for content in (b"", SECRET.encode() * 9, b"PAR1" + b"\0" * 40 + b"PAR1"):
        path.write_bytes(content)
        with pytest.raises(InputError, match="Parquet") as caught:
            read_table(path, PEOPLE)
        assert SECRET not in str(caught.value)
    with pytest.raises(InputError, match="Parquet"):
        read_table(tmp_path / "absent.parquet", PEOPLE)


def test_parquet_with_broken_metadata_is_read_and_with_broken_text_refused(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "table.parquet"
    table = arrow.table({"sex": ["male"], "grade": ["1"], "age": [1.0]})
    for metadata in (b"no JSON", b"\xee", b"{}", b'{"columns": 1}'):
        parquet.write_table(table.replace_schema_metadata({"pandas": metadata}), path)
        assert read_table(path, PEOPLE).records == 1
    raw = arrow.array([b"\xee"], arrow.binary())
    broken = arrow.StringArray.from_buffers(1, *raw.buffers()[1:])
    parquet.write_table(table.set_column(0, "sex", broken), path)
    with pytest.raises(InputError, match="Parquet"):
        read_table(path, PEOPLE)


def test_without_pyarrow_the_extra_is_named_and_csv_works(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['pyarrow'] = None; sys.modules['pyarrow.parquet'] = None\n"
        "import numpy as np\n"
        "from synthesizers.domain import Dataset, Domain\n"
        "from synthesizers.tables import read_table, write_table\n"
        "domain = Domain.from_cells('2')\n"
        "dataset = Dataset.from_histogram(domain, np.array([1, 2]))\n"
        "write_table(dataset, sys.argv[1] + '/t.csv')\n"
        "print(read_table(sys.argv[1] + '/t.csv', domain).histogram().tolist())\n"
        "for task in (lambda p: read_table(p, domain), lambda p: write_table(dataset, p)):\n"
        "    try: task(sys.argv[1] + '/t.parquet')\n"
        "    except ValueError as error: print(error)\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert lines[0] == "[1, 2]"
    assert len(lines) == 3
    assert all("pip install 'dp-audit[parquet]'" in line for line in lines[1:])
    assert [item.name for item in tmp_path.iterdir()] == ["t.csv"]
