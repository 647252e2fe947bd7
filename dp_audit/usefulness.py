"""`utility`: how useful synthetic tables are, beside the real one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.parallel import Map, here
from audit.parallel import cluster as of_cluster
from audit.report.utility.words import cost_text
from audit.utility.catalogue import METRICS, metric_named
from audit.utility.counts import Counted
from audit.utility.draws import read_draws
from audit.utility.metric import FIXED, Metric
from audit.utility.parameters import MOST_REPEATS, plan_metric, read_plan
from audit.utility.parts import CHUNK, Parts
from audit.utility.records import Outside, of_dataset, of_frame, read_records
from audit.utility.results import Promise
from audit.utility.subgroups.findings import LEAST_SUBSETS
from audit.utility.subgroups.measure import SUBSETS
from audit.utility.suite import affordable, applicable, measure_utility
from dp_audit.arguments import DomainLike, process_count, required_domain, whole_number
from dp_audit.axes import PUBLIC, check_axes_from, project
from dp_audit.progress import Progress, nobody
from dp_audit.promises import read_promise
from dp_audit.results import ReleaseResult, UtilityResult
from dp_audit.subgroups import check_by, measure_by
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.schemas import load_domain_file
from synthesizers.tables import column_names, table_frames, undeclared

if TYPE_CHECKING:
    import pandas as pd

    Table = str | Path | pd.DataFrame | Dataset | ReleaseResult


def utility(
    real: Table,
    synthetic: Table | Sequence[str | Path] | Mapping[str, Table],
    domain: DomainLike,
    *,
    metrics: Sequence[str] | None = None,
    compat: str | None = None,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    plan: str | Path | None = None,
    draws: str | Path | None = None,
    seed: int | None = None,
    replicates: int = 1,
    outside: Outside = "refuse",
    chunk: int | None = None,
    cluster: str | None = None,
    baseline: bool = True,
    release_of: Mapping[str, Sequence[str | Path]] | None = None,
    claim_of: Mapping[str, str | Path] | None = None,
    by: Sequence[str] = (),
    subsets: int = SUBSETS,
    axes_from: Table | None = None,
    jobs: int | None = None,
    progress: Progress = nobody,
) -> UtilityResult:
    """How near synthetic tables are to the real one. None of it is private.

    >>> import dp_audit as dpa, pandas as pd
    >>> real = pd.DataFrame({"a1": [0, 1, 1, 1], "a2": [0, 0, 1, 2]})
    >>> other = pd.DataFrame({"a1": [0, 0, 1, 1], "a2": [0, 0, 1, 2]})
    >>> small = dpa.Domain.from_cells("2x3")
    >>> result = dpa.utility(real, {"other": other}, small, metrics=["total-variation"])
    >>> result
    <UtilityResult: 1 metrics of 1 synthetic tables, none of it private>
    >>> result.to_frame()[["metric", "synthetic"]].values.tolist()
    [['total-variation', 'other']]

    real, synthetic
        Paths (CSV or Parquet), data frames, `Dataset`s, or what `release` returned; of several
        synthetic tables a list of paths, or a mapping from their names.
    domain
        A `Domain`, or the path of a domain file.
    metrics
        Their names (see ``dp-audit list metrics``); where it is left out, all that apply and take
        at most a minute a table.
    compat
        Reproduce an official program.
    parameters, plan
        Parameters of metrics, by metric and name, over those of a plan's file (TOML).
    draws, seed, replicates
        The file of the random draws to use; the seed of every metric that draws (0); how many seeds
        to take what is drawn with.
    outside
        Values that the domain does not declare: ``"refuse"``, or ``"cell"``, one of their own.
    chunk, cluster
        Count so many records of a file at a time, here or by the workers of the Dask cluster at an
        address; a table may then be a folder of Parquet files, too.
    baseline
        Put a table that knows only the domain beside.
    release_of
        Files that are releases of one program, by its name: programs are ranked in place of files,
        by what their releases differ by. They need not stand in ``synthetic`` too.
    claim_of
        The certificate, or the ledger, of a synthetic table or of a program of ``release_of``.
    by, subsets
        Attributes of which each value's records are looked at by themselves, too, beside so many
        random subsets of equal size (20, and at least 19).
    axes_from
        The public table whose principal axes all tables are laid on; where it is left out, the
        synthetic ones together, if no metrics are named.
    jobs
        Processes that share tables out; as many as there are cores where it is left out.
    progress
        Told of the work as it goes on.

    Raises ``ValueError`` for what makes no sense.
    """
    space, rules = _domain_and_rules(domain)
    chosen, refused = _metrics(space, rules, metrics, compat, parameters or {}, plan, draws, seed)
    again = whole_number(replicates, "--replicates", 1)
    beside = whole_number(subsets, "--subsets", LEAST_SUBSETS)
    for flag, count in (("--replicates", again), ("--subsets", beside)):
        if count > MOST_REPEATS:
            raise InputError(f"{flag} must be at most {MOST_REPEATS}, found {count}")
    rows = None if chunk is None else whole_number(chunk, "--chunk", 1)
    share = here if cluster is None else of_cluster(cluster)
    check_by(by, space, whole=rows is None and share is here)
    check_axes_from(axes_from, real, whole=rows is None and share is here)
    releases = {name: tuple(map(str, paths)) for name, paths in (release_of or {}).items()}
    tables = _tables(synthetic, releases)
    both = [name for name in releases if name in tables]
    if both:
        raise InputError(f"a program is named {both[0]!r}, as a synthetic table is; name it apart")
    if not all(path for paths in releases.values() for path in paths):
        raise InputError("a release of a program has no name: leave no comma without a file")
    promises = _promises(claim_of or {}, tables, releases)
    real_name = str(real) if isinstance(real, str | Path) else "real"
    if real_name in tables and not isinstance(real, str | Path):
        raise InputError("a synthetic table is named 'real', as the real one is; name it otherwise")
    counted, left = {}, {}
    # The real table first: it is the one whose faults concern all others.
    for place, (name, table) in enumerate([(real_name, real), *tables.items()]):
        progress("reading", 0, 0, name)
        counted[name], left[name] = _read(name, table, space, rows, outside, share, place > 0)
    public = None
    if axes_from is not None:
        source = str(axes_from) if isinstance(axes_from, str | Path) else PUBLIC
        progress("reading", 0, 0, source)
        public = source, _read(source, axes_from, space, None, outside, here, True)[0]
    if metrics is None:
        chosen, dear = affordable(chosen, space, counted[real_name].records)
        refused += tuple((name, cost_text(name, seconds)) for name, seconds in dear)
        for name, seconds in dear:
            progress("planning", 0, 0, f"{name} is left out: {cost_text(name, seconds)}")
    results = measure_utility(
        (real_name, counted[real_name]),
        {name: counted[name] for name in tables},
        chosen,
        replicates=again,
        baseline=baseline,
        refused=refused,
        undeclared={name: columns for name, columns in left.items() if columns},
        jobs=process_count(jobs),
        progress=lambda done, total, name: progress("scoring", done, total, name),
    )
    subgroups = measure_by(
        by,
        counted[real_name],
        {name: counted[name] for name in tables},
        chosen,
        asked=metrics is not None,
        subsets=beside,
        jobs=process_count(jobs),
        progress=progress,
    )
    clouds = None
    if metrics is None or axes_from is not None:
        others = {name: counted[name] for name in tables}
        clouds = project(counted[real_name], others, public)
    return UtilityResult(
        replace(results, programs=releases, promises=promises, subgroups=subgroups, clouds=clouds)
    )


def _tables(synthetic: Any, releases: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The synthetic tables by name, those of releases after the others."""
    released = [path for paths in releases.values() for path in paths]
    if isinstance(synthetic, Mapping):
        named = {str(name): table for name, table in synthetic.items()}
        return {**named, **{path: path for path in released if path not in named}}
    if isinstance(synthetic, str | Path):
        synthetic = [synthetic]
    if not isinstance(synthetic, list | tuple):
        return {"synthetic": synthetic, **{path: path for path in released}}
    if not all(isinstance(path, str | Path) for path in synthetic):
        raise InputError("name the synthetic tables: {'name': table, …}, or a list of paths")
    paths = [*map(str, synthetic), *(path for path in released if path not in map(str, synthetic))]
    if not paths:
        raise InputError("there is no synthetic table; name a file, or releases of a program")
    if len({Path(path).resolve() for path in paths}) < len(paths):
        raise InputError("a synthetic table is given twice; name each file once")
    return {path: path for path in paths}


