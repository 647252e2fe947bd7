"""Verification: every number that a certificate's verdict rests on, found again.

A certificate is read as plain data and taken for nothing: its subject is built
anew, the audit is run again, and what comes out is compared with what is
stated. The digest finds accidents in everything else.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.auditors.registry import LeftOut, choose, parse_names
from audit.certify import Effort, certify
from audit.parallel import Map, here
from audit.statements import strict_json
from audit.statements.assumptions import say_the_same
from audit.statements.certificate import Certificate, canonical, digest
from audit.statements.certificate_json import Document, as_written, decode, encode
from audit.statements.checks import (
    Check,
    Status,
    Verification,
    bounded_values,
    compare_bound,
    compare_ends,
    same,
    worst,
)
from audit.statements.evidence import (
    Bound,
    Decision,
    Evidence,
    SampledWitness,
    Side,
    Spending,
    Verdict,
    Witness,
)
from audit.statements.finding import Finding, violations
from audit.statements.finding_texts import compare_finding
from audit.statements.published import Strange
from audit.statements.reproduce import contradiction, parse_command
from audit.statements.stated_proofs import compare_foundations, completes, renew
from audit.subjects.digests import OLDER
from audit.subjects.stated_subjects import rebuild_subject
from audit.subjects.subject import Subject
from proofs import checker
from synthesizers.errors import InputError, TooLargeError

if TYPE_CHECKING:
    from audit.auditors.attack.rechecking.rechecking import Rechecked

CHECKER = Path(checker.__file__)
CHECKER_SECONDS = 600
"""How long the checker may take."""

PROOFS = ("proof", "channel_certificate")
"""What the independent checker reads."""


def read_certificate(text: str, path: str) -> dict[str, Any]:
    """The plain data of a certificate's text; InputError unless its fields hold what is written.

    What is strange in it is left to `verify`, which finds it false.
    """
    plain = strict_json.parse(text, path, "a certificate of dp-audit")
    try:
        decode(plain)
    except Strange:
        pass
    except InputError as error:
        raise InputError(f"{path} is no certificate that this version reads: {error}") from None
    return plain


def load_certificate(path: str) -> dict[str, Any]:
    """The plain data of a certificate file, all of which dp-audit writes so; raises InputError."""
    plain = read_certificate(strict_json.read_text(path), path)
    try:
        decode(plain)
    except Strange as error:
        raise InputError(f"{path} is not what dp-audit writes: {error}") from None
    return plain


def verify(
    certificate: Mapping[str, Any],
    meant: str | None = None,
    share: Map = here,
    python: str | None = None,
) -> Verification:
    """Re-check the statements of a certificate's plain data by running its audit again.

    ``meant``, ``python``: the subject and the interpreter that the user says to mean, see
    `audit.subjects.stated_subjects.find_obstacle`; ``share``: where runs of a black box are made.

    Guarantee
    ---------
    A bound, witness or verdict is reported as confirmed only if the audit, run here, entails it,
    and nothing is run before every field is known and typed. Backed by the altered certificates in
    ``tests/audit/test_verify.py`` and ``tests/hostile/test_forged_certificates.py``.
    """
    try:
        document = decode(certificate)
    except Strange as error:
        return Verification(tuple(_strange(line) for line in error.notes))
    stated_digest = document.digest == digest(certificate)
    checks = [
        Check(
            "digest of the document",
            Status.CONFIRMED if stated_digest else Status.FALSE,
            "" if stated_digest else "the text was changed after it was written",
        )
    ]
    claim = document.about
    checks += [_check_command(document), *_beside(document), *find_contradictions(document)]
    if any(one.auditor == "one run" for one in document.evidence):
        # Here, not above: statistics come with it.
        from audit.auditors.one_run.rechecking import recheck_one_run

        return Verification((*checks, *recheck_one_run(document)))
    subject, hindrance = rebuild_subject(document.subject, claim, meant, python)
    again = None if subject is None else _audit_again(document, subject, share)
    if again is None:
        if any(certificate.get(key) is not None for key in PROOFS):
            handed = {**certificate, "proof": renew(document.proof)}
            checks.append(_check_proof(document.verdict, handed))
        if not document.attacks or len(document.attacks) < len(document.evidence):
            checks += [
                Check(part, Status.UNCHECKED, hindrance)
                for part in ("bounds", "evidence", f"verdict {document.verdict.value}")
            ]
            return Verification(tuple(checks))
        checks.append(Check("subject", Status.UNCHECKED, hindrance or "it was not run again"))
        # The subject as it is stated, to which findings can be added.
        again = Certificate(document.subject, claim, (), document.assumptions, document.reproduce)
    else:
        checks += _proofs(document, certificate, again)
    return Verification((*checks, *_compare(document, again)))


def recheck_proof(certificate: Mapping[str, Any]) -> Check | None:
    """What the independent checker says of a certificate's proof or channel; None without one.

    That takes no more than a moment, as a rule, and no program is run: that the program asks no
    more than the proof is about is left to `verify`. Raises ``InputError`` for another document.

    Guarantee
    ---------
    It is confirmed only if the checker finds the stated claim in the proof. Backed by
    ``tests/audit/disclosure/test_assurances.py``.
    """
    document = decode(certificate)
    if all(certificate.get(key) is None for key in PROOFS):
        return None
    return _check_proof(document.verdict, {**certificate, "proof": renew(document.proof)})


def _strange(line: str) -> Check:
    """What dp-audit would not have written, of its place and what is wrong with it."""
    place, _, note = line.rpartition(": ")
    return Check(place, Status.FALSE, note)


def _check_command(document: Document) -> Check:
    """The stated command; a stranger's is never repeated."""
    wrong = contradiction(document)
    return Check("the command to make it again", Status.FALSE if wrong else Status.CONFIRMED, wrong)


