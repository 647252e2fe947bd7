"""Power: what the runs of an attack could have seen, and what it still lacks to say NOT REFUTED."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from audit.statements.codec import OPTIONAL

SUSPICION = 1e-3
"""The p-value below which a claim is suspect. An honest subject that uses up its claim meets that
in one audit of a thousand, and is then told how many runs decide; it is accused in one of a
million."""


@dataclass(frozen=True)
class Power:
    """What the runs of an attack could have seen, on its pair and by its rule; of others nothing.

    ``detectable``: the smallest value of the claim's own parameter that would have refuted the
    claim with a chance of 90 %, had the rule's guesses been right as often as those of randomised
    response at that value; infinite if none. ``detect``: the value that had to be. ``delta``: an
    event of smaller chance would probably not have occurred in any run. ``runs``: those that
    tested the rule. ``needed``: runs a database, learning included, that would decide; None where
    nothing lacks, or no bearable number would do. ``seconds``: what a run took here, by the clock:
    no part of what is compared.
    """

    detectable: float
    detect: float
    delta: float
    runs: int
    needed: int | None = field(default=None, metadata=OPTIONAL)
    seconds: float | None = field(default=None, metadata=OPTIONAL, compare=False)

    @property
    def enough(self) -> bool:
        """Whether what had to be seen would have been."""
        return self.detectable <= self.detect


@dataclass(frozen=True)
class Control:
    """A positive control: the subject's own outputs, some of them replaced by a leak of known size.

    ``planted``: the leak, in the claim's own parameter; ``rate``: the share of outputs that were
    replaced; ``refuted``: whether the same learning and the same test, on as many runs, refuted
    the claim.
    """

    planted: float
    rate: float
    refuted: bool


@dataclass(frozen=True)
class Resolution:
    """What certificates of before have in place of `Power`: the same with a chance of 80 %."""

    detectable: float
    delta: float
    runs: int


class Lack(Enum):
    """Why an attack that did not refute a claim does not say so.

    SUSPICION: guesses are right more often than the claim explains, and not often enough to refute
    it. RUNS: a leak of the size that is asked for would not have been refuted. CONTROL: a planted
    one was not.
    """

    SUSPICION = "suspicion"
    RUNS = "runs"
    CONTROL = "control"


def find_lack(p_value: float, power: Power, control: Control | None) -> Lack | None:
    """What an attack that did not refute lacks; None where it may say NOT REFUTED.

    Guarantee
    ---------
    None only where p is at least `SUSPICION`, a leak of the size asked for would have been refuted
    on this pair by this rule, and a control that was made was refuted. Backed by
    ``tests/audit/statements/test_power.py``.
    """
    if p_value < SUSPICION:
        return Lack.SUSPICION
    if not power.enough:
        return Lack.RUNS
    if control is not None and not control.refuted:
        return Lack.CONTROL
    return None