def _promises(
    claim_of: Mapping[str, str | Path],
    tables: Mapping[str, Any],
    releases: Mapping[str, Sequence[str]],
) -> dict[str, Promise]:
    """What is promised of each synthetic table, by its own or its program's name."""
    promises = {}
    # A file's own claim stands before that of its program.
    for name, path in sorted(claim_of.items(), key=lambda item: item[0] not in releases):
        if name not in tables and name not in releases:
            raise InputError(
                f"a claim is stated of {name!r}, which is no synthetic table and no program here"
            )
        promise = read_promise(path)
        promises.update(dict.fromkeys(releases.get(name, (name,)), promise))
    return promises


def _read(
    name: str,
    table: Any,
    domain: Domain,
    rows: int | None,
    outside: Outside,
    share: Map,
    shown: bool,
) -> tuple[Counted, tuple[str, ...]]:
    """One table, and its columns that the domain does not declare; an error names the table."""
    try:
        whole = isinstance(table, str) and table == "-" and rows is None and share is here
        held = _standard_input(domain) if whole else table
        counted = _count(held, domain, rows, outside, share, shown)
        return counted, undeclared(_columns(held, domain), domain)
    except InputError as error:
        where = "standard input" if name == "-" else name
        if str(error).startswith(where):
            raise
        raise InputError(f"{where}: {error}") from error


