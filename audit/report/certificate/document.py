"""Certificates as JSON text, and what such documents state in a few words each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audit.report.page import TableSection
from audit.statements.certificate import Certificate


def certificate_text(certificate: Certificate) -> str:
    """The certificate as indented JSON with its digest; ends with a newline.

    Anything but ASCII is escaped, so that the text survives every encoding.
    """
    return json.dumps(certificate.to_json(), indent=2, ensure_ascii=True) + "\n"


def certificate_table(evidence: Sequence[tuple[str, Mapping[str, Any]]]) -> TableSection:
    """What certificate documents state, one a row; each comes with the path of its file."""
    header = ("certificate", "subject", "claim", "neighbours", "released", "verdict")
    rows = tuple(
        (
            Path(path).name,
            *(
                _entry_text(document[key])
                for key in ("subject", "claim", "neighbours", "released", "verdict")
            ),
        )
        for path, document in evidence
    )
    note = "As stated, not re-checked here: dp-audit verify re-checks a certificate."
    return TableSection("Privacy, as the certificates state it", header, rows, note)


def _entry_text(value: object) -> str:
    """One entry of a certificate as text."""
    if isinstance(value, Mapping):
        named = value.get("name", value.get("text"))
        return str(value if named is None else named)
    return str(value)
