"""Spans: from where something begins to where it ends, one below the other on one axis."""

from __future__ import annotations

from dataclasses import dataclass

from audit.report.curve import Axis


@dataclass(frozen=True)
class Span:
    """A line from a hollow mark at ``start`` to a full one at ``end``; ``text``: both in words."""

    name: str
    text: str
    start: float
    end: float


@dataclass(frozen=True)
class Spans:
    """Spans on one axis; ``hollow``, ``full``: what the two marks stand for."""

    title: str
    axis: Axis
    hollow: str
    full: str
    rows: tuple[Span, ...]
