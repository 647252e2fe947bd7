"""The graph-edge map of sprint 3: how near the shares of trips are, by origin and destination."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.utility.compat.programs import SPRINT_3
from audit.utility.compat.sprint_3 import program_edges
from audit.utility.counts import Attributes, order_attributes
from audit.utility.labels import value_labels
from audit.utility.metric import FIXED, Metric
from audit.utility.pair import Marginal, Pair
from audit.utility.score import Breakdown, Score
from synthesizers.domain import Domain
from synthesizers.errors import InputError

_SHOWN = 100


@dataclass(frozen=True, kw_only=True)
class EdgeMap(Metric):
    """1000 · (1 - total variation) of the table of two attributes, the ends of an edge.

    The mode "sprint-3" adds the same numbers in the order of the scorer of sprint 3
    of the Temporal Map Challenge (drivendataorg/deid2-runtime, branch master,
    ``pickup_dropoff_score``), which gives the score over 1000.

    The breakdown "cells" has the edges whose shares differ most.
    """

    name = "edge-map"
    lowest, highest, direction = 0.0, 1000.0, "higher"
    modes = (FIXED, SPRINT_3)

    origin: str = "pickup_community_area"
    destination: str = "dropoff_community_area"

    def __post_init__(self) -> None:
        """Refuse an edge from an attribute to itself."""
        super().__post_init__()
        if self.origin == self.destination:
            raise InputError(f"{self.name}: origin and destination must be two attributes")

    def check(self, domain: Domain) -> None:
        """Raise ``InputError`` if ``domain`` lacks one of the attributes."""
        self.need(domain, origin=self.origin, destination=self.destination)

    def marginals_read(self, domain: Domain) -> Sequence[Attributes]:
        """The two attributes together."""
        return [order_attributes((self.origin, self.destination), domain)]

    def score_over_1000(self, pair: Pair) -> float:
        """The score over 1000, as the program has it."""
        marginal = pair.marginal((self.origin, self.destination))
        if self.mode == FIXED:
            return 1 - marginal.total_variation()
        return program_edges(marginal, (self.origin, self.destination), pair.domain)

    def score(self, pair: Pair) -> Score:
        """The score of both ends together; always defined."""
        marginal = pair.marginal((self.origin, self.destination))
        return self.scored(
            min(max(1000.0 * self.score_over_1000(pair), 0.0), 1000.0),
            stated=(f"edges from {self.origin} to {self.destination}",),
            details=(self._edges(marginal, pair.domain),),
        )

    def _edges(self, marginal: Marginal, domain: Domain) -> Breakdown:
        differences = marginal.differences
        worst = np.argsort(-np.abs(differences), kind="stable")[:_SHOWN]
        ends = []
        for name in (self.origin, self.destination):
            labels = value_labels(domain, name)
            ends.append([labels[code] for code in marginal.codes(name)[worst]])
        rows = zip(
            *ends,
            (marginal.real[worst] / marginal.records[0]).tolist(),
            (marginal.synthetic[worst] / marginal.records[1]).tolist(),
            differences[worst].tolist(),
            strict=True,
        )
        left = len(marginal.cells) - len(worst)
        rest = math.fsum(np.abs(differences)) - math.fsum(np.abs(differences[worst]))
        return Breakdown(
            "cells",
            ("origin", "destination", "real share", "synthetic share", "difference"),
            tuple(rows),
            f"{left} further edges hold {max(rest, 0.0) / 2:.3g} of the total variation"
            if left
            else "",
            "difference",
        )
