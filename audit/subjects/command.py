"""Submissions: executable files that read a table and write one, by a written protocol.

docs/reference/submission-protocol.md is what submitters are given; this module keeps its other
side.
"""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import stat
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.statements.decimals import decimal_above, decimal_below
from audit.statements.isolation import Isolation
from audit.statements.limits import Limits
from audit.subjects.apart import (
    isolation_for,
    limits_of,
    probe_isolation,
    program_environment,
    program_paths,
)
from audit.subjects.confinement import Confinement, start_confined
from audit.subjects.explaining import Failure, LogEnd
from audit.subjects.outcomes import Ended, Outcomes
from audit.subjects.pair import Pair
from audit.subjects.removing import make_folder
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from synthesizers.domain import Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.neighbours import Neighbours

PROTOCOL = 1
"""The version of the protocol, handed to each run."""

RUNS_AT_ONCE = 20
"""Runs of one call (few enough to share out slow programs evenly)."""

TABLE_BYTES = 64 * 2**20
"""The largest output table that is read (a million rows or so)."""

_ABSENT = "no output table"
_UNREADABLE = "unreadable output table"
_TOO_LARGE = "output table too large"
_WITHOUT_TABLE = (_ABSENT, _UNREADABLE, _TOO_LARGE)
"""Why a run that ended with exit code 0 has no output."""

_PASSED = 0o711
"""The mode of a folder through which another user gets to a folder of his own."""

SEED_BITS = 31
"""Bits of a run's seed: what R's set.seed, the narrowest of the usual ones, takes."""

OUTSIDE = (
    "it sees its own folder, the interpreter of its first line, and the programs of the system and "
    "of /opt: put what else it needs into its folder"
)
"""What to do where a submission does not find what it needs."""

Make = Callable[[dict[str, str], str], Ended | None]
"""Makes a run of its options, in a folder that holds its files; the reason why there is no output
table, None where there may be one."""


@dataclass(frozen=True, eq=False)
class WatchedRun:
    """A run for whoever looks at it.

    ``output``: a data frame, or `Ended`. ``command``: as it was started; ``log``: the end of its
    standard error; both may quote the database. ``seconds``: on the clock, its box among them.
    """

    output: object
    command: str
    log: str
    seconds: float


