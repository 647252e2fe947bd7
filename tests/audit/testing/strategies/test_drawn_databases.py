"""Domains and databases: within their bounds, of every kind, and small when they shrink."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, assume, find, given, settings
from hypothesis import strategies as st

from audit.subjects.databases import dataset_of_records
from audit.testing.strategies import databases, datasets, domains, histograms, records
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError

quick = settings(max_examples=30, deadline=None, derandomize=True, database=None)
thorough = settings(
    quick, max_examples=2000, phases=(Phase.generate, Phase.shrink), report_multiple_bugs=False
)
SMALL = Domain.from_cells("2x3")


@quick
@given(st.data())
def test_domains_keep_their_bounds(data: st.DataObject) -> None:
    least, most = data.draw(st.integers(1, 3)), data.draw(st.integers(3, 5))
    low, high = data.draw(st.integers(1, 3)), data.draw(st.integers(3, 6))
    cells = data.draw(st.integers(low**least, 200))
    found = data.draw(
        domains(
            min_attributes=least,
            max_attributes=most,
            min_values=low,
            max_values=high,
            max_cells=cells,
        )
    )
    assert least <= len(found.attributes) <= most
    assert all(low <= size <= high for size in found.shape)
    assert found.size <= cells


@pytest.mark.parametrize(
    "kind",
    [
        lambda a: a.edges is None and not a.missing and not a.ordinal,
        lambda a: a.ordinal,
        lambda a: a.missing,
        lambda a: a.edges is not None and a.edges[0].denominator == 1,
        lambda a: a.edges is not None and any(e.denominator > 1 for e in a.edges),
    ],
)
def test_domains_of_every_kind_of_attribute_are_drawn(kind: Any) -> None:
    find(domains(), lambda domain: kind(domain.attributes[-1]), settings=thorough)


def test_domains_shrink_to_one_plain_attribute_of_few_values() -> None:
    assert find(domains(), lambda d: True, settings=thorough).shape == (1,)
    found = find(domains(max_values=9), lambda d: d.size >= 3, settings=thorough)
    assert found.attributes == (Attribute("a1", ("0", "1", "2")),)
    assert find(domains(min_values=2), lambda d: d.size > 2, settings=thorough).size == 3


@pytest.mark.parametrize(
    "bounds",
    [
        {"min_attributes": 3, "max_attributes": 2},
        {"min_attributes": 0},
        {"min_values": 5, "max_values": 4},
        {"min_values": -1},
        {"min_attributes": 3, "min_values": 4, "max_cells": 63},
        {"max_cells": 0},
        {"min_attributes": 1.0},
    ],
)
def test_bounds_that_no_domain_keeps_are_refused_at_once(bounds: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        domains(**bounds)


def test_few_cells_leave_room_for_fewer_attributes() -> None:
    found = domains(min_values=2, max_attributes=5, max_cells=8)
    assert find(found, lambda d: len(d.attributes) == 3, settings=thorough).shape == (2, 2, 2)


@quick
@given(domains(), st.integers(0, 40), st.integers(0, 4000), st.data())
def test_databases_keep_their_bounds_and_lie_in_the_domain(
    domain: Domain, least: int, more: int, data: st.DataObject
) -> None:
    most = least + more
    counts = data.draw(histograms(domain, min_records=least, max_records=most))
    assert len(counts) == domain.size and min(counts) >= 0
    assert least <= sum(counts) <= most
    assume(most <= 500)
    listed = data.draw(databases(domain, min_records=least, max_records=most))
    assert dataset_of_records(listed, domain).records == len(listed)
    assert least <= len(listed) <= most
    assert least <= data.draw(datasets(domain, min_records=least, max_records=most)).records <= most


def test_databases_shrink_to_few_records_of_the_first_values() -> None:
    many = {"max_records": 10_000}
    assert find(histograms(SMALL, **many), lambda h: True, settings=thorough) == (0,) * 6
    found = find(histograms(SMALL, **many), lambda h: sum(h) >= 37, settings=thorough)
    assert found == (37, 0, 0, 0, 0, 0)
    found = find(histograms(SMALL), lambda h: sum(1 for c in h if c) >= 2, settings=thorough)
    assert found == (1, 1, 0, 0, 0, 0)
    assert find(databases(SMALL), lambda d: True, settings=thorough) == []
    found = find(databases(SMALL), lambda d: len(d) >= 3, settings=thorough)
    assert found == [{"a1": "0", "a2": "0"}] * 3
    found = find(databases(SMALL), lambda d: any(r["a2"] == "2" for r in d), settings=thorough)
    assert found == [{"a1": "0", "a2": "2"}]
    assert find(datasets(SMALL), lambda d: d.records > 1, settings=thorough).codes.tolist() == [
        [0, 0],
        [0, 0],
    ]


@pytest.mark.parametrize(
    "family",
    [
        lambda h: max(h) == sum(h) > 5000,
        lambda h: min(h) == max(h) > 500,
        lambda h: sorted(h)[-2:-1] == [1] and sum(h) > 1000,
    ],
    ids=["one value", "all cells alike", "one against many"],
)
def test_large_databases_of_few_kinds_of_record_are_drawn(family: Any) -> None:
    find(histograms(SMALL, max_records=10_000), family, settings=thorough)


def test_every_small_histogram_can_be_drawn() -> None:
    domain = Domain.from_cells("3")
    wanted = {(a, b, c) for a in range(4) for b in range(4 - a) for c in range(4 - a - b)}
    seen: set[tuple[int, ...]] = set()

    @settings(thorough, max_examples=500)
    @given(histograms(domain, max_records=3))
    def collect(found: tuple[int, ...]) -> None:
        seen.add(found)

    collect()
    assert seen == wanted


def test_records_of_a_bin_reach_its_ends() -> None:
    domain = Domain("d", (Attribute.binned("age", [0, 30, 60]),))
    for wanted in (0, 30, 60, 17, 59):
        find(records(domain), lambda r, w=wanted: r["age"] == w, settings=thorough)
    below = find(records(domain), lambda r: 29 < r["age"] < 30, settings=thorough)
    assert np.nextafter(below["age"], 31) == 30


def test_persons_own_no_more_records_than_said() -> None:
    domain = Domain("d", SMALL.attributes, individual="id")

    @quick
    @given(databases(domain, max_records_a_person=2), datasets(domain, max_records_a_person=2))
    def bounded(listed: list[dict[str, Any]], coded: Any) -> None:
        ids = [record["id"] for record in listed]
        assert all(ids.count(one) <= 2 for one in ids)
        assert all(np.bincount(coded.persons) <= 2)
        dataset_of_records(listed, domain)

    bounded()
    find(databases(domain), lambda d: len({r["id"] for r in d}) < len(d), settings=thorough)


@pytest.mark.parametrize(
    "bounds", [{"min_records": 3, "max_records": 2}, {"min_records": -1}, {"max_records": 2.5}]
)
@pytest.mark.parametrize("strategy", [histograms, databases, datasets])
def test_impossible_numbers_of_records_are_refused_at_once(
    strategy: Any, bounds: dict[str, Any]
) -> None:
    with pytest.raises(InputError):
        strategy(SMALL, **bounds)


def test_a_domain_of_too_many_cells_for_a_histogram_still_has_records() -> None:
    wide = Domain("d", tuple(Attribute(f"a{k}", tuple("01234567")) for k in range(9)))
    with pytest.raises(InputError, match="at most 65536 cells"):
        histograms(wide)
    assert find(databases(wide), lambda d: len(d) == 2, settings=thorough)[0]["a8"] == "0"


@pytest.mark.slow
def test_from_type_knows_our_classes() -> None:
    from synthesizers.declared import NOISES, PUBLIC_LAWS, QUERIES, TABLE_LAWS
    from synthesizers.events import Draw, Measure, Sanitize, Select

    for kind in (*NOISES, *QUERIES, *TABLE_LAWS, *PUBLIC_LAWS, Draw, Measure, Sanitize, Select):
        assert type(find(st.from_type(kind), lambda value: True, settings=thorough)) is kind


@pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisDeprecationWarning")
def test_a_derandomised_profile_is_there_and_no_one_elses_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from audit.testing.strategies.registered import register_profile

    monkeypatch.setattr(settings, "_current_profile", "default")
    monkeypatch.setattr(settings, "_profiles", {"default": settings.get_profile("default")})
    register_profile()
    made = settings.get_profile("ci")
    assert made.derandomize and made.deadline is None
    monkeypatch.setattr(settings, "_profiles", {"ci": quick})
    register_profile()
    assert settings.get_profile("ci") is quick
