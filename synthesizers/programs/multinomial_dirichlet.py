"""Multinomial-Dirichlet synthesizer: counts drawn from a Bayesian posterior.

Purpose: fully synthetic counts; the oldest synthesizer whose privacy can be
computed.

Source: Abowd & Vilhuber 2008 (equation 1, Figures 1 and 2); Machanavajjhala,
Kifer, Abowd, Gehrke & Vilhuber 2008 (OnTheMap).

Inputs: alpha, the prior count of every cell (one number, or one a cell;
default 1/2); posterior = predictive (draw the cell probabilities from their
posterior; default) or mean (plug in their posterior mean: what the paper's
Figures 1 and 2 show); the public number of rows.

Budget: none is given; privacy follows from alpha and the number m of rows. A
replaced record costs exactly epsilon = ln(1 + m/min alpha) for predictive, and
m ln(1 + 1/min alpha) for mean.

Post-processing: none.

Assumes public: the domain, alpha, the number of rows. An alpha chosen from the
data would be a hidden release.

Known weaknesses: a small epsilon needs alpha of the order of m/epsilon in
every cell, which drowns the data where cells are many.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from synthesizers.curator import Setting
from synthesizers.laws.dirichlet import DirichletMultinomial, PlugInMultinomial
from synthesizers.laws.table_laws import TableLaw
from synthesizers.noise import require_positive
from synthesizers.programs.one_law import OneLaw
from synthesizers.programs.parameters import one_of, parameter, rationals


@dataclass(frozen=True, slots=True)
class MultinomialDirichlet(OneLaw):
    """See the module's card."""

    alpha: tuple[Fraction, ...] = parameter(rationals, (Fraction(1, 2),))
    posterior: str = parameter(one_of("predictive", "mean"), "predictive")

    def __post_init__(self) -> None:
        for value in self.alpha:
            require_positive(value, "alpha")

    def law(self, setting: Setting) -> TableLaw:
        """The law of the whole release."""
        rows = setting.require_rows()
        if self.posterior == "mean":
            return PlugInMultinomial(self.alpha, rows)
        return DirichletMultinomial(self.alpha, rows)
