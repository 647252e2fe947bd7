"""Looks: the list, in a folder of kept runs, of what was asked of each code before.

Whoever asks the same again gets the same look, with the runs that it has by now. Whoever asks
anything else of the same code looks once more, at runs of his own and at less of an error.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from audit.subjects.kept_runs import RunFolder

NOT_CODE = ("seconds", "megabytes", "serves", "new_process", "warm", "python")
"""Members of a subject that say how it is run: with others it is the same code."""

SEED_BITS = 48


@dataclass(frozen=True)
class Look:
    """The number of a look, from 1, and the seed of the audit."""

    number: int
    seed: int


def take_look(
    folder: RunFolder, subject: Mapping[str, Any], request: str, seed: int | None
) -> Look:
    """The look of a request at a subject: that of the same request before, or a new one.

    ``seed``: the request's own. Without one, all looks at a code have one seed, so that the runs
    that are learned from serve all of them.

    Guarantee
    ---------
    Two requests about one code never have one look, whichever processes ask for them at once.
    Backed by ``tests/audit/subjects/test_looks.py``.
    """
    code = {key: value for key, value in subject.items() if key not in NOT_CODE}
    name, asked = folder.name("looks", code), folder.name("request", request, seed)
    with _alone(folder):
        body = folder.read(name)
        own, requests = (secrets.randbits(SEED_BITS), []) if body is None else json.loads(body)
        if asked not in requests:
            requests.append(asked)
            folder.write(name, json.dumps([own, requests]).encode())
    return Look(requests.index(asked) + 1, own if seed is None else seed)


@contextmanager
def _alone(folder: RunFolder) -> Iterator[None]:
    """No other process is in here meanwhile."""
    import fcntl

    with open(folder.path / ".lock", "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
