"""The map of a transformation, compared with the distances of its outputs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from audit.auditors.stability.distances import Size, distance, measure, metric_name
from audit.auditors.stability.inputs import Pair, read_space
from audit.auditors.stability.outputs import Asked, NoOutput
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour, Shown
from synthesizers.errors import InputError, ProtocolError
from synthesizers.numerals import number_text

RECORDS = 3
"""The most records of tables that are exhausted (258 tables of six values, 33,000 pairs)."""

EXAMPLES = 100
"""Larger tables that are made up (a second)."""


_OF_ROWS = ("SymmetricDistance", "InsertDeleteDistance")
"""Metrics in which a row that is exchanged counts twice."""


AT_ONCE = 100
"""Inputs of one call (of a thousand floats each, less than a call may send back)."""


@dataclass(frozen=True)
class About:
    """What a measurement or a transformation says of itself, as it prints it."""

    input_domain: str
    input_metric: str
    output_metric: str | None = None
    output_measure: str | None = None


def describe_map(asked: Asked) -> About:
    """What it says of itself; raises ProtocolError where it says nothing that can be read."""
    try:
        return About(**asked.ask("about"))
    except (NoOutput, TypeError):
        raise ProtocolError(f"{asked.name} does not say what its domain is") from None


def examine(
    asked: Asked,
    apart: int = 1,
    *,
    values: Sequence[Any] | None = None,
    records: int = RECORDS,
    examples: int = EXAMPLES,
    seed: int = 0,
) -> Finding:
    """The largest distance of outputs among inputs at most ``apart``, beside ``map(apart)``.

    ``values``: what inputs are made of, by default what the domain's type and bounds suggest.
    ``records``, ``examples``, ``seed``: as `InputSpace.pairs`. Raises InputError for a measurement,
    and for domains and metrics that are not known; ProtocolError where no input has an output.

    Guarantee
    ---------
    The pair that is shown lies at most ``apart``, by the input's metric, was asked for twice, and
    its outputs lie as far apart as is said, exactly. Backed by
    ``tests/audit/auditors/stability/test_examine.py``.
    """
    about = describe_map(asked)
    if about.output_metric is None:
        raise InputError(
            f"{asked.name} is a measurement, whose map is a claim: dp-audit certify "
            f"{asked.name} --claim 'map({apart})' examines it"
        )
    stated = _map(asked, apart)
    bound = measure(about.output_metric, stated)
    space = read_space(about.input_domain, about.input_metric, values)
    if space.size is not None and about.input_metric.startswith(_OF_ROWS) and apart % 2:
        raise InputError(
            f"tables of {space.size} rows lie an even number apart: give --distance {apart + 1}"
        )
    near = measure(about.input_metric, apart)
    pairs = [
        pair
        for pair in space.pairs(apart, records, examples, seed)
        if distance(about.input_metric, *pair) <= near
    ]
    search = _Search(asked, about.output_metric, bound, [one for pair in pairs for one in pair])
    for pair in pairs:
        search.try_pair(pair)
    if search.largest is None:
        raise ProtocolError(f"{asked.name} has no output for any of the inputs tried")
    return _finding(asked, about, apart, search)


def _map(asked: Asked, apart: int) -> Any:
    try:
        return asked.ask("map", apart)
    except NoOutput as error:
        raise InputError(f"the map of {asked.name} at {apart} {error}") from None


class _Search:
    """The pair whose outputs lie farthest apart, and the simplest one beyond the bound."""

    def __init__(self, asked: Asked, metric: str, bound: Size, inputs: Iterable[Any]) -> None:
        self.metric, self.bound = metric, bound
        self.size: Size = Fraction(0)
        self.largest: Pair | None = None
        self.beyond: Pair | None = None
        self.tried = 0
        self._asked = asked
        self._outputs: dict[str, Any] = {}
        distinct = {repr(value): value for value in inputs}
        texts = list(distinct)
        for start in range(0, len(texts), AT_ONCE):
            some = texts[start : start + AT_ONCE]
            outputs = asked.outputs([distinct[text] for text in some])
            self._outputs.update(zip(some, outputs, strict=True))

    def try_pair(self, pair: Pair) -> None:
        """Look at a pair, one that was seen to lie near."""
        size = self.apart(pair)
        if size is None:
            return
        self.tried += 1
        if self.largest is None or size > self.size:
            self.size, self.largest = size, pair
        if size > self.bound and (self.beyond is None or _weight(pair) < _weight(self.beyond)):
            again = _Search(self._asked, self.metric, self.bound, pair)
            if any(repr(again.output(one)) != repr(self.output(one)) for one in pair):
                raise InputError(
                    f"{self._asked.name} gave another output when it was asked again: the map "
                    "of what draws at random speaks of its law, which is not looked at here"
                )
            self.beyond = pair

    def apart(self, pair: Pair) -> Size | None:
        """How far the outputs lie apart; infinite where one input alone has an output."""
        first, second = map(self.output, pair)
        missing = [isinstance(one, NoOutput) for one in (first, second)]
        if any(missing):
            return None if all(missing) else math.inf
        return distance(self.metric, first, second)

    def output(self, value: Any) -> Any:
        """What is given for an input, or why nothing is."""
        return self._outputs[repr(value)]


def _weight(pair: Pair) -> tuple[int, int, int]:
    """What is less is easier to read."""
    sides = [one if isinstance(one, list) else [one] for one in pair]
    texts = [repr(value) for side in sides for value in side]
    return sum(map(len, sides)), len(set(texts)), sum(map(len, texts))


def _finding(asked: Asked, about: About, apart: int, search: _Search) -> Finding:
    shown = search.beyond or search.largest
    assert shown is not None and about.output_metric is not None
    outputs = [search.output(value) for value in shown]
    told = " beside ".join(str(one) if isinstance(one, NoOutput) else repr(one) for one in outputs)
    where = f"the outputs: {told[:200]}"
    on_pair = search.apart(shown)
    if on_pair is not None and on_pair < search.size:
        size = _text(about.output_metric, on_pair)
        where += f"; this smallest pair lies {size} apart, larger ones farther"
    names = metric_name(about.input_metric), metric_name(about.output_metric)
    return Finding(
        auditor="stability",
        about=f"map({apart}), {names[0]} to {names[1]}",
        decision=Decision.of_declaration(search.beyond is not None),
        declared=_text(about.output_metric, search.bound),
        found=_text(about.output_metric, search.size),
        rigour=Rigour.FLOOR,
        covers=f"{search.tried} pairs of inputs of {about.input_domain}, at most {apart} apart",
        again=_replay(asked.name, shown),
        pair=Shown(*map(_plain, shown)),
        responsible=where,
    )


def _plain(value: Any) -> Any:
    """An input as JSON has it: what is no number is its name."""
    if isinstance(value, list):
        return list(map(_plain, value))
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value


def _replay(name: str, pair: Pair) -> str:
    """The lines that show both outputs; none of an object of the caller's, which has no name."""
    module, _, attribute = name.partition(":")
    if not attribute:
        return ""
    inputs = ", ".join(f"unwrap(t)({value!r})" for value in pair)
    lines = (
        "from math import inf, nan" if "nan" in inputs or "inf" in inputs else "",
        "from audit.subjects.mapped import unwrap",
        f"from {module} import {attribute.partition('.')[0]}",
        f"t = {attribute}",
        f"print({inputs})",
    )
    return "\n".join(filter(None, lines))


def _text(metric: str, size: Size) -> str:
    """A value of `distance` in exact words; of L2 its root."""
    if isinstance(size, float):
        return "inf"
    if metric_name(metric) != "L2Distance":
        return number_text(size)
    root = Fraction(math.isqrt(size.numerator), math.isqrt(size.denominator))
    return number_text(root) if root * root == size else f"√{number_text(size)}"
