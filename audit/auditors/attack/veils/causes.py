"""Causes: the kinds of leaks that attacks know by name, what mends each, and what hides it.

A cause stands beside a verdict and never decides it: what an attack refuted stays refuted whether
or not anybody knows why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from synthesizers.errors import InputError
from synthesizers.suggestions import suggest


@dataclass(frozen=True)
class LeakKind:
    """A kind of leak.

    ``words``: what it is, after "the leak of"; ``mend``: what to do about it, a sentence.
    ``veils``: the kinds of veils that hide it. ``left_out``: which pairs an attack behind it leaves
    out: "failing", those on which runs fail, "mixed", those on which outputs are of several kinds,
    or "small", databases of few records; empty for none.
    Without veils, and with no pairs left out, nothing can be looked at behind it.
    """

    name: str
    words: str
    mend: str
    veils: tuple[str, ...] = ()
    left_out: str = ""

    @property
    def hideable(self) -> bool:
        """Whether an attack can go on behind it."""
        return bool(self.veils or self.left_out)


CAUSES: dict[str, LeakKind] = {
    kind.name: kind
    for kind in (
        LeakKind(
            "low-bits",
            "low bits",
            "Round the value to a grid that does not depend on the data before noise is added, and "
            "draw discrete noise on that grid.",
            ("lattice",),
        ),
        LeakKind(
            "fixed-seed",
            "repeated noise",
            "Draw fresh randomness in every run: no constant seed, no generator or noise that is "
            "kept from one run to the next.",
        ),
        LeakKind(
            "exact-size",
            "the exact size",
            "Put out a public number of rows, or a noisy one that is paid for.",
            ("rows", "absent"),
        ),
        LeakKind(
            "read-categories",
            "categories read off the data",
            "Take the categories from the public domain, and give each of them noise whether or "
            "not it occurs.",
            ("labels", "rows"),
        ),
        LeakKind(
            "read-bounds",
            "bounds read off the data",
            "Take the bounds from the public domain, or from a noisy quantile that is paid for.",
            ("ends",),
        ),
        LeakKind(
            "empty-tables",
            "empty tables",
            "Treat an empty or tiny table as any other: the same form of output, with noise.",
            (),
            "small",
        ),
        LeakKind(
            "order",
            "the order of records",
            "Sort or shuffle records before they are used, and rows before they are put out.",
            ("sorted",),
        ),
        LeakKind(
            "schema",
            "the schema",
            "Fix the columns and their types by the public domain, and convert to them at the end.",
            ("forms",),
        ),
        LeakKind(
            "exceptions",
            "exceptions",
            "Catch what can fail on some databases, and put out what noise alone would give.",
            ("failures",),
            "failing",
        ),
        LeakKind(
            "exact-extremes",
            "exact values",
            "Add noise to this number, too, or do not put it out.",
            ("absent", "ends"),
        ),
        LeakKind(
            "small-scale",
            "too little noise",
            "Scale the noise to the sensitivity under the claimed neighbours, with the whole ε "
            "shared out once.",
        ),
        LeakKind(
            "exact-threshold",
            "thresholds without noise",
            "Compare a noisy count with the threshold, not the true one, and pay for it.",
            ("labels", "ends"),
            "mixed",
        ),
    )
}
"""All of them, by their names."""

UNRECOGNISED = "not recognised"
"""The name of a cause that is none of these."""

AUTOMATIC = ("low-bits", "empty-tables")
"""Causes behind which an attack goes on by itself: nearly every first implementation has them."""


def parse_causes(names: Sequence[str]) -> tuple[str, ...]:
    """The causes that a user names, each once, in the order of `CAUSES`.

    Raises InputError for a name that is none, and for a cause behind which nothing can be seen.
    """
    unknown = [name for name in names if name not in CAUSES]
    if unknown:
        raise InputError(
            f"no cause {unknown[0][:40]!r}; there are: {', '.join(CAUSES)}"
            f"{suggest(unknown[0], CAUSES)}"
        )
    opaque = [name for name in names if not CAUSES[name].hideable]
    if opaque:
        raise InputError(
            f"nothing can be looked at behind {opaque[0]}: it is in every number that is put out; "
            f"mend it first. {CAUSES[opaque[0]].mend}"
        )
    return tuple(name for name in CAUSES if name in names)


def describe_leaks(causes: Sequence[str]) -> str:
    """Known causes as a phrase: "the leak of low bits", or several."""
    words = [CAUSES[name].words for name in causes]
    if len(words) < 2:
        return f"the leak of {''.join(words)}"
    return f"the leaks of {', '.join(words[:-1])} and {words[-1]}"
