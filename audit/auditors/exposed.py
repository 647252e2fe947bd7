"""What the developer of a black box says of its inside: the law of its noise, and its queries.

By attributes of the function, or of the class:

    def noisy_count(records, rng): ...

    noisy_count.queries = {"count": (count, "l1=1")}
    noisy_count.noise = "laplace(scale=1)"

``queries``: by a name of each, a function f(records) -> a number or numbers, and how much it can
change between neighbours. ``noise``: what is added to the answer of the only query.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from audit.auditors.registry import LeftOut
from audit.auditors.sensitivity.answers import InProcess, NoAnswer, Outcome
from audit.auditors.sensitivity.isolated import InChild, IsolatedFunction
from audit.statements import strict_json
from audit.subjects.importing import import_attribute
from audit.subjects.isolated import IsolatedBox
from audit.subjects.pair import Pair
from audit.subjects.subject import BlackBoxSubject
from synthesizers.errors import DPAuditError

MOST_QUERIES = 20
"""Of one subject (each takes a second or more)."""

LONGEST = 200
"""Characters of a name, a law or a declaration."""

NOT_OF_THIS_FORM = (
    'its attributes do not say it as queries = {"count": (count, "l1=1")} and '
    'noise = "laplace(scale=1)"'
)


@dataclass(frozen=True)
class Exposed:
    """``noise``: the law, None where none is stated. ``queries``: bounds by the queries' names."""

    noise: str | None = None
    queries: Mapping[str, str] = field(default_factory=dict)


@functools.lru_cache(maxsize=4)
def find_exposed(subject: BlackBoxSubject) -> Exposed:
    """What a subject exposes, asked of its own process.

    Raises LeftOut where its attributes are of another form, ProtocolError where it can't be asked.

    Guarantee
    ---------
    Whatever the process sends, names and texts are short and printable, and few. Backed by
    ``tests/audit/auditors/test_exposed.py``.
    """
    box = subject.box
    if subject.live is not None:
        return _read(_spell(subject.live.given))
    if not isinstance(box, IsolatedBox) or box.python is not None:
        return Exposed()
    asked = replace(box, form="function", rows=None, columns=None, parameters={"name": box.subject})
    asked = replace(asked, subject=f"{Telling.__module__}:{Telling.__name__}")
    outcomes = asked.draw(Pair(None, None), np.zeros(1, np.bool_), 0)
    if outcomes.shapes[0].kind != "text":
        return Exposed()
    return _read(str(outcomes.blocks[0][0]))


def _spell(subject: Any) -> str:
    """The attributes as text, without the functions; those of another form as they are not."""
    noise, queries = getattr(subject, "noise", None), getattr(subject, "queries", None)
    try:
        bounds = {name: declared for name, (_, declared) in dict(queries or {}).items()}
        return json.dumps([noise, bounds])
    except (TypeError, ValueError):
        return "null"


def _read(text: str) -> Exposed:
    try:
        match strict_json.loads(text):
            case [None | str() as noise, dict(queries)] if len(queries) <= MOST_QUERIES:
                texts = [noise or "", *queries, *queries.values()]
                if all(map(_is_short, texts)):
                    return Exposed(noise, queries)
    except (ValueError, RecursionError):
        pass
    raise LeftOut(NOT_OF_THIS_FORM)


def _is_short(text: object) -> bool:
    return isinstance(text, str) and len(text) <= LONGEST and text.isprintable()


class Telling:
    """What runs in the subject's process: a function that tells what a subject exposes."""

    def __init__(self, name: str) -> None:
        self._subject = import_attribute(name)

    def __call__(self, database: Any, rng: Any) -> str:
        """Its attributes as text."""
        return _spell(self._subject)


@dataclass
class ExposedQuery(IsolatedFunction):
    """A query that a subject exposes, asked in the subject's process; ``name``: the query's."""

    name: str = ""

    @property
    def box(self) -> IsolatedBox:
        """The process that is asked."""
        return replace(
            super().box,
            subject=f"{InChildExposed.__module__}:{InChildExposed.__name__}",
            # As Python writes them, so that they are texts there, too.
            parameters={"subject": repr(self.subject), "name": repr(self.name)},
        )

    def answer(self, database: Any) -> Outcome:
        """What the query gives for a copy of the records, exactly."""
        try:
            return super().answer(database)
        except DPAuditError:
            raise
        except Exception:
            return NoAnswer("sent what is no answer")


class InChildExposed(InChild):
    """What runs in that process."""

    def __init__(self, subject: str, name: str) -> None:
        self._answering = InProcess(import_attribute(subject).queries[name][0])


def query_of(subject: BlackBoxSubject, name: str) -> InProcess | ExposedQuery:
    """Whatever answers for an exposed query: the caller's function, or the subject's process."""
    if subject.live is not None:
        function: Callable[..., Any] = subject.live.given.queries[name][0]
        return InProcess(function)
    box = subject.box
    assert isinstance(box, IsolatedBox)
    return ExposedQuery(box.subject, box.folder, box.seconds, box.megabytes, name=name)
