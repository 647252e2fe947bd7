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
from typing import Any

from audit.auditors.attack.evidence import Attack, versions
from audit.auditors.attack.rechecking import Rechecked, is_attack, rechecked
from audit.auditors.attack.replaying import GIVEN, MOST_RUNS, is_digest, read_pair, stated_error
from audit.auditors.registry import named
from audit.certify import Effort, certify
from audit.parallel import Map, here
from audit.statements import strict_json
from audit.statements.certificate import Certificate, canonical, digest
from audit.statements.certificate_json import unknown_keys
from audit.statements.checks import (
    Check,
    Status,
    Verification,
    compare_bound,
    compare_ends,
    same,
    worst,
)
from audit.statements.claim import Claim
from audit.statements.decimals import extended
from audit.statements.earlier_assumptions import say_the_same
from audit.statements.evidence import Decision, Evidence, Side, Verdict
from audit.statements.finding_texts import compare_finding
from audit.statements.reproduce import contradiction, parse_command
from audit.statements.stated_certificates import stated_certificate
from audit.statements.stated_proofs import compare_foundations, completes
from audit.subjects.digests import OLDER
from audit.subjects.stated_subjects import stated_subject
from audit.subjects.subject import Subject
from proofs import checker
from synthesizers.errors import InputError, TooLargeError

CHECKER = Path(checker.__file__)
CHECKER_SECONDS = 600
"""How long the checker may take (a choice of this project)."""

PROOFS = ("proof", "channel_certificate")
"""What the independent checker reads."""

QUESTIONS = "questions"
"""What a release may ask; a program of ours needs none."""


def read_certificate(text: str, path: str) -> dict[str, Any]:
    """The document of a certificate's text; InputError unless its fields hold what is written.

    Keys that no certificate has are left to `verify`, which finds them false.
    """
    document = strict_json.parse(text, path, "a certificate of dp-audit")
    try:
        unknown_keys(document)
    except InputError as error:
        raise InputError(f"{path} is no certificate that this version reads: {error}") from None
    return document


def load_certificate(path: str) -> dict[str, Any]:
    """The document of a certificate file, every key of which is known; raises InputError."""
    document = read_certificate(strict_json.read_text(path), path)
    spare = unknown_keys(document)
    if spare:
        raise InputError(f"{path} is not what dp-audit writes: {spare[0]}")
    return document


def verify(
    document: Mapping[str, Any], meant: str | None = None, share: Map = here
) -> Verification:
    """Re-check a certificate's statements by running its audit again.

    ``meant``: the subject that the user says to mean, see
    `audit.subjects.stated_subjects.obstacle`; ``share``: where runs of a black box are made.

    Guarantee
    ---------
    A bound, witness or verdict is reported as confirmed only if the audit, run here, entails it,
    and nothing is run before every field is known and typed. Backed by the altered certificates in
    ``tests/audit/test_verify.py`` and ``tests/hostile/test_forged_certificates.py``.
    """
    spare = unknown_keys(document)
    if spare:
        return Verification(tuple(_unknown(place) for place in spare))
    stated_digest = document["digest"] == digest(document)
    checks = [
        Check(
            "digest of the document",
            Status.CONFIRMED if stated_digest else Status.FALSE,
            "" if stated_digest else "the text was changed after it was written",
        )
    ]
    claim = Claim.from_json(dict(document))
    own = stated_certificate(document, claim)
    checks += [_reproduced(document), *_beside(document), *_own_contradictions(document, own)]
    subject, hindrance = stated_subject(document["subject"], claim, meant)
    again = None if subject is None else _audited_again(document, claim, subject, share)
    if again is None:
        checks += _proof_alone(document)
        if not all(map(is_attack, document["evidence"])) or not document["evidence"]:
            checks += [
                Check(part, Status.UNCHECKED, hindrance)
                for part in ("bounds", "evidence", f"verdict {document['verdict']}")
            ]
            return Verification(tuple(checks))
        checks.append(Check("subject", Status.UNCHECKED, hindrance or "it was not run again"))
        again = _unseen(document, claim)
    else:
        checks += _proofs(document, again)
    return Verification((*checks, *_compare(document, claim, again)))


def _unknown(line: str) -> Check:
    """A key that no certificate has, of its place and what is wrong with it."""
    place, _, note = line.rpartition(": ")
    return Check(place, Status.FALSE, note)


def _reproduced(document: Mapping[str, Any]) -> Check:
    """The stated command; a stranger's is never repeated."""
    wrong = contradiction(document)
    return Check("the command to make it again", Status.FALSE if wrong else Status.CONFIRMED, wrong)


