"""Our own auditors keep the laws that ship for those of third parties; how they are named."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest

from audit.auditors.effort import Attack, Effort
from audit.auditors.registry import AUDITORS, choose, parse_names
from audit.statements.claim import Claim
from audit.statements.evidence import Decision
from audit.subjects.live import live_box
from audit.subjects.split_release import ReleaseSubject
from audit.subjects.subject import BlackBoxSubject, ChannelSubject, ProgramSubject
from audit.subjects.training import TrainingSubject, live_training
from audit.testing.laws import Law, Trial, laws_of
from audit.testing.laws.auditor_laws import BROKEN, HONEST, Control
from proofs.guarantees import ApproxDP
from synthesizers import declared
from synthesizers.curator import Curator
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.laws.suppression import CellSuppression
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.noise import DiscreteLaplace, Noise
from synthesizers.queries import Marginal, Query
from tests.audit.auditors.components.honest_functions import laplace_histogram
from tests.audit.auditors.components.planted_functions import scale_halved
from tests.audit.testing.laws.broken import BothWays, WideSampler

ONE = Fraction(1)


@dataclass(frozen=True)
class Counts:
    """A noisy histogram: of another query, or with other noise, than an honest one has."""

    query: Query
    noise: Noise
    epsilon: Fraction = ONE

    def __call__(self, curator: Curator) -> Any:
        high = curator.setting.require_rows()
        return curator.measure(self.query, self.noise, low=0, high=high).tolist()


def control(name: str, program: Any, cells: str = "2", records: int = 2) -> Control:
    claim = Claim(ApproxDP(ONE), ReplaceOne(), "output", Domain.from_cells(cells), records)
    return ProgramSubject(name, program, False), claim


def function_control(function: Any) -> Control:
    claim = Claim(ApproxDP(ONE), AddRemove(), "output", Domain.from_cells("3"), 3)
    name = function.__name__
    subject: Any = live_box(function, "function", name, {}, None, claim.domain)
    return subject, replace(claim, guarantee=ApproxDP(ONE if "histogram" in name else ONE / 2))


def of_transcript(controls: tuple[Control, ...]) -> tuple[Control, ...]:
    return tuple((subject, replace(claim, released="transcript")) for subject, claim in controls)


@dataclass(frozen=True)
class TrueCounts:
    """No noise at all."""

    def __call__(self, curator: Curator) -> Any:
        law = CellSuppression(curator.domain.shape, 1, complementary=False)
        return curator.sanitize(law).tolist()


COUNTS = Marginal(("cell",))
FEW = HONEST[1:3]
# The noise of every epsilon is that of 1: what is paid for is not used.
FIXED = control("fixed noise", Counts(COUNTS, DiscreteLaplace(Fraction(60))), "32", 1600)
ATTACK = Attack(250, 1, Fraction(1, 20), Fraction(1, 10**6))


def training(scale: float) -> Control:
    """A noisy histogram of 600 cells, of which each canary has one."""

    def train(records: list[int], rng: Any) -> Any:
        sums = rng.laplace(0, scale, 600)
        sums[records] += 1
        return sums

    subject = live_training(
        train, f"noise of scale {scale:g}", range(600), lambda output, cell: output[cell]
    )
    return subject, Claim(ApproxDP(ONE), AddRemove(), "output", None, None)


TRIALS = {
    "one run": Trial(
        honest=(training(1.0),),
        broken=(training(0.5),),
        effort=Effort(attack=Attack(1, 1, Fraction(1, 20), Fraction(1, 10**6))),
    ),
    # Without records that are not noisy, the output's own loss says nothing of an excess.
    "factorised": Trial(broken=of_transcript(BROKEN[:2])),
    "proof": Trial(accuses=False),
    "attack": Trial(honest=FEW, effort=Effort(attack=ATTACK)),
    "sensitivity": Trial(
        broken=(control("too sensitive", Counts(BothWays(("cell",)), DiscreteLaplace(ONE))),)
    ),
    "composition": Trial(honest=HONEST[:1], broken=BROKEN[:1]),
    "data independence": Trial(
        honest=FEW, broken=(control("true counts", TrueCounts()),), effort=Effort(pairs=4)
    ),
    "noise law": Trial(
        broken=(control("too noisy", Counts(COUNTS, WideSampler(Fraction(2)))),),
        effort=Effort(runs=30_000),
    ),
    "components": Trial(
        honest=(function_control(laplace_histogram),),
        broken=(function_control(scale_halved),),
        effort=Effort(attack=ATTACK),
    ),
    "utility sanity": Trial(honest=FEW, broken=(FIXED,)),
}
"""Controls and effort of auditors that need others than the default ones."""


def laws() -> list[Law]:
    return [law for a in AUDITORS.values() for law in laws_of(a, TRIALS.get(a.name))]


@pytest.mark.parametrize("law", laws(), ids=lambda law: f"{law.subject}-{law.name}")
def test_our_auditors_keep_the_laws_of_auditors(law: Law, monkeypatch: pytest.MonkeyPatch) -> None:
    # The curator refuses classes that it does not know, and broken ones are none of ours.
    monkeypatch.setattr(declared, "QUERIES", declared.QUERIES | {BothWays})
    monkeypatch.setattr(declared, "NOISES", declared.NOISES | {WideSampler})
    law()


def test_every_kind_of_subject_has_an_auditor_by_default() -> None:
    kinds = {ProgramSubject.category, ChannelSubject.category}
    kinds |= {
        BlackBoxSubject("x", kind, None, ()).category  # type: ignore[arg-type]
        for kind in ("function", "outputs")
    }
    kinds |= {TrainingSubject.category, ReleaseSubject.category}
    assert kinds == {kind for auditor in AUDITORS.values() for kind in auditor.by_kind}
    for kind in kinds:
        run, left_out = choose(kind, None, False)
        assert run and {a.name for a in run} | set(left_out) == set(AUDITORS)
        assert all(left_out.values())


def test_auditors_are_named_in_any_order_and_spelling() -> None:
    several = parse_names("noise-law, Proof,data independence")
    assert several == ("proof", "data independence", "noise law")
    assert [parse_names(auditor.flag) for auditor in AUDITORS.values()] == [
        (name,) for name in AUDITORS
    ]
    with pytest.raises(InputError, match="no auditor 'proofs'; there are: exhaustive, factorised"):
        parse_names("proofs")


def test_an_auditor_refuses_a_subject_that_it_does_not_take() -> None:
    with pytest.raises(InputError, match="proof auditor can't examine this subject"):
        choose("black box", ("proof",), False)
    subject, claim = BROKEN[0]
    stranger = replace(AUDITORS["proof"], by_kind={"channel": "nowhere:nothing"})
    with pytest.raises(InputError, match="it takes: channel"):
        list(stranger.examine(subject, claim, Effort()))


def test_ledgers_of_another_audit_are_not_used() -> None:
    subject, claim = BROKEN[0]
    effort = Effort()
    assert list(AUDITORS["exhaustive"].examine(subject, claim, effort))
    assert effort.ledgers(subject, claim)
    assert effort.ledgers(subject, replace(claim, records=1)) is None
    assert effort.ledgers(subject, replace(claim, neighbours=AddRemove())) is effort.ledgers(
        subject, claim
    )
    assert effort.ledgers(BROKEN[1][0], claim) is None


def test_the_registry_is_read_without_loading_an_auditor() -> None:
    code = (
        "import sys; from audit.auditors.registry import AUDITORS; "
        "assert len(AUDITORS) == 11; "
        "print(sorted({'numpy', 'scipy', 'pandas', 'sklearn'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_declaration_that_is_kept_decides_nothing() -> None:
    subject, claim = BROKEN[0]
    evidence = list(AUDITORS["sensitivity"].examine(subject, claim, Effort()))
    assert {one.decision for one in evidence} == {Decision.KEPT}
