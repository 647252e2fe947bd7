from __future__ import annotations

import dataclasses
import math

import pytest

from audit.report.grid import Grid
from audit.report.picture import Cell, Cells, Plot, even_axis
from audit.report.utility.breakdowns import (
    MAX_BARS,
    Bars,
    bar_ends,
    bars,
    plotted_column,
    rises,
    row_name,
    row_rest,
)
from audit.report.utility.dives import MAX_FILES, Dive, dives
from audit.report.utility.plots import (
    density_plot,
    density_top,
    line_ends,
    line_plot,
    strip_plot,
    subsample_plot,
)
from audit.utility.score import Breakdown, Score
from tests.audit.report.drawings import assert_inside, line, values
from tests.audit.report.utility import samples
from tests.audit.report.utility.samples import score

INF = math.inf


def dives_of(*details: Breakdown, **fields: object) -> tuple[Dive, ...]:
    scored = dataclasses.replace(
        samples.single().scored[0], score=score(0.25, details=details, **fields)
    )
    found = dives(dataclasses.replace(samples.single(), scored=(scored,)))
    return found[0][1] if found else ()


def cells_of(drawn: Cells) -> list[Cell]:
    return [cell for _, row in drawn.rows for cell in row]


@pytest.mark.parametrize(
    ("columns", "row", "plotted", "column"),
    [
        (("a", "tv"), ("x", 0.5), "", 1),
        (("a", "real", "synthetic", "difference"), ("x", 1, 9, 0.5), "difference", 3),
        (("a", "b", "score", "real"), ("x", "y", 0.1, 3), "", 2),
        (("a", "b"), ("x", "y"), "", None),
        (("a", "b"), ("x", None), "", None),
    ],
)
def test_the_column_that_is_named_is_drawn_or_the_first_of_numbers(
    columns: tuple[str, ...], row: tuple[object, ...], plotted: str, column: int | None
) -> None:
    assert plotted_column(Breakdown("marginals", columns, (row,), plotted=plotted)) == column


def test_a_row_is_named_by_its_texts_and_says_the_rest() -> None:
    columns = ("first", "second", "real", "difference", "measure")
    detail = Breakdown("pairs", columns, (("age", "sex", 1204, 0.25, "V"),))
    assert row_name(detail, detail.rows[0]) == "age × sex"
    assert row_rest(detail, detail.rows[0], 3) == "real 1,204 · measure V"
    numbers = Breakdown("targets", ("real", "error"), ((0.5, 0.1),))
    assert row_name(numbers, numbers.rows[0]) == "–"


def test_rows_that_rise_have_the_worst_at_the_low_end() -> None:
    assert rises(samples.groups(500.0, 0), 1)
    assert not rises(samples.marginals(1.0), 1)


def test_bars_lie_on_one_scale_with_zero() -> None:
    detail = Breakdown("marginals", ("a", "z"), (("x", -4.0), ("y", 2.0), ("w", None), ("v", INF)))
    drawn = bars(detail, (-4.0, 4.0))
    assert drawn is not None
    assert [(row.start, row.end) for row in drawn.rows] == [
        (0, 0.5),
        (0.5, 0.75),
        (0.5, 0.5),
        (0.5, 1),
    ]
    assert [row.value for row in drawn.rows] == ["−4", "2", "–", "∞"]


def test_bars_of_scores_reach_to_the_highest_score() -> None:
    assert bar_ends([samples.groups(500.0, 0)], 1000.0) == (0.0, 1000.0)
    low, high = bar_ends([samples.marginals(0.3), samples.marginals(0.6)], 1.0)
    assert (low, high) == (0.0, 0.6)


def test_bars_without_a_size_are_empty() -> None:
    flat = Breakdown("marginals", ("a", "value"), (("x", 0.0), ("y", 0.0)))
    drawn = bars(flat, bar_ends([flat], INF))
    assert drawn is not None and [row.end for row in drawn.rows] == [0.0, 0.0]


