"""Attributes and their hierarchies: what one column of a database may hold.

Everything here is public knowledge: it is declared before the confidential
records are looked at, and never inferred from them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from synthesizers.errors import InputError
from synthesizers.quantities import Quantity

_EDGE_LIMIT = Fraction(10**300)


@dataclass(frozen=True)
class Attribute:
    """One column with finitely many values, known to everyone beforehand.

    ``values`` are the labels in code order: the code of a label is its index.
    A binned attribute has ``edges``, and its values are the labels of its bins:
    left-closed, the last edge included, as in ``"[0, 30)"``, ``"[30, 60]"``
    (``Attribute.binned`` writes them). ``quantity`` says what the edges stand for: numbers, or
    dates and times, which are numbers of seconds. ``missing`` adds one last code for a
    record without a value. Its label is ``missing_label``: the empty field, or
    a text that stands for "not applicable" in tables, such as ``"N"``.

    Raises ``InputError`` for an empty or repeated name or value, a control
    character (it would not survive a CSV file), edges that do not increase or
    reach 1e300, edges that are none of their quantity, and values that are not the labels of the
    edges.
    """

    name: str
    values: tuple[str, ...]
    ordinal: bool = False
    edges: tuple[Fraction, ...] | None = None
    missing: bool = False
    missing_label: str = ""
    quantity: Quantity = Quantity.NUMBERS

    def __post_init__(self) -> None:
        """Refuse whatever could not be coded and read back."""
        require_text(self.name, "the name of an attribute")
        what = f"attribute {self.name!r}"
        values = _texts(self.values, f"{what}: values")
        object.__setattr__(self, "values", values)
        if not values:
            raise InputError(f"{what}: the list of values is empty; declare at least one value")
        for value in values:
            if value == "":
                raise InputError(
                    f"{what}: an empty text cannot be a value; declare missing = true for records "
                    "without a value"
                )
            require_text(value, f"{what}: a value")
        repeated = first_repeated(values)
        if repeated is not None:
            raise InputError(f"{what}: the value {repeated!r} is declared twice; keep it once")
        self._check_missing(what)
        if self.edges is not None:
            edges = _check_edges(self.edges, what)
            object.__setattr__(self, "edges", edges)
            if values != _bin_labels(edges, self.quantity, what):
                raise InputError(
                    f"{what}: the values of a binned attribute are the labels of its bins; use "
                    "Attribute.binned, which writes them"
                )
        elif self.quantity is not Quantity.NUMBERS:
            raise InputError(f"{what}: only bins are of {self.quantity.value}")

    def _check_missing(self, what: str) -> None:
        if not isinstance(self.ordinal, bool) or not isinstance(self.missing, bool):
            raise InputError(f"{what}: ordinal and missing must be true or false")
        if not isinstance(self.missing_label, str):
            raise InputError(f"{what}: the label of the missing value must be text")
        if self.missing_label:
            require_text(self.missing_label, f"{what}: the label of the missing value")
            if not self.missing:
                raise InputError(f"{what}: a label for missing values needs missing = true")
            if self.missing_label in self.values:
                raise InputError(
                    f"{what}: {self.missing_label!r} is both a value and the label of the missing "
                    "value; keep one of them"
                )

    @classmethod
    def binned(
        cls,
        name: str,
        edges: Sequence[Fraction | int],
        *,
        ordinal: bool = False,
        missing: bool = False,
        missing_label: str = "",
        quantity: Quantity = Quantity.NUMBERS,
    ) -> Attribute:
        """Return an attribute of ``len(edges) - 1`` bins, labelled from its edges."""
        require_text(name, "the name of an attribute")
        what = f"attribute {name!r}"
        checked = _check_edges(edges, what)
        labels = _bin_labels(checked, quantity, what)
        return cls(name, labels, ordinal, checked, missing, missing_label, quantity)

    @property
    def size(self) -> int:
        """The number of codes, the one of the missing value included."""
        return len(self.values) + int(self.missing)

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels in code order; the missing value's comes last."""
        return (*self.values, self.missing_label) if self.missing else self.values


