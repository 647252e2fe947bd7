"""One run of a submission, in its box, to see whether it works: nothing of it is a finding.

It is run on records that are made up, or on a table that is public: what it says may be shown.
"""

from __future__ import annotations

import os
import re
import resource
import sys
import time
from contextlib import chdir
from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd

from audit.release import Wanted as WantedRelease
from audit.release import release
from audit.review.submissions.exactness import Exactness, measure_exactness
from audit.review.submissions.listed_records import as_table
from audit.review.submissions.preparing import values_at
from audit.review.submissions.submission import Prepared
from audit.review.submissions.trial_data import TrialData
from audit.statements.claim import Claim
from audit.statements.limits import Limits
from audit.subjects.black_boxes import Wanted, black_box
from audit.subjects.command import OUTSIDE, CommandBox, phase_of
from audit.subjects.explaining import Failure
from audit.subjects.failures import FAILED
from audit.subjects.isolated import IsolatedBox
from audit.subjects.outcomes import Ended, Outcomes
from audit.subjects.pair import Pair
from audit.subjects.server import Serving
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.errors import DPAuditError, InputError, ProtocolError
from synthesizers.neighbours import neighbours_from
from synthesizers.schemas import load_domain
from synthesizers.tables import from_frame


@dataclass(frozen=True, eq=False)
class Run:
    """How a run went.

    ``command``: the line that started it. ``failure``: None where it gave an output. ``log``: the
    end of its standard error, where it is heard. ``seconds``: on the clock, from its box to its
    output. ``output``: None for one that is no table; ``words``: what it is.
    """

    command: str
    seconds: float
    failure: Failure | None = None
    log: str = ""
    output: pd.DataFrame | None = None
    words: str = ""


@dataclass(frozen=True, eq=False)
class Trial:
    """A run, and what it was asked for.

    ``megabytes``: no process of it took more memory; None where it can't be had. ``problem``: why
    its output is no table of the domain, None for one that is. ``exactness``: of further runs, None
    where none were asked for.
    """

    prepared: Prepared
    epsilon: str
    data: TrialData
    seed: int
    run: Run
    megabytes: float | None
    problem: str | None
    exactness: Exactness | None = None

    @property
    def claim(self) -> str:
        """What it claims at this ε."""
        return self.prepared.submission.claim.at(self.epsilon)


def run_once(
    prepared: Prepared, epsilon: str, data: TrialData, seed: int, exactness: int = 0
) -> Trial:
    """Run a submission once on a database that may be shown to everybody.

    ``exactness``: how often it is run besides, where it gave a table, to see how exact it is. This
    process works in the prepared folder meanwhile, as the commands of an audit do. Raises
    InputError for what can't be run at all.
    """
    domain = load_domain(prepared.submission.domain)
    claim = _claim(prepared, epsilon, domain)
    with chdir(prepared.folder):
        run = _ask if prepared.asks else _draw
        found = run(prepared, epsilon, claim, data, seed)
        exact = None
        if exactness and found.output is not None:
            exact = measure_exactness(
                lambda made, handed: run(prepared, epsilon, claim, made, handed).output,
                claim.guarantee,
                domain,
                claim.neighbours.unit,
                claim.neighbours.records_public,
                exactness,
                seed,
            )
    problem = None if found.output is None else _problem(found.output, domain)
    return Trial(prepared, epsilon, data, seed, found, _peak(), problem, exact)


def _claim(prepared: Prepared, epsilon: str, domain: Domain) -> Claim:
    stated = prepared.submission.claim
    most = None if stated.unit == "record" else stated.max_records
    relation = neighbours_from(stated.neighbours, stated.unit, most)
    return Claim(parse_guarantee(stated.at(epsilon)), relation, "output", domain, None)


