"""A trial of a submission, in words and as plain data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import pandas as pd

from audit.report.words import clean, short
from audit.review.submissions.exactness import Exactness
from audit.review.submissions.trying import Trial

FIRST = 5
"""Rows of an output that are shown."""

_LONGEST = 90
"""Characters of a row that is shown."""


def trial_lines(trial: Trial) -> list[str]:
    """What was run, how it ended, what it wrote, and the end of its log."""
    return list(_lines(trial))


def _lines(trial: Trial) -> Iterator[str]:
    submission, run = trial.prepared.submission, trial.run
    stated = submission.claim
    unit = "" if stated.unit == "record" else f", a person of at most {stated.max_records} records"
    yield f"{submission.name}: {trial.claim}, {stated.neighbours}{unit}"
    yield f"data: {_describe_data(trial)}"
    yield f"command: {run.command}"
    if submission.launch.way in ("template", "deid2"):
        yield f"which starts: {' '.join(submission.launch.words)}"
    yield f"ended: {_describe_ending(trial)}"
    yield f"took: {run.seconds:.2f} seconds{_describe_memory(trial)}"
    if run.failure is None:
        yield f"output: {_describe_output(trial)}"
    if run.output is not None:
        yield "the first rows:"
        yield from (f"  {short(clean(line), _LONGEST)}" for line in _first_rows(run.output))
    if trial.exactness is not None:
        yield f"exactness: {_describe_exactness(trial.exactness)}"
    if run.log:
        yield "the end of its log:"
        yield from (f"  | {line}" for line in run.log.splitlines())


def trial_json(trial: Trial) -> dict[str, Any]:
    """The same as plain data."""
    submission, run = trial.prepared.submission, trial.run
    failure, table = run.failure, run.output
    return {
        "submission": submission.name,
        "way": submission.launch.way,
        "claim": trial.claim,
        "epsilon": trial.epsilon,
        "neighbours": submission.claim.neighbours,
        "unit": submission.claim.unit,
        "max_records": submission.claim.max_records,
        "data": {
            "made_up": not trial.data.name,
            "file": trial.data.name or None,
            "records": len(trial.data.records),
        },
        "seed": trial.seed,
        "command": run.command,
        "failure": None
        if failure is None
        else {
            "phase": failure.phase,
            "ending": failure.ending,
            "place": failure.place,
            "message": failure.message,
        },
        "seconds": round(run.seconds, 3),
        "megabytes": None if trial.megabytes is None else round(trial.megabytes, 1),
        "log": run.log,
        "output": None
        if failure is not None
        else {
            "words": run.words,
            "rows": None if table is None else len(table),
            "columns": None if table is None else list(map(str, table.columns)),
            "of_the_domain": table is not None and trial.problem is None,
            "problem": trial.problem,
            "first_rows": None if table is None else _first_rows(table)[1:],
        },
        "exactness": None
        if trial.exactness is None
        else {**asdict(trial.exactness), "wrong": trial.exactness.wrong},
    }


def _describe_data(trial: Trial) -> str:
    count = len(trial.data.records)
    if trial.data.name:
        return f"{trial.data.name}, public, {count} records; seed {trial.seed}"
    return f"{count} records, made up over its domain; seed {trial.seed}"


def _describe_ending(trial: Trial) -> str:
    failure = trial.run.failure
    if failure is None:
        return "with an output"
    message = f": {failure.message}" if failure.message else ""
    place = f" at {failure.place}" if failure.place else ""
    return f"without an output, in phase {failure.phase}: {failure.ending}{place}{message}"


def _describe_memory(trial: Trial) -> str:
    return "" if trial.megabytes is None else f", and at most {trial.megabytes:.0f} megabytes"


def _describe_exactness(found: Exactness) -> str:
    least = "" if found.least is None else f"; no program of this claim is below {found.least:.3g}"
    return (
        f"{found.wrong:.3g} of {found.coins} counts of no or one record are wrong in {found.runs} "
        f"runs{least} on average (p-value of the claim: {found.p_value:.2g})"
    )


def _describe_output(trial: Trial) -> str:
    if trial.run.output is None:
        return f"no table, but {trial.run.words}"
    if trial.problem is None:
        return f"{trial.run.words}, all of the domain"
    return f"{trial.run.words}, which is no table of the domain: {trial.problem}"


def _first_rows(table: pd.DataFrame) -> list[str]:
    """The names and the first rows, as lines of CSV."""
    return spell_whole(table.head(FIRST)).to_csv(index=False, lineterminator="\n").splitlines()


def spell_whole(table: pd.DataFrame) -> pd.DataFrame:
    """The table with whole numbers spelt as such: 34 where doubles hold 34.0."""
    return pd.DataFrame({name: _spell_column(table[name]) for name in table.columns})


def _spell_column(column: pd.Series) -> pd.Series:
    whole = column.dtype.kind == "f" and (column.isna() | (column % 1 == 0)).all()
    return column.astype("Int64") if whole and (column.abs().max() < 2**53) else column
