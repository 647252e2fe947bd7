"""No theorem about questions, ledgers and programs promises more than small mechanisms keep.

Hypothesis makes them on small domains: declared queries with every law, selections, responses and
synthetic tables, asked always or chosen by the answers under a budget. All their chances are worked
out at 50 digits (`tests.proofs.small_mechanisms`), and every theorem that the kernel makes of them,
at the smallest number that it accepts, is compared with the exact divergences between all
neighbours. The rules that make mechanisms of mechanisms are in `test_soundness_of_rules.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from proofs.derivation import derivation, replay
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, RenyiDP
from proofs.judgments import Odometer, Stable
from proofs.kernel import Theorem, prove
from proofs.ledger.events import of_events
from proofs.ledger.programs import of_budget, shape_of
from proofs.search.account import account_delta
from proofs.search.best import strongest as offered
from synthesizers.budget import Budget, PureBudget, ZCDPBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.errors import BudgetExceeded
from synthesizers.events import Event, Measure, Outcome, Sanitize, Select
from synthesizers.neighbours import Neighbours
from tests.proofs.all_conversions import all_covered, covers
from tests.proofs.covering import strongest
from tests.proofs.drawn_mechanisms import (
    amounts,
    bulk,
    databases,
    deltas,
    domains,
    epsilons,
    events,
    few,
    guarantee_of,
    more,
    orders,
    queries,
    relations,
    score_queries,
    written,
)
from tests.proofs.small_mechanisms import (
    TINY,
    Table,
    all_databases,
    answers,
    directed_pairs,
    measured,
    merged,
    mp,
    of_event,
    selected,
    together,
    wide,
)

F = Fraction


def check_event(data: st.DataObject) -> None:
    relation, domain = data.draw(relations), data.draw(domains)
    event = written(data.draw(events(domain, relation)), domain, relation)
    found = of_event(event, shape_of(domain), databases(relation, domain))
    (only,) = of_events([event], shape_of(domain), relation)
    all_covered(only.theorem, found, data.draw, 3)


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
    theorem = prove("additive-noise", [stable], {"law": law, "amount": amount})
    all_covered(theorem, found, data.draw, 3)


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
    all_covered(prove("exponential", [stable], {"rate": rate}), by["exponential"], data.draw, 1)
    covers(prove("permute-and-flip", [stable], {"rate": rate}), by["permute-and-flip"])
    # Exponential noise of the scale 1/rate makes permute-and-flip's choice (Ding et al. 2021).
    noise = {"noise": "exponential", "scale": 1 / rate}
    covers(prove("noisy-max", [stable], noise), by["permute-and-flip"])


@settings(bulk, max_examples=60)
@given(st.data())
def test_no_selection_reveals_more_than_its_theorems(data: st.DataObject) -> None:
    check_selection(data)


@pytest.mark.slow
@settings(bulk, max_examples=500)
@given(st.data())
def test_no_selection_or_query_of_many_reveals_more(data: st.DataObject) -> None:
    check_selection(data)
    check_stable(data)


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
    parts = of_events(asked, shape_of(domain), relation)
    order = data.draw(orders)
    claims: list[Any] = [ApproxDP(F(0)), ZCDP(F(0)), GaussianDP(F(0)), RenyiDP(order, F(0))]
    claims += [ApproxDP(F(0), data.draw(deltas))] if prover else []
    for claimed in claims:
        for offer in offered(parts, claimed):
            covers(offer.theorem, found)
            if claimed == ZCDP(F(0)):
                all_covered(offer.theorem, found, data.draw, 1)
    if prover:
        at = data.draw(epsilons)
        # Where the least δ is all but 1, none may be found.
        with contextlib.suppress(ProofError):
            for offer in account_delta(parts, at).found:
                covers(offer.theorem, found)
                assert replay(derivation(offer.theorem)).judgment == offer.theorem.judgment


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
    (only,) = of_budget(budget, setting.neighbours, {"program": "chooses"})
    all_covered(only.theorem, found, data.draw, 2)
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
        one: dict[str, Any] = {"neighbours": setting.neighbours, "program": {}, "deltas": [limit]}

        def attempt(value: Fraction, own: Any = one, spend: Fraction = spend) -> Theorem:
            return prove("odometer", [], own | {"levels": [[spend, value]]})

        theorem = strongest(attempt)
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