def _beside(document: Mapping[str, Any]) -> Iterator[Check]:
    """What no audit of the subject can find again."""
    if "isolation" in document:
        note = (
            "how the maker kept the subject apart; the verdict is that of what keeps it apart here"
        )
        yield Check("isolation", Status.WORD, note)
    if document["subject"]["kind"] == "channel":
        yield Check("subject.sha256", Status.WORD, "the file that the channel was read from")
    if OLDER in document["subject"]:
        note = "it covers the named file alone, and nothing that lies beside it"
        yield Check(f"subject.{OLDER}", Status.WORD, note)
    if "self_test" in document:
        yield _self_test(document["self_test"])


def _self_test(stated: Mapping[str, Any]) -> Check:
    """The stated self-test: its counts are compared where it is of this version's code."""
    name = "self_test"
    if stated["caught"] != stated["liars"]:
        return Check(name, Status.FALSE, "one that misses a liar is carried by no certificate")
    # Here, not above: all liars and what they need come with it.
    from audit.self_test.code import code_digest
    from audit.self_test.run import chosen

    if stated["code"] == code_digest():
        asked = chosen(stated["form"] == "quick", None)
        counts = len(asked), len({liar.honest.name for liar in asked})
        if (stated["liars"], stated["honest"]) != counts:
            return Check(name, Status.FALSE, "this version has another number of cases")
    return Check(name, Status.WORD, "not run again; no verdict rests on it")


def _audited_again(
    document: Mapping[str, Any], claim: Claim, subject: Subject, share: Map
) -> Certificate | None:
    """The certificate of the same audit, without an attack that would not find the same again.

    The user has said nothing of trust here, whatever the certificate says. None where nothing is
    left of it.
    """
    attacks = [entry for entry in document["evidence"] if is_attack(entry)]
    attack = _attack_again(attacks[0], claim, document["subject"].get("kind")) if attacks else None
    if subject.category in ("black box", "outputs") and attack is None:
        return None
    auditors = _stated_auditors(document)
    if auditors is not None and attack is None:
        auditors = tuple(name for name in auditors if name != "attack")
        if not auditors:
            return None
    rows = document["subject"].get("rows")
    effort = Effort(rows=rows, attack=attack, share=share, auditors=auditors)
    try:
        found = certify(subject, claim, effort, document["reproduce"]).certificate
    except TooLargeError:
        if not attacks or attack is not None:
            raise
        return None
    if any(entry.replay.get("partial") for entry in found.evidence):
        # An attack that is interrupted says what it found; here that would be no comparison.
        raise KeyboardInterrupt
    return found


