"""No rule that makes a mechanism of mechanisms promises more than it keeps.

Composition, groups, parts, mixtures, maps, samples and finite channels, of random tables whose own
exact numbers are the premises: nothing is left there for a rule to give away.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from proofs.entries import RenyiCurve
from proofs.errors import ProofError
from proofs.guarantees import ApproxDP, GaussianDP
from proofs.judgments import LossList, Stable
from proofs.kernel import Theorem, prove
from proofs.ledger.programs import shape_of
from proofs.losses import SampledGaussianLoss
from synthesizers.domain import Domain
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, Neighbours, Unit
from synthesizers.noise import DiscreteLaplace
from tests.proofs.all_conversions import all_covered, covers
from tests.proofs.covering import strongest
from tests.proofs.drawn_mechanisms import (
    RECORD,
    SWAP,
    amounts,
    bulk,
    epsilons,
    exact_curve,
    exact_point,
    guarantee_of,
    more,
    queries,
    random_tables,
    relations,
    stated,
    written,
)
from tests.proofs.small_mechanisms import (
    Table,
    above,
    all_databases,
    directed_pairs,
    epsilon,
    fixed_samples,
    measured,
    merged,
    mixed,
    mp,
    mu,
    of_event,
    on_images,
    outer,
    parts_of,
    poisson_samples,
    then,
    together,
    wide,
)
from tests.synthesizers.brute_force import RELATIONS

F = Fraction


def check_random_composition(data: st.DataObject) -> None:
    """Random tables with their own exact numbers as premises: nothing is left to give away."""
    relation = data.draw(relations)
    listed = all_databases(relation.records_public, 2, 2)
    first = data.draw(random_tables(listed))
    seconds = [data.draw(random_tables(listed)) for _ in range(data.draw(st.integers(1, 2)))]
    found = then(first, seconds)
    at = [data.draw(epsilons) for _ in range(2)]
    points = [exact_point(first, relation, at[0])]
    points += [exact_point(second, relation, at[1]) for second in seconds]
    if None not in points:
        worst = ApproxDP(at[1], max(point.delta for point in points[1:] if point))
        premises = [stated(relation, points[0]), stated(relation, worst)]
        _compositions_of_points(premises, found, data.draw)
        covers(prove("as-losses", premises[:1]), first)
    order = data.draw(st.sampled_from([F(3, 2), F(2), F(5)]))
    curves = [exact_curve(one, relation, [order]) for one in (first, *seconds)]
    known = [curve for curve in curves if curve is not None]
    if len(known) == len(curves):
        second_curve = RenyiCurve(((order, max(c.points[0][1] for c in known[1:])),))
        renyis = [stated(relation, known[0]), stated(relation, second_curve)]
        all_covered(composed(renyis), found, data.draw, 2)


def composed(premises: list[Theorem], **given: Any) -> Theorem:
    """The losses of all premises, one after another."""
    return prove("compose", [prove("as-losses", [one]) for one in premises], given)


def summed(theorem: Theorem, premises: list[Theorem]) -> Theorem | None:
    """The plain sum of the premises' (ε, δ); None where the δ reach 1."""
    epsilon, delta = (
        sum((getattr(guarantee_of(one), name) for one in premises), F(0))
        for name in ("epsilon", "delta")
    )
    given_: dict[str, Any] = {"method": "sum", "epsilon": epsilon, "delta": delta, "hints": {}}
    return prove("to-approx", [theorem], given_) if delta < 1 else None


def optimal(theorem: Theorem, epsilon: Fraction, **hint: int) -> Theorem | None:
    """The least δ of the optimal composition."""
    own = {"method": "responses", "epsilon": epsilon, "hints": {"remove": {"bits": 90, **hint}}}
    return strongest(lambda delta: prove("to-approx", [theorem], own | {"delta": delta}))


def _compositions_of_points(
    premises: list[Theorem], found: Table, draw: Callable[[Any], Any]
) -> None:
    whole = composed(premises)
    covers(summed(whole, premises), found)
    at = draw(epsilons)
    covers(optimal(whole, at), found)
    covers(optimal(whole, at, grid=draw(st.sampled_from([0, 2, 12]))), found)
    all_covered(whole, found, draw, 2)


@bulk
@given(st.data())
def test_no_composition_of_random_tables_reveals_more(data: st.DataObject) -> None:
    check_random_composition(data)


@pytest.mark.slow
@more
@given(st.data())
def test_no_composition_of_many_random_tables_reveals_more(data: st.DataObject) -> None:
    check_random_composition(data)


