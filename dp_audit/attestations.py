"""`attest`: what is said of a release to others."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from audit.review.attestations.about import parse_about
from audit.review.attestations.attestation import Attestation, NamedFile, parse_time
from audit.review.attestations.stated_ledgers import require_ledger
from audit.review.rereading import reread_text
from audit.statements import strict_json
from dp_audit.results import AttestationResult, CertificateResult
from synthesizers.errors import InputError


def attest(
    certificate: str | Path | CertificateResult,
    *,
    about: str | Path | None = None,
    ledger: str | Path | None = None,
    of: str | Path | None = None,
    time: str | datetime | None = None,
) -> AttestationResult:
    """Say to others what a certificate shows: a label, a registry entry, statements to be signed.

    >>> import dp_audit as dpa
    >>> certificate = dpa.certify(
    ...     "geometric-sanitizer",
    ...     "epsilon=1",
    ...     neighbours="replace-one",
    ...     cells=2,
    ...     records=3,
    ...     parameters={"epsilon": 1},
    ... )
    >>> result = dpa.attest(certificate, time="2026-01-31T12:00:00Z")
    >>> result
    <AttestationResult: PROVED: geometric-sanitizer, epsilon=1 (replace-one)>
    >>> result.test_result["predicate"]["result"]
    'PASSED'
    >>> result.to_json()["right_guesses"]["at_most"][:6]
    '0.7310'

    certificate
        The path of its file, or what `certify` returned.
    about
        The path of a TOML file of what no certificate knows, which a registry entry needs;
        ``dp-audit attest --draft-about`` drafts one.
    ledger
        The path of the release's ledger.
    of
        The path of the released table: statements are about it, too, by your word that the
        certificate's subject made it.
    time
        When this is attested, as ``2026-01-31T12:00:00Z`` or a time with its zone; now.

    Raises ``ValueError`` for a certificate that was altered, whose verdict its evidence does not
    entail or whose proof the independent checker rejects, and for what makes no sense.
    """
    if isinstance(certificate, CertificateResult):
        text, name = certificate.json_text(), "certificate.json"
    else:
        name = Path(certificate).name
        text = strict_json.read_text(str(certificate))
    read = reread_text(name, text)
    read.require_believed("is not attested")
    file = NamedFile(name, hashlib.sha256(text.encode()).hexdigest())
    stated = None
    if about is not None:
        stated = parse_about(strict_json.read_text(str(about)), str(about))
    document = None
    if ledger is not None:
        words = strict_json.read_text(str(ledger))
        document = strict_json.parse(words, str(ledger), "a ledger of dp-audit release")
        require_ledger(document, str(ledger), read.certificate)
    table = None if of is None else _name_file(Path(of))
    moment = datetime.now(UTC) if time is None else time
    spelled = moment.isoformat() if isinstance(moment, datetime) else moment
    return AttestationResult(
        Attestation(read, file, table, stated, document, parse_time(spelled), version("dp-audit"))
    )


def _name_file(path: Path) -> NamedFile:
    try:
        with path.open("rb") as file:
            return NamedFile(path.name, hashlib.file_digest(file, "sha256").hexdigest())
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or 'an error'}") from None
