"""Check privacy claims from Python: what ``dp-audit`` does, as functions.

>>> import dp_audit as dpa
>>> dpa.certify("geometric-sanitizer", "epsilon=1", neighbours="replace-one", cells=2, records=3,
...             parameters={"epsilon": 1}).verdict
'PROVED'

A name is imported when it is used. A float is read by its shortest decimal, so that 0.1 is 1/10,
and results show the exact number.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dp_audit.own_packages import shadowing

if TYPE_CHECKING:
    from dp_audit.acceptance import criteria
    from dp_audit.accounts import account, calibrate
    from dp_audit.attestations import attest
    from dp_audit.certification import certify
    from dp_audit.channels import channel
    from dp_audit.choices import choose
    from dp_audit.comparisons import compare
    from dp_audit.component_mode import components
    from dp_audit.disclosures import disclosure
    from dp_audit.domains import domain
    from dp_audit.releases import release
    from dp_audit.reviews import review
    from dp_audit.sensitivities import sensitivity
    from dp_audit.stabilities import stability
    from dp_audit.trials import try_submission
    from dp_audit.usefulness import utility
    from dp_audit.verification import verify
    from dp_audit.write_ups import writeup
    from synthesizers.domain import Domain
    from synthesizers.neighbours import AddRemove, ReplaceOne

__all__ = [
    "AddRemove",
    "Domain",
    "ReplaceOne",
    "account",
    "attest",
    "calibrate",
    "certify",
    "channel",
    "choose",
    "compare",
    "components",
    "criteria",
    "disclosure",
    "domain",
    "merge",
    "release",
    "review",
    "sensitivity",
    "stability",
    "try_submission",
    "utility",
    "verify",
    "writeup",
]

_MODULES = {
    "AddRemove": "synthesizers.neighbours",
    "Domain": "synthesizers.domain",
    "ReplaceOne": "synthesizers.neighbours",
    "account": "dp_audit.accounts",
    "attest": "dp_audit.attestations",
    "calibrate": "dp_audit.accounts",
    "certify": "dp_audit.certification",
    "channel": "dp_audit.channels",
    "choose": "dp_audit.choices",
    "compare": "dp_audit.comparisons",
    "components": "dp_audit.component_mode",
    "criteria": "dp_audit.acceptance",
    "domain": "dp_audit.domains",
    "disclosure": "dp_audit.disclosures",
    "merge": "dp_audit.merges",
    "release": "dp_audit.releases",
    "review": "dp_audit.reviews",
    "sensitivity": "dp_audit.sensitivities",
    "stability": "dp_audit.stabilities",
    "try_submission": "dp_audit.trials",
    "utility": "dp_audit.usefulness",
    "verify": "dp_audit.verification",
    "writeup": "dp_audit.write_ups",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    complaint = shadowing()
    if complaint is not None:
        raise ImportError(complaint)
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