def test_the_worst_rows_are_drawn_and_the_others_counted() -> None:
    rows = tuple((f"a{k}", 1.0 / (k + 1)) for k in range(25))
    (dive,) = dives_of(Breakdown("marginals", ("attribute", "value"), rows, "3 are left out"))
    (figure,) = dive.figures
    assert isinstance(figure.picture, Bars) and len(figure.picture.rows) == MAX_BARS
    assert figure.note == "3 are left out; 15 further rows are in the JSON document"
    assert (dive.kind, dive.title, dive.layout) == ("bars", "Worst marginals", "panels")


def test_every_breakdown_has_its_picture() -> None:
    found = dict(dives(samples.results()))
    kinds = {metric: [dive.kind for dive in shown] for metric, shown in found.items()}
    assert kinds == {
        "total-variation": ["bars"],
        "k-marginal": ["bars", "plot"],
        "workload-error": ["map"],
        "pmse-ratio": ["plot"],
        "mgd": ["bars", "table"],
        "subsample-equivalent": ["plot"],
    }
    for shown in found.values():
        for dive in shown:
            assert [figure.file for figure in dive.figures] == list(samples.FILES)


def test_pictures_of_several_files_share_a_scale() -> None:
    found = dict(dives(samples.results()))
    (shown,) = found["total-variation"]
    longest = [f.picture.rows[0].end for f in shown.figures if isinstance(f.picture, Bars)]
    assert longest == pytest.approx([0.1 / 0.65, 0.16 / 0.65, 1.0])
    (densities,) = found["pmse-ratio"]
    plots = [f.picture for f in densities.figures if isinstance(f.picture, Plot)]
    assert len({plot.box.y.high for plot in plots}) == 1
    assert [bool(plot.reading) for plot in plots] == [True, False, False]
    assert plots[1].title == f"Propensity scores: {samples.FILES[1]}"


def test_all_maps_of_a_breakdown_have_one_scale() -> None:
    (shown,) = dict(dives(samples.results()))["workload-error"]
    assert shown.reading.endswith("All maps have one scale.")
    pictures = [figure.picture for figure in shown.figures if isinstance(figure.picture, Cells)]
    assert len(pictures) == len(shown.figures) > 1
    assert len({picture.legend for picture in pictures}) == 1 and pictures[0].legend[0] == "0"
    steps = [max(c.step for c in cells_of(each) if c.step is not None) for each in pictures]
    assert max(steps) == 15 and min(steps) < 15


def test_an_unknown_breakdown_is_a_table_of_its_first_rows() -> None:
    rows = tuple((f"t{k}", k, None) for k in range(14))
    (dive,) = dives_of(Breakdown("scores", ("term", "score", "other"), rows))
    (figure,) = dive.figures
    assert isinstance(figure.picture, Grid) and dive.title == "Scores"
    assert len(figure.picture.rows) == 10 and figure.picture.rows[3] == ("t3", ("3", "–"))
    assert figure.note == "4 further rows are in the JSON document"


@pytest.mark.parametrize("name", ["densities", "subsamples", "pairs", "groups"])
def test_a_breakdown_of_an_unexpected_form_is_a_table(name: str) -> None:
    (dive,) = dives_of(Breakdown(name, ("a", "b"), (("x", "y"),)))
    assert dive.kind == "table"


def test_an_empty_breakdown_is_left_out() -> None:
    assert dives_of(Breakdown("marginals", ("a", "value"), ())) == ()


def test_pairs_of_few_attributes_are_bars() -> None:
    rows = (("a", "b", 0.5), ("a", "c", 0.1))
    (dive,) = dives_of(Breakdown("pairs", ("first", "second", "difference"), rows))
    assert dive.kind == "bars"


