"""Recognising: each kind of leak is named, and honest subjects are not accused of any."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from audit.auditors.attack.attacked import AttackedBox
from audit.auditors.attack.auditor import attack_box
from audit.auditors.attack.recognising.small_scales import suffices
from audit.auditors.attack.veils.causes import CAUSES
from audit.auditors.effort import Attack
from audit.parallel import here
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Evidence
from audit.subjects.function import FunctionBox
from audit.subjects.runs import Drawing, Seeds
from proofs.guarantees import parse_guarantee
from synthesizers.neighbours import AddRemove
from tests.audit.auditors.attack.leaks import HONEST, LEAKS, NOISES, Leak, marked


def attacked(leak: Leak, until_decided: bool = False) -> Evidence:
    NOISES.clear()
    box = FunctionBox(leak.name, leak.subject, False)
    attack = Attack(
        leak.runs, 3, Fraction(1, 20), Fraction(1, 10**6), until_decided, pair=leak.pair
    )
    claim = Claim(parse_guarantee("epsilon=1"), AddRemove(), "output", None, None)
    return attack_box(AttackedBox(Drawing(box, Seeds(3), here), box), claim, attack)


@pytest.mark.parametrize("leak", marked(LEAKS))
def test_a_leak_is_found_and_named(leak: Leak) -> None:
    found = attacked(leak)
    assert found.decision in (Decision.VIOLATED, Decision.INVALID)
    assert found.cause is not None, found
    assert found.cause.name == leak.cause, found.cause
    assert leak.says in found.cause.seen, found.cause


def test_there_is_a_leak_of_every_cause() -> None:
    assert {leak.cause for leak in LEAKS} == CAUSES.keys()


@pytest.mark.parametrize("leak", marked(HONEST))
def test_who_leaks_nothing_is_accused_of_nothing(leak: Leak) -> None:
    found = attacked(leak)
    assert found.decision is Decision.UNSEEN, found
    assert found.cause is None


@pytest.mark.parametrize(
    ("claim", "least"),
    [
        ("epsilon=1", 1.0),
        ("epsilon=400", 400.0),
        ("epsilon=1, delta=0.01", 1.0),
        # Laplace noise of this size does not keep it, normal noise does.
        ("epsilon=0.1, delta=0.05", 0.3),
        ("mu=0.5", 0.5 * math.sqrt(math.pi / 2)),
        ("rho=0.125", 0.5 * math.sqrt(math.pi / 2)),
        ("alpha=8, rdp=1", 0.5 * math.sqrt(math.pi / 2)),
    ],
)
def test_noise_as_large_as_the_claim_needs_is_not_called_too_small(
    claim: str, least: float
) -> None:
    guarantee = parse_guarantee(claim)
    assert suffices(least, guarantee)
    assert not suffices(2 * least, guarantee)
