"""`review`: a submission, or a folder of them, from its files to verdicts and questions."""

from __future__ import annotations

import functools
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from audit.parallel import cluster as of_cluster
from audit.report.review.files import write_pages
from audit.review.conclusions.review import conclude
from audit.review.folders import ReviewFolder
from audit.review.orders import STAGES, Order, make_seed, read_order, write_order
from audit.review.pieces.attacks import LEAST_RUNS
from audit.review.pieces.boxes import keeps_apart
from audit.review.pieces.estimate import ReviewPlan, fit, make_plan
from audit.review.pieces.piece import DATA
from audit.review.pieces.planning import Read
from audit.review.pieces.working import (
    do_pieces,
    in_threads,
    in_waves,
    of_shard,
    of_stage,
    trials_alone,
)
from audit.review.scratch import make_scratch
from audit.review.submissions.opening import open_path
from audit.review.submissions.preparing import digest_of
from audit.subjects.digests import file_sha256
from dp_audit.arguments import Number, exact, optional_number, process_count, text, whole_number
from dp_audit.progress import Progress, nobody
from dp_audit.results.reviews import ReviewResult
from dp_audit.review_terms import read_budget, read_shard
from synthesizers.errors import InputError


def review(
    path: str | Path,
    *,
    stage: str = "prescreen",
    out: str | Path | None = None,
    budget: str | None = None,
    detect: Number = 2,
    records: int = 10,
    releases: int = 3,
    runs: int = 20_000,
    seed: int | None = None,
    shard: str | None = None,
    plan: bool = False,
    jobs: int | None = None,
    cluster: str | None = None,
    progress: Progress = nobody,
) -> ReviewResult:
    """Review a submission, or each one in a folder.

    >>> import dp_audit as dpa
    >>> from audit.review.starter import write_starter
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = write_starter(f"{place}/team-7")
    ...     result = dpa.review(folder, out=f"{place}/review", plan=True)
    >>> result.summary()
    '1 submission, prescreen stage: 1 PENDING; partial: 2 pieces are missing'

    path
        A submission (a folder with ``submission.toml``, a zip of one, or a DeID2 submission), or a
        folder of submissions, with a ``challenge.toml`` of what they share.
    stage
        ``"prescreen"``: does it run, does it read its input, a short attack or a proof, utility at
        one ε. ``"final"``: attacks that see the leak asked for besides, every ε, several releases.
    out
        The folder of the review; that of an earlier one goes on from what is finished there.
    budget
        How long it may take, ``"2h"`` or ``"30m"``: the runs of attacks are fitted to it.
    detect
        The leak that a final attack must be able to see, as a multiple of the claimed value.
    records, releases
        Records of the small databases that are made up; releases at each ε of the final stage.
    runs
        The most runs that attack one claim in the final stage, on each of two databases.
    seed
        From which all random numbers follow (fresh ones). Those who wrote the submissions must not
        know it.
    shard
        ``"i/n"``: do the i-th of n shards; `merge` joins their folders.
    plan
        Stop once the plan is made.
    jobs, cluster
        Processes (all cores), or the address of a Dask cluster whose workers see the same folder.
    progress
        Told of the work as it goes on.

    Raises ``ValueError`` for what makes no sense. Interrupted, it returns what is finished.

    """
    if stage not in STAGES:
        raise InputError(f"--stage is {' or '.join(STAGES)}, found {stage!r}")
    seconds = None if budget is None else read_budget(budget)
    part = (1, 1) if shard is None else read_shard(shard)
    workers = process_count(jobs)
    folder = ReviewFolder(Path(out) if out is not None else _name_folder(path))
    _require_apart(Path(path), folder.path)
    earlier = read_order(folder.path)
    if shard is not None and seed is None and earlier is None:
        raise InputError("--shard needs --seed S, the same for all, so that all plan the same")
    if shard is not None and seconds is not None:
        raise InputError(
            "--budget is fitted to what this machine measures: make the plan without --shard first "
            "(--plan), and give every shard a copy of its folder"
        )
    # A command line has it as text.
    chosen = optional_number(seed, "--seed")
    if earlier is not None and chosen not in (None, earlier.seed):
        raise InputError(f"{folder.path} holds a review with another seed; give --out a new folder")
    multiple = text(detect, "--detect")
    if exact(detect, "--detect") <= 1:
        raise InputError(f"--detect is a multiple of the claim, more than 1; found {multiple}")
    numbers = (
        whole_number(records, "--records", 1),
        whole_number(releases, "--releases", 1),
        whole_number(runs, "--runs", LEAST_RUNS),
    )
    if not Path(path).exists():
        raise InputError(f"{path} is not there; expected a submission, or a folder of submissions")
    share_out = None if cluster is None else of_cluster(cluster)
    folder.begin()
    if chosen is None:
        chosen = make_seed() if earlier is None else earlier.seed
    order = _order(path, folder, stage, chosen, multiple, *numbers)
    if shard is not None and earlier is not None and _is_same(earlier, order):
        # The plan that all shards were given.
        order = earlier.at(stage)
    read, ahead = folder.reader(), None
    told = functools.partial(progress, "reviewing")
    try:
        with in_threads(workers, folder) as here:
            worker = here if share_out is None else in_waves(share_out, folder)
            work = functools.partial(do_pieces, read, worker, told)
            # Every shard measures a run of each submission, so that all plan the same.
            work(order, trials_alone)
            if budget is not None and seconds is not None:
                if not plan:
                    # What both stages need measures better what the runs of the final one take.
                    work(order, of_stage("prescreen", of_shard(*part)))
                order = _fit(order, earlier, read, budget, seconds, workers)
                write_order(order, folder.path)
            ahead = make_plan(order, read)
            progress("planning", 0, 0, ahead.words(workers))
            if not plan:
                work(order, of_shard(*part))
    except KeyboardInterrupt:
        with _interrupts_ignored():
            return finish(order, folder, ahead, interrupted=True)
    return finish(order, folder, ahead, planned=plan)


