from __future__ import annotations

from audit.report.certificate.document import certificate_table
from tests.audit.report import samples


def test_a_certificate_is_a_row_that_says_what_it_states() -> None:
    document = {
        "subject": {"kind": "program", "name": "geometric-sanitizer"},
        "claim": "epsilon=1",
        "neighbours": "replace-one",
        "released": "output",
        "verdict": "EXACT",
    }
    table = certificate_table([("folder/cert.json", document)])
    assert table.header[0] == "certificate" and table.header[-1] == "verdict"
    assert table.rows == (
        ("cert.json", "geometric-sanitizer", "epsilon=1", "replace-one", "output", "EXACT"),
    )
    assert "not re-checked here" in table.note


def test_the_documents_that_we_write_have_the_entries() -> None:
    certificate = next(iter(samples.certificates().values()))
    table = certificate_table([("c.json", certificate.to_json())])
    assert table.rows[0][-1] == certificate.verdict.value
