"""A ledger beside a certificate: only of a release that the certificate speaks of."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

import dp_audit as dpa
from audit.review.attestations.stated_ledgers import require_ledger
from synthesizers.errors import InputError
from tests.audit.review.attestations.made_attestations import certify


def release(records: int = 2, epsilon: int = 1) -> dict[str, Any]:
    table = pd.DataFrame({"cell": [0] * records})
    made = dpa.release("geometric-sanitizer", table, dpa.Domain.from_cells("2"), epsilon=epsilon)
    return dict(made.to_json()["ledger"])


CERTIFICATE = certify().certificate


def test_that_of_the_certified_release_is_taken() -> None:
    require_ledger(release(), "ledger.json", CERTIFICATE)


@pytest.mark.parametrize(
    ("ledger", "says"),
    [
        (release(epsilon=2), "its program, or a parameter of it, is another"),
        (release(records=3), "it has another number of rows"),
        ({**release(), "records": 3}, "the release's table is not one of them"),
        ({**release(), "neighbours": "add-remove"}, "its neighbours or its unit are others"),
        ({**release(), "unit": "person", "max_records": 2}, "its neighbours or its unit"),
        ({**release(), "domain": dpa.Domain.from_cells("3").to_json()}, "other attributes"),
        ({**release(), "program": {"name": "geometric-sanitizer"}}, "its program"),
        ({**release(), "schema": "x"}, "is no ledger of dp-audit release"),
        ({**release(), "events": [3]}, "is no ledger of dp-audit release"),
        ({"schema": "dp-audit/ledger/1"}, "is no ledger of dp-audit release"),
    ],
)
def test_any_other_is_refused(ledger: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        require_ledger(deepcopy(ledger), "ledger.json", CERTIFICATE)


def test_the_code_of_a_program_that_is_not_ours_is_compared() -> None:
    module = {"kind": "module", "name": "a:b", "parameters": {}, "sources_sha256": "1"}
    made = {**release(), "program": module}
    ours = CERTIFICATE.subject
    same = replace(CERTIFICATE, subject={**ours, **module})
    other = replace(CERTIFICATE, subject={**ours, **module, "sources_sha256": "2"})
    require_ledger(made, "ledger.json", same)
    with pytest.raises(InputError, match="its program"):
        require_ledger(made, "ledger.json", other)
