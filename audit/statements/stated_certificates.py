"""Certificates as they are stated, as values: what their own evidence entails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from audit.statements.certificate import Certificate
from audit.statements.claim import Claim
from audit.statements.decimals import Enclosure, extended
from audit.statements.evidence import Bound, Decision, Evidence, Resolution, Side
from audit.statements.isolation import Isolation


def stated_certificate(document: Mapping[str, Any], claim: Claim) -> Certificate:
    """The certificate of a document whose fields are known; without its witnesses.

    Raises InputError for ends that enclose nothing.
    """
    isolation = document.get("isolation")
    proof = document.get("proof")
    return Certificate(
        document["subject"],
        claim,
        tuple(stated_evidence(entry, proof) for entry in document["evidence"]),
        tuple(document["assumptions"]),
        document["reproduce"],
        isolation=None
        if isolation is None
        else Isolation(isolation["process"], isolation["filesystem"], isolation["network"]),
        trusted=isolation is not None and isolation["trusted"],
    )


def stated_evidence(data: Mapping[str, Any], proof: Mapping[str, Any] | None = None) -> Evidence:
    """One finding of its plain data, without its witness. ``proof``: the certificate's."""
    resolution = data.get("resolution")
    return Evidence(
        data["auditor"],
        data["finding"],
        Decision(data["decision"]),
        data["covers"],
        data["whole"],
        stated_bound(data["bound"]),
        data["confidence"],
        None,
        data["replay"],
        proof=proof if data["auditor"] == "proof" else None,
        strict=stated_bound(data.get("strict")),
        resolution=None
        if resolution is None
        else Resolution(
            float(resolution["detectable"]), float(resolution["delta"]), resolution["runs"]
        ),
    )


def stated_bound(data: Mapping[str, Any] | None) -> Bound | None:
    """A bound of its plain data."""
    if data is None:
        return None
    own = [(name, stated_ends(data[name])) for name in ("rho", "mu", "rdp") if name in data]
    return Bound(
        Side(data["side"]),
        stated_ends(data["epsilon"]),
        data["covers"],
        data["rigour"],
        own[0] if own else None,
    )


def stated_ends(data: Mapping[str, str]) -> Enclosure:
    """An enclosure of its plain data."""
    return Enclosure(extended(data["lower"]), extended(data["upper"]))
