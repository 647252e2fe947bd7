"""Privacy claims as tests: they fail with the smallest counterexample.

`certify` works in any test framework; `audit.pytest_plugin` brings it to pytest as a fixture.
"""

from audit.property_test.certifying import certify, family
from audit.property_test.checked import Checked, ClaimRefuted

__all__ = ["Checked", "ClaimRefuted", "certify", "family"]
