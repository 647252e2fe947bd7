"""What a developer says of a black box by attributes; others are no such word."""

from __future__ import annotations

from fractions import Fraction

import pytest

from audit.auditors import exposed
from audit.auditors.effort import Attack, Effort
from audit.auditors.exposed import find_exposed, query_of
from audit.auditors.registry import AUDITORS, LeftOut
from audit.auditors.sensitivity.answers import Answer, NoAnswer
from audit.statements.claim import Claim
from audit.statements.evidence import Decision
from audit.subjects.black_boxes import Wanted, black_box
from audit.subjects.live import live_box
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove

DOMAIN = Domain.from_cells("2")
CLAIM = Claim(ApproxDP(Fraction(1)), AddRemove(), "output", DOMAIN, 4)
ATTACK = Attack(1000, 1, Fraction(1, 20), Fraction(1, 10**6))

MODULE = """
def count(records):
    return len(records)

def twice(records):
    return 2 * len(records)

def noisy(database, rng):
    return len(database) + float(rng.laplace())

noisy.queries = {"count": (count, "l1=1"), "twice": (twice, "l1=1")}
noisy.noise = "laplace(scale=1)"

class Fitted:
    queries = {"count": (count, "l1=1")}

    def fit(self, table):
        return self

    def sample(self, rows):
        return None
"""


def noisy(database, rng):
    return len(database) + int(rng.integers(3))


def live(**attributes):
    def subject(database, rng):
        return noisy(database, rng)

    for name, value in attributes.items():
        setattr(subject, name, value)
    return live_box(subject, "function", "live", {}, None, DOMAIN)


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "module_exposed.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)


def test_a_function_of_a_module_exposes_its_queries_and_its_noise(module):
    subject = black_box(Wanted("module_exposed:noisy"), CLAIM)
    found = find_exposed(subject)
    assert found.noise == "laplace(scale=1)"
    assert found.queries == {"count": "l1=1", "twice": "l1=1"}
    assert query_of(subject, "twice").answer([{"cell": "0"}]) == Answer((2,), ())


def test_a_class_exposes_its_queries(module):
    found = find_exposed(black_box(Wanted("module_exposed:Fitted", rows=2), CLAIM))
    assert (found.noise, found.queries) == (None, {"count": "l1=1"})


def test_a_function_without_attributes_exposes_nothing():
    assert find_exposed(live()) == exposed.Exposed()


@pytest.mark.parametrize(
    "attributes",
    [
        {"noise": 0.1},
        {"queries": 7},
        {"queries": {"count": len}},
        {"queries": {"count": (len, 1)}},
        {"queries": {"x" * 300: (len, "l1=1")}},
        {"noise": "laplace\x1b"},
        {"queries": {str(number): (len, "l1=1") for number in range(21)}},
    ],
    ids=["number", "no mapping", "no bounds", "bounds", "long", "control", "many"],
)
def test_attributes_of_another_form_are_left_out(attributes):
    with pytest.raises(LeftOut, match="attributes do not say"):
        find_exposed(live(**attributes))


def test_a_query_that_changes_by_more_than_it_states_is_exceeded():
    subject = live(queries={"twice": (lambda records: 2 * len(records), "l1=1")})
    found = list(AUDITORS["sensitivity"].examine(subject, CLAIM, Effort(attack=ATTACK)))
    assert {one.decision for one in found} == {Decision.EXCEEDED}
    assert found[0].found == "2"


def test_without_queries_another_command_is_named():
    with pytest.raises(LeftOut, match="dp-audit sensitivity"):
        list(AUDITORS["sensitivity"].examine(live(), CLAIM, Effort(attack=ATTACK)))


class Garbled(exposed.ExposedQuery):
    """Its process sends an answer that is none."""

    @property
    def box(self):
        def garbled(database, rng):
            return '[[], [["", "0x1", "0x0"]]]'

        return live_box(garbled, "function", "garbled", {}, None, DOMAIN).box


def test_a_process_that_sends_no_answer_gave_no_answer():
    assert isinstance(Garbled("module:none", name="count").answer([]), NoAnswer)
