"""The tables of a review's numbers: usefulness beside references, exactness beside the best."""

from __future__ import annotations

from collections.abc import Sequence

from audit.review.conclusions.chances import SMALL, one_in
from audit.review.conclusions.exactness import SmallTables
from audit.review.conclusions.usefulness import Scores


def scores_text(scores: Scores) -> str:
    """A metric's median over releases, with its spread where there are several."""
    if scores.median is None or scores.spread is None:
        return "undefined"
    low, high = scores.spread
    middle = f"{scores.median:.4g}"
    return middle if low == high else f"{middle} ({low:.4g} to {high:.4g})"


def utility_rows(
    scores: Sequence[Scores], references: Sequence[Scores]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """A table of metrics by program and ε: its header, and its rows."""
    both = [*scores, *references]
    epsilons = tuple(dict.fromkeys(one.epsilon for one in both))
    found = {(one.metric, one.program, one.epsilon): one for one in both}
    keys = dict.fromkeys((one.metric, one.program) for one in both)
    rows = []
    for metric, program in sorted(keys, key=lambda key: key[0]):
        cells = [found.get((metric, program, epsilon)) for epsilon in epsilons]
        better = next(one for one in cells if one is not None).lower_is_better
        texts = ("–" if one is None else scores_text(one) for one in cells)
        rows.append((metric, program, "lower" if better else "higher", *texts))
    heads = ("Metric", "Program", "Better", *(f"ε = {epsilon}" for epsilon in epsilons))
    return heads, tuple(rows)


def exactness_row(found: SmallTables) -> tuple[str, ...]:
    """The ε, the share of wrong counts, the least of any program, and the claim's p-value."""
    least = "–" if found.least is None else f"{found.least:.3g}"
    chance = "1" if found.p_value >= 1 else f"{found.p_value:.2g}"
    if found.p_value < SMALL:
        chance = one_in(found.p_value)
    return found.epsilon, f"{found.wrong:.3g} of {found.coins}", least, chance
