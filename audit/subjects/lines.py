"""Messages of another process: one JSON object a line, with a limit on size and on every wait."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import time
from typing import IO, Any

from audit.statements import strict_json
from synthesizers.errors import ProtocolError

LARGEST_LINE = 64 * 2**20
"""In bytes (a message of a million questions and more)."""

_CHUNK = 2**16


class Lines:
    """Both ends of the pipes to a process that reads and writes lines.

    Whoever writes would wait for ever for a process that does not read, and the other way round:
    every call has a limit in seconds, after which it raises TimeoutError. EOFError: the process
    closed its end. ``received``: how many bytes of whole lines came so far.
    """

    def __init__(self, to: IO[bytes], back: IO[bytes]) -> None:
        self._to = to.fileno()
        self._back = back.fileno()
        self._files = (to, back)
        self._held = bytearray()
        self.received = 0
        for descriptor in (self._to, self._back):
            os.set_blocking(descriptor, False)

    def close(self) -> None:
        """Close both ends."""
        for file in self._files:
            with contextlib.suppress(OSError):
                file.close()

    def send(self, message: object, seconds: float) -> None:
        """Write a message."""
        rest = memoryview(json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n")
        if len(rest) > LARGEST_LINE:
            raise ProtocolError(f"a message to the program is larger than {LARGEST_LINE} bytes")
        until = time.monotonic() + seconds
        while rest:
            try:
                written = os.write(self._to, rest)
            except BlockingIOError:
                self._wait(self._to, selectors.EVENT_WRITE, until)
                continue
            except BrokenPipeError:
                raise EOFError from None
            rest = rest[written:]

    def receive(self, seconds: float) -> dict[str, Any]:
        """The next message; ProtocolError for a line that is none."""
        line = self._line(time.monotonic() + seconds)
        try:
            message = strict_json.loads(line)
        except (ValueError, RecursionError):
            raise ProtocolError("the program wrote a line that is no message in JSON") from None
        if type(message) is not dict:
            raise ProtocolError("the program wrote a line that is no JSON object")
        return message

    def _line(self, until: float) -> bytes:
        searched = 0
        while True:
            end = self._held.find(b"\n", searched)
            if end >= 0:
                line = bytes(self._held[:end])
                del self._held[: end + 1]
                self.received += end + 1
                return line
            searched = len(self._held)
            if searched > LARGEST_LINE:
                raise ProtocolError(f"the program wrote a line of more than {LARGEST_LINE} bytes")
            try:
                found = os.read(self._back, _CHUNK)
            except BlockingIOError:
                self._wait(self._back, selectors.EVENT_READ, until)
                continue
            if not found:
                raise EOFError
            self._held += found

    def _wait(self, descriptor: int, event: int, until: float) -> None:
        left = until - time.monotonic()
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, event)
            if left <= 0 or not selector.select(left):
                raise TimeoutError


def require_shallow(message: object) -> None:
    """Raise ProtocolError for a message that is nested too deeply."""
    try:
        strict_json.require_shallow(message)
    except ValueError:
        raise ProtocolError("the program wrote a message that is nested too deeply") from None