def _beside(document: Document) -> Iterator[Check]:
    """What no audit of the subject can find again."""
    if document.isolation is not None:
        note = (
            "how the maker kept the subject apart; the verdict is that of what keeps it apart here"
        )
        yield Check("isolation", Status.WORD, note)
    if document.subject["kind"] == "channel":
        yield Check("subject.sha256", Status.WORD, "the file that the channel was read from")
    if any(one.power is not None and one.power.seconds is not None for one in document.attacks):
        yield Check("power.seconds", Status.WORD, "what a run took, by its maker's clock")
    if OLDER in document.subject:
        note = "it covers the named file alone, and nothing that lies beside it"
        yield Check(f"subject.{OLDER}", Status.WORD, note)
    if document.self_test is not None:
        yield _self_test(document.self_test)


def _self_test(stated: Mapping[str, Any]) -> Check:
    """The stated self-test: its counts are compared where it is of this version's code."""
    name = "self_test"
    if stated["caught"] != stated["liars"]:
        return Check(name, Status.FALSE, "one that misses a liar is carried by no certificate")
    # Here, not above: all liars and what they need come with it.
    from audit.self_test.code import code_digest
    from audit.self_test.run import choose_liars

    if stated["code"] == code_digest():
        asked = choose_liars(stated["form"] == "quick", None)
        counts = len(asked), len({liar.honest.name for liar in asked})
        if (stated["liars"], stated["honest"]) != counts:
            return Check(name, Status.FALSE, "this version has another number of cases")
    return Check(name, Status.WORD, "not run again; no verdict rests on it")


def _audit_again(document: Document, subject: Subject, share: Map) -> Certificate | None:
    """The certificate of the same audit, without an attack that would not find the same again.

    The user has said nothing of trust here, whatever the certificate says. None where nothing is
    left of it.
    """
    if subject.category == "black box":
        return _box_again(document, subject, share)
    attacks, attack = document.attacks, None
    if attacks:
        # Here, not above: statistics and learning come with it.
        from audit.auditors.attack.rechecking.stated_attacks import read_attack

        attack = read_attack(attacks[0], document)
    if subject.category == "outputs" and attack is None:
        return None
    auditors = _stated_auditors(document)
    if auditors is not None and attack is None:
        auditors = tuple(name for name in auditors if name != "attack")
        if not auditors:
            return None
    rows = document.subject.get("rows")
    effort = Effort(rows=rows, attack=attack, share=share, auditors=auditors)
    try:
        again = certify(subject, document.about, effort, document.reproduce).certificate
    except TooLargeError:
        if not attacks or attack is not None:
            raise
        return None
    if any(entry.partial for entry in again.evidence):
        # An attack that is interrupted says what it found; here that would be no comparison.
        raise KeyboardInterrupt
    return again


