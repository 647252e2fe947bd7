"""A submission as the text of a complete ``submission.toml``: what it inherited is written out."""

from __future__ import annotations

import shlex

from audit.review.submissions.submission import StatedQuery, Submission
from synthesizers.domain_toml import quote


def to_toml(submission: Submission, domain: str) -> str:
    """The text; ``domain``: the name of its domain file in the folder.

    Guarantee
    ---------
    What is read of it is the submission again, but for its folder, its domain's path, what differs
    from its challenge, and the files that lie beside it. Backed by
    ``tests/audit/review/submissions/test_writing.py``.
    """
    launch, claim, write_up = submission.launch, submission.claim, submission.write_up
    run = {
        **_how(submission),
        "form": launch.form,
        "python": launch.python,
        "rows": launch.rows,
        "seconds": launch.seconds,
        "megabytes": launch.megabytes,
    }
    stated = {
        "guarantee": claim.guarantee,
        "epsilons": list(claim.epsilons),
        "neighbours": claim.neighbours,
        "unit": claim.unit,
        "max_records": claim.max_records,
    }
    lines = [f"name = {quote(submission.name)}"]
    lines += _table("[run]", run)
    lines += _table("[claim]", stated)
    lines += _table("[domain]", {"file": domain})
    if submission.parameters:
        lines += _table("[parameters]", dict(submission.parameters))
    if write_up.file is not None:
        lines += _table("[write-up]", {"file": write_up.file})
    for query in write_up.queries:
        lines += _table("[[write-up.query]]", _query(query))
    return "\n".join(lines) + "\n"


def _how(submission: Submission) -> dict[str, object]:
    launch = submission.launch
    match launch.way:
        case "template":
            return {"command": shlex.join(launch.words)}
        case "module":
            return {"module": launch.words[0]}
        case "deid2":
            return {"deid2": True}
        case protocol:
            return {"program": launch.words[0], "protocol": protocol}


def _query(query: StatedQuery) -> dict[str, object]:
    return {
        "name": query.name,
        "question": query.question,
        "sensitivity": query.sensitivity,
        "share": query.share,
        "noise": query.noise,
        "file": query.file,
        "line": query.line,
    }


def _table(head: str, fields: dict[str, object]) -> list[str]:
    stated = [f"{key} = {_value(value)}" for key, value in fields.items() if value is not None]
    return ["", head, *stated]


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return quote(str(value)) if isinstance(value, str) else str(value)