def _order(
    path: str | Path,
    folder: ReviewFolder,
    stage: str,
    seed: int,
    detect: str,
    records: int,
    releases: int,
    runs: int,
) -> Order:
    """Read and unpack what was handed in, make it ready, and write down what is to be done."""
    with make_scratch(folder.path) as unpacked:
        intake = open_path(path, unpacked)
        prepared, unread = folder.make_ready(intake)
    digests = {one.submission.name: digest_of(one) for one in prepared}
    challenge = intake.challenge
    if challenge.data is not None:
        kept = folder.keep_data(challenge.data)
        challenge, digests[DATA] = replace(challenge, data=kept), file_sha256(kept)
    order = Order(
        stage=stage,
        seed=seed,
        detect=detect,
        records=records,
        releases=releases,
        runs=runs,
        scale=1.0,
        challenge=challenge,
        prepared=prepared,
        digests=digests,
        unread=unread,
    )
    write_order(order, folder.path)
    return order


def _fit(
    order: Order, earlier: Order | None, read: Read, budget: str, seconds: float, jobs: int
) -> Order:
    """The order within a budget; one that was fitted before goes on as it was."""
    if earlier is not None and _is_same(earlier, order) and earlier.budget == budget:
        return earlier.at(order.stage)
    return replace(fit(order, read, seconds, jobs), budget=budget)


def _is_same(earlier: Order, order: Order) -> bool:
    """Whether two orders ask the same of the same submissions, whatever the stage and budget."""
    first, second = (
        (one.seed, one.detect, one.records, one.releases, one.runs, one.digests)
        for one in (earlier, order)
    )
    return first == second and earlier.challenge.metrics == order.challenge.metrics


def finish(
    order: Order,
    folder: ReviewFolder,
    plan: ReviewPlan | None,
    *,
    interrupted: bool = False,
    planned: bool = False,
    here: bool = True,
) -> ReviewResult:
    """Conclude from what is finished, and write the pages."""
    found = replace(conclude(order, folder.reader()), plan=plan)
    if here:
        # Beside what results say: whatever was not kept apart could have written those, too.
        apart = all(keeps_apart(one.folder) for one in order.prepared)
        found = replace(found, apart=found.apart and apart)
    write_pages(found, folder)
    return ReviewResult(found, folder.path, interrupted, planned)


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ignore Ctrl-C and SIGTERM: `timeout` and the impatient send more than one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kept = {one: signal.signal(one, signal.SIG_IGN) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, handler in kept.items():
            signal.signal(one, handler)


def _name_folder(path: str | Path) -> Path:
    return Path(f"{Path(path).resolve().stem}-review")


def _require_apart(path: Path, folder: Path) -> None:
    """InputError where one lies within the other: a review would then read its own files."""
    one, other = path.resolve(), folder.resolve()
    if one.is_relative_to(other) or other.is_relative_to(one):
        raise InputError(
            f"the folder of the review, {folder}, and what is reviewed lie one in the other; give "
            "--out a folder elsewhere"
        )