def _count(
    table: Any, domain: Domain, rows: int | None, outside: Outside, share: Map, shown: bool
) -> Counted:
    """One table, in parts if ``rows`` or a cluster say so; ``shown``: errors may quote it."""
    if isinstance(table, ReleaseResult):
        return of_dataset(table.released.table)
    if isinstance(table, Dataset):
        return of_dataset(table)
    if not isinstance(table, str | Path):
        return of_frame(table, domain, outside, shown=shown)
    if rows is None and share is here:
        return read_records(table, domain, outside, shown=shown)
    parts = Parts.of_file(str(table), domain, rows or CHUNK, outside, share)
    # Gone through once for its extent: now, so that its faults are found under its name.
    parts.measure()
    return parts


def _standard_input(domain: Domain) -> pd.DataFrame:
    """The table that standard input holds, which can be read once."""
    frame = next(table_frames("-", domain, None), None)
    if frame is None or not len(frame):
        raise InputError("the table has no records")
    return frame


def _columns(table: Any, domain: Domain) -> tuple[str, ...]:
    """The names of a table's columns, those of all files of a folder."""
    if isinstance(table, ReleaseResult | Dataset):
        return domain.names
    if not isinstance(table, str | Path):
        return tuple(map(str, table.columns))
    path = Path(table)
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    return tuple(dict.fromkeys(name for file in files for name in column_names(file)))


def _domain_and_rules(domain: DomainLike) -> tuple[Domain, tuple[str, ...]]:
    """The domain, and the rules that its file states."""
    if not isinstance(domain, str | Path):
        return required_domain(domain, None, "record"), ()
    file = load_domain_file(domain)
    return file.domain, file.rules


def _metrics(
    domain: Domain,
    rules: tuple[str, ...],
    names: Sequence[str] | None,
    compat: str | None,
    parameters: Mapping[str, Mapping[str, Any]],
    plan: str | Path | None,
    draws_file: str | Path | None,
    seed: int | None,
) -> tuple[tuple[Metric, ...], tuple[tuple[str, str], ...]]:
    """The metrics, and those that were not asked for by name and do not apply."""
    values = {} if plan is None else {name: dict(own) for name, own in read_plan(plan).items()}
    for name, own in parameters.items():
        values.setdefault(name, {}).update(own)
    draws = {} if draws_file is None else read_draws(draws_file)
    mentioned = dict.fromkeys((*values, *draws))
    asked = list(dict.fromkeys(names or METRICS))
    for name in (*asked, *mentioned):
        metric_named(name)
    stray = [name for name in mentioned if name not in asked]
    if stray:
        raise InputError(
            f"{stray[0]} has parameters or draws but is not among the metrics asked for"
        )
    if compat is not None:
        asked = _compatible(asked, compat, names or mentioned)
    mode = compat or FIXED

    # What a file or another metric states stands below what is stated of a metric itself.
    below: dict[str, dict[str, Any]] = {"validity": {"rules": list(rules)}} if rules else {}
    if "k-marginal" in values:
        below["subsample-equivalent"] = {"of": "k-marginal"}

    def build(name: str, mode: str = FIXED) -> Metric:
        kind = type(metric_named(name))
        return plan_metric(kind, {**below.get(name, {}), **values.get(name, {})}, build, mode)

    metrics = [build(name, mode) for name in asked]
    if seed is not None:
        seeds: dict[str, Any] = {"seed": whole_number(seed, "--seed")}
        metrics = [replace(m, **seeds) if hasattr(m, "seed") else m for m in metrics]
    metrics = [m.with_draws(draws[m.name]) if m.name in draws else m for m in metrics]
    for metric in metrics:
        # A rule that cannot be read is a fault of the file, and no reason to leave validity out.
        if names or metric.name in mentioned or (rules and metric.name == "validity"):
            _require(metric, domain)
    kept, refused = applicable(metrics, domain)
    if not kept:
        raise InputError(
            "none of the metrics can be taken of tables over this domain: "
            + "; ".join(f"{name}: {reason}" for name, reason in refused)
            + "; name the attributes with --set or a plan"
        )
    return kept, refused


def _require(metric: Metric, domain: Domain) -> None:
    """Raise ``InputError``, with the metric's name, unless it can be taken over the domain."""
    try:
        metric.check(domain)
    except InputError as error:
        text = str(error)
        if text.startswith(f"{metric.name}: "):
            raise
        raise type(error)(f"{metric.name}: {text}") from error


def _compatible(asked: Sequence[str], mode: str, mentioned: Collection[str]) -> list[str]:
    """The metrics that have the mode; those that were mentioned by name must have it."""
    modes = sorted({one for metric in METRICS.values() for one in metric.modes} - {FIXED})
    if mode not in modes:
        raise InputError(f"--compat must be one of {', '.join(modes)}, not {mode!r}")
    without = [name for name in asked if name in mentioned and mode not in METRICS[name].modes]
    if without:
        raise InputError(f"{without[0]} has no mode {mode!r}; leave it out, or choose another mode")
    return [name for name in asked if mode in METRICS[name].modes]
