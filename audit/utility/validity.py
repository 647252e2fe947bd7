"""Validity: the share of synthetic records that are possible by the rules of the domain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from audit.utility.metric import Metric
from audit.utility.pair import Pair
from audit.utility.records import Records
from audit.utility.rules import Rule, read_rule
from audit.utility.score import Breakdown, Entry, Score
from synthesizers.domain import Domain
from synthesizers.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Validity(Metric):
    """The share of synthetic records that are possible by the rules that their user states.

    ``rules``: texts as `audit.utility.rules` reads them, such as "AGE < 15 -> MARITAL = N"; a
    domain file states them in its table [rules]. A record of which the table only names a bin, or
    lacks what is compared, so that a rule may hold or not, is possible. The breakdown "rules",
    worst first: the shares of real and of synthetic records that break each, and of synthetic ones
    that may. The breakdown "outside": columns with values outside the domain, and the shares of
    both tables.

    What it misses: whatever no rule forbids. Source: the inconsistency tests in the report of
    SDNist 2.x, whose rules are built in; here they are the user's.
    """

    name = "validity"
    lowest, highest, direction = 0.0, 1.0, "higher"

    rules: tuple[str, ...] = ()

    def check(self, domain: Domain) -> None:
        """Refuse no rule, and rules that the domain does not fit."""
        if not self.rules:
            raise InputError(
                f"{self.name}: no rule is stated; write some into the table [rules] of the domain "
                "file"
            )
        self.read(domain)

    def read(self, domain: Domain) -> tuple[Rule, ...]:
        """The rules over a domain."""
        return tuple(read_rule(text, domain) for text in self.rules)

    def score(self, pair: Pair) -> Score:
        """The share of possible records; ``NeedsRecords`` for a table that is only counted."""
        real, synthetic = pair.tables
        broken = np.zeros(synthetic.records, dtype=np.bool_)
        rows: list[tuple[Entry, ...]] = []
        for rule in self.read(pair.domain):
            certain, may = rule.broken(synthetic)
            broken |= certain
            shares = rule.broken(real)[0].mean(), certain.mean(), (may & ~certain).mean()
            rows.append((rule.text, *map(float, shares)))
        rows.sort(key=lambda row: -float(row[2] or 0))
        columns = ("rule", "real records", "synthetic records", "may break it")
        details = [Breakdown("rules", columns, tuple(rows), plotted="synthetic records")]
        outside = _count_outside(real, synthetic)
        if outside:
            names = ("column", "real records", "synthetic records")
            details.append(Breakdown("outside", names, outside, plotted="synthetic records"))
        return self.scored(
            1 - float(broken.mean()),
            stated=(f"records that break a rule: {int(broken.sum())} of {len(broken)}",),
            details=tuple(details),
        )


def _count_outside(real: Records, synthetic: Records) -> tuple[tuple[Entry, ...], ...]:
    """The columns with values that the domain does not declare, worst first."""
    rows: list[tuple[str, float, float]] = []
    for attribute in real.domain.attributes:
        shares = [
            float((table.column(attribute.name) == attribute.size).mean())
            for table in (real, synthetic)
        ]
        if any(shares):
            rows.append((attribute.name, shares[0], shares[1]))
    return tuple(sorted(rows, key=lambda row: -row[2]))
