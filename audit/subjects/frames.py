"""Frames over a socket: what the process that runs a subject, and the one that listens, exchange.

The standard library alone, as an interpreter of another environment uses it, too.
"""

from __future__ import annotations

import struct
import time
from typing import Protocol

HEAD = struct.Struct("<iQ")
"""Before each frame: a shape's number or one of the following, and the length."""

SHAPE, BEGUN, REPLY, BLOCK = -1, -2, -3, -4
"""A new shape, which takes the next number; the databases have arrived; an answer in words; all
outcomes of a batch of numbers."""

VALUE, TABLE, RAISED, TOO_LARGE = -5, -6, -7, -8
"""From another environment: an output as plain data, or as a table; the type of an exception; an
output that is larger than any that is sent."""

LARGEST_OUTCOME = 2**26
"""In bytes, as it is sent (a table of eight million numbers)."""

LARGEST_BLOCK = 2**32
"""In bytes, of all outcomes of a block (50 000 of ten thousand numbers);
more is garbage."""

_CHUNK = 2**18


def frame(number: int, content: bytes) -> bytes:
    """A frame: its head and its content."""
    return HEAD.pack(number, len(content)) + content


class Channel(Protocol):
    """A socket, or what is read and written like one."""

    def settimeout(self, seconds: float | None, /) -> None:
        """How long what follows may wait."""
        ...

    def recv(self, most: int, /) -> bytes:
        """What has come, at most so many bytes; none where no more comes."""
        ...

    def sendall(self, content: bytes, /) -> None:
        """Write all of it."""
        ...


class Frames:
    """The frames that come over a socket; no wait for one is longer than it says."""

    def __init__(self, source: Channel) -> None:
        self._source = source
        self._held = bytearray()
        self._place = 0

    def next(self, until: float | None = None, most: int = LARGEST_BLOCK) -> tuple[int, bytes]:
        """The next frame, of at most ``most`` bytes.

        Raises TimeoutError where it is not whole at ``until``, of `time.monotonic`; EOFError or
        OSError where no more comes, ValueError for a larger one.
        """
        number, length = HEAD.unpack(self._take(HEAD.size, until))
        if length > most:
            raise ValueError("a frame is too large")
        return number, self._take(length, until)

    def _take(self, length: int, until: float | None) -> bytes:
        end = self._place + length
        while len(self._held) < end:
            # What was read goes as soon as that is no more work than what is still to come.
            if self._place > len(self._held) // 2:
                del self._held[: self._place]
                self._place, end = 0, length
            self._more(until)
        found = bytes(memoryview(self._held)[self._place : end])
        self._place = end
        return found

    def _more(self, until: float | None) -> None:
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        self._source.settimeout(left)
        more = self._source.recv(_CHUNK)
        if not more:
            raise EOFError
        self._held += more
