"""The official programs that metrics reproduce, by the names of the modes."""

from __future__ import annotations

NIST_2018 = "nist-2018"
"""The local scorer of Match 3 of the NIST 2018 challenge and its three ground-truth generators.

They are in the competitor's pack of usnistgov/Differential-Privacy-Synthetic-Data-Challenge-assets.
"""

SPRINT_1, SPRINT_2, SPRINT_3 = "sprint-1", "sprint-2", "sprint-3"
"""The scorers of the NIST 2020 Temporal Map Challenge: ``runtime/scripts/metric.py`` of
drivendataorg/deid2-runtime, on the branches sprint-1, sprint-2 and master."""

SDNIST_1 = "sdnist-1"
"""SDNist 1.x, whose k-marginal score version 2.x keeps."""

SDNIST = "sdnist-2.5"
"""SDNist 2.x (usnistgov/SDNist).

It is named after version 2.5 (commit f048b1c), whose report defines these scores. They
were checked against the code of version 2.4, as in its wheel on PyPI; modules are named as
there (``sdnist/metrics/…``).
"""

SYNTHPOP = "synthpop"
"""The R package synthpop 1.9-2: ``utility.tab``, ``utility.gen`` and ``compare.fit.synds``."""

SDMETRICS = "sdmetrics"
"""SDMetrics 0.32, the scores of its ``QualityReport``."""

PRIVATE_PGM = "private-pgm"
"""``score`` in ``extensions/score.py`` of ryan112358/nist-synthetic-data-2021."""
