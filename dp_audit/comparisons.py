"""`compare`: certificates side by side, each read again before it is compared."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.review.comparison.comparing import compare_certificates
from audit.review.rereading import Reread, reread, reread_file
from dp_audit.arguments import short_names
from dp_audit.results import CertificateResult, ComparisonResult


def compare(*certificates: str | Path | Mapping[str, Any] | CertificateResult) -> ComparisonResult:
    """Lay certificates side by side: on one ruler those that answer one question, and no others.

    >>> import dp_audit as dpa
    >>> claimed = [
    ...     dpa.certify(
    ...         "subsample",
    ...         "epsilon=1, delta=1/2",
    ...         neighbours=relation,
    ...         cells=2,
    ...         records=2,
    ...         rows=1,
    ...         parameters={"fraction": 0.5},
    ...     )
    ...     for relation in ("replace-one", "add-remove")
    ... ]
    >>> dpa.compare(*claimed)
    <ComparisonResult: 2 certificates that answer 2 different questions>

    certificates
        Two or more: the paths of their files, their JSON, or what `certify` returned. What is no
        file is called by its place, ``1``, ``2`` and so on.

    Raises ``ValueError`` for what is no certificate, or is about an object of the caller's, which
    nobody can read again. One that contradicts itself, whose text was changed or whose proof the
    independent checker rejects is shown as not believed.
    """
    names = short_names([str(one) for one in certificates if isinstance(one, str | Path)])
    return ComparisonResult(
        compare_certificates(
            [_read(one, place, names) for place, one in enumerate(certificates, start=1)]
        )
    )


def _read(
    one: str | Path | Mapping[str, Any] | CertificateResult, place: int, names: Mapping[str, str]
) -> Reread:
    if isinstance(one, str | Path):
        return reread_file(one, names[str(one)])
    return reread(str(place), one.to_json() if isinstance(one, CertificateResult) else one)
