"""Claims, and what is relative to them: guarantees, budgets, the public constants of a run."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import strategies as st

from audit.statements.claim import RELEASED, Claim
from audit.testing.strategies.bounds import require_between
from audit.testing.strategies.databases import domains
from audit.testing.strategies.neighbouring import relations
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from synthesizers.budget import Budget, PureBudget, UnlimitedBudget, ZCDPBudget
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours
from synthesizers.plain import require_rational

DELTAS = (Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 1000), Fraction(1, 10))
ORDERS = (Fraction(2), Fraction(3, 2), Fraction(8), Fraction(32))
"""Of claims that are drawn (choices of this project: usual ones, and one at each end)."""

MAX_DENOMINATOR = 8
"""Of a drawn rational (exact chances of it stay short)."""


def amounts(
    *, min_amount: Fraction | int = Fraction(1, 4), max_amount: Fraction | int = 4
) -> st.SearchStrategy[Fraction]:
    """Positive rationals of small denominators, for scales, variances, rates and ε.

    They shrink to the least whole number between the bounds, else to the lower one. Raises
    InputError for impossible bounds.
    """
    least = require_rational(min_amount, "least amount")
    most = require_rational(max_amount, "largest amount")
    if not 0 < least <= most:
        raise InputError(
            f"amounts are positive and need min_amount <= max_amount, found {least} and {most}"
        )
    fractions = st.fractions(
        least, most, max_denominator=max(MAX_DENOMINATOR, least.denominator, most.denominator)
    )
    whole = range(math.ceil(least), math.floor(most) + 1)
    if not whole:
        return fractions
    return st.one_of(st.integers(whole[0], whole[-1]).map(Fraction), fractions)


def guarantees(*, max_epsilon: Fraction | int = 4) -> st.SearchStrategy[Guarantee]:
    """Guarantees of all four kinds; they shrink to ε = 1."""
    found = amounts(max_amount=max_epsilon)
    return st.one_of(st.builds(ApproxDP, found), *guarantee_kinds(found).values())


def guarantee_kinds(
    found: st.SearchStrategy[Fraction],
) -> dict[type, st.SearchStrategy[Guarantee]]:
    """Guarantees, class by class, of drawn parameters."""
    return {
        ApproxDP: st.builds(ApproxDP, found, st.sampled_from(DELTAS)),
        ZCDP: st.builds(ZCDP, found),
        GaussianDP: st.builds(GaussianDP, found),
        RenyiDP: st.builds(RenyiDP, st.sampled_from(ORDERS), found),
    }


@st.composite
def claims(
    draw: st.DrawFn,
    domain: Domain | None = None,
    neighbours: Neighbours | None = None,
    *,
    max_records: int = 8,
) -> Claim:
    """Claims about databases of a domain, both drawn unless they are given.

    They shrink to ε = 1 about outputs under add-remove of a record.
    """
    size = draw(st.integers(1, require_between(1, max_records, "records", 1)[1]))
    return Claim(
        draw(guarantees()),
        draw(relations()) if neighbours is None else neighbours,
        draw(st.sampled_from(RELEASED)),
        draw(domains()) if domain is None else domain,
        size,
    )


def budgets() -> st.SearchStrategy[Budget]:
    """Budgets of all kinds, under the curator's relation or one of their own."""
    return st.one_of(list(budget_kinds().values()))


def budget_kinds() -> dict[type, st.SearchStrategy[Budget]]:
    """Budgets, class by class."""
    under = st.one_of(st.none(), relations())
    return {
        PureBudget: st.builds(PureBudget, amounts(), under),
        ZCDPBudget: st.builds(ZCDPBudget, amounts(), under),
        UnlimitedBudget: st.builds(UnlimitedBudget),
    }


def run_settings(
    domain: Domain,
    neighbours: Neighbours,
    *,
    min_records: int = 0,
    max_records: int = 8,
) -> st.SearchStrategy[Setting]:
    """The public constants of a run: `synthesizers.curator.Setting`, no setting of Hypothesis."""
    least, most = require_between(min_records, max_records, "records")
    sizes = st.integers(least, most)
    return sizes.map(lambda size: Setting.of(domain, neighbours, size))
