"""Dates and times as edges of bins: read exactly, from texts, CSV and Parquet, and written back."""

from __future__ import annotations

import datetime as dt
import io
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.utility.records import of_dataset, of_frame
from audit.utility.rules import read_rule
from synthesizers.bin_numbers import to_numbers
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.domain_toml import domain_from_toml, domain_to_toml
from synthesizers.errors import InputError
from synthesizers.quantities import Quantity, has_zone, read_edges
from synthesizers.tables import from_frame, read_table, to_frame

VISITS = """\
[attributes]
day = { bins = [2020-01-01, 2020-02-29, 2020-03-01, 2021-01-01], ordinal = true, missing = true }
seen = { bins = [2020-01-01T00:00:00, 2020-01-01T12:00:00.5, 2020-01-02], missing = "never" }
at = { bins = ["00:00", "07:30", "24:00"] }
"""


def visits() -> Domain:
    return domain_from_toml(VISITS, "visits")


def codes(column: str, *texts: object) -> list[int]:
    domain = visits().project([column])
    frame = pd.DataFrame({column: pd.Series(texts, dtype=object)})
    return list(from_frame(frame, domain).codes[:, 0])


def say(column: str, text: object) -> str:
    with pytest.raises(InputError) as caught:
        codes(column, text)
    assert str(text) not in str(caught.value)
    return str(caught.value)


def test_edges_are_dates_moments_or_times_of_day() -> None:
    day, seen, at = visits().attributes
    assert [one.quantity for one in (day, seen, at)] == [
        Quantity.DATES,
        Quantity.MOMENTS,
        Quantity.TIMES,
    ]
    # 50 years with 12 leap days: 1972 to 2016.
    assert day.edges is not None and day.edges[0] == (50 * 365 + 12) * 86400
    assert day.values[1] == "[2020-02-29, 2020-03-01)" and day.values[2][-1] == "]"
    assert seen.values[0] == "[2020-01-01T00:00:00, 2020-01-01T12:00:00.5)"
    assert at.values == ("[00:00:00, 07:30:00)", "[07:30:00, 24:00:00]")


def test_bins_are_left_closed_and_the_last_edge_is_included() -> None:
    assert codes("day", "2020-01-01", "2020-02-28", "2020-02-29", "2020-03-01", "") == [
        *(0, 0, 1, 2, 3)
    ]
    assert codes("day", "2021-01-01", "2020-02-28T23:59:59.999999999999", "2020-02-29 00:00") == [
        *(2, 0, 1)
    ]
    assert codes("seen", "2020-01-01T12:00:00.4999999999", "2020-01-01T12:00:00.50", "never") == [
        *(0, 1, 2)
    ]
    assert codes("at", "07:29:59.9", "07:30", "23:59:59", "24:00") == [0, 1, 1, 1]


@pytest.mark.parametrize("text", ["2021-01-01T00:00:01", "2019-12-31", "9999-12-31"])
def test_what_lies_outside_is_told_by_the_edges(text: str) -> None:
    assert "outside the bins from 2020-01-01 to 2021-01-01" in say("day", text)


@pytest.mark.parametrize(
    "text",
    [
        *("2021-02-29", "2020-13-01", "2020-01-32", "2020-1-1", "20200101", "01/02/2020", "12"),
        *("2020-01-01T24:00", "2020-01-01T12:60", "2020-01-01T12:00:60", "2020-01-01T", "soon"),
        "\u0662020-01-01",
    ],
)
def test_what_is_in_no_calendar_is_no_date(text: str) -> None:
    assert "neither a date or time in the calendar" in say("day", text)


@pytest.mark.parametrize("zone", ["Z", "+02:00", "-0330", " +01:00"])
def test_zones_are_refused(zone: str, tmp_path: Path) -> None:
    assert "names its zone" in say("seen", f"2020-01-01T10:00:00{zone}")
    assert has_zone(f"10:00{zone}") and not has_zone("2020-01-01T10:00:00")
    with pytest.raises(InputError, match="without a time zone"):
        domain_from_toml("[attributes]\nx = { bins = [2020-01-01T00:00:00Z, 2020-01-02] }", "d")


@pytest.mark.parametrize(
    "bins",
    ["2020-01-01, 3", "2020-01-01, 07:00:00", '"2020-01-01", "soon"', '"2021-02-29", "2022-01-01"'],
)
def test_edges_of_several_kinds_are_refused(bins: str) -> None:
    with pytest.raises(InputError, match="or all of them be dates or times"):
        domain_from_toml(f"[attributes]\nx = {{ bins = [{bins}] }}", "d")


