"""Draws files: the random draws of metrics in JSON, so that another program can use the same.

::

    {"k-marginal": [["AGEP", "SEX", "EDU"], …], "conjunction": […]}

Each list is what ``Score.drawn`` holds: a draw a line, in the metric's own form.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from audit.utility.score import Score
from synthesizers.errors import InputError

_FORM = 'a draws file is a JSON object with a list a metric, as in {"k-marginal": [["A", "B"]]}'


def read_draws(path: str | Path) -> Mapping[str, Sequence[object]]:
    """The draws of each metric in a file, or ``-`` for standard input.

    Raises ``InputError`` if it is not a draws file.
    """
    try:
        content = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
        document = json.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"the draws file {path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not valid JSON; {_FORM}") from error
    if not isinstance(document, dict) or not all(isinstance(d, list) for d in document.values()):
        raise InputError(f"{path} is not a draws file; {_FORM}")
    empty = [name for name, drawn in document.items() if not drawn]
    if empty:
        raise InputError(f"{path}: the list of draws of {empty[0]} is empty; leave it out")
    return document


def draws_text(scores: Iterable[Score]) -> str:
    """The draws behind scores as the text of a draws file."""
    drawn = {score.metric: score.drawn for score in scores if score.drawn}
    lines = [
        f" {json.dumps(name)}: [\n"
        + ",\n".join(f"  {json.dumps(draw, ensure_ascii=False)}" for draw in draws)
        + "\n ]"
        for name, draws in drawn.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"
