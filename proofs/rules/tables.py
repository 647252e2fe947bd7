"""Rules of laws that release bits, whole records or whole tables."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

from proofs.errors import require
from proofs.judgments import Stable
from proofs.losses import ResponseLoss
from proofs.parameters import AtLeast0, Count, Positive, Whole
from proofs.rules.rule import Conclusion, at_most, lose, require_neighbours, rule
from synthesizers.intervals import log_interval
from synthesizers.neighbours import Neighbours, ReplaceOne

Matrix = tuple[tuple[AtLeast0, ...], ...]
"""Chances, a row for each value."""

MAX_VALUES = 1000
"""The most rows, and the most columns, of a matrix."""

MAX_DENOMINATOR_BITS = 4096
"""The longest common denominator of a row of a matrix."""


@rule("response")
def response(bits: Stable, epsilon: Fraction) -> Conclusion:
    """Each 0/1 answer keeps its value with odds e^ε to 1, and one answer moves at most.

    The loss is the mechanism itself on two neighbours.

    Source: Warner 1965; the pair is that of Kairouz, Oh & Viswanath 2015.

    Guarantee
    ---------
    ``tests/proofs/rules/test_table_rules.py::test_one_flipped_bit_has_the_curve_of_its_pair``.
    """
    moving = bits.l0 is not None and bits.l0 <= 1 and bits.linf <= 1 and bits.integers
    require(moving, "one integer answer may move, and by 1 at most")
    return lose(bits.neighbours, ((1, ResponseLoss(epsilon)),))


@rule("local-randomizer")
def local_randomizer(
    neighbours: Neighbours, epsilon: AtLeast0, values: Count | None, matrix: Matrix | None
) -> Conclusion:
    """Each whole record is replaced by a law of its value alone.

    Either it keeps its value with odds e^ε to 1 against each other of ``values`` (randomised
    response), or value i becomes j with chance ``matrix``[i][j] and ε >= ln of a column's widest
    ratio. Source: Warner 1965 (two values); Gouweleeuw et al. 1998 (matrices); the proofs are on
    the rule's page.

    Guarantee
    ---------
    ``tests/proofs/rules/test_table_rules.py::test_randomized_response_loses_exactly_its_epsilon``
    and ``test_no_matrix_loses_more_than_its_column_ratio`` there.
    """
    # The only neighbours under which the number of answers is the same, and one answer moves.
    require_neighbours(neighbours, ReplaceOne())
    require((values is None) != (matrix is None), "it takes the number of values, or a matrix")
    if matrix is not None:
        _require_chances(matrix)
        columns = [column for column in zip(*matrix, strict=True) if any(column)]
        none = "no finite epsilon holds where a zero stands beside a non-zero in a column"
        require(all(map(all, columns)), none)
        ratio = max(max(column) / min(column) for column in columns)
        wide = "epsilon must be at least the logarithm of the widest ratio in a column"
        at_most(log_interval(ratio), epsilon, wide)
    return lose(neighbours, ((1, ResponseLoss(epsilon)),))


@rule("posterior-draws")
def posterior_draws(
    neighbours: Neighbours,
    law: Literal["dirichlet-multinomial", "plug-in-multinomial"],
    alpha_min: Positive,
    records: Whole,
    epsilon: Fraction,
) -> Conclusion:
    """``records`` rows drawn from a posterior law of the cells' chances.

    ``alpha_min``: the least prior count of a cell; m: the most records of one unit. Of the
    predictive law (dirichlet-multinomial) ε >= m·ln(1 + records/alpha_min), of the posterior's mean
    (plug-in-multinomial) ε >= m·records·ln(1 + 1/alpha_min).

    Source: Abowd & Vilhuber 2008, equation (1) and Figures 1 and 2 (the laws); Machanavajjhala et
    al. 2008 (the first loss); the proof of the second is on the rule's page.

    Guarantee
    ---------
    ``tests/proofs/rules/test_table_rules.py::test_no_neighbours_lose_more_than_the_posterior_rules``.
    """
    # A person's exchange is some replacements, then additions or removals: at most that many steps.
    most = neighbours.unit.max_records
    if law == "dirichlet-multinomial":
        loss = log_interval(1 + records / alpha_min) * most
    else:
        loss = log_interval(1 + 1 / alpha_min) * records * most
    at_most(loss, epsilon, "epsilon must be at least the loss of a whole unit")
    return lose(neighbours, ((1, ResponseLoss(epsilon)),))


def _require_chances(rows: Matrix) -> None:
    """Raise ProofError unless the rows are of one length, and each has the sum 1."""
    sizes = "a matrix is a list of 1 to 1000 rows, all of one length of at most 1000"
    even = len({len(row) for row in rows}) == 1 and max(len(rows), len(rows[0])) <= MAX_VALUES
    require(even, sizes)
    for row in rows:
        common = 1
        for entry in row:
            common = math.lcm(common, entry.denominator)
            short = common.bit_length() <= MAX_DENOMINATOR_BITS
            require(short, "the common denominator of a row must be below 2^4096")
        chances = sum(entry.numerator * (common // entry.denominator) for entry in row)
        require(chances == common, "each row holds chances that sum to exactly 1")
