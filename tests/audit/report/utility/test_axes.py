"""Tables on principal axes, in words, pictures and JSON."""

from __future__ import annotations

import dataclasses
import json
import re

import numpy as np
import pytest

from audit.report.json_text import json_text
from audit.report.page import UtilitySection
from audit.report.picture import COLOURS, png
from audit.report.utility.axes import DEPTH, MOST_PICTURED, axes_view, say_axis
from audit.report.utility.document import utility_json
from audit.utility.clouds import BINS, Clouds, project_tables
from audit.utility.records import Records
from audit.utility.results import UtilityResults
from synthesizers.domain import Attribute, Domain
from tests.audit.report.pages import checked, page_of
from tests.audit.report.samples import HOSTILE
from tests.audit.report.utility import samples
from tests.audit.report.utility.test_terminal import printed
from tests.audit.utility.mixed_tables import records

STRANGE = "<script>x</script>\u202e & 'more'"
REAL = records(1, 300)
CLOUDS = project_tables(REAL, {"near.csv": records(2, 250), "far.csv": records(3, 200, shift=1.5)})


def with_clouds(clouds: Clouds) -> UtilityResults:
    return dataclasses.replace(samples.single(), clouds=clouds)


def test_axes_are_said_by_their_largest_terms_and_the_way_that_they_go() -> None:
    for axis in range(len(CLOUDS.axes)):
        loadings = dict(zip(CLOUDS.axes.terms, CLOUDS.axes.loadings[axis], strict=True))
        first = max(loadings, key=lambda term: abs(loadings[term]))
        said = say_axis(CLOUDS, axis)
        assert said.startswith("rises with ") and first in said
        for way in said.split("; "):
            verb, _, terms = way.partition(" with ")
            for term in terms.split(", "):
                assert (loadings[term] > 0) == (verb == "rises")


def test_pictures_come_worst_first_the_real_table_before_the_others() -> None:
    view = axes_view("real.csv", CLOUDS)
    assert view is not None and len(view.pairs) == 10
    worst = [
        max(d.across[CLOUDS.pairs.index(pair)] for d in CLOUDS.distances.values())
        for title in (pair.title for pair in view.pairs)
        for pair in [tuple(int(k) - 1 for k in re.findall(r"\d+", title))]
    ]
    assert worst == sorted(worst, reverse=True)
    for pair in view.pairs:
        assert [table.file for table in pair.tables] == ["real.csv", "near.csv", "far.csv"]
        assert [table.text.startswith("real, ") for table in pair.tables] == [True, False, False]
        for table in pair.tables:
            assert table.file in table.alternative and "outside the window" in table.alternative
            assert len(set(table.pictures)) == 2
    apart = [float(row[1][1]) for row in view.distances.rows]
    assert apart == sorted(apart, reverse=True)


def test_a_picture_has_its_first_axis_rightwards_and_the_deepest_colour_at_the_top_share() -> None:
    counts = np.zeros((10, BINS + 2, BINS + 2), dtype=np.int64)
    counts[:, 1, 1] = 1000  # lowest bin of both axes: at the left, below
    counts[:, -2, 1] = 1  # highest of the first: at the right, below
    counts[:, 0, 0] = 10**6  # beyond the window: not drawn, and no part of the scale
    alike = dict.fromkeys(CLOUDS.synthetic, counts)
    clouds = dataclasses.replace(CLOUDS, real=counts, synthetic=alike)
    view = axes_view("real.csv", clouds)
    assert view is not None
    steps = np.full((BINS, BINS), -1)
    steps[-1, 0], steps[-1, -1] = COLOURS - 1, 0
    expected = png(steps, dark=False), png(steps, dark=True)
    assert all(table.pictures == expected for pair in view.pairs for table in pair.tables)
    assert "100 % outside the window" in view.pairs[0].tables[0].text
    top = 1000 / counts[0].sum()
    assert [float(text.split()[0]) for text in view.legend] == pytest.approx(
        [100 * top / DEPTH, 100 * top / DEPTH**0.5, 100 * top], rel=0.05
    )