@dataclass(frozen=True)
class Hierarchy:
    """Coarser and coarser groups of one attribute's values, nested in a tree.

    ``levels[k][code]`` is the group of ``code`` at level ``k``; every level has
    one label for each code, the missing value's last. Level 0 may equal the
    labels themselves. Two codes in one group stay together at every later level.

    Raises ``InputError`` for no level, levels of unequal length, or groups that
    a later level takes apart.
    """

    attribute: str
    levels: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        """Refuse levels that are not a tree."""
        require_text(self.attribute, "the attribute of a hierarchy")
        what = f"hierarchy of {self.attribute!r}"
        if isinstance(self.levels, str) or not isinstance(self.levels, Sequence):
            raise InputError(f"{what}: levels must be a list of lists of text")
        levels = tuple(_texts(level, f"{what}: a level") for level in self.levels)
        object.__setattr__(self, "levels", levels)
        if not levels or not levels[0]:
            raise InputError(f"{what}: there is no level; declare at least one list of groups")
        if any(len(level) != len(levels[0]) for level in levels):
            raise InputError(f"{what}: its levels differ in length; give one group for each value")
        for depth, (finer, coarser) in enumerate(pairwise(levels)):
            parent: dict[str, str] = {}
            for group, above in zip(finer, coarser, strict=True):
                if parent.setdefault(group, above) != above:
                    raise InputError(
                        f"{what}: the group {group!r} of level {depth} lies in two groups of level "
                        f"{depth + 1}; levels must be nested"
                    )


def first_repeated(texts: Iterable[str]) -> str | None:
    """Return the first text that occurs a second time; None if all differ."""
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            return text
        seen.add(text)
    return None


def require_text(text: object, what: str) -> None:
    """Raise ``InputError`` unless ``text`` is non-empty and free of control characters."""
    if not isinstance(text, str) or text == "":
        raise InputError(f"{what} must be a non-empty text")
    if text.isprintable():
        return
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in text):
        raise InputError(f"{what} holds a control character; use printable text on one line")


def _texts(items: object, what: str) -> tuple[str, ...]:
    if isinstance(items, str) or not isinstance(items, Sequence):
        raise InputError(f"{what} must be a list of texts")
    if not all(isinstance(item, str) for item in items):
        raise InputError(f'{what} must be texts; write numbers in quotes, as in "1"')
    return tuple(items)


def _check_edges(edges: object, what: str) -> tuple[Fraction, ...]:
    if isinstance(edges, str) or not isinstance(edges, Sequence):
        raise InputError(f"{what}: edges must be a list of numbers")
    for edge in edges:
        if isinstance(edge, bool) or not isinstance(edge, int | Fraction):
            raise InputError(
                f"{what}: a bin edge must be an integer or a Fraction, so that it is exact"
            )
    exact = tuple(Fraction(edge) for edge in edges)
    if len(exact) < 2:
        raise InputError(f"{what}: bins need at least two edges")
    if any(right <= left for left, right in pairwise(exact)):
        raise InputError(f"{what}: bin edges must increase strictly")
    if max(abs(exact[0]), abs(exact[-1])) >= _EDGE_LIMIT:
        raise InputError(f"{what}: bin edges must stay below 1e300 in size")
    return exact


def _bin_labels(edges: tuple[Fraction, ...], quantity: Quantity, what: str) -> tuple[str, ...]:
    try:
        texts = [quantity.write(edge) for edge in edges]
    except (ValueError, OverflowError) as error:
        raise InputError(
            f"{what}: the edges of its bins must be {quantity.value}, in the years 1 to 9999"
        ) from error
    last = len(texts) - 2
    return tuple(f"[{texts[k]}, {texts[k + 1]}{']' if k == last else ')'}" for k in range(last + 1))
