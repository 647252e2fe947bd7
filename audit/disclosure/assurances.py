"""Certificates beside a release: whether one speaks of its tables, and what it bounds there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from audit.disclosure.ceilings import Ceiling, find_ceiling
from audit.disclosure.tables import Tables, most_of_a_person
from audit.statements.certificate import Certificate, digest
from audit.statements.certificate_json import decode
from audit.statements.checks import Check, Status
from audit.statements.claim import Claim
from audit.statements.evidence import Verdict
from synthesizers.neighbours import AddRemove, describe


@dataclass(frozen=True)
class Assurance:
    """What the certificate of a ``file`` says of attacks on a release.

    ``states``: its verdict, subject, claim and neighbours. ``rechecked``: whether the independent
    checker found the claim in its proof. ``obstacle``: why it bounds nothing
    here; None where it does. ``ceiling``: between a table with a record and one where it is in the
    holdout, ``steps`` of its neighbours apart; ``alone``: of one step.
    """

    file: str
    states: tuple[str, str, str, str]
    rechecked: bool
    obstacle: str | None
    steps: int
    ceiling: Ceiling | None
    alone: Ceiling | None


def read_assurance(
    file: str, plain: Mapping[str, Any], tables: Tables, proof: Check | None = None
) -> Assurance:
    """What a certificate says, if the release was made by its subject from the real table, once.

    ``proof``: what the independent checker says of its proof; None where it has none.

    Guarantee
    ---------
    There is a ceiling only if the document has its digest, its evidence entails PROVED or EXACT,
    the checker does not reject its proof, and its claim speaks of records (or of persons of one
    record each), over these attributes, and of as many as there are.
    Where the holdout was not chosen by a coin for each record, another record is in the place of
    one that is out, which is two steps of add-remove. Backed by
    ``tests/audit/disclosure/test_assurances.py``.
    """
    document = decode(plain)
    certificate = Certificate.of(document)
    claim = certificate.claim
    states = (
        document.verdict.value,
        str(document.subject.get("name")),
        str(claim.guarantee),
        describe(claim.neighbours),
    )
    obstacle = None
    if document.digest != digest(plain):
        obstacle = "its text was changed after it was written"
    elif certificate.verdict is not document.verdict:
        obstacle = f"its evidence entails {certificate.verdict.value}"
    elif certificate.verdict not in (Verdict.PROVED, Verdict.EXACT):
        obstacle = "nothing was shown of its claim for all databases"
    elif proof is not None and proof.status is Status.FALSE:
        obstacle = f"the independent checker rejects its proof ({proof.note})"
    else:
        obstacle = _find_mismatch(claim, tables)
    by_coins = tables.chosen is not None
    steps = 2 if isinstance(claim.neighbours, AddRemove) and not by_coins else 1
    if obstacle is not None:
        return Assurance(file, states, False, obstacle, steps, None, None)
    ceilings = (find_ceiling(claim.guarantee, number) for number in (steps, 1))
    rechecked = proof is not None and proof.status is Status.CONFIRMED
    return Assurance(file, states, rechecked, None, steps, *ceilings)


def _find_mismatch(claim: Claim, tables: Tables) -> str | None:
    """Why a claim does not speak of the real table; None where it does."""
    held = tables.real.records
    if claim.domain is None or claim.domain.attributes != tables.domain.attributes:
        return "its claim is over another domain"
    if claim.neighbours.unit.max_records > 1:
        return (
            "its unit is a person with several records, and the holdout was set aside record by "
            "record"
        )
    if not claim.neighbours.unit.is_record and max(map(most_of_a_person, tables.of_persons)) > 1:
        return "its unit is a person of one record, and persons have several here"
    public = claim.neighbours.records_public
    if claim.records is not None and (claim.records != held if public else claim.records < held):
        return f"its claim speaks of {claim.covers}, and the real table has {held} records"
    return None
