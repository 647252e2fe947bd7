"""What the best attacker makes of one release, in sentences for whoever decides about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from audit.decimals import Enclosure
from audit.evidence import Witness
from audit.measures.attacker import EVENS, Guess, LastRecord, Naming
from audit.measures.unavailable import Unavailable
from audit.report.words import cell_name, clean, short, vector
from synthesizers.domain import Domain
from synthesizers.neighbours import Neighbours

HAIR = Fraction(1, 10**8)
"""The smallest percentage that is written out (a choice of this project)."""

WITH_PRIOR: Mapping[str, str] = {
    "uniform": "to whom every listed database is equally likely",
    "multinomial": "who takes records to be drawn independently and uniformly over the cells",
}
"""Who holds a prior, by its name."""


@dataclass(frozen=True)
class AttackerWords:
    """What is to be said of each attacker; ``naming``: once for every prior.

    ``guess``: None, and ``naming``: empty, where these are unavailable.
    """

    last_record: str
    guess: str | None
    naming: tuple[str, ...]


def attacker_words(
    record: LastRecord,
    guess: Guess | Unavailable,
    namings: Mapping[str, Naming] | Unavailable,
    domain: Domain,
    neighbours: Neighbours,
) -> AttackerWords:
    """The attackers in words; ``namings`` by the names of their priors."""
    known = {} if isinstance(namings, Unavailable) else namings
    return AttackerWords(
        _last_record(record, domain, neighbours),
        None if isinstance(guess, Unavailable) else _guess(guess),
        tuple(_naming(name, found) for name, found in known.items()),
    )


def percent(chance: Fraction) -> str:
    """A chance as the nearest percentage: ``95.3 %``, ``99.9966 %``, ``0.0012 %``.

    Two digits of its distance from 0 or from 100 % are shown, and one decimal at least; only a
    chance of exactly 0 or 1 is written ``0 %`` or ``100 %``.
    """
    if 0 < 100 * min(chance, 1 - chance) < HAIR:
        if chance < EVENS:
            return f"less than {_rounded(HAIR / 100)} %"
        return f"more than {_rounded(1 - HAIR / 100)} %"
    return f"{_rounded(chance)} %"


def _rounded(chance: Fraction, direction: Callable[[Fraction], int] = round) -> str:
    """A chance in percent, to the decimals that `percent` shows."""
    distance = 100 * min(chance, 1 - chance)
    places = max(1, 1 - math.floor(math.log10(max(distance, HAIR)))) if distance else 1
    text = f"{direction(100 * chance * 10**places)}".rjust(places + 1, "0")
    return f"{text[:-places]}.{text[-places:]}".rstrip("0").rstrip(".")


def percent_below(chance: Fraction) -> str:
    """A percentage that a chance is at least, to the decimals of `percent`."""
    return f"{_rounded(chance, math.floor)} %"


def at_least(ends: Enclosure) -> str:
    """An enclosed chance by its nearest percentage, or else by the most that it is at least."""
    low, high = Fraction(ends.lower), Fraction(ends.upper)
    nearest = percent(low)
    return nearest if nearest == percent(high) else f"at least {percent_below(low)}"


def _last_record(record: LastRecord, domain: Domain, neighbours: Neighbours) -> str:
    witness = record.witness
    if witness is None:
        return "No two of the databases are neighbours: no attacker can be one record short."
    if record.gain.upper == 1:
        return "No release tells an attacker who knows all records but one anything about the last."
    known, claim, rival = _question(witness, domain, neighbours)
    held = (
        f"thought it a coin flip whether {claim} or {rival}"
        if record.prior == EVENS
        else f"held it {percent(record.prior)} likely that {claim}, and otherwise {rival},"
    )
    sure = "certain" if record.posterior.lower == 1 else f"{at_least(record.posterior)} sure"
    return (
        f"Knowing all records but {known}, and seeing the release {_shown(witness.event[0])}, "
        f"an attacker who {held} is now {sure} that {claim}."
    )


def _question(witness: Witness, domain: Domain, neighbours: Neighbours) -> tuple[str, str, str]:
    """What the attacker lacks, what is claimed of it, and the rival claim."""
    steps = [b - a for a, b in zip(witness.source, witness.target, strict=True)]
    lost = [cell for cell, step in enumerate(steps) if step < 0]
    gained = [cell for cell, step in enumerate(steps) if step > 0]
    if not neighbours.unit.is_record:
        return "one person's", f"the database is {_shown(witness.source)}", _shown(witness.target)
    if lost and gained:
        return "one", f"the last record is {_cell(domain, lost[0])}", _cell(domain, gained[0])
    claim, rival = ("present", "missing") if lost else ("missing", "present")
    return "one", f"the last record, of {_cell(domain, (lost + gained)[0])}, is {claim}", rival


def _cell(domain: Domain, cell: int) -> str:
    return f"“{short(cell_name(domain, cell))}”"


def _shown(values: Sequence[Any]) -> str:
    return short(vector(values))


def _guess(guess: Guess) -> str:
    witness = guess.witness
    if witness is None:
        return "No two of the databases are neighbours: there are none to be told apart."
    first, second = _shown(witness.source), _shown(witness.target)
    told = (
        f"{first} or {second}, equally likely"
        if guess.prior == EVENS
        else f"{first} with a chance of {percent(1 - guess.without)} and otherwise {second}"
    )
    beginning = f"Told that the confidential database is {told}, and shown one release, "
    if guess.right.upper == guess.without:
        return f"{beginning}the best attacker guesses no better than without the release."
    return (
        f"{beginning}the best attacker names the right one with a chance of "
        f"{at_least(guess.right)} instead of {percent(guess.without)}; right less wrong, an "
        f"advantage of {at_least(guess.advantage)}."
    )


def _naming(name: str, naming: Naming) -> str:
    holder = WITH_PRIOR.get(name, f"with the prior “{clean(name)}”")
    if naming.gain.upper == 1:
        return f"An attacker {holder} names the confidential one no better with the release."
    certainty = "certain" if naming.surest.lower == 1 else f"{at_least(naming.surest)} certain"
    return (
        f"An attacker {holder} names the confidential one with a chance of "
        f"{at_least(naming.right)} after seeing the release instead of {percent(naming.without)}. "
        f"The most telling release is {_shown(naming.output)}: after it the database "
        f"{_shown(naming.database)} is {certainty}."
    )
