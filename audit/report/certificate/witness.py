"""A witness in plain words: what differs, what was seen, and what it gives away."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from audit.report.grid import Grid, side_by_side
from audit.report.words import (
    cell_name,
    claimed_text,
    enclosure_text,
    guarantee_symbols,
    in_full,
    number,
    plural,
    vector,
)
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision, Witness
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from synthesizers.domain import Domain

MAX_CELLS = 12
MAX_OUTPUTS = 8


@dataclass(frozen=True)
class Chance:
    """The event's probability under one database; ``share`` of the larger one, for a bar."""

    database: str
    probability: str
    in_full: str
    share: float


@dataclass(frozen=True)
class Story:
    """A witness told to someone who has to decide.

    ``difference``, ``telling``, ``judgement``: sentences; the last is empty where
    no claim is judged.
    """

    difference: str
    cells: Grid
    cells_left_out: str
    outputs: tuple[str, ...]
    outputs_left_out: str
    seen: str
    chances: tuple[Chance, Chance]
    odds: str
    telling: str
    judgement: str


def story(
    witness: Witness,
    domain: Domain,
    guarantee: Guarantee | None = None,
    decision: Decision | None = None,
) -> Story:
    """The witness in words; judged against the guarantee as the evidence decided."""
    steps = [b - a for a, b in zip(witness.source, witness.target, strict=False)]
    named = len(witness.source) == len(witness.target) == domain.size
    shown = list(range(len(steps)))
    if len(shown) > MAX_CELLS:
        shown = [cell for cell in shown if steps[cell]][:MAX_CELLS]
    cells = (
        (
            cell_name(domain, cell) if named else f"entry {cell + 1}",
            str(witness.source[cell]),
            str(witness.target[cell]),
        )
        for cell in shown
    )
    hidden = len(steps) - len(shown)
    more = len(witness.event) - MAX_OUTPUTS
    single = len(witness.event) == 1
    first, second = witness.probabilities
    return Story(
        _difference(steps, domain if named else None),
        side_by_side("cell", cells),
        f"{plural(hidden, 'further cell')} not shown." if hidden else "",
        tuple(vector(output) for output in witness.event[:MAX_OUTPUTS]),
        f"and {plural(more, 'further output')}" if more > 0 else "",
        "this output" if single else f"one of these {len(witness.event)} outputs",
        (
            _chance("A", first, first, second),
            _chance("B", second, first, second),
        ),
        _odds(first, second),
        _telling(first, second, "It" if single else "One of them"),
        _judgement(witness, guarantee, decision),
    )


def _difference(steps: Sequence[int], domain: Domain | None) -> str:
    def name(cell: int) -> str:
        return f"“{cell_name(domain, cell)}”" if domain is not None else f"entry {cell + 1}"

    gained = [cell for cell, step in enumerate(steps) if step > 0]
    lost = [cell for cell, step in enumerate(steps) if step < 0]
    more, fewer = (sum(abs(steps[cell]) for cell in part) for part in (gained, lost))
    if (more, fewer) == (1, 1):
        return f"Database B is database A with one record of {name(lost[0])} now {name(gained[0])}."
    if (more, fewer) == (0, 1):
        return f"Database B is database A without one record of {name(lost[0])}."
    if (more, fewer) == (1, 0):
        return f"Database B is database A with one record of {name(gained[0])} added."
    parts = [f"{plural(fewer, 'record')} fewer"] if fewer else []
    parts += [f"{plural(more, 'record')} more"] if more else []
    return f"Database B differs from database A by one unit: {' and '.join(parts)}."


def _chance(database: str, own: Enclosure, first: Enclosure, second: Enclosure) -> Chance:
    largest = max(first.floats()[1], second.floats()[1])
    share = own.floats()[1] / largest if largest > 0 else 0.0
    return Chance(database, enclosure_text(own), in_full(own), share)


def _ratio(first: Enclosure, second: Enclosure) -> tuple[str, bool] | None:
    """The least ratio that the enclosures leave possible, and whether it is all but exact."""
    if second.upper == 0:
        return ("∞", True) if first.lower > 0 else None
    least = number(Fraction(first.lower) / Fraction(second.upper), 4)
    if second.lower == 0:
        return least, False
    return least, least == number(Fraction(first.upper) / Fraction(second.lower), 4)


def _odds(first: Enclosure, second: Enclosure) -> str:
    ratio = _ratio(first, second)
    if ratio is None:
        return "0 : 0"
    return f"{ratio[0]} : 1" if ratio[1] else f"≥ {ratio[0]} : 1"