@given(st.datetimes(dt.datetime(1, 1, 1)), st.booleans())
def test_moments_are_read_as_the_standard_library_reads_them(when: dt.datetime, t: bool) -> None:
    text = when.isoformat("T" if t else " ")
    exact = Quantity.MOMENTS.read(text)
    apart = when - dt.datetime(1970, 1, 1)
    micro = dt.timedelta(microseconds=1)
    assert exact == Fraction(apart // micro, 10**6)
    assert Quantity.MOMENTS.write(exact) == when.isoformat().rstrip("0" if when.microsecond else "")
    assert Quantity.DATES.read(when.date().isoformat()) == exact // 86400 * 86400


@given(
    st.sampled_from([Quantity.DATES, Quantity.MOMENTS, Quantity.TIMES]),
    st.sets(st.integers(0, 10**6), min_size=2, max_size=5),
    st.integers(0, 2**32),
)
def test_domains_and_drawn_dates_come_back(quantity: Quantity, places: set[int], seed: int) -> None:
    step = {
        Quantity.DATES: Fraction(86400),
        Quantity.MOMENTS: Fraction(7919, 1000),
        Quantity.TIMES: Fraction(86400, 10**6),
    }[quantity]
    edges = [step * place for place in sorted(places)]
    attribute = Attribute.binned("x", edges, missing=True, quantity=quantity)
    domain = Domain("d", (attribute,))
    assert domain_from_toml(domain_to_toml(domain), "other") == domain
    assert Domain.from_json(domain.to_json()) == domain
    assert read_edges([quantity.write(edge) for edge in edges]) == (quantity, tuple(edges))
    dataset = Dataset(domain, np.array([[code] for code in range(attribute.size)] * 5))
    for frame in (to_numbers(dataset, seed), to_frame(dataset)):
        assert (from_frame(frame, domain).codes == dataset.codes).all()
    drawn = to_numbers(dataset, seed)["x"]
    assert not drawn.str.startswith("[").any() and not (drawn == "24:00:00").any()


def test_days_within_a_bin_are_drawn_alike_often() -> None:
    day = visits().project(["day"])
    drawn = to_numbers(Dataset(day, np.array([[0]] * 5900)), 3)["day"]
    assert drawn.min() == "2020-01-01" and drawn.max() == "2020-02-28"
    # 5900 draws of 59 days: six standard deviations each, missed with chance below 1e-6.
    assert len(set(drawn)) == 59 and (abs(drawn.value_counts() - 100) < 60).all()


def test_the_end_of_a_day_is_read_and_not_drawn() -> None:
    last = Attribute.binned("x", [86399, 86400], quantity=Quantity.TIMES)
    drawn = to_numbers(Dataset(Domain("d", (last,)), np.array([[0]] * 50)), 1)["x"]
    assert set(drawn) == {"23:59:59"}


def test_parquet_holds_dates_in_types_of_its_own(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {
            "day": [dt.date(2020, 2, 29), dt.date(2021, 1, 1), None],
            "seen": pd.to_datetime(
                ["2020-01-01T12:00:00.499999999", "2020-01-01T12:00:01.0", None]
            ),
            "at": [dt.time(7, 29, 59), dt.time(7, 30), dt.time(23, 59, 59, 999999)],
        }
    )
    frame.to_parquet(tmp_path / "visits.parquet")
    read = read_table(tmp_path / "visits.parquet", visits())
    assert read.codes.tolist() == [[1, 0, 0], [2, 1, 1], [3, 2, 1]]
    frame["seen"] = frame["seen"].dt.tz_localize("Europe/Paris")
    frame.to_parquet(tmp_path / "zoned.parquet")
    with pytest.raises(InputError, match="'seen': 2 records have a time that names its zone"):
        read_table(tmp_path / "zoned.parquet", visits())


def test_csv_holds_them_as_texts(tmp_path: Path) -> None:
    written = "day,seen,at\n2020-02-29,2020-01-01 13:00:00,08:00\n,never,07:00:00\n"
    (tmp_path / "visits.csv").write_text(written)
    read = read_table(tmp_path / "visits.csv", visits())
    assert read.codes.tolist() == [[1, 1, 1], [3, 2, 0]]


@pytest.mark.parametrize(
    ("edges", "quantity"),
    [
        ([0, 1], Quantity.DATES),
        ([0, 86401], Quantity.TIMES),
        ([-1, 3], Quantity.TIMES),
        ([Fraction(1, 3), 1], Quantity.MOMENTS),
        ([0, 10**12], Quantity.MOMENTS),
        ([-(10**299), 0], Quantity.DATES),
    ],
)
def test_edges_that_are_nothing_of_their_quantity(
    edges: list[Fraction], quantity: Quantity
) -> None:
    with pytest.raises(InputError, match="must be"):
        Attribute.binned("x", edges, quantity=quantity)
    with pytest.raises(InputError, match="only bins"):
        Attribute("x", ("a",), quantity=quantity)


def test_metrics_and_rules_reckon_with_dates() -> None:
    domain = visits().project(["day", "seen"])
    text = "day,seen\n2020-02-29,2020-01-01T06:00:00\n2020-05-01,2020-01-01T18:00:00\n"
    records = of_frame(pd.read_csv(io.StringIO(text)), domain)
    assert not records.midpoints and np.diff(records.numbers("day")).tolist() == [62 * 86400]
    assert of_dataset(from_frame(pd.read_csv(io.StringIO(text)), domain)).midpoints
    for rule, broken in (
        ("day < 2020-03-01", [False, True]),
        ("seen >= 2020-01-01T12:00:00 -> day = 2020-05-01", [False, False]),
        ("seen < day", [False, False]),
    ):
        assert read_rule(rule, domain).broken(records)[0].tolist() == broken
    with pytest.raises(InputError, match="compared with dates, and '7' is none"):
        read_rule("day < 7", domain)
    mixed = Domain("d", (domain.attributes[0], Attribute.binned("n", [0, 1])))
    with pytest.raises(InputError, match="cannot be compared"):
        read_rule("day < n", mixed)
