"""Canaries that are made up: different records of a domain."""

from __future__ import annotations

import numpy as np

from audit.auditors.attack.pairs.records import Record, Records
from audit.subjects.coins import derive_seed
from synthesizers.domain import Domain
from synthesizers.errors import InputError


def make_canaries(domain: Domain | None, number: int, seed: int) -> list[Record]:
    """So many different records of a domain, each as likely as all; raises InputError."""
    if domain is None:
        raise InputError(
            "canaries that are made up are records of a domain: give --domain or --cells, or "
            "--canaries module:function"
        )
    if domain.size < number:
        raise InputError(
            f"the domain has {domain.size} cells, and {number} canaries are to be different"
        )
    generator = np.random.default_rng(derive_seed(f"{seed:x}", "canaries", 0))
    known, found = Records(domain), dict[tuple[int, ...], None]()
    while len(found) < number:
        found[tuple(int(generator.integers(size)) for size in domain.shape)] = None
    return [
        {a.name: known.value(a, code) for a, code in zip(domain.attributes, codes, strict=True)}
        for codes in found
    ]
