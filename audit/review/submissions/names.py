"""Names of submissions: pages and files are called by them."""

from __future__ import annotations

from collections.abc import Iterable

LONGEST = 80
"""The most characters of a name."""


def problem_of_name(name: str) -> list[str]:
    """What is wrong with a name that a submission states; nothing for one that can be used.

    >>> problem_of_name("team 7"), len(problem_of_name("../x"))
    ([], 1)
    """
    if clean_name(name) == name:
        return []
    signs = f"at most {LONGEST} letters, digits, spaces and ._-"
    return [f"name must be {signs}, and begin with a letter or a digit"]


def clean_name(name: str) -> str:
    """A name that can be printed and can be a file's, of whatever a folder is called.

    >>> clean_name("../café/2"), clean_name("...")
    ('café-2', 'submission')
    """
    kept = "".join(sign if sign.isalnum() or sign in " ._-" else "-" for sign in name)
    return kept.lstrip(" ._-")[:LONGEST].rstrip(" .") or "submission"


def distinct_names(names: Iterable[str]) -> list[str]:
    """The names in their order, a number behind each that was there before, in any capitals.

    >>> distinct_names(["a", "A", "a-2", "b"])
    ['a', 'A-2', 'a-2-2', 'b']
    """
    taken: set[str] = set()
    found = []
    for name in names:
        chosen, number = name, 1
        while chosen.casefold() in taken:
            number += 1
            chosen = f"{name}-{number}"
        taken.add(chosen.casefold())
        found.append(chosen)
    return found
