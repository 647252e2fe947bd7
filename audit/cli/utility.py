"""``dp-audit utility``: how useful synthetic tables are, beside the real one."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from audit.cli import common, streams
from audit.parallel import Map, cluster, here
from audit.report.certificate.document import certificate_table
from audit.report.html import render
from audit.report.page import Page, Section, UtilitySection
from audit.report.utility.document import utility_text
from audit.report.utility.terminal import utility_lines
from audit.utility.counts import Counted
from audit.utility.draws import draws_text, read_draws
from audit.utility.metric import FIXED, Metric
from audit.utility.parameters import MOST_REPEATS, planned, read_plan
from audit.utility.parts import CHUNK, Parts
from audit.utility.records import Outside, read_records
from audit.utility.results import UtilityResults
from audit.utility.suite import applicable, measured
from audit.verify import load_certificate
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.schemas import load_domain


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("real", metavar="REAL", help="the confidential table: CSV or Parquet")
    parser.add_argument("synthetic", metavar="SYNTH", nargs="+", help="synthetic tables")
    parser.add_argument("--domain", required=True, metavar="FILE", help="a domain file")
    parser.add_argument(
        "--metric",
        action="append",
        metavar="NAME",
        help="one metric (see: dp-audit list metrics); repeat; default: all that apply",
    )
    parser.add_argument("--compat", metavar="MODE", help="reproduce an official program")
    parser.add_argument("--draws", metavar="FILE", help="the random draws to use")
    parser.add_argument("--save-draws", metavar="FILE", help="write the random draws used")
    parser.add_argument("--plan", metavar="FILE", help="parameters of metrics (TOML)")
    parser.add_argument(
        "--set", action="append", metavar="METRIC.NAME=VALUE", help="one parameter; repeat"
    )
    parser.add_argument("--seed", metavar="N", help="seed of every metric that draws (0)")
    parser.add_argument(
        "--replicates", default="1", metavar="R", help="take what is drawn with R seeds (1)"
    )
    parser.add_argument(
        "--outside",
        default="refuse",
        choices=("refuse", "cell"),
        help="values that the domain does not declare: an error, or a cell of their own",
    )
    parser.add_argument(
        "--certificate",
        action="append",
        metavar="CERT.json",
        help="show a certificate in the HTML report, beside the scores; repeat",
    )
    parser.add_argument("--no-baseline", action="store_true", help="no baseline table beside")
    parser.add_argument("--chunk", metavar="ROWS", help="count so many records at a time")
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="a Dask cluster that counts the tables, part by part"
    )
    for name in ("json", "html"):
        parser.add_argument(f"--{name}", metavar="FILE", help=f"write {name.upper()}")
    parser.add_argument("--quiet", action="store_true", help="no talk, no progress")


def run(flags: argparse.Namespace) -> int:
    """Print the scores, write the files asked for; exit code 0."""
    tables = [flags.real, *flags.synthetic]
    certificates = flags.certificate or []
    inputs = (*tables, flags.domain, flags.draws, flags.plan, *certificates)
    common.require_writable(flags.json, flags.html, flags.save_draws, inputs=inputs)
    if len({Path(path).resolve() for path in flags.synthetic}) < len(flags.synthetic):
        raise InputError("a synthetic table is given twice; name each file once")
    if inputs.count("-") > 1:
        raise InputError("standard input can be only one of the files")
    if certificates and not flags.html:
        raise InputError("--certificate shows a certificate in the HTML report; add --html FILE")
    evidence = [(path, load_certificate(path)) for path in certificates]
    domain = load_domain(flags.domain)
    metrics, refused = _metrics(flags, domain)
    replicates = common.whole_number(flags.replicates, "--replicates", 1)
    if replicates > MOST_REPEATS:
        raise InputError(f"--replicates must be at most {MOST_REPEATS}, found {replicates}")
    rows = None if flags.chunk is None else common.whole_number(flags.chunk, "--chunk", 1)
    share = here if flags.cluster is None else cluster(flags.cluster)
    talk = streams.talk_console(flags.quiet)
    read = {path: _table(path, domain, rows, flags.outside, share, talk) for path in tables}
    with streams.progress_bar(talk, "measuring", "scores") as progress:
        results = measured(
            (flags.real, read[flags.real]),
            {path: read[path] for path in flags.synthetic},
            metrics,
            replicates=replicates,
            baseline=not flags.no_baseline,
            refused=refused,
            progress=progress,
        )
    # All of them first: after a fault in one, none is written.
    for path, text in _documents(results, evidence, flags).items():
        common.write_text(path, text)
    streams.output_console().print(utility_lines(results.renamed(_short(tables))))
    return 0


def _metrics(
    flags: argparse.Namespace, domain: Domain
) -> tuple[tuple[Metric, ...], tuple[tuple[str, str], ...]]:
    """The metrics of the flags, and those that were not asked for by name and do not apply."""
    # Here, not above: scikit-learn comes with it.
    from audit.utility.catalogue import METRICS, named

    parameters = _parameters(flags)
    draws = {} if flags.draws is None else read_draws(flags.draws)
    mentioned = dict.fromkeys((*parameters, *draws))
    asked = list(dict.fromkeys(flags.metric or METRICS))
    for name in (*asked, *mentioned):
        named(name)
    stray = [name for name in mentioned if name not in asked]
    if stray:
        raise InputError(
            f"{stray[0]} has parameters or draws but is not among the metrics asked for"
        )
    metrics = [planned(METRICS[name], parameters.get(name, {}), named) for name in asked]
    if flags.seed is not None:
        seeds: dict[str, Any] = {"seed": common.whole_number(flags.seed, "--seed")}
        metrics = [replace(m, **seeds) if hasattr(m, "seed") else m for m in metrics]
    if flags.compat is not None:
        modes = sorted({mode for metric in METRICS.values() for mode in metric.modes} - {FIXED})
        if flags.compat not in modes:
            raise InputError(f"--compat must be one of {', '.join(modes)}, not {flags.compat!r}")
        metrics = _compatible(metrics, flags.compat, flags.metric or mentioned)
    metrics = [m.with_draws(draws[m.name]) if m.name in draws else m for m in metrics]
    for metric in metrics:
        if flags.metric or metric.name in mentioned:
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


def _compatible(metrics: Sequence[Metric], mode: str, named: Collection[str]) -> list[Metric]:
    """The metrics that have the mode, in it; those that were asked for by name must have it."""
    without = [m.name for m in metrics if m.name in named and mode not in m.modes]
    if without:
        raise InputError(f"{without[0]} has no mode {mode!r}; leave it out, or choose another mode")
    return [replace(metric, mode=mode) for metric in metrics if mode in metric.modes]


def _parameters(flags: argparse.Namespace) -> Mapping[str, Mapping[str, object]]:
    """The parameters of each metric, those of ``--set`` over those of the plan."""
    plan = {} if flags.plan is None else read_plan(flags.plan)
    parameters = {metric: dict(values) for metric, values in plan.items()}
    for text, value in common.settings(flags.set).items():
        metric, dot, name = text.partition(".")
        if not dot:
            raise InputError(f"--set reads METRIC.NAME=VALUE here, found {text!r}")
        parameters.setdefault(metric, {})[name] = value
    return parameters


def _table(
    path: str, domain: Domain, rows: int | None, outside: Outside, share: Map, talk: Console
) -> Counted:
    """One table, in parts if ``rows`` or a cluster say so; what is wrong with it names its file."""
    talk.print(f"reading {path}", markup=False, soft_wrap=True)
    try:
        if rows is None and share is here:
            return read_records(path, domain, outside)
        parts = Parts.of_file(path, domain, rows or CHUNK, outside, share)
        # Gone through once for its extent: now, so that its faults are found under its name.
        parts.measure()
        return parts
    except InputError as error:
        where = "standard input" if path == "-" else path
        raise error if str(error).startswith(where) else InputError(f"{where}: {error}") from error


def _short(paths: Sequence[str]) -> Mapping[str, str]:
    """What reports call the files: their own names, or as typed where two names are alike."""
    names = {path: Path(path).name for path in paths}
    return names if len(set(names.values())) == len(names) else {path: path for path in paths}


def _documents(
    results: UtilityResults,
    evidence: Sequence[tuple[str, Mapping[str, Any]]],
    flags: argparse.Namespace,
) -> Mapping[str, str]:
    """The text of every file that was asked for."""
    texts: dict[str, str] = {}
    if flags.json:
        texts[flags.json] = utility_text(results)
    if flags.html:
        short = results.renamed(_short([results.real, *results.synthetics]))
        title = f"Utility beside {short.real}"
        lead = "How near synthetic tables are to the real one, by the measures of the field."
        sections: list[Section] = [UtilitySection(title, short)]
        if evidence:
            sections.append(certificate_table(evidence))
        texts[flags.html] = render(Page(title, lead, tuple(sections)))
    if flags.save_draws:
        texts[flags.save_draws] = draws_text(s.score for s in results.scored)
    return texts