def test_attributes_without_a_place_on_the_map_are_counted() -> None:
    rows = tuple((f"a{j}", f"a{k}", 0.5) for j in range(43) for k in range(j))
    (dive,) = dives_of(Breakdown("pairs", ("first", "second", "difference"), rows))
    assert dive.figures[0].note == "3 attributes in less telling pairs are not drawn"


def test_the_map_of_pairs_deepens_towards_the_worst() -> None:
    names = "abcd"
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    columns = ("first", "second", "score")
    rising = tuple((*pair, 0.1 * k) for k, pair in enumerate(pairs))
    (dive,) = dives_of(Breakdown("pairs", columns, rising))
    (figure,) = dive.figures
    assert isinstance(figure.picture, Cells)
    steps = {cell.text.split(":")[0]: cell.step for cell in cells_of(figure.picture)}
    assert (steps["a × b"], steps["c × d"]) == (15, 0)
    signed = tuple((*pair, (-1) ** k * (6.0 - k)) for k, pair in enumerate(pairs))
    (dive,) = dives_of(Breakdown("pairs", ("first", "second", "difference"), signed))
    (figure,) = dive.figures
    assert isinstance(figure.picture, Cells)
    steps = {cell.text.split(":")[0]: cell.step for cell in cells_of(figure.picture)}
    assert steps["a × b"] == 15 and (steps["a × c"] or 0) > (steps["c × d"] or 0)
    assert "by its size" in dive.reading


def test_of_many_files_the_first_are_shown() -> None:
    own = samples.results().scored[0]
    files = [f"f{k}" for k in range(9)]
    results = dataclasses.replace(
        samples.single(),
        scored=tuple(dataclasses.replace(own, synthetic=file) for file in files),
        records=dict.fromkeys((*files, "real.csv"), 1),
    )
    ((_, (dive,)),) = dives(results)
    assert len(dive.figures) == MAX_FILES


def test_densities_are_steps_over_their_bins() -> None:
    rows = ((0.5, 1.0, 0.25, 1.0), (0.0, 0.5, 0.75, 0.0))
    detail = Breakdown("densities", ("low", "high", "real share", "synthetic share"), rows)
    assert density_top([detail]) == 1.0
    plot = density_plot(detail, 1.0)
    assert plot is not None
    assert_inside(plot)
    real = [values(plot.box, place) for place in line(plot, "real")]
    assert real == [
        pytest.approx(p, abs=0.01) for p in ((0, 0.75), (0.5, 0.75), (0.5, 0.25), (1, 0.25))
    ]
    assert plot.fact == "The two overlap by 25 %."


@pytest.mark.parametrize("share", [None, "x", INF])
def test_densities_with_gaps_are_not_drawn(share: object) -> None:
    rows = ((0.0, 0.5, 0.75, 0.0), (0.5, 1.0, share, 1.0))
    detail = Breakdown("densities", ("low", "high", "real", "synthetic"), rows)
    assert density_plot(detail, 1.0) is None


@pytest.mark.parametrize(
    ("value", "words"),
    [(19.0, "It is as good as a sample of 19 %"), (1.0, "no better than a sample of 1 %")],
)
def test_a_file_is_placed_among_samples_of_the_real_records(value: float, words: str) -> None:
    bound = (samples.Fraction(0), samples.Fraction(1)) if value == 1 else None
    own = score(value, ends=(0.0, 100.0), direction="higher", details=(samples.subsamples(),))
    plot = subsample_plot(dataclasses.replace(own, bracket=bound))
    assert plot is not None and words in plot.fact
    assert_inside(plot)
    across = {round(values(plot.box, place)[0], 1) for place in line(plot, "bound")}
    assert across == {value}
    assert len(plot.dots) == 9


def test_a_bound_above_all_samples_is_said_to_be_one() -> None:
    own = score(
        90.0,
        ends=(0.0, 100.0),
        bracket=(samples.Fraction(90), samples.Fraction(100)),
        details=(samples.subsamples(),),
    )
    plot = subsample_plot(own)
    assert plot is not None and "no worse than a sample of 90 %" in plot.fact


