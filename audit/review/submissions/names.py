"""Names of submissions: pages and files are called by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

LONGEST = 80
"""The most characters of a name."""

MOST_BYTES = 120
"""The most bytes of one: a certificate's file adds to it, and file systems take 255."""


def problem_of_name(name: str) -> list[str]:
    """What is wrong with a name that a submission states; nothing for one that can be used.

    >>> problem_of_name("team 7"), len(problem_of_name("../x"))
    ([], 1)
    """
    if clean_name(name) == name:
        return []
    signs = f"at most {LONGEST} letters, digits, spaces and ._- ({MOST_BYTES} bytes)"
    return [f"name must be {signs}, and begin with a letter or a digit"]


def clean_name(name: str) -> str:
    """A name that can be printed and can be a file's, of whatever a folder is called.

    >>> clean_name("../café/2"), clean_name("...")
    ('café-2', 'submission')
    """
    kept = "".join(sign if sign.isalnum() or sign in " ._-" else "-" for sign in name)
    return _cut(kept.lstrip(" ._-")) or "submission"


def choose_names(stated: Sequence[str], filed: Sequence[str]) -> list[str]:
    """Distinct names, in any capitals: the stated ones, ``filed`` where others state them, too.

    ``filed``: what the folders or zips are called. Whoever states another's name does not get it:
    verdicts on one submission would be read as those on the other.

    >>> choose_names(["b", "b", "c"], ["a", "b", "c"])
    ['a', 'b', 'c']
    >>> choose_names(["a", "A"], ["a", "A"])
    ['a', 'A-2']
    """
    names = list(stated)
    while True:
        counts = Counter(name.casefold() for name in names)
        chosen = [
            own if counts[name.casefold()] > 1 else name
            for name, own in zip(names, filed, strict=True)
        ]
        if chosen == names:
            return _number(names)
        names = chosen


def _number(names: Sequence[str]) -> list[str]:
    """The names in their order, a number behind each that was there before."""
    all_of_them = {name.casefold() for name in names}
    taken: set[str] = set()
    numbered = []
    for name in names:
        chosen, number = name, 1
        while chosen.casefold() in taken or (number > 1 and chosen.casefold() in all_of_them):
            number += 1
            ending = f"-{number}"
            chosen = _cut(name, len(ending)) + ending
        taken.add(chosen.casefold())
        numbered.append(chosen)
    return numbered


def _cut(name: str, less: int = 0) -> str:
    """The longest beginning that is no longer than a name may be, less so many signs."""
    held = name[: LONGEST - less].encode()[: MOST_BYTES - less]
    return held.decode("utf-8", "ignore").rstrip(" .")
