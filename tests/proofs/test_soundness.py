"""No theorem promises more than small mechanisms keep, and tight rules promise no less.

Hypothesis makes mechanisms on small domains: declared queries with every law, selections,
responses, synthetic tables, random tables, and what composition, sampling, grouping and programs
under a budget make of them. `tests.proofs.small_mechanisms` works out all their chances at 50
digits, and every theorem that the kernel makes of them, at the smallest number that it accepts,
is compared with the exact divergences between all neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from proofs.accounting import delta_accounting
from proofs.accounts import of_events
from proofs.derivation import derivation, replayed
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, RenyiDP
from proofs.judgments import (
    ApproxZCDP,
    Dominated,
    Odometer,
    Private,
    Profile,
    RenyiCurve,
    Stable,
    guarantee_to_json,
)
from proofs.kernel import Theorem, prove
from proofs.ledgers import of_budget, shape_of
from proofs.losses import DiscreteGaussianLoss, GaussianLoss, LaplaceLoss, SampledGaussianLoss
from proofs.profiles import grid
from proofs.profiles.methods import METHODS
from proofs.prover import strongest as offered
from synthesizers.budget import Budget, PureBudget, ZCDPBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.errors import BudgetExceeded, InputError
from synthesizers.events import Event, Measure, Outcome, Sanitize, Select
from synthesizers.laws.dirichlet import DirichletMultinomial, PlugInMultinomial
from synthesizers.laws.pram import PostRandomisation
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, RoundedLaplace
from synthesizers.queries import BoundedSum, CellCounts, Marginal, ModelError, Query, Total
from synthesizers.selection import Exponential
from tests.proofs.covering import shortfall, strongest
from tests.proofs.small_mechanisms import (
    TINY,
    Counts,
    Table,
    above,
    all_databases,
    answers,
    delta,
    directed_pairs,
    epsilon,
    fixed_samples,
    mass,
    measured,
    merged,
    mixed,
    mp,
    mu,
    normal_quantile,
    of_event,
    on_images,
    outer,
    parts_of,
    poisson_samples,
    renyi,
    responses,
    selected,
    table,
    then,
    together,
    wide,
)
from tests.synthesizers.brute_force import RELATIONS

F = Fraction
RECORD, SWAP = AddRemove(), ReplaceOne()

bulk = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
"""What every change runs."""

more = settings(bulk, max_examples=800)
"""What `-m slow` runs."""

few = settings(bulk, max_examples=5)
"""Of what takes the prover long."""

relations = st.sampled_from(RELATIONS)
domains = st.sampled_from(["2", "2", "3", "2x2"]).map(Domain.from_cells)
amounts = st.fractions(F(1, 3), 4, max_denominator=6)
deltas = st.sampled_from([F(1, 10**9), F(1, 1000), F(1, 20), F(1, 5), F(1, 2)])
orders = st.sampled_from([F(21, 20), F(3, 2), F(2), F(4), F(19, 2), F(40)])
epsilons = st.sampled_from([F(0), F(1, 10), F(1, 2), F(1), F(3)])


# Mechanisms.


def databases(relation: Neighbours, domain: Domain) -> tuple[Counts, ...]:
    """All of a small size."""
    return all_databases(relation.records_public, domain.size, 2 if domain.size > 2 else 3)


@st.composite
def queries(draw: st.DrawFn, domain: Domain, most: int = 4) -> Query:
    """A declared query of a few answers."""
    names = domain.names
    chosen = st.lists(st.sampled_from(names), min_size=1, max_size=len(names), unique=True)
    cells = st.lists(st.integers(0, domain.size - 1), min_size=1, max_size=most, unique=True)
    kind = draw(st.sampled_from(["marginal", "marginal", "cells", "total", "sum"]))
    if kind == "marginal":
        return Marginal(tuple(draw(chosen)))
    if kind == "cells":
        return CellCounts(tuple(draw(cells)))
    if kind == "total":
        return Total()
    name = draw(st.sampled_from(names))
    size = domain.attribute(name).size
    values = draw(st.lists(st.integers(-2, 3), min_size=size, max_size=size))
    low = draw(st.integers(-2, 1))
    return BoundedSum(name, tuple(values), low, low + draw(st.integers(0, 3)))


@st.composite
def score_queries(draw: st.DrawFn, domain: Domain) -> Query:
    """Scores of two or three candidates."""
    if draw(st.booleans()):
        cells = st.lists(st.integers(0, domain.size - 1), min_size=2, max_size=3, unique=True)
        return CellCounts(tuple(draw(cells)))
    names = draw(st.lists(st.sampled_from(domain.names), min_size=2, max_size=3))
    candidates = tuple(Marginal((name,)) for name in names)
    models = tuple(
        tuple(draw(st.integers(0, 2)) for _ in range(c.size(domain))) for c in candidates
    )
    return ModelError(candidates, models)


@st.composite
def measurements(draw: st.DrawFn, domain: Domain) -> Measure:
    """A noisy query of at most some dozens of outcomes."""
    query = draw(queries(domain))
    answers_of = query.size(domain)
    low = draw(st.integers(-1, 1))
    span = draw(st.integers(1, 6 if answers_of == 1 else 3 if answers_of == 2 else 1))
    noise = draw(st.sampled_from([DiscreteLaplace, RoundedLaplace, DiscreteGaussian]))
    return Measure(query, noise(draw(amounts)), low, low + span)


@st.composite
def events(draw: st.DrawFn, domain: Domain, relation: Neighbours) -> Event:
    """One question, of a kind that has a finite guarantee."""
    kinds = ["measure", "measure", "select", "posterior"]
    kinds += ["response", "matrix"] if relation.records_public else []
    kind = draw(st.sampled_from(kinds))
    if kind == "measure":
        return draw(measurements(domain))
    if kind == "select":
        return Select(draw(score_queries(domain)), Exponential(draw(amounts)))
    if kind == "posterior":
        law = draw(st.sampled_from([DirichletMultinomial, PlugInMultinomial]))
        alpha = tuple(draw(amounts) for _ in range(draw(st.sampled_from([1, domain.size]))))
        return Sanitize(law(alpha, draw(st.integers(0, 2))))
    if kind == "response":
        return Sanitize(RandomizedResponse(draw(amounts)))
    size = domain.size
    rows = [
        draw(st.lists(st.integers(1, 5), min_size=size - 1, max_size=size - 1)) for _ in range(size)
    ]
    return Sanitize(PostRandomisation(tuple((*row, 5 * size - sum(row)) for row in rows)))


def written(event: Event, domain: Domain, relation: Neighbours) -> dict[str, Any]:
    """An event as ledgers write it."""
    return event.to_json(domain, relation)


@st.composite
def random_tables(draw: st.DrawFn, listed: tuple[Counts, ...], zeros: bool = True) -> Table:
    """Any chances at all, zeros among them."""
    size, least = draw(st.integers(2, 4)), 0 if zeros else 1
    rows = []
    for _ in listed:
        weights = draw(st.lists(st.integers(least, 6), min_size=size, max_size=size).filter(any))
        rows.append([mp(F(weight, sum(weights))) for weight in weights])
    return Table(listed, np.array(rows, dtype=object))


def stated(relation: Neighbours, guarantee: Any) -> Theorem:
    """A guarantee known to hold, as a premise."""
    return prove(
        "stated-guarantee",
        [],
        {"neighbours": relation, "mechanism": "a table", "guarantee": guarantee_to_json(guarantee)},
    )


def exact_point(found: Table, relation: Neighbours, at: Fraction) -> ApproxDP | None:
    """The table's own (ε, δ) at an ε; None where no δ below 1 holds."""
    least = above(delta(found, directed_pairs(relation, found.databases), at))
    return ApproxDP(at, least) if least < 1 else None


