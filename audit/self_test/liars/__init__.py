"""The liars by what they get wrong, one kind a file."""

from __future__ import annotations

from audit.self_test.case import BugClass, Liar
from audit.self_test.liars import (
    agencies,
    bayes,
    budget,
    classics,
    families,
    functions,
    graphical,
    grids,
    groups,
    hostile,
    looks,
    networks,
    noise,
    samplers,
    synthesizers,
    views,
)

_ORDER = list(BugClass)

LIARS: tuple[Liar, ...] = tuple(
    sorted(
        (
            *noise.LIARS,
            *samplers.LIARS,
            *budget.LIARS,
            *looks.LIARS,
            *synthesizers.LIARS,
            *networks.LIARS,
            *views.LIARS,
            *bayes.LIARS,
            *groups.LIARS,
            *grids.LIARS,
            *agencies.LIARS,
            *classics.LIARS,
            *families.LIARS,
            *graphical.LIARS,
            *hostile.LIARS,
            *functions.QUERIES,
            *functions.MECHANISMS,
        ),
        key=lambda liar: _ORDER.index(liar.bug_class),
    )
)
"""Every liar, by class."""
