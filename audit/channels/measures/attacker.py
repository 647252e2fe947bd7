"""What the best attacker makes of one release, knowing the channel.

Three attackers: one who knows all records but one (Abowd & Vilhuber 2008, equation 4), one who is
to tell two given neighbours apart (membership inference: Yeom, Giacomelli, Fredrikson & Jha 2018),
and one who has no more than a prior over all listed databases (Bayes vulnerability: Smith 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add

from audit.channels.columns import Columns
from audit.channels.measures.delta import delta
from audit.channels.measures.ends import Ends, pieces
from audit.channels.measures.extreme import Extreme
from audit.statements.decimals import Enclosure, Extended
from audit.statements.evidence import Witness
from synthesizers.errors import InputError
from synthesizers.exact import enclose
from synthesizers.intervals import exp_interval, log_interval

EVENS = Fraction(1, 2)
"""The prior probability of a coin flip."""


@dataclass(frozen=True)
class LastRecord:
    """What one release tells an attacker who knows all records but one.

    Two neighbours are left; the one that is held at probability ``prior`` rises to ``posterior``
    in the worst case over pairs and outputs. ``gain``: the posterior odds divided by the prior
    odds, the same for every prior. ``witness``: the pair, the likelier database first, and the
    output; None without neighbours.
    """

    prior: Fraction
    gain: Enclosure
    posterior: Enclosure
    witness: Witness | None


def last_record(loss: Extreme, prior: Fraction = EVENS) -> LastRecord:
    """The attacker who knows all records but one, from the channel's smallest ε.

    ``prior``: strictly between 0 and 1; raises InputError.

    Guarantee
    ---------
    The exact values lie in the enclosures: the posterior probability p·r/(p·r + 1 - p) rises with
    the gain r = e^ε (Abowd & Vilhuber 2008, equation 4). Backed by the comparison with Bayes' rule
    over all pairs and outputs in ``tests/audit/channels/measures/test_attacker.py``.
    """
    _require_probability(prior)
    gain = _odds_gain(loss)
    ends = Enclosure(_posterior(gain.lower, prior), _posterior(gain.upper, prior))
    return LastRecord(prior, gain, ends, loss.witness)


def _require_probability(prior: Fraction) -> None:
    if not isinstance(prior, Fraction) or not 0 < prior < 1:
        raise InputError(
            f"a prior probability is a fraction strictly between 0 and 1, found {prior}; "
            "at 0 or 1 nothing could change the attacker's mind"
        )


def _odds_gain(loss: Extreme) -> Enclosure:
    """The enclosure of e^ε."""
    if loss.value is not None:
        return Enclosure.of(enclose(loss.value))
    lower, upper = loss.enclosure.lower, loss.enclosure.upper
    return Enclosure(
        lower if isinstance(lower, float) else max(exp_interval(lower, 96).lower, Fraction(1)),
        upper if isinstance(upper, float) else exp_interval(upper, 96).upper,
    )


def _posterior(gain: Extended, prior: Fraction) -> Fraction:
    if isinstance(gain, float):
        return Fraction(1)
    return prior * gain / (prior * gain + 1 - prior)


@dataclass(frozen=True)
class Guess:
    """How well one release tells two neighbours apart, for the worst pair.

    ``prior``: the probability of one of the two; ``right``: the best attacker's chance of naming
    the confidential one. ``witness``: the pair, first the one with the smaller prior, and the
    event on which the first is named; None without neighbours.
    """

    prior: Fraction
    right: Enclosure
    witness: Witness | None

    @property
    def without(self) -> Fraction:
        """The chance of being right without seeing the release."""
        return max(self.prior, 1 - self.prior)

    @property
    def advantage(self) -> Enclosure:
        """Right minus wrong; at even priors the total variation, δ(0) (Yeom et al. 2018)."""
        return Enclosure(2 * Fraction(self.right.lower) - 1, 2 * Fraction(self.right.upper) - 1)


def guess(columns: Columns, prior: Fraction = EVENS) -> Guess:
    """The attacker who is to tell two neighbours apart.

    Where P has the prior q <= 1/2 and Q has 1 - q, the best guess is right with chance
    Σ max(q·P, (1-q)·Q) = 1 - q + Σ (q·P - (1-q)·Q)₊, for the worst pair 1 - q + q·δ(ln((1-q)/q)).
    ``prior``: strictly between 0 and 1; raises InputError.

    Guarantee
    ---------
    The exact value lies in ``right``: δ falls with ε, and is taken at both ends of an enclosure of
    the logarithm. Backed by the comparison with all pairs in fractions in
    ``tests/audit/channels/measures/test_attacker.py``.
    """
    _require_probability(prior)
    rarer = min(prior, 1 - prior)
    odds = log_interval((1 - rarer) / rarer, 96)
    least = delta(columns, odds.upper)
    most = least if odds.lower == odds.upper else delta(columns, odds.lower)
    lower, upper = (
        1 - rarer + rarer * Fraction(end) for end in (least.enclosure.lower, most.enclosure.upper)
    )
    return Guess(prior, Enclosure(lower, upper), least.witness)


@dataclass(frozen=True)
class Naming:
    """What one release tells an attacker who has a prior over all listed databases.

    ``without``: the chance of naming the confidential database without the release, the largest
    prior probability; ``right``: with it (Bayes vulnerability). ``surest``: the largest posterior
    probability that a database has after any output, with the ``database`` and ``output`` that
    attain it.
    """

    without: Fraction
    right: Enclosure
    surest: Enclosure
    database: tuple[int, ...]
    output: tuple[object, ...]

    @property
    def gain(self) -> Enclosure:
        """By what factor the release raises the chance of naming the confidential database."""
        return Enclosure(
            Fraction(self.right.lower) / self.without, Fraction(self.right.upper) / self.without
        )


def naming(columns: Columns, prior: Sequence[Fraction]) -> Naming:
    """The attacker with a prior over the listed databases, one probability each.

    The chance of being right is Σ over outputs of the largest prior(n)·Pr[m | n] (Smith 2009,
    "On the foundations of quantitative information flow"). Raises InputError for a prior that is
    not a probability distribution over the databases.

    Guarantee
    ---------
    The exact values lie in the enclosures. Backed by the comparison with Bayes' rule in fractions
    in ``tests/audit/channels/measures/test_attacker.py``.
    """
    _require_distribution(prior, len(columns.databases))
    rights, found = [], []
    for first, ends in pieces(columns):
        joint = ends.weigh(prior)
        rights.append(joint.peaks(0).total(0))
        found.append((first, *joint.shares().largest()))
    first, surest, (row, column) = max(found, key=lambda item: item[1].lower)
    return Naming(
        max(prior),
        reduce(add, rights).at_most(1).enclosure(0),
        Enclosure(surest.lower, max(ends.upper for _, ends, _ in found)),
        tuple(columns.databases[row].tolist()),
        columns.outputs[first + column],
    )


def posterior(
    columns: Columns, prior: Sequence[Fraction], output: int
) -> tuple[Enclosure, ...] | None:
    """The posterior probability of every listed database after one output, by its column number.

    None where no database that the prior allows releases the output. Raises InputError as
    `naming` does.

    Guarantee
    ---------
    As for `naming`, if the output is possible at all.
    """
    _require_distribution(prior, len(columns.databases))
    joint = _column(columns, output).weigh(prior)
    if not joint.high.any():
        return None
    shares = joint.shares()
    return tuple(shares.enclosure(row, 0) for row in range(len(prior)))


def _column(columns: Columns, output: int) -> Ends:
    """Both ends of one column, [databases, 1]."""
    for first, ends in pieces(columns):
        if first <= output < first + ends.width:
            return ends.column(output - first)
    raise InputError(f"outputs are numbered from 0 to {len(columns.outputs) - 1}, found {output}")


def _require_distribution(prior: Sequence[Fraction], databases: int) -> None:
    if len(prior) != databases:
        raise InputError(
            f"a prior has one probability for each of the {databases} listed databases, "
            f"found {len(prior)}"
        )
    if not all(isinstance(weight, int | Fraction) and weight >= 0 for weight in prior):
        raise InputError("the probabilities of a prior are fractions of at least 0; one is not")
    if sum(prior) != 1:
        raise InputError(f"the probabilities of a prior sum to 1, found {sum(prior)}")
