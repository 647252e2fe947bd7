"""The folder of a review: what lies where, and how it begins."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from audit.review.orders import FILE
from audit.review.pieces.piece import Outcome, Piece
from audit.review.pieces.results import Results
from synthesizers.errors import InputError
from synthesizers.files import replacing

FOLDERS = ("prepared", "pieces", "submissions", "certificates")
"""Submissions made ready; finished pieces; a page and JSON each; certificates as files."""


@dataclass(frozen=True)
class ReviewFolder:
    """The folder that a review writes into, and nothing else of its machine."""

    path: Path

    @property
    def pieces(self) -> Results:
        """The finished pieces."""
        return Results(self.path / "pieces")

    def begin(self) -> None:
        """Make it; raises InputError where it holds something else, or can't be made."""
        try:
            if self.path.is_dir() and any(self.path.iterdir()) and not self._is_review():
                raise InputError(
                    f"{self.path} is not empty and no folder of a review; give --out a new one"
                )
            for name in FOLDERS:
                (self.path / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{self.path} can't be made: {error.strerror or 'an error'}") from None

    def keep_data(self, data: Path) -> Path:
        """A copy of the challenge's public data, so that the folder needs nothing else."""
        target = self.path / f"data{data.suffix}"
        with replacing(target) as file, data.open("rb") as source:
            shutil.copyfileobj(source, file)
        return target

    def reader(self) -> Callable[[Piece], Outcome | None]:
        """Reads finished pieces, each file once: they don't change."""
        known: dict[str, Outcome] = {}

        def read(piece: Piece) -> Outcome | None:
            if piece.digest not in known:
                outcome = self.pieces.read(piece)
                if outcome is None:
                    return None
                known[piece.digest] = outcome
            return known[piece.digest]

        return read

    def _is_review(self) -> bool:
        # One that was interrupted as it began has no order yet.
        return (self.path / FILE).is_file() or all((self.path / one).is_dir() for one in FOLDERS)
