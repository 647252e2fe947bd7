"""Behind: attackers that see outcomes only as far as known leaks leave them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from audit.auditors.attack.learning.attackers import Attacker
from audit.auditors.attack.learning.learning import Cost
from audit.auditors.attack.scores.rules import Score
from audit.auditors.attack.scores.scores import Behind
from audit.auditors.attack.veils.causes import CAUSES, describe_leaks
from audit.auditors.attack.veils.form_veils import has_failed
from audit.auditors.attack.veils.veils import Veil, choose_veils, hide
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs

_VEILED: WeakKeyDictionary[Runs, dict[tuple[str, ...], tuple[tuple[Veil, ...], Runs]]] = (
    WeakKeyDictionary()
)


@dataclass(frozen=True)
class VeiledAttacker:
    """An attacker that learns behind ``causes``; its scores evaluate outcomes as they come."""

    attacker: Attacker
    causes: tuple[str, ...]

    @property
    def name(self) -> str:
        """The attacker's."""
        return self.attacker.name

    @property
    def cost(self) -> Cost:
        """The attacker's."""
        return self.attacker.cost

    def fit(self, runs: Runs, pair: Pair) -> Score | None:
        """A score of what is left of outcomes; None on a pair that is left out."""
        if _leaves_out(self.causes, runs):
            return None
        veils, veiled = draw_veils(runs, pair, self.causes)
        score = self.attacker.fit(veiled, pair)
        return None if score is None else Behind(describe_leaks(self.causes), veils, score)


def veil_attackers(attackers: Sequence[Attacker], causes: tuple[str, ...]) -> tuple[Attacker, ...]:
    """The attackers, behind known leaks if there are any."""
    if not causes:
        return tuple(attackers)
    return tuple(VeiledAttacker(attacker, causes) for attacker in attackers)


def draw_veils(runs: Runs, pair: Pair, causes: tuple[str, ...]) -> tuple[tuple[Veil, ...], Runs]:
    """The veils that hide these causes in runs like these, and the runs behind them."""
    known = _VEILED.setdefault(runs, {})
    if causes not in known:
        kinds = [kind for name in causes for kind in CAUSES[name].veils]
        veils = choose_veils(kinds, runs.outcomes, pair)
        known[causes] = veils, Runs(hide(runs.outcomes, veils), runs.coins)
    return known[causes]


def _leaves_out(causes: tuple[str, ...], runs: Runs) -> bool:
    """Whether runs are on a pair that is left out: by what they gave, not by their coins."""
    counts = np.bincount(runs.outcomes.of, minlength=len(runs.outcomes.shapes))
    seen = [shape for shape, count in zip(runs.outcomes.shapes, counts, strict=True) if count]
    ways = {CAUSES[name].left_out for name in causes}
    fails = "failing" in ways and any(map(has_failed, seen))
    return fails or ("mixed" in ways and len({shape.kind for shape in seen}) > 1)
