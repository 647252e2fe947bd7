"""What is asked of a subject: one request behind the command, the fixture and the function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from audit.auditors.attack.pairs.given_pairs import given_pair, read_database
from audit.auditors.attack.veils.causes import parse_causes
from audit.auditors.effort import Attack
from audit.statements.claim import Claim
from audit.statements.evidence import Verdict
from audit.subjects.pair import Pair
from dp_audit.arguments import (
    DomainLike,
    Number,
    at_least_zero,
    domain_of,
    optional_number,
    probability,
    relation,
    require_a_pair,
    require_one_domain,
)
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours

REACHED: Mapping[str | None, tuple[Verdict, ...]] = {
    "exact": (Verdict.PROVED, Verdict.EXACT),
    "proof": (Verdict.PROVED,),
}
"""The verdicts that reach the evidence which is required."""

RUNS = {"function": 10_000, "batch": 10_000, "training": 1}
RUNS_OF_OTHERS = 1_000
"""Runs a database of an attack, by what is attacked: minutes at most where one run takes a tenth of
a second."""

CONFIDENCE, ALARM = "0.95", "1e-6"
"""Of the floor that is shown, and the error that REFUTED may have."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """A claim about a subject, with all that it is relative to.

    ``claim``: its text. ``neighbours``: "add-remove", "replace-one", or a relation. ``unit``,
    ``max_records``: of persons. ``cells``: a small domain, 2 or "2x3"; ``domain``: any other one,
    also as the path of its file. ``records``: of a database, at most; where n is public, exactly.
    ``rows``: the public number of rows. ``pair``: two databases, each as its value or the ``Path``
    of its file, instead of generated ones. ``runs``, ``seed``, ``confidence``, ``alarm``,
    ``until_decided``, ``stop_early``: of attacks, and so are ``detect``, the leak that the runs
    must be able to see; ``beyond``, the causes of leaks that are known and left out of sight;
    ``min_records``, the fewest records of a searched database; ``data_is_public``, that what runs
    say of their databases may be shown; ``look``, the number of the look at this code, where looks
    are counted.

    Raises InputError for what makes no sense.
    """

    claim: str
    neighbours: str | Neighbours
    unit: str = "record"
    max_records: int | None = None
    cells: int | str | None = None
    domain: DomainLike | None = None
    records: int | None = None
    rows: int | None = None
    released: str = "output"
    pair: tuple[Any, Any] | None = None
    runs: int | None = None
    seed: int | None = None
    confidence: Number = CONFIDENCE
    alarm: Number = ALARM
    until_decided: bool = False
    stop_early: bool = False
    detect: Number | None = None
    beyond: str | Sequence[str] = ()
    min_records: int | None = None
    data_is_public: bool = False
    look: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.claim, str):
            raise InputError(
                "state the claim as text: 'epsilon=1', 'rho=0.5', 'epsilon=1, delta=1e-6'"
            )
        if not (self.pair is None or (isinstance(self.pair, tuple | list) and len(self.pair) == 2)):
            raise InputError("a pair is two databases: pair=(first, second)")
        require_one_domain(self.domain, self.cells)
        for name, least in (
            ("runs", 1),
            ("records", 0),
            ("rows", 0),
            ("seed", 0),
            ("min_records", 0),
            ("look", 1),
        ):
            number = optional_number(getattr(self, name), f"--{name.replace('_', '-')}", least)
            object.__setattr__(self, name, number)
        if self.until_decided and self.stop_early:
            raise InputError(
                "--until-decided bets from the first run on, --stop-early tests a rule that was "
                "learned before: give one of them"
            )
        # Both are looked at before any work.
        probability(self.confidence, "--confidence")
        probability(self.alarm, "--alarm")
        assert self.relation
        assert isinstance(self.causes, tuple)

    @cached_property
    def relation(self) -> Neighbours:
        """The neighbouring relation."""
        return relation(self.neighbours, self.unit, self.max_records)

    @cached_property
    def causes(self) -> tuple[str, ...]:
        """The causes of leaks that are left out of sight, by their names."""
        names = self.beyond.split(",") if isinstance(self.beyond, str) else self.beyond
        return parse_causes([name.strip() for name in names if name.strip()])

    @cached_property
    def stated_domain(self) -> Domain | None:
        """The domain, if one is stated."""
        return domain_of(self.domain, self.cells, self.unit)

    def claim_of(self, records: int | None, domain: Domain | None = None) -> Claim:
        """The claim, about databases of so many records; ``domain``: where none is stated."""
        require_a_pair(records)
        return Claim(
            parse_guarantee(self.claim),
            self.relation,
            self.released,
            self.stated_domain if domain is None else domain,
            records,
        )

    def attack(self, kind: str, seed: int, pair: Pair | None) -> Attack:
        """How a black box of a kind is attacked; ``seed``: where none is stated."""
        attack = Attack(
            runs=RUNS.get(kind, RUNS_OF_OTHERS) if self.runs is None else self.runs,
            seed=seed if self.seed is None else self.seed,
            error=1 - probability(self.confidence, "--confidence"),
            alarm=probability(self.alarm, "--alarm"),
            until_decided=self.until_decided,
            stop_early=self.stop_early,
            pair=pair,
            detect=None if self.detect is None else self._detect(self.detect),
            beyond=self.causes,
            min_records=self.min_records or 0,
            data_is_public=self.data_is_public,
        )
        return attack.at_look(self.look)

    def _detect(self, stated: Number) -> Fraction:
        """The leak that has to be seen; raises InputError for one that the claim allows."""
        # Here, not above: statistics come with it.
        from audit.auditors.attack.guessing.power import require_detect

        leak = at_least_zero(stated, "--detect")
        return require_detect(parse_guarantee(self.claim), leak)

    def given_pair(self, claim: Claim) -> Pair | None:
        """The pair of databases, those of files read; None without one."""
        if self.pair is None:
            return None
        first, second = (
            read_database(str(one)) if isinstance(one, Path) else one for one in self.pair
        )
        return given_pair(first, second, claim.neighbours, claim.domain, records=claim.records)
