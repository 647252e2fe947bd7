"""`certify`: a claim about a subject makes a certificate."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from audit.auditors.effort import Attack
from audit.auditors.registry import AUDITORS, parse_names
from audit.auditors.stability.claims import WORDS, claim_of_map
from audit.auditors.stability.outputs import Asked
from audit.certify import Effort
from audit.certify import certify as audited
from audit.parallel import Map, here, local
from audit.parallel import cluster as of_cluster
from audit.statements.claim import Claim
from audit.statements.limits import Limits
from audit.statements.reproduce import Command
from audit.subjects.black_boxes import Wanted, black_box, is_command_or_outputs
from audit.subjects.forms import Form, form_of
from audit.subjects.interpreters import find_interpreter
from audit.subjects.isolated import describe
from audit.subjects.kept_runs import RunFolder
from audit.subjects.live import live_box, live_program, name_of
from audit.subjects.mapped import as_run
from audit.subjects.matrix import is_channel_file, read_channel
from audit.subjects.subject import BlackBoxSubject, ProgramSubject, Subject
from audit.subjects.synthesizer import COMMAND, live_subject, program_subject
from dp_audit.arguments import (
    DomainLike,
    Number,
    optional_number,
    process_count,
    relation,
    required_domain,
    text,
    texts,
)
from dp_audit.one_run import Canaries, OneRun, certify_one_run
from dp_audit.progress import Progress, nobody
from dp_audit.request import ALARM, CONFIDENCE, Request
from dp_audit.results import CertificateResult
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours
from synthesizers.programs import PROGRAMS


def certify(
    subject: Any,
    claim: str,
    *,
    neighbours: str | Neighbours,
    unit: str = "record",
    max_records: int | None = None,
    cells: int | str | None = None,
    domain: DomainLike | None = None,
    records: int | None = None,
    rows: int | None = None,
    data: str | Path | None = None,
    released: str = "output",
    auditors: str | Sequence[str] | None = None,
    parameters: Mapping[str, Any] | None = None,
    form: Form | None = None,
    python: str | Path | None = None,
    warm: bool = False,
    rounded: bool = False,
    trust_subject: bool | None = None,
    pair: tuple[Any, Any] | None = None,
    runs: int | None = None,
    seed: int | None = None,
    confidence: Number = CONFIDENCE,
    alarm: Number = ALARM,
    until_decided: bool = False,
    stop_early: bool = False,
    detect: Number | None = None,
    beyond: str | Sequence[str] = (),
    min_records: int | None = None,
    data_is_public: bool = False,
    look: int | None = None,
    cache: str | Path | None = None,
    seconds: int | None = None,
    megabytes: int | None = None,
    one_run: bool = False,
    canaries: Canaries | None = None,
    score: str | Callable[[Any, Any], Any] | None = None,
    guesses: int | None = None,
    split: str | Path | None = None,
    self_test: str | Path | None = None,
    jobs: int | None = None,
    cluster: str | None = None,
    progress: Progress = nobody,
) -> CertificateResult:
    """Decide a privacy claim about a subject.

    >>> import dp_audit as dpa
    >>> result = dpa.certify(
    ...     "geometric-sanitizer",
    ...     "epsilon=1",
    ...     neighbours="replace-one",
    ...     cells=2,
    ...     records=3,
    ...     parameters={"epsilon": 1},
    ... )
    >>> result.verdict
    'PROVED'
    >>> result
    <CertificateResult: PROVED: geometric-sanitizer, epsilon=1 (replace-one)>

    subject
        A built-in name, ``module:attribute``, ``command:PATH``, ``outputs:A,B``, a channel file, or
        an object: a program (a function of a curator), a function ``f(database, rng)`` or ``f(
        database, rng, runs)``, an estimator with ``fit`` and ``sample``.
    claim
        ``"epsilon=1"``, ``"epsilon=1, delta=1e-6"``, ``"rho=0.5"``, ``"mu=1"``, ``"alpha=8,
        rdp=2"``; or ``"map(1)"``, what a measurement of OpenDP says of inputs 1 apart.
    neighbours, unit, max_records
        ``"add-remove"`` or ``"replace-one"``, of a ``"record"`` or of a ``"person"`` with at most
        ``max_records`` records; or `AddRemove`, `ReplaceOne`.
    cells, domain
        A small domain, ``2`` or ``"2x3"``; or a `Domain`, or the path of a domain file.
    records, rows
        Records of a database, 0 to so many where n is private; the public number of rows.
    data
        The table of a planned release: under replace-one it states the number of records.
    released
        ``"output"`` or ``"transcript"``, all noisy answers.

    auditors
        The auditors to run and no others, by their names (see ``dp-audit list auditors``); each
        that fits and is quick where it is left out.
    parameters, form
        Of a program or an estimator; what ``module:attribute`` is, where its type does not say it.
    python
        The Python of another environment, which runs a function or an estimator that is named;
        dp-audit need not be installed there.
    warm
        A command that is a Python script: import what it imports once, and run it in copies.
    rounded
        A channel file's decimals are rounded.
    trust_subject
        Take a program's word where nothing here can keep it apart. An object is the caller's own
        and trusted unless this is False; the certificate says so.
    pair, runs, seed, confidence, alarm, until_decided, stop_early
        Of an attack: two neighbouring databases, or the ``Path`` of each; runs a database; its
        random numbers (fresh ones); confidence of the floor; the error that REFUTED may have; stop
        as soon as the claim is refuted; or stop the runs that test the learned rule once it is, or
        those left are not expected to refute it.
    detect, beyond, min_records, data_is_public
        Of an attack, too: the leak that the runs must be able to see; causes of leaks that are
        known and left out of sight; the fewest records of a searched database; whether what runs
        say of their databases may be shown.
    cache, look
        A folder in which the runs of an attack are kept, so that the same request goes on where it
        was interrupted, or is answered from there. It counts the looks at each code: every other
        request is one more, has test runs of its own, and may accuse with less of the error.
        Without it, the number of the look, where you count looks yourself.
    seconds, megabytes
        What one run of an attack may take.
    one_run, canaries, score, guesses
        A training ``train(records, rng)`` is run once, or ``runs`` times, among canaries, each of
        which a coin puts in or leaves out: a number of them that are made up over the domain,
        their records, or a function that gives these, or its name. ``score(output, canary)``, or
        its name, says how much an output speaks for a canary; without it, how near a row of it is.
        ``guesses``: how many coins are guessed, settled beforehand (as many as see most).
    split
        Of a release, ``outputs:FILE.csv``: the record of the split that its training half is from.
    self_test
        A file of ``dp-audit self-test --json``, whose sum the certificate carries.
    jobs, cluster
        Processes (all cores), or the address of a Dask cluster that makes the runs.
    progress
        Told of the work as it goes on.

    Raises ``ValueError`` for what makes no sense, ``RuntimeError`` for a subject that breaks its
    protocol. The certificate of an object can be read and not re-checked by others: name a subject
    for one that `verify` can run again.

    """
    if isinstance(claim, str) and WORDS.fullmatch(claim):
        if not isinstance(subject, str) or ":" not in subject:
            raise InputError(
                "the claim map(D) is asked of a measurement that is named, module:attribute; "
                "otherwise state what its map gives"
            )
        elsewhere = None if python is None else find_interpreter(str(python))
        asked = Asked(subject, Limits.seconds, Limits.megabytes, elsewhere)
        claim = claim_of_map(asked, claim, relation(neighbours, unit, max_records))
    request = Request(
        claim=claim,
        neighbours=neighbours,
        unit=unit,
        max_records=max_records,
        cells=cells,
        domain=domain,
        records=records,
        rows=rows,
        released=released,
        pair=pair,
        runs=runs,
        seed=seed,
        confidence=confidence,
        alarm=alarm,
        until_decided=until_decided,
        stop_early=stop_early,
        detect=detect,
        beyond=beyond,
        min_records=min_records,
        data_is_public=data_is_public,
        look=look,
    )
    subject = str(subject) if isinstance(subject, Path) else subject
    about = Assignment(
        request,
        subject,
        dict(parameters or {}),
        form,
        data,
        rounded,
        trust_subject,
        None if python is None else str(python),
        warm,
    )
    seconds = optional_number(seconds, "--seconds", 1)
    megabytes = optional_number(megabytes, "--megabytes", 1)
    limits = Limits(seconds or Limits.seconds, megabytes or Limits.megabytes)
    if one_run or split is not None:
        unread: dict[str, object] = {
            "--as": form,
            "--rows": rows,
            "--data": data,
            "--released transcript": None if released == "output" else released,
            "--auditors": auditors,
            "--warm": warm or None,
            "--rounded": rounded or None,
            "--trust-subject": trust_subject or None,
            "--pair": pair,
            "--until-decided": until_decided or None,
            "--stop-early": stop_early or None,
            "--beyond": request.causes or None,
            "--min-records": request.min_records,
            "--look": look,
            "--cache": cache,
            "--cluster": cluster,
            "--records": records,
            "--jobs": jobs,
            "--data-is-public": data_is_public or None,
        }
        if split is not None:
            unread |= {"--cells": cells, "--domain": domain}
            unread |= {"--seconds": seconds, "--megabytes": megabytes}
        ignored = [flag for flag, value in unread.items() if value is not None]
        wanted = OneRun(
            subject, canaries, score, guesses, split, dict(parameters or {}), about.python
        )
        audit = certify_one_run(wanted, request, limits, progress, ignored)
        tested = None if self_test is None else _self_test(self_test)
        return CertificateResult(replace(audit.certificate, self_test=tested), {})
    if not (canaries is None and score is None and guesses is None):
        raise InputError("--canaries, --score and --guesses go with --one-run")
    chosen = None if auditors is None else _auditors(auditors)
    command = about.command(chosen)
    if cache is not None:
        _require_countable(about, request, cluster)
        folder = RunFolder(Path(cache))
    tested = None if self_test is None else _self_test(self_test)
    audit_of, stated = about.subject_and_claim(limits)
    try:
        trusted = about.live if trust_subject is None else trust_subject
        effort = Effort(request.rows, process_count(jobs), trusted=trusted, auditors=chosen)
        attack = _attack(request, audit_of, stated, seconds, megabytes, cluster, cache, data)
        if attack is None:
            # Named auditors may listen to the streams that a bar writes to.
            if chosen is None:
                effort = replace(
                    effort, progress=lambda done, total: progress("enumerating", done, total, "")
                )
        else:
            # Here, not above: exact answers and proofs do without what attacks need.
            from audit.auditors.attack.guessing.floors import claimed_name

            name = claimed_name(stated.guarantee)

            if cache is not None:
                from audit.auditors.attack.kept_attacks import keep_attack

                if not isinstance(audit_of, BlackBoxSubject) or audit_of.kind == "outputs":
                    raise InputError(_KEPT)
                audit_of, attack = keep_attack(audit_of, stated, attack, folder, request.seed)

            def watch(done: int, total: int, floor: float) -> None:
                progress(
                    "attacking", done, total, f"{name} >= {floor:.4g} so far" if floor > 0 else ""
                )

            if command is not None:
                command = _spell_attack(command, request, attack, form, seconds, megabytes)
            share = here if about.live else _shared(jobs, cluster)
            effort = replace(effort, attack=attack, share=share)
            # An attack alone listens to no streams.
            if chosen in (None, ("attack",)):
                tell = functools.partial(progress, "planning", 0, 0)
                effort = replace(effort, watch=watch, tell=tell)
        audit = audited(audit_of, stated, effort, "" if command is None else str(command))
    finally:
        if isinstance(audit_of, ProgramSubject) and about.live:
            audit_of.end()
    certificate = replace(audit.certificate, self_test=tested)
    return CertificateResult(certificate, audit.left_out or {})


def _auditors(names: str | Sequence[str]) -> tuple[str, ...]:
    """The auditors of a text such as ``"proof,noise-law"``, or of a list of names."""
    return parse_names(names if isinstance(names, str) else ",".join(names))


@dataclass(frozen=True)
class Assignment:
    """A request, and its subject as it was given, with what is said of that alone."""

    request: Request
    given: Any
    parameters: Mapping[str, Any]
    form: Form | None
    data: str | Path | None
    rounded: bool
    trust_subject: bool | None
    python: str | None = None
    warm: bool = False

    @property
    def live(self) -> bool:
        """Whether it is an object of the caller's, and no name."""
        return not isinstance(self.given, str)

    def subject_and_claim(self, limits: Limits) -> tuple[Subject, Claim]:
        """The subject, and the claim with its domain and number of records."""
        if self.live:
            if self.python is not None or self.warm:
                raise InputError("an object runs in this interpreter: leave out python and warm")
            return self._object()
        values = texts(self.parameters)
        wanted = self._black_box(values, limits)
        if wanted is not None:
            if self.rounded:
                raise InputError("an attack does not read --rounded; it goes with a channel file")
            if self.data and not self.request.data_is_public:
                raise InputError(
                    "an attack runs the subject on what it reads: --data needs --data-is-public, "
                    "of a table that everybody may see; for two databases, give --pair"
                )
            claim = self.request.claim_of(self.request.records)
            return black_box(replace(wanted, rows=self.request.rows), claim), claim
        if self.python is not None:
            raise InputError(
                "--python runs a function or an estimator, module:attribute; a program of another "
                "environment is a command: that speaks the curator protocol, with --as program"
            )
        if self.warm:
            raise InputError("--warm goes with a command that is attacked")
        if is_channel_file(self.given):
            return self._channel()
        if self.rounded:
            raise InputError("--rounded goes with a channel file")
        domain = self._domain()
        # The program's process starts before the table is opened, and may not open it.
        hidden = [] if self.data is None else [str(self.data)]
        program = program_subject(self.given, values, hidden)
        return program, self.request.claim_of(self._records(domain))

    def _object(self) -> tuple[Subject, Claim]:
        if self.data or self.rounded:
            raise InputError("an object takes neither data nor rounded")
        given = as_run(self.given)
        form = form_of(given) if self.form is None else self.form
        name, request = name_of(self.given), self.request
        claim = request.claim_of(request.records)
        if form != "program":
            domain, rows = request.stated_domain, request.rows
            return live_box(given, form, name, self.parameters, rows, domain), claim
        if self.parameters:
            raise InputError("an object has its parameters inside: leave them out")
        self._domain()
        return live_subject(name, live_program(self.given)), claim

    def _channel(self) -> tuple[Subject, Claim]:
        request = self.request
        if self.parameters or self.data or request.domain is not None or request.rows is not None:
            raise InputError("a channel file takes no --set, --data, --domain or --rows")
        subject = read_channel(self.given, request.relation, request.released, self.rounded)
        channel = subject.channel
        stated = request.stated_domain
        if stated is not None and stated.size != channel.domain.size:
            raise InputError(f"the channel has {channel.domain.size} cells, --cells says otherwise")
        largest = int(channel.databases.sum(axis=1).max())
        if request.records not in (None, largest):
            raise InputError(f"the channel has databases of {largest} records, --records differs")
        return subject, request.claim_of(largest, channel.domain)

    def _domain(self) -> Domain:
        request = self.request
        return required_domain(request.domain, request.cells, request.unit)

    def _black_box(self, values: Mapping[str, str], limits: Limits) -> Wanted | None:
        """The black box that the subject is; None for a program or a channel."""
        wanted = Wanted(self.given, self.form, values, limits, python=self.python, warm=self.warm)
        if is_command_or_outputs(self.given):
            if self.form == "program" and self.given.startswith(COMMAND):
                return None
            if self.form is not None:
                raise InputError(f"--as {self.form} goes with module:attribute")
            return wanted
        named = ":" in self.given and self.given not in PROGRAMS
        if not named or is_channel_file(self.given):
            if self.form not in (None, "program"):
                raise InputError(f"--as {self.form} goes with module:attribute")
            return None
        if self.form is not None:
            return None if self.form == "program" else wanted
        parameters = {key.replace("-", "_"): value for key, value in values.items()}
        python = None if self.python is None else find_interpreter(self.python)
        found = describe(self.given, parameters, python=python)
        return None if found.form == "program" else replace(wanted, found=found)

    def _records(self, domain: Domain) -> int | None:
        """The claim's number of records: as stated, or that of the table where n is public."""
        stated = self.request.records
        if self.data is None:
            return stated
        # Here, not above: pandas comes with it.
        from synthesizers.tables import read_table

        dataset = read_table(self.data, domain)
        if not self.request.relation.records_public:
            return stated
        if stated not in (None, dataset.records):
            raise InputError("the table has another number of records than --records")
        return dataset.records

    def command(self, auditors: Sequence[str] | None = None) -> Command | None:
        """The command that makes the certificate again; None for an object. Raises InputError."""
        if self.live:
            return None
        request, unit = self.request, self.request.relation.unit
        domain = request.domain
        given: dict[str, Any] = {
            "claim": request.claim,
            "neighbours": request.relation.name,
            "unit": unit.name,
            "max-records": None if unit.is_record else unit.max_records,
            # Of a domain that was handed over, the file that the reader writes it to.
            "domain": f"{domain.name}.toml" if isinstance(domain, Domain) else domain,
            "cells": request.cells,
            "records": request.records,
            "rows": request.rows,
            "data": self.data,
            "released": request.released,
        }
        if self.form == "program" and self.given.startswith(COMMAND):
            given["as"] = self.form
        if auditors is not None:
            given["auditors"] = ",".join(AUDITORS[name].flag for name in auditors)
        words = {name: [str(value)] for name, value in given.items() if value is not None}
        if self.python is not None:
            words["python"] = [self.python]
        if self.warm:
            words["warm"] = []
        if self.rounded:
            words["rounded"] = []
        if self.trust_subject:
            words["trust-subject"] = []
        sets = tuple(f"{name}={value}" for name, value in texts(self.parameters).items())
        return Command(self.given, words, sets)


