"""Writes docs/explanation/agency-methods.md: agencies' methods beside sanitizers of equal error.

    python docs/agency_methods.py            # writes the page
    python docs/agency_methods.py --check    # compares it, and exits 1 if it differs

Every result on the page comes from here; the words around them are in agency_methods.md.j2, and
what these conclude from results is asserted in tests/docs/test_agency_conclusions.py.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from audit.channels.measures.attacker import guess, last_record, naming
from audit.channels.measures.delta import delta
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.expected_loss import expected_losses, loss_of_best_reading
from audit.channels.measures.extreme import witness_of
from audit.channels.measures.impossible import impossible_mass
from audit.channels.measures.optimum import Optimum, optimum, optimum_at_own
from audit.channels.measures.probabilistic import data_laws, probabilistic_delta
from audit.channels.measures.rows import RowView, row_view
from audit.report.percentages import at_least
from audit.report.words import enclosure_text, number, vector
from audit.statements.decimals import Enclosure
from docs.generated import DOCS, render, write_or_compare
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.intervals import exp_interval
from synthesizers.laws.rounding import RandomRounding
from synthesizers.neighbours import ReplaceOne, histogram_count
from synthesizers.programs import build

Reading = Callable[[tuple[Any, ...]], list[Fraction]]
Errors = Mapping[str, Enclosure]

PAGE = DOCS / "explanation" / "agency-methods.md"
CELLS, RECORDS = 4, 5
DIGITS = 4
NOTHING = "–"
FAR = Fraction(30)
"""An ε that only impossible releases exceed: all finite log ratios of neighbours' chances of a
release are below it, of every channel on the page."""


def shown(output: tuple[Any, ...]) -> list[Fraction]:
    """A table as it is published; what is known of several cells is spread evenly over them.

    That is the count of a group, and what shown counts leave of the total for suppressed ones.
    """
    counts = [value for value in output if not isinstance(value, str)]
    width, hidden = CELLS // len(counts), counts.count(None)
    rest = Fraction(RECORDS - sum(filter(None, counts)), max(hidden, 1))
    estimates = (rest if count is None else Fraction(count, width) for count in counts)
    return [estimate for estimate in estimates for _ in range(width)]


def weighted(output: tuple[Any, ...]) -> list[Fraction]:
    """A sample, weighted up to the number of records."""
    return [Fraction(RECORDS * count, sum(output)) for count in output]


@dataclass(frozen=True)
class Method:
    """What agencies do: a built-in program, its parameters, and how its releases are read."""

    program: str
    values: Mapping[str, str]
    cells: str = str(CELLS)
    read: Reading = shown


ROUNDING = Method("random-round", {"base": "3"})
METHODS = (
    ROUNDING,
    Method("cell-key", {"deviation": "2", "variance": "1.05", "smallest": "2"}),
    Method("suppress", {"threshold": "3"}),
    Method("coarsen", {"groups": "0,0,1,1"}),
    Method("k-anonymity", {"k": "2", "groups": "0,0,1,1"}),
    Method("swap", {"share": "2/5"}, cells="2x2"),
    Method("pram", {"retain": "4/5"}),
    Method("subsample", {"fraction": "2/5"}, read=weighted),
    Method("bootstrap", {}),
)


HUNDREDTHS = tuple(Fraction(step, 100) for step in range(1, 1001))
GEOMETRIC, DIRICHLET = "geometric-sanitizer", "multinomial-dirichlet"
SANITIZERS = {
    GEOMETRIC: ("epsilon", HUNDREDTHS),
    "laplace-sanitizer": ("epsilon", HUNDREDTHS),
    DIRICHLET: ("alpha", HUNDREDTHS[::-1]),
}
"""Private methods: programs, with their one parameter and a grid of it along which error falls."""


def channel_on(cells: str, program: str, values: Mapping[str, str], exact: bool) -> Channel:
    """The channel of a program on all tables of the records."""
    setting = Setting.of(Domain.from_cells(cells), ReplaceOne(), RECORDS)
    return channel_of(build(program, values), setting, exact=exact).channel


@cache
def sanitized(program: str, value: Fraction) -> tuple[Channel, Errors]:
    """The channel of a sanitizer, in enclosed doubles, with its errors."""
    parameter, _ = SANITIZERS[program]
    channel = channel_on(str(CELLS), program, {parameter: str(value)}, exact=False)
    return channel, errors(channel)


def errors(channel: Channel, read: Reading = shown) -> Errors:
    """By how much the counts that are read are expected to be off, summed over the cells.

    "uniform", "multinomial": averaged over the confidential tables by that law. "worst": of the
    table for which it is largest. "best": averaged uniformly, of the best reading.
    """
    expected = expected_losses(channel, [read(output) for output in channel.outputs])
    laws = data_laws(channel)
    return {name: expected.average(law) for name, law in laws.items()} | {
        "worst": expected.largest()[0],
        "best": loss_of_best_reading(channel, laws["uniform"]),
    }


@cache
def least_error(value: Fraction) -> Enclosure:
    """The least average error of all ε-DP methods that release tables of as many records."""
    found = optimum(sanitized(GEOMETRIC, Fraction(1))[0], value)
    assert isinstance(found, Optimum)
    return found.uniform


def first_at_most(
    error: Callable[[Fraction], Enclosure], limit: Enclosure, grid: Sequence[Fraction]
) -> Fraction | None:
    """The first value of a grid whose error is certainly at most the limit; None if none is.

    The error falls along the grid, which is halved until one value is left.
    """
    place = bisect_left(grid, True, key=lambda value: error(value).upper <= limit.lower)
    return grid[place] if place < len(grid) else None


def noise_error(value: Fraction) -> Enclosure:
    """By how much geometric noise changes a large count: 2q/(1 - q²) with q = e^(-ε/2)."""
    ratio = exp_interval(-value / 2)
    return Enclosure.of(2 * ratio / (1 - ratio * ratio))


def rounding_error(base: int) -> Fraction:
    """By how much random rounding changes a large count, all remainders being equally likely."""
    law, counts = RandomRounding(base), range(base, 2 * base)
    steps = [chance * abs(answer - n) for n in counts for answer, chance in law.answers(n).items()]
    return sum(steps, Fraction(0)) / base


def measures(channel: Channel, found: Errors) -> dict[str, str]:
    """What is said of one method, as text."""
    smallest, rows = epsilon(channel), row_view(channel)
    least = optimum_at_own(channel, smallest)
    beyond = {"beyond": Fraction(1), "ruled_out": FAR}
    likely = {name: probabilistic_delta(channel, value) for name, value in beyond.items()}
    numbers = {
        **found,
        "epsilon": smallest.enclosure,
        "delta": delta(channel, Fraction(1)).enclosure,
        "limit": impossible_mass(channel),
        **{name: of.worst for name, of in likely.items()},
        **{f"{name}, {law}": e for name, of in likely.items() for law, e in of.average.items()},
    }
    chances = {
        "posterior": last_record(smallest).posterior,
        "advantage": guess(channel).advantage,
        "named": naming(channel, data_laws(channel)["uniform"]).right,
    }
    if isinstance(least, Optimum):
        numbers["least"] = least.uniform
    if isinstance(rows, RowView):
        chances["itself"], chances["itself_average"] = rows.largest.value, rows.average["uniform"]
        chances["changed"] = rows.least_changed[1].value
    return {name: enclosure_text(ends, DIGITS) for name, ends in numbers.items()} | {
        name: at_least(ends) for name, ends in chances.items()
    }


def telling(channel: Channel) -> str:
    """A release that tells two neighbours apart as well as any, in a sentence."""
    smallest = epsilon(channel)
    witness = delta(channel, FAR).witness if smallest.value is None else smallest.witness
    assert witness is not None
    tables = channel.databases.tolist()
    source, target = (tables.index(list(table)) for table in (witness.source, witness.target))
    event = [channel.outputs.index(output) for output in witness.event]
    output = max(event, key=lambda place: channel.lower[source, place])
    own, other = witness_of(channel, source, target, [output]).probabilities
    given = f"with a chance of {at_least(other)}" if other.upper else "it never is"
    return (
        f"Given the table {vector(witness.source)} the release is "
        f"{vector(channel.outputs[output])} with a chance of {at_least(own)}; given its neighbour "
        f"{vector(witness.target)}, {given}."
    )


@dataclass(frozen=True)
class Comparison:
    """A method with its measures, and those of the sanitizers that err no more.

    ``parameters``: of the sanitizers; "multinomial", "best": of the geometric one where the error
    is taken that way; "ideal": the smallest ε, of two decimals, of any method that errs no more.
    """

    method: Method
    telling: str
    own: Mapping[str, str]
    beside: Mapping[str, Mapping[str, str]]
    parameters: Mapping[str, str]


def compared(method: Method) -> Comparison:
    """A method beside the sanitizers."""
    channel = channel_on(method.cells, method.program, method.values, exact=True)
    found = errors(channel, method.read)

    def equal(program: str, way: str = "uniform") -> Fraction | None:
        _, grid = SANITIZERS[program]
        return first_at_most(lambda value: sanitized(program, value)[1][way], found[way], grid)

    values = {program: equal(program) for program in SANITIZERS}
    parameters = values | {
        "multinomial": equal(GEOMETRIC, "multinomial"),
        "best": equal(GEOMETRIC, "best"),
        "ideal": first_at_most(least_error, found["uniform"], HUNDREDTHS),
    }
    return Comparison(
        method,
        telling(channel),
        measures(channel, found),
        {
            program: measures(*sanitized(program, value))
            for program, value in values.items()
            if value is not None
        },
        {name: NOTHING if value is None else number(value) for name, value in parameters.items()},
    )


def page() -> str:
    """The page's text."""
    least = HUNDREDTHS[0]
    rounding = rounding_error(int(ROUNDING.values["base"]))
    noise = first_at_most(noise_error, Enclosure(rounding, rounding), HUNDREDTHS)
    assert noise is not None
    return render(
        "agency_methods.md.j2",
        records=RECORDS,
        tables=histogram_count(CELLS, RECORDS),
        nothing=NOTHING,
        least=number(least),
        dirichlet=enclosure_text(sanitized(DIRICHLET, least)[1]["uniform"], DIGITS),
        rounding_error=rounding,
        large_counts=number(noise),
        methods={method.program: compared(method) for method in METHODS},
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or compare it; the exit code."""
    words = "Writes docs/explanation/agency-methods.md."
    return write_or_compare(words, {PAGE: page}, arguments)


if __name__ == "__main__":
    sys.exit(main())
