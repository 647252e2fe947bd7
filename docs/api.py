"""Writes docs/reference/api.md from the docstrings of the package ``dp_audit``.

python docs/api.py            # writes the page
python docs/api.py --check    # compares it, and exits 1 if it differs
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import dp_audit
from docs.generated import DOCS, WIDTH, fill, render, write_or_compare
from dp_audit import results

PAGE = DOCS / "reference" / "api.md"

STARS: Mapping[Any, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


def rendered() -> str:
    """The page."""
    names = [name for name in dp_audit.__all__ if name.islower()]
    functions = [_function(getattr(dp_audit, name)) for name in names]
    return render("api.md.j2", functions=functions, results=list(_results()))


def _function(function: Callable[..., Any]) -> str:
    """A function's heading, signature, example and arguments."""
    lead, *parts = (inspect.getdoc(function) or "").split("\n\n")
    signature = f"```python\n{_signature(function)}\n```"
    heading = f"## {function.__name__}"
    return "\n\n".join([heading, _prose(lead), signature, *map(_part, parts)])


def _signature(function: Callable[..., Any]) -> str:
    """The call with its defaults, as the project's formatter writes it."""
    words: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        default = "" if parameter.default is parameter.empty else f"={_default(parameter.default)}"
        star = STARS.get(parameter.kind, "")
        if parameter.kind is parameter.KEYWORD_ONLY and not any(w.startswith("*") for w in words):
            words.append("*")
        words.append(f"{star}{parameter.name}{default}")
    line = f"{function.__name__}({', '.join(words)})"
    if len(line) <= WIDTH:
        return line
    return f"{function.__name__}(\n" + "".join(f"    {word},\n" for word in words) + ")"


def _default(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else getattr(value, "__name__", repr(value))


def _part(part: str) -> str:
    """A paragraph of a docstring: an example, a list of arguments, or prose."""
    if part.startswith(">>>"):
        return f"```pycon\n{part}\n```"
    if re.match(r"\S.*\n    \S", part):
        rows = re.findall(r"^(\S.*)\n((?:    .*\n?)+)", part, re.MULTILINE)
        return "\n".join(
            _prose(f"{', '.join(f'`{name}`' for name in names.split(', '))}: {words}", "- ")
            for names, words in rows
        )
    return _prose(part)


def _prose(text: str, first: str = "") -> str:
    return fill(text.replace("``", "`"), first)


def _results() -> Iterator[str]:
    """Every class of results, with what it has beside what all have."""
    for name, kind in vars(results).items():
        if not name.endswith("Result") or name == "Result":
            continue
        lines = [f"### {name}", "", _prose(_lead(kind)), ""]
        for member, value in vars(kind).items():
            shared = member.startswith("_") or hasattr(results.Result, member)
            if not shared and (isinstance(value, property) or inspect.isfunction(value)):
                call = "" if isinstance(value, property) else "()"
                lines.append(_prose(f"`{member}{call}`: {_lead(value)}", "- "))
        yield "\n".join(lines)


def _lead(documented: object) -> str:
    """The first paragraph of a docstring."""
    return (inspect.getdoc(documented) or "").split("\n\n")[0]


if __name__ == "__main__":
    sys.exit(write_or_compare(__doc__, {PAGE: rendered}))
