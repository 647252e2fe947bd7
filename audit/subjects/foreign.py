"""Our end of the socket to `audit.subjects.foreign_child`: jobs as JSON, outputs as plain data."""

from __future__ import annotations

import json
from typing import Any

from audit.subjects.frames import LARGEST_BLOCK, RAISED, TABLE, TOO_LARGE, VALUE
from audit.subjects.function import batch_outcomes
from audit.subjects.outcomes import Ended, Outcomes, Raised
from audit.subjects.wire import printable, too_large


def as_json(job: Any) -> bytes:
    """A job of `audit.subjects.wire` as JSON; its databases are plain data already."""
    return json.dumps(vars(job), default=_plain).encode("ascii")


def _plain(value: Any) -> Any:
    # The coins of a job, and read-only views of mappings.
    return value.tolist() if hasattr(value, "tolist") else dict(value)


class ReceivedValues:
    """Outputs one after the other, as their frames arrive; each is looked at before it is kept.

    A frame that can't be read raises an exception of any kind. ProtocolError: the outcomes are too
    large to be held together, or a batch has another number of them. ``name``: of the subject.

    Guarantee
    ---------
    What is kept is what `Outcomes` makes of plain values, which were read by `read_value` and
    `read_table`: nothing of a frame is unpickled or run. Backed by
    ``tests/audit/subjects/test_foreign.py``.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._parts: list[Outcomes] = []
        self._runs = self._bytes = 0

    def __len__(self) -> int:
        return self._runs

    def take(self, number: int, content: bytes, most: int) -> None:
        """A frame: an output; of a batch form, that of a call for ``most`` outcomes."""
        self._bytes += len(content)
        if self._bytes > LARGEST_BLOCK:
            raise too_large()
        output = _read(number, content)
        found = batch_outcomes(self._name, output, most) if most else Outcomes.of_outputs([output])
        self._parts.append(found)
        self._runs += len(found)

    def outcomes(self) -> Outcomes:
        """All of them."""
        return Outcomes.join(self._parts)


def _read(number: int, content: bytes) -> object:
    # Here, not above: pandas comes with it.
    from audit.subjects.plain_tables import read_table, read_value

    if number == VALUE:
        return read_value(content)
    if number == TABLE:
        return read_table(content)
    if number == RAISED:
        return Raised(printable(content.decode("utf-8")))
    if number == TOO_LARGE and not content:
        return Ended("size")
    raise ValueError("no frame")
