"""Declared sensitivities: bounds of norms of the change between neighbours, held exactly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.numerals import number_text
from synthesizers.queries import Sensitivity

Size = Fraction | float
"""A norm's value: a rational, or the float ``inf``."""

_FORMS = "l1=1, l2=1 (or l2_squared=2), linf=1"


class Norm(Enum):
    """A norm of the change of a query's answer between neighbours, by its word in a declaration."""

    L1 = "l1"
    L2 = "l2"
    LINF = "linf"

    @property
    def title(self) -> str:
        """As a report calls it."""
        return {"l1": "L1", "l2": "L2", "linf": "L∞"}[self.value]

    def of(self, changes: Sequence[Size]) -> Size:
        """The norm of a vector of absolute changes; of L2, its *square*, which is rational."""
        if math.inf in changes:
            return math.inf
        match self:
            case Norm.L1:
                return sum((Fraction(change) for change in changes), Fraction(0))
            case Norm.L2:
                return sum((Fraction(change) ** 2 for change in changes), Fraction(0))
            case Norm.LINF:
                return max((Fraction(change) for change in changes), default=Fraction(0))

    def measure(self, value: Fraction) -> Fraction:
        """What `of` gives for a vector of this norm: of L2, the square."""
        return value * value if self is Norm.L2 else value

    def text(self, size: Size) -> str:
        """A value of `of`, or a bound of it, in exact words: ``2``, ``1/3``, ``√2``, ``inf``."""
        if isinstance(size, float):
            return "inf"
        if self is not Norm.L2:
            return number_text(size)
        root = Fraction(math.isqrt(size.numerator), math.isqrt(size.denominator))
        return number_text(root) if root * root == size else f"√{number_text(size)}"


@dataclass(frozen=True)
class Declared:
    """What a developer says of a query: at most this much change between neighbours.

    At least one norm is bounded. ``l2_squared``: the square of the bound of L2. Raises InputError
    for none and for negative bounds.
    """

    l1: Fraction | None = None
    l2_squared: Fraction | None = None
    linf: Fraction | None = None

    def __post_init__(self) -> None:
        bounds = {"l1": self.l1, "l2_squared": self.l2_squared, "linf": self.linf}
        if all(bound is None for bound in bounds.values()):
            raise InputError(f"declare a bound of at least one norm, such as {_FORMS}")
        for name, bound in bounds.items():
            if bound is None:
                continue
            exact = parse_rational(bound, name)
            if exact < 0:
                raise InputError(f"{name} must not be negative, found {number_text(exact)}")
            object.__setattr__(self, name, exact)

    def __iter__(self) -> Iterator[tuple[Norm, Fraction]]:
        """Each norm with its bound, as `Norm.of` measures it."""
        bounds = ((Norm.L1, self.l1), (Norm.L2, self.l2_squared), (Norm.LINF, self.linf))
        return ((norm, bound) for norm, bound in bounds if bound is not None)

    def __str__(self) -> str:
        """As `parse_declaration` reads it."""
        names = {Norm.L1: "l1", Norm.L2: "l2_squared", Norm.LINF: "linf"}
        return ", ".join(f"{names[norm]}={number_text(bound)}" for norm, bound in self)


def parse_declaration(text: str) -> Declared:
    """The declaration of its text: ``l1=1``, ``l2=1``, ``l2_squared=2``, ``linf=1/3``.

    Several are joined by commas. Numbers are integers, decimals or fractions, taken exactly. Raises
    InputError for anything else: an unknown norm, one given twice (L2 and its square are one), an
    infinite or negative number.
    """
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"a declared sensitivity reads like {_FORMS}; found nothing")
    bounds: dict[str, Fraction] = {}
    for part in text.split(","):
        name, equals, number = part.partition("=")
        name = name.strip().lower().replace("-", "_")
        if not equals or name not in ("l1", "l2", "l2_squared", "linf"):
            raise InputError(
                f"a declared sensitivity reads like {_FORMS}, joined by commas; found "
                f"{part.strip()[:40]!r}"
            )
        bound = parse_rational(number.strip(), name)
        if bound < 0:
            raise InputError(f"{name} must not be negative, found {number.strip()[:40]!r}")
        key = "l2_squared" if name == "l2" else name
        if key in bounds:
            raise InputError(f"{name} is declared twice; keep one bound for each norm")
        bounds[key] = bound * bound if name == "l2" else bound
    return Declared(**bounds)


def of_query(sensitivity: Sensitivity) -> Declared:
    """What a query of `synthesizers.queries` declares of itself."""
    return Declared(
        Fraction(sensitivity.l1), Fraction(sensitivity.l2_squared), Fraction(sensitivity.linf)
    )
