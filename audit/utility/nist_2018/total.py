"""The overall score of the NIST 2018 challenge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from audit.utility.counts import Attributes
from audit.utility.metric import Combined
from audit.utility.nist_2018.challenge_score import Nist2018Score
from audit.utility.nist_2018.conjunction import Conjunction
from audit.utility.nist_2018.conjunction_queries import Query
from audit.utility.nist_2018.inequality import Inequality
from audit.utility.nist_2018.three_way_marginal import ThreeWayMarginal
from audit.utility.pair import Pair
from audit.utility.score import Breakdown, Score
from synthesizers.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Nist2018Total(Combined, Nist2018Score):
    """The plain mean of the three scores; undefined where one of them is.

    The parameters are those of the three, ``triples`` and ``queries`` their numbers of
    draws; ``mode`` and ``seed`` hold for all. A draw is an object with one key, the
    metric that it belongs to: ``{"three-way-marginal": ["A", "B", "C"]}``.

    Source: the last lines of the local scorer of Match 3; DPSyn experiences, section
    5.1 ("equal weights"). The challenge went on to average over epsilons.
    """

    name = "nist-2018-total"
    family = None

    triples: int | None = ThreeWayMarginal.draws
    queries: int = Conjunction.draws
    probability: float | None = Conjunction.probability
    city: str = Inequality.city
    sex: str = Inequality.sex
    wage: str = Inequality.wage
    male: str = Inequality.male
    female: str = Inequality.female
    not_applicable: float | None = Inequality.not_applicable
    seed: int = 0
    given: tuple[tuple[Attributes, ...], tuple[Query, ...]] | None = None

    def with_draws(self, drawn: Sequence[object]) -> Self:
        """The metric on these draws of both scores that draw, each in its order."""
        three_way, conjunction, _ = self.parts()
        of: dict[str, list[object]] = {three_way.name: [], conjunction.name: []}
        for draw in drawn:
            if not isinstance(draw, Mapping) or len(draw) != 1 or not set(draw) <= set(of):
                raise InputError(
                    f"{self.name}: a draw is an object with one key, {' or '.join(of)}, and a draw "
                    "of that metric"
                )
            for name, inner in draw.items():
                of[name].append(inner)
        triples = three_way.with_draws(of[three_way.name]).given
        queries = conjunction.with_draws(of[conjunction.name]).given
        assert triples is not None and queries is not None
        return replace(self, given=(triples, queries))

    def score(self, pair: Pair) -> Score:
        """The mean of the three; raises what one of them raises."""
        scores = [part.score(pair) for part in self.parts()]
        fields: dict[str, Any] = {
            "seed": self.seed if self.given is None else None,
            "drawn": tuple({score.metric: draw} for score in scores for draw in score.drawn),
            "stated": tuple(f"{s.metric}: {text}" for s in scores for text in s.stated),
            "details": (
                Breakdown("scores", ("score", "value"), tuple((s.metric, s.value) for s in scores)),
            ),
        }
        first, second, third = (score.value for score in scores)
        if first is None or second is None or third is None:
            reasons = [f"{s.metric}: {s.undefined}" for s in scores if s.undefined is not None]
            return self.undefined("; ".join(reasons), **fields)
        errors = [score.standard_error for score in scores[:2] if score.standard_error is not None]
        return self.scored(
            (first + second + third) / 3,
            standard_error=math.hypot(*errors) / 3 if len(errors) == 2 else None,
            **fields,
        )

    def parts(self) -> tuple[ThreeWayMarginal, Conjunction, Inequality]:
        """The three scores."""
        triples, queries = (None, None) if self.given is None else self.given
        return (
            ThreeWayMarginal(mode=self.mode, draws=self.triples, seed=self.seed, given=triples),
            Conjunction(
                mode=self.mode,
                draws=self.queries,
                probability=self.probability,
                seed=self.seed,
                given=queries,
            ),
            Inequality(
                mode=self.mode,
                city=self.city,
                sex=self.sex,
                wage=self.wage,
                male=self.male,
                female=self.female,
                not_applicable=self.not_applicable,
            ),
        )
