"""Kinds of pairs: what tells two neighbouring databases apart, one kind for each way to fail.

A pair is the rest, records that both databases hold, beside a unit's records: added to the rest
under add-remove, exchanged for another's under replace-one. Chains repeat the step.
Sources: StatDP's patterns of query answers (Ding et al. 2018), brought to records; what auditors of
synthesizers use (Annamalai, Ganev & De Cristofaro 2024): an empty or a uniform rest, a repeated
target, narrow columns; clip ends and bin edges; correlated tables beside independent ones, which
whoever chooses a network of attributes scores differently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

from audit.auditors.attack.pairs.distances import MOST_STEPS, list_distances
from audit.auditors.attack.pairs.edges import at_or_above, below
from audit.auditors.attack.pairs.poles import list_poles
from audit.auditors.attack.pairs.records import Record, Records
from audit.auditors.attack.pairs.sizes import Sizes
from audit.auditors.attack.pairs.sketches import Sketch, Target, write_key
from audit.auditors.attack.pairs.ties import list_ties
from audit.statements.claim import Claim
from synthesizers.domain import Attribute
from synthesizers.neighbours import AddRemove

MOST_ATTRIBUTES = 3
"""Attributes, the first ones, whose own values make candidates."""

MOST_CELLS = 8
"""The most cells of a small spread: more look like the whole domain."""

SMALL_DOMAIN = 16
"""The most cells of a domain each of which makes candidates, and over which a database that grows
is spread."""

COPIES = (2, 1, 4, 9)
"""Equal records beside one more: counts at which tables are suppressed or rounded, and at which
duplicates begin to show."""


@dataclass(frozen=True)
class Drawer:
    """Sketches of pairs of one claim, with values of its domain in one encoding."""

    values: Records
    claim: Claim
    sizes: Sizes

    def kinds(self) -> dict[str, Iterator[Sketch]]:
        """All kinds with their pairs, in the order in which they tell most as a rule."""
        ways: dict[str, Callable[[], Iterator[Sketch]]] = {
            "one record": self._one_record,
            "two poles": self._poles,
            "chains": self._chains,
            "a value of its own": self._unique,
            "one attribute differs": self._one_attribute,
            "two attributes differ": self._two_attributes,
            "tied choices": self._ties_of_choices,
            "equal records": self._equal,
            "values in turn": self._in_turn,
            "missing values": self._missing,
            "edges of bins": self._edges,
            "a spread table": self._spread,
            "a correlated table": self._correlated,
            "a few cells": self._few_cells,
            "near ties": self._ties,
            "a person's records": self._persons,
            "sizes": self._sizes,
            "single cells": self._cells,
        }
        return {} if self.sizes.unit < 1 else {name: way() for name, way in ways.items()}

    def at_size(self, units: int, equal: bool) -> Sketch:
        """One unit more beside so many others: of records that are equal, or spread."""
        values = self.values
        every = values.within(1 if equal else SMALL_DOMAIN, (units + 1) * self.sizes.unit)
        words = f"beside {units} {'equal to it' if equal else 'spread over the domain'}"
        rest, come = every[: units * self.sizes.unit], every[units * self.sizes.unit :]
        return Sketch(f"{self._more}, {words}", rest, (), come)

    @property
    def _high(self) -> Target:
        return Target(self.values.high(), self.values.low(), "the last value of every attribute")

    @property
    def _low(self) -> Target:
        return Target(self.values.low(), self.values.high(), "the first value of every attribute")

    @property
    def _middle(self) -> Target:
        return Target(self.values.middle(), self.values.low(), "the middle value of each attribute")

    @property
    def _more(self) -> str:
        if self.claim.neighbours.unit.is_record:
            return "a record more"
        return f"a person's {self.sizes.unit} records more"

    def _sketch(
        self, target: Target, rest: Sequence[Record], where: str, filler: Record | None = None
    ) -> Iterator[Sketch]:
        """The target beside the rest, which is filled up to the least number of records."""
        come, gone = (target.record,) * self.sizes.unit, (target.other,) * self.sizes.unit
        many = (
            "a record"
            if self.claim.neighbours.unit.is_record
            else f"a person's {self.sizes.unit} records"
        )
        if isinstance(self.claim.neighbours, AddRemove):
            yield from self._fill(f"{self._more}, {target.words}", where, (), come, rest, filler)
            return
        if write_key(target.record) != write_key(target.other):
            told = f"{many} exchanged, {target.words}"
            yield from self._fill(told, where, gone, come, rest, filler or target.other)
        if not self.claim.neighbours.unit.is_record:
            told = f"{many} in place of none, {target.words}"
            yield from self._fill(told, where, (), come, rest, filler or target.other)

    def _fill(
        self,
        told: str,
        where: str,
        gone: tuple[Record, ...],
        come: tuple[Record, ...],
        rest: Sequence[Record],
        filler: Record | None,
    ) -> Iterator[Sketch]:
        least = (
            self.sizes.room if self.sizes.exact else self.sizes.least - min(len(gone), len(come))
        )
        if max(len(rest), least) > self.sizes.room:
            return
        missing = max(least - len(rest), 0)
        padding = (filler or self.values.low(),) * missing
        if missing:
            where = f"{where} and {missing} others" if rest else f"beside {missing} of another kind"
        yield Sketch(f"{told}, {where}", (*padding, *rest), gone, come)

    def _alone(self, target: Target) -> Iterator[Sketch]:
        yield from self._sketch(target, (), "alone")

    def _beside_others(self, target: Target) -> Iterator[Sketch]:
        if self.sizes.room:
            rest = (target.other,) * self.sizes.room
            yield from self._sketch(target, rest, f"beside {self.sizes.room} of another kind")

    def _beside_equals(self, target: Target, copies: int | None = None) -> Iterator[Sketch]:
        copies = self.sizes.room if copies is None else copies
        if 0 < copies <= self.sizes.room:
            rest = (target.record,) * copies
            yield from self._sketch(target, rest, f"beside {copies} equal to it", target.other)

    def _one_record(self) -> Iterator[Sketch]:
        for target in (self._high, self._low, self._middle):
            yield from self._alone(target)

    def _chains(self) -> Iterator[Sketch]:
        """Chains of units, each of the target's records, added or exchanged one after the other."""
        size = self.sizes.unit
        room = (
            MOST_STEPS
            if self.claim.records is None
            else min(MOST_STEPS, self.claim.records // size)
        )
        distances = dict.fromkeys(
            min(steps, room) for steps in list_distances(self.claim.guarantee)
        )
        for steps in (steps for steps in distances if steps > 1):
            for target in (self._high, self._low):
                come, gone = (target.record,) * size, (target.other,) * size
                if isinstance(self.claim.neighbours, AddRemove):
                    gone = ()
                elif write_key(target.record) == write_key(target.other):
                    continue
                held = (
                    self.claim.records - steps * size
                    if self.sizes.exact and self.claim.records
                    else 0
                )
                ends = min(len(gone), len(come)) * steps
                rest = (target.other,) * max(held, self.sizes.least - ends, 0)
                if self.claim.records is None or len(rest) + steps * size <= self.claim.records:
                    yield Sketch(f"{steps} steps: {target.words}", rest, gone, come, steps)

    def _poles(self) -> Iterator[Sketch]:
        return list_poles(self.values, self.claim, self.sizes)

    def _ties_of_choices(self) -> Iterator[Sketch]:
        return list_ties(self.values, self.claim, self.sizes)

    def _unique(self) -> Iterator[Sketch]:
        for target in (self._high, self._low, self._middle):
            yield from self._beside_others(target)

    def _equal(self) -> Iterator[Sketch]:
        yield from self._beside_equals(self._high)
        for copies in COPIES:
            yield from self._beside_equals(self._high, copies)
        yield from self._beside_equals(self._low)

    def _some(self) -> Sequence[Attribute]:
        attributes = self.values.domain.attributes
        return attributes[:MOST_ATTRIBUTES] if len(attributes) > 1 else ()

    def _one_attribute(self) -> Iterator[Sketch]:
        low, values = self.values.low(), self.values
        targets = [
            Target({**low, a.name: values.last(a)}, low, f"the last value of {a.name!r} only")
            for a in self._some()
        ]
        for way in (self._beside_others, self._alone, self._beside_equals):
            for target in targets:
                yield from way(target)

    def _two_attributes(self) -> Iterator[Sketch]:
        low, values = self.values.low(), self.values
        targets = []
        for a, b in combinations(self._some(), 2):
            record = {**low, a.name: values.last(a), b.name: values.value(b, len(b.values) // 2)}
            if record != low:
                told = f"values of {a.name!r} and {b.name!r} of their own"
                targets.append(Target(record, low, told))
        tables = (
            ("correlated", values.correlated(self.sizes.room)),
            ("of another kind", (low,) * self.sizes.room),
            ("spread over the domain", values.spread(self.sizes.room)),
        )
        for told, rest in tables:
            for target in targets:
                yield from self._sketch(target, rest, f"beside {self.sizes.room} {told}")

    def _in_turn(self) -> Iterator[Sketch]:
        """Every value of every attribute comes in one of few pairs, and is nowhere else in it."""
        values = self.values
        for turn in range(max(len(a.values) for a in values.domain.attributes)):
            told = f"the values of turn {turn + 1}"
            target = Target(values.turn(turn), values.turn(turn + 1), told)
            way = self._beside_others if self.sizes.room else self._alone
            yield from islice(way(target), 1)

    def _missing(self) -> Iterator[Sketch]:
        low = self.values.low()
        attributes = [a for a in self.values.domain.attributes if a.missing][:MOST_ATTRIBUTES]
        targets = [
            Target({**low, a.name: None}, low, f"without a value of {a.name!r}") for a in attributes
        ]
        for way in (self._alone, self._beside_others, self._beside_equals):
            for target in targets:
                yield from way(target)

    def _edges(self) -> Iterator[Sketch]:
        """Numbers next to an inner edge, and the two zeros."""
        low, targets = self.values.low(), []
        numbers = [a for a in self.values.domain.attributes if self.values.reads_numbers(a)]
        for a in numbers[:MOST_ATTRIBUTES]:
            name, edges = a.name, a.edges or ()
            if len(edges) > 2:
                edge = edges[len(edges) // 2]
                under, over = {**low, name: below(edge)}, {**low, name: at_or_above(edge)}
                targets.append(Target(under, over, f"{name!r} next below an edge"))
            if edges[0] <= 0 <= edges[-1]:
                minus, plus = {**low, name: -0.0}, {**low, name: 0.0}
                targets.append(Target(minus, plus, f"{name!r} minus zero"))
        for way in (self._alone, self._beside_others, self._beside_equals):
            for target in targets:
                yield from way(target)

    def _spread(self) -> Iterator[Sketch]:
        rest = self.values.spread(self.sizes.room)
        for target in (self._high, self._low, self._middle):
            if rest:
                yield from self._sketch(
                    target, rest, f"beside {self.sizes.room} spread over the domain"
                )

    def _correlated(self) -> Iterator[Sketch]:
        """One that agrees with the others, and one that does not."""
        values, rest = self.values, self.values.correlated(self.sizes.room)
        last = values.domain.attributes[-1]
        odd = {**values.low(), last.name: values.last(last)}
        breaks = Target(odd, values.low(), f"the last value of {last.name!r} only")
        for target in (breaks, self._high) if rest and self._some() else ():
            yield from self._sketch(target, rest, f"beside {self.sizes.room} correlated")

    def _few_cells(self) -> Iterator[Sketch]:
        for cells in range(2, min(MOST_CELLS, self.values.domain.size) + 1):
            rest = self.values.within(cells, self.sizes.room if self.sizes.exact else cells)
            yield from self._sketch(self._high, rest, f"beside {len(rest)} over {cells} cells")

    def _ties(self) -> Iterator[Sketch]:
        """One more decides which of two kinds is the commoner."""
        target = self._high
        for half in dict.fromkeys((self.sizes.room // 2, 1)):
            if 0 < half <= self.sizes.room // 2:
                others = self.sizes.room - half if self.sizes.exact else half
                rest = (target.other,) * others + (target.record,) * half
                yield from self._sketch(target, rest, f"between two kinds of {half} each")

    def _persons(self) -> Iterator[Sketch]:
        """A person's records that differ."""
        if self.sizes.unit < 2:
            return
        come, told = self.values.spread(self.sizes.unit), "a person's records come"
        for room, where in (
            (0, "alone"),
            (self.sizes.room, f"beside {self.sizes.room} of another kind"),
        ):
            rest = (self.values.low(),) * room
            yield from self._fill(f"{told}, spread over the domain", where, (), come, rest, None)

    def _sizes(self) -> Iterator[Sketch]:
        if self.sizes.exact:
            return
        for size in self.sizes.rising:
            if isinstance(self.claim.neighbours, AddRemove):
                yield self.at_size(size, equal=False)
            else:
                rest = self.values.spread(min(size, self.sizes.room))
                yield from self._sketch(self._high, rest, f"beside {size} spread over the domain")

    def _cells(self) -> Iterator[Sketch]:
        size, values = self.values.domain.size, self.values
        low, high = values.low(), values.high()
        targets = [
            Target(values.cell(cell), low if cell else high, f"cell {cell}")
            for cell in range(size if size <= SMALL_DOMAIN else 0)
        ]
        for way in (self._alone, self._beside_others, self._beside_equals):
            for target in targets:
                yield from way(target)