def exact_curve(found: Table, relation: Neighbours, at: Sequence[Fraction]) -> RenyiCurve | None:
    """The table's own Rényi divergences; None where they are infinite."""
    pairs = directed_pairs(relation, found.databases)
    values = [renyi(found, pairs, order) for order in at]
    if wide.inf in values:
        return None
    return RenyiCurve(tuple(zip(at, map(above, values), strict=True)))


def guarantee_of(theorem: Theorem) -> Any:
    """What a theorem of a mechanism promises."""
    assert isinstance(theorem.judgment, Private)
    return theorem.judgment.guarantee


def covers(theorem: Theorem | None, found: Table) -> None:
    """Fail where a theorem promises more than the table keeps."""
    if theorem is not None:
        missing = shortfall(theorem, found)
        assert not missing, f"{theorem.rule} of {[p.rule for p in theorem.premises]}: {missing}"


# Conversions.


def conversions(theorem: Theorem, draw: Callable[[Any], Any]) -> list[Callable[[], Any]]:
    """Every conversion of a theorem, each with the smallest number that the kernel accepts."""

    def one(rule: str, **parameters: Any) -> Callable[[], Theorem | None]:
        return lambda: attempted(lambda: prove(rule, [theorem], parameters))

    def least(rule: str, name: str, **rest: Any) -> Callable[[], Theorem | None]:
        return lambda: strongest(lambda value: prove(rule, [theorem], {name: value, **rest}))

    def listed(rule: str, order: Fraction) -> Callable[[], Theorem | None]:
        stated_at = {"orders": [order]}
        return lambda: strongest(
            lambda value: prove(rule, [theorem], stated_at | {"epsilons": [value]})
        )

    def weaker(kind: Any, place: Fraction) -> Callable[[], Theorem | None]:
        return lambda: strongest(lambda value: weakened(theorem, kind(((place, value),))))

    order, limit, at = draw(orders), draw(deltas), draw(epsilons)
    match guarantee_of(theorem):
        case ApproxDP(_, 0):
            return [
                one("pure-to-zcdp"),
                least("pure-to-zcdp-tight", "rho"),
                one("pure-to-pair"),
                least("pure-to-gdp", "mu"),
                listed("pure-to-renyi", order),
                one("approx-to-approx-zcdp"),
            ]
        case ApproxDP():
            rules = ("pure-to-pair", "approx-to-approx-zcdp", "approx-to-profile")
            return [one(rule) for rule in rules]
        case ZCDP():
            return [
                least("zcdp-to-approx", "epsilon", delta=limit),
                least("zcdp-to-approx-at-order", "epsilon", order=order, delta=limit),
                least("zcdp-to-approx-at-order", "delta", order=order, epsilon=at),
                one("zcdp-to-renyi", orders=[order, order + 1]),
                one("zcdp-to-approx-zcdp", delta=limit),
            ]
        case ApproxZCDP():
            return [least("approx-zcdp-to-approx", "epsilon", delta_split=limit)]
        case GaussianDP():
            return [one("gdp-to-pair"), one("gdp-to-zcdp")]
        case RenyiCurve(points):
            order = draw(st.sampled_from(points))[0]
            return [
                least("renyi-to-approx", "epsilon", order=order, delta=limit),
                least("renyi-to-approx", "delta", order=order, epsilon=at),
                least("renyi-to-approx-mironov", "epsilon", order=order, delta=limit),
                weaker(RenyiCurve, order),
                weaker(RenyiCurve, (1 + order) / 2),
            ]
        case Profile(points):
            return [
                one("profile-to-approx", epsilon=at + points[0][0]),
                weaker(Profile, points[0][0] + at),
                weaker(Profile, at),
            ]
        case Dominated(losses):
            sampled = any(isinstance(loss, SampledGaussianLoss) for _, loss in losses)
            hints = {"moment": {"order": str(order - 1)}}
            if not sampled:
                more_hints: dict[str, Any] = {"responses": {"bits": 90}, "laplace": {"bits": 90}}
                hints |= more_hints | {"gaussian": {}}
            found = [one("pair-to-pure"), one("pair-to-zcdp"), least("pair-to-gdp", "mu")]
            found.append(listed("pair-to-renyi", order))
            for method, hint in hints.items():
                own = {"method": method, "hints": {"remove": hint, "add": hint}}
                found.append(least("pair-to-approx", "delta", epsilon=at, **own))
                places = [[F(1, 2), F(1, 4)], [2, F(1, 4)]]
                both = {"points": places, "hints": [own["hints"]] * 2}
                found.append(one("pair-to-profile", method=method, **both))
            return found
    raise AssertionError(theorem.judgment)


