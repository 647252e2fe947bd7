"""Attacks whose runs are kept: what is asked again goes on, anything else is a further look."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from importlib.metadata import distributions
from typing import Any, Protocol, cast, runtime_checkable

from audit.auditors.attack.finding.evidence import list_versions
from audit.auditors.effort import Attack
from audit.statements.claim import Claim
from audit.subjects.black_box import BlackBox
from audit.subjects.kept_runs import RunFolder, keep_runs
from audit.subjects.looks import take_look
from audit.subjects.pair import database_sha256
from audit.subjects.subject import BlackBoxSubject
from synthesizers.errors import InputError

_APART = ("pair", "seed", "look")
"""What is no text in an attack, or follows from the look."""


@runtime_checkable
class Reads(Protocol):
    """A black box with processes of its own, and the ``paths`` that they may read."""

    @property
    def paths(self) -> Sequence[str]:
        """Files and folders."""
        ...


def keep_attack(
    subject: BlackBoxSubject, claim: Claim, attack: Attack, folder: RunFolder, seed: int | None
) -> tuple[BlackBoxSubject, Attack]:
    """The subject with its runs kept in a folder, and the attack as the look that it is.

    ``seed``: the one that the user stated. Raises InputError where the subject could read the
    folder.

    Guarantee
    ---------
    Over all requests of one code and one folder, whoever looks again for whatever reason: a subject
    that keeps its claims is refuted with probability at most the largest alarm that was asked for.
    Each request has a look of its own (`take_look`), runs that test it and nothing else
    (`audit.subjects.runs.Seeds`), and the share of its alarm that `look_share` gives to that look.
    Backed by ``tests/audit/auditors/attack/test_kept_attacks.py``.
    """
    box = cast(BlackBox, subject.box)
    _require_hidden(folder, box)
    about = repr((subject.to_json(), box, list_versions(), _list_installed()))
    asked = [getattr(attack, one.name) for one in fields(attack) if one.name not in _APART]
    pair = attack.pair
    databases = () if pair is None else tuple(map(database_sha256, (pair.first, pair.second)))
    request = repr((about, claim, asked, databases))
    look = take_look(folder, subject.to_json(), request, seed)
    kept = replace(subject, box=keep_runs(box, folder, about))
    return kept, replace(attack, seed=look.seed).at_look(look.number)


def _require_hidden(folder: RunFolder, box: Any) -> None:
    place = os.path.realpath(folder.path)
    for path in box.paths if isinstance(box, Reads) else ():
        if f"{place}/".startswith(f"{os.path.realpath(path)}/"):
            raise InputError(
                f"the subject may read {path}, and so what --cache keeps there of its runs; give a "
                "folder elsewhere, such as one beside that"
            )


def _list_installed() -> list[str]:
    """The packages that are installed here, with their versions: a subject may import any."""
    return sorted(f"{one.name} {one.version}" for one in distributions())
