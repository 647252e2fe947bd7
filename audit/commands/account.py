"""``dp-audit account``: what a composition costs, by every rule that applies."""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from pathlib import Path

from rich.text import Text

from audit import strict_json
from audit.commands import common
from audit.report.accounting_text import accounting_json, accounting_lines, delta_json, delta_lines
from proofs.accounting import accounting, delta_at
from proofs.accounts import of_terms
from proofs.components import Component
from proofs.expressions import parse
from proofs.ledger_files import Account, of_list, of_release
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.neighbours import Neighbours, describe


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's flags."""
    parser = commands.add_parser("account", help="add up what several mechanisms cost")
    parser.add_argument(
        "ledgers",
        nargs="+",
        metavar="LEDGER",
        help="an expression such as '1000 * gaussian(sigma=30)', a list of them (.toml), or what "
        "release --ledger wrote (.json); several add up; - reads an expression",
    )
    parser.add_argument("--delta", metavar="D", help="give epsilon at this delta")
    parser.add_argument("--epsilon", metavar="E", help="give delta at this epsilon instead")
    parser.add_argument("--json", metavar="FILE", help="write both ends, and the proof")
    common.add_relation(parser, required=False, default="that of the ledgers")
    parser.set_defaults(run=run)


def run(flags: argparse.Namespace) -> int:
    """Print both ends and what every rule gives; exit code 0."""
    files = [ledger for ledger in flags.ledgers if _is_file(ledger)]
    common.require_writable(flags.json, inputs=files)
    if (flags.delta is None) == (flags.epsilon is None):
        raise InputError("give --delta D for epsilon at a delta, or --epsilon E for the reverse")
    components, neighbours = _components(flags)
    if flags.delta is not None:
        account = accounting(components, parse_rational(flags.delta, "--delta"))
        document = accounting_json(components, neighbours, account)
        lines = accounting_lines(components, neighbours, account)
    else:
        epsilon = parse_rational(flags.epsilon, "--epsilon")
        ends, theorem, rule = delta_at(components, epsilon)
        found = (components, neighbours, epsilon, (ends.lower, ends.upper), rule, theorem)
        document, lines = delta_json(*found), delta_lines(*found)
    if flags.json:
        common.write_text(flags.json, json.dumps(document, indent=1) + "\n")
    console = common.output_console()
    for line in lines:
        console.print(Text(line), soft_wrap=True)
    return 0


def _components(flags: argparse.Namespace) -> tuple[tuple[Component, ...], Neighbours]:
    """All ledgers' components under one relation."""
    stated = None if flags.neighbours is None else common.relation(flags)
    accounts = [_account(ledger, stated) for ledger in flags.ledgers]
    relation = accounts[0].neighbours if stated is None else stated
    for ledger, account in zip(flags.ledgers, accounts, strict=True):
        if account.neighbours != relation:
            raise InputError(
                f"{ledger[:60]} is under {describe(account.neighbours)}, and the others or "
                f"--neighbours under {describe(relation)}: guarantees under different neighbours "
                "do not add up"
            )
    return tuple(part for account in accounts for part in account.components), relation


def _is_file(ledger: str) -> bool:
    return ledger.endswith((".json", ".toml"))


def _account(ledger: str, stated: Neighbours | None) -> Account:
    if ledger.endswith(".json"):
        expected = "a ledger of dp-audit release"
        return of_release(strict_json.parse(strict_json.read_text(ledger), ledger, expected))
    if ledger.endswith(".toml"):
        try:
            document = tomllib.loads(strict_json.read_text(ledger))
        except (tomllib.TOMLDecodeError, RecursionError):
            raise InputError(f"{Path(ledger).name} is not TOML") from None
        if stated is not None:
            document.setdefault("neighbours", stated.name)
            document.setdefault("unit", stated.unit.name)
            if not stated.unit.is_record:
                document.setdefault("max_records", stated.unit.max_records)
        return of_list(document)
    if stated is None:
        raise InputError("an expression needs --neighbours add-remove or replace-one")
    text = sys.stdin.read(strict_json.MAX_BYTES) if ledger == "-" else ledger
    return Account(of_terms(parse(text), stated), stated)
