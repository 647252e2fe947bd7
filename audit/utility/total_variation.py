"""Total variation of the one-way marginals: the share of records in the wrong value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.utility.counts import Attributes
from audit.utility.metric import Metric
from audit.utility.pair import Pair
from audit.utility.score import Breakdown, Score
from synthesizers.domain import Domain


@dataclass(frozen=True, kw_only=True)
class TotalVariation(Metric):
    """The mean over all attributes of half the L1 distance of their shares.

    The largest over the attributes stands in the breakdown "marginals", worst first.
    """

    name = "total-variation"
    family = "one-way shares"
    lowest, highest, direction = 0.0, 1.0, "lower"

    def marginals_read(self, domain: Domain) -> Sequence[Attributes]:
        """Every attribute by itself."""
        return [(name,) for name in domain.names]

    def score(self, pair: Pair) -> Score:
        """The mean over the attributes; always defined."""
        marginals = pair.marginals(self.marginals_read(pair.domain))
        found = {marginal.attributes[0]: marginal.total_variation() for marginal in marginals}
        worst = sorted(found.items(), key=lambda item: -item[1])
        return self.scored(
            sum(found.values()) / len(found),
            details=(Breakdown("marginals", ("attributes", "total variation"), tuple(worst)),),
        )
