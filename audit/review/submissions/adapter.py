"""Runs a command line, or a submission to DeID2, as docs/reference/submission-protocol.md asks.

`audit.review.submissions.preparing` copies this file beside a submission's own, where it is started
by itself: it imports the standard library alone, and runs on Python 3.9 or later. It offers to
serve, so that its box is built once; the submission is a new process in every run, and all that a
run leaves behind, processes and files, is gone before the next.
"""

from __future__ import annotations

import csv
import ctypes
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import Any, TextIO

COPIED_BYTES = 2**20
"""Larger files of a submission are links in the folder of a run: to copy them takes time."""

ADOPT = 36
"""The option of Linux by which what a run left behind becomes a child of this process."""

SHARED_MEMORY = "/dev/shm"
"""Where memory that processes share has names, as files."""

SYSTEM_V = {"shm": (14, 15), "sem": (19, 20), "msg": (12, 13)}
"""Of each kind, Linux's commands for the highest index that is used, and for the number there."""

Launch = Mapping[str, Any]
"""What `preparing` wrote in the last line: how the submission is started, and of DeID2 the schema,
the rest of a run, the columns of the output, and the ε that there are."""

Told = Mapping[str, str]
"""What a run is told, numbers as they are written."""

HERE = os.path.dirname(os.path.abspath(__file__))


def main() -> None:
    """Answer requests, or make the run of the options."""
    with open(os.path.abspath(__file__), encoding="utf-8") as file:
        launch = json.loads(file.readlines()[-1].lstrip("# "))
    if "--serve" in sys.argv:
        serve(launch)
        return
    with open(sys.argv[sys.argv.index("--parameters") + 1], encoding="utf-8") as file:
        code = run(launch, _read(file.read()))
    if code < 0:
        os.kill(os.getpid(), -code)
    sys.exit(code)


def serve(launch: Launch) -> None:
    """One run a line, until there are no more; version 2 of the protocol."""
    hello = {"protocol": "dp-audit/submission", "version": 2, "serve": True}
    own = list_own()
    # Where nothing can be adopted, a process that a run leaves may be there in the next.
    alone = adopt() and bool(own)
    print(json.dumps({**hello, "new_process": alone}), flush=True)
    for line in sys.stdin:
        request = _read(line)
        kept = {folder: set(os.listdir(folder)) for folder in own}
        kept_memory = list_memory() if SHARED_MEMORY in own else set()
        code = run(launch, request)
        end_rest()
        for folder, names in kept.items():
            clear(folder, names)
        if SHARED_MEMORY in own:
            clear_memory(kept_memory)
        print(json.dumps({"run": int(request["run"]), "exit": code}), flush=True)


def list_own() -> list[str]:
    """The folders that are empty and ours alone, so that what is in them later, runs have left.

    These are HOME, if it is a box's: where this process was started, and where temporary files go;
    and the memory for files of a box that has its own. Nobody's own HOME is like that.
    """
    home, here = os.environ.get("HOME", ""), os.getcwd()
    if home != here or os.environ.get("TMPDIR") != here or not _is_own(home):
        return []
    return [place for place in (home, SHARED_MEMORY) if _is_own(place)]


def _is_own(place: str) -> bool:
    if not os.path.isdir(place):
        return False
    status = os.stat(place)
    private = status.st_uid == os.geteuid() and status.st_mode & 0o077 == 0
    return private and not os.listdir(place)


def clear(folder: str, kept: Iterable[str] = ()) -> None:
    """Remove all that a folder holds, but for what was there before."""
    for entry in list(os.scandir(folder)):
        if entry.name not in kept:
            remove(entry.path)


