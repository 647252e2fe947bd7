"""A target marginal of MGD: its attributes, what moving along each costs, what is tolerated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from audit.utility.counts import Attributes, order_attributes
from audit.utility.mgd.matrix import Distances, check_matrix
from synthesizers.domain import Domain
from synthesizers.errors import InputError

Weight = Fraction | Literal["infinite"]
"""The cost of moving across a whole attribute, from 0 to 1, or that it is forbidden."""

TOLERANCE = Fraction(2)
"""Δ of the experiments in Li et al., appendix B; section 5.1 recommends 2 to 10."""


@dataclass(frozen=True)
class Target:
    """One marginal to be preserved (Li et al., section 2.3.2).

    ``weights``: what moving costs along each attribute. Those not named are infinite for
    attributes without an order; ordinal ones share equally what the named leave of 1.
    ``distances`` in their place: what moving costs from each cell (row) to each other one
    (column), exact or "infinite"; cells are numbered with the attributes as named here, the last
    one fastest. Values outside the domain are not in it, and nothing moves to or from them.
    ``tolerance`` is Δ, the deviation of a cell that is free; ``importance`` is ω, the
    share of this marginal in MGD. Numbers are exact: integers or ``Fraction``.

    Raises ``InputError`` for floats, a weight outside 0 to 1, a negative tolerance, an
    importance of 0 or less, no attribute, a weight of an attribute that is not there, weights
    together with distances, and distances that are no such matrix; ``TooLargeError`` for too many.
    """

    attributes: Attributes
    weights: Mapping[str, Weight] = field(default_factory=dict, hash=False)
    tolerance: Fraction = TOLERANCE
    importance: Fraction = Fraction(1)
    distances: Distances | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        """Refuse numbers that are not exact or out of range."""
        if isinstance(self.attributes, str) or not all(
            isinstance(name, str) for name in self.attributes
        ):
            raise InputError("a target marginal needs a list of attribute names")
        object.__setattr__(self, "attributes", tuple(self.attributes))
        if not self.attributes:
            raise InputError("a target marginal needs at least one attribute")
        for name in self.weights:
            if name not in self.attributes:
                raise InputError(
                    f"the marginal {self.label}: there is a weight for {name!r}, which is not one "
                    "of its attributes"
                )
        weights = {name: self._weight(name, value) for name, value in self.weights.items()}
        object.__setattr__(self, "weights", weights)
        if self.distances is not None:
            if self.weights:
                raise InputError(
                    f"the marginal {self.label} has weights and distances; give one of them"
                )
            found = check_matrix(self.distances, f"the marginal {self.label}: the distance matrix")
            object.__setattr__(self, "distances", found)
        for what, least in (("tolerance", "0 or more"), ("importance", "above 0")):
            value = self._exact(getattr(self, what), f"the {what}")
            if value < 0 or (what == "importance" and value == 0):
                raise InputError(f"the marginal {self.label}: the {what} must be {least}")
            object.__setattr__(self, what, value)

    @property
    def label(self) -> str:
        """The attributes, for messages and tables."""
        return " × ".join(map(str, self.attributes))

    def resolve(self, domain: Domain) -> dict[str, Weight]:
        """The weight of every attribute, in the domain's order.

        With distances of its own all are infinite. Raises ``InputError`` unless the finite ones
        sum to 1, and for distances between more or fewer cells than the marginal has.
        """
        names = order_attributes(self.attributes, domain)
        if self.distances is not None:
            cells = math.prod(domain.attribute(name).size for name in names)
            if cells != len(self.distances):
                raise InputError(
                    f"the marginal {self.label} has {cells} cells and its distance matrix "
                    f"{len(self.distances)} rows; give a row and a column for each cell, missing "
                    "values included"
                )
            return dict.fromkeys(names, "infinite")
        given = [weight for weight in self.weights.values() if weight != "infinite"]
        rest = 1 - sum(given, Fraction(0))
        open_to = [n for n in names if n not in self.weights and domain.attribute(n).ordinal]
        if rest < 0 or (rest > 0 and given and not open_to) or (rest == 0 and open_to and given):
            raise InputError(
                f"the marginal {self.label}: the finite weights must sum to 1"
                + (", and nothing is left for " + ", ".join(open_to) if rest == 0 else "")
                + '; change them, or make the weight of an attribute "infinite"'
            )
        found: dict[str, Weight] = {}
        for name in names:
            share: Weight = rest / len(open_to) if name in open_to else "infinite"
            found[name] = self.weights.get(name, share)
        return found

    def _weight(self, name: str, value: object) -> Weight:
        if value == "infinite":
            return "infinite"
        weight = self._exact(value, f"the weight of {name!r}")
        if not 0 <= weight <= 1:
            raise InputError(
                f"the marginal {self.label}: the weight of {name!r} must lie from 0 to 1, "
                'or be "infinite"'
            )
        return weight

    def _exact(self, value: object, what: str) -> Fraction:
        if isinstance(value, bool) or not isinstance(value, int | Fraction):
            raise InputError(
                f"the marginal {self.label}: {what} must be an integer or a fraction, so that it "
                f"is exact, not {value!r}"
            )
        return Fraction(value)
