"""Verification: every number that a certificate's verdict rests on, found again.

A certificate is read as plain data and taken for nothing: its subject is built
anew, the audit is run again, and what comes out is compared with what is
stated. The digest finds accidents in everything else.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from audit import strict_json
from audit.attack.rechecking import Rechecked, is_attack, rechecked
from audit.attack.runs import Map, here
from audit.certificate import SCHEMA, Certificate, canonical, digest
from audit.checks import Check, Status, Verification, compare_bound, compare_ends
from audit.claim import Claim
from audit.evidence import Evidence, Verdict
from audit.redrawing import attack_again
from audit.run import Effort, certify
from audit.stated_subjects import BLACK_BOXES, obstacle, stated_black_box
from audit.subject import BlackBoxSubject, Subject
from audit.subjects.matrix import carried_channel
from audit.subjects.synthesizer import program_subject, source_sha256
from proofs import checker
from synthesizers.errors import InputError, TooLargeError
from synthesizers.programs import PROGRAMS

CHECKER = Path(checker.__file__)
CHECKER_SECONDS = 600
"""How long the checker may take (a choice of this project)."""

KEYS = (
    "schema",
    "verdict",
    "subject",
    "claim",
    "neighbours",
    "unit",
    "released",
    "domain",
    "bounds",
    "evidence",
    "assumptions",
    "reproduce",
    "digest",
)
OPTIONAL = ("proof", "channel_certificate")
"""Keys that came later within the version."""

BESIDE = ("self_test", "isolation")
"""Keys that are the maker's word, under the digest alone: how the auditors did beforehand, and what
kept the subject apart from them. Whoever verifies runs the subject apart on this machine."""

ASKED = "questions"
"""What a release may ask; a program of ours needs none."""


def read_certificate(text: str, path: str) -> dict[str, Any]:
    """The document of a certificate's text; InputError unless it has the contract's keys."""
    document = strict_json.parse(text, path, "a certificate of dp-audit")
    missing = [key for key in KEYS if key not in document]
    if missing:
        raise InputError(f"{path} is not a certificate: it lacks {', '.join(missing)}")
    if document["schema"] != SCHEMA:
        raise InputError(f"{path} has another schema; this version reads {SCHEMA}")
    return document


def load_certificate(path: str) -> dict[str, Any]:
    """The document of a certificate file; raises InputError."""
    return read_certificate(strict_json.read_text(path), path)


def verify(
    document: Mapping[str, Any], meant: str | None = None, share: Map = here
) -> Verification:
    """Re-check a certificate's statements by running its audit again.

    ``meant``: the subject that the user says to mean, see `audit.stated_subjects.obstacle`;
    ``share``: where runs of a black box are made.

    Guarantee
    ---------
    A bound, witness or verdict is reported as confirmed only if the audit, run
    here, entails it: a stated enclosure must hold the one found. Backed by the
    altered certificates in ``tests/audit/test_verify.py``.
    """
    stated_digest = document["digest"] == digest(document)
    checks = [
        Check(
            "digest of the document",
            Status.CONFIRMED if stated_digest else Status.FALSE,
            "" if stated_digest else "the text was changed after it was written",
        )
    ]
    note = "this version does not know it"
    known = (*KEYS, *OPTIONAL, *BESIDE, ASKED)
    checks += [
        Check(f"{key!r:.60}", Status.UNCHECKED, note) for key in document if key not in known
    ]
    claim = Claim.from_json(dict(document))
    kinds = {"subject": dict, "evidence": list, "bounds": dict}
    if not all(isinstance(document[key], kind) for key, kind in kinds.items()):
        raise InputError("the certificate's subject, evidence or bounds are malformed")
    rows = document["subject"].get("rows")
    if rows is not None and (type(rows) is not int or rows < 0):
        raise InputError("the certificate's rows must be a whole number of at least 0")
    if any(document.get(key) is not None for key in OPTIONAL):
        checks.append(_checked_proof(document))
    subject, hindrance = _subject(document["subject"], claim, meant)
    again = None if subject is None else _audited_again(document, claim, subject, share)
    if again is None:
        if not all(map(is_attack, document["evidence"])) or not document["evidence"]:
            checks += [
                Check(part, Status.UNCHECKED, hindrance)
                for part in ("bounds", "evidence", f"verdict {document['verdict']}")
            ]
            return Verification(tuple(checks))
        checks.append(Check("subject", Status.UNCHECKED, hindrance or "it was not run again"))
        again = _unseen(document, claim)
    return Verification((*checks, *_compare(document, claim, again)))


def _audited_again(
    document: Mapping[str, Any], claim: Claim, subject: Subject, share: Map
) -> Certificate | None:
    """The certificate of the same audit, without an attack that would not find the same again.

    None where nothing is left of it.
    """
    attacks = [entry for entry in document["evidence"] if is_attack(entry)]
    attack = attack_again(attacks[0], claim, document["subject"].get("kind")) if attacks else None
    if isinstance(subject, BlackBoxSubject) and attack is None:
        return None
    isolation = document.get("isolation")
    trusted = isinstance(isolation, Mapping) and isolation.get("trusted") is True
    rows = document["subject"].get("rows")
    effort = Effort(rows=rows, attack=attack, share=share, trusted=trusted)
    try:
        found = certify(subject, claim, effort, str(document["reproduce"])).certificate
    except TooLargeError:
        if not attacks or attack is not None:
            raise
        return None
    if any(entry.replay.get("partial") for entry in found.evidence):
        # An attack that is interrupted says what it found; here that would be no comparison.
        raise KeyboardInterrupt
    return found


def _unseen(document: Mapping[str, Any], claim: Claim) -> Certificate:
    """A certificate of the subject as it is stated, to which findings can be added."""
    assumptions = document["assumptions"]
    if not isinstance(assumptions, list):
        raise InputError("the certificate's assumptions are malformed")
    return Certificate(
        document["subject"], claim, (), tuple(map(str, assumptions)), str(document["reproduce"])
    )


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


def _subject(
    stated: Mapping[str, Any], claim: Claim, meant: str | None
) -> tuple[Subject | None, str]:
    """The subject built anew, or what stands in the way."""
    kind, name = stated.get("kind"), str(stated.get("name"))
    values = stated.get("parameters", {})
    if not isinstance(values, dict):
        raise InputError("the certificate's parameters are malformed")
    if kind == "channel":
        found = carried_channel(dict(stated), name, claim.neighbours, claim.released)
        return found, "" if found else "the channel is too large to carry, and is not here"
    if kind in BLACK_BOXES:
        return _black_box(stated, claim, meant)
    if kind not in ("program", "module"):
        raise InputError("the certificate's subject is of no kind that this version knows")
    if (name in PROGRAMS) != (kind == "program"):
        raise InputError("the certificate's subject kind does not fit its name")
    if kind == "module" and stated.get("source_sha256") != source_sha256(name):
        # Compared before anything of the module runs: a certificate may come from anyone.
        return None, "the module is absent, or its source is not the one that was audited"
    try:
        return program_subject(name, {k: str(v) for k, v in values.items()}), ""
    except InputError as error:
        if kind == "program":
            raise
        return None, f"the subject is absent: {error}"


def _black_box(
    stated: Mapping[str, Any], claim: Claim, meant: str | None
) -> tuple[Subject | None, str]:
    """What can only be run, or what stands in the way."""
    hindrance = "" if stated["kind"] == "outputs" else obstacle(stated, meant)
    if hindrance:
        return None, hindrance
    try:
        found = stated_black_box(stated, claim)
    except InputError as error:
        return None, f"the subject is absent: {error}"
    if stated["kind"] == "outputs" and found.to_json() != stated:
        return None, "the files of outputs are not those that were audited"
    return found, ""


def _compare(document: Mapping[str, Any], claim: Claim, again: Certificate) -> list[Check]:
    """The statements beside those of an audit made again, in which an attack may be missing."""
    checks: list[Check] = []
    stated = document["evidence"]
    attacks, again = _with_attacks(stated, claim, again)
    fresh = again.to_json()
    for key, value in again.claim.to_json().items():
        if not _holds(document[key], value):
            checks.append(Check(key, Status.FALSE, "it is not what the audit is about"))
    # A fresh subject says what it is made of; whatever else is stated of it, nobody has looked at.
    if document["subject"] != fresh["subject"]:
        checks.append(Check("subject", Status.FALSE, "it is described otherwise than it was built"))
    if len(stated) != len(fresh["evidence"]):
        checks.append(Check("the list of evidence", Status.FALSE, "findings were added or dropped"))
    for place, (old, new) in enumerate(zip(stated, fresh["evidence"], strict=False)):
        checks += attacks[place].checks if place in attacks else [_compare_evidence(old, new)]
    undrawn = any(not attack.drawn for attack in attacks.values())
    for side, bound in fresh["bounds"].items():
        checks.append(compare_bound(f"bound: {side}", document["bounds"].get(side), bound))
        if checks[-1].status is not Status.FALSE and not _derived(document, side):
            note = "it is not the bound of the evidence"
            checks[-1] = Check(f"bound: {side}", Status.FALSE, note)
        if undrawn and bound is not None and bound["rigour"] == "statistical":
            checks[-1] = _resting_on_runs(checks[-1])
    same = document["verdict"] == fresh["verdict"]
    note = "" if same else f"the evidence entails {fresh['verdict']}"
    status = Status.CONFIRMED if same else Status.FALSE
    if not same and again.entailed is not again.verdict:
        status, note = Status.UNCHECKED, "nothing keeps the program apart on this machine"
    checks.append(Check(f"verdict {document['verdict']}", status, note))
    if undrawn and again.verdict not in (Verdict.PROVED, Verdict.EXACT):
        checks[-1] = _resting_on_runs(checks[-1])
    checks += [
        Check(key, Status.FALSE, "it is not the one that the audit finds")
        for key in OPTIONAL
        if document.get(key) != fresh[key]
    ]
    if ASKED in fresh and document.get(ASKED) != fresh[ASKED]:
        checks.append(Check(ASKED, Status.FALSE, "they are not those that the audit finds"))
    if document["assumptions"] != fresh["assumptions"]:
        checks.append(
            Check("assumptions", Status.FALSE, "they are not those that the verdict rests on")
        )
    return checks


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


def _holds(stated: Any, found: Any) -> bool:
    """Whether a part of a document is as found; it may have further keys."""
    if isinstance(stated, dict) and isinstance(found, dict):
        return all(key in stated and stated[key] == value for key, value in found.items())
    return bool(stated == found)


def _derived(document: Mapping[str, Any], side: str) -> bool:
    """Whether a bound of the document is one that its own evidence states."""
    bound = document["bounds"].get(side)
    stated = [e.get("bound") for e in document["evidence"] if isinstance(e, dict)]
    return bound is None or any(b == {**bound, "side": side} for b in stated)


def _compare_evidence(old: Any, new: dict[str, Any]) -> Check:
    name = f"evidence of the {new['auditor']} auditor"
    if old == new:
        return Check(name, Status.CONFIRMED)
    if not isinstance(old, dict):
        return Check(name, Status.FALSE, "malformed")
    for key in ("auditor", "decision", "covers", "whole", "confidence", "replay"):
        if old.get(key) != new[key]:
            return Check(name, Status.FALSE, f"its {key} does not follow from the audit")
    bound = compare_bound(name, old.get("bound"), new["bound"])
    if bound.status is not Status.CONFIRMED:
        return bound
    if not _witness_fits(old.get("witness"), new["witness"]):
        return Check(name, Status.FALSE, "its witness does not follow from the audit")
    if old.get("finding") != new["finding"]:
        return Check(name, Status.FALSE, "its finding does not follow from the audit")
    return bound


def _witness_fits(old: Any, new: dict[str, Any] | None) -> bool:
    if old is None or new is None:
        return old is new
    same = isinstance(old, dict) and all(old.get(k) == new[k] for k in ("from", "to", "event"))
    if not same:
        return False
    for side in ("from", "to"):
        try:
            stated = old["probabilities"][side]
        except (KeyError, TypeError):
            return False
        check = compare_ends(side, stated, new["probabilities"][side])
        if check.status is Status.FALSE:
            return False
    return True