def _ask(prepared: Prepared, epsilon: str, claim: Claim, data: TrialData, seed: int) -> Run:
    """A run of a program of the curator."""
    launch = prepared.submission.launch
    wanted = WantedRelease(
        prepared.subject,
        data.dataset,
        claim.require_domain(),
        claim.neighbours,
        values_at(prepared.submission, epsilon),
        launch.rows,
        # What it could see is public.
        trusted=True,
    )
    begun = time.monotonic()
    try:
        made = release(wanted)
    except DPAuditError as error:
        failure = Failure("run", type(error).__name__, message=str(error))
        return Run(prepared.subject, time.monotonic() - begun, failure)
    table = made.frame()
    return Run(prepared.subject, time.monotonic() - begun, output=table, words=_words(table))


def _draw(prepared: Prepared, epsilon: str, claim: Claim, data: TrialData, seed: int) -> Run:
    """A run of a black box."""
    launch = prepared.submission.launch
    rows = launch.rows
    if rows is None and claim.neighbours.records_public:
        rows = len(data.records)
    wanted = Wanted(
        prepared.subject,
        launch.form,
        values_at(prepared.submission, epsilon),
        Limits(launch.seconds, launch.megabytes),
        rows,
        # A run of its own shows most: its log, and its time with its start.
        serving=Serving.NOT if prepared.subject.startswith("command:") else None,
        python=launch.python if launch.way == "module" else None,
    )
    box = black_box(wanted, claim).box
    if isinstance(box, CommandBox):
        return _watch(box, data, seed)
    assert isinstance(box, IsolatedBox)
    return _call(box, data, seed)


def _watch(box: CommandBox, data: TrialData, seed: int) -> Run:
    try:
        seen = box.watch(data.records, seed)
    except OSError as error:
        reason = f"it cannot be started: {error.strerror or 'an error'}. In its box {OUTSIDE}"
        return Run(os.path.relpath(box.path), 0.0, Failure("start", reason))
    command, log = (_shorten(text) for text in (seen.command, seen.log))
    if isinstance(seen.output, Ended):
        failure = Failure(phase_of(seen.output), seen.output.reason)
        return Run(command, seen.seconds, failure, log)
    table = cast(pd.DataFrame, seen.output)
    return Run(command, seen.seconds, None, log, table, _words(table))


def _shorten(text: str) -> str:
    """A text without the folders of the submission and of its run: nobody's business."""
    own = text.replace(f"{os.getcwd()}/", "./")
    return re.sub(r"/[^\s'\"]*/dp-audit-\w+/[\w-]+/(work/)?", "", own)


def _call(box: IsolatedBox, data: TrialData, seed: int) -> Run:
    once = np.zeros(1, np.bool_)
    begun = time.monotonic()
    command = f"{box.subject} ({box.form})"
    try:
        outcomes = box.draw_afresh(Pair(data.records, data.records), once, seed)
    except ProtocolError as error:
        return Run(command, time.monotonic() - begun, Failure("run", str(error)))
    seconds = time.monotonic() - begun
    if outcomes.shapes[0].kind in FAILED:
        failure = box.explain(data.records, seed) or Failure("run", outcomes.text(0))
        return Run(command, seconds, failure, failure.log)
    table = _table(outcomes)
    words = outcomes.text(0) if table is None else _words(table)
    return Run(command, seconds, None, "", table, words)


def _table(outcomes: Outcomes) -> pd.DataFrame | None:
    """The output of a function as a table: a data frame, or a list of records."""
    shape, block = outcomes.shapes[0], outcomes.blocks[0]
    if shape.kind == "table":
        return cast(pd.DataFrame, block[0])
    return as_table(block[0]) if shape.kind == "data" else None


def _words(table: pd.DataFrame) -> str:
    return f"a table of {len(table)} rows and {len(table.columns)} columns"


def _problem(table: pd.DataFrame, domain: Domain) -> str | None:
    try:
        from_frame(table, domain)
    except InputError as error:
        return str(error)
    return None


def _peak() -> float | None:
    """The most megabytes that a process which this one started, and which has ended, ever had."""
    if sys.platform == "win32":
        return None
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return most / (2**20 if sys.platform == "darwin" else 2**10)