def _telling(first: Enclosure, second: Enclosure, what: str) -> str:
    ratio = _ratio(first, second)
    if ratio is None:
        return f"{what} never occurs under either database."
    if ratio == ("∞", True):
        return (
            f"{what} can occur under A and never under B: whoever sees it knows for certain that "
            "the database was not B."
        )
    if ratio == ("1", True):
        return f"{what} is equally likely under both, and so tells nothing about which it was."
    least = ratio[0] if ratio[1] else f"at least {ratio[0]}"
    return (
        f"{what} is {least} times as likely under A as under B. Someone to whom both databases "
        f"seemed equally plausible may, on seeing it, hold A for {least} to 1."
    )


def _judgement(witness: Witness, guarantee: Guarantee | None, decision: Decision | None) -> str:
    if guarantee is None or decision is None:
        return ""
    ending = {
        Decision.HOLDS: "What was found stays within this.",
        Decision.VIOLATED: "What was found goes beyond this: the claim is violated.",
        Decision.UNDECIDED: "What was found could not be told apart from this limit.",
        Decision.SILENT: "This instance is not the claim's, so it decides nothing.",
        Decision.OPEN: "What was found does not reach this.",
        Decision.UNSEEN: "What was found does not show that it goes beyond this.",
        Decision.KEPT: "What was found stays within what is declared.",
        Decision.ROUNDED: "What was found stays within what is declared, up to rounding.",
        Decision.EXCEEDED: "What was found goes beyond what is declared.",
        Decision.INVALID: "The runs were no independent draws, so nothing follows from them.",
    }[decision]
    match guarantee:
        case ApproxDP():
            allowed = _allowed_factor(guarantee)
        case GaussianDP():
            allowed = _allowed_chance(guarantee, witness.probabilities[1])
        case ZCDP() | RenyiDP():
            allowed = _allowed_divergence(guarantee, witness.probabilities)
    return f"{allowed} {ending}"


def _allowed_factor(guarantee: ApproxDP) -> str:
    exponent = guarantee.epsilon
    value = f" ≈ {math.exp(exponent):.4g}" if 0 < exponent < 700 else ""
    factor = "e^" + claimed_text(guarantee).removeprefix("ε = ")
    extra = f", plus δ = {number(guarantee.delta)}" if guarantee.delta > 0 else ""
    return (
        f"The claim allows the chance under A to be at most {factor}{value} times the chance "
        f"under B{extra}."
    )


def claim_of_mu(guarantee: GaussianDP) -> str:
    """What a claim of μ says, as the beginning of a sentence."""
    return (
        "The claim is that A and B are no easier to tell apart than two normal laws of standard "
        f"deviation 1, by one draw, whose means lie {claimed_text(guarantee)} apart"
    )


def most_under_mu(mu: Fraction, chance: float) -> float:
    """What μ allows of an event's probability: Φ(Φ⁻¹(q) + μ), where the other one is q.

    That is 1 - G_μ(q) (Dong, Roth & Su 2022, Definition 2.6).
    """
    if not 0 < chance < 1:
        return chance
    # Eighty deviations right of where the smallest double lies, every chance has come to 1.
    place = NormalDist().inv_cdf(chance) + float(min(mu, Fraction(80)))
    # NormalDist.cdf loses the lower tail.
    return math.erfc(-place / math.sqrt(2)) / 2


def _allowed_chance(guarantee: GaussianDP, second: Enclosure) -> str:
    most = most_under_mu(guarantee.mu, second.floats()[1])
    return (
        f"{claim_of_mu(guarantee)}. With the "
        "chance under B as it is, that allows the chance under A to be at most "
        f"{enclosure_text(Enclosure(Fraction(most), Fraction(most)))}."
    )


def _allowed_divergence(guarantee: ZCDP | RenyiDP, chances: tuple[Enclosure, Enclosure]) -> str:
    claim = guarantee_symbols(guarantee)
    limit = (
        f"{claim}, allows the Rényi divergence of every order α of A from B to be at most ρ·α"
        if isinstance(guarantee, ZCDP)
        else f"{claim}, allows the Rényi divergence of that order of A from B to be at most ε(α)"
    )
    part = (
        "what is shown here alone makes it infinite"
        if _ratio(*chances) == ("∞", True)
        else "it is a sum over all outputs, to which what is shown here adds most"
    )
    return f"The claim, {limit}; {part}."