def remove(path: str) -> None:
    """Remove a file or a folder, which no process changes any more, and follow no link."""
    if os.path.islink(path) or not os.path.isdir(path):
        with suppress(OSError):
            os.remove(path)
        return
    with suppress(RecursionError):
        shutil.rmtree(path, ignore_errors=True)
    # Left are folders that are closed or read only, and those deeper than Python calls itself.
    for words in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        if os.path.lexists(path):
            with suppress(OSError):
                subprocess.run([*words, path], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def clear_memory(kept: Iterable[tuple[str, int]]) -> None:
    """Remove the memory, semaphores and queues of System V that were not there before.

    A box with a /dev/shm of its own has its own of these, too.
    """
    for kind, number in list_memory() - set(kept):
        _control(kind, number, 0, None)


def list_memory() -> set[tuple[str, int]]:
    """The kind and the number of each."""
    there = set()
    buffer = ctypes.create_string_buffer(512)
    for kind, (highest, number_of) in SYSTEM_V.items():
        # As ipcs finds them without /proc, which a box does not have whole.
        for index in range(_control(kind, 0, highest, buffer) + 1):
            number = _control(kind, index, number_of, buffer)
            if number >= 0:
                there.add((kind, number))
    return there


def _control(kind: str, number: int, command: int, buffer: Any) -> int:
    """shmctl, semctl or msgctl; -1 for an error."""
    place = (number, 0) if kind == "sem" else (number,)
    return int(getattr(ctypes.CDLL(None), f"{kind}ctl")(*place, command, buffer))


def adopt() -> bool:
    """Become the parent of all that runs leave behind; whether this system lets us."""
    try:
        return os.path.exists(_children()) and ctypes.CDLL(None).prctl(ADOPT, 1, 0, 0, 0) == 0
    except (OSError, AttributeError):
        return False


def end_rest() -> None:
    """End the processes that a run left, with those that they start meanwhile."""
    while os.path.exists(_children()):
        with open(_children(), encoding="ascii") as file:
            left = [int(word) for word in file.read().split()]
        spared = 0
        for child in left:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
            except PermissionError:
                spared += 1
        if left and spared == len(left):
            # They became another user, as no process in a box can, and may never end.
            return
        try:
            # What an ended one leaves is ours before it is waited for.
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def run(launch: Launch, request: Told) -> int:
    """The exit code of one run, minus the signal that ended it.

    ``request``: what a run is told, numbers as their text.
    """
    folder = os.path.dirname(request["output"])
    work = os.path.join(folder, "work")
    lay_out(HERE, work, launch["own"])
    told = {**request, "parameters": os.path.join(folder, "parameters.json")}
    if launch["way"] == "template":
        words = [_fill(word, told) for word in launch["words"]]
    else:
        write_data(launch, told, os.path.join(work, "data"))
        words = launch["words"]
    code = start(words, work)
    if launch["way"] == "deid2" and code == 0:
        read_output(launch, told, os.path.join(work, "submission.csv"))
    remove(work)
    return code


def start(words: list[str], work: str) -> int:
    """The exit code of a command in a folder, whose end is the end of all that it started."""
    if words[0] in ("python", "python3"):
        words = [sys.executable, *words[1:]]
    environment = {**os.environ, "HOME": work, "TMPDIR": work}
    try:
        process = subprocess.Popen(
            words,
            cwd=work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            start_new_session=True,
        )
    except OSError as error:
        print(f"{words[0]} cannot be started: {error.strerror}", file=sys.stderr)
        return 127
    code = process.wait()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    return code


def lay_out(source: str, target: str, own: Iterable[str]) -> None:
    """A run's copy of a submission's files, but for ``own``, those of ours: it may write there."""
    os.makedirs(target)
    for entry in os.scandir(source):
        if entry.name in own:
            continue
        place = os.path.join(target, entry.name)
        if entry.is_dir():
            lay_out(entry.path, place, ())
        elif entry.stat().st_size <= COPIED_BYTES:
            shutil.copy2(entry.path, place)
        else:
            os.symlink(entry.path, place)


def write_data(launch: Launch, told: Told, data: str) -> None:
    """The files that a submission to DeID2 reads."""
    with open(told["domain"], encoding="utf-8") as file:
        domain = json.load(file)
    with open(told["input"], encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    os.makedirs(data, exist_ok=True)
    schema = launch["schema"]
    columns = {name: _column(name, entry, domain, records) for name, entry in schema.items()}
    with _new(data, "ground_truth.csv") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))
    numbers = {"epsilon": float(told["epsilon"]), "delta": float(told["delta"])}
    own = {**numbers, "max_records_per_individual": int(told["max_records"])}
    runs = [{**launch["run"], **own}]
    with _new(data, "parameters.json") as file:
        json.dump({"runs": runs, "schema": schema}, file)
    with _new(data, "submission_format.csv") as file:
        csv.writer(file, lineterminator="\n").writerow(launch["columns"])


def read_output(launch: Launch, told: Told, path: str) -> None:
    """Put out the rows of the ε that was asked for, without the column that says so.

    Rows of another ε of the challenge are left out. Where the column holds anything else, it and
    all of these rows are put out: nothing of the output is hidden. What is no table is put out as
    it is.
    """
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file, strict=True))
        place = rows[0].index("epsilon")
        if any(len(row) != len(rows[0]) for row in rows):
            raise ValueError
    except FileNotFoundError:
        return
    except (ValueError, IndexError, csv.Error):
        shutil.copyfile(path, told["output"])
        return
    asked = Decimal(told["epsilon"])
    others = {Decimal(epsilon) for epsilon in launch["epsilons"]} - {asked}
    kept = [row for row in rows[1:] if _number(row[place]) not in others]
    if all(_number(row[place]) == asked for row in kept):
        rows = [row[:place] + row[place + 1 :] for row in [rows[0], *kept]]
    else:
        rows = [rows[0], *kept]
    with open(told["output"], "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _column(
    name: str, entry: Mapping[str, Any], domain: Mapping[str, Any], records: list[dict[str, str]]
) -> list[str]:
    """A column as a submission to DeID2 is used to it: numbers in place of bins, ids as numbers."""
    attributes = {attribute["name"]: attribute for attribute in domain["attributes"]}
    if name in attributes and attributes[name]["edges"] is not None:
        lowest = dict(zip(attributes[name]["values"], attributes[name]["edges"]))
        return [lowest.get(record[name], record[name]) for record in records]
    if name in attributes:
        return [record[name] for record in records]
    if entry.get("kind") == "id" and name == domain["individual"]:
        return [_id(record.get(name, str(n)), entry) for n, record in enumerate(records)]
    return ["" for _ in records]


def _id(text: str, entry: Mapping[str, Any]) -> str:
    """A person's number within the limits of the schema, which depends on that person alone."""
    low, high = int(entry.get("min", 0)), int(entry.get("max", 2**31 - 1))
    if text.isascii() and text.isdigit() and len(text) < 19:
        number = int(text)
    else:
        number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    return str(number if low <= number <= high else low + number % (high - low + 1))


def _children() -> str:
    """The file that names this process's children; Linux alone has it."""
    return f"/proc/self/task/{os.getpid()}/children"


def _new(folder: str, name: str) -> TextIO:
    """A new file for writing; one of that name that the submission holds is left alone."""
    path = os.path.join(folder, name)
    if os.path.lexists(path):
        os.remove(path)
    return open(path, "w", encoding="utf-8", newline="")


def _fill(word: str, told: Told) -> str:
    return re.sub(r"\{(\w+)\}", lambda place: told.get(place[1], place[0]), word)


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


def _read(text: str) -> dict[str, str]:
    """A request, each value as its text."""
    read = json.loads(text, parse_float=str, parse_int=str)
    return {name: value for name, value in read.items() if isinstance(value, str)}


if __name__ == "__main__":
    main()
