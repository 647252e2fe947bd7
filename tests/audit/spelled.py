"""The command that makes a certificate of a built-in program on a small domain, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from audit.statements.claim import Claim
from audit.statements.reproduce import Command


def command_of(
    name: str,
    values: Mapping[str, str],
    claim: Claim,
    rows: int | None = None,
    auditors: Sequence[str] | None = None,
) -> str:
    """As ``dp-audit certify`` would spell it; of a channel, without the domain."""
    flags = {
        "claim": [str(claim.guarantee)],
        "neighbours": [claim.neighbours.name],
        "unit": [claim.neighbours.unit.name],
        "released": [claim.released],
    }
    if not claim.neighbours.unit.is_record:
        flags["max-records"] = [str(claim.neighbours.unit.max_records)]
    if claim.domain is not None and not name.endswith(".csv"):
        flags["cells"] = [claim.domain.name]
    if claim.records is not None:
        flags["records"] = [str(claim.records)]
    if rows is not None:
        flags["rows"] = [str(rows)]
    if auditors is not None:
        flags["auditors"] = [",".join(auditor.replace(" ", "-") for auditor in auditors)]
    return str(Command(name, flags, tuple(f"{key}={value}" for key, value in values.items())))
