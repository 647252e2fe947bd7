"""``dp-audit attest``: say to others what a certificate shows."""

from __future__ import annotations

import argparse
from pathlib import Path

from audit.cli import common, streams
from audit.report.json_text import json_text
from audit.review.attestations.about import draft_about
from dp_audit.attestations import attest
from synthesizers.errors import InputError


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "certificate", nargs="?", metavar="CERT.json", help="a certificate of the program"
    )
    parser.add_argument(
        "--about", metavar="STATED.toml", help="what no certificate knows, as curator and date"
    )
    parser.add_argument(
        "--draft-about", metavar="FILE", help="write such a file, to be filled in, and nothing else"
    )
    parser.add_argument("--ledger", metavar="LEDGER.json", help="the ledger of the release")
    parser.add_argument("--of", metavar="SYNTH.csv", help="the released table, by its digest")
    parser.add_argument("--registry", metavar="ENTRY.yaml", help="write an entry of a registry")
    parser.add_argument("--label", metavar="LABEL.html", help="write a label of one page")
    parser.add_argument(
        "--in-toto", metavar="FILE", help="write a Statement of in-toto: a test result"
    )
    parser.add_argument(
        "--svr", metavar="FILE", help="write a Statement of in-toto: a verification result"
    )
    parser.add_argument(
        "--time", metavar="T", help="when this is attested: 2026-01-31T12:00:00Z (default: now)"
    )
    common.add_output(parser)


def run(flags: argparse.Namespace) -> int:
    """Print the label and write the files asked for; the exit code is that of the verdict."""
    inputs = (flags.certificate, flags.about, flags.ledger, flags.of)
    made = (flags.registry, flags.label, flags.in_toto, flags.svr)
    common.require_writable(flags.draft_about, flags.json, *made, inputs=inputs)
    if "-" in (flags.draft_about, *made):
        raise InputError("name a file to write; standard output has the label, or --json - alone")
    if flags.draft_about is not None:
        return _draft(flags, (*inputs, *made, flags.json, flags.time))
    if flags.certificate is None:
        raise InputError("name a certificate: dp-audit attest CERT.json")
    result = attest(**common.arguments(attest, flags))
    texts = {
        flags.registry: result.yaml if flags.registry else "",
        flags.label: result.html() if flags.label else "",
        flags.in_toto: json_text(result.test_result) if flags.in_toto else "",
        flags.svr: json_text(result.verification) if flags.svr else "",
    }
    streams.deliver(result, flags, texts)
    return result.exit_code


def _draft(flags: argparse.Namespace, others: tuple[str | None, ...]) -> int:
    """Write the draft; exit code 0."""
    if any(other is not None for other in others):
        raise InputError("--draft-about FILE drafts a file and does nothing else; give it alone")
    if Path(flags.draft_about).exists():
        raise InputError(f"{flags.draft_about} is there already; choose another name, or remove it")
    streams.write_text(flags.draft_about, draft_about())
    told = f"wrote {flags.draft_about}: fill it in, and hand it over with --about"
    streams.talk_console(flags.quiet).print(told, markup=False, soft_wrap=True)
    return 0
