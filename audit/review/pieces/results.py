"""The folder of a review's finished pieces: each a file that is written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from audit.review.pieces.piece import Outcome, Piece
from synthesizers.files import replacing

SCHEMA = "dp-audit/review-piece/1"


@dataclass(frozen=True)
class Results:
    """Finished pieces, by their digests, in ``folder``.

    Guarantee
    ---------
    A piece counts as finished only if its file is whole: written under another name, and renamed.
    A file that is damaged, or is another piece's, counts as absent. Backed by
    ``tests/audit/review/pieces/test_results.py``.
    """

    folder: Path

    def read(self, piece: Piece) -> Outcome | None:
        """What came of a piece; None where it is not finished."""
        try:
            document = json.loads(self._file(piece.digest).read_bytes())
        except (OSError, ValueError):
            return None
        return _outcome(document, piece)

    def document(self, digest: str) -> Mapping[str, Any]:
        """The document of a finished piece that has one."""
        found: Mapping[str, Any] = json.loads(self._file(digest).read_bytes())["document"]
        return found

    def write(self, outcome: Outcome) -> None:
        """Keep what came of a piece; raises InputError where that can't be written."""
        text = json.dumps({"schema": SCHEMA, **asdict(outcome)}) + "\n"
        with replacing(self._file(outcome.digest)) as file:
            file.write(text.encode())

    def table(self, piece: Piece) -> Path:
        """Where the table of a piece is kept."""
        return self.folder / f"{piece.digest}.csv"

    def take(self, others: Iterable[Path]) -> None:
        """Copy the pieces of other folders that are not here; raises InputError."""
        for folder in others:
            # Tables first: a piece whose file is there is finished.
            for suffix in (".csv", ".json"):
                for file in sorted(folder.glob(f"*{suffix}")):
                    target = self.folder / file.name
                    if not file.name.startswith(".") and not target.exists():
                        with replacing(target) as copy, file.open("rb") as source:
                            while block := source.read(2**20):
                                copy.write(block)

    def _file(self, digest: str) -> Path:
        return self.folder / f"{digest}.json"


def _outcome(document: Any, piece: Piece) -> Outcome | None:
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        return None
    if document.get("digest") != piece.digest or not isinstance(document.get("apart"), bool):
        return None
    try:
        return Outcome(**{key: value for key, value in document.items() if key != "schema"})
    except TypeError:
        return None
