"""Findings in words, as certificates state them: the words are the audit's, and the numbers hold.

Figures get tighter from version to version. So a stated sentence is not compared as text: its words
are, and each number in it is, with the stated bound that it repeats and with the number found.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from audit.statements.checks import Check, Status, compare_ends, worst
from audit.statements.decimals import Enclosure, decimal_above, decimal_below, parse_extended
from audit.statements.evidence import Bound, Evidence, Side
from synthesizers.errors import InputError

_END = r"(?:inf|-?[0-9.]+(?:E[+-]?[0-9]+)?)"
_NUMBERS = re.compile(rf"exactly -?[0-9]+(?:/[0-9]+)?|in \[{_END}, {_END}\]|infinite")
_RULE = re.compile(r", by ([^,]+)")

EARLIER_RULES = (
    "basic composition",
    "Gaussian DP of each mechanism",
    "zCDP of the dominating pairs",
)
"""What a theorem was said to be by before, where today's has another name for it."""

DIGITS = 10
"""Of the ends of an enclosure in a sentence."""


def compare_finding(name: str, stated: Evidence, found: Evidence, rules: Sequence[str]) -> Check:
    """The sentence of a piece of evidence beside that of the audit made again.

    ``rules``: those of the stated proof, one of which a sentence about a theorem names.

    Guarantee
    ---------
    Confirmed only if it differs in its numbers alone, these agree with the bound that is stated
    beside it, and what is found implies each of them. Backed by
    ``tests/audit/statements/test_finding_texts.py``.
    """
    old, new, bound = stated.finding, found.finding, stated.bound
    if old == new and bound == found.bound:
        return Check(name, Status.CONFIRMED)
    false = Check(name, Status.FALSE, "its finding does not follow from the audit")
    of_theorem = stated.auditor == "proof"
    if _words(old, of_theorem) != _words(new, of_theorem) or bound is None or found.bound is None:
        return false
    if of_theorem and old != new:
        by = _RULE.findall(old)
        if not by or by[-1] not in {*rules, *EARLIER_RULES, *_RULE.findall(new)}:
            return false
    numbers, others = _NUMBERS.findall(old), _NUMBERS.findall(new)
    if not _agree(numbers, stated.auditor, bound):
        return Check(name, Status.FALSE, "its finding and its bound say different numbers")
    # Only a theorem's numbers are a ceiling.
    side = Side.CEILING if of_theorem else None
    try:
        return worst(
            Check(name, Status.CONFIRMED),
            *(
                compare_ends(name, _ends(one), _ends(other), side)
                for one, other in zip(numbers, others, strict=True)
                if one != other
            ),
        )
    except InputError:
        return false


def _words(text: str, of_theorem: bool) -> str:
    """A sentence without its numbers, and without the rule of its theorem, if it is about one."""
    numberless = _NUMBERS.sub("#", text)
    return _RULE.sub(", by", numberless) if of_theorem else numberless


def _ends(number: str) -> Enclosure:
    """The ends of a number in a sentence, as evidence writes them; raises InputError."""
    if number == "infinite":
        return Enclosure.infinite()
    if number.startswith("exactly "):
        value = parse_extended(number.removeprefix("exactly "))
        return Enclosure(value, value).as_written()
    lower, upper = (parse_extended(end) for end in number[len("in [") : -1].split(", "))
    return Enclosure(lower, upper).as_written()


def _agree(numbers: Sequence[str], auditor: str, bound: Bound) -> bool:
    """Whether the numbers of a sentence are those of the bound beside it, as far as it has them."""
    own = [] if bound.parameter is None else [bound.parameter[1]]
    ends = [*own, bound.epsilon] if auditor != "proof" else [*own, bound.epsilon][:1]
    of_ceiling = auditor == "factorised" and bound.side is Side.CEILING
    return len(numbers) >= len(ends) and all(
        _says(number, one, of_ceiling) for number, one in zip(numbers, ends, strict=False)
    )


def _says(number: str, ends: Enclosure, of_ceiling: bool) -> bool:
    """Whether a number of a sentence is what the ends of a bound round."""
    try:
        if not number.startswith("in ") or ends == Enclosure.infinite():
            return (of_ceiling and _ends(number).upper == ends.upper) or _ends(number) == ends
        lower, upper = number[len("in [") : -1].split(", ")
        return upper == decimal_above(ends.upper, DIGITS) and (
            of_ceiling or lower == decimal_below(ends.lower, DIGITS)
        )
    except InputError:
        return False
