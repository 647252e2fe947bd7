"""Programs that spend more than they declare are found; those that keep their word are not."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction

import pytest

from audit.auditors.composition import Effort, examine
from audit.channels.enumerate import channel_of
from audit.channels.measures.epsilon import epsilon
from audit.statements.claim import Claim
from audit.statements.finding import Rigour, violations
from audit.subjects.subject import ProgramSubject
from proofs.guarantees import ZCDP, ApproxDP
from synthesizers.budget import Cost, PureBudget, UnlimitedBudget, ZCDPBudget
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs import PROGRAMS, build
from synthesizers.queries import Marginal
from tests.audit.auditors.composition import asking
from tests.audit.auditors.composition.asking import DOMAIN, HALF, ONE, Declared

PURE = Claim(ApproxDP(Fraction(1)), AddRemove(), "transcript", DOMAIN, 2)


def found(program, claim=PURE):
    findings = tuple(examine(ProgramSubject("program", program, False), claim, Effort()))
    assert all(finding.rigour is Rigour.EXACT for finding in findings)
    for finding in findings:
        json.dumps(finding.to_report_json())
    return findings


def accused(program, claim=PURE):
    return [finding.about for finding in violations(found(program, claim))]


HONEST = {
    "twice": (Declared(asking.twice, ONE), PURE),
    "adaptive": (Declared(asking.adaptive, ONE), PURE),
    "by what is spent": (Declared(asking.by_what_is_spent, ONE), PURE),
    "normal": (
        Declared(asking.gaussian, ZCDPBudget(HALF)),
        dataclasses.replace(PURE, guarantee=ZCDP(HALF)),
    ),
    # The costs add up to 1, and parallel questions lose 1/2 all the same.
    "parallel": (
        Declared(asking.parallel),
        dataclasses.replace(PURE, guarantee=ApproxDP(HALF)),
    ),
    "one of two released": (
        Declared(asking.keeps_one_of_two),
        dataclasses.replace(PURE, guarantee=ApproxDP(HALF), released="output"),
    ),
    "nothing": (Declared(lambda curator: [0], PureBudget(Fraction(0))), PURE),
}


@pytest.mark.parametrize("name", HONEST)
def test_a_program_that_keeps_its_word_is_not_accused(name):
    assert not accused(*HONEST[name])


def test_a_budget_for_one_question_fewer_names_the_question_that_passes_it():
    findings = {f.about: f for f in found(Declared(asking.three_times, ONE))}
    budget = findings["budget"]
    assert budget.violated
    assert "1/2 + 1/2 + 1/2 = 3/2" in budget.found
    assert str(budget.responsible).startswith("question 3:")
    claim = findings["claim"]
    assert claim.violated
    assert "exactly 3/2" in claim.found
    assert claim.pair is not None
    assert sum(claim.pair.first) + sum(claim.pair.second) == 1
    assert str(claim.responsible).startswith("question 3:")


def test_a_budget_that_is_passed_on_rare_answers_alone_is_found():
    half = PureBudget(HALF)
    claim = dataclasses.replace(PURE, guarantee=ApproxDP(HALF))
    findings = {f.about: f for f in found(Declared(asking.adaptive, half), claim)}
    assert findings["budget"].violated
    assert "[[2]]" in str(findings["budget"].responsible)
    assert findings["claim"].violated


def test_a_stage_that_spends_the_whole_budget_again_is_found_in_rho():
    program = Declared(lambda c: [asking.gaussian(c), asking.gaussian(c)], ZCDPBudget(HALF))
    claim = dataclasses.replace(PURE, guarantee=ZCDP(HALF))
    assert accused(program, claim) == ["budget", "claim"]


def test_noise_for_one_relation_and_a_claim_under_another_is_found():
    """The histogram's noise is made for one record more or less; replaced, it moves two cells."""

    def whole(curator):
        return [asking.cell(curator, 0, Fraction(1)), asking.cell(curator, 1, Fraction(1))]

    domain = Domain.from_cells("3")
    claim = Claim(ApproxDP(Fraction(1)), ReplaceOne(), "output", domain, 2)
    findings = {f.about: f for f in found(Declared(whole), claim)}
    assert findings["claim"].violated
    assert "exactly 2" in findings["claim"].found


def test_a_budget_is_counted_under_its_own_neighbours():
    def whole(curator):
        noise = DiscreteLaplace(Fraction(1))
        return curator.measure(Marginal(("cell",)), noise, low=0, high=2).tolist()

    program = Declared(whole, PureBudget(Fraction(1), AddRemove()))
    claim = Claim(ApproxDP(Fraction(2)), ReplaceOne(), "output", DOMAIN, 2)
    findings = {f.about: f for f in found(program, claim)}
    assert not violations(findings.values())
    assert "add-remove" in findings["budget"].declared
    assert "epsilon = 2" in findings["claim"].found


def test_a_claim_below_the_costs_that_holds_says_that_it_needs_another_reason():
    program, claim = HONEST["parallel"]
    (finding,) = [f for f in found(program, claim) if f.about == "claim"]
    assert "another reason" in finding.found


def test_a_question_that_understates_its_cost_is_found(monkeypatch):
    monkeypatch.setattr(Measure, "cost", lambda *_: Cost(Fraction(1, 4), Fraction(1, 32)))
    findings = violations(found(Declared(asking.twice, ONE)))
    about = [finding.about for finding in findings]
    assert "cost of each question" in about
    assert "loss of all answers" in about
    (question,) = [f for f in findings if f.about == "cost of each question"]
    assert str(question.responsible).startswith("question 1:")
    assert question.pair is not None


QUICK = {"geometric-sanitizer", "multinomial-dirichlet", "bootstrap"}

PARAMETERS = {
    "mwem": {"epsilon": "1", "rounds": "1", "slack": "0"},
    "histograms": {"epsilon": "1", "slack": "1"},
    "pfr-style": {"epsilon": "1", "slack": "1"},
    "dp-field-groups": {"epsilon": "1", "slack": "0"},
    "independent-marginals": {"epsilon": "1", "noise": "laplace", "slack": "1"},
    "geometric-sanitizer": {"epsilon": "1"},
    "laplace-sanitizer": {"epsilon": "2"},
    "pram": {"retain": "3/4"},
    "subsample": {"fraction": "1/2"},
    "suppress": {"threshold": "2"},
    "cell-key": {"deviation": "1", "variance": "1/2"},
    "random-round": {"base": "2"},
    "k-anonymity": {"k": "2"},
}


# These need a hierarchy, or more attributes.
RUN = [name for name in PROGRAMS if name not in ("archetypes", "coarsen", "swap")]


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=lambda n: n.name)
@pytest.mark.parametrize(
    "name",
    [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in RUN],
)
def test_no_built_in_program_is_accused_with_what_is_true_of_it(name, neighbours):
    program = build(name, PARAMETERS.get(name, {}))
    domain = Domain.from_cells("2")
    setting = Setting.of(domain, neighbours, 2)
    subject = ProgramSubject(name, program, True)
    channel = channel_of(program, setting, budget=UnlimitedBudget()).channel
    upper = epsilon(channel).enclosure.upper
    true = upper if isinstance(upper, Fraction) else Fraction(10**6)
    claim = Claim(ApproxDP(true), neighbours, "output", domain, 2)
    findings = tuple(examine(subject, claim, Effort()))
    wrong = [f.about for f in violations(findings)]
    # Of programs without a finite epsilon no pure claim is true.
    assert wrong == ([] if isinstance(upper, Fraction) else ["claim"])
