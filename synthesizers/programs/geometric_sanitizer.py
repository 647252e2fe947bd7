"""Histogram sanitizer with discrete Laplace (two-sided geometric) noise.

Purpose: counts of a small public domain under pure differential privacy, by
the simplest means; the yardstick for everything cleverer.

Source: Dwork, McSherry, Nissim & Smith 2006; Ghosh, Roughgarden & Sundararajan
2009; as a synthesizer, Abowd & Vilhuber 2008 (section 4.2) with discrete noise.

Inputs: epsilon; rescale (default true); calibrated-for (add-remove or
replace-one; default: the relation analysed); the public number of rows.

Budget: all of epsilon on one question. The histogram has L1 sensitivity 1
under add-remove and 2 under replace-one; with n public and two cells one count
of sensitivity 1 is asked. For persons of at most m records, m times as much.
Noise: discrete Laplace of scale sensitivity/epsilon. Guarantee: epsilon-DP.

Post-processing: counts are clamped to [0, n] ([0, rows] where n is private), then
rescaled to the public
number of rows by largest remainder (ties to the lower index; all zero gives
uniform counts). rescale=false leaves the clamped counts.

Assumes public: the domain, the number of rows.

Known weaknesses: noise grows with the number of cells; clamping and rescaling
bias small counts upwards.
"""

from __future__ import annotations

from dataclasses import dataclass

from synthesizers.noise import DiscreteLaplace
from synthesizers.programs.histogram_sanitizer import HistogramSanitizer


@dataclass(frozen=True, slots=True)
class GeometricSanitizer(HistogramSanitizer):
    """See the module's card."""

    noise = DiscreteLaplace
