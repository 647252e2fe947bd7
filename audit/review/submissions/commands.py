"""Command lines with places for what a run is told."""

from __future__ import annotations

import re
import shlex

from audit.review.submissions.claims import guarantees
from audit.review.submissions.submission import StatedClaim
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP

PLACES = (
    *("input", "output", "domain", "epsilon", "delta", "rho", "mu", "seed", "rows", "parameters"),
    *("neighbours", "unit", "max_records"),
)
"""The places that a command line may have."""

_PLACE = re.compile(r"\{(\w+)\}")


def split_command(command: str) -> tuple[tuple[str, ...], list[str]]:
    """The words of a command line with places, and what is wrong with it.

    >>> split_command("python synth.py {input} {output} {epsilon}")
    (('python', 'synth.py', '{input}', '{output}', '{epsilon}'), [])
    """
    try:
        words = tuple(shlex.split(command))
    except ValueError:
        return (), ["[run]: command has a quote that is not closed"]
    named = places_of(words)
    problems = []
    unknown = sorted(named - set(PLACES))
    if unknown:
        known = " ".join(f"{{{place}}}" for place in PLACES)
        problems.append(
            f"[run]: command has the unknown place {{{unknown[0][:40]}}}; known: {known}"
        )
    absent = [f"{{{place}}}" for place in ("input", "output") if place not in named]
    if absent:
        problems.append(f"[run]: command must have the place {' and '.join(absent)}")
    if words and _PLACE.search(words[0]):
        problems.append("[run]: command must begin with a program")
    return words, problems


def unfilled_places(words: tuple[str, ...], claim: StatedClaim, rows: int | None) -> list[str]:
    """What is wrong with places that no run of such a claim fills."""
    told = {"rows"} if rows is not None else set()
    match guarantees(claim)[0]:
        case ApproxDP():
            told |= {"epsilon", "delta"}
        case ZCDP():
            told |= {"rho"}
        case GaussianDP():
            told |= {"mu"}
    # Of a public number of records each run is told.
    told |= {"rows"} if (claim.neighbours, claim.unit) == ("replace-one", "record") else set()
    of_claim = {"epsilon", "delta", "rho", "mu"}
    problems = [
        f"[run]: command has the place {{{place}}}, and the guarantee {claim.guarantee!r} has no "
        f"such number"
        for place in sorted(places_of(words) & of_claim - told)
    ]
    if "rows" in places_of(words) - told:
        problems.append("[run]: command has the place {rows}: state rows, a public number")
    return problems


def places_of(words: tuple[str, ...]) -> set[str]:
    """The names in braces."""
    return {name for word in words for name in _PLACE.findall(word)}
