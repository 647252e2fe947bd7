"""A channel against a claim of any kind, each decided in its own language."""

from __future__ import annotations

from dataclasses import dataclass

from audit.channels.columns import Columns
from audit.channels.measures.delta import decide_delta, epsilon_at
from audit.channels.measures.epsilon import decide_epsilon, epsilon
from audit.channels.measures.gdp import decide_gdp
from audit.channels.measures.renyi import decide_renyi
from audit.channels.measures.zcdp import decide_zcdp, narrow_zcdp
from audit.statements.decimals import MAX_FRACTION_BITS, Enclosure
from audit.statements.evidence import Decision, Witness
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP


@dataclass(frozen=True)
class Decided:
    """What a channel says of a claim.

    ``epsilon``: the smallest ε at the claim's δ, which is 0 where the claim has none.
    ``parameter``: the name of a claim's own parameter that is not ε, with its smallest value.
    ``finding``: the same in words.
    """

    decision: Decision
    witness: Witness | None
    epsilon: Enclosure
    parameter: tuple[str, Enclosure] | None
    finding: str


def decide(columns: Columns, guarantee: Guarantee) -> Decided:
    """Decide a claim on a channel.

    Guarantee
    ---------
    A decision other than UNDECIDED is that of the exact chances. Backed by
    ``tests/audit/auditors/test_deciding.py``.
    """
    match guarantee:
        case ApproxDP(wanted, limit) if limit == 0:
            decision, extreme = decide_epsilon(columns, wanted)
            found = extreme.enclosure
            words = f"the smallest epsilon is {spell(found)}"
            return Decided(decision, extreme.witness, found, None, words)
        case ApproxDP(wanted, limit):
            decision, extreme = decide_delta(columns, wanted, limit)
            found = epsilon_at(columns, limit)
            words = (
                f"the smallest epsilon at delta={limit} is {spell(found)}; "
                f"delta at epsilon={wanted} is {spell(extreme.enclosure)}"
            )
            return Decided(decision, extreme.witness, found, None, words)
        case ZCDP(rho):
            name, words = "rho", "the smallest rho"
            decision, extreme = decide_zcdp(columns, rho)
            extreme = narrow_zcdp(columns, extreme)
        case GaussianDP(mu):
            name, words = "mu", "the smallest mu"
            decision, extreme = decide_gdp(columns, mu)
        case RenyiDP(order, bound):
            name, words = "rdp", f"the smallest rdp at alpha={order}"
            decision, extreme = decide_renyi(columns, order, bound)
    pure = epsilon(columns).enclosure
    words = f"{words} is {spell(extreme.enclosure)}; the smallest epsilon is {spell(pure)}"
    return Decided(decision, extreme.witness, pure, (name, extreme.enclosure), words)


def spell(ends: Enclosure) -> str:
    """An enclosure in a sentence; a fraction too long to be read, by its decimal ends."""
    if ends.lower != ends.upper:
        return f"in {ends}"
    if isinstance(ends.lower, float):
        return "infinite"
    short = ends.lower.denominator.bit_length() <= MAX_FRACTION_BITS
    return f"exactly {ends.lower}" if short else f"in {ends}"
