"""The folder of a review: what lies where, and how it begins."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from audit.review.orders import FILE
from audit.review.pieces.piece import Outcome, Piece
from audit.review.pieces.results import Results
from audit.review.scratch import is_scratch, make_scratch, remove_leftovers
from audit.review.submissions.preparing import digest_of, prepare
from audit.review.submissions.submission import Intake, Prepared, Submission, Unread
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

    def __post_init__(self) -> None:
        # Pieces are started in folders of their own.
        object.__setattr__(self, "path", self.path.absolute())

    def begin(self) -> None:
        """Make it; raises InputError where it holds something else, or can't be made."""
        try:
            if self.path.is_dir() and any(self.path.iterdir()) and not self._is_review():
                raise InputError(
                    f"{self.path} is not empty and no folder of a review; give --out a new one"
                )
            for name in FOLDERS:
                (self.path / name).mkdir(parents=True, exist_ok=True)
            for place in (self.path, self.path / "prepared", self.path / "pieces"):
                remove_leftovers(place)
        except OSError as error:
            raise InputError(f"{self.path} can't be made: {error.strerror or 'an error'}") from None

    def keep_data(self, data: Path) -> Path:
        """A copy of the challenge's public data, so that the folder needs nothing else."""
        target = self.path / f"data{data.suffix}"
        with replacing(target) as file, data.open("rb") as source:
            shutil.copyfileobj(source, file)
        for other in self.path.glob("data*"):
            # Of an earlier challenge, whose table had another ending.
            if other != target:
                other.unlink()
        return target

    def make_ready(self, intake: Intake) -> tuple[tuple[Prepared, ...], tuple[Unread, ...]]:
        """Each submission in a folder of its own; those that can't be, with the reason, too.

        A folder whose submission is the same as before stays as it is.
        """
        prepared: list[Prepared] = []
        unread = list(intake.unread)
        for submission in intake.submissions:
            try:
                prepared.append(self._prepare(submission))
            except InputError as error:
                unread.append(Unread(submission.name, str(error)))
            except OSError as error:
                reason = f"it can't be made ready: {error.strerror or 'an error'}"
                unread.append(Unread(submission.name, reason))
        names = {one.folder.name for one in prepared}
        for place in (self.path / "prepared").iterdir():
            if place.name not in names and not is_scratch(place):
                shutil.rmtree(place, ignore_errors=True)
        return tuple(prepared), tuple(unread)

    def _prepare(self, submission: Submission) -> Prepared:
        target = self.path / "prepared" / submission.name
        with make_scratch(target.parent) as scratch:
            draft = Path(scratch, target.name)
            fresh = prepare(submission, draft)
            ready = replace(fresh, folder=target)
            if not target.exists() or digest_of(fresh) != digest_of(ready):
                shutil.rmtree(target, ignore_errors=True)
                try:
                    draft.rename(target)
                except OSError:
                    # Another review of the same submission was faster.
                    if digest_of(fresh) != digest_of(ready):
                        raise
            return ready

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
