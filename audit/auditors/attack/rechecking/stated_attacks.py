"""Stated attacks: how an attack was asked for, read off its certificate to be made again."""

from __future__ import annotations

import math

from audit.auditors.attack.finding.evidence import list_versions
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.rechecking.replaying import (
    GIVEN,
    MOST_RUNS,
    is_digest,
    read_ends,
    read_pair,
)
from audit.auditors.attack.veils.causes import parse_causes
from audit.auditors.effort import Attack
from audit.statements.certificate_json import Document
from audit.statements.evidence import AttackReplay, Evidence, SampledWitness
from audit.statements.reproduce import parse_command
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational

NAME = "evidence of the attack auditor"


def read_attack(evidence: Evidence, document: Document) -> Attack | None:
    """The attack of an entry of evidence; None where it would not find the same again.

    Nothing finds the same again without the same versions, where the subject has randomness of its
    own, where the audit was interrupted, where a pair is not carried, or where candidates came from
    a public table, which no certificate carries. Those of other auditors follow from what these
    find again.
    """
    replay, witness, outputs = require_replay(evidence), evidence.witness, document.subject["kind"]
    lasting = replay.repeatable or outputs == "outputs"
    # Without a witness there is no telling whether the pair was given.
    if not lasting or replay.partial or replay.versions != list_versions():
        return None
    if not isinstance(witness, SampledWitness):
        return None
    stated, pair = witness.pair, None
    searched = replay.search
    if searched is None and stated.pattern not in GIVEN and outputs != "outputs":
        # An older search tried other pairs.
        return None
    if searched is not None and searched.given and _reads_table(document):
        return None
    if stated.pattern in GIVEN and outputs != "outputs":
        if is_digest(stated.first) or is_digest(stated.second):
            return None
        pair = read_pair(stated, document.about)
    if replay.runs > MOST_RUNS:
        raise InputError("the runs of the certificate's attack are more than anybody waits for")
    return Attack(
        replay.runs,
        replay.seed,
        replay.error,
        replay.alarm,
        until_decided=replay.mode == "anytime",
        stop_early=replay.mode == "curtailed",
        pair=pair,
        detect=replay.detect,
        look=replay.look,
        beyond=_read_causes(document),
        min_records=0 if searched is None else searched.min_records,
    )


def _reads_table(document: Document) -> bool:
    """Whether the stated command names a table, or is no command."""
    try:
        return "data" in parse_command(document.reproduce).flags
    except InputError:
        return True


def _read_causes(document: Document) -> tuple[str, ...]:
    """The causes behind which the attacks of a certificate looked from the second one on.

    Those that the user named are among them, and the rest is found again.
    """
    if len(document.attacks) < 2:
        return ()
    return parse_causes(require_replay(document.attacks[1]).beyond or ())


def read_effort(document: Document) -> Attack | None:
    """How an attack was to be made beside which others looked at what can only be run.

    Its alarm is that of the whole audit. None where a pair was given that is not carried. Raises
    InputError where the stated command is none, or says of no runs.
    """
    command = parse_command(document.reproduce)
    pair = None
    if "pair" in command.flags:
        witness = document.attacks[0].witness if document.attacks else None
        if not isinstance(witness, SampledWitness):
            return None
        if is_digest(witness.pair.first) or is_digest(witness.pair.second):
            return None
        pair = read_pair(witness.pair, document.about)
    runs, seed = command.number("runs"), command.number("seed")
    if runs is None or seed is None or runs > MOST_RUNS:
        raise InputError("the certificate's command does not say how many runs were made")
    error, alarm = (parse_rational(command.value(name), name) for name in ("confidence", "alarm"))
    detect = command.value("detect")
    asked = Attack(
        runs,
        seed,
        1 - error,
        alarm,
        until_decided="until-decided" in command.flags,
        stop_early="stop-early" in command.flags,
        pair=pair,
        detect=None if detect is None else parse_rational(detect, "--detect"),
        beyond=parse_causes((command.value("beyond") or "").split(","))
        if "beyond" in command.flags
        else (),
        min_records=command.number("min-records") or 0,
        data_is_public="data-is-public" in command.flags,
    )
    return asked.at_look(require_replay(document.attacks[0]).look) if document.attacks else asked


def require_replay(stated: Evidence) -> AttackReplay:
    """How the attack of a piece of evidence was made; raises InputError for another auditor's."""
    if not isinstance(stated.replay, AttackReplay):
        raise InputError("the evidence is of no attack")
    return stated.replay


def read_guesses(witness: SampledWitness) -> Guesses:
    """The counts, as those of the rule that is stated; raises InputError."""
    if max(witness.runs, witness.pair.distance) > MOST_RUNS:
        raise InputError(f"counts of guesses are whole numbers up to {MOST_RUNS}")
    low, high = read_ends(witness.rule)
    one_sided = low == -math.inf or high == math.inf
    abstains = math.nextafter(low, math.inf) < high
    return Guesses(witness.runs, witness.correct, witness.wrong, one_sided, abstains)
