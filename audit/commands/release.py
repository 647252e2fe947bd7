"""``dp-audit release``: run a program on real data and write what it returns."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from rich.markup import escape

from audit.commands import common
from audit.questions import certified_admission
from audit.subject import ProgramSubject
from audit.subjects.synthesizer import program_subject
from audit.verify import load_certificate
from proofs.guarantees import ZCDP, ApproxDP
from proofs.ledgers import of_budget
from proofs.prover import strongest
from synthesizers.budget import Budget, ZCDPBudget
from synthesizers.curator import Output, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.events import Event, is_seed
from synthesizers.neighbours import Neighbours, ReplaceOne, describe, to_json
from synthesizers.plan import describe as describe_event
from synthesizers.sampling import Run
from synthesizers.sampling import run as sample
from synthesizers.schemas import load_domain
from synthesizers.tables import read_table, write_table

PURE = ApproxDP(Fraction(0))


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's flags."""
    parser = commands.add_parser("release", help="make a synthetic table from real data")
    parser.add_argument("program", help="a built-in name (see list) or module:attribute")
    parser.add_argument("--data", required=True, metavar="FILE", help="CSV or Parquet")
    parser.add_argument("--domain", required=True, metavar="FILE", help="a domain file (TOML)")
    parser.add_argument("--out", required=True, metavar="SYNTH.csv", help="the synthetic table")
    parser.add_argument("--ledger", metavar="LEDGER.json", help="what was asked, and its cost")
    parser.add_argument(
        "--certificate",
        metavar="CERT.json",
        help="keep to the questions and the budget of this certificate about the program",
    )
    parser.add_argument(
        "--trust-subject",
        action="store_true",
        help="run a program of a module even where nothing here can keep it from the data",
    )
    parser.add_argument("--rows", metavar="M", help="public output size; needed where n is private")
    common.add_relation(parser, required=False)
    common.add_settings(parser)
    parser.set_defaults(run=run)


def run(flags: argparse.Namespace) -> int:
    """Write the synthetic table and the ledger; exit code 0."""
    common.require_writable(flags.out, flags.ledger, inputs=(flags.data, flags.domain))
    domain = load_domain(flags.domain)
    if flags.neighbours is None:
        flags.neighbours = ReplaceOne.name
    relation = common.relation(flags)
    rows = common.optional_number(flags.rows, "--rows")
    # The program's process starts before the table is opened, and may not open it.
    hidden = [path for path in (flags.data, flags.certificate) if path is not None]
    subject = program_subject(flags.program, common.settings(flags.set), hidden)
    if not (subject.built_in or subject.isolation.sufficient or flags.trust_subject):
        raise InputError(
            f"nothing on this machine keeps {subject.name} from the data: it would run "
            f"{subject.isolation.describe()}. Release where programs can be kept apart (Linux, "
            "with user namespaces or as root), or say --trust-subject"
        )
    stated = None if flags.certificate is None else load_certificate(flags.certificate)
    dataset = read_table(flags.data, domain)
    setting = release_setting(domain, relation, dataset, rows)
    budget = subject.budget(setting)
    if budget.neighbours not in (None, relation):
        raise InputError(
            f"the noise is made for {budget.neighbours.name}, the release is under "
            f"{relation.name}: drop --set calibrated-for, or release under the former"
        )
    admit = None if stated is None else certified_admission(stated, subject, setting)
    talk = common.talk_console(flags.quiet)
    with talk.status("asking") as status:

        def progress(asked: int, event: Event) -> None:
            generating = "; generating" if is_seed(event) else ""
            status.update(escape(f"question {asked}: {describe_event(event)}{generating}"))

        released = sample(subject.program, dataset, setting, budget, progress=progress, admit=admit)
    table = as_dataset(released.output, domain)
    write_table(table, flags.out)
    if flags.ledger:
        document = ledger_json(subject, setting, budget, released)
        common.write_text(flags.ledger, json.dumps(document, indent=1) + "\n")
    talk.print(
        f"{flags.out}: {table.records} synthetic records ({describe(relation)})", markup=False
    )
    talk.print(_guaranteed(budget, setting, stated), markup=False)
    return 0


def _guaranteed(budget: Budget, setting: Setting, stated: Mapping[str, Any] | None) -> str:
    """What the release guarantees: the certified claim, or what the budget alone proves."""
    if stated is not None:
        return f"it keeps to the certificate: {stated['verdict']}, {stated['claim']}"
    components = of_budget(budget, setting.neighbours, {})
    if components is None:
        return (
            "no guarantee: the program has no budget that proves one. Certify it, and release "
            "with --certificate"
        )
    offers = strongest(components, ZCDP(Fraction(0)) if isinstance(budget, ZCDPBudget) else PURE)
    least = min((offer.value for offer in offers), default=None)
    name = "rho" if isinstance(budget, ZCDPBudget) else "epsilon"
    if least is None:
        return "the program's budget proves no pure guarantee; dp-audit account LEDGER states it"
    return f"by the program's budget: {name} = {least}"


def release_setting(
    domain: Domain, relation: Neighbours, dataset: Dataset, rows: int | None
) -> Setting:
    """The public constants of a release: n counts as public only where the relation says so."""
    if relation.records_public:
        return Setting(domain, relation, dataset.records, dataset.records if rows is None else rows)
    return Setting(domain, relation, None, rows)


def as_dataset(output: Output, domain: Domain) -> Dataset:
    """A program's output as a table of records; InputError for one that is not."""
    if isinstance(output, Dataset):
        return output
    counts = np.asarray(output)
    if counts.shape != (domain.size,) or counts.dtype.kind not in "iu" or counts.min() < 0:
        raise InputError(
            f"a release is a table of records, made from counts over the domain's {domain.size} "
            "cells or a Dataset; this program's output is something else, such as suppressed "
            "or coarser counts: nothing is written. Audit it with channel or certify, or take "
            "its output from Python (synthesizers.sampling.run)"
        )
    return Dataset.from_histogram(domain, counts.astype(np.int64))


def ledger_json(
    subject: ProgramSubject, setting: Setting, budget: Budget, released: Run
) -> Mapping[str, Any]:
    """The events asked, without their outcomes, and what they cost: no private number."""
    events = [event.to_json(setting.domain, setting.neighbours) for event in released.ledger]
    return {
        "schema": "dp-audit/ledger/1",
        "program": subject.to_json(),
        **to_json(setting.neighbours),
        "domain": setting.domain.to_json(),
        "records": setting.records,
        "rows": setting.rows,
        "budget": budget.to_json(),
        "spent": released.spent.to_json(),
        "events": events,
    }
