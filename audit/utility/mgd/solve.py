"""The optimum of AEMC by whatever the structure of a problem allows, cheapest first."""

from __future__ import annotations

from audit.utility.mgd.problem import Problem, Solution
from audit.utility.mgd.solvers.certificate import bracket, certificate
from audit.utility.mgd.solvers.closed_form import closed_form
from audit.utility.mgd.solvers.flow import flow
from audit.utility.mgd.solvers.primal_dual import primal_dual
from audit.utility.mgd.solvers.trees import along


def solve(
    problem: Problem, budget_seconds: float | None = None, cross_check: bool = False
) -> Solution:
    """The optimum, or a bracket around it if the budget runs out before.

    No finite attribute: the closed form. One: the level programme. Several: the level
    programme along one, if its potentials certify it; else the primal-dual method. Its
    search alone has a budget, of wall-clock seconds: what it leaves is a bracket, which
    depends on the machine and never calls itself exact unless its ends meet. Without a
    budget nothing depends on the machine.

    With ``cross_check`` several finite attributes are solved by a minimum-cost flow too, which
    has no budget; ``ArithmeticError`` if it contradicts what was found.

    **Guarantee.** The cost is the optimum exactly where ``exact`` says so: backed by the
    linear programme in ``tests/audit/utility/mgd/test_solve.py``.
    """
    if not problem.finite:
        return closed_form(problem)
    if len(problem.finite) == 1:
        return along(problem, problem.finite[0])
    found = _general(problem, budget_seconds)
    if cross_check and not found.lower <= flow(problem) <= found.cost:
        raise ArithmeticError("the minimum-cost flow contradicts the optimum that was found")
    return found


def _general(problem: Problem, budget_seconds: float | None) -> Solution:
    found = certificate(problem)
    if found.exact:
        return found
    found = primal_dual(problem, budget_seconds)
    return found if found.exact else bracket(problem, found)
