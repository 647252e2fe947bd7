"""Columns of text: which of the frequent texts it is, its length, its kinds of characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.subjects.outcomes import Outcomes

MOST_TEXTS = 16
"""Texts that get a column of their own (`Cells` takes many more)."""

MOST_CHARACTERS = 10_000
"""Characters of a text whose kinds are counted (a millisecond)."""

_CLASSES = {
    "letters": str.isalpha,
    "capitals": str.isupper,
    "digits": str.isdigit,
    "spaces": str.isspace,
}


@dataclass(frozen=True)
class TextColumns:
    """``features``: ("is", a text), ("length", ""), ("lines", ""), or ("count", class or sign)."""

    features: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What each column is."""
        return tuple(_name(what, of) for what, of in self.features)

    def rows(self, outcomes: Outcomes) -> NDArray[np.float64]:
        """[columns, runs], 0 for what is no text."""
        found = np.zeros((len(self.features), len(outcomes)))
        for place, (shape, block) in enumerate(zip(outcomes.shapes, outcomes.blocks, strict=True)):
            if shape.kind in ("text", "data") and len(block):
                where = np.flatnonzero(outcomes.of == place)
                for row, (what, of) in enumerate(self.features):
                    found[row, where] = [_measure(what, of, text) for text in block]
        return found

    def take(self, places: Sequence[int]) -> TextColumns:
        """Some of the columns."""
        return replace(self, features=tuple(self.features[place] for place in places))

    def to_json(self) -> dict[str, Any]:
        """The columns as plain data."""
        return {"family": "text", "features": [list(feature) for feature in self.features]}


def text_columns_from_json(data: dict[str, Any]) -> TextColumns:
    """The columns that `TextColumns.to_json` wrote."""
    return TextColumns(tuple((what, of) for what, of in data["features"]))


def text_columns_for(outcomes: Outcomes) -> TextColumns:
    """Columns that suit the text, and the nested data, among outcomes; none where there is none."""
    blocks = list(zip(outcomes.shapes, outcomes.blocks, strict=True))
    plain = [text for shape, block in blocks if shape.kind == "text" for text in block]
    texts = plain + [text for shape, block in blocks if shape.kind == "data" for text in block]
    if not texts:
        return TextColumns(())
    frequent = [text for text, count in Counter(texts).most_common(MOST_TEXTS) if count > 1]
    features = [("is", text) for text in frequent] + [("length", "")]
    if plain:
        signs = Counter(char for text in plain for char in text if not char.isalnum())
        kinds = [*_CLASSES, *(char for char, _ in signs.most_common(8))]
        features += [("lines", ""), *(("count", kind) for kind in kinds)]
    return TextColumns(tuple(features))


def _measure(what: str, of: str, text: str) -> float:
    match what:
        case "is":
            return float(text == of)
        case "length":
            return float(len(text))
        case "lines":
            return float(text.count("\n"))
    head = text[:MOST_CHARACTERS]
    return float(sum(map(_CLASSES[of], head)) if of in _CLASSES else head.count(of))


def _name(what: str, of: str) -> str:
    match what:
        case "is":
            return f"the output is {of[:40]!r}"
        case "length":
            return "the length of the output"
        case "lines":
            return "the number of lines"
    return f"the number of {of if of in _CLASSES else repr(of)}"
