"""Why no theorem stands beside an exact finding: the prover's own refusal, in every case."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from audit.certify import EXACT, Effort, certify
from audit.report.certificate.verdict import explain_verdict
from audit.statements.certificate import Certificate, digest
from audit.statements.certificate_json import decode
from audit.statements.checks import Status
from audit.statements.claim import Claim
from audit.statements.evidence import Verdict
from audit.subjects.subject import ProgramSubject
from audit.verify import verify
from proofs.guarantees import parse_guarantee
from synthesizers.curator import Curator
from synthesizers.domain import Domain
from synthesizers.laws.subsample import Subsample
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.queries import Marginal, Total
from tests.audit.test_verify import audited

F = Fraction
LAPLACE = DiscreteLaplace(F(1))


def follow_answers(curator: Curator) -> list[int]:
    """A second question about the cells only where the first answer was small."""
    (told,) = curator.measure(Total(), LAPLACE, low=0, high=1)
    if told:
        return [int(told), 0]
    return [0, int(curator.measure(Marginal(("cell",)), LAPLACE, low=0, high=1)[0])]


def ask_nothing(curator: Curator) -> list[int]:
    return [7, 7]


def release_whole_cells(curator: Curator) -> list[int]:
    return list(curator.sanitize(Subsample(F(1, 2))))


def add_gaussian_noise(curator: Curator) -> list[int]:
    return list(curator.measure(Marginal(("cell",)), DiscreteGaussian(F(4)), low=0, high=1))


class Foreign:
    """Another one's program that says nothing of itself."""

    def __call__(self, curator: Curator) -> list[int]:
        return follow_answers(curator)


def audit(
    program: Any, claim: str, relation: Neighbours | None = None, auditors: tuple[str, ...] = EXACT
) -> Certificate:
    subject = ProgramSubject("it", program, True, {"parameters": {}})
    stated = Claim(
        parse_guarantee(claim), relation or ReplaceOne(), "transcript", Domain.from_cells("2"), 2
    )
    return certify(subject, stated, Effort(auditors=auditors), "x").certificate


BUDGET = "there is no budget that bounds whatever is asked"


@pytest.mark.parametrize(
    ("program", "claim", "auditors", "why"),
    [
        (follow_answers, "epsilon=2", EXACT, f"its questions follow its answers; {BUDGET}"),
        (ask_nothing, "epsilon=1", EXACT, "it asks no question about the data, of which a rule"),
        (
            release_whole_cells,
            "epsilon=1, delta=99/100",
            EXACT,
            "no rule gives a finite guarantee for",
        ),
        (
            add_gaussian_noise,
            "epsilon=9",
            EXACT,
            "of its questions: nothing finite follows for eps",
        ),
        (ask_nothing, "epsilon=1", ("exhaustive",), "the audit was not asked for a proof"),
    ],
)
def test_the_reason_is_the_refusal_of_the_prover(
    program: Any, claim: str, auditors: tuple[str, ...], why: str
) -> None:
    made = audit(program, claim, auditors=auditors)
    assert made.verdict is Verdict.EXACT
    assert f"No theorem covers larger domains or more records: {why}" in explain_verdict(made)
    assert decode(made.to_json()).unproved == made.unproved


def test_a_theorem_that_is_there_or_a_claim_that_fails_has_no_reason() -> None:
    proved = audit(lambda curator: list(curator.measure(
        Marginal(("cell",)), LAPLACE, low=0, high=1)), "epsilon=2")  # fmt: skip
    assert proved.verdict is Verdict.PROVED and proved.unproved is None
    refuted = audit(follow_answers, "epsilon=1/100", AddRemove())
    assert refuted.verdict is Verdict.REFUTED and refuted.unproved is None


def test_a_forged_reason_is_left_open_and_an_older_certificate_has_none() -> None:
    half = {"fraction": "1/2"}
    document = audited("subsample", half, "epsilon=1, delta=99/100", ReplaceOne(), {})
    assert "no rule gives a finite guarantee" in document["unproved"]
    document["unproved"] = "nobody asked"
    document["digest"] = digest(document)
    (check,) = [one for one in verify(document).checks if one.statement == "unproved"]
    assert check.status is Status.UNCHECKED and "no rule gives" in check.note
    del document["unproved"]
    document["digest"] = digest(document)
    assert verify(document).exit_code == 0
