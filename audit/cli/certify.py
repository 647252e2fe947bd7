"""``dp-audit certify``: a subject and a claim make a certificate."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace

from audit.auditors.registry import AUDITORS, named
from audit.certify import Effort, certify
from audit.cli import attack_flags, common, streams
from audit.report.certificate.document import certificate_text
from audit.report.certificate.terminal import certificate_lines
from audit.report.html import render
from audit.report.page import CertificateSection, Page
from audit.self_test.carried import carried
from audit.statements.certificate import Certificate
from audit.statements.claim import Claim
from audit.statements.evidence import Verdict
from audit.statements.reproduce import Command
from audit.subjects.black_boxes import Wanted, black_box, is_command_or_outputs
from audit.subjects.isolated import described
from audit.subjects.matrix import is_channel_file, read_channel
from audit.subjects.subject import Subject
from audit.subjects.synthesizer import COMMAND, program_subject
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours
from synthesizers.programs import PROGRAMS
from synthesizers.tables import read_table

SATISFYING = {
    None: tuple(Verdict),
    "exact": (Verdict.EXACT, Verdict.PROVED),
    "proof": (Verdict.PROVED,),
}
"""Which verdicts reach the evidence that ``--require`` names."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "subject",
        help="a built-in name, module:attribute, command:PATH, outputs:A,B, or a channel file "
        "(.csv, .parquet)",
    )
    parser.add_argument(
        "--claim",
        required=True,
        help="'epsilon=1', 'epsilon=1, delta=1e-6', 'rho=0.5', 'mu=1' or 'alpha=8, rdp=2'",
    )
    parser.add_argument("--domain", metavar="FILE", help="a domain file (TOML)")
    parser.add_argument("--cells", metavar="K", help="a small domain: 4, or 2x3")
    parser.add_argument("--records", metavar="N", help="records; 0 to N where n is private")
    parser.add_argument(
        "--rows", metavar="M", help="public output size (default: N); needed without it"
    )
    parser.add_argument("--data", metavar="FILE", help="the table of a planned release")
    parser.add_argument(
        "--rounded", action="store_true", help="a channel file's decimals are rounded"
    )
    parser.add_argument(
        "--trust-subject",
        action="store_true",
        help="take a program's word where nothing here can keep it apart",
    )
    parser.add_argument(
        "--auditors",
        metavar="NAME,…",
        help="run these and no others: "
        + ", ".join(auditor.flag for auditor in AUDITORS.values())
        + " (default: each that fits and is quick)",
    )
    parser.add_argument("--require", choices=("exact", "proof"), help="exit 3 without it")
    parser.add_argument(
        "--self-test",
        metavar="FILE",
        help="carry the result of dp-audit self-test --json FILE in the certificate",
    )
    parser.add_argument("--out", metavar="CERT.json", help="write the certificate")
    parser.add_argument("--json", metavar="FILE", help="write the certificate as JSON, too")
    parser.add_argument("--html", metavar="FILE", help="write the report")
    common.add_relation(parser, required=True)
    common.add_released(parser)
    common.add_settings(parser)
    attack_flags.add(parser)


def run(flags: argparse.Namespace) -> int:
    """Print the certificate, write the files asked for; the verdict's exit code."""
    inputs = (flags.data, flags.domain, flags.subject, flags.self_test)
    common.require_writable(flags.out, flags.json, flags.html, inputs=inputs)
    again = command(flags)
    relation = common.relation(flags)
    tested = None if flags.self_test is None else carried(flags.self_test)
    subject, claim = _subject_and_claim(flags, relation)
    rows = common.optional_number(flags.rows, "--rows")
    effort = Effort(
        rows,
        common.jobs(flags.jobs),
        trusted=flags.trust_subject,
        auditors=None if flags.auditors is None else named(flags.auditors),
    )
    attack = attack_flags.attack(flags, subject, claim)
    if attack is not None:
        effort = replace(effort, attack=attack, share=attack_flags.shared(flags))
        again = attack_flags.spelled(again, flags, attack)
    talk = streams.talk_console(flags.quiet)
    with ExitStack() as bars:
        # Named auditors may listen to the streams that a bar writes to.
        if flags.auditors is None and attack is None:
            bar = streams.progress_bar(talk, "enumerating", *streams.TRANSCRIPTS)
            effort = replace(effort, progress=bars.enter_context(bar))
        elif flags.auditors is None:
            watch = bars.enter_context(attack_flags.progress_bar(talk, claim.guarantee))
            effort = replace(effort, watch=watch)
        audit = certify(subject, claim, effort, str(again))
    certificate = replace(audit.certificate, self_test=tested)
    for reason, names in itertools.groupby((audit.left_out or {}).items(), key=lambda one: one[1]):
        left_out = ", ".join(name for name, _ in names)
        talk.print(f"not run: {left_out} ({reason})", markup=False)
    write(certificate, flags.out, flags.json, flags.html)
    streams.output_console().print(certificate_lines(certificate))
    code = certificate.verdict.exit_code
    if code == 0 and any(evidence.partial for evidence in certificate.evidence):
        talk.print("interrupted: the report is that of the runs made until then", markup=False)
        return 130
    if code == 0 and certificate.verdict not in SATISFYING[flags.require]:
        talk.print(f"required evidence not reached: {flags.require}", markup=False)
        return 3
    return code