def _box_again(document: Document, subject: Subject, share: Map) -> Certificate | None:
    """The same of what can only be run; None where nothing of it would find the same again."""
    # Here, not above: as in `_audit_again`.
    from audit.auditors.attack.rechecking.stated_attacks import (
        read_attack,
        read_effort,
        require_replay,
    )

    attacks, named = document.attacks, _stated_auditors(document)
    drawn = read_attack(attacks[0], document) if attacks else None
    try:
        asked = read_effort(document)
    except InputError:
        asked = drawn
    if asked is None:
        return None
    # Before others looked at it, an attack had the whole alarm.
    older = named is None and bool(attacks) and require_replay(attacks[0]).alarm == asked.alarm
    usual = tuple(auditor.name for auditor in choose("black box", None, True)[0])
    stated = ("attack",) if older else usual if named is None else named
    if drawn is not None:
        asked = replace(drawn, alarm=asked.alarm)

    def audit(names: Sequence[str]) -> Certificate | None:
        chosen = tuple(name for name in names if drawn is not None or name != "attack")
        if not chosen:
            return None
        effort = Effort(attack=asked, share=share, auditors=chosen)
        try:
            return certify(subject, document.about, effort, document.reproduce).certificate
        except LeftOut:
            return None

    found = audit(stated)
    if older:
        others = audit([name for name in usual if name != "attack"])
        found = _add_violations(found, others)
    if found is not None and any(entry.partial for entry in found.evidence):
        raise KeyboardInterrupt
    return found


def _add_violations(found: Certificate | None, others: Certificate | None) -> Certificate | None:
    """A certificate with what others hold against the subject, if they do."""
    against = () if others is None else violations(others.evidence)
    if others is None or not against:
        return found
    base = others if found is None else found
    return replace(base, evidence=(*against, *(() if found is None else found.evidence)))


def _stated_auditors(document: Document) -> tuple[str, ...] | None:
    """The auditors that the stated command names; None where it names none, or is no command."""
    try:
        words = parse_command(document.reproduce).value("auditors")
    except InputError:
        return None
    return None if words is None else parse_names(words)


def _proofs(
    document: Document, certificate: Mapping[str, Any], again: Certificate
) -> Iterator[Check]:
    """The stated proof and channel, by the checker and beside those of the audit."""
    stated, proof = renew(document.proof), again.proof
    handed = {**certificate, "proof": stated}
    if stated is not None and proof is not None and completes(stated, proof):
        # An older proof does not say what it is about; the checker reads the one that does.
        handed = {**certificate, "proof": proof}
    checked = None
    if any(handed.get(key) is not None for key in PROOFS):
        checked = _check_proof(document.verdict, handed)
        yield checked
    if not same(handed.get("proof"), proof):
        yield _other_proof(stated, proof, checked)
    if not same(document.channel_certificate, again.document().channel_certificate):
        note = "it is not the one that the audit finds"
        yield Check("channel_certificate", Status.FALSE, note)


def _other_proof(
    stated: Mapping[str, Any] | None, found: Mapping[str, Any] | None, checked: Check | None
) -> Check:
    """A proof that the audit does not make today.

    What it concludes about the certificate is the checker's word, if it rests on what the program
    was seen to ask.
    """
    if stated is None or found is None or checked is None or checked.status is Status.FALSE:
        return Check("proof", Status.FALSE, "it is not the one that the audit finds")
    if checked.status is not Status.CONFIRMED or checked.note:
        return Check("proof", Status.UNCHECKED, "another than the audit finds today")
    return compare_foundations(stated, [found["derivation"], *found.get("alternatives", [])])


