"""Doing pieces: each as soon as what it needs is finished, by threads or by whoever makes calls."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager

from audit.parallel import Map
from audit.review.folders import ReviewFolder
from audit.review.orders import Order
from audit.review.pieces.performing import perform
from audit.review.pieces.piece import Outcome, Piece
from audit.review.pieces.planning import Read, list_pieces

List = Callable[[], Sequence[Piece]]
"""Lists the pieces that are ready and not finished, which change as others finish."""

Work = Callable[[List], Iterator[Outcome]]
"""Does all that is ready, and what becomes ready meanwhile; what came of each, as it comes."""

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
    read: Read, work: Work, tell: Callable[[int, int, str], None], order: Order, choose: Choose
) -> None:
    """Do the chosen pieces that are not finished, and those that are wanted after them.

    ``tell``: told how many pieces are finished, of how many, and a word on what goes on. Raises
    what a piece raises; those that are finished by then stay so.
    """

    def list_ready() -> Sequence[Piece]:
        chosen = choose(list_pieces(order, read))
        missing = [piece for piece in chosen if read(piece) is None]
        ready = [piece for piece in missing if all(read(need) is not None for need in piece.needs)]
        # What others wait for first, then the longest, so that nobody waits for one begun last.
        ready.sort(key=lambda piece: (piece.stage != "prescreen", -piece.runs))
        if ready:
            tell(len(chosen) - len(missing), len(chosen), _describe(ready[0]))
        return ready

    for _ in work(list_ready):
        pass


@contextmanager
def in_threads(jobs: int, folder: ReviewFolder) -> Iterator[Work]:
    """Work by so many threads, each of which waits for a process. Left early, these end first."""
    stop = threading.Event()
    with ThreadPoolExecutor(jobs) as pool:

        def work(list_ready: List) -> Iterator[Outcome]:
            running: dict[Future[Outcome], str] = {}
            while True:
                idle = jobs - len(running)
                ready = [one for one in list_ready() if one.digest not in running.values()]
                for piece in ready[:idle]:
                    future = pool.submit(perform, piece, str(folder.path), stop)
                    running[future] = piece.digest
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    del running[future]
                    yield future.result()

        try:
            yield work
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise


def in_waves(share: Map, folder: ReviewFolder) -> Work:
    """Work by whoever makes calls, such as a cluster: all that is ready, and then what is after."""

    def work(list_ready: List) -> Iterator[Outcome]:
        while ready := list_ready():
            yield from share(perform, [(piece, str(folder.path)) for piece in ready])

    return work


def _list_needs(piece: Piece) -> Iterator[Piece]:
    for need in piece.needs:
        yield from _list_needs(need)
        yield need


def _describe(piece: Piece) -> str:
    who = piece.submission or piece.level
    return f"{piece.kind} of {who} at ε = {piece.epsilon}"
