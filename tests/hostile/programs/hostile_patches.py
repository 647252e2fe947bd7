"""Programs that change what they can reach in their own process, and then ask at epsilon = 10.

What they changed is theirs: the parent prices and answers by its own classes. Each is REFUTED at
its true epsilon, or, where it says that it keeps to 1, refused.
"""

from __future__ import annotations

import builtins
import gc
import json
import sys
from fractions import Fraction
from typing import Any

from hostile_parts import FIRST, LOUD, QUIET, caller_of, loud, quiet, says_one

from synthesizers import budget as budgets
from synthesizers import curator as curators
from synthesizers import declared, events, playing, questions_json
from synthesizers.budget import FREE, Cost, PureBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.events import Measure
from synthesizers.neighbours import ReplaceOne
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import CellCounts


def nothing(*words: Any, **named: Any) -> Any:
    return FREE


def free_noise(curator: Curator) -> Any:
    DiscreteLaplace.cost = nothing
    DiscreteLaplace.shift_loss = lambda self, by: Fraction(0)
    return loud(curator)


def free_events(curator: Curator) -> Any:
    Measure.cost = nothing
    return loud(curator)


def blunt_queries(curator: Curator) -> Any:
    for name in ("sensitivity", "l1", "l2_squared", "cost", "answers"):
        if hasattr(CellCounts, name):
            setattr(CellCounts, name, lambda *words, **named: Fraction(0))
    return loud(curator)


def cheap_costs(curator: Curator) -> Any:
    Cost.__add__ = lambda self, other: FREE
    return loud(curator)


@says_one
def generous_budget(curator: Curator) -> Any:
    PureBudget.check = nothing
    PureBudget.is_exhausted = nothing
    return loud(curator)


@says_one
def unpriced(curator: Curator) -> Any:
    curators.pricing = lambda setting, budget: nothing
    playing.pricing = curators.pricing
    return loud(curator)


def any_kind(curator: Curator) -> Any:
    declared.require_declared = nothing
    playing.require_declared = nothing
    return loud(curator)


def narrow_setting(curator: Curator) -> Any:
    one = Domain.from_cells("1")
    object.__setattr__(curator.setting, "domain", one)
    object.__setattr__(curator.setting, "neighbours", ReplaceOne())
    return curator.measure(FIRST, LOUD, low=0, high=2)


@says_one
def narrow_setting_on_its_word(curator: Curator) -> Any:
    return narrow_setting(curator)


def other_neighbours(curator: Curator) -> Any:
    object.__setattr__(curator.setting, "records", 0)
    ReplaceOne.records_public = False
    return loud(curator)


def through_frames(curator: Curator) -> Any:
    frame: Any = sys._getframe()
    while frame is not None:
        for value in list(frame.f_locals.values()):
            if isinstance(value, Setting):
                object.__setattr__(value, "domain", Domain.from_cells("1"))
        frame = frame.f_back
    return loud(curator)


def through_gc(curator: Curator) -> Any:
    for found in gc.get_objects():
        if isinstance(found, Setting):
            object.__setattr__(found, "domain", Domain.from_cells("1"))
    return loud(curator)


def through_closures(curator: Curator) -> Any:
    for found in gc.get_objects():
        for cell in getattr(found, "__closure__", None) or ():
            try:
                inside = cell.cell_contents
            except ValueError:
                continue
            if isinstance(inside, Setting):
                object.__setattr__(inside, "domain", Domain.from_cells("1"))
    return loud(curator)


def lying_builtins(curator: Curator) -> Any:
    builtins.sum = lambda *words: FREE
    builtins.isinstance = lambda *words: True
    builtins.len = lambda thing: 1
    return loud(curator)


def writes_another_question(curator: Curator) -> Any:
    """What is told of a question is quieter than what the child asked itself."""
    quieter = questions_json.question_to_json(Measure(FIRST, QUIET, 0, 2))
    caller_of("serve")  # it is the child's server that writes
    sys.modules["audit.subjects.program_child"].question_to_json = lambda event: quieter
    return loud(curator)


def lying_plays(curator: Curator) -> Any:
    """The encoder of plays says that nothing is asked, and one thing is always released."""
    child = sys.modules["audit.subjects.program_child"]
    lie = {"outputs": [{"values": [1]}]}
    child.encode_plays = lambda plays: {**lie, "played": [[[], "outputs", [0] * len(plays)]]}
    return loud(curator)


def lying_json(curator: Curator) -> Any:
    """All JSON of the child speaks of epsilon = 1 where it asks at 10."""
    plain = json.JSONEncoder.encode
    json.JSONEncoder.encode = lambda self, message: plain(self, message).replace('"1/10"', '"1"')
    return loud(curator)


def reads_otherwise(curator: Curator) -> Any:
    """The child's reader of answers makes of each what it likes."""
    sys.modules["audit.subjects.program_child"].decode_scripts = lambda scripts: [
        tuple((0,) for _ in script) for script in scripts
    ]
    return loud(curator)


def patched_events(curator: Curator) -> Any:
    events.Measure.__eq__ = lambda self, other: True
    events.Measure.__hash__ = lambda self: 0
    return loud(curator)


class Sneaky(DiscreteLaplace):
    """Another law than the class that it derives from."""

    def cost(self, *words: Any) -> Any:
        return FREE

    @property
    def __class__(self) -> Any:
        return DiscreteLaplace


def subclassed_noise(curator: Curator) -> Any:
    return curator.measure(FIRST, Sneaky(Fraction(1, 10)), low=0, high=2)


def subclassed_noise_let_through(curator: Curator) -> Any:
    """The child's own guards are off; the class is written by its kind's name."""
    playing.require_declared = nothing
    noises = questions_json._EVENT
    return _written_as(noises, Sneaky(Fraction(1, 10)), curator)


def _written_as(form: Any, noise: Any, curator: Curator) -> Any:
    child = sys.modules["audit.subjects.program_child"]
    honest = questions_json.question_to_json(Measure(FIRST, LOUD, 0, 2))
    child.question_to_json = lambda event: honest
    return curator.measure(FIRST, noise, low=0, high=2)


class Steady(int):
    """A number that calls itself zero."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def __index__(self) -> int:
        return 0


def int_of_its_own(curator: Curator) -> Any:
    return curator.measure(FIRST, LOUD, low=Steady(0), high=2)


def spends_nothing(curator: Curator) -> Any:
    """It asks what it has spent, and hides the answer."""
    type(curator).spent = property(lambda self: FREE)
    budgets.FREE = Cost(None, None)
    return loud(curator)


@says_one
def keeps_its_word(curator: Curator) -> Any:
    """The honest one of its kind."""
    return quiet(curator)
