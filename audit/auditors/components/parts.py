"""Parts: what noisy answers that share draws spend together, and the lines that do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.auditors.components.forms import Exposed
from audit.auditors.components.lattices import LATTICES, loss_on_lattice
from audit.auditors.components.pairs_of_chances import ChanceLoss
from audit.auditors.components.recording.steps import Entry
from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    ResponseLoss,
)

INFINITE = math.inf
"""The loss of what can be told apart for certain."""

ROUNDED_UP = Fraction(1, 10**12)
"""A relative margin on losses that are made of logarithms in doubles."""

MIRRORED = "mirrored exponential"
"""The law of the negative of an exponential draw."""

ONE_SIDED = frozenset({"exponential", "geometric"})
"""Laws whose draws can only be shifted upwards."""


@dataclass(frozen=True)
class Law:
    """The law of a draw by the only parameter that counts, and the line that draws it.

    ``parameters``: of a law on whole numbers, all of them; its ``scale`` is its deviation.
    """

    name: str
    scale: float
    place: str
    parameters: tuple[float, ...] = ()


@dataclass(frozen=True)
class Line:
    """What one line of the foreign code spends: a row of the table.

    ``place``: the line that draws; ``added``: the one where the noise meets what it hides, if that
    is another. ``scale``, ``moved``: how wide the noise is, and how far the pair moves what is
    hidden, as texts. ``epsilon``: the pure loss, infinite where there is none. ``squared``: Δ²/σ²
    of normal noise.
    """

    place: str
    law: str
    scale: str
    moved: str
    epsilon: float
    squared: float = 0.0
    added: str = ""


@dataclass(frozen=True)
class Part:
    """What answers that share draws spend together.

    ``losses``: independent losses that add up to it, or bound it; None where no theorem here says
    anything. ``exact``: they are it, on this pair, to whoever sees ``entries``, which ``moved`` by
    so much. ``leak``: the chance with which they tell both databases apart for certain, at least.
    ``why``: in words, where it is not exact.
    """

    lines: tuple[Line, ...]
    losses: tuple[Loss | ChanceLoss, ...] | None
    exact: bool
    entries: tuple[Entry, ...]
    moved: tuple[Fraction, ...] = ()
    leak: float = 0.0
    why: str = ""


Laws = Mapping[Entry, Law]
"""The laws of draws."""


def loss_of(law: Law, shift: Fraction) -> Loss | ChanceLoss | float | None:
    """The loss of one draw that is shifted; None for unknown ones.

    A float is the chance with which the two are told apart for certain: of whole numbers that move
    by a part of one, and of laws with an end.
    """
    size, width = abs(shift), Fraction(law.scale)
    match law.name:
        case "laplace":
            return LaplaceLoss(size / width)
        case "normal":
            return GaussianLoss((size / width) ** 2)
        case "discrete laplace":
            if size.denominator != 1:
                return 1.0
            return DiscreteLaplaceLoss(1 / width, int(size))
        case "discrete gaussian":
            if size.denominator != 1:
                return 1.0
            return DiscreteGaussianLoss(width**2, int(size))
        case "geometric" | "exponential" | "mirrored exponential":
            whole = law.name != "geometric" or size.denominator == 1
            return -math.expm1(-float(size) / law.scale) if whole else 1.0
        case name if name in LATTICES:
            if size.denominator != 1:
                return 1.0
            return loss_on_lattice(name, law.parameters, int(shift))
    return None


def pure_of(losses: Iterable[Loss | ChanceLoss]) -> float:
    """The largest loss of a composition; infinite with normal noise."""
    total = 0.0
    for loss in losses:
        match loss:
            case LaplaceLoss(epsilon) | ResponseLoss(epsilon, _):
                total += float(epsilon)
            case DiscreteLaplaceLoss(rate, shift):
                total += float(rate * shift)
            case ChanceLoss():
                total += loss.epsilon
            case _:
                return INFINITE
    return total


def line_of_draw(
    law: Law, added: str, moved: Fraction, epsilon: float, squared: float = 0.0
) -> Line:
    """The row of a draw, ``added`` to what it hides at a line."""
    elsewhere = "" if added == law.place else added
    return Line(
        law.place, law.name, f"{law.scale:g}", number_text(moved), epsilon, squared, elsewhere
    )


def lines_of(
    exposed: Iterable[Exposed], laws: Laws, epsilon: float, squared: float = 0.0
) -> tuple[Line, ...]:
    """The rows of answers, each by its first draw; ``squared``: of all together."""
    found = []
    for one in exposed:
        draw = next(iter(one.form.draws))
        found.append(line_of_draw(laws[draw], one.place, one.form.moved, epsilon, squared))
        squared = 0.0
    return tuple(found)


def unknown_part(group: Sequence[Exposed], laws: Laws, why: str) -> Part:
    """A part of which no theorem here says anything."""
    moving = [one for one in group if one.form.moved]
    return Part(lines_of(moving, laws, INFINITE), None, False, (), why=why)


def number_text(value: Fraction) -> str:
    """A move: exactly where that is short."""
    return str(value) if value.denominator < 10**6 else f"{float(value):.6g}"