def _subject_and_claim(flags: argparse.Namespace, relation: Neighbours) -> tuple[Subject, Claim]:
    guarantee = parse_guarantee(flags.claim)
    records = common.optional_number(flags.records, "--records")
    values = common.settings(flags.set)
    rows = common.optional_number(flags.rows, "--rows")
    wanted = _black_box(flags, values)
    if wanted is not None:
        if flags.data or flags.rounded:
            raise InputError("an attack reads neither --data nor --rounded; give --pair")
        domain = common.domain(flags) if flags.domain or flags.cells else None
        claim = Claim(guarantee, relation, flags.released, domain, records)
        return black_box(replace(wanted, rows=rows), claim), claim
    if is_channel_file(flags.subject):
        if values or flags.data or flags.domain or flags.rows:
            raise InputError("a channel file takes no --set, --data, --domain or --rows")
        subject = read_channel(flags.subject, relation, flags.released, flags.rounded)
        channel = subject.channel
        if flags.cells is not None and Domain.from_cells(flags.cells).size != channel.domain.size:
            raise InputError(f"the channel has {channel.domain.size} cells, --cells says otherwise")
        largest = int(channel.databases.sum(axis=1).max())
        if records not in (None, largest):
            raise InputError(f"the channel has databases of {largest} records, --records differs")
        claim = Claim(guarantee, relation, flags.released, channel.domain, largest)
        return subject, claim
    if flags.rounded:
        raise InputError("--rounded goes with a channel file")
    domain = common.domain(flags)
    # The program's process starts before the table is opened, and may not open it.
    hidden = [] if flags.data is None else [flags.data]
    program = program_subject(flags.subject, values, hidden)
    records = _records(flags, relation, domain, records)
    return program, Claim(guarantee, relation, flags.released, domain, records)


def _black_box(flags: argparse.Namespace, values: Mapping[str, str]) -> Wanted | None:
    """The black box that the subject is; None for a program or a channel."""
    wanted = Wanted(flags.subject, flags.form, values, attack_flags.limits(flags))
    if is_command_or_outputs(flags.subject):
        if flags.form == "program" and flags.subject.startswith(COMMAND):
            return None
        if flags.form is not None:
            raise InputError(f"--as {flags.form} goes with module:attribute")
        return wanted
    named = ":" in flags.subject and flags.subject not in PROGRAMS
    if not named or is_channel_file(flags.subject):
        if flags.form not in (None, "program"):
            raise InputError(f"--as {flags.form} goes with module:attribute")
        return None
    if flags.form is not None:
        return None if flags.form == "program" else wanted
    parameters = {key.replace("-", "_"): value for key, value in values.items()}
    found = described(flags.subject, parameters)
    return None if found.form == "program" else replace(wanted, found=found)


def _records(
    flags: argparse.Namespace, relation: Neighbours, domain: Domain, stated: int | None
) -> int | None:
    """The claim's number of records: as stated, or that of the table where n is public."""
    if flags.data is None:
        return stated
    dataset = read_table(flags.data, domain)
    if not relation.records_public:
        return stated
    if stated not in (None, dataset.records):
        raise InputError("the table has another number of records than --records")
    return dataset.records


def write(
    certificate: Certificate, out: str | None, json_file: str | None, html: str | None
) -> None:
    """Write the certificate and its report where asked for."""
    texts = {path: certificate_text(certificate) for path in (out, json_file) if path is not None}
    if html is not None:
        name = str(certificate.subject["name"])
        section = CertificateSection(f"{name}: {certificate.claim.guarantee}", certificate)
        lead = "What was claimed, what was found, and how to check it without trusting this report."
        texts[html] = render(Page(f"Privacy certificate of {name}", lead, (section,)))
    # All are made before the first is written.
    for path, text in texts.items():
        common.write_text(path, text)


def command(flags: argparse.Namespace) -> Command:
    """The command that makes the certificate again; raises InputError."""
    names = ("claim", "neighbours", "unit", "max_records", "domain", "cells", "records", "rows")
    given = {name: getattr(flags, name) for name in (*names, "data", "released")}
    if flags.form == "program" and flags.subject.startswith(COMMAND):
        given["as"] = flags.form
    if flags.auditors is not None:
        given["auditors"] = ",".join(AUDITORS[name].flag for name in named(flags.auditors))
    words = {
        name.replace("_", "-"): [str(value)] for name, value in given.items() if value is not None
    }
    words |= {
        name.replace("_", "-"): [] for name in ("rounded", "trust_subject") if getattr(flags, name)
    }
    return Command(flags.subject, words, tuple(flags.set or ()))
