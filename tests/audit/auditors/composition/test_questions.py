"""One question's loss is exact, and above its cost only where the cost is too small."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from audit.auditors.composition.questions import Asking, loss_of
from audit.channels.enumerate import instance
from audit.statements.evidence import Decision
from synthesizers.budget import Cost
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.events import Measure, Sanitize, Select
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, RoundedLaplace
from synthesizers.queries import CellCounts, Marginal, Total
from synthesizers.selection import Exponential

DOMAIN = Domain.from_cells("3")
WHOLE = Marginal(("cell",))
EVENTS = [
    Measure(Total(), DiscreteLaplace(Fraction(2)), 0, 3),
    Measure(CellCounts((0, 2)), RoundedLaplace(Fraction(3)), 0, 2),
    Measure(Total(), DiscreteGaussian(Fraction(4)), -2, 5),
    Select(WHOLE, Exponential(Fraction(1, 3))),
    Sanitize(RandomizedResponse(Fraction(1))),
]


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=lambda n: n.name)
@pytest.mark.parametrize("event", EVENTS, ids=lambda e: e.kind)
def test_no_declared_question_reveals_more_than_its_cost(event, neighbours):
    setting = Setting.of(DOMAIN, neighbours, 2)
    databases = instance(setting, 2)
    found = loss_of(event, event.cost(DOMAIN, neighbours), setting, databases)
    assert found is None or found.decision is not Decision.VIOLATED


def test_a_cost_that_is_understated_is_found_with_its_pair():
    event = EVENTS[0]
    setting = Setting.of(DOMAIN, AddRemove(), 2)
    databases = instance(setting, 2)
    found = loss_of(event, Cost(Fraction(49, 100), Fraction(1, 8)), setting, databases)
    assert found is not None
    assert found.decision is Decision.VIOLATED
    assert found.loss.lower <= Fraction(1, 2) <= found.loss.upper
    assert found.witness is not None
    assert abs(sum(found.witness.source) - sum(found.witness.target)) == 1


def test_an_understated_rho_is_found():
    event = EVENTS[2]
    setting = Setting.of(DOMAIN, AddRemove(), 2)
    databases = instance(setting, 2)
    assert loss_of(event, Cost(None, Fraction(1, 8)), setting, databases).decision is (
        Decision.HOLDS
    )
    found = loss_of(event, Cost(None, Fraction(1, 10)), setting, databases)
    assert found.decision is Decision.VIOLATED
    assert found.unit == "rho"


def test_nothing_is_said_where_no_finite_cost_is_stated():
    setting = Setting.of(DOMAIN, AddRemove(), 1)
    assert loss_of(EVENTS[0], Cost(None, None), setting, instance(setting, 1)) is None


def test_asking_asks_exactly_the_question():
    class Heard:
        def __getattr__(self, name):
            def call(*args, **kwargs):
                self.heard = name, args, kwargs

            return call

    for event in EVENTS:
        heard = Heard()
        Asking(event)(heard)
        assert heard.heard[0] == event.kind
    assert math.isfinite(len(EVENTS))
