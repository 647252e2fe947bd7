"""The liars by what they get wrong, one kind a file."""

from __future__ import annotations

from audit.self_test.case import BugClass, Liar
from audit.self_test.liars import agencies, budget, looks, noise, synthesizers

_ORDER = list(BugClass)

LIARS: tuple[Liar, ...] = tuple(
    sorted(
        (*noise.LIARS, *budget.LIARS, *looks.LIARS, *synthesizers.LIARS, *agencies.LIARS),
        key=lambda liar: _ORDER.index(liar.bug_class),
    )
)
"""Every liar, by class."""