def attempted(attempt: Callable[[], Theorem]) -> Theorem | None:
    """The theorem; None where the rule does not apply."""
    try:
        return attempt()
    except InputError:
        return None


def weakened(theorem: Theorem, guarantee: Any) -> Theorem:
    """The weaker guarantee, where it is weaker."""
    return prove("weaken", [theorem], {"guarantee": guarantee_to_json(guarantee)})


def all_covered(theorem: Theorem, found: Table, draw: Callable[[Any], Any], depth: int) -> None:
    """Check a theorem, some of its conversions, and some of those of one of them."""
    covers(theorem, found)
    if depth:
        ways = st.lists(st.sampled_from(conversions(theorem, draw)), min_size=1, max_size=3)
        made = [one for way in draw(ways) if (one := way()) is not None]
        for one in made:
            covers(one, found)
        if depth > 1 and made:
            all_covered(made[0], found, draw, depth - 1)


# What every theorem about one question promises.


def check_event(data: st.DataObject) -> None:
    relation, domain = data.draw(relations), data.draw(domains)
    event = written(data.draw(events(domain, relation)), domain, relation)
    found = of_event(event, shape_of(domain), databases(relation, domain))
    (only,) = of_events([event], shape_of(domain), relation)
    for theorem in only.theorems:
        covers(theorem, found)
    all_covered(data.draw(st.sampled_from(only.theorems)), found, data.draw, 2)


@bulk
@given(st.data())
def test_no_question_reveals_more_than_its_theorems(data: st.DataObject) -> None:
    check_event(data)


@pytest.mark.slow
@more
@given(st.data())
def test_no_question_of_many_reveals_more_than_its_theorems(data: st.DataObject) -> None:
    check_event(data)


def check_stable(data: st.DataObject) -> None:
    relation, domain = data.draw(relations), data.draw(domains)
    query = data.draw(st.one_of(queries(domain), score_queries(domain))).to_json()
    given_ = {"neighbours": relation, "shape": shape_of(domain), "query": query}
    stable = prove(query["kind"], [], given_).judgment
    assert isinstance(stable, Stable) and stable.integers
    listed = databases(relation, domain)
    for first, second in directed_pairs(relation, listed):
        left, right = (answers(query, shape_of(domain), listed[i]) for i in (first, second))
        moves = [a - b for a, b in zip(left, right, strict=True)]
        assert stable.l0 is None or sum(map(bool, moves)) <= stable.l0
        assert sum(map(abs, moves)) <= stable.l1
        assert sum(move**2 for move in moves) <= stable.l2_squared
        assert max(map(abs, moves)) <= stable.linf
        assert not stable.monotone or min(moves) >= 0 or max(moves) <= 0


