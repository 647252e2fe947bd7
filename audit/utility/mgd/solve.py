"""The optimum of AEMC by whatever the structure of a problem allows, cheapest first."""

from __future__ import annotations

import numpy as np

from audit.utility.mgd.problem import Problem, Solution
from audit.utility.mgd.solvers.certificate import bracket, certificate
from audit.utility.mgd.solvers.flow import flow
from audit.utility.mgd.solvers.primal_dual import primal_dual
from audit.utility.mgd.solvers.trees import along

FLOW_CELLS = 2**16
"""Up to so many cells a flow takes seconds. Of tables that are near each other the primal-dual
method takes as long, or less; of tables that are far apart it may take a hundred times as long."""


def solve(
    problem: Problem, budget_seconds: float | None = None, cross_check: bool = False
) -> Solution:
    """The optimum, or a bracket around it if the budget runs out before.

    No finite attribute: the closed form. One: the level programme. Several: the level
    programme along one, if its potentials certify it; else a minimum-cost flow, or with a budget
    and for more than ``FLOW_CELLS`` cells the primal-dual method. Its search alone has a budget, of
    wall-clock seconds: what it leaves is a bracket, which depends on the machine and never calls
    itself exact unless its ends meet. Without a budget nothing depends on the machine.

    With ``cross_check`` several finite attributes are solved by the other of flow and primal-dual
    method too, without a budget; ``ArithmeticError`` if it contradicts what was found.

    **Guarantee.** The cost is the optimum exactly where ``exact`` says so: backed by the
    linear programme in ``tests/audit/utility/mgd/test_solve.py``.
    """
    if not problem.finite:
        return closed_form(problem)
    if len(problem.finite) == 1:
        return along(problem, problem.finite[0])
    solution = certificate(problem)
    small = budget_seconds is None and problem.size <= FLOW_CELLS
    if not solution.exact and small:
        solution = flow(problem)
    if not solution.exact or (small and solution.plan is None and solution.potentials is None):
        solution = primal_dual(problem, budget_seconds)
    if not solution.exact:
        solution = bracket(problem, solution)
    if cross_check:
        other = primal_dual(problem) if small else flow(problem)
        if not solution.lower <= other.cost <= solution.cost:
            raise ArithmeticError(f"the {other.how} contradicts the optimum that was found")
    return solution


def closed_form(problem: Problem) -> Solution:
    """Add and remove only: Σ max(|P - Q| - Δ, 0) records.

    The optimum where every weight is infinite, and a plan, so an upper bound, elsewhere. With
    Δ = 0 it is the L1 distance. The lower bound is 0 where records could also move.

    **Guarantee.** Exact without finite attributes, never below the optimum with them:
    backed by the linear programme in ``tests/audit/utility/mgd/test_closed_form.py``.
    """
    surplus = problem.synthetic - problem.real
    np.abs(surplus, out=surplus)
    surplus -= problem.tolerance
    cost = problem.penalty * int(np.maximum(surplus, 0, out=surplus).sum())
    return Solution(cost, 0 if problem.finite else cost, "closed form")