def _attack(
    request: Request,
    subject: Subject,
    claim: Claim,
    seconds: int | None,
    megabytes: int | None,
    cluster: str | None,
    cache: str | Path | None,
    data: str | Path | None,
) -> Attack | None:
    """How the subject is attacked; None where it is not. Raises InputError."""
    category = subject.category
    if category == "channel" or (category == "program" and request.runs is None):
        alone = {
            "pair": request.pair,
            "runs": request.runs,
            "seed": request.seed,
            "cluster": cluster,
            "seconds": seconds,
            "megabytes": megabytes,
            "until-decided": request.until_decided or None,
            "stop-early": request.stop_early or None,
            "detect": request.detect,
            "beyond": request.causes or None,
            "min-records": request.min_records,
            "data-is-public": request.data_is_public or None,
            "look": request.look,
            "cache": cache,
        }
        given = [f"--{name}" for name, value in alone.items() if value is not None]
        if given:
            raise InputError(
                f"{', '.join(given)} goes with an attack: on a function, an estimator or a "
                "command, or on a program with --runs N"
            )
        return None
    kind = subject.kind if isinstance(subject, BlackBoxSubject) else "program"
    attack = request.attack(kind, secrets.randbits(48), request.given_pair(claim))
    if data is None or category == "program" or claim.domain is None:
        return attack
    # Here, not above: only an attack on a public table needs it.
    from audit.auditors.attack.pairs.outliers import list_outlier_pairs
    from synthesizers.tables import read_table

    found = list_outlier_pairs(read_table(data, claim.domain), claim.neighbours, claim.records)
    return replace(attack, candidates=found)


