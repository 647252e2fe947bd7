"""Kept runs: a black box whose runs are written to a folder, and not made again.

What is kept of a call is its outcomes, as plain data, under a name that follows from all that the
call depends on: the code and its parameters, both databases, the coins and the seed. Whoever asks
for another stage, look or rule hands over another seed (`audit.subjects.runs.Seeds`), so that a run
never serves for anything but what it was made for.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.subjects.black_box import BlackBox, Starting
from audit.subjects.explaining import Explains, Failure
from audit.subjects.frames import HEAD
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair, database_sha256
from audit.subjects.wire import Received, Writer
from synthesizers.errors import InputError

SECRET = "key"
"""The file of a folder's own key. Digests of small databases could be guessed; with a key that
stays in the folder, neither its files nor their names say anything of them to anybody else."""

_KEY_BYTES = 32

_TAG_BYTES = 32


@dataclass(frozen=True)
class RunFolder:
    """A folder of kept runs, made where it is not there; for nobody else to read.

    Raises InputError where it can't be made, or is no folder of kept runs.

    Guarantee
    ---------
    What is read is what was written under that name with this folder's key, whole and unchanged;
    anything else raises InputError. Backed by ``tests/audit/subjects/test_kept_runs.py``.
    """

    path: Path
    key: bytes = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(os.path.abspath(self.path)))
        try:
            self.path.mkdir(mode=0o700, exist_ok=True)
            if not any(self.path.iterdir()):
                self._replace(SECRET, os.urandom(_KEY_BYTES))
            key = (self.path / SECRET).read_bytes()
        except OSError as error:
            raise InputError(
                f"{self.path} is no folder of kept runs, and can't become one "
                f"({error.strerror or 'an error'}); give --cache an empty or a new folder"
            ) from None
        if len(key) != _KEY_BYTES:
            raise self._strange(SECRET)
        object.__setattr__(self, "key", key)

    def name(self, *words: object) -> str:
        """The name of what follows from these words, plain data."""
        text = json.dumps(words, sort_keys=True)
        return hmac.new(self.key, text.encode(), hashlib.sha256).hexdigest()

    def read(self, name: str) -> bytes | None:
        """What was written under a name; None where nothing was."""
        try:
            content = (self.path / name).read_bytes()
        except FileNotFoundError:
            return None
        except OSError:
            raise self._strange(name) from None
        tag, body = content[:_TAG_BYTES], content[_TAG_BYTES:]
        if not hmac.compare_digest(tag, self._tag(name, body)):
            raise self._strange(name)
        return body

    def write(self, name: str, body: bytes) -> None:
        """Write it under a name, whole or not at all; raises InputError where that fails."""
        try:
            self._replace(name, self._tag(name, body) + body)
        except OSError as error:
            raise InputError(
                f"a run can't be kept in {self.path}: {error.strerror or 'an error'}"
            ) from None

    def _replace(self, name: str, content: bytes) -> None:
        # Such a file is readable by its owner alone.
        handle, temporary = tempfile.mkstemp(dir=self.path, prefix=".")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.replace(temporary, self.path / name)
        except BaseException:
            os.unlink(temporary)
            raise

    def _tag(self, name: str, body: bytes) -> bytes:
        return hmac.digest(self.key, name.encode() + b"\0" + body, "sha256")

    def _strange(self, name: str) -> InputError:
        return InputError(
            f"{self.path / name} is damaged, or was not written by dp-audit in this folder; remove "
            "the folder, and every run is made anew"
        )


Draw = Callable[[Pair, NDArray[np.bool_], int], Outcomes]


@dataclass(frozen=True)
class KeptBox:
    """A black box whose calls are kept in a folder; ``about``: what else its outcomes depend on."""

    box: BlackBox
    folder: RunFolder
    about: str

    @property
    def name(self) -> str:
        """What a report calls it."""
        return self.box.name

    @property
    def block(self) -> int:
        """The most runs of one call."""
        return self.box.block

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, in order, made if it is not kept."""
        return self._keep("draw", self.box.draw, pair, coins, seed)

    def explain(self, database: Any, seed: int) -> Failure | None:
        """As the box's own; what a failing run says is kept nowhere."""
        return self.box.explain(database, seed) if isinstance(self.box, Explains) else None

    def _keep(
        self, way: str, draw: Draw, pair: Pair, coins: NDArray[np.bool_], seed: int
    ) -> Outcomes:
        databases = [database_sha256(one) for one in (pair.first, pair.second)]
        name = self.folder.name(self.about, way, databases, coins.tolist(), seed)
        body = self.folder.read(name)
        if body is None:
            body = _write(draw(pair, coins, seed))
            self.folder.write(name, body)
        # Fresh outcomes are read back, too: an interrupted audit goes on with the same ones.
        return _read(body, len(coins))


@dataclass(frozen=True)
class KeptStarts(KeptBox):
    """The same of a box that starts processes, new ones where it is asked for them."""

    box: Starting

    @property
    def serves(self) -> bool:
        """Whether a submission's own server makes the runs."""
        return self.box.serves

    def draw_afresh(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """The same in a process that has run nothing before."""
        return self._keep("draw afresh", self.box.draw_afresh, pair, coins, seed)

    def draw_first(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, each the only one of its process."""
        return self._keep("draw first", self.box.draw_first, pair, coins, seed)


def keep_runs(box: BlackBox, folder: RunFolder, about: str) -> BlackBox:
    """The box with its calls kept; ``about``: what else its outcomes depend on."""
    if isinstance(box, Starting):
        return KeptStarts(box, folder, about)
    return KeptBox(box, folder, about)


def _write(outcomes: Outcomes) -> bytes:
    return Writer().frames(outcomes)


def _read(body: bytes, runs: int) -> Outcomes:
    received, place = Received(), 0
    while place < len(body):
        number, length = HEAD.unpack_from(body, place)
        place += HEAD.size
        received.take(number, body[place : place + length], runs)
        place += length
    return received.outcomes()