def check_repetitions(data: st.DataObject) -> None:
    """One random table, several times over."""
    relation, times = data.draw(relations), data.draw(st.integers(1, 4))
    listed = all_databases(relation.records_public, 2, 2)
    single = data.draw(random_tables(listed))
    assume(single.outputs**times <= 260)
    found = together([single] * times)
    point = exact_point(single, relation, data.draw(epsilons))
    if point is not None:
        premises = [stated(relation, point)]
        whole = composed(premises, counts=[times])
        covers(summed(whole, premises * times), found)
        for drop in range(times // 2 + 1):
            covers(optimal(whole, (times - 2 * drop) * point.epsilon), found)
        covers(optimal(whole, data.draw(epsilons), grid=8), found)
        all_covered(whole, found, data.draw, 1)
    least = mu(single, directed_pairs(relation, listed))
    if least < wide.inf:
        gaussian = composed([stated(relation, GaussianDP(above(least)))], counts=[times])
        all_covered(gaussian, found, data.draw, 1)
        covers(strongest(lambda v: prove("to-gdp", [gaussian], {"mu": v, "shares": []})), found)


@bulk
@given(st.data())
def test_no_repetition_of_a_random_table_reveals_more(data: st.DataObject) -> None:
    check_repetitions(data)


@pytest.mark.slow
@more
@given(st.data())
def test_no_repetition_of_many_random_tables_reveals_more(data: st.DataObject) -> None:
    check_repetitions(data)


def check_group(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from([r for r in RELATIONS if isinstance(r, AddRemove)]))
    target = data.draw(relations)
    listed = all_databases(False, 2, 4)
    found = data.draw(random_tables(listed, zeros=False))
    order = F(3, 2)
    point = exact_point(found, source, data.draw(epsilons))
    promised: list[Any] = [
        ApproxDP(above(epsilon(found, directed_pairs(source, listed)))),
        GaussianDP(above(mu(found, directed_pairs(source, listed)))),
        exact_curve(found, source, [order, 2 * order, 4 * order, 12 * order]),
    ]
    promised += [] if point is None else [point]
    for guarantee in promised:
        covers(_grouped(stated(source, guarantee), target, order), found)
    for theorem in _read(stated(source, promised[0])):
        all_covered(prove("group", [theorem], {"neighbours": target}), found, data.draw, 1)


def _read(pure: Theorem) -> list[Theorem]:
    """The losses of pure DP, and what they are otherwise."""
    losses = prove("as-losses", [pure])
    zcdp = prove("to-zcdp", [losses], {"rho": guarantee_of(pure).epsilon ** 2 / 2})
    return [losses, zcdp, prove("as-losses", [zcdp])]


def _grouped(premise: Theorem, target: Neighbours, order: Fraction) -> Theorem | None:
    """The strongest theorem of the target's neighbours."""
    whole = {"neighbours": target}
    match guarantee_of(premise):
        case ApproxDP(_, limit) if limit:
            return strongest(lambda d: _group(premise, whole | {"delta": d}))
        case RenyiCurve():
            at = whole | {"orders": [order]}
            return strongest(lambda e: _group(premise, at | {"epsilons": [e]}))
    return prove("group", [premise], whole)


def _group(premise: Theorem, parameters: dict[str, Any]) -> Theorem:
    """The group's theorem; with one step the premise's own, which reads no further numbers."""
    try:
        return prove("group", [premise], parameters)
    except ProofError as error:
        if "nothing to state" not in str(error):
            raise
        return prove("group", [premise], {"neighbours": parameters["neighbours"]})


@settings(bulk, max_examples=25)
@given(st.data())
def test_no_group_reveals_more_than_its_theorem(data: st.DataObject) -> None:
    check_group(data)


@pytest.mark.slow
@more
@given(st.data())
def test_no_group_of_many_reveals_more_than_its_theorem(data: st.DataObject) -> None:
    check_group(data)


def check_structure(data: st.DataObject) -> None:
    relation = data.draw(relations)
    listed = all_databases(relation.records_public, 2, 2)
    tables = [data.draw(random_tables(listed)) for _ in range(2)]
    points = [exact_point(one, relation, data.draw(epsilons)) for one in tables]
    if None in points:
        return
    premises = [stated(relation, point) for point in points]
    weight = data.draw(st.sampled_from([F(1, 2), F(1, 5), F(9, 10)]))
    weights = [weight, 1 - weight]
    covers(prove("mixture", premises, {"weights": weights}), mixed(tables, weights))
    branch = prove("mixture", premises)
    for one in tables:
        covers(branch, one)
    groups = data.draw(st.lists(st.integers(0, 2), min_size=2, max_size=5))
    for one, premise in zip(tables, premises, strict=True):
        covers(prove("post-processing", [premise], {"map": "merges"}), merged(one, groups))
        seen = {"program": {}, "seen": "every transcript"}
        covers(prove("fixed-ledger", [premise], seen), one)


@bulk
@given(st.data())
def test_no_mixture_branch_or_map_reveals_more(data: st.DataObject) -> None:
    check_structure(data)


def check_parallel(data: st.DataObject) -> None:
    """Two parts of three cells, each with a random table of its own records."""
    listed = all_databases(False, 3, 2)
    parts = [(0,), (1, 2)]
    owns = [tuple(dict.fromkeys(parts_of(listed, cells))) for cells in parts]
    tables = [data.draw(random_tables(own, zeros=False)) for own in owns]
    kept: list[Neighbours] = [RECORD, SWAP]
    relation = data.draw(st.sampled_from(kept))
    wanted = all_databases(relation.records_public, 3, 2)
    rows = [
        outer(
            [
                one.rows[one.databases.index(part)]
                for one, part in zip(tables, next_parts, strict=True)
            ]
        )
        for next_parts in zip(*(list(parts_of(wanted, cells)) for cells in parts), strict=True)
    ]
    found = Table(wanted, np.array(rows, dtype=object))
    at = data.draw(epsilons)
    kinds = data.draw(st.sampled_from(["pure", "approx", "gdp", "zcdp"]))
    premises = []
    for one in tables:
        pairs = directed_pairs(RECORD, one.databases)
        pure = ApproxDP(above(epsilon(one, pairs)))
        match kinds:
            case "pure":
                premises.append(stated(RECORD, pure))
            case "approx":
                point = exact_point(one, RECORD, at)
                assert point is not None
                premises.append(stated(RECORD, point))
            case "gdp":
                premises.append(stated(RECORD, GaussianDP(above(mu(one, pairs)))))
            case _:
                premises.append(_read(stated(RECORD, pure))[1])
    own = {"key": "the first attribute", "relation": relation.name}
    if kinds == "approx" and relation == SWAP:
        if any(guarantee_of(one).delta for one in premises):
            covers(strongest(lambda d: prove("parallel", premises, own | {"delta": d})), found)
    else:
        covers(prove("parallel", premises, own), found)


@settings(bulk, max_examples=40)
@given(st.data())
def test_no_parallel_parts_reveal_more(data: st.DataObject) -> None:
    check_parallel(data)


def check_samples(data: st.DataObject) -> None:
    """Random tables on a Poisson sample, and on a sample of a fixed size."""
    fraction = data.draw(st.sampled_from([F(1, 10), F(1, 2), F(4, 5), F(1)]))
    listed = all_databases(False, 2, 3)
    one = data.draw(random_tables(listed))
    point = exact_point(one, RECORD, data.draw(epsilons))
    if point is not None:
        sampled = on_images(one, listed, lambda counts: poisson_samples(fraction, counts))
        own: dict[str, Any] = {"fraction": fraction}
        premise = stated(RECORD, point)
        covers(strongest(lambda e: prove("subsample", [premise], own | {"epsilon": e})), sampled)
    size = data.draw(st.integers(1, 3))
    inner, wanted = all_databases(True, 2, size), all_databases(True, 2, 3)
    one = data.draw(random_tables(inner))
    point = exact_point(one, SWAP, data.draw(epsilons))
    if point is not None:
        sampled = on_images(one, wanted, lambda counts: fixed_samples(size, counts))
        own = {"sample": size, "records": 3}
        premise = stated(SWAP, point)
        theorem = strongest(lambda e: prove("subsample", [premise], own | {"epsilon": e}))
        covers(theorem, sampled)


@settings(bulk, max_examples=40)
@given(st.data())
def test_no_sample_reveals_more_than_its_theorem(data: st.DataObject) -> None:
    check_samples(data)


@settings(bulk, max_examples=12)
@given(st.data())
def test_no_gaussian_on_a_sample_reveals_more_than_its_pair(data: st.DataObject) -> None:
    domain = Domain.from_cells("2")
    listed, shape = all_databases(False, 2, 3), shape_of(domain)
    query = data.draw(queries(domain, 2))
    fraction, variance = data.draw(st.sampled_from([F(1, 10), F(1, 2)])), data.draw(amounts)
    whole = measured(query.to_json(), "gaussian", variance, (-1, 3), shape, listed)
    sampled = on_images(whole, listed, lambda counts: poisson_samples(fraction, counts))
    given_ = {"neighbours": RECORD, "shape": shape, "query": query.to_json()}
    stable = prove(query.kind, [], given_)
    own = {"fraction": fraction, "sigma_squared": variance}
    assert isinstance(stable.judgment, Stable)
    if stable.judgment.l1:
        all_covered(prove("sampled-gaussian", [stable], own), sampled, data.draw, 1)


@settings(bulk, max_examples=6)
@given(st.data())
def test_no_gaussian_on_a_sample_of_a_fixed_size_reveals_more_than_its_pair(
    data: st.DataObject,
) -> None:
    domain = Domain.from_cells("2")
    size, shape = data.draw(st.integers(1, 2)), shape_of(domain)
    inner, wanted = all_databases(True, 2, size), all_databases(True, 2, 3)
    query = data.draw(queries(domain, 2))
    variance = data.draw(amounts)
    whole = measured(query.to_json(), "gaussian", variance, (-1, 3), shape, inner)
    sampled = on_images(whole, wanted, lambda counts: fixed_samples(size, counts))
    given_ = {"neighbours": SWAP, "shape": shape, "query": query.to_json()}
    stable = prove(query.kind, [], given_)
    own = {"sample": size, "records": 3, "sigma_squared": variance}
    assert isinstance(stable.judgment, Stable)
    if stable.judgment.l1:
        all_covered(prove("fixed-size-gaussian", [stable], own), sampled, data.draw, 1)


def test_a_gaussian_on_a_sample_has_the_length_of_the_whole_move() -> None:
    """The number of records, told twice: a record moves both answers by 1, a length of √2."""
    norms = {"l0": 2, "l1": 2, "l2_squared": 2, "linf": 1, "monotone": True, "integers": True}
    stable = prove(
        "stated-sensitivity", [], {"neighbours": RECORD, "query": "the total, twice", **norms}
    )
    listed, total = all_databases(False, 1, 3), {"kind": "total"}
    once = measured(total, "gaussian", F(1), (-3, 6), {"cell": 1}, listed)
    sampled = on_images(
        together([once, once]), listed, lambda counts: poisson_samples(F(1, 2), counts)
    )
    theorem = prove("sampled-gaussian", [stable], {"fraction": F(1, 2), "sigma_squared": F(1)})
    assert guarantee_of(theorem) == LossList(((1, SampledGaussianLoss(F(1, 2), F(2))),))
    covers(theorem, sampled)
    for wrong in (SampledGaussianLoss(F(1, 2), F(1)), SampledGaussianLoss(F(1, 4), F(2))):
        with pytest.raises(AssertionError, match="losses"):
            covers(stated(RECORD, LossList(((1, wrong),))), sampled)


def check_transformed(data: st.DataObject) -> None:
    """Each record becomes up to two records of another cell, or none."""
    domain = Domain.from_cells("2")
    shape, listed = shape_of(domain), all_databases(False, 2, 2)
    becomes = st.sampled_from([(0, 0), (1, 0), (1, 1), (0, 2)])
    images = data.draw(st.lists(becomes, min_size=2, max_size=2))
    query = data.draw(queries(domain, 2))
    event = Measure(query, DiscreteLaplace(data.draw(amounts)), -1, 4)
    columns = list(zip(*images, strict=True))
    mapped = [
        tuple(sum(n * k for n, k in zip(counts, column, strict=True)) for column in columns)
        for counts in listed
    ]
    whole = of_event(written(event, domain, RECORD), shape, mapped)
    found = Table(listed, whole.rows)
    person = AddRemove(Unit("person", 2))
    stable = prove(query.kind, [], {"neighbours": person, "shape": shape, "query": query.to_json()})
    moved = prove("transformed", [stable], {"records": 2, "description": "records become others"})
    noise = {"law": "discrete-laplace", "amount": event.noise.to_json()["scale"]}
    all_covered(prove("additive-noise", [moved], noise), found, data.draw, 1)


@settings(bulk, max_examples=40)
@given(st.data())
def test_no_query_of_transformed_records_reveals_more(data: st.DataObject) -> None:
    check_transformed(data)


def check_channel(data: st.DataObject) -> None:
    relation = data.draw(relations)
    listed = all_databases(relation.records_public, 2, 2)
    size = data.draw(st.integers(2, 3))
    weights = [
        data.draw(st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any))
        for _ in listed
    ]
    rows = [[F(w, sum(row)) for w in row] for row in weights]
    found = Table(listed, np.array([[mp(chance) for chance in row] for row in rows], dtype=object))
    own: dict[str, Any] = {
        "neighbours": relation,
        "databases": [list(d) for d in listed],
        "rows": rows,
    }
    own |= {"epsilon": data.draw(epsilons)}
    theorem = strongest(lambda d: prove("finite-channel", [], own | {"delta": d}))
    if theorem is not None:
        all_covered(theorem, found, data.draw, 1)
        if isinstance(relation, AddRemove):
            own = {"neighbours": data.draw(relations)}
            covers(strongest(lambda d: _group(theorem, own | {"delta": d})), found)


@settings(bulk, max_examples=50)
@given(st.data())
def test_no_finite_channel_reveals_more_than_its_theorem(data: st.DataObject) -> None:
    check_channel(data)


@pytest.mark.slow
@settings(bulk, max_examples=500)
@given(st.data())
def test_no_structure_of_many_reveals_more(data: st.DataObject) -> None:
    for check in (check_structure, check_parallel, check_samples, check_transformed, check_channel):
        check(data)
