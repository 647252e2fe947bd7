"""Examining a query: which findings are made, that none accuses falsely, and how each replays."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from audit.auditors.sensitivity.declaration import of_query, parse_declaration
from audit.auditors.sensitivity.examine import StatedQuery, examine, spell, state_query
from audit.auditors.sensitivity.piecewise import Abs, PiecewiseLinear, form
from audit.auditors.sensitivity.records import FloatColumn
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour, violations
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.queries import BoundedSum, Marginal, ModelError, Total

F = Fraction
CELLS = Domain.from_cells("3")
OWNED = Domain("owned", CELLS.attributes, individual="id")
PERSON = Unit("person", 3)
Rows = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def shorter_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.auditors.sensitivity.families.LONGEST", 60)
    monkeypatch.setattr("audit.auditors.sensitivity.families.SIZES", (1, 2, 3, 10, 30))


def histogram(records: Rows) -> list[int]:
    counts = Counter(int(record["cell"]) for record in records)
    return [counts[cell] for cell in range(3)]


def mean(records: Rows) -> Fraction:
    return F(sum(int(record["cell"]) for record in records), max(len(records), 1))


def clipped(records: Rows) -> int:
    """Persons."""
    return len({record["id"] for record in records})


def unclipped(records: Rows) -> int:
    return len(records)


def float_sum(records: Rows) -> float:
    total = 0.0
    for record in records:
        total += record["x"]
    return total


def _examined(
    function: Any,
    bounds: str,
    neighbours: Neighbours,
    domain: Domain | FloatColumn = CELLS,
    records: tuple[int, ...] | None = None,
) -> tuple[Finding, ...]:
    query = StatedQuery("query", function, domain, parse_declaration(bounds))
    return examine(query, neighbours, records, examples=40)


HONEST: list[tuple[Any, str, Neighbours, Any, tuple[int, ...] | None]] = [
    (histogram, "l1=1, l2=1, linf=1", AddRemove(), CELLS, None),
    (histogram, "l1=2, l2_squared=2, linf=1", ReplaceOne(), CELLS, None),
    (histogram, "l1=6, l2_squared=18, linf=3", ReplaceOne(PERSON), CELLS, None),
    (mean, "l1=2/7", ReplaceOne(), CELLS, (7,)),
    (clipped, "l1=1", AddRemove(PERSON), OWNED, None),
    (unclipped, "l1=3", AddRemove(PERSON), OWNED, None),
    (
        lambda r: math.fsum(x["x"] for x in r) // 1,
        "l1=2",
        AddRemove(),
        FloatColumn("x", 0, 1),
        None,
    ),
    (lambda r: np.zeros(4), "l1=0, l2=0, linf=0", AddRemove(), CELLS, None),
    (lambda r: [], "l1=0", AddRemove(), CELLS, None),
    (lambda r: float("inf"), "l1=0", AddRemove(), CELLS, None),
]


@pytest.mark.parametrize(("function", "bounds", "neighbours", "domain", "records"), HONEST)
def test_an_honest_query_is_not_accused(
    function: Any, bounds: str, neighbours: Neighbours, domain: Any, records: Any
) -> None:
    found = _examined(function, bounds, neighbours, domain, records)
    assert found and not violations(found)
    assert all(finding.auditor == "sensitivity" for finding in found)


LIARS: list[tuple[Any, str, Neighbours, Any, Any]] = [
    (histogram, "l1=1", ReplaceOne(), CELLS, "2"),
    (histogram, "l2=1", ReplaceOne(), CELLS, "√2"),
    (histogram, "l1=1", AddRemove(PERSON), CELLS, "3"),
    (mean, "l1=1", AddRemove(), CELLS, "2"),
    (unclipped, "l1=1", AddRemove(PERSON), OWNED, "3"),
    (lambda r: 1 / len(r), "l1=1", AddRemove(), CELLS, "inf"),
    (lambda r: [0] * len(r), "l1=1", AddRemove(), CELLS, "inf"),
    (lambda r: math.nan if len(r) == 3 else 0.0, "l1=1", AddRemove(), CELLS, "inf"),
]


@pytest.mark.parametrize(("function", "bounds", "neighbours", "domain", "largest"), LIARS)
def test_a_liar_is_found_exactly(
    function: Any, bounds: str, neighbours: Neighbours, domain: Any, largest: str
) -> None:
    bad = violations(_examined(function, bounds, neighbours, domain))
    assert bad[-1].found == largest and bad[-1].rigour is Rigour.EXACT
    assert all(finding.pair is not None for finding in bad)


def test_a_bug_has_one_finding_of_the_largest_change_and_the_smallest_pair() -> None:
    def square(records: Rows) -> int:
        return len(records) ** 2

    (found,) = _examined(square, "l1=2", AddRemove(), CELLS, (5,))
    assert (found.found, found.rigour) == ("9", Rigour.EXACT)
    assert found.pair is not None and len(found.pair.second) == 2
    assert "this smallest pair changes by 3" in str(found.responsible)


def test_a_bug_in_several_norms_and_sizes_has_one_finding() -> None:
    (found,) = _examined(histogram, "l1=1, l2=1/2, linf=1/2", ReplaceOne(), CELLS, (1, 3))
    assert found.about == "L1 and L2 and L∞ sensitivity"
    assert (found.declared, found.found) == ("L1 1, L2 0.5, L∞ 0.5", "L1 2, L2 √2, L∞ 1")
    assert found.pair is not None and len(found.pair.first) == 1


def test_what_depends_on_the_order_of_records_has_one_finding() -> None:
    def last(records: Rows) -> int:
        return int(records[-1]["cell"]) if records else 0

    query = StatedQuery("query", last, CELLS, parse_declaration("l1=1"))
    with_order = [f for f in examine(query, AddRemove(), examples=5) if f.violated]
    assert len(with_order) <= 2 and len({f.about for f in with_order}) == len(with_order)


def test_a_pair_replays_as_it_is_written() -> None:
    for finding in violations(_examined(mean, "l1=1", AddRemove())):
        a, b = eval(finding.again, {"mean": mean})
        assert str(abs(a - b)) == finding.found


def test_databases_are_written_as_python_reads_them() -> None:
    strange = ("'", '"', "\\'", '\\"', "\\", "a b\n\x00é🙂", "\u202e", "'\"'")
    for database in (
        [],
        [{"x": 1}],
        [{"x": 1}] * 3 + [{"x": None}, {"y": "'"}],
        [{"x": text, text: -0.5} for text in strange],
    ):
        assert eval(spell(database)) == database
        assert "'" not in spell(database)
    assert spell([{"x": 1}] * 1000) == '[{"x": 1}] * 1000'


def test_each_norm_is_judged_by_its_own_bound() -> None:
    found = _examined(histogram, "l1=2, l2=1, linf=1", ReplaceOne())
    assert [(f.about, f.found) for f in violations(found)] == [("L2 sensitivity", "√2")]


def test_rounding_has_a_verdict_of_its_own() -> None:
    found = _examined(float_sum, "l1=1", AddRemove(), FloatColumn("x", 0.0, 1.0))
    assert not violations(found)
    (rounded,) = [finding for finding in found if finding.decision is Decision.ROUNDED]
    assert rounded.excess is not None and "on exact numbers" in rounded.excess.because
    assert 1 < F(rounded.found) <= 1 + F(rounded.excess.relative) < 1 + F(1, 2**40)
    assert f"ε·(1 + {rounded.excess.relative})" in rounded.excess.cost


def test_overflow_is_infinite() -> None:
    bad = violations(_examined(float_sum, "l1=1e308", AddRemove(), FloatColumn("x", -1e308, 1e308)))
    assert any(finding.found == "inf" for finding in bad)


def test_wrapped_integers_are_found_in_large_databases() -> None:
    def wrapped(records: Rows) -> int:
        return int(np.array([100 for _ in records], np.int8).sum(dtype=np.int8))

    bad = violations(_examined(wrapped, "l1=100", AddRemove()))
    assert bad and max(int(finding.found) for finding in bad) == 156


def test_bins_stand_for_numbers_and_their_exhaustion_is_a_floor() -> None:
    ages = Domain("ages", (Attribute.binned("age", [0, 30, 90], ordinal=True),))

    def total(records: Rows) -> float:
        return sum(record["age"] for record in records)

    found = _examined(total, "l1=90", AddRemove(), ages, (3,))
    assert not violations(found)
    assert {finding.rigour for finding in found} == {Rigour.FLOOR}
    assert "90" in [finding.found for finding in found]


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne(), ReplaceOne(PERSON)], ids=str)
@pytest.mark.parametrize(
    "query",
    [
        Total(),
        Marginal(("cell",)),
        BoundedSum("cell", (-4, 1, 9), -3, 5),
        ModelError((Marginal(("cell",)),), ((3, 0, -2),)),
    ],
    ids=str,
)
def test_declared_queries_keep_to_what_they_declare(query: Any, neighbours: Neighbours) -> None:
    found = examine(state_query("query", query, OWNED, neighbours), neighbours, examples=20)
    assert not violations(found)
    exact = [finding for finding in found if finding.rigour is Rigour.EXACT]
    bounds = of_query(query.sensitivity(OWNED, neighbours))
    if not isinstance(query, ModelError):
        assert [finding.found for finding in exact] == [n.text(bound) for n, bound in bounds]


def test_a_described_query_is_refuted_by_its_certificate_alone() -> None:
    query = PiecewiseLinear(3, (Abs(form({0: 2, 1: -1}, -5)),))
    (finding,) = _examined(query, "l1=2", ReplaceOne())
    assert finding.violated and (finding.found, finding.rigour) == ("3", Rigour.EXACT)
    assert "Described(" in finding.again


def test_a_described_query_needs_cells() -> None:
    query = PiecewiseLinear(3, (form({0: 1}),))
    with pytest.raises(InputError, match="not a column of floats"):
        _examined(query, "l1=1", AddRemove(), FloatColumn("x", 0, 1))
    with pytest.raises(InputError, match="3 cells and the domain has 4"):
        _examined(query, "l1=1", AddRemove(), Domain.from_cells("4"))


def test_a_function_that_never_gives_a_number_breaks_the_protocol() -> None:
    def secretive(records: Rows) -> int:
        raise ValueError("secret")

    with pytest.raises(ProtocolError, match="raised ValueError") as caught:
        _examined(secretive, "l1=1", AddRemove())
    assert "secret" not in str(caught.value)


def test_a_noisy_function_is_no_query() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ProtocolError, match="deterministic"):
        _examined(lambda r: rng.normal(), "l1=1", AddRemove())


@pytest.mark.parametrize("records", [(), (0,), (3, 0)])
def test_numbers_of_records_make_sense(records: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="at least one record"):
        _examined(histogram, "l1=1", AddRemove(), CELLS, records)


def test_without_neighbours_there_is_nothing_to_examine() -> None:
    with pytest.raises(InputError, match="no two of these databases"):
        _examined(len, "l1=1", ReplaceOne(), Domain.from_cells("1"))


def test_several_numbers_of_records_are_all_looked_at() -> None:
    def third(records: Rows) -> int:
        return int(records[0]["cell"]) if len(records) == 3 else 0

    found = _examined(third, "l1=1", ReplaceOne(), CELLS, (2, 3))
    assert violations(found) and "2 or 3 records" in found[0].covers
    assert not violations(_examined(third, "l1=1", ReplaceOne(), CELLS, (2, 4)))
