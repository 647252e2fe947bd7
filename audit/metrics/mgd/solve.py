"""The optimum of AEMC by whatever the structure of a problem allows, cheapest first."""

from __future__ import annotations

from audit.metrics.mgd.certificate import bracket, certificate
from audit.metrics.mgd.closed_form import closed_form
from audit.metrics.mgd.flow import flow
from audit.metrics.mgd.problem import Problem, Solution
from audit.metrics.mgd.trees import along

SECONDS_A_CELL = 2e-4
"""What a flow takes at most on dense noise, measured with ``benchmarks/aemc.py --flow``."""


def solve(problem: Problem, budget_seconds: float | None = None) -> Solution:
    """The optimum, or a bracket around it where that would take more than the budget.

    No finite attribute: the closed form. One: the level programme. Several: the level
    programme along one, if its potentials certify it; moves along one after the other, if
    these meet the lower bound; else a flow. A flow cannot be
    interrupted, so whether it fits the budget is decided beforehand by the number of
    cells: a score does not depend on the machine or on what else runs there.

    **Guarantee.** The cost is the optimum exactly where ``exact`` says so: backed by the
    linear programme in ``tests/audit/metrics/mgd/test_solve.py``.
    """
    if not problem.finite:
        return closed_form(problem)
    if len(problem.finite) == 1:
        return along(problem, problem.finite[0])
    found = certificate(problem)
    if found.exact:
        return found
    found = bracket(problem, found)
    late = budget_seconds is not None and SECONDS_A_CELL * problem.size > budget_seconds
    if found.exact or late:
        return found
    cost = flow(problem)
    return Solution(cost, cost, "minimum-cost flow", plan=found.plan)
