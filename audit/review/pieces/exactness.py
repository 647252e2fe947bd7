"""How many runs show whether a submission is more exact than any program of its claim."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from audit.review.orders import Order
from audit.review.pieces.attacks import ALARM
from audit.review.submissions.exactness import count_coins, find_chance
from audit.review.submissions.submission import Prepared
from proofs.guarantees import Guarantee, parse_guarantee
from synthesizers.schemas import load_domain

RUNS = (10, 20, 40)
"""Numbers of runs that are tried, the fewest first."""


def choose_runs(order: Order, prepared: Prepared, epsilon: str) -> int:
    """The fewest of `RUNS` that could show it; 0 where none does, as at a large ε."""
    claim = prepared.submission.claim
    return _choose(
        parse_guarantee(claim.at(epsilon)),
        prepared.folder / "domain.toml",
        claim.neighbours == "replace-one",
        order.digests[prepared.submission.name],
    )


# By the digest, too: the file at a path may be another one in the next review.
@cache
def _choose(guarantee: Guarantee, domain: Path, records_public: bool, digest: str) -> int:
    coins = count_coins(load_domain(domain), records_public)
    told = (runs for runs in RUNS if coins and find_chance(guarantee, *[runs * coins] * 2) <= ALARM)
    return next(told, 0)