@settings(bulk, max_examples=150)
@given(st.data())
def test_no_query_moves_further_than_its_theorem(data: st.DataObject) -> None:
    check_stable(data)


def check_continuous(data: st.DataObject) -> None:
    relation, domain = data.draw(relations), data.draw(domains)
    query = data.draw(queries(domain, 2))
    assume(query.size(domain) <= 2)
    law, amount = data.draw(st.sampled_from(["laplace", "gaussian"])), data.draw(amounts)
    given_ = {"neighbours": relation, "shape": shape_of(domain), "query": query.to_json()}
    stable = prove(query.kind, [], given_)
    found = measured(
        query.to_json(), law, amount, (-1, 3), shape_of(domain), databases(relation, domain)
    )
    if law == "laplace":
        own = {"law": law, "scale": amount}
        rules = [prove(rule, [stable], own) for rule in ("laplace", "laplace-pair")]
    else:
        own = {"sigma_squared": amount}
        rules = [prove("gaussian", [stable], own)]
        for rule in ("analytic-gaussian", "classical-gaussian"):
            one = own | {"delta": data.draw(deltas)}
            theorem = strongest(lambda e, r=rule, o=one: prove(r, [stable], o | {"epsilon": e}), 8)
            rules += [] if theorem is None else [theorem]
    for theorem in rules:
        covers(theorem, found)
    all_covered(data.draw(st.sampled_from(rules)), found, data.draw, 2)


@settings(bulk, max_examples=30)
@given(st.data())
def test_continuous_noise_reveals_no_more_when_it_is_rounded(data: st.DataObject) -> None:
    check_continuous(data)


@pytest.mark.slow
@more
@given(st.data())
def test_much_continuous_noise_reveals_no_more_when_it_is_rounded(data: st.DataObject) -> None:
    check_continuous(data)


def check_selection(data: st.DataObject) -> None:
    relation, domain = data.draw(relations), data.draw(domains)
    query, rate = data.draw(score_queries(domain)).to_json(), data.draw(amounts)
    given_ = {"neighbours": relation, "shape": shape_of(domain), "query": query}
    stable = prove(query["kind"], [], given_)
    listed = databases(relation, domain)
    by = {
        way: selected(query, way, rate, shape_of(domain), listed)
        for way in ("exponential", "permute-and-flip")
    }
    covers(prove("exponential", [stable], {"rate": rate}), by["exponential"])
    covers(prove("exponential-zcdp", [stable], {"rate": rate}), by["exponential"])
    covers(prove("permute-and-flip", [stable], {"rate": rate}), by["permute-and-flip"])
    # Exponential noise of the scale 1/rate makes permute-and-flip's choice (Ding et al. 2021).
    noise = {"noise": "exponential", "scale": 1 / rate}
    covers(prove("noisy-max", [stable], noise), by["permute-and-flip"])


@settings(bulk, max_examples=60)
@given(st.data())
def test_no_selection_reveals_more_than_its_theorems(data: st.DataObject) -> None:
    check_selection(data)


# Compositions.


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
        covers(prove("pure-to-pair", premises[:1]), first)
    order = data.draw(st.sampled_from([F(3, 2), F(2), F(5)]))
    curves = [exact_curve(one, relation, [order]) for one in (first, *seconds)]
    known = [curve for curve in curves if curve is not None]
    if len(known) == len(curves):
        second_curve = RenyiCurve(((order, max(c.points[0][1] for c in known[1:])),))
        renyis = [stated(relation, known[0]), stated(relation, second_curve)]
        all_covered(prove("compose-renyi", renyis), found, data.draw, 1)


