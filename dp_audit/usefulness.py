"""`utility`: how useful synthetic tables are, beside the real one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from audit.parallel import cluster as of_cluster
from audit.parallel import here
from audit.report.utility.words import cost_text
from audit.utility.parameters import MOST_REPEATS
from audit.utility.records import Outside
from audit.utility.results import Promise
from audit.utility.subgroups.findings import LEAST_SUBSETS
from audit.utility.subgroups.measure import SUBSETS
from audit.utility.suite import affordable, measure_utility
from dp_audit.arguments import DomainLike, process_count, required_domain, whole_number
from dp_audit.axes import PUBLIC, check_axes_from, check_public, project
from dp_audit.chosen_metrics import choose_metrics
from dp_audit.progress import Progress, nobody
from dp_audit.promises import read_promise
from dp_audit.reading import read_counted
from dp_audit.results import ReleaseResult, UtilityResult
from dp_audit.subgroups import check_by, measure_by
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.schemas import load_domain_file

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
    chosen, refused = choose_metrics(
        space, rules, metrics, compat, parameters or {}, plan, draws, seed
    )
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
        counted[name], left[name] = read_counted(
            name, table, space, rows, outside, share, place > 0
        )
    public = None
    if axes_from is not None:
        source = str(axes_from) if isinstance(axes_from, str | Path) else PUBLIC
        progress("reading", 0, 0, source)
        public = source, read_counted(source, axes_from, space, None, outside, here, True)[0]
        check_public(counted[real_name], public[1])
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


def _domain_and_rules(domain: DomainLike) -> tuple[Domain, tuple[str, ...]]:
    """The domain, and the rules that its file states."""
    if not isinstance(domain, str | Path):
        return required_domain(domain, None, "record"), ()
    file = load_domain_file(domain)
    return file.domain, file.rules
