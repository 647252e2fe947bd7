"""``dp-audit account``: what a composition costs, by every rule that applies."""

from __future__ import annotations

import argparse
import json
import tomllib

from rich.text import Text

from audit.cli import common, streams
from audit.report.accounting import Asked, accounting_json, accounting_lines
from audit.statements import strict_json
from proofs.accounting import accounting, delta_accounting
from proofs.accounts import of_terms
from proofs.components import Component
from proofs.expressions import MAX_CHARACTERS, parse
from proofs.ledger_files import Account, of_list, of_release
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.neighbours import RECORD, Neighbours, describe
from synthesizers.neighbours import to_json as neighbours_to_json

MAX_LIST = 1_000_000
"""The longest list of expressions that is read (a choice of this project)."""


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
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


def run(flags: argparse.Namespace) -> int:
    """Print both ends and what every rule gives; exit code 0."""
    files = [ledger for ledger in flags.ledgers if _is_file(ledger)]
    common.require_writable(flags.json, inputs=files)
    if (flags.delta is None) == (flags.epsilon is None):
        raise InputError("give --delta D for epsilon at a delta, or --epsilon E for the reverse")
    components, neighbours = _components(flags)
    if flags.delta is not None:
        delta = parse_rational(flags.delta, "--delta")
        asked = Asked(components, neighbours, "epsilon", delta)
        account = accounting(components, delta)
    else:
        epsilon = parse_rational(flags.epsilon, "--epsilon")
        asked = Asked(components, neighbours, "delta", epsilon)
        account = delta_accounting(components, epsilon)
    if flags.json:
        document = accounting_json(asked, account)
        common.write_text(flags.json, json.dumps(document, indent=1) + "\n")
    console = streams.output_console()
    for line in accounting_lines(asked, account):
        console.print(Text(line), soft_wrap=True)
    return 0


def _components(flags: argparse.Namespace) -> tuple[tuple[Component, ...], Neighbours]:
    """All ledgers' components under one relation."""
    stated = None if flags.neighbours is None else common.relation(flags)
    if stated is None and (flags.unit != RECORD.name or flags.max_records is not None):
        raise InputError("--unit and --max-records go with --neighbours")
    if flags.ledgers.count("-") > 1:
        raise InputError("standard input (-) is read once")
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
        return _account_of_list(ledger, stated)
    if stated is None:
        raise InputError("an expression needs --neighbours add-remove or replace-one")
    text = strict_json.read_input(MAX_CHARACTERS) if ledger == "-" else ledger
    return Account(of_terms(parse(text), stated), stated)


def _account_of_list(path: str, stated: Neighbours | None) -> Account:
    """Of a TOML list; one that does not state its neighbours is under those of the flags."""
    text = strict_json.read_text(path)
    if len(text) > MAX_LIST:
        raise InputError(f"{path} has more than {MAX_LIST} characters; it is not read")
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{path} is not TOML") from None
    if stated is not None and "neighbours" not in document:
        document = {**neighbours_to_json(stated), **document}
    return of_list(document)
