"""Steps of a launcher: what could not be done reaches whoever waits for the start.

The standard library alone, as in `audit.subjects.launcher`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Step(Exception):
    """What could not be done, and why."""

    def __init__(self, step: str, error: OSError) -> None:
        super().__init__(step)
        self.word = {
            "step": step,
            "path": str(error.filename or ""),
            "number": error.errno or 0,
        }


@contextmanager
def step(name: str) -> Iterator[None]:
    """Names what is being done, should the system refuse it."""
    try:
        yield
    except OSError as error:
        raise Step(name, error) from None


def fork_work(work: Callable[[], int], reporter: int) -> int:
    """A process that does the work and ends; its refused steps go to the reporter."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        code = work()
    except Step as error:
        os.write(reporter, json.dumps(error.word).encode())
    except BaseException as error:
        word = {"step": f"go on ({type(error).__name__}: {error})", "path": "", "number": 0}
        os.write(reporter, json.dumps(word).encode())
    os._exit(code)
