"""A subject checked: exactly where it is a program, by attack where it can only be run."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from audit.auditors import exhaustive
from audit.auditors.attack.pairs.given_pairs import given_pair
from audit.certify import Effort, assumptions_of, attack_beside, certify
from audit.parallel import here
from audit.statements.assumptions import ON_YOUR_WORD
from audit.statements.certificate import Certificate
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, SampledWitness
from audit.subjects.copied import CopiedBox
from audit.subjects.databases import dataset_of_records, records_of_histogram
from audit.subjects.forms import Form, form_of
from audit.subjects.live import live_box, live_program, name_of
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Seeds
from audit.subjects.subject import ProgramSubject
from audit.subjects.synthesizer import live_subject
from audit.testing.claims.asked import RECORDS, REQUIRED, SEED, Asked
from audit.testing.claims.checked import Checked
from audit.testing.claims.code import as_test
from audit.testing.claims.evidence import of_certificate
from audit.testing.claims.properties import of_box, of_ledger, of_program
from audit.testing.shrinking import coarser, smaller_pair, smallest_violation
from synthesizers.curator import Program, Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.events import Databases

_WITHOUT_ATTACK: dict[str, Any] = {
    field.name: field.default
    for field in fields(Asked)
    if field.name in ("runs", "seed", "confidence", "alarm")
}


def check(subject: Any, asked: Asked, name: str | None = None) -> Checked:
    """What is found of a subject; raises InputError for one that can't be checked as asked.

    ``subject``: a program of a curator, a function (database, rng), its batch form (database, rng,
    runs), or an estimator; of a class of programs, an instance is made.
    """
    form = form_of(subject)
    if form == "program":
        # An attack's options say nothing of a program, which is examined exactly.
        asked = replace(asked, **_WITHOUT_ATTACK)
    called = name or name_of(subject)
    if form == "program":
        program = live_program(subject)
        live = live_subject(called, program)
        try:
            return _of_program(live, program, subject, asked)
        finally:
            live.end()
    return _of_box(subject, form, called, asked)


def _of_program(subject: ProgramSubject, program: Program, given: Any, asked: Asked) -> Checked:
    claim = asked.claim_of(RECORDS if asked.records is None else asked.records)
    if claim.domain is None:
        raise InputError("state the domain of the databases: cells=2, cells='2x3' or domain=...")
    if asked.pair is not None:
        return _on_pair(subject, given, claim, asked)
    accepted = REQUIRED[asked.require]
    setting = _setting(claim, asked)
    try:
        certificate = certify(subject, claim, Effort(rows=asked.rows, trusted=True), "").certificate
    except ProtocolError as error:
        small = replace(claim, records=min(claim.records or 0, 1))
        found = of_ledger(subject, small, _setting(small, asked)) if asked.properties else ()
        return Checked(subject.name, claim, None, found, accepted, trouble=str(error))
    findings = of_certificate(certificate)
    smallest = None
    if any(finding.violated for finding in findings):
        domains = _domains(claim.domain, asked)
        smallest = smallest_violation(subject, claim, domains, asked.rows)
    if asked.properties and smallest is not None:
        findings += of_ledger(subject, smallest.claim, _setting(smallest.claim, asked))
    elif asked.properties:
        findings += of_program(subject.name, program, claim, setting, asked)
    result = Checked(subject.name, claim, certificate, findings, accepted, smallest)
    return _with_pair(result, given, asked)


def _setting(claim: Claim, asked: Asked) -> Setting:
    public = claim.records if claim.neighbours.records_public else None
    rows = claim.records if asked.rows is None else asked.rows
    return Setting(claim.require_domain(), claim.neighbours, public, rows)


def _domains(domain: Domain, asked: Asked) -> tuple[Domain, ...]:
    """The domain, after smaller ones where it is no more than a number of cells."""
    if asked.cells is not None and str(asked.cells).isdecimal():
        return coarser(domain.size)
    return (domain,)


def _with_pair(result: Checked, given: Any, asked: Asked) -> Checked:
    """With the smallest pair as code that fails by itself."""
    smallest = result.smallest
    if smallest is None:
        return result
    domain = smallest.claim.require_domain()
    cells = domain.name if domain != asked.stated_domain else asked.cells
    again = replace(asked, cells=cells, records=smallest.claim.records, pair=smallest.pair)
    return replace(result, pair=smallest.pair, code=as_test(given, again))


def _on_pair(subject: ProgramSubject, given: Any, claim: Claim, asked: Asked) -> Checked:
    """The claim decided on two given databases alone."""
    domain = claim.require_domain()
    rows = np.array([_counts(database, domain) for database in asked.pair or ()], np.int64)
    if not claim.neighbours.are_neighbours(rows[0].tolist(), rows[1].tolist()):
        raise InputError("the pair's two databases are no neighbours under the claim's relation")
    largest = int(rows.sum(axis=1).max())
    if asked.records is None:
        claim = replace(claim, records=largest)
    elif largest > asked.records or (claim.neighbours.records_public and largest != asked.records):
        raise InputError("a database of the pair has another number of records than the claim's")
    setting = _setting(claim, asked)
    chosen = Databases(domain, rows)
    part = exhaustive.Instance(subject, claim, setting, claim.records or 0, chosen=chosen)
    accepted = REQUIRED[asked.require]
    try:
        evidence = exhaustive.examine_program(part).evidence
    except ProtocolError as error:
        return Checked(subject.name, claim, None, (), accepted, trouble=str(error))
    certificate = Certificate(
        {**subject.to_json(), "rows": setting.rows},
        claim,
        (evidence,),
        assumptions_of(subject, setting, trusted=True),
        "",
        isolation=subject.isolation,
        trusted=True,
    )
    found = of_certificate(certificate)
    code = as_test(given, asked) if evidence.decision is Decision.VIOLATED else ""
    return Checked(subject.name, claim, certificate, found, accepted, pair=asked.pair, code=code)


def _counts(database: Any, domain: Domain) -> list[int]:
    """A database of a pair as counts: given so, or as records."""
    if not isinstance(database, list | tuple):
        raise InputError("a database of a pair is a list of records, or of counts over the cells")
    if all(type(item) is int for item in database) and len(database) == domain.size:
        return list(database)
    return [int(count) for count in dataset_of_records(list(database), domain).histogram()]


def _of_box(subject: Any, form: Form, name: str, asked: Asked) -> Checked:
    # Here, not above: programs are examined exactly, and do without what attacks need.
    from audit.auditors.attack.attacked import AttackedBox
    from audit.auditors.attack.auditor import attack_box

    claim = asked.claim_of(asked.records)
    described = live_box(subject, form, name, asked.parameters, asked.rows, claim.domain)
    attack = asked.attack(form, SEED, _pair(asked, claim))
    accepted = REQUIRED[asked.require]
    assert isinstance(described.box, CopiedBox)
    target = AttackedBox(Drawing(described.box, Seeds(attack.seed), here), described.box)
    beside = of_box(described, claim, attack) if asked.properties else ()
    if asked.properties:
        attack = attack_beside(attack, claim, beside)
    try:
        evidence = attack_box(target, claim, attack)
    except ProtocolError as error:
        return Checked(name, claim, None, (), accepted, trouble=str(error))
    if evidence.decision is Decision.VIOLATED and attack.pair is None:
        evidence = smaller_pair(target, claim, attack, evidence)
    assumptions = described.assumptions
    if attack.pair is not None and not attack.pair.verified:
        assumptions = (*assumptions, ON_YOUR_WORD)
    certificate = Certificate(described.to_json(), claim, (evidence,), assumptions, "")
    found = (*of_certificate(certificate, float(attack.alarm)), *beside)
    result = Checked(name, claim, certificate, found, accepted)
    witness = evidence.witness
    if evidence.decision is not Decision.VIOLATED or not isinstance(witness, SampledWitness):
        return result
    pair = (witness.pair.first, witness.pair.second)
    again = replace(asked, pair=pair, runs=attack.runs)
    return replace(result, pair=pair, code=as_test(subject, again))


def _pair(asked: Asked, claim: Claim) -> Pair | None:
    if asked.pair is None:
        return None
    first, second = (_records(database, claim.domain) for database in asked.pair)
    return given_pair(first, second, claim.neighbours, claim.domain, records=claim.records)


def _records(database: Any, domain: Domain | None) -> Any:
    """A database of a pair as a function takes it; counts over the domain's cells are spelt out."""
    if domain is None or not isinstance(database, list | tuple):
        return database
    counts = len(database) == domain.size and all(type(item) is int for item in database)
    return records_of_histogram(database, domain) if counts else list(database)
