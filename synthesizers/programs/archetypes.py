"""Archetypes: noisy counts of public kinds of person; all else is drawn from public tables.

Purpose: persons with many correlated records, when public data say what kinds
of person there are and how each behaves, so that only their numbers are asked.

Source: team GooseDP-PSA in the NIST Temporal Map challenge of 2020-2021, after
its write-up. The names of the attributes, the form of the public tables and
the accounting are ours.

Inputs: epsilon; noise = gaussian (default) or laplace; delta, with gaussian
noise alone; archetype and company, the attributes of the two histograms
(default: so called); share, of the budget for the archetypes (default 1/10, the
team's); tables = a+b=1,2,3|4,5,6;c=...: for each set of other attributes a line
of weights an archetype, lines separated by bars, the last attribute fastest
(attributes in no table are uniform); trips, the public number of rows that a
record of each archetype stands for (one number each; default 1); slack, how far
beyond 0 and the number of rows a noisy count may lie (default: no bound that
matters).

Budget: two questions, the histogram of archetypes for the share and that of
companies for the rest, of epsilon (laplace) or of rho (gaussian; the largest
rho that gives (epsilon, delta), Canonne, Kamath & Steinke 2020). Each has L1 and
L2 sensitivity 1 under add-remove, 2 and sqrt 2 under replace-one; for persons
of at most m records, m times as much. Accountant: sums of epsilon, or of rho.

Post-processing: counts are clipped at 0 (all zero: equal). Archetypes are drawn
with their count times their trips, companies independently, and the other
attributes of a row from the tables of its archetype. Where the domain has at
most 4096 cells the product of these chances is rounded to the number of rows by
largest remainder; otherwise rows are drawn systematically within an archetype.

Assumes public: the domain, the archetypes, their tables and trips (from other
data: learnt from the private records they would be a hidden release), the
number of rows (otherwise the noisy number of archetypes' records, times trips).
The archetype and the modal company of a person depend on that person's records
alone.

Known weaknesses: what the public data do not say of the private ones is lost;
company and archetype are independent.

Departures: the team adds the guarantees of two analytic Gaussians, of
(epsilon/10, delta/10) and nine times as much; here the shares are of rho, which
splits the noise more evenly and accounts for it more tightly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from synthesizers.budget import Budget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation.blocks import Block, cell_count, release_blocks
from synthesizers.programs.asking import require_share, rows_released
from synthesizers.programs.column_groups import (
    noisy_counts,
    nominal_budget,
    require_disjoint,
    require_parameters,
)
from synthesizers.programs.parameters import (
    attribute_name,
    one_of,
    parameter,
    rational,
    rationals,
    whole,
)
from synthesizers.queries import Marginal

MOST_TRIPS = 1000
"""The most records that stand for one counted record."""


@dataclass(frozen=True, slots=True)
class PublicTable:
    """How some attributes are distributed: a line of weights for each archetype."""

    attributes: tuple[str, ...]
    lines: tuple[tuple[Fraction, ...], ...]


def public_tables(text: str, name: str) -> tuple[PublicTable, ...]:
    """Tables as text: ``a+b=1,2,3|4,5,6;c=…``."""
    tables = []
    for part in text.split(";"):
        attributes, _, lines = part.partition("=")
        names = tuple(attribute_name(one, name) for one in attributes.split("+"))
        tables.append(PublicTable(names, tuple(rationals(line, name) for line in lines.split("|"))))
    return tuple(tables)


@dataclass(frozen=True, slots=True)
class Archetypes:
    """See the module's card."""

    epsilon: Fraction = parameter(rational)
    delta: Fraction | None = parameter(rational, None)
    noise: str = parameter(one_of("gaussian", "laplace"), "gaussian")
    archetype: str = parameter(attribute_name, "archetype")
    company: str = parameter(attribute_name, "company")
    share: Fraction = parameter(rational, Fraction(1, 10))
    tables: tuple[PublicTable, ...] = parameter(public_tables, ())
    trips: tuple[Fraction, ...] = parameter(rationals, ())
    slack: int | None = parameter(whole, None)

    def __post_init__(self) -> None:
        require_parameters(self.noise, self.epsilon, self.delta)
        require_share(self.share, "the share of the archetypes")
        drawn = [(self.archetype, self.company), *(table.attributes for table in self.tables)]
        require_disjoint(drawn, "archetype, company and tables")
        weights = [weight for table in self.tables for line in table.lines for weight in line]
        if min([*weights, *self.trips], default=0) < 0:
            raise InputError("the weights of tables and trips must not be negative")
        if max(self.trips, default=0) > MOST_TRIPS:
            raise InputError(f"the trips of an archetype must be at most {MOST_TRIPS}")

    def budget(self, setting: Setting) -> Budget:
        """The nominal guarantee."""
        return nominal_budget(self.noise, self.epsilon, self.delta)

    def __call__(self, curator: Curator) -> Dataset:
        """Synthetic records."""
        domain, budget = curator.domain, self.budget(curator.setting)
        conditional = self._tables(domain)
        kinds, companies = (
            noisy_counts(curator, Marginal((name,)), budget, share, self.slack)
            for name, share in ((self.archetype, self.share), (self.company, 1 - self.share))
        )
        weights = kinds.clip(0) * np.array([float(trips) for trips in self.trips or (1,)])
        blocks = [
            Block((self.archetype,), weights),
            Block((self.company,), companies.clip(0).astype(float)),
            *conditional,
        ]
        return release_blocks(curator, blocks, rows_released(curator.setting, float(weights.sum())))

    def _tables(self, domain: Domain) -> list[Block]:
        """The public tables as blocks; InputError where they do not fit the domain."""
        archetypes = domain.attribute(self.archetype).size
        domain.position(self.company)
        if self.trips and len(self.trips) != archetypes:
            raise InputError(f"trips must be one number for each of the {archetypes} archetypes")
        for table in self.tables:
            cells = cell_count(domain, table.attributes)
            if len(table.lines) != archetypes or {len(line) for line in table.lines} != {cells}:
                raise InputError(
                    f"the table of {', '.join(table.attributes)} needs {archetypes} lines of "
                    f"{cells} weights, one line an archetype"
                )
        return [
            Block(table.attributes, np.array(table.lines, np.float64), (self.archetype,))
            for table in self.tables
        ]
