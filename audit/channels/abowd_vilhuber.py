"""The printed figures of Abowd & Vilhuber 2008, and their reproduction.

"How protective are synthetic data?" (Privacy in Statistical Databases 2008),
Figures 1 to 4: n = 5 records, k = 2 cells. Rows are n₁ = 0 … 5, columns
m₁ = 0 … 5; Figures 2 and 4 hold |ln ratio| of adjacent rows of 1 and 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.exact import compare, divide, enclose, log_enclosure
from synthesizers.intervals import Interval
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs import build

FIGURE_1 = """
0.647228 0.294194 0.053490 0.004863 0.000221 0.000004
0.237305 0.395508 0.263672 0.087891 0.014648 0.000977
0.067544 0.241227 0.344610 0.246150 0.087911 0.012559
0.012559 0.087911 0.246150 0.344610 0.241227 0.067544
0.000977 0.014648 0.087891 0.263672 0.395508 0.237305
0.000004 0.000221 0.004863 0.053490 0.294194 0.647228
"""

FIGURE_2 = """
1.003353 0.295930 1.595212 2.894495 4.193778 5.493061
1.256572 0.494432 0.267708 1.029848 1.791988 2.554128
1.682361 1.009417 0.336472 0.336472 1.009417 1.682361
2.554128 1.791988 1.029848 0.267708 0.494432 1.256572
5.493061 4.193778 2.894495 1.595212 0.295930 1.003353
"""

FIGURE_3 = """
0.816060 0.159046 0.021525 0.002913 0.000394 0.000062
0.183940 0.632121 0.159046 0.021525 0.002913 0.000456
0.024894 0.159046 0.632121 0.159046 0.021525 0.003369
0.003369 0.021525 0.159046 0.632121 0.159046 0.024894
0.000456 0.002913 0.021525 0.159046 0.632121 0.183940
0.000062 0.000394 0.002913 0.021525 0.159046 0.816060
"""

FIGURE_4 = """
1.489880 1.379885 2.000000 2.000000 2.000000 2.000000
2.000000 1.379885 1.379885 2.000000 2.000000 2.000000
2.000000 2.000000 1.379885 1.379885 2.000000 2.000000
2.000000 2.000000 2.000000 1.379885 1.379885 2.000000
2.000000 2.000000 2.000000 2.000000 1.379885 1.489880
"""

HALF_DIGIT = Fraction(5, 10**7)
"""Half a unit of the last printed digit."""


@dataclass(frozen=True)
class Figure:
    """One printed figure beside the exact values.

    ``printed``: as fractions; ``computed``: enclosures of the exact values.
    """

    title: str
    printed: tuple[tuple[Fraction, ...], ...]
    computed: tuple[tuple[Interval, ...], ...]

    @property
    def numbers(self) -> int:
        """How many numbers are printed."""
        return sum(len(row) for row in self.printed)

    @property
    def agreeing(self) -> int:
        """How many printed numbers are the exact value, rounded to the last printed digit."""
        return sum(
            _rounds_to(value, shown)
            for exact, print_ in zip(self.computed, self.printed, strict=True)
            for value, shown in zip(exact, print_, strict=True)
        )


def _rounds_to(value: Interval, shown: Fraction) -> bool:
    return shown - HALF_DIGIT <= value.lower and value.upper <= shown + HALF_DIGIT


def example_channel(program: str, **values: str) -> Channel:
    """The exact channel of a built-in program on the paper's instance: n = 5, two cells."""
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 5)
    return channel_of(build(program, values), setting, exact=True).channel


def plug_in_channel() -> Channel:
    """Figure 1's channel: the posterior mean plugged in, α = ½ each."""
    return example_channel("multinomial-dirichlet", alpha="1/2", posterior="mean")


def predictive_channel() -> Channel:
    """Equation (1)'s channel: the posterior predictive, α = ½ each."""
    return example_channel("multinomial-dirichlet", alpha="1/2")


def laplace_channel() -> Channel:
    """Figure 3's channel: Laplace noise of scale 1/ε on the first cell, ε = 2."""
    return example_channel("laplace-sanitizer", epsilon="2")


def figures() -> tuple[Figure, ...]:
    """All four figures, recomputed exactly."""
    bayes, laplace = plug_in_channel(), laplace_channel()
    return (
        Figure(
            "Figure 1: Pr[m | n], Multinomial-Dirichlet", _parse_matrix(FIGURE_1), _chances(bayes)
        ),
        Figure("Figure 2: |ln odds| of Figure 1", _parse_matrix(FIGURE_2), _odds(bayes)),
        Figure("Figure 3: Pr[m | n], Laplace", _parse_matrix(FIGURE_3), _chances(laplace)),
        Figure("Figure 4: |ln odds| of Figure 3", _parse_matrix(FIGURE_4), _odds(laplace)),
    )


def _parse_matrix(text: str) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(Fraction, line.split())) for line in text.split("\n") if line)


def _chances(channel: Channel) -> tuple[tuple[Interval, ...], ...]:
    assert channel.exact is not None
    return tuple(tuple(enclose(value) for value in row) for row in channel.exact)


def _odds(channel: Channel) -> tuple[tuple[Interval, ...], ...]:
    """The larger of two adjacent rows' entries in the numerator, as the paper has it."""
    assert channel.exact is not None
    rows = []
    for above, below in zip(channel.exact[:-1], channel.exact[1:], strict=True):
        line = []
        for p, q in zip(above, below, strict=True):
            line.append(log_enclosure(divide(p, q) if compare(p, q) == 1 else divide(q, p)))
        rows.append(tuple(line))
    return tuple(rows)