@dataclass(frozen=True)
class CommandBox:
    """A submission as a black box: the program at ``path`` is started anew for each run.

    ``guarantee``, ``neighbours`` and ``domain`` are the claim's, and are handed to the program;
    so is ``rows``, the public number of rows of its output, where there is one. The outcome of a
    run is the table it wrote, or `Ended` with the reason why there is none.
    """

    path: str
    guarantee: Guarantee
    neighbours: Neighbours
    domain: Domain
    rows: int | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        # Runs begin in folders of their own, and perhaps on other machines.
        object.__setattr__(self, "path", os.path.abspath(self.path))

    @property
    def name(self) -> str:
        """What a report calls it."""
        return f"command:{Path(self.path).name}"

    @property
    def block(self) -> int:
        """The most runs of one call."""
        return RUNS_AT_ONCE

    def check(self) -> None:
        """Raise InputError unless there is an executable file at the path."""
        if os.name != "posix":
            raise InputError("a command: submission can be run on Linux and macOS only")
        if not os.path.isfile(self.path):
            raise InputError(f"{self.path} is not a file; give the path of an executable program")
        if not os.access(self.path, os.X_OK):
            raise InputError(
                f"{self.path} is not executable; allow it with chmod +x, and begin a script with a "
                "line such as #!/usr/bin/env python3"
            )

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, in order: on the second database where it is true.

        Each run is handed a seed of its own, a whole number of `SEED_BITS` bits that follows
        from ``seed``. Raises InputError for databases that are no tables of the domain, and
        ProtocolError where the program can't be started.
        """
        # Processes that were just killed may keep a run's folder from going; not this one.
        with make_folder() as place:
            os.chmod(place, _PASSED)
            return self.draw_by(self._start, lambda: place, pair, coins, seed, PROTOCOL)

    def explain(self, database: Any, seed: int) -> Failure | None:
        """A run as any other, whose standard error is kept; None where it gives an output."""
        run = self.watch(database, seed)
        if not isinstance(run.output, Ended):
            return None
        phase, reason = phase_of(run.output), run.output.reason
        return Failure(phase, reason, command=run.command, log=run.log)

    def watch(self, database: Any, seed: int) -> WatchedRun:
        """A run as any other, told with its command line, its log and its time.

        Raises InputError for a database that is no table of the domain, and OSError where the
        program can't be started.
        """
        words: list[str] = []
        seconds = 0.0

        def make(options: dict[str, str], folder: str) -> Ended | None:
            nonlocal seconds
            # The folder is gone when this is read.
            words.extend(word.removeprefix(f"{folder}/") for word in self._words(options))
            begun = time.monotonic()
            try:
                return self._start(options, folder, log.target)
            finally:
                seconds = time.monotonic() - begun

        with LogEnd() as log, make_folder() as place:
            os.chmod(place, _PASSED)
            output = self._run(make, place, self._table(database), seed, PROTOCOL)
        return WatchedRun(output, shlex.join(words), log.text, seconds)

    @property
    def isolation(self) -> Isolation:
        """What keeps its processes apart, as far as a program that tries to break it found."""
        return probe_isolation(self.paths)

    @property
    def paths(self) -> tuple[str, ...]:
        """What it may read beside the system."""
        return program_paths(self.path)

    def draw_by(
        self,
        make: Make,
        place: Callable[[], str],
        pair: Pair,
        coins: NDArray[np.bool_],
        seed: int,
        protocol: int,
    ) -> Outcomes:
        """The same by another way to make a run, which speaks that version of the protocol.

        ``place``: the folder in which the next run's folder is made.
        """
        tables = [self._table(database) for database in (pair.first, pair.second)]
        seeds = np.random.SeedSequence(seed).generate_state(len(coins)) >> (32 - SEED_BITS)
        try:
            outputs = [
                self._run(make, place(), tables[int(coin)], int(number), protocol)
                for coin, number in zip(coins, seeds, strict=True)
            ]
        except OSError as error:
            raise ProtocolError(
                f"{self.name} cannot be run: {error.strerror or 'an error'}; it must be a program, "
                "or a script that begins with a line such as #!/usr/bin/env python3. In its box "
                f"{OUTSIDE}"
            ) from None
        return Outcomes.of_outputs(outputs)

    def _run(self, make: Make, place: str, table: bytes, seed: int, protocol: int) -> object:
        with make_folder(place) as folder:
            _give(folder, place)
            parameters = self._parameters(folder, seed, protocol)
            Path(parameters["input"]).write_bytes(table)
            Path(parameters["domain"]).write_text(json.dumps(self.domain.to_json()), "utf-8")
            file = Path(folder, "parameters.json")
            file.write_text(json.dumps(as_json(parameters)), "utf-8")
            # The folder is held open: what it is called may change under a program's hands.
            held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                return make({**parameters, "parameters": str(file)}, folder) or self._output(held)
            finally:
                os.close(held)

    def _words(self, options: Mapping[str, str]) -> list[str]:
        named = ((f"--{name.replace('_', '-')}", value) for name, value in options.items())
        return [self.path, *(word for pair in named for word in pair)]

    def _start(
        self, options: dict[str, str], folder: str, log: int = subprocess.DEVNULL
    ) -> Ended | None:
        readable = self.paths
        limits = limits_of(self.limits.megabytes)
        run = start_confined(
            self._words(options),
            Confinement(readable, limits=limits, writable=(folder,), folder=folder),
            environment=program_environment(folder),
            stderr=log,
            isolation=isolation_for(readable),
        )
        try:
            return describe_ending(run.wait(self.limits.seconds))
        except TimeoutError:
            return Ended("time")
        finally:
            run.kill()

    def _parameters(self, folder: str, seed: int, protocol: int) -> dict[str, str]:
        """What a run is told, as text, in the order of its options."""
        files = {
            "input": os.path.join(folder, "input.csv"),
            "domain": os.path.join(folder, "domain.json"),
            "output": os.path.join(folder, "output.csv"),
        }
        unit = self.neighbours.unit
        public = {} if self.rows is None else {"rows": str(self.rows)}
        return {
            "protocol": str(protocol),
            **files,
            **_claim_parameters(self.guarantee),
            "neighbours": self.neighbours.name,
            "unit": unit.name,
            "max_records": str(unit.max_records),
            **public,
            "seed": str(seed),
        }

    def _table(self, database: Any) -> bytes:
        """A database as CSV: the records in their order, the columns in the domain's.

        Persons' ids come first where the unit is a person: whether there is such a column must
        not depend on the records.
        """
        if not isinstance(database, Sequence) or isinstance(database, str):
            raise InputError(
                "a command: submission reads tables; each database of its pair must be a list of "
                "records, objects of attribute and value"
            )
        columns = list(self.domain.names)
        if self.domain.individual is not None and not self.neighbours.unit.is_record:
            columns.insert(0, self.domain.individual)
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        known = {*columns, self.domain.individual}
        for record in database:
            if not isinstance(record, Mapping) or not set(columns) <= set(record) <= known:
                raise InputError(
                    "each record of a table must be an object that gives a value to each of "
                    f"{', '.join(columns)}, null where it is missing, and to nothing else"
                )
            writer.writerow([_field(name, record[name]) for name in columns])
        try:
            return text.getvalue().encode()
        except UnicodeEncodeError:
            raise InputError("a value of the table is not text that UTF-8 can hold") from None

    def _output(self, folder: int) -> object:
        """The table in a folder, which may hold anything under that name."""
        try:
            # A link is not followed, and a pipe not waited for.
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
            file = os.open("output.csv", flags, dir_fd=folder)
        except FileNotFoundError:
            return Ended(_ABSENT)
        except OSError:
            return Ended(_UNREADABLE)
        try:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                return Ended(_UNREADABLE)
            with open(file, "rb", closefd=False) as readable:
                data = readable.read(TABLE_BYTES + 1)
        finally:
            os.close(file)
        if len(data) > TABLE_BYTES:
            return Ended(_TOO_LARGE)
        # Here, not above: pandas comes with it.
        from audit.subjects.output_tables import output_table

        table = output_table(data, self.domain)
        return Ended(_UNREADABLE) if table is None else table


def _claim_parameters(guarantee: Guarantee) -> dict[str, str]:
    """The claim's parameters as decimals, towards more privacy where they don't terminate."""
    match guarantee:
        case ApproxDP(epsilon, delta):
            return {"epsilon": decimal_below(epsilon), "delta": decimal_below(delta)}
        case ZCDP(rho):
            return {"rho": decimal_below(rho)}
        case GaussianDP(mu):
            return {"mu": decimal_below(mu)}
        case RenyiDP(alpha, epsilon):
            return {"alpha": decimal_above(alpha), "rdp": decimal_below(epsilon)}


def as_json(parameters: Mapping[str, str]) -> dict[str, Any]:
    """Parameters as JSON has them: numbers where they are numbers."""
    return {name: _parse(value) for name, value in parameters.items()}


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _field(name: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise InputError(f"attribute {name!r}: a value is neither text, a number nor null")


def _give(folder: str, place: str) -> None:
    """Give a run's folder to whoever the folder around it was given to."""
    owner = os.stat(place)
    if owner.st_uid != os.geteuid():
        os.chown(folder, owner.st_uid, owner.st_gid)


def phase_of(ended: Ended) -> str:
    """Where a run without an output came to its end: in the run, or with what it wrote."""
    return "output" if ended.reason in _WITHOUT_TABLE else "run"


def describe_ending(code: int) -> Ended | None:
    """What an exit code says of a run; None where there may be an output table."""
    if code < 0:
        return Ended(f"died by signal {-code}")
    return Ended(f"exit code {code}") if code else None
