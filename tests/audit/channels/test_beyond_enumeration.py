"""Claims about databases that are too many to enumerate."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from audit.certify import Effort, certify
from audit.statements.certificate import Certificate
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Verdict
from audit.subjects.synthesizer import program_subject
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.laws.subsample import Subsample
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit

PERSON = ReplaceOne(Unit("person", 2))


def certificate(
    name: str, text: str, relation: Neighbours, cells: str, records: int, **values: str
) -> Certificate:
    claim = Claim(parse_guarantee(text), relation, "output", Domain.from_cells(cells), records)
    return certify(program_subject(name, values), claim, Effort(), "-").certificate


@pytest.mark.parametrize("relation", [ReplaceOne(), AddRemove(), PERSON])
@pytest.mark.parametrize("records", [60, 1000])
def test_a_subsample_is_refuted_at_its_own_size(relation: Neighbours, records: int) -> None:
    found = certificate("subsample", "epsilon=3", relation, "2x3x2", records, fraction="1/2")
    assert found.verdict is Verdict.REFUTED
    evidence = next(e for e in found.evidence if e.decision is Decision.VIOLATED)
    witness = evidence.witness
    assert witness is not None and not evidence.whole
    assert relation.are_neighbours(witness.source, witness.target)
    assert max(sum(witness.source), sum(witness.target)) == records
    law = Subsample(Fraction(1, 2))
    for database, ends in zip((witness.source, witness.target), witness.probabilities, strict=True):
        chance = sum((law.chance(database, out) for out in witness.event), Fraction(0))
        assert ends.lower <= chance <= ends.upper
    assert witness.probabilities[1].upper == 0 < witness.probabilities[0].lower


def test_its_delta_is_its_fraction() -> None:
    for delta, verdict in (("1/2", Verdict.NOT_REFUTED), ("4999/10000", Verdict.REFUTED)):
        text = f"epsilon=1, delta={delta}"
        found = certificate("subsample", text, ReplaceOne(), "5", 400, fraction="1/2")
        assert found.verdict is verdict


def test_a_smaller_instance_that_violates_the_claim_decides_nothing() -> None:
    found = certificate("multinomial-dirichlet", "epsilon=1", ReplaceOne(), "4", 442, alpha="1/2")
    assert found.verdict is Verdict.NOT_REFUTED
    theorem, smaller = found.evidence
    assert (smaller.auditor, smaller.decision) == ("exhaustive", Decision.SILENT)
    assert smaller.bound is not None and smaller.bound.epsilon.lower > 1
    # The theorem is about the claim's own size, and bounds it by ln(1 + 442/(1/2)).
    assert (theorem.auditor, theorem.decision) == ("proof", Decision.OPEN)
    assert theorem.bound is not None
    assert float(theorem.bound.epsilon.upper) == pytest.approx(math.log(885), rel=1e-12)


def test_honest_noise_is_not_accused_at_any_size() -> None:
    for relation in (ReplaceOne(), AddRemove(), PERSON):
        found = certificate("geometric-sanitizer", "epsilon=1", relation, "3x4", 5000, epsilon="1")
        assert found.verdict is Verdict.PROVED
        cells = next(e for e in found.evidence if e.auditor == "factorised")
        assert cells.decision is Decision.HOLDS and cells.whole
