"""Forms: a value on either database plus multiples of draws, and what keeps a number one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from audit.auditors.components.recording.steps import Entry


@dataclass(frozen=True)
class Form:
    """``first``, ``second``: what the noise hides on either database; ``draws``: its multiples."""

    first: Fraction = Fraction(0)
    second: Fraction = Fraction(0)
    draws: Mapping[Entry, Fraction] = field(default_factory=dict)

    @property
    def moved(self) -> Fraction:
        """How far the pair moves what is hidden."""
        return self.second - self.first

    def plus(self, other: Form, times: int = 1) -> Form:
        """The sum, or the difference."""
        draws = dict(self.draws)
        for draw, multiple in other.draws.items():
            draws[draw] = draws.get(draw, Fraction(0)) + times * multiple
        kept = {draw: multiple for draw, multiple in draws.items() if multiple}
        return Form(self.first + times * other.first, self.second + times * other.second, kept)

    def times(self, factor: Fraction) -> Form:
        """A multiple."""
        if not factor:
            return Form()
        draws = {draw: multiple * factor for draw, multiple in self.draws.items()}
        return Form(self.first * factor, self.second * factor, draws)


def _multiply(forms: Sequence[Form]) -> Form | None:
    for one, other in (forms, forms[::-1]):
        if not one.draws and not one.moved:
            return other.times(one.first)
    return None


def _divide(forms: Sequence[Form]) -> Form | None:
    below = forms[1]
    if below.draws or below.moved or not below.first:
        return None
    return forms[0].times(1 / below.first)


LINEAR: Mapping[str, tuple[int, Callable[[Sequence[Form]], Form | None]]] = {
    "add": (2, lambda forms: forms[0].plus(forms[1])),
    "subtract": (2, lambda forms: forms[0].plus(forms[1], -1)),
    "negative": (1, lambda forms: forms[0].times(Fraction(-1))),
    "positive": (1, lambda forms: forms[0]),
    "multiply": (2, _multiply),
    "divide": (2, _divide),
}
"""Of each operation that makes a form of forms, how many it takes, and what it makes of them; None
where that is none."""
