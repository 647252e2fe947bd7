"""Privacy claims as tests: they fail with the smallest counterexample.

`certify` works in any test framework; `audit.testing.pytest_plugin` brings it to pytest as a
fixture.
"""

from audit.testing.claims.certifying import certify, family
from audit.testing.claims.checked import Checked, ClaimRefuted

__all__ = ["Checked", "ClaimRefuted", "certify", "family"]
