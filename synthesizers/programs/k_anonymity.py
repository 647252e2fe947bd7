"""k-anonymity by full-domain generalisation: no group of fewer than k records is shown.

Purpose: the best-known promise of anonymity that is not differential privacy.

Source: Samarati & Sweeney 1998 (k-anonymity, generalisation hierarchies, the
limit on suppressed records); the search visits all generalisations.

Inputs: k, a whole number of at least 1; suppressed (default 0), the most
records that may be left out; and the hierarchy of every attribute in the domain
file: level 0 is the values as they are, the last level is one group of all, in
the file or not, and an attribute without a hierarchy has these two alone. For a
domain of one attribute, groups, a group number for every value in order as in
0,0,1,1, is the level in between. Chosen is one level an attribute such that
leaving out all groups of fewer than k records leaves out no more than allowed:
the least sum of levels, then the most groups shown, then the lower level of the
attributes in order.

Budget: none. Not differentially private: the output follows from the data for
certain, so epsilon is infinite and delta(epsilon) = 1 as soon as two
neighbours have different outputs.

Post-processing: none. The output is the levels as text, such as "sex=0 age=1",
and then the counts of the groups, the last attribute fastest; or "nothing"
where even one group of all has fewer than k records and more than may be left
out. The count of a group that is left out is 0. A table whose records may all
be left out, an empty one included, is released at level 0, every group of fewer
than k records as 0.

Assumes public: the domain, its hierarchies, k, and the limit on suppressed
records. Every attribute counts as one by which a person can be found.

Known weaknesses: the choice of the level depends on the data and is a
disclosure of its own: a finer level was not good enough, and one record more
or less can change it; counts of k or more are exact, so neighbours differ in
plain sight; everyone in a group may share what is secret about them; two
releases of overlapping records can be combined.
"""

from __future__ import annotations

from dataclasses import dataclass

from synthesizers.curator import Curator, Setting
from synthesizers.errors import InputError
from synthesizers.laws.generalisation import (
    NOTHING,
    Grouping,
    KAnonymity,
    fitting,
    ladder,
    ladder_of,
    require_groupings,
    require_k,
)
from synthesizers.programs.one_law import OneLaw
from synthesizers.programs.parameters import parameter, whole, wholes


@dataclass(frozen=True, slots=True)
class KAnonymous(OneLaw):
    """See the module's card."""

    k: int = parameter(whole)
    suppressed: int = parameter(whole, 0)
    groups: Grouping | None = parameter(wholes, None)

    def __post_init__(self) -> None:
        require_k(self.k)
        if self.groups is not None:
            require_groupings([self.groups])

    def law(self, setting: Setting) -> KAnonymity:
        """The law of the release; InputError where the groups do not fit the domain."""
        domain = setting.domain
        if self.groups is None:
            ladders = tuple(ladder_of(domain, name) for name in domain.names)
        elif len(domain.attributes) > 1:
            raise InputError(
                "groups goes with a domain of one attribute; declare the hierarchies of several "
                "in a domain file"
            )
        else:
            (attribute,) = domain.attributes
            ladders = (ladder(attribute.size, [fitting(self.groups, attribute)]),)
        return KAnonymity(ladders, self.k, self.suppressed)

    def __call__(self, curator: Curator) -> list[int | str]:
        """The levels as text and the counts of their groups, or "nothing"."""
        names = curator.domain.names
        outcome = curator.sanitize(self.law(curator.setting)).tolist()
        levels, counts = outcome[: len(names)], outcome[len(names) :]
        if NOTHING in levels:
            return ["nothing"]
        chosen = (f"{name}={level}" for name, level in zip(names, levels, strict=True))
        return [" ".join(chosen), *counts]
