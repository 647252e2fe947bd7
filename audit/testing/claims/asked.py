"""What a test asks of a subject: the claim, and all that it is relative to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from audit.auditors.attack.evidence import Attack
from audit.statements.claim import Claim
from audit.statements.evidence import Verdict
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, neighbours_from
from synthesizers.schemas import load_domain

SEED = 0
"""Of attacks and of generated databases: the same at every run, so that a test does not flicker."""

RUNS = {"function": 10_000, "batch": 10_000, "estimator": 1_000}
"""Runs a database of an attack (a choice of this project: as the command line's)."""

RECORDS = 3
"""Records of the largest enumerated database (a choice of this project: the smallest at which
thresholds, medians and pairs of equal records all differ)."""

REQUIRED = {
    None: (Verdict.PROVED, Verdict.EXACT, Verdict.NOT_REFUTED),
    "exact": (Verdict.PROVED, Verdict.EXACT),
    "proof": (Verdict.PROVED,),
}
"""The verdicts with which a test succeeds, by what it requires."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The arguments of a test, as they were written.

    ``claim``: its text. ``neighbours``: "add-remove", "replace-one", or a relation. ``unit``,
    ``max_records``: of persons. ``cells``: a small domain, 2 or "2x3"; ``domain``: any other one,
    also as the path of its file. ``records``: of a database, at most; where n is public, exactly.
    ``rows``: the public number of rows. ``pair``: two databases, as records or as counts over
    cells, instead of all or of generated ones. ``runs``, ``seed``, ``confidence``, ``alarm``: of
    attacks. ``require``: "exact" or "proof". ``parameters``: of an estimator's class.
    ``properties``: whether auditors of single properties look at the subject, too.
    """

    claim: str
    neighbours: str | Neighbours
    unit: str = "record"
    max_records: int | None = None
    cells: int | str | None = None
    domain: Domain | str | None = None
    records: int | None = None
    rows: int | None = None
    released: str = "output"
    pair: tuple[Any, Any] | None = None
    runs: int | None = None
    seed: int = SEED
    confidence: str | Fraction = "0.95"
    alarm: str | Fraction = "1e-6"
    require: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    properties: bool = True

    def __post_init__(self) -> None:
        if self.require not in tuple(REQUIRED):
            raise InputError(f"require must be 'exact', 'proof' or None, found {self.require!r}")
        if self.cells is not None and self.domain is not None:
            raise InputError("give cells or a domain, not both")
        if not (self.pair is None or (isinstance(self.pair, tuple | list) and len(self.pair) == 2)):
            raise InputError("a pair is two databases: pair=(first, second)")
        if not isinstance(self.neighbours, str | AddRemove | ReplaceOne):
            raise InputError("name the neighbours: neighbours='add-remove' or 'replace-one'")
        if not isinstance(self.domain, Domain | str | None):
            raise InputError("a domain is a Domain, or the path of a domain file")
        for name, least in (("runs", 1), ("records", 1), ("rows", 0), ("seed", 0)):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < least):
                raise InputError(f"{name} must be a whole number of at least {least}")

    @property
    def relation(self) -> Neighbours:
        """The neighbouring relation."""
        if isinstance(self.neighbours, str):
            return neighbours_from(self.neighbours, self.unit, self.max_records)
        if self.unit != "record" or self.max_records is not None:
            raise InputError("a relation has its unit inside: leave out unit and max_records")
        return self.neighbours

    def stated_domain(self) -> Domain | None:
        """The domain, if one is stated."""
        if self.cells is not None:
            return Domain.from_cells(str(self.cells))
        return load_domain(self.domain) if isinstance(self.domain, str) else self.domain

    def claim_of(self, records: int | None) -> Claim:
        """The claim, about databases of so many records."""
        return Claim(
            parse_guarantee(self.claim),
            self.relation,
            self.released,
            self.stated_domain(),
            records,
        )

    def attack(self, form: str) -> Attack:
        """How a black box of a form is attacked."""
        runs = RUNS[form] if self.runs is None else self.runs
        error = 1 - chance(self.confidence, "confidence")
        return Attack(runs, self.seed, error, chance(self.alarm, "alarm"))


def chance(value: str | Fraction, name: str) -> Fraction:
    """A chance strictly between 0 and 1; raises InputError."""
    found = parse_rational(value, name)
    if not 0 < found < 1:
        raise InputError(f"{name} must lie strictly between 0 and 1, found {value}")
    return found
