"""What the noise of a run spends on a pair: parts whose losses add up.

Noisy answers that share draws, directly or by way of others, are one part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from audit.auditors.components.aligned import ALIGNED, align, select_gumbel
from audit.auditors.components.chances import toss, weigh
from audit.auditors.components.forms import COMPARED, EXTREME, Exposed, Read
from audit.auditors.components.lattices import LATTICES, deviation_of
from audit.auditors.components.linear import rank
from audit.auditors.components.multiples import Form
from audit.auditors.components.parts import Law, Part, unknown_part
from audit.auditors.components.recording.places import UNKNOWN
from audit.auditors.components.recording.steps import Call, Entry
from audit.auditors.components.stated_bounds import bound
from audit.auditors.components.told import spend_told

LARGEST = 400
"""The most answers and draws of a part whose shift is searched for."""


def spend(read: Read) -> tuple[Part, ...]:
    """The parts of a run, whose losses add up."""
    groups = _components([one for one in read.exposed if one.form.draws])
    found = [_part(read, group) for group in groups if any(one.form.moved for one in group)]
    found += [weigh(*one) for one in read.weighed]
    found += [bound(*both) for both in read.stated]
    return tuple(found)


def _components(exposed: Sequence[Exposed]) -> list[list[Exposed]]:
    """Answers that share draws, directly or by way of others; those of one ranking together."""
    parent: dict[object, object] = {}

    def root(one: object) -> object:
        while parent.setdefault(one, one) != one:
            one = parent[one]
        return one

    for one in exposed:
        keys: list[object] = list(one.form.draws)
        keys += [] if one.winner is None else list(one.winner.draws)
        for key in keys[1:]:
            parent[root(key)] = root(keys[0])
    groups: dict[object, list[Exposed]] = {}
    for one in exposed:
        groups.setdefault(root(next(iter(one.form.draws))), []).append(one)
    return list(groups.values())


def _part(read: Read, group: Sequence[Exposed]) -> Part:
    draws = sorted({draw for one in group for draw in one.form.draws})
    laws = {draw: _law(read, draw) for draw in draws}
    ranked = [one for one in group if one.use in COMPARED or one.use in EXTREME]
    told = [one for one in group if one not in ranked]
    only = ranked[0] if len(ranked) == 1 and not told else None
    if only is not None and only.use in COMPARED:
        coin = toss(read, only)
        if coin is not None:
            return coin
    ranked = _list_distinct(ranked)
    if len(draws) + len(told) + len(ranked) > LARGEST:
        return unknown_part(
            group, laws, "too many answers share their noise to be looked at together"
        )
    if not ranked or _tells(told, ranked, draws):
        return spend_told(told, draws, laws)
    if all(law.name in ALIGNED for law in laws.values()):
        aligned = align(told, ranked, draws, laws)
        if aligned is not None:
            return aligned
    if {law.name for law in laws.values()} == {"gumbel"} and not told:
        selected = select_gumbel(ranked, draws, laws)
        if selected is not None:
            return selected
    # Whoever sees the answers themselves sees no less.
    plain = [_revealed(one) for one in group]
    found = spend_told([one for one in plain if one.form.draws], draws, laws)
    why = "noisy answers are compared or ranked, which may tell less than they do"
    return Part(found.lines, found.losses, False, (), why=why)


def _list_distinct(ranked: Sequence[Exposed]) -> list[Exposed]:
    """Without those that ask the same of a shift of the draws as another."""
    distinct: dict[object, Exposed] = {}
    for one in ranked:
        form = (one.form.moved, *sorted(one.form.draws.items()))
        distinct.setdefault((one.use, one.above, id(one.winner), form), one)
    return list(distinct.values())


def _tells(told: Sequence[Exposed], ranked: Sequence[Exposed], draws: Sequence[Entry]) -> bool:
    """Whether what is compared or ranked follows from what is told anyway."""
    forms = [form for one in ranked for form in (one.form, one.winner) if form is not None]
    known = [one.form for one in told]

    def rows(of: Sequence[Form]) -> list[list[Fraction]]:
        return [[form.draws.get(draw, Fraction(0)) for draw in draws] for form in of]

    return bool(known) and rank(rows(known)) == rank(rows([*known, *forms]))


def _revealed(one: Exposed) -> Exposed:
    return Exposed(one.form, "unseen", one.place, one.entry)


def _law(read: Read, draw: Entry) -> Law:
    """The law of a draw; "unknown" with a scale of 0 for others than those that are counted."""
    if draw in read.pure:
        law, scale = read.known.get(draw, ("unknown", 0.0))
        return Law(law, scale, read.pure[draw].place)
    call = read.calls.get(draw[0])
    if call is None:
        return Law("unknown", 0.0, UNKNOWN)
    if call.law == "geometric":
        chance = _entry_of(call.parameters.get("p"), draw, call)
        if 0 < chance < 1:
            return Law("geometric", -1 / math.log1p(-chance), call.place)
        return Law("unknown", 0.0, call.place)
    if call.law in LATTICES:
        return _lattice(call, draw)
    scale = _entry_of(call.parameters.get("scale"), draw, call)
    known = scale > 0 and math.isfinite(scale)
    return Law(call.law, scale, call.place) if known else Law("unknown", 0.0, call.place)


def _lattice(call: Call, draw: Entry) -> Law:
    """A law on whole numbers, by its parameters as NumPy has them."""
    names = {"binomial": ("n", ""), "poisson": ("",), "negative binomial": ("n", "")}[call.law]
    given = {**call.parameters, "": call.value}
    parameters = tuple(_entry_of(given.get(name), draw, call) for name in names)
    chance = parameters[-1]
    if chance <= 0 or parameters[0] <= 0 or (len(parameters) == 2 and chance >= 1):
        return Law("unknown", 0.0, call.place)
    return Law(call.law, deviation_of(call.law, parameters), call.place, parameters)


def _entry_of(parameter: object, draw: Entry, call: Call) -> float:
    if isinstance(parameter, tuple):
        if not parameter or len(call.answer) % len(parameter):
            return 0.0
        parameter = parameter[draw[1] % len(parameter)]
    return float(parameter) if isinstance(parameter, int | float) else 0.0
