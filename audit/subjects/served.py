"""Submissions that serve, as black boxes: one process makes many runs.

What such runs show can come from what they share, so that no verdict against a submission rests on
them alone: `ServedBox.draw_first` makes runs as version 1 of the protocol does, each in a process
of its own (`audit.auditors.attack.finding.confirming`). A server that makes a new process for each
run, and says so, gives such runs by itself: `AloneBox`.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.subjects.command import CommandBox, as_json
from audit.subjects.explaining import Failure
from audit.subjects.outcomes import Ended, Outcomes
from audit.subjects.pair import Pair
from audit.subjects.server import SERVING, TRIES, Server, Serving
from synthesizers.errors import ProtocolError


@dataclass(frozen=True)
class ServedBox:
    """A submission as a black box, asked for its runs by version 2 of the protocol.

    ``command``: the same submission by version 1, which it must speak as well. A server that dies,
    hangs or garbles its answer is the outcome of that run, and is started again for the next one.
    Each thread keeps one server from one block to the next. ``offer``: what a server must say of
    its processes, at least.
    """

    command: CommandBox
    offer: Serving = Serving.SHARING

    @property
    def name(self) -> str:
        """What a report calls it."""
        return self.command.name

    @property
    def block(self) -> int:
        """The most runs of one call."""
        return self.command.block

    @property
    def serves(self) -> bool:
        """Its runs take entropy of their own, and are compared with first runs of processes."""
        return True

    @property
    def paths(self) -> tuple[str, ...]:
        """What its processes may read beside the system."""
        return self.command.paths

    @property
    def protocol(self) -> int:
        """The version of the protocol that a run is told."""
        return SERVING

    def request(self, options: dict[str, str], folder: str) -> dict[str, Any]:
        """What a server is asked for, of a run's options in its folder."""
        return as_json({key: value for key, value in options.items() if key != "parameters"})

    def start(self) -> Server | None:
        """A new server; None where it ends, or says nothing, before it serves."""
        server = Server(self.command.path, self.command.limits)
        greeting = server.greet()
        return server if greeting is Serving.ALONE or greeting is self.offer else None

    def check(self) -> None:
        """Raise InputError unless there is an executable file at the path."""
        self.command.check()

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, in order, of a server that may have made others before.

        Raises InputError for databases that are no tables of the domain, and ProtocolError where
        the program can't be started, or does not serve.
        """
        return self._draw_runs(_kept.server, pair, coins, seed)

    def draw_afresh(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """The same by a server that has made no run before."""
        server = _Restarted()
        try:
            return self._draw_runs(server, pair, coins, seed)
        finally:
            server.end()

    def draw_first(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, each the only one of its process."""
        return self.command.draw(pair, coins, seed)

    def explain(self, database: Any, seed: int) -> Failure | None:
        """A run by version 1 as the command's; None where that gives an output."""
        return self.command.explain(database, seed)

    def _draw_runs(
        self, server: _Restarted, pair: Pair, coins: NDArray[np.bool_], seed: int
    ) -> Outcomes:
        def make(options: dict[str, str], folder: str) -> Ended | None:
            request = self.request(options, folder)
            return server.of(self).run(request, self.command.limits.seconds)

        def place() -> str:
            if self.offer is Serving.ALONE and not server.of(self).clear():
                # What can't be removed goes with the server.
                server.end()
            return server.of(self).folder

        try:
            return self.command.draw_by(make, place, pair, coins, seed, self.protocol)
        except BaseException:
            # Whatever interrupts us leaves a server in the middle of its work.
            server.end()
            raise


@dataclass(frozen=True)
class AloneBox:
    """A submission whose server makes each run in a new process: a box as its command is one.

    Its runs share no process, so that none are made to compare them with or to confirm what they
    show. ``served``: it offers `Serving.ALONE`.
    """

    served: ServedBox

    @property
    def name(self) -> str:
        """What a report calls it."""
        return self.served.name

    @property
    def block(self) -> int:
        """The most runs of one call."""
        return self.served.block

    @property
    def paths(self) -> tuple[str, ...]:
        """What its processes may read beside the system."""
        return self.served.paths

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, in order; raises as the served box does."""
        return self.served.draw(pair, coins, seed)

    def explain(self, database: Any, seed: int) -> Failure | None:
        """A run by version 1 as the command's; None where that gives an output."""
        return self.served.explain(database, seed)


class _Restarted:
    """The server of a submission, started again wherever it has come to its end."""

    def __init__(self) -> None:
        self._box: ServedBox | None = None
        self._server: Server | None = None

    def of(self, box: ServedBox) -> Server:
        """A server of the submission that may be asked for a run."""
        if self._server is not None and self._box == box and self._server.ready:
            return self._server
        self.end()
        for _ in range(TRIES):
            self._box, self._server = box, box.start()
            if self._server is not None:
                return self._server
        raise ProtocolError(
            f"{box.name} said that it serves, and now ends, or says nothing, as it is started "
            "to serve"
        )

    def end(self) -> None:
        """End the server, if there is one."""
        if self._server is not None:
            self._server.end()
        self._server = None


class _Kept(threading.local):
    """Of each thread, its server."""

    def __init__(self) -> None:
        self.server = _Restarted()


_kept = _Kept()
