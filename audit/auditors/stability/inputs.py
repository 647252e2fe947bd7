"""Inputs of a transformation: the values that its domain has, and pairs of inputs near each other.

A domain is read as it prints itself, ``VectorDomain(AtomDomain(bounds=[0, 10], T=i32), size=5)``.
"""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from audit.auditors.sensitivity.records import FloatColumn
from audit.auditors.stability.distances import TABLES, metric_name
from audit.subjects.mapped import atom_of
from synthesizers.errors import InputError

Pair = tuple[Any, Any]

MOST_VALUES = 6
"""Values whose lists are exhausted (1,555 lists of at most four records)."""

MOST_APART = 100
"""How far tables may lie apart (with a thousand changes of each, a command takes minutes)."""

LARGE = (5, 20, 200, 1000)
"""Records of the larger tables, in which sums of floats round, and shares are small."""

_FORM = re.compile(
    r"(?P<vector>VectorDomain\()?(?P<option>OptionDomain\()?AtomDomain\((?P<atom>[^()]*)\)\)?"
    r"(?:, size=(?P<size>\d+))?\)?"
)


@dataclass(frozen=True)
class InputSpace:
    """What a transformation takes: ``values``, the simplest first; ``vector``: lists of them.

    ``size``: of every list, None for any. ``metric``: of inputs. ``bounds``: of its numbers.
    """

    values: tuple[Any, ...]
    vector: bool
    size: int | None
    metric: str
    bounds: tuple[float, float] = (-math.inf, math.inf)

    def pairs(self, apart: int, records: int, examples: int, seed: int) -> Iterator[Pair]:
        """Inputs that may lie ``apart`` of each other, the small ones first; some lie farther.

        All lists of at most ``records`` values, against each other; then larger ones with
        ``apart`` changes, and ``examples`` that are made up.
        """
        name = metric_name(self.metric)
        if name in TABLES:
            if not self.vector:
                raise InputError(f"the metric {name} is one of lists; the domain has none")
            if apart > MOST_APART:
                raise InputError(f"tables are tried at most {MOST_APART} apart; found {apart}")
            yield from self._small_tables(records)
            yield from self._large_tables(name, apart, examples, random.Random(seed))
        elif self.vector:
            yield from self._moved_vectors(apart)
        elif name == "AbsoluteDistance":
            yield from self._move_values(self.values, apart)
        else:
            yield from itertools.permutations(self.values, 2)

    def _small_tables(self, records: int) -> Iterator[Pair]:
        values = self.values[:MOST_VALUES]
        sizes = range(records + 1) if self.size is None else [self.size]
        if self.size is not None and self.size > records:
            return
        listed = [list(one) for size in sizes for one in itertools.product(values, repeat=size)]
        yield from itertools.combinations(listed, 2)

    def _large_tables(
        self, name: str, apart: int, examples: int, chance: random.Random
    ) -> Iterator[Pair]:
        sizes = LARGE if self.size is None else (self.size,)
        bases = [[value] * size for size in sizes for value in self.values]
        bases += [
            [chance.choice(self.values) for _ in range(chance.choice(sizes))]
            for _ in range(examples)
        ]
        exchanged = self.size is not None or name in ("ChangeOneDistance", "HammingDistance")
        changes = apart // 2 if exchanged and name not in _OF_CHANGES else apart
        for base in bases:
            for value in self.values:
                changed = list(base)
                for _ in range(changes):
                    place = chance.randrange(len(changed) + (not exchanged))
                    if exchanged:
                        changed[place] = value
                    else:
                        changed.insert(place, value)
                yield base, changed

    def _moved_vectors(self, apart: int) -> Iterator[Pair]:
        for size in (1, 2, 3) if self.size is None else (self.size,):
            for value in self.values:
                base = [value] * size
                for place in range(min(size, 3)):
                    for _, moved in self._move_values([value], apart):
                        yield base, [*base[:place], moved, *base[place + 1 :]]
                if size > 1:
                    spread = self._move_values([value], Fraction(apart, size))
                    yield from ((base, [moved] * size) for _, moved in spread)

    def _move_values(self, values: Sequence[Any], apart: int | Fraction) -> Iterator[Pair]:
        """Each number with those that lie ``apart`` of it, or on the nearer bound.

        Whole numbers stay whole: what lies beyond the bounds is no input.
        """
        low, high = self.bounds
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise InputError(f"{self.metric} is a metric of numbers; found {value!r:.40}")
            for moved in (value + apart, value - apart):
                other = min(max(moved, low), high)
                if isinstance(value, float):
                    yield value, float(other)
                elif math.isfinite(other) and other == int(other):
                    yield value, int(other)


