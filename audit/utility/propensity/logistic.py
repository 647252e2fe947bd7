"""The metrics of this package with logistic regression for a learner, under names of their own.

A suite takes them beside those with a tree: the two see different faults.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from audit.utility.compat.programs import SYNTHPOP
from audit.utility.metric import FIXED
from audit.utility.propensity.distances import PMSE, Specks
from audit.utility.propensity.ratios import PMSERatio


@dataclass(frozen=True, kw_only=True)
class LogisticPMSE(PMSE):
    """PMSE of a logistic regression."""

    name = "pmse-logistic"
    family = "logistic classifier"
    modes = (FIXED, SYNTHPOP)

    learner: Literal["cart", "logistic"] = "logistic"


@dataclass(frozen=True, kw_only=True)
class LogisticSpecks(Specks):
    """SPECKS of a logistic regression."""

    name = "specks-logistic"
    family = "logistic classifier"
    modes = (FIXED, SYNTHPOP)

    learner: Literal["cart", "logistic"] = "logistic"


@dataclass(frozen=True, kw_only=True)
class LogisticPMSERatio(PMSERatio):
    """PMSE of a logistic regression over equation 8 of Bowen & Snoke, or another ``null``."""

    name = "pmse-ratio-logistic"
    family = "logistic classifier"

    learner: Literal["cart", "logistic"] = "logistic"
    null: Literal["permutation", "closed-form", "fitted-original"] = "closed-form"
