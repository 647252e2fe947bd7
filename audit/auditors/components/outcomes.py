"""Every outcome of the coins and choices of a subject on a database, and so its output's law.

A run stands for its cell. What is beside it is cut into ranges, in each of which a draw is set, and
run again, until no outcome is left: the cells add up to 1. Each is then tried at other places of
its ranges, and fresh runs must give what their cells say: a draw that code uses unseen shows there.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from audit.auditors.components.asking import Ask, Wanted
from audit.auditors.components.cells import Cell, Piece, cell_of
from audit.auditors.components.recording.steps import Call, Entry, Recording
from audit.auditors.components.sources import WHOLE, Range, Source, Uniform

MOST_CELLS = 300
"""The most cells of a database (four records with two coins each have 256)."""

MOST_ROUNDS = 24
"""The most rounds of runs: one draw more can be set in each."""

FRESH = 16
"""Fresh runs of a database, which must give what their cells say."""

LIKELY = Fraction(3, 5)
"""A chance below which no cell comes in all `FRESH` runs of a generator (but with 3e-4)."""

_EDGE = Fraction(1, 1000)
"""How far from an end of its range, in proportion, a draw is tried."""

_SEEDS = 5_000_000
"""Where the seeds of fresh runs begin."""

Output = tuple[Any, ...]
Law = Mapping[Output, Fraction]
"""The chance of each output."""


@dataclass
class _Search:
    """Cells of one database: ``open_``: ranges that nobody has run yet."""

    database: Any
    open_: list[Cell] = field(default_factory=lambda: [{}])
    cells: list[tuple[Cell, Output]] = field(default_factory=list)
    failed: bool = False
    many: bool = False


def find_laws(ask: Ask, databases: Sequence[Any], seed: int) -> list[Law | None] | None:
    """The law of the output on each database, None of one with more than `MOST_CELLS` cells.

    None where any has draws of other laws, or that are used otherwise than the tape shows.

    Guarantee
    ---------
    A law is that of the output if draws are independent, as their calls say, and are used nowhere
    but where the tape, other places of each cell and `FRESH` fresh runs show it. Backed by
    ``tests/audit/auditors/components/test_outcomes.py``.
    """
    searches = [_Search(database) for database in databases]
    for _ in range(MOST_ROUNDS):
        boxes = [(one, box) for one in searches if not one.many for box in one.open_]
        if not boxes:
            break
        wanted = [_want(databases, one, box, seed, {}) for one, box in boxes]
        for one in searches:
            one.open_ = []
        for (one, box), made in zip(boxes, ask(databases, wanted), strict=True):
            _take(one, box, made)
        if any(one.failed for one in searches):
            return None
    for one in searches:
        one.many |= bool(one.open_)
    small = [one for one in searches if not one.many]
    for one in small:
        one.failed |= sum(_chance(cell) for cell, _ in one.cells) != 1
    _try_again(ask, databases, small, seed)
    if any(one.failed for one in small):
        return None
    return [None if one.many else _law(one) for one in searches]


def _chance(cell: Cell) -> Fraction:
    size = Fraction(1)
    for piece in cell.values():
        size *= piece.chance
    return size


def _law(search: _Search) -> Law:
    law: defaultdict[Output, Fraction] = defaultdict(Fraction)
    for cell, output in search.cells:
        law[output] += _chance(cell)
    return law


def output_of(made: Recording) -> Output:
    """What a run told, as it is compared."""
    return (made.error, *map(repr, made.output))


def _want(
    databases: Sequence[Any],
    search: _Search,
    box: Cell,
    seed: int,
    places: Mapping[Entry, Fraction],
) -> Wanted:
    """A run in which each draw of a box lies at a place of its range, from 0 to 1."""
    changes: dict[int, list[Any]] = {}
    for entry, piece in box.items():
        at = places.get(entry, Fraction(3, 7))
        answer = piece.source.answer(piece.within[0] + at * piece.chance)
        own = changes.setdefault(entry[0], [None] * piece.entries)
        own[entry[1] : entry[1] + len(answer)] = answer
    place = next(i for i, one in enumerate(databases) if one is search.database)
    return Wanted(place, seed, changes=changes)


def _take(search: _Search, box: Cell, made: Recording) -> None:
    """Add a run's cell, and cut up what of its box is beside it."""
    known = None if search.failed else cell_of(made)
    if known is None or not box.keys() <= known.keys():
        search.failed = True
        return
    cell: dict[Entry, Piece] = {}
    for entry, piece in known.items():
        outer = box[entry].within if entry in box else WHOLE
        inner = max(piece.within[0], outer[0]), min(piece.within[1], outer[1])
        if inner[0] >= inner[1] or (entry in box and box[entry].source != piece.source):
            search.failed = True
            return
        for beside in _cut(piece.source, outer, inner):
            rest = {other: one for other, one in box.items() if other not in cell}
            search.open_.append({**cell, **rest, entry: replace(piece, within=beside)})
        cell[entry] = replace(piece, within=inner)
    search.cells.append((cell, output_of(made)))
    search.many |= len(search.cells) + len(search.open_) > MOST_CELLS


