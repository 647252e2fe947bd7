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
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

from audit import strict_json
from audit.adapters.matrix import carried_channel
from audit.adapters.synthesizer import program_subject, source_sha256
from audit.certificate import SCHEMA, Certificate, canonical, digest
from audit.claim import Claim
from audit.decimals import Enclosure, Extended
from audit.evidence import Verdict
from audit.run import Effort, certify
from audit.subject import Subject
from proofs import checker
from synthesizers.errors import InputError
from synthesizers.programs import PROGRAMS

CHECKER = Path(checker.__file__)
CHECKER_SECONDS = 600
"""How long the checker may take (a choice of this project)."""

NEAR = Fraction(1, 10**9)
"""How far, relatively, ends computed in doubles may lie apart between machines."""

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

CLAIMED = ("claim", "neighbours", "unit", "verdict")
"""What the independent checker compares a theorem with, where it is given."""


class Status(Enum):
    """What came of re-checking one statement."""

    CONFIRMED = "confirmed"
    FALSE = "false or altered"
    UNCHECKED = "not re-checked"


@dataclass(frozen=True)
class Check:
    """One statement of a certificate, and what came of it."""

    statement: str
    status: Status
    note: str = ""


@dataclass(frozen=True)
class Verification:
    """All checks of one certificate."""

    checks: tuple[Check, ...]

    @property
    def exit_code(self) -> int:
        """1 where something is false or altered, 3 where something was not re-checked, else 0."""
        found = {check.status for check in self.checks}
        if Status.FALSE in found:
            return 1
        return 3 if Status.UNCHECKED in found else 0


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


def verify(document: Mapping[str, Any]) -> Verification:
    """Re-check a certificate's statements by running its audit again.

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
    known = (*KEYS, *OPTIONAL)
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
    subject, obstacle = _subject(document["subject"], claim)
    if subject is None:
        checks += [
            Check(str(part), Status.UNCHECKED, obstacle)
            for part in ("bounds", "evidence", f"verdict {document['verdict']}")
        ]
        return Verification(tuple(checks))
    again = certify(subject, claim, Effort(rows=rows), str(document["reproduce"])).certificate
    return Verification((*checks, *_compare(document, again)))


def _checked_proof(document: Mapping[str, Any]) -> Check:
    """What the independent checker, in a process of its own, says of the proof and the channel."""
    name = "proof and channel, by the independent checker"
    part = dict(document)
    if document["verdict"] != Verdict.PROVED.value:
        # No other verdict follows from a theorem; the audit is run again to find it.
        part = {key: value for key, value in part.items() if key not in CLAIMED}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        path.write_text(canonical(part), encoding="ascii")
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


def _subject(stated: Mapping[str, Any], claim: Claim) -> tuple[Subject | None, str]:
    """The subject built anew, or what stands in the way."""
    kind, name = stated.get("kind"), str(stated.get("name"))
    values = stated.get("parameters", {})
    if not isinstance(values, dict):
        raise InputError("the certificate's parameters are malformed")
    if kind == "channel":
        found = carried_channel(dict(stated), name, claim.neighbours, claim.released)
        return found, "" if found else "the channel is too large to carry, and is not here"
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


def _compare(document: Mapping[str, Any], again: Certificate) -> list[Check]:
    checks: list[Check] = []
    fresh = again.to_json()
    stated = document["evidence"]
    for key, value in again.claim.to_json().items():
        if not _holds(document[key], value):
            checks.append(Check(key, Status.FALSE, "it is not what the audit is about"))
    # A fresh subject says what it is made of; whatever else is stated of it, nobody has looked at.
    if document["subject"] != fresh["subject"]:
        checks.append(Check("subject", Status.FALSE, "it is described otherwise than it was built"))
    if len(stated) != len(fresh["evidence"]):
        checks.append(Check("the list of evidence", Status.FALSE, "findings were added or dropped"))
    for old, new in zip(stated, fresh["evidence"], strict=False):
        checks.append(_compare_evidence(old, new))
    for side, bound in fresh["bounds"].items():
        checks.append(_compare_bound(f"bound: {side}", document["bounds"].get(side), bound))
        if checks[-1].status is not Status.FALSE and not _derived(document, side):
            note = "it is not the bound of the evidence"
            checks[-1] = Check(f"bound: {side}", Status.FALSE, note)
    same = document["verdict"] == fresh["verdict"]
    note = "" if same else f"the evidence entails {fresh['verdict']}"
    checks.append(
        Check(f"verdict {document['verdict']}", Status.CONFIRMED if same else Status.FALSE, note)
    )
    checks += [
        Check(key, Status.FALSE, "it is not the one that the audit finds")
        for key in OPTIONAL
        if document.get(key) != fresh[key]
    ]
    if document["assumptions"] != fresh["assumptions"]:
        checks.append(
            Check("assumptions", Status.FALSE, "they are not those that the verdict rests on")
        )
    return checks


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
    bound = _compare_bound(name, old.get("bound"), new["bound"])
    if bound.status is not Status.CONFIRMED:
        return bound
    if not _witness_fits(old.get("witness"), new["witness"]):
        return Check(name, Status.FALSE, "its witness does not follow from the audit")
    if old.get("finding") != new["finding"]:
        return Check(name, Status.FALSE, "its finding does not follow from the audit")
    return bound


_ORDER = (Status.FALSE, Status.UNCHECKED, Status.CONFIRMED)


def _compare_bound(name: str, old: Any, new: dict[str, Any] | None) -> Check:
    if old == new:
        return Check(name, Status.CONFIRMED, "" if new else "none is stated")
    if not isinstance(old, dict) or new is None:
        return Check(name, Status.FALSE, "a bound was added or dropped")
    measured = [key for key, value in new.items() if isinstance(value, dict)]
    if set(old) != set(new) or any(old[key] != new[key] for key in new if key not in measured):
        return Check(name, Status.FALSE, "what it covers does not follow from the audit")
    checks = [_compare_ends(name, old[key], new[key]) for key in measured]
    return min(checks, key=lambda check: _ORDER.index(check.status))


def _compare_ends(name: str, old: Any, new: dict[str, str]) -> Check:
    """Doubles may differ in their last digits between machines; certified ends still overlap."""
    try:
        stated, found = Enclosure.from_json(old), Enclosure.from_json(new)
        if stated.to_json() != old:
            return Check(name, Status.FALSE, "its numbers are not spelled as they are written")
    except (KeyError, TypeError, ValueError, InputError):
        return Check(name, Status.FALSE, "its numbers are malformed")
    apart = stated.lower > found.upper or stated.upper < found.lower
    near = _near(stated.lower, found.lower) and _near(stated.upper, found.upper)
    if apart or not near or found.lower == found.upper:
        return Check(name, Status.FALSE, f"the audit finds {found}")
    if stated.lower <= found.lower and found.upper <= stated.upper:
        return Check(name, Status.CONFIRMED)
    return Check(name, Status.UNCHECKED, f"narrower than what could be re-checked: {found}")


def _near(stated: Extended, found: Extended) -> bool:
    """Whether two ends are alike but for the rounding of doubles."""
    if isinstance(stated, float) or isinstance(found, float):
        return stated == found
    return abs(stated - found) <= abs(found) * NEAR


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
        check = _compare_ends(side, stated, new["probabilities"][side])
        if check.status is Status.FALSE:
            return False
    return True
