"""Histogram sanitizer with continuous Laplace noise, rounded.

Purpose: the sanitizer of Abowd & Vilhuber 2008 (section 4.2, Figures 3 and 4).

Source: Dwork, McSherry, Nissim & Smith 2006, as presented by Abowd & Vilhuber.
Their Figure 3 is this program with n = 5, two cells and epsilon = 2: the noise
has scale 1/epsilon there, where the text says 2/epsilon.

Inputs: epsilon; rescale (default true); calibrated-for (add-remove or
replace-one; default: the relation analysed); the public number of rows.

Budget: all of epsilon on one question. The histogram has L1 sensitivity 1
under add-remove and 2 under replace-one; with n public and two cells one count
of sensitivity 1 is asked. For persons of at most m records, m times as much.
Noise: Laplace of scale sensitivity/epsilon, rounded to the nearest integer.
Guarantee: epsilon-DP.

Post-processing: counts are clamped to [0, n] ([0, rows] where n is private), then
rescaled to the public
number of rows by largest remainder (ties to the lower index; all zero gives
uniform counts). rescale=false leaves the clamped counts.

Assumes public: the domain, the number of rows.

Known weaknesses: at equal epsilon its true counts come out less often than
with geometric noise; noise grows with the number of cells.
"""

from __future__ import annotations

from dataclasses import dataclass

from synthesizers.noise import RoundedLaplace
from synthesizers.programs.histogram_sanitizer import HistogramSanitizer


@dataclass(frozen=True, slots=True)
class LaplaceSanitizer(HistogramSanitizer):
    """See the module's card."""

    noise = RoundedLaplace
