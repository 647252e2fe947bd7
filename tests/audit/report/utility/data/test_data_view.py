"""The section on the data: what is listed, named, left out, and written as JSON."""

from __future__ import annotations

import dataclasses
import re

import pytest

from audit.report.page import UtilitySection
from audit.report.utility.data import view as views
from audit.report.utility.data.coverage import list_gaps, summarise
from audit.report.utility.data.document import data_json
from audit.report.utility.data.view import data_view
from audit.report.utility.words import NOTICE
from audit.utility.data.coverage import Coverage
from tests.audit.report.pages import checked, page_of
from tests.audit.report.utility import samples
from tests.audit.utility.data import kinds_of_tables as kinds

RESULTS = samples.results()
COVERAGE = (
    Coverage("city", "s", (("Rome", 30), ("Oslo", 5)), (("Bern", 2),), 1, (None, None)),
    Coverage("age", "s", (), (), 0, (("0", "99"), ("0", "80"))),
    Coverage("sex", "s", (), (), 0, (None, None)),
)


def test_coverage_is_counted_a_file_and_listed_a_column() -> None:
    grid = summarise(COVERAGE, ("s",))
    assert grid.rows == (("s", ("2 in 1 column", "1 in 1 column", "1 of 1")),)
    rows = list_gaps(COVERAGE, {"r": 100, "s": 50}, "r", ("s",))
    assert rows == (
        (
            *("city", "s", "2 values, 35 % of real records: Rome, Oslo"),
            *("1 value, 4 % of its records: Bern", "–", "–"),
        ),
        ("age", "s", "–", "–", "0 to 99", "0 to 80"),
    )
    assert list_gaps(COVERAGE, {"r": 100, "s": 50}, "r", ("other",)) == ()
    assert summarise(COVERAGE[2:], ("s",)).rows == (("s", ("none", "none", "0 of 0")),)


def test_the_worst_columns_of_each_file_are_named_with_their_distances() -> None:
    view = data_view(RESULTS)
    assert view is not None and RESULTS.data is not None
    assert [file for file, _ in view.worst] == list(samples.FILES)
    for place, (_, text) in enumerate(view.worst):
        named = re.findall(r"(\w+) ([\d.]+) \(by chance ([\d.]+)\)", text)
        assert len(named) == 5
        excesses = [float(distance) - float(chance) for _, distance, chance in named]
        assert excesses == sorted(excesses, reverse=True)
        (one,) = (each for each in RESULTS.data.attributes if each.attribute == named[0][0])
        assert float(named[0][1]) == pytest.approx(one.distances[place], rel=1e-3)


def test_a_file_that_is_as_near_as_a_sample_has_no_worst_column() -> None:
    domain = kinds.DOMAINS["mixed"]
    table = kinds.draw(domain, 300, 1)
    results = dataclasses.replace(
        samples.single(),
        domain=domain,
        data=kinds.lay(table, same=table),
        records={"real.csv": 300, "s.csv": 1, "same": 300},
    )
    view = data_view(results)
    assert view is not None
    assert view.worst == (("same", "no column is farther off than by chance"),)


def test_pictures_come_in_the_order_of_the_data() -> None:
    view = data_view(RESULTS)
    assert view is not None and RESULTS.data is not None
    assert [p.title for p in view.attributes] == [one.attribute for one in RESULTS.data.attributes]
    assert len(view.pairs) == 5 and view.notes == () and view.gaps_note == ""
    assert view.tables == ("confidential.csv (real)", *samples.FILES)


def test_what_is_left_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "MOST_DRAWN", 2)
    monkeypatch.setattr(views, "MAX_FILES", 1)
    monkeypatch.setattr(views, "MOST_ROWS", 1)
    assert RESULTS.data is not None
    few = tuple(pair for pair in RESULTS.data.apart if set(pair.attributes) <= {"sex", "age"})
    results = dataclasses.replace(RESULTS, data=dataclasses.replace(RESULTS.data, apart=few))
    view = data_view(results)
    assert view is not None and len(view.attributes) == 2 and len(view.gaps) == 1
    assert view.notes == (
        "Shown are the first 1 file.",
        "Drawn are the worst 2 of 6 columns.",
        "Pairs were counted of the first 2 columns of the domain.",
        "The JSON document has all counts.",
    )
    assert view.gaps_note.endswith("in the JSON document.")


def test_every_picture_is_on_the_page_below_the_notice_with_words_for_it() -> None:
    document = page_of(UtilitySection("U", RESULTS))
    text = checked(document)
    body = document.split("<main>")[1]
    assert body.index(NOTICE) < body.index("The data")
    view = data_view(RESULTS)
    assert view is not None
    for picture in view.attributes:
        assert picture.fact in text and picture.reading in text
    labels = re.findall(r'aria-label="([^"]*)"', document)
    for pair in view.pairs:
        assert pair.reading in text
        for one in pair.maps:
            assert f"{one.title}. {one.alternative}" in labels
        steps = [cell.step for _, row in pair.maps[2].rows for cell in row]
        assert all(f'<td class="s{step}' in document for step in steps)
    described = re.findall(r"<desc [^>]*>([^<]*)</desc>", document)
    for picture in view.attributes:
        assert any(picture.fact in told for told in (*labels, *described))


@pytest.mark.parametrize("name", kinds.DOMAINS)
def test_every_kind_of_domain_makes_a_page(name: str) -> None:
    domain = kinds.DOMAINS[name]
    files = ("a", "b")
    results = dataclasses.replace(
        samples.single(),
        domain=domain,
        data=samples.data(domain, files),
        records={"real.csv": 500, "s.csv": 1, "a": 400, "b": 400},
    )
    text = checked(page_of(UtilitySection("U", results)))
    assert all(attribute.name in text for attribute in domain.attributes)


def test_results_without_data_show_none() -> None:
    assert data_view(samples.single()) is None
    assert "The data" not in checked(page_of(UtilitySection("U", samples.single())))


def test_the_document_has_all_counts() -> None:
    data = samples.data(kinds.DOMAINS["mixed"], ("a", "b"))
    found = data_json(data, "r", {"r": 500, "a": 400, "b": 400})
    assert found["files"] == ["a", "b"]
    for one, written in zip(data.attributes, found["attributes"], strict=True):
        for row, counts in zip([written["real"], *written["synthetic"]], one.counts, strict=True):
            told = dict(zip(written["values"], row, strict=True))
            held = {label: n for label, n in zip(one.labels, counts, strict=True) if n}
            assert {label: n for label, n in told.items() if n} == held
        assert all(map(any, zip(written["real"], *written["synthetic"], strict=True)))
        assert sum(written["real"]) == 500
        assert written["distances"] == list(one.distances)
        assert written["by_chance"] == list(one.chances)
    assert len(found["pairs"]) == 15 and len(found["worst_pairs"]) == 5
    for pair, written in zip(data.pairs, found["worst_pairs"], strict=True):
        assert written["attributes"] == list(pair.apart.attributes)
        assert written["groups"] == [list(labels) for labels in pair.labels]
        assert written["real"] == pair.tables()[0].tolist()
        assert written["synthetic"] == pair.tables()[1:].tolist()
    each, written = data.coverage[0], found["coverage"][0]
    assert written["lost"] == [
        {"value": value, "records": count, "share": count / 500} for value, count in each.lost
    ]
    assert written["attribute"] == each.attribute and written["file"] == "a"
