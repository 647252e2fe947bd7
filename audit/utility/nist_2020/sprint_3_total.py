"""The whole score of sprint 3: k-marginal, graph-edge map and higher-order conjunctions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from audit.utility.compat.programs import SPRINT_3
from audit.utility.metric import FIXED, Combined
from audit.utility.nist_2020.edge_map import EdgeMap
from audit.utility.nist_2020.hoc import Draw, HigherOrderConjunction
from audit.utility.nist_2020.k_marginal import KMarginal
from audit.utility.pair import Pair
from audit.utility.score import Breakdown, Score, Undefined, standard_error


@dataclass(frozen=True, kw_only=True)
class Sprint3Total(Combined):
    """The mean of the k-marginal score, the edge map and HOC, each of 1000.

    The k-marginal score takes all pairs of ``columns`` (all attributes but the
    groups, if none are named) in the groups origin × shift; HOC counts shifts and
    origins. Only HOC draws: ``draws``, ``seed`` and ``given`` are its own, and
    ``parts`` the total with each draw alone. Lothe et al. describe the mean of two
    terms, k-marginal and HOC; it is stated beside.

    The mode "sprint-3" reproduces ``overall_score`` of the scorer of sprint 3 of the
    Temporal Map Challenge (drivendataorg/deid2-runtime, branch master) to the last bit.
    """

    name = "sprint-3-total"
    family = None
    lowest, highest, direction = 0.0, 1000.0, "higher"
    modes = (FIXED, SPRINT_3)

    origin: str = "pickup_community_area"
    destination: str = "dropoff_community_area"
    shift: str = "shift"
    columns: tuple[str, ...] = ()
    draws: int = 50
    seed: int = 0
    given: tuple[Draw, ...] | None = None

    def with_draws(self, drawn: Sequence[object]) -> Self:
        """The metric on these draws, as HOC has them."""
        return replace(self, given=self.parts()[2].with_draws(drawn).given)

    def score(self, pair: Pair) -> Score:
        """The mean of the three; undefined where HOC is."""
        k_marginal, edges, conjunction = self.parts()
        try:
            draws, real, synthetic = conjunction.shares(pair)
        except Undefined as reason:
            return self.undefined(f"{conjunction.name}: {reason}")
        errors = np.abs(real - synthetic)
        scaled = [
            k_marginal.score_over_1000(pair),
            edges.score_over_1000(pair),
            1.0 - float(errors.mean()),
        ]
        parts = tuple((1000 * (scaled[0] + scaled[1] + 1 - errors) / 3).tolist())
        names = k_marginal.name, edges.name, conjunction.name
        order = np.argsort(scaled, kind="stable").tolist()
        terms = tuple((names[term], 1000 * scaled[term]) for term in order)
        return self.scored(
            min(max(1000.0 * float(np.mean(scaled)), 0.0), 1000.0),
            seed=None if self.given is not None else conjunction.used_seed,
            drawn=tuple([person, list(slacks)] for person, slacks in draws),
            parts=parts,
            standard_error=standard_error(parts),
            stated=(
                "mean of three terms; with the two terms of the paper, k-marginal and HOC, it is "
                f"{500 * (scaled[0] + scaled[2]):.1f}",
            ),
            details=(Breakdown("scores", ("score", "value"), terms),),
        )

    def parts(self) -> tuple[KMarginal, EdgeMap, HigherOrderConjunction]:
        """The three scores."""
        return (
            KMarginal(
                mode=self.mode,
                k=2,
                all_sets=self.mode == FIXED,
                columns=self.columns,
                groups=(self.origin, self.shift),
            ),
            EdgeMap(mode=self.mode, origin=self.origin, destination=self.destination),
            HigherOrderConjunction(
                mode=self.mode,
                attributes=(self.shift, self.origin),
                draws=self.draws,
                seed=self.seed,
                given=self.given,
            ),
        )
