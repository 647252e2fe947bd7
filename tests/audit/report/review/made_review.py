"""A review that is made up, with some of everything that its pages show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from audit.review.conclusions.review import Review, conclude
from audit.review.pieces.piece import Piece
from audit.review.submissions.submission import StatedQuery, Unread
from tests.audit.review.orders import Worked, certificate, make_order, make_prepared, scores

HOSTILE = "<script>alert(1)</script>\x1b[2J\u202egnp"
"""Markup, a terminal's escape and a sign that turns text around."""

_BESIDE = {"detectable": 1.4, "floor": "0.31"}


def make_review(folder: Path, stage: str = "final") -> Review:
    """A program that is proved, a box that leaks, one that fails at ε = 10, and an unread one."""
    honest = make_prepared(folder, "honest", asks=True, queries=(StatedQuery("ages"),))
    leaks = make_prepared(folder, "leaks", unit="person")
    fails = make_prepared(folder, "fails at ten")
    data = folder / "data.csv"
    data.write_text("sex\na\n")
    order = make_order(honest, leaks, fails, stage=stage, data=data)
    worked = Worked(_answer)
    worked.work(order)
    found = conclude(order, worked.read)
    unread = (Unread("elsewhere", f"it can't be read: {HOSTILE}"),)
    return replace(found, unread=unread)


def _answer(piece: Piece) -> tuple[int, Any]:
    match piece.kind:
        case "exactness":
            right = 60 if piece.submission == "leaks" else 31
            p_value = 6.7e-9 if piece.submission == "leaks" else 1.0
            found = {"runs": 30, "coins": 60, "right": right, "wrong": 1 - right / 60}
            return 0, {"exactness": {**found, "least": 0.2689414213699951, "p_value": p_value}}
        case "release" if piece.level == "geometric-sanitizer" and piece.epsilon == "10":
            return 2, None
        case "trial" if piece.submission == "fails at ten" and piece.epsilon == "10":
            failure = {"phase": "run", "ending": "exit code 1", "message": ""}
            log = f"Traceback (most recent call last):\nValueError: {HOSTILE}"
            return 4, {"failure": failure, "command": "./dp-audit-run --epsilon 10", "log": log}
        case "certify":
            return 0, _certificate(piece)
        case "write-up":
            words = "'ages' has sensitivity 1 in the write-up, and 3 in the code"
            return 1, {"differences": [{"words": words, "question": f"{words}. Which is meant?"}]}
        case "utility":
            base = {"honest": 0.2, "mst": 0.3, "leaks": 0.05}.get(piece.submission, 0.4)
            return 0, scores(*(base + 0.01 * n for n in range(2)))
    return 0, {}


def _certificate(piece: Piece) -> Any:
    if piece.submission == "honest":
        return certificate("PROVED", floor="0.9", ceiling=piece.epsilon)
    if piece.submission == "leaks" and piece.level == "person" and piece.stage == "prescreen":
        return certificate("REFUTED", p_value=1e-9, floor="2.7", cause="exact-size")
    if piece.epsilon == "10":
        return certificate("UNDECIDED", p_value=1.0, detectable=float("inf"))
    return certificate("NOT REFUTED", p_value=0.4, **_BESIDE)
