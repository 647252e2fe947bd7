"""The flags of an attack, and how their values are read."""

from __future__ import annotations

import argparse
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

from rich.console import Console

from audit.auditors.attack.auditor import Watch
from audit.auditors.attack.evidence import Attack
from audit.auditors.attack.floors import claimed_name
from audit.auditors.attack.given_pairs import given_pair, read_database
from audit.cli import common, streams
from audit.parallel import Map, cluster, local
from audit.statements.claim import Claim
from audit.statements.limits import Limits
from audit.statements.reproduce import Command
from audit.subjects.pair import Pair
from audit.subjects.subject import Subject
from proofs.guarantees import Guarantee
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational

DEFAULT_RUNS = {"function": 10_000, "estimator": 1_000, "command": 1_000}
"""Runs a database without ``--runs`` (a choice of this project: minutes at most where one run
takes a tenth of a second)."""

FLAGS = ("pair", "runs", "seed", "cluster", "seconds", "megabytes")
"""Flags that say nothing where nothing is attacked."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the flags."""
    group = parser.add_argument_group("attacks", "for whatever can only be run; see docs/attack.md")
    group.add_argument(
        "--as",
        dest="form",
        choices=("program", "function", "estimator"),
        help="what module:attribute is (default: by its type and parameters)",
    )
    group.add_argument(
        "--pair", nargs=2, metavar=("A.json", "B.json"), help="two neighbouring databases"
    )
    group.add_argument(
        "--runs", metavar="N", help="runs a database, learning included; attacks a program, too"
    )
    group.add_argument("--confidence", metavar="P", default="0.95", help="of the floor (0.95)")
    group.add_argument(
        "--alarm", metavar="P", default="1e-6", help="the error that REFUTED may have (1e-6)"
    )
    group.add_argument(
        "--until-decided", action="store_true", help="stop as soon as the claim is refuted"
    )
    group.add_argument("--seed", metavar="S", help="the audit's random numbers (default: fresh)")
    group.add_argument("--seconds", metavar="T", help="the longest that one run may take (60)")
    group.add_argument("--megabytes", metavar="M", help="the memory that one run may take (4096)")
    group.add_argument("--cluster", metavar="ADDRESS", help="a Dask cluster that makes the runs")


def limits(flags: argparse.Namespace) -> Limits:
    """``--seconds`` and ``--megabytes``."""
    default = Limits()
    seconds = common.optional_number(flags.seconds, "--seconds", 1)
    megabytes = common.optional_number(flags.megabytes, "--megabytes", 1)
    return Limits(seconds or default.seconds, megabytes or default.megabytes)


def attack(flags: argparse.Namespace, subject: Subject, claim: Claim) -> Attack | None:
    """How the subject is attacked; None where it is not. Raises InputError."""
    category = subject.category
    if category == "channel" or (category == "program" and flags.runs is None):
        given = [f"--{name}" for name in FLAGS if getattr(flags, name) is not None]
        if given or flags.until_decided:
            names = ", ".join(given) or "--until-decided"
            raise InputError(
                f"{names} goes with an attack: on a function, an estimator or a command, or "
                "on a program with --runs N"
            )
        return None
    kind = subject.to_json()["kind"]
    runs = common.optional_number(flags.runs, "--runs", 1)
    seed = common.optional_number(flags.seed, "--seed")
    return Attack(
        runs=DEFAULT_RUNS.get(kind, 1_000) if runs is None else runs,
        seed=secrets.randbits(48) if seed is None else seed,
        error=1 - chance(flags.confidence, "--confidence"),
        alarm=chance(flags.alarm, "--alarm"),
        until_decided=flags.until_decided,
        pair=_pair(flags, claim),
    )


def chance(text: str, name: str) -> Fraction:
    """A chance strictly between 0 and 1; raises InputError."""
    value = parse_rational(text, name)
    if not 0 < value < 1:
        raise InputError(f"{name} must lie strictly between 0 and 1, found {text[:40]!r}")
    return value


def _pair(flags: argparse.Namespace, claim: Claim) -> Pair | None:
    if flags.pair is None:
        return None
    first, second = (read_database(path) for path in flags.pair)
    return given_pair(first, second, claim.neighbours, claim.domain, records=claim.records)


def spelled(command: Command, flags: argparse.Namespace, attack: Attack) -> Command:
    """The command with the flags that make the same attack again; raises InputError."""
    words = {"runs": [str(attack.runs)], "seed": [str(attack.seed)]}
    for name in ("confidence", "alarm", "seconds", "megabytes"):
        value = getattr(flags, name)
        if value is not None:
            words[name] = [value]
    if flags.form is not None:
        words["as"] = [flags.form]
    if flags.until_decided:
        words["until-decided"] = []
    if flags.pair is not None:
        words["pair"] = list(flags.pair)
    return replace(command, flags={**command.flags, **words})


@contextmanager
def progress_bar(console: Console, guarantee: Guarantee) -> Iterator[Watch]:
    """A bar on the console that follows the runs, with the floor so far."""
    name = claimed_name(guarantee)
    hint = " at most; Ctrl-C reports what is found"
    with streams.progress_bar(console, "attacking", "runs", hint) as report:
        yield lambda done, total, floor: report(
            done, total, f"{name} >= {floor:.4g} so far" if floor > 0 else ""
        )


def shared(flags: argparse.Namespace) -> Map:
    """Where runs are made: on a cluster, or in processes of this machine."""
    if flags.cluster is not None:
        return cluster(flags.cluster)
    return local(common.jobs(flags.jobs))