def _check_proof(verdict: Verdict, certificate: Mapping[str, Any]) -> Check:
    """What the independent checker, in a process of its own, says of the proof and the channel."""
    name = "proof and channel, by the independent checker"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        path.write_text(canonical(certificate), encoding="ascii")
        # Isolated: it sees no module of this project, and no setting of the user's.
        command = [sys.executable, "-I", str(CHECKER), str(path)]
        try:
            found = subprocess.run(
                command, capture_output=True, text=True, timeout=CHECKER_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return Check(name, Status.UNCHECKED, "it took too long")
    note = ": ".join(line.strip() for line in found.stdout.splitlines()[:2])[:200]
    if found.returncode == 0:
        return Check(name, Status.CONFIRMED)
    if found.returncode == 3:
        # The audit, run again, makes the same ceiling; no other verdict than PROVED rests on it.
        rests = verdict is Verdict.PROVED
        return Check(name, Status.UNCHECKED if rests else Status.CONFIRMED, note)
    return Check(name, Status.FALSE, note or "it is rejected")


def _compare(document: Document, again: Certificate) -> list[Check]:
    """The statements beside those of an audit made again, in which an attack may be missing."""
    checks: list[Check] = []
    attacks, again = _with_attacks(document, again)
    # Both as they are written: numbers of evidence have more digits than a document.
    fresh = decode(again.to_json())
    for key in ("claim", "neighbours", "unit", "released", "domain"):
        if getattr(document, key) != getattr(fresh, key):
            checks.append(Check(key, Status.FALSE, "it is not what the audit is about"))
    # A fresh subject says what it is made of; whatever else is stated of it, nobody has looked at.
    if not same(document.subject, fresh.subject):
        checks.append(Check("subject", Status.FALSE, "it is described otherwise than it was built"))
    if len(document.evidence) != len(fresh.evidence):
        checks.append(Check("the list of evidence", Status.FALSE, "findings were added or dropped"))
    steps = [] if document.proof is None else document.proof["derivation"]["steps"]
    rules = [step["rule"] for step in steps]
    for place, (old, new) in enumerate(zip(document.evidence, fresh.evidence, strict=False)):
        if place in attacks:
            checks += attacks[place].checks
        else:
            checks.append(_compare_evidence(old, new, rules))
    undrawn = any(not attack.drawn for attack in attacks.values())
    for side in Side:
        check = _compare_side(document, fresh, side)
        bound = fresh.bounds[side.value]
        rests = undrawn and bound is not None and bound.rigour == "statistical"
        checks.append(_resting_on_runs(check) if rests else check)
    verdict = _compare_verdict(document.verdict, again)
    rests = undrawn and again.verdict not in (Verdict.PROVED, Verdict.EXACT)
    verdict = _resting_on_runs(verdict) if rests else verdict
    weak = again.verdict is Verdict.NOT_REFUTED and any(one.weak for one in attacks.values())
    checks.append(_leave_open(verdict) if weak else verdict)
    if not _asks_the_same(document.questions, fresh.questions):
        checks.append(Check("questions", Status.FALSE, "they are not those that the audit finds"))
    if document.unproved not in (None, fresh.unproved):
        note = f"here it is: {fresh.unproved or 'there is a theorem, or no exact finding'}"
        checks.append(Check("unproved", Status.UNCHECKED, note))
    if not say_the_same(document.assumptions, again.assumptions):
        checks.append(
            Check("assumptions", Status.FALSE, "they are not those that the verdict rests on")
        )
    return checks


def _asks_the_same(stated: Mapping[str, Any] | None, again: Mapping[str, Any] | None) -> bool:
    """Whether what a release may ask is what is found.

    Certificates of before name no budget, and those about a program of ours no questions at all.
    """
    if stated is None or again is None:
        return stated is None
    return same(stated, {key: again[key] for key in again if key in stated or key != "budget"})


def find_contradictions(document: Document) -> Iterator[Check]:
    """Where the stated bounds and verdict are not those that the stated evidence entails."""
    own = Certificate.of(document)
    for side in Side:
        if document.bounds[side.value] != own.bound(side):
            yield Check(f"bounds.{side.value}", Status.FALSE, "it is not the bound of the evidence")
    # Before an isolation was stated, there was none that a verdict could rest on.
    entailed = own.verdict if own.isolation is not None else own.entailed
    if document.verdict is not entailed:
        note = f"the stated evidence entails {entailed.value}"
        yield Check("verdict", Status.FALSE, note)


def _compare_side(document: Document, fresh: Document, side: Side) -> Check:
    """The bound of a side: the audit must imply it."""
    name, stated = f"bound: {side.value}", document.bounds[side.value]
    check = compare_bound(name, stated, fresh.bounds[side.value])
    if check.status is Status.UNCHECKED and stated is not None and _is_exceeded(stated, fresh):
        return Check(name, Status.FALSE, "the audit finds more")
    return check


def _is_exceeded(ceiling: Bound, fresh: Document) -> bool:
    """Whether an exact finding on databases of the claim lies above a stated ceiling."""
    heard = [one.bound for one in fresh.evidence if one.decision is not Decision.SILENT]
    limits = bounded_values(ceiling)
    return ceiling.side is Side.CEILING and any(
        ends.lower > limits[key].upper
        for bound in heard
        if bound is not None and (bound.side, bound.rigour) == (Side.EXACT, "exact")
        for key, ends in bounded_values(bound).items()
        if key in limits
    )


def _compare_verdict(stated: Verdict, again: Certificate) -> Check:
    """The stated verdict beside the one that is obtained here."""
    name = f"verdict {stated.value}"
    if stated is again.verdict:
        return Check(name, Status.CONFIRMED)
    if again.entailed is not again.verdict and stated is again.entailed:
        return Check(name, Status.UNCHECKED, "nothing keeps the program apart on this machine")
    return Check(name, Status.FALSE, f"the evidence entails {again.verdict.value}")


def _with_attacks(
    document: Document, again: Certificate
) -> tuple[dict[int, Rechecked], Certificate]:
    """What came of the attacks, by their places, and the certificate with them in these places."""
    if not document.attacks:
        return {}, again
    # Here, not above: as in `_audit_again`.
    from audit.auditors.attack.rechecking.rechecking import recheck_attack

    attacks = [as_written(entry) for entry in again.evidence if entry.auditor == "attack"]
    others = [entry for entry in again.evidence if entry.auditor != "attack"]
    made = bool(attacks)
    results: dict[int, Rechecked] = {}
    evidence: list[Evidence] = []
    for place, entry in enumerate(document.evidence):
        if entry.auditor == "attack":
            if made and not attacks:
                # One more than the audit makes: the lists differ.
                continue
            results[place] = recheck_attack(entry, document.about, attacks.pop(0) if made else None)
            evidence.append(results[place].evidence)
        elif others:
            evidence.append(others.pop(0))
    return results, replace(again, evidence=(*evidence, *others, *attacks))


def _resting_on_runs(check: Check) -> Check:
    """A check of what follows from runs that were not drawn again."""
    if check.status is Status.FALSE:
        return check
    return Check(check.statement, Status.UNCHECKED, "it rests on runs that were not drawn again")


def _leave_open(check: Check) -> Check:
    """A verdict of before attacks had to show that their runs see enough: these do not."""
    if check.status is Status.FALSE:
        return check
    return Check(check.statement, Status.UNCHECKED, "its runs see less than an attack must today")


def _compare_evidence(old: Evidence, new: Evidence, rules: Sequence[str]) -> Check:
    name = f"evidence of the {new.auditor} auditor"
    keys = ("auditor", "decision", "whole", "confidence", "replay")
    alike = all(getattr(old, key) == getattr(new, key) for key in keys)
    if alike and isinstance(old, Finding) and isinstance(new, Finding):
        if old.essence != new.essence and new.error is not None:
            return Check(name, Status.UNCHECKED, "its draws come out otherwise here")
        if old.essence != new.essence:
            return Check(name, Status.FALSE, "what it found does not follow from the audit")
    for key in (*keys, "covers"):
        if getattr(old, key) != getattr(new, key):
            return Check(name, Status.FALSE, f"its {key} does not follow from the audit")
    return worst(
        _compare_spending(name, old.spending, new.spending),
        compare_bound(name, old.bound, new.bound),
        _compare_witness(name, old.witness, new.witness),
        compare_finding(name, old, new, rules),
    )


def _compare_spending(name: str, old: Spending | None, new: Spending | None) -> Check:
    """The question at fault must be the one found; older certificates do not say where it stands.

    The lines of our own code move from version to version.
    """
    if old is None:
        return Check(name, Status.CONFIRMED)
    if new is None or encode(replace(old, where=None)) != encode(replace(new, where=None)):
        return Check(name, Status.FALSE, "its question at fault does not follow from the audit")
    if old.where not in (None, new.where):
        note = f"its question at fault is asked at {new.where or 'no place that is told'} here"
        return Check(name, Status.UNCHECKED, note)
    return Check(name, Status.CONFIRMED)


def _compare_witness(
    name: str, old: Witness | SampledWitness | None, new: Witness | SampledWitness | None
) -> Check:
    """The databases and the event must be those found; their probabilities must be implied."""
    if old is None and new is None:
        return Check(name, Status.CONFIRMED)
    false = Check(name, Status.FALSE, "its witness does not follow from the audit")
    if not (isinstance(old, Witness) and isinstance(new, Witness)):
        return false
    if not same(encode(replace(old, probabilities=new.probabilities)), encode(new)):
        return false
    return worst(*map(compare_ends, [name] * 2, old.probabilities, new.probabilities))
