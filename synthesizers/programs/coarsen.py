"""Global recoding: one attribute's values give way to groups of values.

Purpose: fewer, larger cells; the first step of most disclosure control.

Source: Willenborg & de Waal 2001, who call it global recoding.

Inputs: attribute, the one to coarsen (default: the only one); and either level,
the number of a level of its hierarchy in the domain file (level 1 is the first
that groups values; the last is one group of all, in the file or not, and is
level 1 of an attribute without a hierarchy), or groups, a group number for every
value in order, as in 0,0,1,1.

Budget: none. Not differentially private: the counts of the groups are exact,
so epsilon is infinite and delta(epsilon) = 1 as soon as a record of a
neighbour lies in another group.

Post-processing: none. The output has one count a coarse cell, the last
attribute fastest.

Assumes public: the domain, its hierarchies, the attribute and its groups.
Groups chosen after a look at the data would be a hidden release.

Known weaknesses: a coarse cell of one record is as exposed as a fine one;
tables of the same records at two levels can be subtracted from one another.
"""

from __future__ import annotations

from dataclasses import dataclass

from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.laws.generalisation import (
    GlobalRecoding,
    Grouping,
    fitting,
    ladder_of,
    require_groupings,
)
from synthesizers.programs.one_law import OneLaw
from synthesizers.programs.parameters import attribute_name, parameter, whole, wholes


@dataclass(frozen=True, slots=True)
class Coarsen(OneLaw):
    """See the module's card."""

    attribute: str | None = parameter(attribute_name, None)
    level: int | None = parameter(whole, None)
    groups: Grouping | None = parameter(wholes, None)

    def __post_init__(self) -> None:
        if (self.level is None) == (self.groups is None):
            raise InputError("coarsen needs either a level of the hierarchy or groups: give one")
        if self.groups is not None:
            require_groupings([self.groups])

    def law(self, setting: Setting) -> GlobalRecoding:
        """The law of the release; InputError where the groups do not fit the domain."""
        domain = setting.domain
        if self.attribute is None and len(domain.attributes) > 1:
            raise InputError(
                f"coarsen needs the attribute to coarsen: add --set attribute=… (one of "
                f"{', '.join(domain.names)})"
            )
        name = domain.names[0] if self.attribute is None else self.attribute
        groupings = [tuple(range(size)) for size in domain.shape]
        groupings[domain.position(name)] = self._grouping(domain, name)
        return GlobalRecoding(tuple(groupings))

    def _grouping(self, domain: Domain, name: str) -> Grouping:
        if self.groups is not None:
            return fitting(self.groups, domain.attribute(name))
        levels = ladder_of(domain, name)
        coarser: dict[int | None, Grouping] = dict(enumerate(levels[1:], start=1))
        if self.level not in coarser:
            known = f"1 to {len(coarser)}" if coarser else "none: it has a single value"
            raise InputError(
                f"attribute {name!r} has no level {self.level}; its levels are {known}"
            )
        return coarser[self.level]
