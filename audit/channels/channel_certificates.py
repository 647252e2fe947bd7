"""The channel behind a verdict as a certificate that the independent checker evaluates."""

from __future__ import annotations

from typing import Any

from audit.channels.channel import Channel
from audit.statements.claim import Claim
from proofs.channels import channel_certificate
from proofs.errors import ProofError
from proofs.guarantees import ApproxDP
from synthesizers.errors import TooLargeError

MAX_ENTRIES = 2_500
"""The most chances that a certificate of an audit carries: some hundred characters each."""


def certify_channel(channel: Channel, claim: Claim) -> dict[str, Any] | None:
    """The certificate for or against a claim of ε and δ on a small channel of known chances.

    None for other claims, larger channels, chances known only as doubles, and where enclosures of
    irrational chances leave the claim open, as at equality.
    """
    databases, outputs = channel.databases.tolist(), len(channel.outputs)
    if not isinstance(claim.guarantee, ApproxDP) or len(databases) * outputs > MAX_ENTRIES:
        return None
    rows = [
        [channel.chance(row, column) for column in range(outputs)] for row in range(len(databases))
    ]
    known = [[chance for chance in row if chance is not None] for row in rows]
    if known != rows:
        return None
    try:
        return channel_certificate(claim.neighbours, databases, known, claim.guarantee)
    except (ProofError, TooLargeError):
        return None
