"""All disclosure checks of one release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.disclosure.assurances import Assurance, read_assurance
from audit.disclosure.distances import Distances, measure_distances
from audit.disclosure.inference import infer
from audit.disclosure.linkability import link
from audit.disclosure.matches import Matches, match
from audit.disclosure.membership import Membership, infer_membership
from audit.disclosure.risks import Risk
from audit.disclosure.singling_out import single_out
from audit.disclosure.tables import Tables, most_of_a_person
from audit.statements.checks import Check
from audit.utility.copies import Copies, count_copies
from synthesizers.domain import Domain
from synthesizers.errors import InputError

CheckProgress = Callable[[int, int, str], None]
"""Told how many of how many checks are done, and which comes next."""


@dataclass(frozen=True)
class Attackers:
    """What attackers know and want, by the names of columns.

    ``known``: from elsewhere; None for all columns but the one that is guessed. ``secrets``: are
    guessed. ``sides``: the two sets of columns that are linked; None for no such attack.
    """

    known: tuple[str, ...] | None
    secrets: tuple[str, ...]
    sides: tuple[tuple[str, ...], tuple[str, ...]] | None


@dataclass(frozen=True)
class Disclosure:
    """What the checks found.

    ``records``: of the real table, the holdout and the release. ``by_coins``: whether the record of
    a split shows that coins chose the holdout. ``error``: of the intervals of one kind of attack
    together. ``copies``: of real records, in all columns; ``shared``: the same of the holdout.
    ``of_a_person``: the most records that a person has in one of these tables. ``undeclared``:
    columns of each table that the domain lacks, and of which nothing is said.
    """

    domain: str
    records: tuple[int, int, int]
    by_coins: bool
    attackers: Attackers
    error: float
    seed: int
    copies: Copies
    shared: Copies
    of_a_person: int
    matches: tuple[Matches, ...]
    membership: Membership
    risks: tuple[Risk, ...]
    distances: Distances
    assurances: tuple[Assurance, ...]
    undeclared: Mapping[str, tuple[str, ...]]


def name_attackers(
    domain: Domain,
    quasi_identifiers: Sequence[str] | None,
    secrets: Sequence[str] | None,
    sides: Sequence[Sequence[str]] | None,
) -> Attackers:
    """What attackers know and want, with defaults where nothing is said.

    Without quasi-identifiers an attacker knows every column but the secret; without secrets each
    other column is one in its turn; without sides both halves of the columns are linked.

    Raises ``InputError`` for what the domain does not have, and for sets that meet.
    """
    for flag, names in (
        ("--quasi-identifiers", quasi_identifiers),
        ("--secret", secrets),
        *(("--link", side) for side in sides or ()),
    ):
        if names is not None:
            _require_columns(domain, flag, names)
    known = None if quasi_identifiers is None else tuple(quasi_identifiers)
    wanted = tuple(secrets or (name for name in domain.names if name not in (known or ())))
    both = sorted(set(wanted) & set(known or ()))
    if both:
        raise InputError(f"{both[0]!r} is both a quasi-identifier and a secret; it is one of them")
    if sides is not None and (len(sides) != 2 or set(sides[0]) & set(sides[1])):
        raise InputError(
            "--link is given twice, with columns of one source and of another; no column is in both"
        )
    names, half = domain.names, len(domain.names) // 2
    if len(names) == 1:
        # Nothing is known of a record beside its only value, and nothing to be linked.
        return Attackers(known, () if known is None else wanted, None)
    halves = (names[:half], names[half:])
    return Attackers(known, wanted, halves if sides is None else (tuple(sides[0]), tuple(sides[1])))


def _require_columns(domain: Domain, flag: str, names: Sequence[str]) -> None:
    strange = [name for name in names if name not in domain.names]
    if strange:
        raise InputError(f"{flag}: the domain has no attribute {strange[0]!r}")
    if not names or len(set(names)) < len(names):
        raise InputError(f"{flag} names one or more columns, each once")


def check_release(
    tables: Tables,
    attackers: Attackers,
    error: float,
    seed: int,
    *,
    certificates: Sequence[tuple[str, Mapping[str, Any], Check | None]] = (),
    undeclared: Mapping[str, tuple[str, ...]] | None = None,
    progress: CheckProgress = lambda done, total, name: None,
) -> Disclosure:
    """Every check; all that is drawn follows from ``seed``.

    ``certificates``: with their files, and what the independent checker says of their proofs.
    """
    steps = iter(("matches", "singling out", "linkability", "inference", "membership", "distances"))

    def begin(done: int) -> None:
        progress(done, 6, next(steps))

    begin(0)
    names = tables.domain.names
    matches = [match(tables, "matches in every column", names, error, seed)]
    if attackers.known is not None:
        matches.append(
            match(tables, "matches in the quasi-identifiers", attackers.known, error, seed)
        )
    begin(1)
    risks = [*single_out(tables, error, seed)]
    begin(2)
    if attackers.sides is not None:
        risks.append(link(tables, attackers.sides, error, seed))
    begin(3)
    if attackers.secrets:
        risks += infer(tables, attackers.known, attackers.secrets, error, seed)
    begin(4)
    membership = infer_membership(tables, error, seed)
    begin(5)
    distances = measure_distances(tables, seed)
    progress(6, 6, "")
    return Disclosure(
        tables.domain.name,
        (tables.real.records, tables.holdout.records, tables.synthetic.records),
        tables.chosen is not None,
        attackers,
        error,
        seed,
        count_copies(tables.real, tables.synthetic),
        count_copies(tables.real, tables.holdout),
        max(map(most_of_a_person, tables.of_persons)),
        tuple(matches),
        membership,
        (*(one.risk for one in matches), *risks),
        distances,
        tuple(read_assurance(file, plain, tables, proof) for file, plain, proof in certificates),
        undeclared or {},
    )
