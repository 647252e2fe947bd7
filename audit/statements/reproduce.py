"""The command that makes a certificate again: how it is spelled, and whether a stated one is that.

A certificate of a stranger states a command that its reader may paste into a shell. It is taken for
nothing: each of its words follows from what the certificate says, or is the plain path of a file.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import PurePath
from typing import Any

from audit.statements.certificate_json import Document
from audit.statements.evidence import CONTRADICTING, AttackReplay, OneRunReplay
from audit.statements.limits import Limits
from audit.statements.looks import look_share
from audit.statements.shares import attack_alarm
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational

PROGRAM = ("dp-audit", "certify")

FLAGS = {
    "claim": 1,
    "neighbours": 1,
    "unit": 1,
    "max-records": 1,
    "domain": 1,
    "cells": 1,
    "records": 1,
    "rows": 1,
    "data": 1,
    "released": 1,
    "set": 1,
    "as": 1,
    "python": 1,
    "warm": 0,
    "rounded": 0,
    "trust-subject": 0,
    "auditors": 1,
    "runs": 1,
    "seed": 1,
    "confidence": 1,
    "alarm": 1,
    "seconds": 1,
    "megabytes": 1,
    "until-decided": 0,
    "stop-early": 0,
    "detect": 1,
    "beyond": 1,
    "min-records": 1,
    "data-is-public": 0,
    "look": 1,
    "pair": 2,
    "one-run": 0,
    "canaries": 1,
    "score": 1,
    "guesses": 1,
    "split": 1,
}
"""The flags of ``certify`` that a certificate depends on, and how many words follow each."""

ATTACK_FLAGS = (
    "runs",
    "seed",
    "confidence",
    "alarm",
    "until-decided",
    "stop-early",
    "detect",
    "beyond",
    "min-records",
    "data-is-public",
    "look",
    "pair",
)
"""Those of attacks alone."""

DEFAULTS = {"unit": "record", "released": "output", "confidence": "0.95", "alarm": "1e-6"}
"""What a flag that is not given says."""

DEFAULT_AUDITORS = {"exhaustive", "factorised", "proof", "attack"}
AUDITORS_OF_BOXES = {"data-independence", "noise-law", "sensitivity", "attack"}
AUDITORS_OF_COINS = {"one-run"}
"""Those whose evidence a certificate can have where its command names no auditors: of programs and
channels, of what can only be run, and of what coins were guessed of."""

COIN_FLAGS = ("one-run", "canaries", "score", "guesses", "split")
"""Those of one run alone."""

OF_COINS = ("training", "release")
"""The kinds of subject of one run."""

PATHS = ("domain", "data", "python", "pair", "split")
"""Flags whose words are paths of files, which no certificate says otherwise."""

_PLAIN = re.compile(r"(?!-)[^\x00-\x1f\x7f'\"`$|<>;&!*?\n]{1,4096}")
"""A path without characters by which a shell would do anything else than open a file."""

Values = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Command:
    """A ``certify`` command: its subject, and the words of its flags.

    ``sets``: each ``--set``. Raises InputError for a path with characters that a shell reads.
    """

    subject: str
    flags: Values
    sets: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in PATHS:
            for path in self.flags.get(name, ()):
                if _PLAIN.fullmatch(path) is None:
                    raise InputError(
                        f"the path after --{name} has characters that a shell reads; rename the "
                        "file, so that the certificate can state the command that made it"
                    )

    def __str__(self) -> str:
        words = [*PROGRAM, self.subject]
        for name in FLAGS:
            if name == "set":
                words += [word for pair in self.sets for word in ("--set", pair)]
            elif name in self.flags and list(self.flags[name]) != [DEFAULTS.get(name)]:
                words += [f"--{name}", *self.flags[name]]
        return shlex.join(words)

    def value(self, name: str) -> str | None:
        """The word after a flag, or what it says by default."""
        return self.flags[name][0] if name in self.flags else DEFAULTS.get(name)

    def number(self, name: str) -> int | None:
        """The whole number after a flag; raises InputError for another."""
        text = self.value(name)
        if text is None:
            return None
        number = parse_rational(text, f"--{name}")
        if number.denominator != 1 or number < 0:
            raise InputError(f"--{name} must be a whole number")
        return int(number)


def parse_command(text: str) -> Command:
    """The command of its text; raises InputError unless it is spelled as `Command` spells it.

    Every word with a character that a shell reads stands in quotes.
    """
    try:
        words = shlex.split(text)
    except ValueError:
        words = []
    if shlex.join(words) != text or tuple(words[:2]) != PROGRAM or len(words) < 3:
        raise InputError("it is not one dp-audit certify command, in quotes where it needs them")
    flags: dict[str, list[str]] = {}
    sets: list[str] = []
    rest = words[3:]
    while rest:
        name = rest.pop(0).removeprefix("--")
        own = rest[: FLAGS.get(name, 0)]
        if name not in FLAGS or name in flags or len(own) < FLAGS[name]:
            raise InputError("it has a flag that certificates do not depend on, or one twice")
        del rest[: FLAGS[name]]
        if name == "set":
            sets += own
        else:
            flags[name] = own
    return Command(words[2], flags, tuple(sets))


def contradiction(document: Document) -> str:
    """What a certificate's command says otherwise than the certificate; empty where nothing.

    Guarantee
    ---------
    Where it is empty, the command is one ``dp-audit certify``, each word of which follows from the
    subject, the claim and the effort that are stated, or is the path of a file without characters
    that a shell reads. Backed by ``tests/audit/statements/test_reproduce.py``.
    """
    try:
        command = parse_command(document.reproduce)
        checks = {
            "the subject": _subject_fits(command, document.subject),
            "the claim": _claim_fits(command, document),
            "the domain": _domain_fits(command, document),
            "records or rows": _records_fit(command, document),
            "the attack": _attack_fits(command, document),
            "one run": _coins_fit(command, document),
            "the auditors": _auditors_fit(command, document),
        }
    except InputError as error:
        return str(error)
    wrong = [part for part, fits in checks.items() if not fits]
    return f"it says otherwise of {', '.join(wrong)}" if wrong else ""


def _subject_fits(command: Command, subject: Mapping[str, Any]) -> bool:
    kind, name, form = subject["kind"], subject["name"], command.value("as")
    if kind == "channel":
        named = PurePath(command.subject).name == name and _PLAIN.fullmatch(command.subject)
    else:
        named = command.subject == name
    values: dict[str, str] = {}
    for pair in command.sets:
        key, _, value = pair.partition("=")
        values[key.strip().replace("_", "-")] = value.strip()
    stated = {key.replace("_", "-"): value for key, value in subject.get("parameters", {}).items()}
    forms = {"function": "function", "estimator": "estimator", "program": "program"}
    own = forms.get(kind, "program" if kind == "module" else subject.get("form"))
    fits = form in (None, own) and (form is not None or kind != "command" or own is None)
    fits = fits and all((how in command.flags) == (how in subject) for how in ("python", "warm"))
    return bool(named) and values == stated and len(values) == len(command.sets) and fits


def _claim_fits(command: Command, document: Document) -> bool:
    claim, apart = command.value("claim"), document.isolation
    return (
        claim is not None
        and parse_guarantee(claim) == document.claim
        and command.value("neighbours") == document.neighbours
        and command.value("unit") == document.unit.name
        and (command.number("max-records") or 1) == document.unit.max_records
        and command.value("released") == document.released
        and ("rounded" in command.flags) == (document.subject.get("rounded") is True)
        # What is only run has no isolation that a verdict rests on.
        and (apart is None or ("trust-subject" in command.flags) == apart.trusted)
    )


def _domain_fits(command: Command, document: Document) -> bool:
    cells, file = command.value("cells"), command.value("domain")
    if document.domain is None:
        return cells is None and file is None
    domain, _ = document.domain
    if document.subject["kind"] == "channel":
        # A file of a channel names no attributes: its cells are those of one.
        listed = str(len(domain.attributes[0].values))
        fits = cells is None or Domain.from_cells(cells).size == domain.size
        return fits and file is None and Domain.from_cells(listed) == domain
    if cells is None:
        return file is not None
    own = Domain.from_cells(cells)
    if document.unit.name == "person":
        own = replace(own, individual="person")
    return file is None and own == domain


def _records_fit(command: Command, document: Document) -> bool:
    subject, records, rows = document.subject, command.number("records"), command.number("rows")
    kind, data = subject["kind"], command.value("data")
    if document.domain is None:
        return data is None and rows == subject.get("rows")
    stated = document.domain[1]
    fits = records == stated
    if kind == "channel":
        return rows is None and data is None and (records is None or fits)
    if kind in ("program", "module") or subject.get("form") == "program":
        of_table = data is not None and document.neighbours == "replace-one" and records is None
        given = stated if rows is None else rows
        return (fits or of_table) and given == subject["rows"]
    return fits and data is None and (kind in ("outputs", *OF_COINS) or rows == subject["rows"])


def _auditors_fit(command: Command, document: Document) -> bool:
    """Whether the evidence is that of the named auditors; without names, of those by default."""
    words = command.value("auditors")
    heard = {one.auditor.replace(" ", "-") for one in document.evidence}
    unasked = AUDITORS_OF_BOXES if _is_box(document.subject) else DEFAULT_AUDITORS
    if document.subject["kind"] in OF_COINS:
        unasked = AUDITORS_OF_COINS
    return heard <= (unasked if words is None else set(words.split(",")))


def _is_box(subject: Mapping[str, Any]) -> bool:
    """Whether the subject can only be run."""
    return subject["kind"] in _LIMITED and subject.get("form") != "program"


_LIMITED = ("function", "estimator", "command")


def _attack_fits(command: Command, document: Document) -> bool:
    subject, own = document.subject, Limits()
    if subject["kind"] in OF_COINS:
        # That of its runs is compared with them.
        return not any(name in command.flags for name in ATTACK_FLAGS if name not in _SHARED)
    if not document.attacks:
        # Others that look at what can only be run make as many runs as an attack would allow.
        return _is_box(subject) or not any(name in command.flags for name in ATTACK_FLAGS)
    replay = document.attacks[0].replay
    assert isinstance(replay, AttackReplay)
    runs, share = command.number("runs"), look_share(replay.look)
    alarm = _fraction(command, "alarm") * share
    outputs, program = subject["kind"] == "outputs", subject["kind"] == "program"
    alarms = (alarm, min(alarm, CONTRADICTING)) if program else (alarm, attack_alarm(alarm))
    limits = [
        (command.number(name) or getattr(own, name)) == subject[name]
        for name in ("seconds", "megabytes")
        if subject["kind"] in _LIMITED and name in subject
    ]
    return (
        runs is not None
        and (runs >= replay.runs if outputs else runs == replay.runs)
        and command.number("seed") == replay.seed
        and (1 - _fraction(command, "confidence")) * share == replay.error
        and command.number("look") == replay.look
        and replay.alarm in alarms
        and _optional_fraction(command, "detect") == replay.detect
        and replay.mode == _mode(command)
        and all(limits)
    )


def _mode(command: Command) -> str:
    """How the attack of a command ends."""
    if "until-decided" in command.flags:
        return "anytime"
    return "curtailed" if "stop-early" in command.flags else "batch"


_SHARED = ("runs", "seed", "confidence", "alarm", "detect")
"""Flags of attacks that one run reads, too."""


def _coins_fit(command: Command, document: Document) -> bool:
    """Whether the command makes the coins and the guesses that are stated."""
    subject, kind, own = document.subject, document.subject["kind"], Limits()
    if kind not in OF_COINS:
        return not any(name in command.flags for name in COIN_FLAGS)
    replay = document.evidence[0].replay if document.evidence else None
    if not isinstance(replay, OneRunReplay):
        return False
    detect = _optional_fraction(command, "detect")
    fits = (
        command.number("guesses") in (None, replay.guesses)
        and 1 - _fraction(command, "confidence") == replay.error
        and _fraction(command, "alarm") == replay.alarm
        and (detect is None or float(detect) == replay.detect)
    )
    named = [command.value(name) for name in ("canaries", "score", "runs", "seed")]
    if kind == "release":
        return fits and "split" in command.flags and named == [None] * 4
    limits = [
        (command.number(name) or getattr(own, name)) == subject.get(name, getattr(own, name))
        for name in ("seconds", "megabytes")
    ]
    return (
        fits
        and "one-run" in command.flags
        and "split" not in command.flags
        and named[:2] == [subject.get("canaries"), subject.get("score")]
        and (command.number("runs") or 1) == len(replay.runs)
        and f"{command.number('seed') or 0:x}" == replay.seed
        and all(limits)
    )


def _optional_fraction(command: Command, name: str) -> Fraction | None:
    text = command.value(name)
    return None if text is None else parse_rational(text, f"--{name}")


def _fraction(command: Command, name: str) -> Fraction:
    return parse_rational(command.value(name), f"--{name}")