@pytest.mark.parametrize(
    "own",
    [
        score(1.0),
        score(None, details=(samples.subsamples(),)),
        score(1.0, details=(Breakdown("subsamples", ("percent", "mean"), ((1, 5.0), (2, None))),)),
        score(1.0, details=(Breakdown("subsamples", ("percent", "mean"), ((1, 5.0), (2, 5.0))),)),
    ],
)
def test_too_few_samples_are_not_drawn(own: Score) -> None:
    assert subsample_plot(own) is None


def test_all_groups_are_one_line_from_the_worst_on() -> None:
    detail = samples.groups(800.0, 3)
    plot = strip_plot(detail, (0.0, 1000.0))
    assert plot is not None
    assert_inside(plot)
    corners = [values(plot.box, place)[1] for place in line(plot, "main")]
    assert corners == sorted(corners) and len(plot.box.x.ticks) > 3
    assert plot.fact.startswith("Of 60 groups half lie above ")
    assert strip_plot(Breakdown("groups", ("g", "score"), (("a", 1.0),)), (0.0, 1.0)) is None


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.0, 1.0, ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        (-0.3, 0.3, ["−0.3", "−0.2", "−0.1", "0", "0.1", "0.2", "0.3"]),
        (612.0, 953.0, ["700", "800", "900"]),
    ],
)
def test_axes_have_round_ticks_between_their_ends(
    low: float, high: float, labels: list[str]
) -> None:
    axis = even_axis("x", low, high)
    assert [label for _, label in axis.ticks] == labels
    assert all(low - 1e-9 <= value <= high + 1e-9 for value, _ in axis.ticks)


LINE = ("age", "mean wage, real", "mean wage, synthetic", "real fit", "synthetic fit")


def test_both_fits_are_lines_and_the_means_of_groups_points() -> None:
    rows = ((20.0, 1e4, 3e4, 2e4, 2e4), (30.0, None, 3e4, 4e4, 3e4), (50.0, 9e4, 3e4, 8e4, 5e4))
    detail = Breakdown("line", LINE, rows)
    other = Breakdown("line", LINE, ((0.0, -1e4, 1.0, 2.0, 3.0),))
    assert line_ends([detail, other]) == (-1e4, 9e4)
    plot = line_plot(detail, line_ends([detail, other]))
    assert plot is not None
    assert_inside(plot)
    assert plot.box.y.name == "mean wage, thousands"
    for kind, fit in (("real", (20, 40, 80)), ("main", (20, 30, 50))):
        found = [values(plot.box, corner) for corner in line(plot, kind)]
        assert found == [
            (pytest.approx(x, abs=0.1), pytest.approx(y, abs=0.1))
            for x, y in zip((20, 30, 50), fit, strict=True)
        ]
    assert [dot.kind for dot in plot.dots] == ["real"] * 2 + ["main"] * 3
    assert plot.fact == "The fits differ by at most 30,000 there."
    (dive,) = dives_of(detail)
    assert dive.kind == "plot" and isinstance(dive.figures[0].picture, Plot)
    small = Breakdown("line", LINE, ((0.0, 1.0, 1.0, 1.0, 1.0), (1.0, 1.0, 1.0, 1.0, 3.0)))
    plain = line_plot(small, line_ends([small]))
    assert plain is not None and plain.box.y.name == "mean wage"


@pytest.mark.parametrize(
    "rows", [(), ((1.0, 1.0, 1.0, 1.0, 2.0),), ((0.0, 1.0, 1.0, 1.0, 1.0),) * 2]
)
def test_fits_of_one_group_or_without_variation_are_a_table(rows: tuple[object, ...]) -> None:
    detail = Breakdown("line", LINE, rows)
    assert line_plot(detail, line_ends([detail])) is None
    assert [dive.kind for dive in dives_of(detail)] == (["table"] if rows else [])
