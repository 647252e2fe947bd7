"""Several certificates in a few words each, for a page on something else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audit.report.page import TableSection


def certificate_table(evidence: Sequence[tuple[str, Mapping[str, Any]]]) -> TableSection:
    """What certificate documents state, one a row; each comes with the path of its file."""
    header = ("certificate", "subject", "claim", "neighbours", "released", "verdict")
    rows = tuple(
        (
            Path(path).name,
            *(
                _stated(document[key])
                for key in ("subject", "claim", "neighbours", "released", "verdict")
            ),
        )
        for path, document in evidence
    )
    note = "As stated, not re-checked here: dp-audit verify re-checks a certificate."
    return TableSection("Privacy, as the certificates state it", header, rows, note)


def _stated(value: object) -> str:
    """One entry of a certificate as text."""
    if isinstance(value, Mapping):
        named = value.get("name", value.get("text"))
        return str(value if named is None else named)
    return str(value)