_KEPT = "--cache keeps runs of a function, an estimator or a command, given by its name"


def _require_countable(about: Assignment, request: Request, cluster: str | None) -> None:
    """Raise InputError where looks can't be counted, or are counted twice."""
    if about.live:
        raise InputError(_KEPT)
    if request.look is not None:
        raise InputError("--cache counts the looks: leave out --look")
    if cluster is not None:
        raise InputError("--cache is a folder of this machine: leave out --cluster")


def _spell_attack(
    command: Command,
    request: Request,
    attack: Attack,
    form: str | None,
    seconds: int | None,
    megabytes: int | None,
) -> Command:
    """The command with the flags that make the same attack again; raises InputError."""
    limits = {"seconds": seconds, "megabytes": megabytes, "as": form}
    words = {
        "runs": [str(attack.runs)],
        "seed": [str(attack.seed)],
        "confidence": [text(request.confidence, "--confidence")],
        "alarm": [text(request.alarm, "--alarm")],
        **{name: [str(value)] for name, value in limits.items() if value is not None},
    }
    if request.until_decided:
        words["until-decided"] = []
    if request.stop_early:
        words["stop-early"] = []
    if request.detect is not None:
        words["detect"] = [text(request.detect, "--detect")]
    if request.causes:
        words["beyond"] = [",".join(request.causes)]
    if request.min_records:
        words["min-records"] = [str(request.min_records)]
    if request.data_is_public:
        words["data-is-public"] = []
    if attack.look is not None:
        words["look"] = [str(attack.look)]
    if request.pair is not None and all(isinstance(one, Path) for one in request.pair):
        words["pair"] = [str(one) for one in request.pair]
    return replace(command, flags={**command.flags, **words})


def _self_test(path: str | Path) -> dict[str, Any]:
    # Here, not above: all liars and what they need come with it.
    from audit.self_test.loading import load_self_test

    return load_self_test(str(path))


def _shared(jobs: int | None, address: str | None) -> Map:
    """Where runs are made: on a cluster, or in processes of this machine."""
    return local(process_count(jobs)) if address is None else of_cluster(address)
