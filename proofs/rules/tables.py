"""Rules of laws that release bits, whole records or whole tables."""

from __future__ import annotations

import json
import math
from fractions import Fraction

from proofs.guarantees import ApproxDP
from proofs.hypotheses import BASE
from proofs.judgments import Dominated, Mechanism, Private, Stable
from proofs.losses import ResponseLoss
from proofs.parameters import Parameters
from proofs.rules.rule import Conclusion, Premises, Rule, at_most, require, require_relation
from synthesizers.intervals import Interval, log_interval
from synthesizers.neighbours import Neighbours

MAX_VALUES = 1000
"""The most rows, and the most columns, of a matrix."""

MAX_DENOMINATOR_BITS = 4096
"""The longest common denominator of a row of a matrix."""


def randomized_response(premises: Premises, parameters: Parameters) -> Conclusion:
    """Each record keeps its value with odds e^ε to 1 against each of the k - 1 others: ε, δ = 0.

    Source: Warner 1965 (two values); the proof for k values is on the rule's page.

    Guarantee
    ---------
    ``tests/proofs/rules/test_table_rules.py::test_randomized_response_loses_exactly_its_epsilon``.
    """
    neighbours = _require_replacement_of_one(premises, parameters)
    values, epsilon = parameters.whole("values", least=1), parameters.positive("epsilon")
    own: dict[str, object] = {"values": values, "epsilon": str(epsilon)}
    return _conclude_release("randomized-response", own, neighbours, epsilon)


def response(premises: Premises, parameters: Parameters) -> Conclusion:
    """Each 0/1 answer keeps its value with odds e^ε to 1, and one answer moves at most.

    The pair is the mechanism itself on two neighbours.

    Source: Warner 1965; the pair is that of Kairouz, Oh & Viswanath 2015.

    Guarantee
    ---------
    ``tests/proofs/rules/test_table_rules.py::test_one_flipped_bit_has_the_curve_of_its_pair``.
    """
    bits, epsilon = premises.one(Stable), parameters.rational("epsilon")
    moving = bits.l0 is not None and bits.l0 <= 1 and bits.linf <= 1 and bits.integers
    require(moving, premises.rule, "one integer answer may move, and by 1 at most")
    own = {"query": json.loads(bits.query), "epsilon": str(epsilon)}
    found = Dominated(((1, ResponseLoss(epsilon)),))
    return Conclusion(Private(Mechanism.of("response", own), bits.neighbours, found), BASE)


def local_matrix(premises: Premises, parameters: Parameters) -> Conclusion:
    """Each whole record i becomes j with chance matrix[i][j]: ε >= ln of a column's widest ratio.

    Source: Gouweleeuw et al. 1998 (the law); the proof is on the rule's page.

    Guarantee
    ---------
    ``tests/proofs/rules/test_table_rules.py::test_no_matrix_loses_more_than_its_column_ratio``.
    """
    neighbours = _require_replacement_of_one(premises, parameters)
    rows, epsilon = _chances(parameters, premises.rule), parameters.rational("epsilon")
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    none = "no finite epsilon holds where a zero stands beside a non-zero in a column"
    require(all(map(all, columns)), premises.rule, none)
    ratio = max(max(column) / min(column) for column in columns)
    wide = "epsilon must be at least the logarithm of the widest ratio in a column"
    at_most(log_interval(ratio), epsilon, premises.rule, wide)
    own: dict[str, object] = {"matrix": [[str(entry) for entry in row] for row in rows]}
    return _conclude_release("local-matrix", own, neighbours, epsilon)


def dirichlet_multinomial(premises: Premises, parameters: Parameters) -> Conclusion:
    """``records`` rows of the posterior predictive law: ε >= unit·ln(1 + records/alpha_min).

    ``alpha_min``: the least prior count of a cell. ``unit``: the most records of one unit.

    Source: Abowd & Vilhuber 2008, equation (1) (the law); Machanavajjhala et al. 2008 (the loss).

    Guarantee
    ---------
    ``tests/proofs/rules/test_table_rules.py::test_no_neighbours_lose_more_than_the_posterior_rules``.
    """
    least, drawn = _prior(premises, parameters)
    return _posterior(premises, parameters, log_interval(1 + drawn / least))


def plug_in_multinomial(premises: Premises, parameters: Parameters) -> Conclusion:
    """``records`` rows of the posterior mean: ε >= unit·records·ln(1 + 1/alpha_min).

    Source: the law of Abowd & Vilhuber 2008, Figures 1 and 2; the proof is on the rule's page.

    Guarantee
    ---------
    ``tests/proofs/rules/test_table_rules.py::test_no_neighbours_lose_more_than_the_posterior_rules``.
    """
    least, drawn = _prior(premises, parameters)
    return _posterior(premises, parameters, log_interval(1 + 1 / least) * drawn)


def _require_replacement_of_one(premises: Premises, parameters: Parameters) -> Neighbours:
    """The only neighbours under which the number of answers is the same, and one answer moves."""
    premises.none()
    neighbours = parameters.neighbours()
    public = neighbours.records_public
    require_relation(public, premises.rule, neighbours, "replace-one of a record")
    return neighbours


def _chances(parameters: Parameters, rule: str) -> list[tuple[Fraction, ...]]:
    """The rows of a matrix of chances: of one length, none negative, each with the sum 1."""
    given = parameters.value("matrix")
    sizes = "a matrix is a list of 1 to 1000 rows, all of one length of at most 1000"
    require(isinstance(given, list) and 0 < len(given) <= MAX_VALUES, rule, sizes)
    rows = [Parameters(rule, {"matrix": row}).rationals("matrix") for row in given]
    even = len({len(row) for row in rows}) == 1 and 0 < len(rows[0]) <= MAX_VALUES
    require(even, rule, sizes)
    for row in rows:
        common = 1
        for entry in row:
            common = math.lcm(common, entry.denominator)
            short = common.bit_length() <= MAX_DENOMINATOR_BITS
            require(short, rule, "the common denominator of a row must be below 2^4096")
        weights = [entry.numerator * (common // entry.denominator) for entry in row]
        chances = min(weights) >= 0 and sum(weights) == common
        require(chances, rule, "each row holds chances that sum to exactly 1")
    return rows


def _prior(premises: Premises, parameters: Parameters) -> tuple[Fraction, int]:
    premises.none()
    return parameters.positive("alpha_min"), parameters.whole("records")


def _posterior(premises: Premises, parameters: Parameters, step: Interval) -> Conclusion:
    """Of a law of tables in which one record added, removed or replaced costs a ``step``."""
    neighbours, epsilon = parameters.neighbours(), parameters.rational("epsilon")
    # A person's exchange is some replacements, then additions or removals: at most that many steps.
    loss = step * neighbours.unit.max_records
    at_most(loss, epsilon, premises.rule, "epsilon must be at least the loss of a whole unit")
    least, drawn = _prior(premises, parameters)
    own: dict[str, object] = {"alpha_min": str(least), "records": drawn}
    return _conclude_release(premises.rule, own, neighbours, epsilon)


def _conclude_release(
    name: str, own: dict[str, object], neighbours: Neighbours, epsilon: Fraction
) -> Conclusion:
    found = Private(Mechanism.of(name, own), neighbours, ApproxDP(epsilon))
    return Conclusion(found, BASE)


RULES: dict[str, Rule] = {
    "randomized-response": randomized_response,
    "response": response,
    "local-matrix": local_matrix,
    "dirichlet-multinomial": dirichlet_multinomial,
    "plug-in-multinomial": plug_in_multinomial,
}
"""The rules of bits, records and tables by their names."""
