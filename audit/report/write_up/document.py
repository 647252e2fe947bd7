"""A write-up as JSON, in a published form."""

from __future__ import annotations

from typing import Any

from audit.report.accounting import relation_json
from audit.report.write_up.markdown import markdown
from audit.report.write_up.sections import write_up_page
from audit.report.write_up.toml import query_fields
from audit.review.write_ups.asked import AskedQuery
from audit.review.write_ups.comparing import Comparison, Difference
from audit.review.write_ups.write_up import WriteUp
from audit.statements.evidence import Bound


def write_up_json(found: WriteUp, file: str, compared: Comparison | None) -> dict[str, Any]:
    """What was written, and where ``file`` states otherwise, if it was compared."""
    proved = found.composition
    return {
        "program": found.program,
        "parameters": dict(found.parameters),
        "claim": str(found.claim.guarantee),
        **relation_json(found.setting.neighbours),
        "records": found.setting.records,
        "rows": found.setting.rows,
        "questions": found.course,
        "runs": list(found.tables),
        "shares_of": found.shares_of,
        "queries": [_query(one) for one in found.asked],
        "elsewhere": [_query(one) for one in found.elsewhere],
        "draws": list(found.draws),
        "composition": {
            "holds": proved.holds,
            "bound": None if proved.bound is None else _bound(proved.bound),
            "refusal": proved.refusal,
            "derivation": proved.derivation,
        },
        "markdown": markdown(write_up_page(found)),
        "check": None if compared is None else _check(file, compared),
        "differences": None if compared is None else list(map(_difference, compared.differences)),
        "not_stated": None if compared is None else [one.words for one in compared.silences],
    }


def _bound(bound: Bound) -> dict[str, str]:
    name, ends = bound.parameter or ("epsilon", bound.epsilon)
    return {"parameter": name, **ends.to_json(), "covers": bound.covers}


def _query(one: AskedQuery) -> dict[str, Any]:
    fields = dict.fromkeys(("sensitivity", "share", "file", "line")) | query_fields(one)
    return {
        **fields,
        "norm": one.norm,
        "law": one.law,
        "times": one.times,
        "runs": one.runs,
        "definition": one.definition,
        "reason": one.reason,
    }


def _check(file: str, compared: Comparison) -> dict[str, Any]:
    return {"file": file, "stated": compared.stated, "asked": compared.asked}


def _difference(one: Difference) -> dict[str, str]:
    return {"kind": one.kind, "name": one.name, "words": one.sentence, "question": one.question}
