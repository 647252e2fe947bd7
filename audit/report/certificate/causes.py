"""What kind of leak a violation is, and what mends it, in sentences."""

from __future__ import annotations

from audit.auditors.attack.veils.causes import CAUSES, describe_leaks
from audit.statements.certificate import Certificate
from audit.statements.evidence import Decision, Evidence
from audit.statements.finding import Finding

OF_FACETS = {
    "kind of outcome": "exceptions",
    "exceptions": "exceptions",
    "schema": "schema",
    "number of rows": "exact-size",
    "values of the output": "exact-extremes",
}
"""The cause whose mend helps where a facet of the output tells databases apart."""


def tell_cause(evidence: Evidence) -> str:
    """What kind of leak a finding shows, by what it was recognised, and what mends it; or empty."""
    cause = evidence.cause
    if cause is None:
        return ""
    known = CAUSES.get(cause.name)
    if known is None:
        return f"Cause {cause.name}: {cause.seen}."
    return f"Cause: {known.words} ({cause.name}): {cause.seen}. {known.mend}"


def tell_causes(certificate: Certificate) -> tuple[str, ...]:
    """What a refutation is due to, with the mend, as far as it was recognised.

    The causes that attacks named, each once, the first found first. Without any: what the first
    other auditor found that speaks against the claim.
    """
    against = [one for one in certificate.evidence if one.decision is Decision.VIOLATED]
    causes = [one.cause for one in against if one.cause is not None and one.cause.name in CAUSES]
    if causes:
        seen = {cause.name: cause.seen for cause in reversed(causes)}
        return tuple(
            f"{'Behind that,' if place else 'It shows'} {describe_leaks([name])}: {seen[name]}. "
            f"{CAUSES[name].mend}"
            for place, name in enumerate(dict.fromkeys(cause.name for cause in causes))
        )
    found = next((one for one in against if isinstance(one, Finding)), None)
    if found is None:
        return ()
    mend = CAUSES[OF_FACETS[found.about]].mend if found.about in OF_FACETS else ""
    return (f"By {found.auditor}, {found.about}: {found.found}. {mend}".rstrip(),)
