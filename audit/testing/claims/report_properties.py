"""What tests found, as text that outlives their process: properties of reports, certificates."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from audit.report.certificate.document import certificate_text
from audit.report.words import bound_text
from audit.statements.evidence import Side
from audit.testing.claims.checked import Checked


def as_properties(whole: str, found: Iterable[Checked]) -> Iterator[tuple[str, str]]:
    """Names and values for a test's report: a few to be read, and all as JSON under ``whole``."""
    for checked in found:
        data = as_json(checked)
        yield "dp-subject", data["subject"]
        yield "dp-claim", f"{data['claim']}, {data['neighbours']}"
        yield "dp-verdict", data["verdict"]
        for side, text in data["bounds"].items():
            yield f"dp-{side}", text
        if checked.pair is not None:
            yield "dp-pair", json.dumps(data["pair"])
        yield whole, json.dumps(data)


def as_json(checked: Checked) -> dict[str, Any]:
    """What was found, as plain data."""
    certificate = checked.certificate
    bounds = {} if certificate is None else {side: certificate.bound(side) for side in Side}
    pair = checked.pair
    return {
        "subject": checked.name,
        "claim": str(checked.claim.guarantee),
        "neighbours": checked.claim.neighbours.name,
        "verdict": "BROKEN PROTOCOL" if checked.verdict is None else checked.verdict.value,
        "kept": checked.kept,
        "bounds": {side.value: bound_text(b) for side, b in bounds.items() if b is not None},
        "pair": None if pair is None else {"first": pair[0], "second": pair[1]},
        "trouble": checked.trouble,
        "violations": [finding.to_report_json() for finding in checked.violations],
    }


def write_reports(folder: Path, test: str, found: Iterable[Checked]) -> None:
    """Each certificate as JSON and as a page, named for its test and its subject."""
    # Here, not above: every kind of page, and what each needs, comes with it.
    from audit.report.html import render
    from audit.report.page import CertificateSection, Page

    folder.mkdir(parents=True, exist_ok=True)
    for number, checked in enumerate(found):
        certificate = checked.certificate
        if certificate is None:
            continue
        stem = re.sub(r"[^A-Za-z0-9]+", "-", f"{test} {checked.name}").strip("-")[:120]
        path = folder / f"{stem}-{number + 1}"
        path.with_suffix(".json").write_text(certificate_text(certificate), encoding="utf-8")
        title = f"{checked.name}: {checked.claim.guarantee}"
        section = CertificateSection(title, certificate)
        page = Page(f"Privacy certificate of {checked.name}", f"Found by {test}.", (section,))
        path.with_suffix(".html").write_text(render(page), encoding="utf-8")
