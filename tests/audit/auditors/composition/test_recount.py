"""The recount visits every transcript, adds up its own costs and refuses none."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from audit.auditors.composition.recount import MOST_QUESTIONS, Unrefused, recount
from audit.channels.enumerate import instance
from audit.subjects.subject import ProgramSubject
from synthesizers.budget import PureBudget, UnlimitedBudget
from synthesizers.curator import Setting
from synthesizers.domain import Dataset
from synthesizers.errors import BudgetExceeded, TooLargeError
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import Total
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from tests.audit.auditors.composition import asking
from tests.audit.auditors.composition.asking import DOMAIN, HALF, ONE, SETTING, Declared

DATABASES = instance(SETTING, 2)


def counted(program, relation=SETTING.neighbours):
    subject = ProgramSubject("program", program, False)
    return recount(Unrefused.of(subject, SETTING), SETTING, DATABASES, relation)


def test_a_program_that_its_curator_would_refuse_is_recounted_to_the_end():
    program = Declared(asking.three_times, ONE)
    data = Dataset.from_histogram(DOMAIN, np.array([1, 1]))
    with pytest.raises(BudgetExceeded):
        run(program, data, SETTING, ONE, InsecureSeededEntropy(1))
    ledgers = counted(program)
    ledger = ledgers.dearest["epsilon"]
    assert ledger.spent("epsilon") == Fraction(3, 2)
    assert ledger.passes("epsilon", Fraction(1)) == 2
    assert ledger.passes("epsilon", Fraction(3, 2)) is None
    assert ledgers.transcripts == 27


def test_every_ledger_of_an_adaptive_program_is_met_and_the_dearest_is_told():
    ledgers = counted(Declared(asking.adaptive))
    assert len(ledgers.ledgers) == 2
    dearest = ledgers.dearest["epsilon"]
    assert dearest.spent("epsilon") == 1
    assert dearest.answers[0] == (2,)
    assert "question 2" in dearest.name_question(1)
    assert "[[2]]" in dearest.name_question(1)


def test_sums_are_those_of_all_paths_by_hand():
    """Of three questions, the second and third asked after answers of 1 or more."""

    def branching(curator):
        found = [asking.total(curator)]
        for epsilon in (Fraction(1, 4), Fraction(1, 8)):
            if found[-1] >= 1:
                found.append(asking.total(curator, epsilon))
        return found

    sums = set()
    for answers in itertools.product(range(3), repeat=3):
        costs = [HALF]
        for before, cost in zip(answers, (Fraction(1, 4), Fraction(1, 8)), strict=False):
            if len(costs) > 1 and answers[1] == 0:
                break
            if before >= 1:
                costs.append(cost)
            else:
                break
        sums.add(sum(costs))
    ledgers = counted(Declared(branching))
    assert ledgers.dearest["epsilon"].spent("epsilon") == max(sums)
    assert len(ledgers.ledgers) == len(sums)


def test_a_normal_answer_has_no_finite_epsilon_and_the_dearest_says_so():
    ledgers = counted(Declared(asking.gaussian))
    assert ledgers.dearest["epsilon"].spent("epsilon") is None
    assert ledgers.dearest["epsilon"].passes("epsilon", Fraction(10**6)) == 0
    assert ledgers.dearest["rho"].spent("rho") == HALF


def test_what_is_free_for_one_relation_costs_under_another():
    program = Declared(asking.twice)
    assert counted(program, ReplaceOne()).dearest["epsilon"].spent("epsilon") == 0
    assert counted(program, AddRemove()).dearest["epsilon"].spent("epsilon") == 1


def test_a_program_reads_the_prices_of_the_budget_that_it_declares():
    """The total is free where a record is replaced: by these prices it would ask without end."""
    budget = PureBudget(Fraction(1), AddRemove())
    setting = Setting(DOMAIN, ReplaceOne(), 2, 2)
    program = Declared(asking.by_what_is_spent, budget)
    unrefused = Unrefused.of(ProgramSubject("program", program, False), setting)
    ledgers = recount(unrefused, setting, instance(setting, 2), AddRemove())
    assert ledgers.dearest["epsilon"].spent("epsilon") == 1
    assert len(ledgers.dearest["epsilon"].events) == 2


def test_questions_are_counted_anew_on_every_transcript():
    def wide(curator):
        noise = DiscreteLaplace(Fraction(2))
        return [int(curator.measure(Total(), noise, low=0, high=9)[0]) for _ in range(3)]

    ledgers = counted(Declared(wide))
    assert 3 * ledgers.transcripts > MOST_QUESTIONS


def test_a_program_that_asks_until_it_is_refused_is_no_endless_work():
    with pytest.raises(TooLargeError, match=str(MOST_QUESTIONS)):
        counted(Declared(asking.until_refused, ONE))


def test_a_program_without_questions_costs_nothing():
    ledgers = counted(Declared(lambda curator: [1, 2], UnlimitedBudget()))
    assert ledgers.dearest["epsilon"].spent("epsilon") == 0
    assert ledgers.transcripts == 1
