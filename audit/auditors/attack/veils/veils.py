"""Veils: fixed maps of outcomes behind which a known leak can't be seen; plain data.

A veil post-processes an outcome, so whoever is told apart behind it is told apart without it, and a
subject that keeps its claim keeps it behind every veil. What a veil needs to know it takes from
runs that a rule is learned from, never from the coins, and it is frozen with the rule.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from audit.auditors.attack.veils.form_veils import Failures, Forms, Labels
from audit.auditors.attack.veils.number_veils import Absent, Ends, Lattice
from audit.auditors.attack.veils.row_veils import Rows, Sorted
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair


class Veil(Protocol):
    """A map of outcomes."""

    def hide(self, outcomes: Outcomes) -> Outcomes:
        """The outcomes, each mapped by itself, in their order."""
        ...

    def to_json(self) -> dict[str, Any]:
        """The veil as plain data; its key ``veil`` names its kind."""
        ...


AnyVeil = type[Lattice | Ends | Absent | Labels | Forms | Failures | Rows | Sorted]

VEILS: dict[str, AnyVeil] = {
    veil.kind: veil for veil in (Failures, Forms, Labels, Rows, Sorted, Absent, Ends, Lattice)
}
"""The veils by the names that their JSON has, in the order in which they are drawn: numbers last,
when what stands where is settled."""


def veil_from_json(data: Mapping[str, Any]) -> Veil:
    """The veil that some veil's `to_json` wrote; ValueError or LookupError where it is none."""
    return VEILS[data["veil"]].from_json(data)


def choose_veils(kinds: Sequence[str], outcomes: Outcomes, pair: Pair) -> tuple[Veil, ...]:
    """Veils of these kinds for outcomes like these, each made of what the ones before leave."""
    found: list[Veil] = []
    for kind, veil in VEILS.items():
        if kind in kinds:
            make: Callable[[Outcomes, Pair], Veil] = veil.of
            found.append(make(outcomes, pair))
            outcomes = found[-1].hide(outcomes)
    return tuple(found)


_HIDDEN: WeakKeyDictionary[Outcomes, dict[str, Outcomes]] = WeakKeyDictionary()


def hide(outcomes: Outcomes, veils: Sequence[Veil]) -> Outcomes:
    """The outcomes behind veils.

    Guarantee
    ---------
    Each outcome is mapped by itself, the same whatever runs stand beside it, so that a function
    of what is left is post-processing of the outcome. Backed by
    ``tests/audit/auditors/attack/veils/test_veils.py``.
    """
    # Attackers of one portfolio look at the same runs behind the same veils, one after the other.
    key = json.dumps([veil.to_json() for veil in veils], sort_keys=True)
    known = _HIDDEN.setdefault(outcomes, {})
    if key not in known:
        found = outcomes
        for veil in veils:
            found = veil.hide(found)
        known.clear()
        known[key] = found
    return known[key]
