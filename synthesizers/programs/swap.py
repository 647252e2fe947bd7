"""Record swapping: random pairs of records exchange one attribute, usually geography.

Purpose: what censuses did for decades (the United States from 1990 to 2010),
to put in doubt whose a rare record is.

Source: Dalenius & Reiss 1982. Its privacy given what it leaves unchanged:
Bailie, Gong & Meng 2025 (who permute the chosen records at random; here pairs).

Inputs: share, of the records that take part, above 0 and at most 1; attribute,
the one exchanged (default: the first that is not in the key); key, attributes
separated by commas on which both of a pair agree (default: none). At least one
further attribute is needed, or nothing would change. Of the n records of each
key group 2 floor(share n/2) are chosen uniformly, paired uniformly at random,
and every pair exchanges. Departures from practice: agencies choose risky
records first and pair across regions; here a pair may well agree on what it
exchanges, so fewer records change than take part.

Budget: none. Not differentially private: epsilon is infinite, and under
replace-one delta(epsilon) = 1 for every epsilon, for what swapping never
changes tells neighbours apart: all counts of the attribute by the key, and all
counts of the other attributes by the key.

Post-processing: none.

Assumes public: the domain, the share, the attribute and the key.

Known weaknesses: those invariants are exact, however large the share; most
records of a small share are shown as they are; a key group of one record is
never changed, and which key groups are small can be read off the output.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from synthesizers.curator import Setting
from synthesizers.errors import InputError
from synthesizers.laws.swapping import RecordSwapping, require_share
from synthesizers.programs.one_law import OneLaw
from synthesizers.programs.parameters import (
    attribute_name,
    attribute_names,
    parameter,
    rational,
)


@dataclass(frozen=True, slots=True)
class Swap(OneLaw):
    """See the module's card."""

    share: Fraction = parameter(rational)
    attribute: str | None = parameter(attribute_name, None)
    key: tuple[str, ...] = parameter(attribute_names, ())

    def __post_init__(self) -> None:
        require_share(self.share)

    def law(self, setting: Setting) -> RecordSwapping:
        """The law of the release; InputError where the domain leaves nothing to swap."""
        domain = setting.domain
        key = tuple(domain.position(name) for name in self.key)
        if self.attribute is not None:
            swapped = domain.position(self.attribute)
        else:
            free = [place for place in range(len(domain.attributes)) if place not in key]
            if not free:
                raise InputError(
                    "every attribute is in the key, so nothing would change: shorten it"
                )
            swapped = free[0]
        return RecordSwapping(domain.shape, swapped, key, self.share)
