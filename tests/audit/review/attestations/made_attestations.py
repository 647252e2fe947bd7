"""Attestations of certificates that the tests of reports share, and what a user states of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import dp_audit as dpa
from audit.review.attestations.about import About, parse_about
from audit.review.attestations.attestation import Attestation, NamedFile
from audit.review.rereading import Reread
from audit.statements.certificate import Certificate
from audit.statements.checks import Check, Status

ABOUT = """
url_slug = "clinic"
[basic]
name = "Clinic visits"
data_curators = ["A clinic", "Another"]
description = "Counts of visits.\\n\\n\\u202eBy month."
intended_use = "Teaching"
data_product_type = "Synthetic data"
data_product_region = "Nowhere"
publication_date = 2026-01-31
[implementation]
mechanisms = "Records lie in a vault."
[administrative]
notes = "An example."
registry_authors = ["A. Nonymous"]
"""

CONFIRMED = Check("proof and channel, by the independent checker", Status.CONFIRMED)
UNCHECKED = Check("proof and channel, by the independent checker", Status.UNCHECKED)
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def attest(
    certificate: Certificate, proof: Check | None = None, about: About | None = None
) -> Attestation:
    """An attestation as if the certificate had been read again, with what came of its proof."""
    made = Reread("cert.json", certificate.document(), certificate, proof, None)
    file = NamedFile("cert.json", "0" * 64)
    return Attestation(made, file, None, about, None, NOON, "0.1.0")


def state_all() -> About:
    """What a user states."""
    return parse_about(ABOUT, "about.toml")


def certify(claim: str = "epsilon=1", **more: Any) -> dpa.results.CertificateResult:
    """A certificate of a program that spends epsilon = 1."""
    asked: dict[str, Any] = {"neighbours": "replace-one", "cells": 2, "records": 2, **more}
    return dpa.certify("geometric-sanitizer", claim, parameters={"epsilon": 1}, **asked)
