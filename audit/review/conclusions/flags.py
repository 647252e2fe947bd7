"""Flags: what asks for a closer look, and is no verdict."""

from __future__ import annotations

from collections.abc import Sequence

from audit.review.conclusions.chances import one_in
from audit.review.conclusions.exactness import SmallTables
from audit.review.conclusions.usefulness import Scores
from audit.review.pieces.attacks import ALARM
from audit.review.pieces.commands import REFERENCES


def flag_too_good(
    own: Sequence[Scores], references: Sequence[Scores], uncertified: bool
) -> list[str]:
    """Where a submission is more useful than every certified reference at the same ε.

    ``uncertified``: whether nothing proves its claim; a proved one may well be the best there is.
    Every release has to score better than every one of every reference, by at least half of the
    metrics that both have: one metric alone may be what a submission was made for.
    """
    if not uncertified:
        return []
    flags = []
    for epsilon in dict.fromkeys(scores.epsilon for scores in own):
        mine = [one for one in own if one.epsilon == epsilon]
        compared = [(one, _of_others(one, references)) for one in mine]
        both = [(one, others) for one, others in compared if len(others) == len(REFERENCES)]
        beyond = [one for one, others in both if all(map(one.is_beyond, others))]
        if both and 2 * len(beyond) >= len(both):
            names = ", ".join(one.metric for one in beyond)
            flags.append(
                f"Too good at ε = {epsilon}: by {len(beyond)} of {len(both)} metrics ({names}) "
                "every release is more useful than any of the certified references, "
                f"{' and '.join(REFERENCES)}. Look closely at what reads the data."
            )
    return flags


def flag_too_exact(found: Sequence[SmallTables]) -> list[str]:
    """Where outputs tell small tables better than those of any program of the claim can.

    A submission that is proved gets it, too: a proof and this can't both be right.

    Guarantee
    ---------
    One that keeps its claim gets it at an ε with a chance of at most `ALARM`. Backed by
    ``tests/audit/review/submissions/test_exactness.py``.
    """
    return [
        f"Too exact at ε = {one.epsilon}: {one.wrong:.3g} of {one.coins} counts of small tables "
        f"are wrong{_beside(one)}. A program that keeps the claim shows this with a chance of at "
        f"most {one_in(one.p_value)}. Look closely at what reads the data."
        for one in found
        if one.p_value <= ALARM
    ]


def _beside(one: SmallTables) -> str:
    if one.least is None:
        return ""
    return f", and no program of this claim is below {one.least:.3g} on average"


def _of_others(one: Scores, references: Sequence[Scores]) -> list[Scores]:
    return [
        other
        for other in references
        if (other.epsilon, other.metric) == (one.epsilon, one.metric) and other.median is not None
    ]
