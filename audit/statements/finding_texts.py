"""Findings in words, as certificates state them: the words are the audit's, and the numbers hold.

Figures get tighter from version to version. So a stated sentence is not compared as text: its words
are, and each number in it is, with the stated bound that it repeats and with the number found.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from audit.statements.checks import Check, Status, compare_ends, worst
from audit.statements.decimals import Enclosure, decimal_above, decimal_below, extended
from synthesizers.errors import InputError

_END = r"(?:inf|-?[0-9.]+(?:E[+-]?[0-9]+)?)"
_NUMBERS = re.compile(rf"exactly -?[0-9]+(?:/[0-9]+)?|in \[{_END}, {_END}\]|infinite")
_RULE = re.compile(r", by ([a-z-]+)")

DIGITS = 10
"""Of the ends of an enclosure in a sentence."""


def compare_finding(
    name: str, stated: Mapping[str, Any], found: Mapping[str, Any], rules: Sequence[str]
) -> Check:
    """The sentence of a piece of evidence beside that of the audit made again.

    ``rules``: those of the stated proof, one of which a sentence about a theorem names.

    Guarantee
    ---------
    Confirmed only if it differs in its numbers alone, these agree with the bound that is stated
    beside it, and what is found implies each of them. Backed by
    ``tests/audit/statements/test_finding_texts.py``.
    """
    old, new = stated["finding"], found["finding"]
    if old == new and stated["bound"] == found["bound"]:
        return Check(name, Status.CONFIRMED)
    false = Check(name, Status.FALSE, "its finding does not follow from the audit")
    if _words(old) != _words(new) or stated["bound"] is None or found["bound"] is None:
        return false
    if stated["auditor"] == "proof" and old != new:
        named = _RULE.findall(old)
        if not named or named[-1] not in {*rules, *_RULE.findall(new)}:
            return false
    told, seen = _NUMBERS.findall(old), _NUMBERS.findall(new)
    if not _agree(told, stated):
        return Check(name, Status.FALSE, "its finding and its bound say different numbers")
    try:
        return worst(
            Check(name, Status.CONFIRMED),
            *(
                compare_ends(name, _ends(one), _ends(other), _side(stated))
                for one, other in zip(told, seen, strict=True)
                if one != other
            ),
        )
    except InputError:
        return false


def _words(text: str) -> str:
    """A sentence without its numbers, and without the rule of its theorem."""
    return _RULE.sub(", by", _NUMBERS.sub("#", text))


def _ends(number: str) -> dict[str, str]:
    """The ends of a number in a sentence, as evidence writes them; raises InputError."""
    if number == "infinite":
        return Enclosure.infinite().to_json()
    if number.startswith("exactly "):
        value = extended(number.removeprefix("exactly "))
        return Enclosure(value, value).to_json()
    lower, upper = (extended(end) for end in number[len("in [") : -1].split(", "))
    return Enclosure(lower, upper).to_json()


def _side(stated: Mapping[str, Any]) -> str | None:
    """What the numbers of a sentence bound: only a theorem's is a ceiling."""
    return "ceiling" if stated["auditor"] == "proof" else None


def _agree(told: Sequence[str], stated: Mapping[str, Any]) -> bool:
    """Whether the numbers of a sentence are those of the bound beside it, as far as it has them."""
    bound = stated["bound"]
    own = [key for key in ("rho", "mu", "rdp") if key in bound]
    keys = [*own, "epsilon"] if stated["auditor"] != "proof" else [*own, "epsilon"][:1]
    of_ceiling = stated["auditor"] == "factorised" and bound["side"] == "ceiling"
    return len(told) >= len(keys) and all(
        _says(number, bound[key], of_ceiling) for number, key in zip(told, keys, strict=False)
    )


def _says(number: str, ends: Mapping[str, str], of_ceiling: bool) -> bool:
    """Whether a number of a sentence is what the ends of a bound round."""
    try:
        if not number.startswith("in ") or ends["lower"] == ends["upper"] == "inf":
            return (of_ceiling and _ends(number)["upper"] == ends["upper"]) or _ends(number) == ends
        lower, upper = number[len("in [") : -1].split(", ")
        rounded = decimal_above(extended(ends["upper"]), DIGITS)
        return upper == rounded and (
            of_ceiling or lower == decimal_below(extended(ends["lower"]), DIGITS)
        )
    except InputError:
        return False
