"""Orders and results that are made up: a review without running anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from audit.review.orders import Order
from audit.review.pieces.piece import DATA, Outcome, Piece
from audit.review.pieces.planning import list_pieces
from audit.review.submissions.submission import (
    Challenge,
    Launch,
    Prepared,
    StatedClaim,
    StatedQuery,
    StatedWriteUp,
    Submission,
)

DOMAIN = """\
name = "small"
[attributes]
sex = { values = ["a", "b"] }
[individual]
id = "who"
"""

Answer = Callable[[Piece], tuple[int, Mapping[str, Any] | None]]
"""The exit code and the document of a piece."""


def make_prepared(
    folder: Path,
    name: str = "one",
    *,
    asks: bool = False,
    epsilons: tuple[str, ...] = ("1", "10"),
    unit: str = "record",
    queries: tuple[StatedQuery, ...] = (),
) -> Prepared:
    """A submission in a folder of its own; add-remove, persons of at most three records."""
    place = folder / "prepared" / name
    place.mkdir(parents=True, exist_ok=True)
    text = DOMAIN if unit == "person" else DOMAIN.split("[individual]")[0]
    (place / "domain.toml").write_text(text)
    claim = StatedClaim(
        "epsilon={epsilon}", epsilons, "add-remove", unit, 3 if unit == "person" else 1
    )
    launch = Launch("module", ("synth:program",))
    submission = Submission(
        name, place, launch, claim, place / "domain.toml", (), StatedWriteUp("w.md", queries)
    )
    return Prepared(submission, place, "synth:program", ("--set", "epsilon={epsilon}"), asks)


def make_order(*prepared: Prepared, stage: str = "final", data: Path | None = None) -> Order:
    """An order of these, with two releases at each ε."""
    names = [one.submission.name for one in prepared]
    return Order(
        stage=stage,
        seed=7,
        detect="2",
        records=6,
        releases=2,
        runs=20_000,
        scale=1.0,
        challenge=Challenge("c", data, ("workload-error",)),
        prepared=prepared,
        digests={**dict.fromkeys(names, "0"), DATA: "d"},
    )


class Worked:
    """What came of pieces, by an answer to each; those that it answers None to are missing."""

    def __init__(self, answer: Callable[[Piece], tuple[int, Any] | None]) -> None:
        self.answer = answer
        self.done: dict[str, Outcome] = {}

    def read(self, piece: Piece) -> Outcome | None:
        """As a review's folder reads it."""
        return self.done.get(piece.digest)

    def work(self, order: Order, pieces: Iterable[Piece] | None = None) -> tuple[Piece, ...]:
        """Do all pieces that are wanted, and return them in the end."""
        while True:
            wanted = tuple(list_pieces(order, self.read) if pieces is None else pieces)
            missing = [one for one in wanted if one.digest not in self.done and self.answer(one)]
            for piece in missing:
                found = self.answer(piece)
                assert found is not None
                code, document = found
                self.done[piece.digest] = Outcome(
                    piece.digest, " ".join(piece.words), code, 2.0, 100, "the end", document, True
                )
            if not missing or pieces is not None:
                return wanted


FUNCTION = {"kind": "function", "name": "module:function"}
"""A subject whose runs share processes."""


def certificate(
    verdict: str,
    *,
    p_value: float | None = None,
    floor: str = "0",
    ceiling: str = "inf",
    detectable: float | None = None,
    cause: str = "",
    shared: bool = False,
    subject: Mapping[str, Any] = FUNCTION,
) -> dict[str, Any]:
    """The parts of a certificate's JSON that a review reads."""
    against = verdict in ("REFUTED", "INVALID RUN")
    evidence = {
        "auditor": "attack",
        "finding": "found by made-up evidence",
        "decision": "violated" if against else "no violation seen",
        "witness": None if p_value is None else {"p_value": p_value},
        "replay": {"repeatable": not shared},
        "power": None if detectable is None else {"detectable": detectable, "detect": 2.0},
        "cause": {"name": cause, "seen": "so"} if cause else None,
    }
    return {
        "verdict": verdict,
        "subject": dict(subject),
        "claim": "epsilon=1",
        "evidence": [evidence],
        "bounds": {
            "floor": {"epsilon": {"lower": floor, "upper": "inf"}},
            "exact": None,
            "ceiling": {"epsilon": {"lower": "0", "upper": ceiling}},
        },
    }


def scores(*values: float, metric: str = "workload-error") -> dict[str, Any]:
    """The parts of a utility JSON that a review reads."""
    direction = "lower is better"
    return {
        "scores": [{"metric": metric, "value": value, "direction": direction} for value in values]
    }
