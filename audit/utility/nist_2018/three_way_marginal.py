"""Three-way marginals: the first score of the NIST 2018 challenge, "clustering" or "density"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

from audit.utility.column_sets import distinct_among, given_sets, index_sets, sampling_error
from audit.utility.compat.nist_2018_triples import PROGRAM_DRAWS, drawn_triples, reproduce
from audit.utility.counts import Attributes, order_attributes
from audit.utility.metric import generator
from audit.utility.nist_2018.challenge_score import PERFECT, Nist2018Score
from audit.utility.numeric_columns import midpoints_note
from audit.utility.pair import Pair
from audit.utility.score import Breakdown, Score, standard_error
from synthesizers.domain import Domain
from synthesizers.errors import InputError

DRAWS = 300
"""Triples drawn by default (Li et al., section 2, example 2; DPSyn experiences, section 5.1)."""


@dataclass(frozen=True, kw_only=True)
class ThreeWayMarginal(Nist2018Score):
    """10^6 · (1 - mean total variation) over random triples of attributes.

    Mode "fixed" draws ``draws`` different triples of all attributes, each equally
    likely, or takes every triple if there are no more. The cells are the declared
    values and bins; a value outside the domain is one further cell of its attribute.

    Mode "nist-2018" gives the program's number bit for bit for tables read from the
    same files, over a domain whose listed values are the program's codes. It draws
    ordered triples of all attributes but the last, which may repeat. A binned
    attribute has 100 cells of width 1.0001 · (max - min)/100 between its first and
    its last edge, whatever its bins. A synthetic number outside, a value
    that the domain does not declare, and the blank of a listed attribute are out of
    range and match nothing real; the blank of a binned one is a cell. The program
    gives 0 for a triple with a column that the file lacks; here such a table is refused.

    ``draws`` None takes 300, or the program's 100. ``given`` triples replace the
    draw. Source: Bowen & Snoke, section 4; DPSyn experiences, section 5.1; the local
    scorer of Match 3 and its ground-truth generator.
    """

    name = "three-way-marginal"
    family = "marginals"

    draws: int | None = None
    seed: int = 0
    given: tuple[Attributes, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse no draws, and given sets that are not triples."""
        super().__post_init__()
        self.at_least(1, "draws")
        if self.given is None:
            return
        if not self.given:
            raise InputError(f"{self.name}: no triple is given; leave the list out, or give one")
        for names in self.given:
            if len(names) != 3 or len(set(names)) != 3:
                raise InputError(
                    f"{self.name}: a triple must name three different attributes, not "
                    f"{' × '.join(names)}"
                )

    def check(self, domain: Domain) -> None:
        """Refuse given triples of other attributes, and a domain with too few to draw from."""
        for names in self.given or ():
            order_attributes(names, domain)
        if self.given is None and self._drawable(domain) < 3:
            raise InputError(
                f"{self.name}: a triple needs three attributes to draw from, and the domain has "
                f"{len(domain.names)}"
                + (" of which the last is never drawn" if self.reproduces else "")
            )

    def marginals_read(self, domain: Domain) -> Sequence[Attributes]:
        """The marginals of the triples; none where the program's own cells are counted."""
        if self.reproduces:
            return ()
        return [order_attributes(names, domain) for names in self.triples(domain)]

    def with_draws(self, drawn: Sequence[object]) -> Self:
        """The metric on these triples, each a list of three names in the program's order."""
        return replace(self, given=given_sets(self.name, drawn))

    def triples(self, domain: Domain) -> tuple[Attributes, ...]:
        """The triples, given or drawn; drawn ones depend on the domain and the seed alone."""
        if self.given is not None:
            return self.given
        draw = drawn_triples if self.reproduces else index_sets
        random = generator(self.name, self.seed)
        drawn = draw(self._drawable(domain), 3, self._draws, random)
        return tuple(tuple(domain.names[place] for place in places) for places in drawn)

    def score(self, pair: Pair) -> Score:
        """The mean over the triples; always defined.

        Raises ``NeedsRecords`` in mode "nist-2018", where the order of the records
        decides the last bits, for a table that is only counted.
        """
        triples = self.triples(pair.domain)
        if self.reproduces:
            value, parts = reproduce(*pair.tables, triples)
            apart = [min(max(1 - part / PERFECT, 0.0), 1.0) for part in parts]
        else:
            apart = [marginal.total_variation() for marginal in pair.marginals(triples)]
            parts = tuple(PERFECT * (1 - distance) for distance in apart)
            value = PERFECT * (1 - math.fsum(apart) / len(apart))
        midpoints = midpoints_note(pair) if self.reproduces else ()
        found = {" × ".join(names): d for names, d in zip(triples, apart, strict=True)}
        worst = sorted(found.items(), key=lambda item: -item[1])
        return self.scored(
            value,
            seed=self.seed if self.given is None else None,
            drawn=tuple(list(names) for names in triples),
            parts=parts,
            standard_error=self._error(parts, pair.domain),
            stated=(self._law(pair.domain), *midpoints),
            details=(Breakdown.of_worst("marginals", ("attributes", "total variation"), worst),),
        )

    @property
    def _draws(self) -> int:
        if self.draws is not None:
            return self.draws
        return PROGRAM_DRAWS if self.reproduces else DRAWS

    def _drawable(self, domain: Domain) -> int:
        return len(domain.names) - int(self.reproduces)

    def _error(self, parts: tuple[float, ...], domain: Domain) -> float | None:
        """Of a draw without repetition, or of independent draws."""
        total = None if self.reproduces else distinct_among(self.triples(domain), domain.names)
        return standard_error(parts) if total is None else sampling_error(parts, total)

    def _law(self, domain: Domain) -> str:
        if self.given is not None:
            return f"{len(self.given)} given triples"
        if self.reproduces:
            return (
                f"{self._draws} ordered triples by the program's law, which repeats triples and "
                "never draws the last attribute, from a generator of this project"
            )
        total = math.comb(len(domain.names), 3)
        if total <= self._draws:
            return f"all {total} triples"
        return f"{self._draws} of {total} triples, none twice"
