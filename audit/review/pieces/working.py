"""Doing pieces: those that are ready, in waves, by whoever makes calls."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import Any

from audit.parallel import Map
from audit.review.folders import ReviewFolder
from audit.review.orders import Order
from audit.review.pieces.performing import perform
from audit.review.pieces.piece import Piece
from audit.review.pieces.planning import Read, list_pieces

Choose = Callable[[Sequence[Piece]], Sequence[Piece]]
"""Which of the wanted pieces are to be done here."""


def trials_alone(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The runs on made-up data, which come before a plan."""
    return [piece for piece in pieces if piece.kind == "trial"]


def of_shard(shard: int, shards: int) -> Choose:
    """Those of a shard, with the pieces that they need."""

    def choose(pieces: Sequence[Piece]) -> Sequence[Piece]:
        mine = [piece for piece in pieces if piece.is_of_shard(shard, shards)]
        return [*dict.fromkeys(one for piece in mine for one in (*_list_needs(piece), piece))]

    return choose


def of_stage(stage: str, choose: Choose) -> Choose:
    """Those of a choice that belong to a stage."""
    return lambda pieces: [piece for piece in choose(pieces) if piece.stage == stage]


def do_pieces(
    folder: ReviewFolder,
    read: Read,
    share: Map,
    tell: Callable[[int, int, str], None],
    order: Order,
    choose: Choose,
) -> None:
    """Do the chosen pieces that are not finished, and those that are wanted after them.

    ``share`` makes the calls; ``tell``: told how many pieces are finished, of how many, and a word
    on the last one. Raises what a call raises; pieces that are finished by then stay so.
    """
    while True:
        chosen = choose(list_pieces(order, read))
        missing = [piece for piece in chosen if read(piece) is None]
        ready = [piece for piece in missing if all(read(need) is not None for need in piece.needs)]
        if not ready:
            return
        done = len(chosen) - len(missing)
        # The longest first, so that nobody waits for one that was begun last.
        ready.sort(key=lambda piece: -piece.runs)
        calls = [(piece, str(folder.path)) for piece in ready]
        tell(done, len(chosen), _describe(ready[0]))
        for outcome in share(perform, calls):
            done += 1
            piece = next(piece for piece in ready if piece.digest == outcome.digest)
            tell(done, len(chosen), _describe(piece))


@contextmanager
def in_threads(jobs: int) -> Iterator[Map]:
    """Calls by so many threads, each of which waits for a process; results as they come.

    Left early, the processes are ended first.
    """
    stop = threading.Event()
    with ThreadPoolExecutor(jobs) as pool:

        def share(function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
            futures = [pool.submit(function, *arguments, stop) for arguments in calls]
            for future in as_completed(futures):
                yield future.result()

        try:
            yield share
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def _list_needs(piece: Piece) -> Iterator[Piece]:
    for need in piece.needs:
        yield from _list_needs(need)
        yield need


def _describe(piece: Piece) -> str:
    who = piece.submission or piece.level
    return f"{piece.kind} of {who} at ε = {piece.epsilon}"