def _cut(source: Source, outer: Range, inner: Range) -> list[Range]:
    """What of a range is beside another, outcome by outcome where there are several."""
    beside = [(outer[0], inner[0]), (inner[1], outer[1])]
    beside = [one for one in beside if one[0] < one[1]]
    if isinstance(source, Uniform):
        return beside
    return [
        one
        for one in pairwise((Fraction(0), *source.ends))
        if one[0] < one[1] and any(low <= one[0] and one[1] <= high for low, high in beside)
    ]


def _try_again(ask: Ask, databases: Sequence[Any], searches: Sequence[_Search], seed: int) -> None:
    """Other places of each cell, and fresh runs: what gives another output has failed."""
    chooser = random.Random(seed)
    tried: list[tuple[_Search, Output | None]] = []
    wanted: list[Wanted] = []
    for one in searches:
        for cell, output in one.cells:
            sides = {entry: chooser.random() < 0.5 for entry in cell}
            for turned in (False, True):
                places = {e: _EDGE if up == turned else 1 - _EDGE for e, up in sides.items()}
                # Of another seed: noise that is ranked is another, too.
                wanted.append(_want(databases, one, cell, seed + 1 + len(wanted), places))
                tried.append((one, output))
        place = next(i for i, other in enumerate(databases) if other is one.database)
        wanted += [Wanted(place, _SEEDS + FRESH * seed + run) for run in range(FRESH)]
        tried += [(one, None)] * FRESH
    fresh: dict[int, list[Recording]] = {}
    for (one, want), made in zip(tried, ask(databases, wanted) if wanted else (), strict=True):
        if want is None:
            fresh.setdefault(id(one), []).append(made)
        else:
            one.failed |= output_of(made) != want
    for one in searches:
        runs = fresh.get(id(one), [])
        found = [_find_cell(one, made) for made in runs]
        one.failed |= any(
            cell is None or cell[1] != output_of(made)
            for cell, made in zip(found, runs, strict=True)
        )
        one.failed |= not one.failed and _is_fixed(runs, [cell for cell in found if cell])


def _is_fixed(runs: Sequence[Recording], found: Sequence[tuple[Cell, Output]]) -> bool:
    """Whether fresh runs give the same, as a generator of a fixed seed does."""
    uniform: Counter[Any] = Counter()
    for made in runs:
        calls = [one for one in made.steps if isinstance(one, Call) and one.law == "uniform"]
        uniform.update({one for call in calls for one in call.answer})
    if any(times > 1 for times in uniform.values()):
        return True
    same = all(cell is found[0] for cell in found)
    return same and bool(found) and _chance(found[0][0]) < LIKELY


def _find_cell(search: _Search, made: Recording) -> tuple[Cell, Output] | None:
    """The cell that a fresh run lies in; None where it lies in none."""
    known = cell_of(made)
    if known is None:
        return None
    return next(
        (
            one
            for one in search.cells
            if one[0].keys() == known.keys()
            and all(_draws_within(made, entry, piece) for entry, piece in one[0].items())
        ),
        None,
    )


def _draws_within(made: Recording, entry: Entry, piece: Piece) -> bool:
    answer, source = made.steps[entry[0]].answer, piece.source
    if isinstance(source, Uniform):
        t = (Fraction(answer[entry[1]]) - source.low) / (source.high - source.low)
        return piece.within[0] <= t <= piece.within[1]
    many = len(source.outcomes[0])
    return source.range_of(tuple(answer[entry[1] : entry[1] + many])) == piece.within
