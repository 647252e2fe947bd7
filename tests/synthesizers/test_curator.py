"""The curator: charges before it answers, keeps the ledger, and offers nothing else."""

from __future__ import annotations

import contextlib
import copy
import pickle
import sys
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from synthesizers.budget import Budget, Cost, PureBudget, UnlimitedBudget, ZCDPBudget
from synthesizers.curator import (
    Curator,
    GenerationBegins,
    Setting,
    ask_program,
    canonical_output,
)
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import BudgetExceeded, InputError, ProtocolError
from synthesizers.events import Draw, Event, Measure, Sanitize, Select
from synthesizers.laws.public_laws import Seed, UniformChoice
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.laws.subsample import Subsample
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.queries import Marginal, Total, whole_table
from synthesizers.selection import Exponential

pytestmark = pytest.mark.smoke

DOMAIN = Domain.from_cells("3")
SETTING = Setting.of(DOMAIN, AddRemove(), 4)
UNIT_NOISE = DiscreteLaplace(Fraction(1))


class Answers:
    """Answers every event by zeros and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Event] = []

    def __call__(self, event: Event) -> tuple[int, ...]:
        self.asked.append(event)
        return (0, 0, 0)


def opened(budget: Budget, setting: Setting = SETTING) -> tuple[Curator, Answers]:
    answers = Answers()
    return Curator(setting, budget, answers), answers


def test_the_filter_refuses_before_it_answers() -> None:
    curator, answers = opened(PureBudget(Fraction(2)))
    for _ in range(2):
        curator.measure(Total(), UNIT_NOISE, low=0, high=4)
    with pytest.raises(BudgetExceeded, match="epsilon = 2"):
        curator.measure(Total(), UNIT_NOISE, low=0, high=4)
    assert len(answers.asked) == 2 == len(curator.ledger)
    assert curator.spent == Cost(Fraction(2), Fraction(1))
    with pytest.raises(BudgetExceeded):
        curator.measure(Total(), DiscreteLaplace(Fraction(10**9)), low=0, high=4)
    curator.draw(UniformChoice(3))
    assert len(answers.asked) == 3 and curator.spent.epsilon == 2


def test_a_cheaper_question_still_fits_after_a_refusal() -> None:
    curator, answers = opened(PureBudget(Fraction(1)))
    with pytest.raises(BudgetExceeded):
        curator.measure(Total(), DiscreteLaplace(Fraction(1, 2)), low=0, high=4)
    assert curator.spent.epsilon == 0 and not answers.asked
    curator.measure(Total(), UNIT_NOISE, low=0, high=4)
    assert curator.spent.epsilon == 1


@pytest.mark.parametrize(
    ("budget", "fine"),
    [(PureBudget(Fraction(9)), False), (ZCDPBudget(Fraction(1, 2)), True),
     (ZCDPBudget(Fraction(49, 100)), False), (UnlimitedBudget(), True)],
)  # fmt: skip
def test_a_gaussian_has_a_rho_and_no_epsilon(budget: Budget, fine: bool) -> None:
    curator, answers = opened(budget)
    if fine:
        curator.measure(Total(), DiscreteGaussian(Fraction(1)), low=0, high=4)
        assert curator.spent == Cost(None, Fraction(1, 2))
    else:
        with pytest.raises(BudgetExceeded):
            curator.measure(Total(), DiscreteGaussian(Fraction(1)), low=0, high=4)
        assert not answers.asked


def test_a_question_that_failed_stays_charged() -> None:
    def fail(event: Event) -> tuple[int, ...]:
        raise OverflowError

    curator = Curator(SETTING, PureBudget(Fraction(1)), fail)
    with pytest.raises(OverflowError):
        curator.measure(Total(), UNIT_NOISE, low=0, high=4)
    with pytest.raises(BudgetExceeded):
        curator.measure(Total(), UNIT_NOISE, low=0, high=4)


def test_a_question_asked_while_another_is_answered_is_charged_on_top() -> None:
    curators: list[Curator] = []

    def nested(event: Event) -> tuple[int, ...]:
        if len(curators) < 2:
            curators.append(curators[0])
            curators[0].measure(Total(), UNIT_NOISE, low=0, high=4)
        return (0,)

    curators.append(Curator(SETTING, PureBudget(Fraction(1)), nested))
    with pytest.raises(BudgetExceeded):
        curators[0].measure(Total(), UNIT_NOISE, low=0, high=4)


def test_costs_follow_from_relation_and_unit() -> None:
    table = whole_table(DOMAIN)
    for neighbours, wanted in (
        (AddRemove(), 1),
        (ReplaceOne(), 2),
        (AddRemove(Unit("person", 3)), 3),
        (ReplaceOne(Unit("person", 3)), 6),
    ):
        curator, _ = opened(UnlimitedBudget(), Setting.of(DOMAIN, neighbours, 4))
        curator.measure(table, DiscreteLaplace(Fraction(2)), low=0, high=4)
        assert curator.spent.epsilon == Fraction(wanted, 2)
        curator.select(table, Exponential(Fraction(1, 2)))
        monotone = isinstance(neighbours, AddRemove)
        chosen = Fraction(neighbours.unit.max_records, 2) * (1 if monotone else 2)
        assert curator.spent.epsilon == Fraction(wanted, 2) + chosen


AFTER_A_SEED = {
    "measure": lambda c: c.measure(Total(), UNIT_NOISE, low=0, high=4),
    "select": lambda c: c.select(whole_table(DOMAIN), Exponential(Fraction(1))),
    "sanitize": lambda c: c.sanitize(RandomizedResponse(Fraction(1))),
    "draw": lambda c: c.draw(UniformChoice(3)),
    "another seed": lambda c: c.draw(Seed()),
}


@pytest.mark.parametrize("question", AFTER_A_SEED)
@pytest.mark.parametrize("answered", [True, False])
def test_nothing_is_asked_after_a_seed(question: str, answered: bool) -> None:
    """Nor where the seed was not answered, and the program caught that."""
    asked: list[Event] = []

    def answer(event: Event) -> tuple[int, ...]:
        asked.append(event)
        if isinstance(event, Draw) and not answered:
            raise GenerationBegins
        return (0, 0, 0)

    curator = Curator(SETTING, UnlimitedBudget(), answer)
    curator.measure(Total(), UNIT_NOISE, low=0, high=4)
    with contextlib.nullcontext() if answered else pytest.raises(GenerationBegins):
        curator.draw(Seed())
    spent = curator.spent
    for _ in range(2):
        with pytest.raises(ProtocolError, match="after it had drawn a seed"):
            AFTER_A_SEED[question](curator)
    assert len(asked) == 2 and curator.spent == spent
    assert len(curator.ledger) == (2 if answered else 1)


def test_events_and_outcomes_are_kept_in_order() -> None:
    curator, answers = opened(UnlimitedBudget())
    measured = curator.measure(Marginal(("cell",)), UNIT_NOISE, low=0, high=4)
    measured[:] = 99
    assert curator.select(whole_table(DOMAIN), Exponential(Fraction(1))) == 0
    curator.sanitize(Subsample(Fraction(1, 2)))
    curator.draw(UniformChoice(2))
    assert [type(event) for event in curator.ledger] == [Measure, Select, Sanitize, Draw]
    assert list(curator.ledger) == answers.asked
    assert all(outcome == (0, 0, 0) for _, outcome in curator.transcript)
    assert curator.domain is DOMAIN and curator.neighbours == AddRemove()
    assert curator.records is None and curator.setting is SETTING


@pytest.mark.parametrize("name", ["dataset", "data", "codes", "rows", "_answer", "histogram"])
def test_nothing_else_is_offered(name: str) -> None:
    curator, _ = opened(UnlimitedBudget())
    with pytest.raises(ProtocolError, match=name):
        getattr(curator, name)
    assert not hasattr(curator, "__array__")
    with pytest.raises(ProtocolError, match="change"):
        curator.domain = DOMAIN


def test_a_curator_cannot_be_doubled_to_spend_its_budget_twice() -> None:
    curator, _ = opened(PureBudget(Fraction(1)))
    for double in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(ProtocolError, match="copied"):
            double(curator)


def test_unbounded_laws_are_refused_under_a_budget() -> None:
    curator, answers = opened(PureBudget(Fraction(10**6)))
    for law in (Subsample(Fraction(1, 2)), RandomizedResponse(Fraction(1))):
        with pytest.raises(BudgetExceeded, match="without finite bound"):
            curator.sanitize(law)
    assert not answers.asked


@pytest.mark.parametrize(("low", "high"), [(1, 0), (0.0, 4), (None, 4), (0, True), (0, 2**63)])
def test_measurements_declare_whole_bounds(low: object, high: object) -> None:
    curator, answers = opened(UnlimitedBudget())
    with pytest.raises(InputError, match="measurement"):
        curator.measure(Total(), UNIT_NOISE, low=low, high=high)
    assert not answers.asked


def test_settings_match_the_relation() -> None:
    assert Setting.of(DOMAIN, ReplaceOne(), 4) == Setting(DOMAIN, ReplaceOne(), 4, 4)
    assert Setting.of(DOMAIN, AddRemove(), 4) == Setting(DOMAIN, AddRemove(), None, 4)
    persons = ReplaceOne(Unit("person", 2))
    assert Setting.of(DOMAIN, persons, 4) == Setting(DOMAIN, persons, None, 4)
    for make, words in (
        (lambda: Setting(DOMAIN, ReplaceOne(), None, 4), "state it"),
        (lambda: Setting(DOMAIN, AddRemove(), 4, 4), "private"),
        (lambda: Setting(DOMAIN, persons, 4, 4), "private"),
        (lambda: Setting(DOMAIN, AddRemove(), None, -1), "negative"),
        (lambda: Setting.of(DOMAIN, AddRemove(), None).require_rows(), "--rows"),
    ):
        with pytest.raises(InputError, match=words):
            make()


def test_outputs_have_one_form() -> None:
    data = Dataset.from_histogram(DOMAIN, np.array([2, 0, 1]))
    for output in ((2, 0, 1), [2, 0, 1], np.array([2, 0, 1]), data):
        assert canonical_output(output, DOMAIN) == (2, 0, 1)
    assert canonical_output([np.int64(2), None, 1], DOMAIN) == (2, None, 1)
    for plain in (7, "text", np.int64(7), np.array(7)):
        found = canonical_output(plain, DOMAIN)
        assert found == ("text",) or (found == (7,) and type(found[0]) is int)
    for bad in (0.5, None, object(), [0.5], [[1, 2]], np.array([0.5]), np.ones((2, 2)), {1: 2}):
        with pytest.raises(ProtocolError, match="the program returned"):
            canonical_output(bad, DOMAIN)


def test_what_is_compared_is_what_is_released() -> None:
    """A class of a program's own could look alike to the analysis and unlike to a reader."""

    class Alike(str):
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 0

    class Miscounts(Dataset):
        def histogram(self) -> NDArray[np.int64]:
            return np.array([0, 0, 0])

    for alike in (Alike("text"), [Alike("text")]):
        with pytest.raises(ProtocolError, match="the program returned"):
            canonical_output(alike, DOMAIN)
    data = Dataset.from_histogram(DOMAIN, np.array([2, 0, 1]))
    assert canonical_output(Miscounts(DOMAIN, data.codes), DOMAIN) == (2, 0, 1)
    object.__setattr__(data, "histogram", lambda: np.array([0, 0, 0]))
    assert canonical_output(data, DOMAIN) == (2, 0, 1)


SECRET = "8675309"


def quotes(curator: Curator) -> None:
    raise ValueError(f"the answer was {SECRET}")


def leaves(curator: Curator) -> None:
    sys.exit(0)


def divides(curator: Curator) -> float:
    return 1 / 0


@pytest.mark.parametrize(
    ("program", "name"),
    [(quotes, "ValueError"), (leaves, "SystemExit"), (divides, "ZeroDivisionError")],
)
def test_foreign_exceptions_are_wrapped_without_their_words(program: object, name: str) -> None:
    curator, _ = opened(UnlimitedBudget())
    with pytest.raises(ProtocolError, match=name) as caught:
        ask_program(program, curator)
    assert SECRET not in str(caught.value) and "line" in str(caught.value)


def test_interrupts_and_our_own_errors_pass() -> None:
    def interrupted(curator: Curator) -> None:
        raise KeyboardInterrupt

    def beyond(curator: Curator) -> None:
        curator.measure(Total(), UNIT_NOISE, low=0, high=1)

    with pytest.raises(KeyboardInterrupt):
        ask_program(interrupted, opened(UnlimitedBudget())[0])
    with pytest.raises(BudgetExceeded):
        ask_program(beyond, opened(PureBudget(Fraction(0)))[0])
