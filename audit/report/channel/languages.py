"""One channel in every language of privacy: ε, ρ, μ, divergences, δ, groups, as text."""

from __future__ import annotations

import math
from dataclasses import dataclass

from audit.channels.analysis import Analysis
from audit.channels.measures.attacker import LastRecord
from audit.channels.measures.extreme import Extreme
from audit.channels.measures.groups import GroupLosses
from audit.channels.measures.unavailable import Unavailable
from audit.channels.measures.zcdp import SmallestRho
from audit.report.channel.laws import LAWS, law_meanings
from audit.report.grid import Grid
from audit.report.percentages import share
from audit.report.words import equation, in_full, number, vector
from audit.statements.decimals import Enclosure

_LESS_LIKELY = ", less likely cells"


@dataclass(frozen=True)
class Language:
    """One notion of privacy: the channel's value, and what that says."""

    name: str
    value: str
    in_full: str
    meaning: str


def languages(analysis: Analysis) -> tuple[Language, ...]:
    """The channel's smallest parameter in each notion that was measured."""
    found = [_pure(analysis.epsilon.enclosure, analysis.last_record)]
    if isinstance(analysis.zcdp, SmallestRho):
        found.append(_zcdp_language(analysis.zcdp))
    if isinstance(analysis.gdp, Extreme):
        found.append(_gaussian(analysis.gdp.enclosure))
    return tuple(found)


def _language(name: str, symbol: str, ends: Enclosure, meaning: str) -> Language:
    return Language(name, equation(symbol, ends), in_full(ends), meaning)


def _pure(ends: Enclosure, record: LastRecord) -> Language:
    meaning = "Some output can occur under one database and never under a neighbour."
    if not math.isinf(ends.lower):
        meaning = (
            f"No output is more than {equation('e^ε', record.gain, 4)} times as likely under a "
            "database as under its neighbour."
        )
    return _language("pure", "ε", ends, meaning)


def _zcdp_language(smallest: SmallestRho) -> Language:
    ends, order = smallest.extreme.enclosure, smallest.order
    meaning = "Rényi divergences of every order α are at most ρ·α."
    if math.isinf(ends.lower):
        meaning = "Rényi divergences of every order are infinite, as ε is."
    elif order is not None:
        near = "as α falls to 1" if order == 1 else f"near α = {number(order, 4)}"
        meaning = f"{meaning[:-1]}, and come closest to it {near}."
    return _language("zero-concentrated", "ρ", ends, meaning)


def _gaussian(ends: Enclosure) -> Language:
    meaning = (
        "Neighbours are no easier to tell apart than the normal laws N(0, 1) and N(μ, 1), by one "
        "draw."
    )
    if math.isinf(ends.lower):
        meaning = "No two normal laws are as easy to tell apart as some neighbours."
    return _language("Gaussian", "μ", ends, meaning)


def renyi_grid(analysis: Analysis) -> Grid | None:
    """The divergences by order, with ρ·α below them; None where all are infinite."""
    orders = tuple(analysis.renyi)
    if all(math.isinf(ends.lower) for ends in analysis.renyi.values()):
        return None
    rows = [("largest divergence", tuple(share(ends) for ends in analysis.renyi.values()))]
    if isinstance(analysis.zcdp, SmallestRho):
        rho = analysis.zcdp.extreme.enclosure
        lines = (Enclosure(order * rho.lower, order * rho.upper) for order in orders)
        rows.append(("ρ·α", tuple(share(line) for line in lines)))
    return Grid("order α", tuple(number(order) for order in orders), tuple(rows))


def groups_grid(groups: GroupLosses) -> Grid | None:
    """What databases at each distance let out; None without neighbours."""
    if not groups.losses:
        return None
    chosen = tuple(groups.losses[0].deltas)
    return Grid(
        "distance",
        ("pairs", "ε", "distance × ε", *(f"δ({text})" for text in chosen)),
        tuple(
            (
                f"{loss.distance}",
                (
                    f"{loss.pairs}",
                    share(loss.epsilon.enclosure),
                    share(loss.naive),
                    *(share(loss.deltas[text].enclosure) for text in chosen),
                ),
            )
            for loss in groups.losses
        ),
    )


def groups_note(groups: GroupLosses | Unavailable) -> str:
    """Why distances are left out, or nothing."""
    if isinstance(groups, Unavailable) or not groups.left_out:
        return ""
    return f"Larger distances are left out: {groups.left_out}."


def chosen_grid(analysis: Analysis) -> Grid | None:
    """δ, and probabilistic δ, at chosen values of ε; None where none was chosen."""
    if not analysis.deltas and not analysis.probabilistic:
        return None
    laws = list(
        dict.fromkeys(name for value in analysis.probabilistic.values() for name in value.average)
    )
    columns = ("δ(ε)", "probabilistic δ, worst database", *(f"average, {law}" for law in laws))
    rows = []
    for epsilon in dict.fromkeys([*analysis.deltas, *analysis.probabilistic]):
        extreme = analysis.deltas.get(epsilon)
        likely = analysis.probabilistic.get(epsilon)
        cells = ["–" if extreme is None else share(extreme.enclosure)]
        if likely is None:
            cells += ["–"] * (1 + len(laws))
        else:
            attained = f" at {vector(likely.table)}" if likely.worst.upper > 0 else ""
            cells.append(share(likely.worst) + attained)
            cells += [share(likely.average[law]) if law in likely.average else "–" for law in laws]
        rows.append((epsilon, tuple(cells)))
    return Grid("ε", columns, tuple(rows))


def law_notes(analysis: Analysis) -> tuple[str, ...]:
    """What the columns of `chosen_grid` mean."""
    names = {name for value in analysis.probabilistic.values() for name in value.average}
    if not names:
        return ()
    notes = [
        "δ(ε): the most by which a chance can exceed e^ε times the chance under a neighbour.",
        "Probabilistic δ, worst database: the chance, given the least favourable database, of an "
        "output whose log odds exceed ε towards some neighbour.",
        "The averages are over a law of the confidential database, and say nothing about any one: "
        + law_meanings(law for law in LAWS if law in names)
        + ".",
    ]
    if any(name.endswith(_LESS_LIKELY) for name in names):
        notes.append(
            "“Less likely cells” counts only outputs that are less likely under the database drawn "
            "than under a neighbour (Abowd & Vilhuber 2008, Figure 1)."
        )
    return tuple(notes)
