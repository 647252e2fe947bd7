"""`verify`: a certificate re-checked. It loads what its checks need, and not what makes others."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.parallel import local
from audit.statements import strict_json
from audit.subjects.working_folder import work_in
from audit.verify import read_certificate
from audit.verify import verify as checked
from dp_audit.arguments import process_count
from dp_audit.results import CertificateResult, VerificationResult


def verify(
    certificate: str | Path | Mapping[str, Any] | CertificateResult,
    *,
    subject: str | None = None,
    folder: str | Path | None = None,
    python: str | Path | None = None,
    jobs: int | None = None,
) -> VerificationResult:
    """Re-check every number of a certificate without trusting whoever wrote it.

    >>> import dp_audit as dpa
    >>> result = dpa.certify(
    ...     "subsample",
    ...     "epsilon=1, delta=1/2",
    ...     neighbours="replace-one",
    ...     cells=2,
    ...     records=2,
    ...     parameters={"fraction": 0.5},
    ... )
    >>> dpa.verify(result).confirmed
    True

    certificate
        The path of its file (``-``: standard input), its JSON, or what `certify` returned.
    subject
        The certificate's, if it can only be run and lies outside its folder.
    folder
        Where it lies (the current folder); the process works there while it is run.
    python
        The Python of the subject's environment, if it was run by another than dp-audit's.
    jobs
        Processes (all cores).

    Raises ``ValueError`` for what is no certificate.
    """
    share = local(process_count(jobs))
    if isinstance(certificate, str | Path):
        path = str(certificate)
        spoken = "standard input" if path == "-" else path
        written = strict_json.read_input() if path == "-" else strict_json.read_text(path)
    else:
        spoken = "the certificate"
        written = (
            certificate.json_text()
            if isinstance(certificate, CertificateResult)
            else json.dumps(dict(certificate))
        )
    document = read_certificate(written, spoken)
    other = None if python is None else os.path.abspath(python)
    with work_in(folder):
        return VerificationResult(checked(document, subject, share, other))
