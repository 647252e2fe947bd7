"""A comparison: which certificates are believed, which answer one question, which are versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from audit.review.comparison.revisions import Revision, find_revisions
from audit.review.comparison.yardsticks import Yardstick, group_claims
from audit.review.rereading import Reread
from synthesizers.errors import InputError


@dataclass(frozen=True)
class Group:
    """Certificates whose bounds may be read on one ruler."""

    yardstick: Yardstick
    entries: tuple[Reread, ...]


@dataclass(frozen=True)
class Comparison:
    """Certificates side by side, in the order in which they were given.

    ``groups``: those that are believed, by their yardsticks; a certificate with a fault stands in
    ``entries`` alone. ``revisions``: versions of one subject that follow each other.
    """

    entries: tuple[Reread, ...]
    groups: tuple[Group, ...]
    revisions: tuple[Revision, ...]

    @property
    def disbelieved(self) -> tuple[Reread, ...]:
        """The certificates with a fault."""
        return tuple(entry for entry in self.entries if entry.fault is not None)


def compare_certificates(entries: Sequence[Reread]) -> Comparison:
    """Lay certificates side by side; raises InputError for fewer than two, or one name twice.

    Guarantee
    ---------
    A certificate with a fault is in no group and no revision. Backed by
    ``tests/audit/review/comparison/test_comparing.py``.
    """
    if len(entries) < 2:
        raise InputError(
            f"a comparison needs two certificates at the least, found {len(entries)}; "
            "name another file"
        )
    names = [entry.name for entry in entries]
    if len(set(names)) < len(names):
        raise InputError("a certificate is named twice; name each file once")
    sound = [entry for entry in entries if entry.fault is None]
    sticks = group_claims([entry.certificate.claim for entry in sound])
    groups = tuple(
        Group(stick, tuple(sound[place] for place in places)) for stick, places in sticks.items()
    )
    return Comparison(tuple(entries), groups, find_revisions(sound))