def _compositions_of_points(
    premises: list[Theorem], found: Table, draw: Callable[[Any], Any]
) -> None:
    try:
        covers(prove("compose", premises), found)
    except ProofError:
        assert sum(guarantee_of(one).delta for one in premises) >= 1
    given_ = {"bits": draw(st.sampled_from([0, 2, 12])), "epsilon": draw(epsilons)}
    covers(
        strongest(lambda v: prove("optimal-heterogeneous", premises, given_ | {"delta": v})), found
    )
    pairs = prove("compose-pairs", [prove("pure-to-pair", [one]) for one in premises])
    all_covered(pairs, found, draw, 1)
    approx = [prove("approx-to-approx-zcdp", [one]) for one in premises]
    if sum(guarantee_of(one).delta for one in approx) < 1:
        all_covered(prove("compose-approx-zcdp", approx), found, draw, 1)


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
        premise, slack = stated(relation, point), data.draw(deltas)
        own = {"count": times, "slack": slack}
        covers(strongest(lambda e: prove("advanced", [premise], own | {"epsilon": e})), found)
        for drop in range(times // 2 + 1):
            own = {"count": times, "drop": drop}
            covers(
                strongest(
                    lambda d, o=own: prove("optimal-homogeneous", [premise], o | {"delta": d})
                ),
                found,
            )
        own = {"counts": [times], "epsilon": data.draw(epsilons), "bits": 8}
        covers(
            strongest(lambda d: prove("optimal-heterogeneous", [premise], own | {"delta": d})),
            found,
        )
    least = mu(single, directed_pairs(relation, listed))
    if least < wide.inf:
        gaussian = stated(relation, GaussianDP(above(least)))
        theorem = strongest(
            lambda v: prove("compose-gdp", [gaussian], {"mu": v, "counts": [times]})
        )
        covers(theorem, found)


@bulk
@given(st.data())
def test_no_repetition_of_a_random_table_reveals_more(data: st.DataObject) -> None:
    check_repetitions(data)


@pytest.mark.slow
@more
@given(st.data())
def test_no_repetition_of_many_random_tables_reveals_more(data: st.DataObject) -> None:
    check_repetitions(data)


@st.composite
def ledgers(draw: st.DrawFn) -> tuple[Domain, Neighbours, list[dict[str, Any]], Table]:
    """Some questions that are always asked, as a ledger, with the table of all answers."""
    relation, domain = draw(relations), draw(domains)
    listed = databases(relation, domain)
    asked = [draw(events(domain, relation)) for _ in range(draw(st.integers(1, 3)))]
    asked += asked[:1] if draw(st.booleans()) else []
    plain = [written(event, domain, relation) for event in asked]
    tables = [of_event(event, shape_of(domain), listed) for event in plain]
    while np.prod([one.outputs for one in tables]) > 250:
        widest = max(range(len(tables)), key=lambda i: tables[i].outputs)
        groups = draw(st.lists(st.integers(0, 5), min_size=2, max_size=40))
        tables[widest] = merged(tables[widest], groups)
    return domain, relation, plain, together(tables)


def check_ledger(data: st.DataObject, prover: bool) -> None:
    domain, relation, asked, found = data.draw(ledgers())
    components = of_events(asked, shape_of(domain), relation)
    order = data.draw(orders)
    claims: list[Any] = [ApproxDP(F(0)), ZCDP(F(0)), GaussianDP(F(0)), RenyiDP(order, F(0))]
    claims += [ApproxDP(F(0), data.draw(deltas))] if prover else []
    for claimed in claims:
        for offer in offered(components, claimed):
            covers(offer.theorem, found)
            if claimed == ZCDP(F(0)):
                all_covered(offer.theorem, found, data.draw, 1)
    if prover and all(one.of(Dominated) for one in components):
        for offer in delta_accounting(components, data.draw(epsilons)).found:
            covers(offer.theorem, found)
            assert replayed(derivation(offer.theorem)).judgment == offer.theorem.judgment


@settings(bulk, max_examples=30)
@given(st.data())
def test_no_ledger_reveals_more_than_is_proved(data: st.DataObject) -> None:
    check_ledger(data, prover=False)


@few
@given(st.data())
def test_no_offer_of_the_prover_lies_below_the_exact_loss(data: st.DataObject) -> None:
    check_ledger(data, prover=True)


@pytest.mark.slow
@settings(bulk, max_examples=150)
@given(st.data())
def test_no_offer_of_many_lies_below_the_exact_loss(data: st.DataObject) -> None:
    check_ledger(data, prover=True)


# Programs that choose their questions by the answers, under a budget.


class _NextQuestionError(BaseException):
    """A question that no outcome was chosen for."""

    def __init__(self, event: Event) -> None:
        super().__init__()
        self.event = event


@st.composite
def adaptive_programs(draw: st.DrawFn) -> tuple[Setting, Budget, list[list[Event]], int]:
    """Questions to choose among, and a budget for about two of them."""
    relation, domain = draw(relations), Domain.from_cells(draw(st.sampled_from(["2", "3"])))
    setting = Setting.of(domain, relation, 2)
    choices = [[draw(events(domain, relation)) for _ in range(3)] for _ in range(2)]
    pure = draw(st.booleans())
    costs = [
        cost.epsilon if pure else cost.rho
        for row in choices
        for cost in (event.cost(domain, relation) for event in row)
    ]
    known = sorted(cost for cost in costs if cost is not None)
    assume(known)
    limit = known[len(known) // 2] + known[0] + known[-1] * draw(st.sampled_from([F(0), F(1, 3)]))
    budget: Budget = PureBudget(limit) if pure else ZCDPBudget(limit)
    return setting, budget, choices, draw(st.integers(0, 5))


def transcripts(
    setting: Setting, budget: Budget, choices: list[list[Event]], salt: int
) -> Iterator[tuple[tuple[Outcome, ...], tuple[Event, ...], Any]]:
    """Every transcript: its outcomes, its questions, and what was spent by then."""
    listed = all_databases(setting.neighbours.records_public, setting.domain.size, 2)
    waiting: list[tuple[Outcome, ...]] = [()]
    while waiting:
        chosen = waiting.pop()
        left = list(chosen)

        def answer(event: Event, left: list[Outcome] = left) -> Outcome:
            if not left:
                raise _NextQuestionError(event)
            return left.pop(0)

        curator = Curator(setting, budget, answer)
        try:
            for row in choices:
                seen = sum(map(sum, (o for _, o in curator.transcript)), salt)
                for turn in range(len(row)):
                    try:
                        curator_ask(curator, row[(seen + turn) % len(row)])
                        break
                    except BudgetExceeded:
                        continue
        except _NextQuestionError as question:
            event = written(question.event, setting.domain, setting.neighbours)
            count = of_event(event, shape_of(setting.domain), listed).outputs
            waiting += [(*chosen, (number,)) for number in range(count)]
            continue
        yield chosen, curator.ledger, curator.spent


def curator_ask(curator: Curator, event: Event) -> None:
    """Ask an event's question."""
    match event:
        case Measure(query, noise, low, high):
            curator.measure(query, noise, low=low, high=high)
        case Select(scores, noise):
            curator.select(scores, noise)
        case Sanitize(law):
            curator.sanitize(law)


def check_program(data: st.DataObject) -> None:
    setting, budget, choices, salt = data.draw(adaptive_programs())
    listed = all_databases(setting.neighbours.records_public, setting.domain.size, 2)
    columns, spends = [], []
    for outcomes, ledger, spent in transcripts(setting, budget, choices, salt):
        column = np.array([wide.mpf(1)] * len(listed), dtype=object)
        for (number,), event in zip(outcomes, ledger, strict=True):
            plain = written(event, setting.domain, setting.neighbours)
            column = column * of_event(plain, shape_of(setting.domain), listed).rows[:, number]
        columns.append(column)
        spends.append(spent)
    found = Table(listed, np.stack(columns, axis=1))
    (only,) = of_budget(budget, setting.neighbours, {"program": "chooses"}) or ()
    for theorem in only.theorems:
        all_covered(theorem, found, data.draw, 1)
    for claimed in (ApproxDP(F(0)), ApproxDP(F(0), F(1, 100)), ZCDP(F(0))):
        for offer in offered((only,), claimed):
            covers(offer.theorem, found)
    if isinstance(budget, ZCDPBudget):
        _odometer(setting, budget, found, spends, data.draw)


def _odometer(
    setting: Setting, budget: ZCDPBudget, found: Table, spends: list[Any], draw: Any
) -> None:
    """The chance that some level's loss is passed, over all transcripts, is at most δ."""
    limits = [draw(deltas) / 2 for _ in range(2)]
    levels = [budget.rho / 3, budget.rho]
    reached: list[Fraction] = []
    for spend, limit in zip(levels, limits, strict=True):
        one = {"neighbours": setting.neighbours, "program": {}, "deltas": [limit]}
        theorem = strongest(
            lambda e, o=one, s=spend: prove("odometer", [], o | {"levels": [[s, e]]})
        )
        assert theorem is not None
        reached.append(guarantee_of(theorem).levels[0][1])
    one = {"neighbours": setting.neighbours, "program": {}, "deltas": limits}
    points = [list(point) for point in zip(levels, reached, strict=True)]
    promised = guarantee_of(prove("odometer", [], one | {"levels": points}))
    assert isinstance(promised, Odometer)
    for first, second in directed_pairs(setting.neighbours, found.databases):
        failed = wide.mpf(0)
        for p, q, spent in zip(found.rows[first], found.rows[second], spends, strict=True):
            loss = wide.log(p / q) if p and q else wide.inf if p else -wide.inf
            bad = any(spent.rho <= s and loss > mp(e) for s, e in promised.levels)
            failed += p if bad else 0
        assert failed <= mp(promised.delta) + TINY


@settings(bulk, max_examples=20)
@given(st.data())
def test_no_program_under_a_budget_reveals_more(data: st.DataObject) -> None:
    check_program(data)


@pytest.mark.slow
@settings(bulk, max_examples=300)
@given(st.data())
def test_no_program_of_many_under_a_budget_reveals_more(data: st.DataObject) -> None:
    check_program(data)


# Structure, sampling, and finite channels.


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
    pure = prove("pure-to-zcdp", [stated(source, promised[0])])
    covers(prove("group", [pure], {"neighbours": target}), found)


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
        if "has no parameter" not in str(error):
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
    branch = prove("worst-branch", premises)
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
    relation = data.draw(st.sampled_from([RECORD, SWAP]))
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
                premises.append(prove("pure-to-zcdp", [stated(RECORD, pure)]))
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
        own = {"fraction": fraction}
        premise = stated(RECORD, point)
        covers(strongest(lambda e: prove("poisson", [premise], own | {"epsilon": e})), sampled)
    size = data.draw(st.integers(1, 3))
    inner, wanted = all_databases(True, 2, size), all_databases(True, 2, 3)
    one = data.draw(random_tables(inner))
    point = exact_point(one, SWAP, data.draw(epsilons))
    if point is not None:
        sampled = on_images(one, wanted, lambda counts: fixed_samples(size, counts))
        own = {"sample": size, "records": 3}
        premise = stated(SWAP, point)
        theorem = strongest(lambda e: prove("without-replacement", [premise], own | {"epsilon": e}))
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
        all_covered(prove("poisson-gaussian", [stable], own), sampled, data.draw, 1)


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
    noise = {"law": "discrete-laplace", "scale": event.noise.to_json()["scale"]}
    covers(prove("laplace", [moved], noise), found)
    covers(prove("laplace-pair", [moved], noise), found)


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
    own = {"neighbours": relation, "databases": [list(d) for d in listed], "rows": rows}
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
    check_selection(data)
    check_stable(data)


# Tightness.


def test_basic_composition_of_randomised_response_is_attained() -> None:
    matrix = responses(F(2, 3), 2)
    listed = all_databases(True, 2, 1)
    one = table(listed, lambda counts: {o: c for o, c in enumerate(matrix[counts[1]])})
    pairs = directed_pairs(SWAP, listed)
    given_ = {"neighbours": SWAP, "values": 2, "epsilon": F(2, 3)}
    single = prove("randomized-response", [], given_)
    theorem = prove("compose", [single], {"counts": [3]})
    assert guarantee_of(theorem) == ApproxDP(F(2))
    assert abs(epsilon(together([one] * 3), pairs) - 2) < TINY


@pytest.mark.parametrize("times", [1, 2, 5])
def test_optimal_composition_is_that_of_randomised_response(times: int) -> None:
    e = F(2, 3)
    matrix = responses(e, 2)
    listed = all_databases(True, 2, 1)
    one = table(listed, lambda counts: {o: c for o, c in enumerate(matrix[counts[1]])})
    found, pairs = together([one] * times), directed_pairs(SWAP, listed)
    given_ = {"neighbours": SWAP, "values": 2, "epsilon": e}
    premise = prove("randomized-response", [], given_)
    for drop in range((times + 1) // 2):
        exact = delta(found, pairs, (times - 2 * drop) * e)
        own = {"count": times, "drop": drop}
        prove("optimal-homogeneous", [premise], own | {"delta": above(exact, 30)})
        if exact > TINY:
            with pytest.raises(ProofError):
                tight = {"delta": above(exact, 30) - F(2, 10**30)}
                prove("optimal-homogeneous", [premise], own | tight)


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda r: f"{r.name}-{r.unit.max_records}")
def test_the_geometric_law_spends_all_of_its_epsilon(relation: Neighbours) -> None:
    domain, scale = Domain.from_cells("2"), F(3, 2)
    event = Measure(Marginal(("cell",)), DiscreteLaplace(scale), -1, 6)
    listed = all_databases(relation.records_public, 2, 4)
    found = of_event(written(event, domain, relation), shape_of(domain), listed)
    (only,) = of_events([written(event, domain, relation)], shape_of(domain), relation)
    promised = only.of(ApproxDP)
    assert promised is not None
    exact = epsilon(found, directed_pairs(relation, listed))
    assert abs(exact - mp(promised[1].epsilon)) < TINY


def test_the_gaussian_pair_is_the_mechanism_itself() -> None:
    stable = prove(
        "marginal",
        [],
        {
            "neighbours": SWAP,
            "shape": {"cell": 2},
            "query": {"kind": "marginal", "attributes": ["cell"]},
        },
    )
    pair = prove("gaussian", [stable], {"sigma_squared": F(8)})
    assert guarantee_of(pair) == Dominated(((1, GaussianLoss(F(1, 4))),))
    # One record exchanged moves two counts by 1: a length of √2, μ = √2/√8 = 1/2.
    for at in (F(0), F(1, 2), F(2)):
        ends = [wide.ncdf(side * wide.mpf("0.25") - 2 * mp(at)) for side in (1, -1)]
        exact = ends[0] - wide.exp(mp(at)) * ends[1]
        own = {"method": "gaussian", "epsilon": at, "hints": {}}
        prove("pair-to-approx", [pair], own | {"delta": above(exact, 30)})
        with pytest.raises(ProofError):
            prove("pair-to-approx", [pair], own | {"delta": above(exact, 30) - F(2, 10**30)})
        own = {"sigma_squared": F(8), "epsilon": at}
        prove("analytic-gaussian", [stable], own | {"delta": above(exact, 30)})
    assert guarantee_of(prove("pair-to-zcdp", [pair])) == ZCDP(F(1, 8))
    assert guarantee_of(prove("pair-to-gdp", [pair], {"mu": F(1, 2)})) == GaussianDP(F(1, 2))


def test_the_exponential_mechanism_spends_all_of_its_epsilon_in_the_limit() -> None:
    domain, relation = Domain.from_cells("2"), SWAP
    listed = all_databases(True, 2, 3)
    event = Select(CellCounts((0, 1)), Exponential(F(9)))
    plain = written(event, domain, relation)
    found = of_event(plain, shape_of(domain), listed)
    (only,) = of_events([plain], shape_of(domain), relation)
    promised = only.of(ApproxDP)
    assert promised is not None and promised[1].epsilon == 18
    exact = epsilon(found, directed_pairs(relation, listed))
    assert 17 < exact <= 18


def test_a_laplace_answer_told_exactly_has_the_profile_of_its_pair() -> None:
    stable = prove(
        "total", [], {"neighbours": RECORD, "shape": {"cell": 2}, "query": {"kind": "total"}}
    )
    pair = prove("laplace-pair", [stable], {"law": "laplace", "scale": F(1)})
    assert guarantee_of(pair) == Dominated(((1, LaplaceLoss(F(1))),))
    # P = Laplace(1), Q = Laplace(0): P - e^ε·Q on x > (1 + ε)/2 integrates to 1 - e^((ε-1)/2).
    for at in (F(0), F(1, 3)):
        exact = 1 - wide.exp(mp((at - 1) / 2))
        own = {"method": "laplace", "epsilon": at, "hints": {"remove": {"bits": 120}}}
        prove("pair-to-approx", [pair], own | {"delta": above(exact, 25)})
        with pytest.raises(ProofError):
            prove("pair-to-approx", [pair], own | {"delta": above(exact, 25) - F(2, 10**25)})


def test_a_loss_beyond_the_lattice_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    # Cut off at z² > 20 instead of 280, which leaves at most e^-10 < 2^-14, the lattice holds
    # losses up to (2·6 - 1)/2.
    monkeypatch.setattr(grid, "TAIL", 20)
    monkeypatch.setattr(grid, "CUT", F(1, 2**14))
    window = {"step": "1/8", "size": 1024, "start": "-60"}
    hint = window | {"order": "5", "below": "1/2", "above": "5"}
    found = METHODS["lattice"](((1, DiscreteGaussianLoss(F(1), 1)),), "remove", F(6), hint)
    exact = wide.fsum(
        mass("discrete-gaussian", F(1), z - 1) - wide.exp(6) * mass("discrete-gaussian", F(1), z)
        for z in range(7, 60)
    )
    assert 0 < exact <= mp(found.upper) < 1


def test_the_sparse_vector_theorem_is_about_bits_alone() -> None:
    counts = {"kind": "cell-counts", "cells": [0, 1]}
    given_ = {"neighbours": RECORD, "shape": {"cell": 2}, "query": counts}
    stable = prove("cell-counts", [], given_)
    own = {"threshold_scale": 1, "query_scale": 1, "count": 1, "resampled": False}
    prove("sparse-vector", [stable], own | {"releases": "bits"})
    for releases in ("answers", "values", "gaps", "scores"):
        with pytest.raises(ProofError):
            prove("sparse-vector", [stable], own | {"releases": releases})


def test_tables_are_compared_with_hand_computed_numbers() -> None:
    """The instrument itself: two databases, chances 3/4 and 1/4 against 1/2 and 1/2."""
    listed = all_databases(True, 2, 1)
    half, rest = wide.mpf(1) / 2, wide.mpf(3) / 4
    found = Table(listed, np.array([[rest, 1 - rest], [half, half]], dtype=object))
    pairs = directed_pairs(SWAP, listed)
    assert delta(found, pairs, F(0)) == wide.mpf(1) / 4
    assert abs(epsilon(found, pairs) - wide.log(2)) < TINY
    # D₂ of (3/4, 1/4) against (1/2, 1/2) is ln(9/8 + 1/8); the other way ln(1/3 + 1).
    assert abs(renyi(found, pairs, F(2)) - wide.log(wide.mpf(4) / 3)) < TINY
    assert abs(mu(found, pairs) - normal_quantile(rest)) < TINY * 10**6
    with pytest.raises(AssertionError, match="delta at 0"):
        covers(stated(SWAP, ApproxDP(F(0), F(24, 100))), found)
    covers(stated(SWAP, ApproxDP(F(0), F(1, 4))), found)
    for wrong in (ZCDP(F(1, 10)), GaussianDP(F(2, 3)), RenyiCurve(((F(2), F(1, 4)),))):
        with pytest.raises(AssertionError):
            covers(stated(SWAP, wrong), found)
    for wrong in (ApproxZCDP(F(0), F(0), F(1, 10)), Dominated(((1, LaplaceLoss(F(1, 5))),))):
        with pytest.raises(AssertionError):
            covers(stated(SWAP, wrong), found)