def _stated_auditors(document: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The auditors that the stated command names; None where it names none, or is no command."""
    try:
        words = parse_command(document["reproduce"]).value("auditors")
    except InputError:
        return None
    return None if words is None else named(words)


def _unseen(document: Mapping[str, Any], claim: Claim) -> Certificate:
    """A certificate of the subject as it is stated, to which findings can be added."""
    assumptions = tuple(document["assumptions"])
    return Certificate(document["subject"], claim, (), assumptions, document["reproduce"])


def _proof_alone(document: Mapping[str, Any]) -> Iterator[Check]:
    """What the checker says of a subject that was not audited again."""
    if any(document.get(key) is not None for key in PROOFS):
        yield _checked_proof(document)


def _proofs(document: Mapping[str, Any], again: Certificate) -> Iterator[Check]:
    """The stated proof and channel, by the checker and beside those of the audit."""
    fresh = again.to_json()
    stated, found = document.get("proof"), fresh["proof"]
    handed = document
    if stated is not None and found is not None and completes(stated, found):
        # An older proof does not say what it is about; the checker reads the one that does.
        handed = {**document, "proof": found}
    checked = None
    if any(handed.get(key) is not None for key in PROOFS):
        checked = _checked_proof(handed)
        yield checked
    if not same(handed.get("proof"), found):
        yield _other_proof(stated, found, checked)
    if not same(document.get("channel_certificate"), fresh["channel_certificate"]):
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


def _checked_proof(document: Mapping[str, Any]) -> Check:
    """What the independent checker, in a process of its own, says of the proof and the channel."""
    name = "proof and channel, by the independent checker"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        path.write_text(canonical(document), encoding="ascii")
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
        rests = document["verdict"] == Verdict.PROVED.value
        return Check(name, Status.UNCHECKED if rests else Status.CONFIRMED, note)
    return Check(name, Status.FALSE, note or "it is rejected")


def _compare(document: Mapping[str, Any], claim: Claim, again: Certificate) -> list[Check]:
    """The statements beside those of an audit made again, in which an attack may be missing."""
    checks: list[Check] = []
    stated = document["evidence"]
    attacks, again = _with_attacks(stated, claim, again)
    fresh = again.to_json()
    for key, value in again.claim.to_json().items():
        if not same(document[key], value):
            checks.append(Check(key, Status.FALSE, "it is not what the audit is about"))
    # A fresh subject says what it is made of; whatever else is stated of it, nobody has looked at.
    if not same(document["subject"], fresh["subject"]):
        checks.append(Check("subject", Status.FALSE, "it is described otherwise than it was built"))
    if len(stated) != len(fresh["evidence"]):
        checks.append(Check("the list of evidence", Status.FALSE, "findings were added or dropped"))
    rules = _rules(document.get("proof"))
    for place, (old, new) in enumerate(zip(stated, fresh["evidence"], strict=False)):
        found = attacks[place].checks if place in attacks else [_compare_evidence(old, new, rules)]
        checks += found
    undrawn = any(not attack.drawn for attack in attacks.values())
    for side in Side:
        check = _compare_side(document, fresh, side)
        rests = undrawn and (fresh["bounds"][side.value] or {}).get("rigour") == "statistical"
        checks.append(_resting_on_runs(check) if rests else check)
    verdict = _compare_verdict(document, again)
    rests = undrawn and again.verdict not in (Verdict.PROVED, Verdict.EXACT)
    checks.append(_resting_on_runs(verdict) if rests else verdict)
    if QUESTIONS in document and not _asks_the_same(document[QUESTIONS], fresh.get(QUESTIONS)):
        checks.append(Check(QUESTIONS, Status.FALSE, "they are not those that the audit finds"))
    if not say_the_same(document["assumptions"], again.assumptions):
        checks.append(
            Check("assumptions", Status.FALSE, "they are not those that the verdict rests on")
        )
    return checks


def _asks_the_same(stated: Mapping[str, Any], again: Mapping[str, Any] | None) -> bool:
    """Whether what a release may ask is what is found; certificates of before name no budget."""
    if again is None:
        return False
    return same(stated, {key: again[key] for key in again if key in stated or key != "budget"})


def _own_contradictions(document: Mapping[str, Any], own: Certificate) -> Iterator[Check]:
    """Where the stated bounds and verdict are not those that the stated evidence entails."""
    for side, bound in own.to_json()["bounds"].items():
        if document["bounds"][side] != bound:
            yield Check(f"bounds.{side}", Status.FALSE, "it is not the bound of the evidence")
    # Before an isolation was stated, there was none that a verdict could rest on.
    entailed = own.verdict if own.isolation is not None else own.entailed
    if document["verdict"] != entailed.value:
        note = f"the stated evidence entails {entailed.value}"
        yield Check("verdict", Status.FALSE, note)


def _compare_side(document: Mapping[str, Any], fresh: Mapping[str, Any], side: Side) -> Check:
    """The bound of a side: the audit must imply it."""
    name, stated = f"bound: {side.value}", document["bounds"][side.value]
    found = fresh["bounds"][side.value]
    sides = [bound if bound is None else {**bound, "side": side.value} for bound in (stated, found)]
    check = compare_bound(name, *sides)
    if check.status is Status.UNCHECKED and side is Side.CEILING and _is_exceeded(stated, fresh):
        return Check(name, Status.FALSE, "the audit finds more")
    return check


def _is_exceeded(ceiling: Mapping[str, Any], fresh: Mapping[str, Any]) -> bool:
    """Whether an exact finding on databases of the claim lies above a stated ceiling."""
    heard = [one for one in fresh["evidence"] if one["decision"] != Decision.SILENT.value]
    values = [one["bound"] for one in heard if one["bound"] and one["bound"]["rigour"] == "exact"]
    return any(
        value["side"] == Side.EXACT.value
        and extended(value[key]["lower"]) > extended(ends["upper"])
        for value in values
        for key, ends in ceiling.items()
        if isinstance(ends, Mapping) and key in value
    )


def _compare_verdict(document: Mapping[str, Any], again: Certificate) -> Check:
    """The stated verdict beside the one that is obtained here."""
    stated = document["verdict"]
    name = f"verdict {stated}"
    if stated == again.verdict.value:
        return Check(name, Status.CONFIRMED)
    if again.entailed is not again.verdict and stated == again.entailed.value:
        return Check(name, Status.UNCHECKED, "nothing keeps the program apart on this machine")
    return Check(name, Status.FALSE, f"the evidence entails {again.verdict.value}")


def _rules(proof: Mapping[str, Any] | None) -> list[str]:
    return [] if proof is None else [step["rule"] for step in proof["derivation"]["steps"]]


def _with_attacks(
    stated: list[Any], claim: Claim, again: Certificate
) -> tuple[dict[int, Rechecked], Certificate]:
    """What came of the attacks, by their places, and the certificate with them in these places."""
    attacks = [entry for entry in again.evidence if is_attack(entry.to_json())]
    others = [entry for entry in again.evidence if entry not in attacks]
    made = bool(attacks)
    found: dict[int, Rechecked] = {}
    evidence: list[Evidence] = []
    for place, entry in enumerate(stated):
        if is_attack(entry):
            if made and not attacks:
                # One more than the audit makes: the lists differ.
                continue
            new = attacks.pop(0).to_json() if made else None
            found[place] = rechecked(entry, claim, new)
            evidence.append(found[place].evidence)
        elif others:
            evidence.append(others.pop(0))
    return found, replace(again, evidence=(*evidence, *others, *attacks))


def _resting_on_runs(check: Check) -> Check:
    """A check of what follows from runs that were not drawn again."""
    if check.status is Status.FALSE:
        return check
    return Check(check.statement, Status.UNCHECKED, "it rests on runs that were not drawn again")


def _compare_evidence(old: Mapping[str, Any], new: dict[str, Any], rules: Sequence[str]) -> Check:
    name = f"evidence of the {new['auditor']} auditor"
    stated, found = old.get("property"), new.get("property")
    keys = ("auditor", "decision", "whole", "confidence", "replay")
    if all(same(old[key], new[key]) for key in keys) and not same(stated, found):
        if stated is not None and found is not None and found["error"] is not None:
            return Check(name, Status.UNCHECKED, "its draws come out otherwise here")
        return Check(name, Status.FALSE, "what it found does not follow from the audit")
    for key in (*keys, "covers"):
        if not same(old[key], new[key]):
            return Check(name, Status.FALSE, f"its {key} does not follow from the audit")
    return worst(
        compare_bound(name, old["bound"], new["bound"]),
        _compare_witness(name, old["witness"], new["witness"]),
        compare_finding(name, old, new, rules),
    )


def _compare_witness(
    name: str, old: Mapping[str, Any] | None, new: Mapping[str, Any] | None
) -> Check:
    """The databases and the event must be those found; their probabilities must be implied."""
    if old is None and new is None:
        return Check(name, Status.CONFIRMED)
    equal = ("from", "to", "event")
    if old is None or new is None or not all(same(old[key], new[key]) for key in equal):
        return Check(name, Status.FALSE, "its witness does not follow from the audit")
    return worst(
        *(
            compare_ends(name, old["probabilities"][side], new["probabilities"][side])
            for side in ("from", "to")
        )
    )


def _attack_again(evidence: Mapping[str, Any], claim: Claim, kind: object) -> Attack | None:
    """The attack of an entry of evidence; None where it would not find the same again.

    ``kind``: the subject's. Nothing finds the same again without the same versions, where the
    subject has randomness of its own, where the audit was interrupted, or where a pair is not
    carried. Raises InputError where the entry is malformed.
    """
    replay = evidence.get("replay")
    if not isinstance(replay, Mapping):
        raise InputError("the certificate's evidence of an attack is malformed")
    lasting = replay.get("repeatable") is True or kind == "outputs"
    if not lasting or replay.get("partial") or replay.get("versions") != versions():
        return None
    witness = evidence.get("witness")
    stated = witness.get("pair") if isinstance(witness, Mapping) else None
    # Without a witness there is no telling whether the pair was given.
    if not isinstance(stated, Mapping):
        return None
    pair = None
    if stated.get("pattern") in GIVEN and kind != "outputs":
        if any(is_digest(stated.get(side)) for side in ("first", "second")):
            return None
        pair = read_pair(stated, claim)
    return Attack(
        _whole(replay, "runs", 1),
        _whole(replay, "seed", 0),
        stated_error(evidence, "error"),
        stated_error(evidence, "alarm"),
        replay.get("mode") == "anytime",
        pair,
    )


def _whole(replay: Mapping[str, Any], name: str, least: int) -> int:
    value = replay.get(name)
    if type(value) is not int or value < least or (name == "runs" and value > MOST_RUNS):
        raise InputError(f"the {name} of the certificate's attack is no whole number in its range")
    return value
