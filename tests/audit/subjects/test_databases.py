"""Databases as records: spelt out from a histogram, and coded again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.subjects.databases import dataset_of_records, records_of_histogram
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError

CELLS = Domain.from_cells("2")


def test_a_histogram_is_spelt_out_as_records_of_labels():
    domain = Domain(
        "d", (Attribute("sex", ("m", "f")), Attribute.binned("age", [0, 30, 60], missing=True))
    )
    assert records_of_histogram([0, 1, 0, 2, 0, 1], domain) == [
        {"sex": "m", "age": "[30, 60]"},
        {"sex": "f", "age": "[0, 30)"},
        {"sex": "f", "age": "[0, 30)"},
        {"sex": "f", "age": None},
    ]


DOMAINS = [
    CELLS,
    Domain.from_cells("2x3"),
    Domain("m", (Attribute("a", ("1", "x"), missing=True, missing_label="N"),)),
    Domain("b", (Attribute.binned("a", [0, 1, 5], missing=True), Attribute("b", ("1", "2.5")))),
]


@given(st.data())
def test_records_are_coded_back_to_the_same_histogram(data):
    domain = data.draw(st.sampled_from(DOMAINS))
    counts = st.lists(st.integers(0, 3), min_size=domain.size, max_size=domain.size)
    histogram = data.draw(counts)
    records = records_of_histogram(histogram, domain)
    assert len(records) == sum(histogram)
    assert dataset_of_records(records, domain).histogram().tolist() == histogram


def test_numbers_are_read_as_a_table_reads_them():
    domain = Domain("b", (Attribute.binned("a", [0, 1, 5], missing=True), Attribute("b", ("1",))))
    found = dataset_of_records([{"a": 0.5, "b": 1}, {"a": None, "b": 1.0}], domain)
    assert found.codes.tolist() == [[0, 0], [2, 0]]


def test_the_id_column_says_whose_record_it_is():
    domain = Domain("p", CELLS.attributes, individual="who")
    records = [{"cell": "0", "who": 7}, {"cell": "1", "who": 7}, {"cell": "1", "who": 8}]
    assert dataset_of_records(records, domain).persons.tolist() == [0, 0, 1]
    assert dataset_of_records([{"cell": "0"}], domain).persons is None


@pytest.mark.parametrize(
    "records",
    [
        3,
        [3],
        "text",
        {"cell": "0"},
        [{}],
        [{"cell": "0", "more": 1}],
        [{"cell": "0"}, {"other": "0"}],
        [{"cell": "2"}],
        [{"cell": None}],
        [{"cell": ["0"]}],
    ],
)
def test_what_is_no_list_of_records_of_the_domain_is_an_input_error(records):
    with pytest.raises(InputError) as caught:
        dataset_of_records(records, CELLS)
    assert "'2'" not in str(caught.value)


@pytest.mark.parametrize("histogram", [[1], [1, -1], [0.5, 1], [1, 1, 1]])
def test_a_histogram_that_does_not_fit_is_an_input_error(histogram):
    with pytest.raises(InputError):
        records_of_histogram(histogram, CELLS)


def test_a_database_without_records_has_no_persons_and_says_so():
    domain = Domain("p", CELLS.attributes, individual="who")
    assert dataset_of_records([], domain).persons.tolist() == []
    assert dataset_of_records([], CELLS).persons is None
