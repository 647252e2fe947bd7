"""Sanity of utility: whether error falls towards its limit as ε grows over a wide grid."""

from audit.auditors.utility_sanity.examination import examine
from audit.auditors.utility_sanity.family import Family

__all__ = ["Family", "examine"]
