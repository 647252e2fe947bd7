"""The commands that pieces are made of: for each kind of piece, the words of ``dp-audit``."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from audit.review.orders import Order
from audit.review.pieces.attacks import (
    ALARM,
    ERROR,
    OF_PRESCREEN,
    PRESCREEN_RUNS,
    Blocks,
    count_records,
)
from audit.review.pieces.piece import DATA, DOCUMENT, REFERENCE, TABLE, Piece
from audit.review.submissions.submission import Prepared

TRIAL_SECONDS, PRESCREEN_SECONDS, PROOF_SECONDS = 300, 300, 900
"""How long a trial, a prescreen's and a final proof may take, at most."""

ATTACK_SECONDS, MEASURE_SECONDS = 24 * 3600, 3 * 3600
"""The same of attacks, whose runs are counted and have limits of their own, and of utility."""

REFERENCES = ("mst", "geometric-sanitizer")
"""The reference synthesizers that stand beside submissions: the winner of 2018 in its present form,
and the simplest one."""

REFERENCE_DELTA = "1e-9"

LEAST_EXACT = 4
"""Records of the databases that a program's transcripts are listed for."""


@dataclass(frozen=True)
class Asking:
    """Whom the commands are about, at one ε: they run in the submission's folder."""

    order: Order
    prepared: Prepared
    epsilon: str

    @property
    def name(self) -> str:
        """The submission's name."""
        return self.prepared.submission.name

    @property
    def folder(self) -> str:
        """Where its commands run, below the folder of the review."""
        return str(Path("prepared", self.prepared.folder.name))

    @property
    def inputs(self) -> tuple[str, ...]:
        """The digest of its files."""
        return (self.order.digests[self.name],)

    @property
    def of_data(self) -> tuple[str, ...]:
        """The same, and that of the challenge's public data."""
        return (self.order.digests[DATA], *self.inputs)

    def seed(self, *words: str) -> str:
        """The random numbers of one piece: they follow from the order's seed and what it is for."""
        text = "\0".join((str(self.order.seed), self.name, self.epsilon, *words))
        return str(int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1)

    def trial(self, number: int) -> Piece:
        """One run on made-up data."""
        head = ("try", ".", "--epsilon", self.epsilon, "--seed", self.seed("trial", str(number)))
        return Piece(
            kind="trial",
            stage="prescreen",
            submission=self.name,
            epsilon=self.epsilon,
            words=(*head, "--json", DOCUMENT, "--quiet"),
            folder=self.folder,
            inputs=self.inputs,
            seconds=TRIAL_SECONDS + self.prepared.submission.launch.seconds,
            number=number,
            runs=1,
        )

    def proof(self, stage: str, level: str, after: tuple[Piece, ...]) -> Piece:
        """The certificate of a program that asks a curator: by proof and enumeration."""
        return Piece(
            kind="certify",
            stage=stage,
            submission=self.name,
            epsilon=self.epsilon,
            words=self._certify(level),
            folder=self.folder,
            inputs=self.inputs,
            seconds=PRESCREEN_SECONDS if stage == "prescreen" else PROOF_SECONDS,
            level=level,
            needs=after,
        )

    def short_attack(self, level: str, after: tuple[Piece, ...]) -> Piece:
        """The prescreen of what can only be run."""
        alarm = str(ALARM * OF_PRESCREEN)
        flags = (
            *("--runs", str(PRESCREEN_RUNS), "--seed", self.seed("prescreen", level)),
            *("--alarm", alarm, "--confidence", str(1 - ERROR * OF_PRESCREEN)),
            "--stop-early",
        )
        return self._attack("prescreen", level, flags, alarm, 2 * PRESCREEN_RUNS, 0, after)

    def block(self, level: str, blocks: Blocks, number: int, after: tuple[Piece, ...]) -> Piece:
        """One block of the final attack."""
        alarm = str(blocks.alarm)
        flags = (
            *("--runs", str(blocks.runs), "--seed", self.seed("attack", level, str(number))),
            *("--alarm", alarm, "--confidence", str(1 - blocks.error)),
            *("--detect", str(blocks.wanted)),
            "--stop-early",
        )
        return self._attack("final", level, flags, alarm, 2 * blocks.runs, number, after)

    def write_up(self, level: str, after: tuple[Piece, ...]) -> Piece:
        """The write-up beside what the program asks."""
        check = ("--check", "submission.toml", "--json", DOCUMENT, "--quiet")
        return Piece(
            kind="write-up",
            stage="prescreen",
            submission=self.name,
            epsilon=self.epsilon,
            words=("writeup", *self._subject(level), *check),
            folder=self.folder,
            inputs=self.inputs,
            seconds=PRESCREEN_SECONDS,
            level=level,
            needs=after,
        )

    def exactness(self, runs: int, after: tuple[Piece, ...]) -> Piece:
        """How exactly so many outputs tell small tables that coins made up."""
        head = ("try", ".", "--epsilon", self.epsilon, "--seed", self.seed("exactness"))
        return Piece(
            kind="exactness",
            stage="final",
            submission=self.name,
            epsilon=self.epsilon,
            words=(*head, "--exactness", str(runs), "--json", DOCUMENT, "--quiet"),
            folder=self.folder,
            inputs=self.inputs,
            seconds=MEASURE_SECONDS,
            needs=after,
        )

    def release(self, stage: str, number: int, after: tuple[Piece, ...]) -> Piece:
        """A table that the submission makes of the public data."""
        head = ("try", ".", "--epsilon", self.epsilon, "--seed", self.seed("release", str(number)))
        return Piece(
            kind="release",
            stage=stage,
            submission=self.name,
            epsilon=self.epsilon,
            words=(*head, "--data", DATA, "--out", TABLE, "--json", DOCUMENT, "--quiet"),
            folder=self.folder,
            inputs=self.of_data,
            seconds=MEASURE_SECONDS,
            number=number,
            runs=1,
            needs=after,
        )

    def reference(self, program: str, number: int) -> Piece:
        """A table that a reference synthesizer makes of the same data, at the same claim."""
        claim = self.prepared.submission.claim
        delta = ("--set", f"delta={REFERENCE_DELTA}") if program == "mst" else ()
        person = ("--unit", "person", "--max-records", str(claim.max_records))
        rows = self.prepared.submission.launch.rows
        words = (
            *("release", program, "--set", f"epsilon={self.epsilon}", *delta, "--data", DATA),
            *("--domain", "domain.toml", "--neighbours", claim.neighbours),
            *(person if claim.unit == "person" else ()),
            # Where persons are added and removed, the size is no public number by itself.
            *(() if rows is None else ("--rows", str(rows))),
            *("--out", TABLE, "--json", DOCUMENT, "--quiet"),
        )
        return Piece(
            kind="release",
            stage="final",
            submission=REFERENCE,
            epsilon=self.epsilon,
            words=words,
            folder=self.folder,
            inputs=self.of_data,
            seconds=MEASURE_SECONDS,
            level=program,
            number=number,
        )

    def utility(self, stage: str, releases: tuple[Piece, ...]) -> Piece:
        """How useful some releases of one program are."""
        tables = [f"{{release {number}}}" for number in range(len(releases))]
        metrics = [word for one in self.order.challenge.metrics for word in ("--metric", one)]
        words = (
            *("utility", DATA, *tables, "--domain", "domain.toml", *metrics, "--jobs", "1"),
            *("--json", DOCUMENT, "--quiet"),
        )
        return Piece(
            kind="utility",
            stage=stage,
            submission=releases[0].submission,
            epsilon=self.epsilon,
            words=words,
            folder=self.folder,
            inputs=self.of_data,
            seconds=MEASURE_SECONDS,
            level=releases[0].level,
            needs=releases,
        )

    def _attack(
        self,
        stage: str,
        level: str,
        flags: tuple[str, ...],
        alarm: str,
        runs: int,
        number: int,
        after: tuple[Piece, ...],
    ) -> Piece:
        return Piece(
            kind="certify",
            stage=stage,
            submission=self.name,
            epsilon=self.epsilon,
            words=(*self._certify(level), *flags),
            folder=self.folder,
            inputs=self.inputs,
            seconds=ATTACK_SECONDS,
            level=level,
            number=number,
            alarm=alarm,
            runs=runs,
            needs=after,
        )

    def _certify(self, level: str) -> tuple[str, ...]:
        return ("certify", *self._subject(level), "--jobs", "1", "--out", DOCUMENT, "--quiet")

    def _subject(self, level: str) -> tuple[str, ...]:
        """The subject with its claim, as several commands take them."""
        prepared, claim = self.prepared, self.prepared.submission.claim
        most: tuple[str, ...] = ()
        if claim.unit == "person":
            # A person of one record, in place of a record: the table keeps its column of ids.
            number = claim.max_records if level == "person" else 1
            most = ("--max-records", str(number))
        records = count_records(self.order, prepared, level)
        if prepared.asks:
            # Its transcripts are listed, for every database of so many records.
            records = max(LEAST_EXACT, claim.max_records)
        return (
            *(prepared.subject, "--claim", claim.at(self.epsilon)),
            *("--neighbours", claim.neighbours, "--unit", claim.unit, *most),
            *("--domain", "domain.toml", "--records", str(records)),
            *(word.replace("{epsilon}", self.epsilon) for word in prepared.flags),
        )
