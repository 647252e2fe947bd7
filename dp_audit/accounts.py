"""`account` and `calibrate`: what a composition costs, and the least noise for a claim."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.report.accounting import Asked
from audit.statements import strict_json
from dp_audit.arguments import Number, exact, relation, whole_number
from dp_audit.results import AccountResult, NoiseResult, ReleaseResult
from proofs.guarantees import parse_guarantee
from proofs.ledger.expressions import MAX_CHARACTERS, parse
from proofs.ledger.files import Composition, of_list, of_release
from proofs.ledger.least_noise import calibrate_noise
from proofs.ledger.terms import of_terms
from proofs.parts import Part
from proofs.search.account import account_delta, account_epsilon
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours, describe
from synthesizers.neighbours import to_json as neighbours_to_json

MAX_LIST = 1_000_000
"""The longest list of expressions that is read, in characters."""

Ledger = str | Path | ReleaseResult | Mapping[str, Any]
"""An expression, the path of a ledger, or what a release asked."""


def account(
    *ledgers: Ledger,
    delta: Number | None = None,
    epsilon: Number | None = None,
    neighbours: str | Neighbours | None = None,
    unit: str = "record",
    max_records: int | None = None,
) -> AccountResult:
    """What several mechanisms cost together, by every rule that applies.

    >>> import dp_audit as dpa
    >>> result = dpa.account("1000 * gaussian(sigma=30)", delta=1e-6, neighbours="add-remove")
    >>> result
    <AccountResult: epsilon <= 5.1890367 by Gaussian DP, closed form>
    >>> float(result.bounds[1])
    5.18903664082188...

    ledgers
        Each an expression such as ``"1000 * gaussian(sigma=30)"`` or
        ``"best_of(laplace(scale=1), expected=10)"``, the path of a list of them (.toml) or of what
        ``release --ledger`` wrote (.json; its content, too), or what `release` returned. Several
        add up. ``-`` reads an expression from standard input.
    delta, epsilon
        ε at this δ, or δ at this ε: one of them.
    neighbours, unit, max_records
        As in `certify`; that of the ledgers where it is left out.

    Raises ``ValueError`` for what makes no sense, and for ledgers under different relations.
    """
    if not ledgers:
        raise InputError("give at least one ledger or expression")
    for ledger in ledgers:
        if _is_expression(ledger):
            # What is written comes first: it is the part that people mistype.
            parse(str(ledger))
    if (delta is None) == (epsilon is None):
        raise InputError("give --delta D for epsilon at a delta, or --epsilon E for the reverse")
    if neighbours is None and (unit != "record" or max_records is not None):
        raise InputError("--unit and --max-records go with --neighbours")
    stated = None if neighbours is None else relation(neighbours, unit, max_records)
    parts, shared = _parts(ledgers, stated)
    if delta is not None:
        value = exact(delta, "--delta")
        asked = Asked(parts, shared, "epsilon", value)
        return AccountResult(asked, account_epsilon(parts, value))
    value = exact(epsilon, "--epsilon")
    asked = Asked(parts, shared, "delta", value)
    return AccountResult(asked, account_delta(parts, value))


def calibrate(
    noise: str,
    claim: str,
    *,
    count: int = 1,
    sensitivity: Number = 1,
    neighbours: str | Neighbours,
    unit: str = "record",
    max_records: int | None = None,
) -> NoiseResult:
    """The least noise for a claim, with the theorem that it suffices.

    >>> import dp_audit as dpa
    >>> dpa.calibrate("laplace", "epsilon=1/2", count=4, neighbours="add-remove")
    <NoiseResult: scale = 8 keeps epsilon=0.5>

    noise
        ``"gaussian"``, ``"laplace"``, ``"discrete_gaussian"``, … (see ``dp-audit list noise``).
    claim
        As in `certify`.
    count, sensitivity
        Runs in all, and the sensitivity of each under the relation.
    neighbours, unit, max_records
        As in `certify`.

    Raises ``ValueError`` for what makes no sense, or where no noise in range suffices.
    """
    claimed = parse_guarantee(claim)
    about = relation(neighbours, unit, max_records)
    runs = whole_number(count, "--count", 1)
    moved = exact(sensitivity, "--sensitivity")
    name = noise.replace("-", "_")
    least = calibrate_noise(name, claimed, runs, moved, about)
    return NoiseResult(name, least, claimed, runs, moved, about)


def _parts(
    ledgers: tuple[Ledger, ...], stated: Neighbours | None
) -> tuple[tuple[Part, ...], Neighbours]:
    """All ledgers' parts under one relation."""
    if sum(ledger == "-" for ledger in ledgers) > 1:
        raise InputError("standard input (-) is read once")
    compositions = [_read(ledger, stated) for ledger in ledgers]
    shared = compositions[0].neighbours if stated is None else stated
    for ledger, one in zip(ledgers, compositions, strict=True):
        if one.neighbours != shared:
            name = str(ledger)[:60] if isinstance(ledger, str | Path) else "a ledger"
            raise InputError(
                f"{name} is under {describe(one.neighbours)}, and the others or "
                f"--neighbours under {describe(shared)}: guarantees under different neighbours "
                "do not add up"
            )
    return tuple(part for one in compositions for part in one.parts), shared


def _is_expression(ledger: Ledger) -> bool:
    """Whether it is an expression itself, and names no file and not standard input."""
    return isinstance(ledger, str) and ledger != "-" and not ledger.endswith((".json", ".toml"))


def _read(ledger: Ledger, stated: Neighbours | None) -> Composition:
    if isinstance(ledger, ReleaseResult):
        return of_release(ledger.ledger())
    if isinstance(ledger, Mapping):
        return of_release(dict(ledger))
    written = str(ledger)
    if written.endswith(".json"):
        expected = "a ledger of dp-audit release"
        return of_release(strict_json.parse(strict_json.read_text(written), written, expected))
    if written.endswith(".toml"):
        return _read_list(written, stated)
    if stated is None:
        raise InputError("an expression needs --neighbours add-remove or replace-one")
    text = strict_json.read_input(MAX_CHARACTERS) if written == "-" else written
    return Composition(of_terms(parse(text), stated), stated)


def _read_list(path: str, stated: Neighbours | None) -> Composition:
    """Of a TOML list; one that does not state its neighbours is under those of the request."""
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