_OF_CHANGES = ("ChangeOneDistance", "HammingDistance")


def read_space(domain: str, metric: str, values: Sequence[Any] | None = None) -> InputSpace:
    """The inputs of a domain; ``values``: in the place of those that its type suggests.

    Raises InputError for a domain that is not known here.
    """
    form = _FORM.fullmatch(domain)
    if form is None:
        raise InputError(
            f"the domain {domain[:80]} is not known here: lists and single values of numbers, "
            "texts and truth values are"
        )
    atom = form["atom"]
    bounds = _bounds(atom)
    told = tuple(_values(atom, bounds)) if values is None else tuple(values)
    strange = [
        one
        for one in told
        if not (one is None and form["option"]) and not _is_value(one, atom, bounds)
    ]
    if strange:
        raise InputError(f"the domain {domain[:80]} has no value {strange[0]!r:.40}")
    if form["option"] and None not in told:
        told = (*told, None)
    size = None if form["size"] is None else int(form["size"])
    return InputSpace(told, bool(form["vector"]), size, metric, bounds)


def _bounds(atom: str) -> tuple[float, float]:
    """Between which ends a domain's numbers lie: its own, or those of a type of whole numbers."""
    kind = atom_of(f"({atom})")
    stated = re.search(r"bounds=\[([^,\]]*), ([^\]]*)\]", atom)
    number = float if kind.startswith("f") else int
    if stated is not None:
        return number(stated[1]), number(stated[2])
    if kind[:1] not in ("i", "u"):
        return -math.inf, math.inf
    bits = int(kind[1:]) if kind[1:].isdigit() else 64
    half = 2 ** (bits - 1)
    return (0, 2 * half - 1) if kind[0] == "u" else (-half, half - 1)


def _is_value(value: Any, atom: str, bounds: tuple[float, float]) -> bool:
    """Whether a domain has a value; of a type that is not known here every text and number is."""
    kind = atom_of(f"({atom})")
    if kind == "bool":
        return isinstance(value, bool)
    if kind in ("String", "str"):
        return isinstance(value, str)
    if not kind.startswith(("f", "i", "u")):
        return isinstance(value, str | int | float)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    if kind.startswith("f"):
        if isinstance(value, float) and not math.isfinite(value):
            return math.isnan(value) and "nan=true" in atom
    elif not isinstance(value, int):
        return False
    return bool(bounds[0] <= value <= bounds[1])


def _values(atom: str, bounds: tuple[float, float]) -> Iterator[Any]:
    """A few values of a type within its bounds, those at the ends first."""
    kind, stated = atom_of(f"({atom})"), "bounds=" in atom
    if kind == "bool":
        yield from (False, True)
    elif kind.startswith("f"):
        yield from _floats(bounds if stated else None, "nan=true" in atom)
    elif kind[:1] in ("i", "u"):
        low, high = map(int, bounds)
        near = (low, high, (low + high) // 2, low + 1, 0) if stated else (0, 1, 2, -1, 3)
        yield from dict.fromkeys(one for one in (*near, low, high) if low <= one <= high)
    elif kind in ("String", "str"):
        yield from ("a", "b", "")
    else:
        raise InputError(f"values of the type {kind[:40]!r} are not known here: give --values")


def _floats(bounds: tuple[float, float] | None, nan: bool) -> Iterator[float]:
    if bounds is not None:
        column = FloatColumn("x", *bounds)
        ends = (column.low, column.high)
        yield from {value.hex(): value for value in (*ends, *column.values)}.values()
    else:
        yield from (0.0, 1.0, -1.0, 0.1, 3.0, 1e16, 5e-324, 1e308, -1e308)
    if nan:
        yield math.nan
