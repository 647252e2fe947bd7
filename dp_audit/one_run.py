"""`certify` of one run: a training among canaries, or a release whose training half coins chose."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from audit.auditors.effort import Attack, Effort
from audit.auditors.one_run.made_up import make_canaries
from audit.certify import Audit
from audit.certify import certify as audited
from audit.statements.claim import Claim
from audit.statements.limits import Limits
from audit.statements.reproduce import Command
from audit.subjects.live import name_of
from audit.subjects.named_trainings import NamedTraining, named_training
from audit.subjects.split_release import ReleaseSubject, split_release
from audit.subjects.synthesizer import COMMAND, OUTPUTS
from audit.subjects.training import TrainingSubject, live_training
from dp_audit.arguments import optional_number, text, texts
from dp_audit.progress import Progress
from dp_audit.request import Request
from synthesizers.domain import Domain
from synthesizers.errors import InputError

Canaries = int | str | Sequence[Any] | Callable[[], Any]
"""How many are made up; the function that gives their records, or its name; or the records."""


@dataclass(frozen=True)
class OneRun:
    """What is asked of one run.

    ``subject``: a training train(records, rng), or its name; or ``outputs:FILE.csv``, with
    ``split``, the path of the split's record. ``canaries``, ``score``: of a training, see
    `certify`.
    ``guesses``: how many coins are guessed in each run; None for as many as see most.
    """

    subject: Any
    canaries: Canaries | None
    score: str | Callable[[Any, Any], Any] | None
    guesses: int | None
    split: str | Path | None
    parameters: Mapping[str, Any]
    python: str | None = None

    @property
    def live(self) -> bool:
        """Whether it is an object of the caller's, and no name."""
        return not isinstance(self.subject, str)


def certify_one_run(
    wanted: OneRun, request: Request, limits: Limits, progress: Progress, ignored: Sequence[str]
) -> Audit:
    """The audit of one run; ``ignored``: flags that it does not read, and that were given.

    Raises InputError.
    """
    if ignored:
        raise InputError(f"one run does not read {', '.join(ignored)}: leave it out")
    claim = request.claim_of(request.records)
    attack = replace(
        request.attack("training", secrets.randbits(64), None),
        guesses=optional_number(wanted.guesses, "--guesses", 1),
    )
    subject: TrainingSubject | ReleaseSubject
    if wanted.split is None:
        subject = _find_training(wanted, claim, limits, attack.seed)
    else:
        if wanted.canaries is not None or wanted.score is not None or request.seed is not None:
            raise InputError(
                "of a split release every record is a canary, and the split has the seed: leave "
                "out --canaries, --score and --seed"
            )
        if wanted.parameters or wanted.python is not None:
            raise InputError("a release is not run: leave out --set and --python")
        if request.runs not in (None, 1):
            raise InputError("a release was made once: leave out --runs")
        if wanted.live:
            raise InputError("--split goes with one released table, outputs:FILE.csv")
        subject = split_release(wanted.subject, str(wanted.split))
    effort = Effort(
        attack=attack, watch=lambda done, total, _: progress("training", done, total, "")
    )
    command = None if wanted.live else _spell(wanted, request, attack, limits)
    return audited(subject, claim, effort, "" if command is None else str(command))


def _find_training(wanted: OneRun, claim: Claim, limits: Limits, seed: int) -> TrainingSubject:
    given, score = wanted.canaries, wanted.score
    if not wanted.live and wanted.subject.startswith((COMMAND, OUTPUTS)):
        raise InputError(
            f"one run trains module:function, train(records, rng); found {wanted.subject!r}: a "
            "release alone, outputs:FILE.csv, is audited by --split"
        )
    if given is None:
        raise InputError(
            "one run needs canaries: --canaries module:function, which gives their records, or "
            "--canaries N, so many that are made up"
        )
    number = isinstance(given, int) or (isinstance(given, str) and given.isdigit())
    if wanted.live:
        if wanted.parameters or wanted.python is not None:
            raise InputError("an object takes neither parameters nor python: bind them yourself")
        if isinstance(given, str) or isinstance(score, str):
            raise InputError("canaries and score of an object are objects, too: no names")
        made = make_canaries(claim.domain, given, seed) if isinstance(given, int) else given
        return live_training(wanted.subject, name_of(wanted.subject), made, score)
    if not number and not isinstance(given, str):
        raise InputError("canaries of a named training are named, module:function, or a number")
    if score is not None and not isinstance(score, str):
        raise InputError("the score of a named training is named, module:function")
    named = NamedTraining(
        wanted.subject,
        str(given),
        score,
        texts(wanted.parameters),
        limits,
        wanted.python,
    )
    made_up = named.made_up
    records = None if made_up is None else make_canaries(claim.domain, made_up, seed)
    return named_training(named, records)


def _spell(wanted: OneRun, request: Request, attack: Attack, limits: Limits) -> Command:
    """The command that makes the certificate again."""
    domain = request.domain
    stated: dict[str, Any] = {
        "claim": request.claim,
        "neighbours": request.relation.name,
        # Of a domain that was handed over, the file that the reader writes it to.
        "domain": f"{domain.name}.toml" if isinstance(domain, Domain) else domain,
        "cells": request.cells,
        "python": wanted.python,
        "confidence": text(request.confidence, "--confidence"),
        "alarm": text(request.alarm, "--alarm"),
        "detect": None if request.detect is None else text(request.detect, "--detect"),
        "guesses": attack.guesses,
        "split": wanted.split,
    }
    if wanted.split is None:
        stated |= {
            "canaries": wanted.canaries,
            "score": wanted.score,
            "runs": attack.runs,
            "seed": attack.seed,
            "seconds": limits.seconds,
            "megabytes": limits.megabytes,
        }
    words = {name: [str(value)] for name, value in stated.items() if value is not None}
    if wanted.split is None:
        words["one-run"] = []
    sets = tuple(f"{name}={value}" for name, value in texts(wanted.parameters).items())
    return Command(wanted.subject, words, sets)
