"""AEMC where nothing moves: every weight infinite."""

from __future__ import annotations

import numpy as np

from audit.utility.mgd.problem import Problem, Solution


def closed_form(problem: Problem) -> Solution:
    """Add and remove only: Σ max(|P - Q| - Δ, 0) records.

    The optimum where every weight is infinite, and a plan, so an upper bound, elsewhere. With
    Δ = 0 it is the L1 distance. The lower bound is 0 where records could also move.

    **Guarantee.** Exact without finite attributes, never below the optimum with them:
    backed by the linear programme in ``tests/audit/utility/mgd/solvers/test_closed_form.py``.
    """
    surplus = problem.synthetic - problem.real
    np.abs(surplus, out=surplus)
    surplus -= problem.tolerance
    cost = problem.penalty * int(np.maximum(surplus, 0, out=surplus).sum())
    return Solution(cost, 0 if problem.finite else cost, "closed form")
