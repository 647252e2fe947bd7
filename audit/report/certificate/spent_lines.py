"""What each line of foreign code spends, as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audit.auditors.components.parts import Line


def rows_of(lines: Sequence[Line]) -> list[tuple[str, ...]]:
    """A row for each line and law: line, law, scale, moved, spends, share.

    A line that is passed several times has one row, with all that it spends. Shares are those of
    pure losses, or of the squares of normal noise.
    """
    grouped: dict[tuple[str, str, str], list[Line]] = {}
    for line in lines:
        where = f"{line.place} (added at {line.added})" if line.added else line.place
        grouped.setdefault((where, line.law, line.scale), []).append(line)
    pure = sum(_pure(line) for line in lines)
    squared = sum(line.squared for line in lines)
    rows: list[tuple[str, ...]] = []
    for (where, law, scale), own in grouped.items():
        moved = ", ".join(dict.fromkeys(line.moved for line in own))
        if any(line.squared for line in own):
            spent = sum(line.squared for line in own)
            rows.append((where, law, scale, moved, f"μ² {spent:.6g}", _share(spent, squared)))
        elif all(math.isinf(line.epsilon) for line in own):
            rows.append((where, law, scale, moved, "unbounded", ""))
        else:
            spent = sum(_pure(line) for line in own)
            rows.append((where, law, scale, moved, f"ε {spent:.6g}", _share(spent, pure)))
    return rows


def _pure(line: Line) -> float:
    return 0.0 if line.squared or math.isinf(line.epsilon) else line.epsilon


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.0f} %" if whole else ""
