"""Programs that change the process they run in, or their mind."""

from __future__ import annotations

from audit.self_test.case import BugClass, Liar
from audit.self_test.hostile_cases import HostileCase

HONEST = HostileCase("a program in its process", "honest")
DECLARING = HostileCase("a program that declares its ledger", "declaring")


def _liar(
    name: str, bug: str, attribute: str, honest: HostileCase = HONEST, *, quick: bool = False
) -> Liar:
    return Liar(name, BugClass.HOSTILE, bug, honest, HostileCase(name, attribute), quick)


LIARS = (
    _liar("free noise", "the class of its noise says that it is free", "free_noise", quick=True),
    _liar("free questions", "the class of its questions says so", "free_questions"),
    _liar("lenient budget", "the class of its budget refuses nothing", "lenient_budget"),
    _liar("narrow setting", "the setting's domain shrinks to one cell", "narrow_setting"),
    _liar("lying plays", "its process says that it asked nothing", "lying_plays"),
    _liar("honest where played", "loud in runs alone", "honest_where_played"),
    _liar("honest at first", "loud after a hundred runs", "honest_at_first"),
    _liar("remembers", "it releases the answer of the run before", "remembers"),
    _liar("an undeclared coin", "tossed for the output", "tosses_a_coin"),
    _liar("the clock", "part of the output", "looks_at_the_clock"),
    _liar("another ledger", "it asks what it did not declare", "asks_another", DECLARING),
)