def test_a_chance_level_stands_where_the_axes_are_those_of_a_further_table() -> None:
    view = axes_view("real.csv", CLOUDS)
    assert view is not None and "--axes-from" in view.chance and "95 %" not in view.chance
    files = {"near.csv": records(2, 250), "far.csv": records(3, 200)}
    further = axes_view("real.csv", project_tables(REAL, files, {"p.csv": records(4, 300)}))
    assert further is not None and "less than 0.12 on an axis, at 95 %" in further.chance


def test_a_page_folds_them_and_every_picture_has_words() -> None:
    page = page_of(UtilitySection("Utility", with_clouds(CLOUDS)))
    text = checked(page)
    assert "On public principal axes" in text and "not from the real table" in text
    part = page.split("On public principal axes")[1]
    assert part.count("<img ") == 30 == len(re.findall(r'<img [^>]*alt="[^"]{40,}"', part))
    assert part.index("<details>") < part.index("<img ")


def test_the_document_has_all_that_places_are_made_of() -> None:
    document = json.loads(json_text(utility_json(with_clouds(CLOUDS))))["axes"]
    assert document["public"] == ["near.csv", "far.csv"]
    assert document["pairs"][0] == [1, 2] and len(document["pairs"]) == 10
    places = np.zeros((5, REAL.records))
    for name, weights in document["weights"].items():
        places += np.array(weights)[:, REAL.column(name)]
    np.testing.assert_allclose(places, CLOUDS.axes.places(REAL), atol=1e-9)
    assert np.array_equal(document["real"], CLOUDS.real)
    assert [each["file"] for each in document["synthetic"]] == ["near.csv", "far.csv"]
    for each in document["synthetic"]:
        assert np.array_equal(each["counts"], CLOUDS.synthetic[each["file"]])
    assert json.loads(json_text(utility_json(samples.single())))["axes"] is None


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_terminal_has_the_axes_and_the_distances(encoding: str) -> None:
    text = printed(with_clouds(CLOUDS), encoding)
    assert "On public principal axes" in text and "rises with" in text
    assert re.search(r"distance, worst first\W+near.csv\W+far.csv", text)
    assert "On public" not in printed(samples.single())


def hostile() -> Clouds:
    domain = Domain("h", (Attribute(STRANGE, (STRANGE, "b")), Attribute("<i>", ("<b>", "&", "x"))))
    random = np.random.default_rng(0)
    tables = [Records(domain, random.integers(2, size=(40, 2))) for _ in range(3)]
    return project_tables(tables[0], {HOSTILE: tables[1], "<u>": tables[2]})


def test_hostile_names_are_shown_as_text() -> None:
    page = page_of(UtilitySection("Utility", with_clouds(hostile())))
    checked(page)
    assert (
        "<b>" not in page
        and "<u>" not in page
        and "<i>" not in page.split("<main>")[1].replace('<i class="', "")
    )
    printed(with_clouds(hostile()))


def test_nothing_is_said_of_tables_without_an_axis_and_one_axis_has_no_picture() -> None:
    one = Domain("one", (Attribute("n", ("1", "2", "3"), ordinal=True),))
    several, constant = (Records(one, np.array(codes)) for codes in ([[0], [1], [2]], [[1]]))
    none = project_tables(several, {"s": constant})
    assert axes_view("r", none) is None
    json_text(utility_json(with_clouds(none)))
    assert "On public" not in printed(with_clouds(none))
    alone = axes_view("r", project_tables(constant, {"s": several}))
    assert alone is not None and alone.pairs == () and len(alone.distances.rows) == 1
    page_of(UtilitySection("Utility", with_clouds(project_tables(constant, {"s": several}))))


def test_of_many_files_the_first_are_drawn_and_all_are_in_the_tables() -> None:
    files = {f"{k}.csv": records(k, 60) for k in range(MOST_PICTURED + 2)}
    view = axes_view("r", project_tables(REAL, files))
    assert view is not None
    assert all(len(pair.tables) == 1 + MOST_PICTURED for pair in view.pairs)
    assert len(view.distances.columns) == MOST_PICTURED + 2
    assert view.note == "2 further files in the JSON document"
