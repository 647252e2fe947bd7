"""``dp-audit utility``: how useful synthetic tables are, beside the real one."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from audit.cli import common, streams
from audit.report.html import render
from audit.verify import load_certificate
from dp_audit.usefulness import utility
from synthesizers.errors import InputError


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("real", metavar="REAL", help="the confidential table: CSV or Parquet")
    parser.add_argument("synthetic", metavar="SYNTH", nargs="*", help="synthetic tables")
    parser.add_argument("--domain", required=True, metavar="FILE", help="a domain file")
    parser.add_argument(
        "--metric",
        dest="metrics",
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
    parser.add_argument(
        "--model",
        metavar="'OUTCOME ~ A + B'",
        help="the regression of interval-overlap; its coefficients are shown for both tables",
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
    parser.add_argument(
        "--release-of",
        action="append",
        metavar="NAME=A.csv,B.csv",
        help="files that are releases of one program; ranks programs in place of files; repeat",
    )
    parser.add_argument(
        "--claim-of",
        action="append",
        metavar="SYNTH=FILE.json",
        help="the certificate or ledger of a synthetic table, or of a program's releases; repeat",
    )
    parser.add_argument(
        "--by",
        action="append",
        metavar="ATTRIBUTE",
        help="look at each value's records by themselves, beside random subsets; repeat",
    )
    parser.add_argument("--subsets", metavar="B", help="random subsets beside each of these (20)")
    parser.add_argument(
        "--axes-from",
        metavar="FILE",
        help="find principal axes in this public table, and not in the synthetic ones",
    )
    parser.add_argument(
        "--no-baseline", dest="baseline", action="store_false", help="no baseline table beside"
    )
    parser.add_argument("--chunk", metavar="ROWS", help="count so many records at a time")
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="a Dask cluster that counts the tables, part by part"
    )
    common.add_jobs(parser)
    common.add_output(parser, html=True)


def run(flags: argparse.Namespace) -> int:
    """Print the scores, write the files asked for; exit code 0."""
    certificates = flags.certificate or []
    programs = _read_named("--release-of", flags.release_of, lambda _, files: _are_there(files))
    releases = {name: files.split(",") for name, files in programs}
    released = [path for paths in releases.values() for path in paths]
    known = {*flags.synthetic, *released, *releases}
    claims = dict(_read_named("--claim-of", flags.claim_of, lambda name, _: name in known))
    inputs = (
        *(flags.real, *flags.synthetic, *released, *claims.values(), *certificates),
        *(flags.domain, flags.draws, flags.plan, flags.axes_from),
    )
    common.require_writable(flags.json, flags.html, flags.save_draws, inputs=inputs)
    if inputs.count("-") > 1:
        raise InputError("standard input can be only one of the files")
    if certificates and not flags.html:
        raise InputError("--certificate shows a certificate in the HTML report; add --html FILE")
    evidence = [(path, load_certificate(path)) for path in certificates]
    parameters = _parameters([*(flags.set or []), *_model(flags.model)])
    with streams.follow(streams.talk_console(flags.quiet)) as progress:
        asked = {
            **common.arguments(utility, flags),
            "parameters": parameters,
            "release_of": releases,
            "claim_of": claims,
        }
        result = utility(**asked, progress=progress)
    texts = {}
    if flags.html is not None:
        texts[flags.html] = render(result.page(evidence))
    if flags.save_draws is not None:
        texts[flags.save_draws] = result.draws_text()
    streams.deliver(result, flags, texts)
    return result.exit_code


def _parameters(pairs: list[str] | None) -> dict[str, dict[str, str]]:
    """The parameters of ``--set``, by metric and name."""
    parameters: dict[str, dict[str, str]] = {}
    for text, value in common.settings(pairs).items():
        metric, dot, name = text.partition(".")
        if not dot:
            raise InputError(f"--set reads METRIC.NAME=VALUE here, found {text!r}")
        parameters.setdefault(metric, {})[name] = value
    return parameters


def _model(formula: str | None) -> list[str]:
    """A regression as the two parameters that it is short for."""
    if formula is None:
        return []
    outcome, tilde, predictors = (part.strip() for part in formula.partition("~"))
    names = [name.strip() for name in predictors.split("+")]
    if not tilde or not outcome or not all(names):
        raise InputError(f"--model reads 'OUTCOME ~ A + B', found {formula!r}")
    return [
        f"interval-overlap.outcome={outcome}",
        f"interval-overlap.predictors={','.join(names)}",
    ]


def _read_named(
    flag: str, pairs: list[str] | None, fits: Callable[[str, str], bool]
) -> list[tuple[str, str]]:
    """The pairs of a flag that reads NAME=VALUE.

    Names and files may have an equals sign, too: the first one that parts what ``fits`` is meant.
    """
    named: list[tuple[str, str]] = []
    for pair in pairs or []:
        ends = [place for place, sign in enumerate(pair) if sign == "="]
        parts = [(pair[:end], pair[end + 1 :]) for end in ends if 0 < end < len(pair) - 1]
        if not parts:
            raise InputError(f"{flag} reads NAME=VALUE, found {pair!r}")
        name, value = next((part for part in parts if fits(*part)), parts[0])
        if name in dict(named):
            raise InputError(f"{flag} {name} is given twice")
        named.append((name, value))
    return named


def _are_there(files: str) -> bool:
    return all(Path(file).exists() for file in files.split(","))
