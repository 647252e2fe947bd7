"""Which program the modes named after SDNist reproduce."""

from __future__ import annotations

SDNIST = "sdnist-2.5"
"""The mode of the scores of SDNist 2.x (usnistgov/SDNist), wherever a metric has it.

It is named after version 2.5 (commit f048b1c), whose report defines these scores. They
were checked against the code of version 2.4, as in its wheel on PyPI; modules are named as
there (``sdnist/metrics/…``).
"""
