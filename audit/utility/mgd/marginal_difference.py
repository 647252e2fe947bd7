"""MGD: the weighted mean of AEMC over target marginals (Li et al., equation 3)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from audit.utility.counts import Attributes, order_attributes
from audit.utility.metric import Metric
from audit.utility.mgd.cells import cells_of
from audit.utility.mgd.deep_dive import DeepDive, deep_dive, worst_cells
from audit.utility.mgd.plan_file import targets_of
from audit.utility.mgd.semantic import semantic
from audit.utility.mgd.solve import solve
from audit.utility.mgd.solvers.four_layer import four_layer_flow
from audit.utility.mgd.target import TOLERANCE, Target
from audit.utility.pair import Marginal, Pair
from audit.utility.parameters import arguments
from audit.utility.score import Breakdown, Entry, Score
from synthesizers.domain import Domain
from synthesizers.errors import InputError

SHOWN = 100
"""Cells that the breakdown lists, over all marginals."""


SECONDS_A_CELL, SECONDS_A_CELL_OF_FLOW = 5e-7, 1.2e-4
"""To compare one cell, and to move records between cells along several attributes, far tables."""


@dataclass(frozen=True, eq=False)
class _Part:
    """One target: the ends of its AEMC (equal if ``exact``), and what it is made of."""

    target: Target
    ends: tuple[Fraction, Fraction]
    exact: bool
    how: str
    dive: DeepDive
    worst: tuple[tuple[Entry, ...], ...]
    unlisted: int


@dataclass(frozen=True, kw_only=True)
class MarginalDifference(Metric):
    """MGD of Li et al.: what it costs to turn the synthetic marginals into the real ones.

    Counts are not normalised: a synthetic table of another size has to be filled up or
    emptied. ``targets`` None: all one- and two-way marginals of at most ``most_cells``
    cells, each as important as the other, with the ``tolerance`` given here and the weights
    that ``Target`` gives by default. With ``budget_seconds``, of wall-clock time, a marginal
    along several of whose attributes the search takes longer gets a bracket; the score then has
    no exact value, but a bracket as well, and its value is the upper end. Such a score depends
    on the machine; one without a budget does not. ``cross_check``: solve the general problems
    by a minimum-cost flow too; a disagreement is an ``ArithmeticError``.

    The breakdowns: "marginals", worst first; "moving", what moving along each attribute
    contributes; "cells", those furthest beyond the tolerance.
    """

    name = "mgd"
    lowest, highest, direction = 0.0, math.inf, "lower"

    targets: tuple[Target, ...] | None = None
    tolerance: Fraction = TOLERANCE
    most_cells: int = 2**16
    budget_seconds: float | None = None
    cross_check: bool = False

    def __post_init__(self) -> None:
        """Refuse no target, a tolerance that is not exact, a budget that is not above 0."""
        super().__post_init__()
        if self.targets is not None:
            object.__setattr__(self, "targets", tuple(self.targets))
            if not self.targets or not all(isinstance(each, Target) for each in self.targets):
                raise InputError("mgd: targets must be a list of at least one Target")
        # One example has the checks of them all.
        tolerance = Target(("all marginals",), tolerance=self.tolerance).tolerance
        object.__setattr__(self, "tolerance", tolerance)
        self.at_least(1, "most_cells")
        if self.budget_seconds is not None and not self.budget_seconds > 0:
            raise InputError("mgd: budget_seconds must be a number above 0")
        if not isinstance(self.cross_check, bool):
            raise InputError("mgd: cross_check must be true or false")

    @classmethod
    def from_plan(
        cls, values: Mapping[str, object], named: Callable[[str], Metric]
    ) -> MarginalDifference:
        """The metric as a table of a plan describes it; its targets as ``plan_file`` reads them.

        Raises ``InputError`` for a key, a number or a file that it cannot read.
        """
        plain = {name: value for name, value in values.items() if name != "targets"}
        metric = cls(**arguments(cls, plain, named))
        if values.get("targets") is None:
            return metric
        return replace(metric, targets=targets_of(values["targets"], metric.tolerance))

    def chosen(self, domain: Domain) -> tuple[Target, ...]:
        """The targets, the default ones if none are given."""
        if self.targets is not None:
            return self.targets
        sets = itertools.chain(*(itertools.combinations(domain.names, k) for k in (1, 2)))
        sizes = dict(zip(domain.names, domain.shape, strict=True))
        return tuple(
            Target(names, tolerance=self.tolerance)
            for names in sets
            if math.prod(sizes[name] for name in names) <= self.most_cells
        )

    def check(self, domain: Domain) -> None:
        """Refuse targets that name unknown attributes, or whose weights do not sum to 1."""
        targets = self.chosen(domain)
        if not targets:
            raise InputError(
                f"mgd: every attribute has more than {self.most_cells} values; raise most_cells or "
                "name the targets"
            )
        for target in targets:
            for name, weight in target.resolve(domain).items():
                if weight != "infinite":
                    semantic(domain, name, domain.attribute(name).size)

    def marginals_read(self, domain: Domain) -> Sequence[Attributes]:
        """The marginals of the targets."""
        return [order_attributes(target.attributes, domain) for target in self.chosen(domain)]

    def estimate_seconds(self, domain: Domain, records: int) -> float:
        """Flows over the cells that records can move between along several attributes."""
        total = 0.0
        for target in self.chosen(domain):
            weights = target.resolve(domain)
            sizes = {name: domain.attribute(name).size for name in weights}
            several = sum(w != "infinite" and sizes[n] > 1 for n, w in weights.items()) > 1
            cells = math.prod(sizes.values())
            # Combinations that nothing crosses and that no record has are left out.
            fixed = math.prod(sizes[name] for name, w in weights.items() if w == "infinite")
            cells = cells // fixed * min(fixed, 2 * records)
            total += cells * (SECONDS_A_CELL_OF_FLOW if several else SECONDS_A_CELL)
        return total

    def score(self, pair: Pair) -> Score:
        """MGD; always defined, as both tables have records."""
        targets = self.chosen(pair.domain)
        marginals = pair.marginals(target.attributes for target in targets)
        parts = [
            self._part(target, marginal, pair.domain)
            for target, marginal in zip(targets, marginals, strict=True)
        ]
        total = sum(target.importance for target in targets)
        lower, upper = (
            sum((part.target.importance * part.ends[end] for part in parts), Fraction(0)) / total
            for end in (0, 1)
        )
        exact = all(part.exact for part in parts)
        return self.scored(
            float(upper),
            exact=upper if exact else None,
            bracket=None if exact else (lower, upper),
            stated=self._notes(pair.domain, len(targets), exact),
            details=_details(parts),
        )

    def _part(self, target: Target, marginal: Marginal, domain: Domain) -> _Part:
        cells = cells_of(target, marginal, domain)
        if cells.matrix is None:
            solution = solve(cells.problem, self.budget_seconds, self.cross_check)
        else:
            solution = four_layer_flow(cells.problem, cells.matrix)
        dive = deep_dive(cells, solution)
        return _Part(
            target,
            (cells.problem.value(solution.lower), cells.problem.value(solution.cost)),
            solution.exact,
            solution.how,
            dive,
            *worst_cells(cells, dive.plan, domain, SHOWN),
        )

    def _notes(self, domain: Domain, targets: int, exact: bool) -> tuple[str, ...]:
        stated = [f"{targets} target marginal{'s' * (targets > 1)}, counts not normalised"]
        if self.targets is None:
            every = len(domain.names) * (len(domain.names) + 1) // 2
            stated.append(
                f"all one- and two-way marginals, tolerance {self.tolerance}, equally important"
            )
            if every > targets:
                stated.append(
                    f"{every - targets} marginals of more than {self.most_cells} cells left out"
                )
        if self.cross_check:
            stated.append("every optimum along several attributes was checked by a second solver")
        if not exact:
            stated.append(
                "not exact: the time budget left brackets, which depend on the machine; the value "
                "is the upper end, the cost of a plan that exists"
            )
        return tuple(stated)


def _details(parts: list[_Part]) -> tuple[Breakdown, ...]:
    """The breakdowns, worst first."""
    marginals: list[tuple[Entry, ...]] = [
        (
            part.target.label,
            float(part.ends[1]),
            float(part.ends[0]),
            float(part.target.importance),
            str(part.target.tolerance),
            float(sum(part.dive.moving.values(), Fraction(0))),
            float(part.dive.adding),
            part.how,
        )
        for part in parts
    ]
    moving: list[tuple[Entry, ...]] = [
        (part.target.label, name, float(share))
        for part in parts
        for name, share in part.dive.moving.items()
    ]
    cells: list[tuple[Entry, ...]] = [
        (part.target.label, *row) for part in parts for row in part.worst
    ]
    marginals.sort(key=lambda row: -_size(row[1]))
    moving.sort(key=lambda row: -_size(row[2]))
    cells.sort(key=lambda row: -_size(row[4]))
    unlisted = sum(part.unlisted for part in parts) + max(len(cells) - SHOWN, 0)
    bracketed = sum(not part.exact for part in parts)
    note = (
        f"in {bracketed} marginals moving and adding are those of a plan not known to be optimal"
        if bracketed
        else ""
    )
    columns = ("marginal", "AEMC", "AEMC at least", "importance", "tolerance", "moving", "adding")
    return (
        Breakdown("marginals", (*columns, "found by"), tuple(marginals), note),
        Breakdown("moving", ("marginal", "attribute", "moving"), tuple(moving), note),
        Breakdown(
            "cells",
            ("marginal", "cell", "real", "synthetic", "beyond the tolerance", "to be removed"),
            tuple(cells[:SHOWN]),
            f"{unlisted} further cells are beyond the tolerance" if unlisted else "",
            "beyond the tolerance",
        ),
    )


def _size(entry: Entry) -> float:
    return abs(float(entry)) if isinstance(entry, int | float) else 0.0
