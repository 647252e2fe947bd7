"""Copies of the caller's process: tests that need a caller without other threads.

A worker of pytest-xdist has one, so that `test_forked.py` runs this file in a process of its own.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from audit.certify import Effort
from audit.certify import certify as audit_of
from audit.report.certificate.view import certificate_view
from audit.statements.evidence import Verdict
from audit.subjects import forked
from audit.subjects.forked import ForkedStart, call_forked, fork
from audit.subjects.program_process import ProgramProcess
from audit.subjects.synthesizer import live_subject
from audit.testing.claims import Checked, ClaimRefuted, certify
from synthesizers.curator import Curator
from synthesizers.errors import CannotFork, ProtocolError
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import whole_table
from tests.audit.testing.claims import mechanisms
from tests.audit.testing.claims.mechanisms import NoisyHistogram

F = Fraction
SMALL: dict[str, Any] = {"neighbours": "add-remove", "cells": 2, "records": 1}
LIMIT = 60.0


def given(work: Any) -> Any:
    return call_forked(work, LIMIT)


def test_the_work_is_done_elsewhere_with_what_the_caller_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mechanisms, "ONE", "patched")
    process, patched = given(lambda: [os.getpid(), mechanisms.ONE])
    assert process != os.getpid() and patched == "patched"


def test_no_descriptor_of_the_callers_is_left_but_the_standard_ones(tmp_path: Path) -> None:
    with open(tmp_path / "private", "w") as file:
        others = given(lambda: [fd for fd in os.listdir("/proc/self/fd") if int(fd) > 2])
        # Two pipes, and the folder that is listed.
        assert len(others) == 3 and str(file.fileno()) not in others


@pytest.mark.parametrize("how", ["raises", "exits", "interrupts", "kills"])
def test_a_copy_never_comes_back(tmp_path: Path, how: str) -> None:
    caller, trace = os.getpid(), tmp_path / "trace"

    def work() -> None:
        if how == "raises":
            raise ZeroDivisionError
        if how == "exits":
            sys.exit(0)
        if how == "interrupts":
            raise KeyboardInterrupt
        os.kill(os.getpid(), signal.SIGTERM)

    atexit.register(trace.touch)
    try:
        with pytest.raises(ProtocolError, match="ended without"):
            given(work)
    finally:
        atexit.unregister(trace.touch)
    assert os.getpid() == caller and not trace.exists()


def test_handlers_of_the_caller_stay_with_it() -> None:
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        assert given(lambda: signal.getsignal(signal.SIGUSR1) is signal.SIG_DFL)
        assert callable(signal.getsignal(signal.SIGUSR1))
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert given(lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set())
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == set()


def require_end(process: int) -> None:
    """Wait for the end of a process that is no child of ours."""
    for _ in range(1000):
        # Of a process that is gone, or waits to be forgotten, there is no command.
        with contextlib.suppress(FileNotFoundError):
            if Path(f"/proc/{process}/cmdline").read_bytes():
                time.sleep(0.01)
                continue
        return
    pytest.fail("it goes on")


def test_what_a_copy_left_behind_ends_with_it() -> None:
    require_end(given(lambda: subprocess.Popen(["sleep", "60"]).pid))


def test_what_is_printed_is_an_aside(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> int:
        print("to be read")
        os.write(1, b"and this\n")
        return 7

    assert given(work) == 7
    out, err = capfd.readouterr()
    assert out == "" and "to be read" in err and "and this" in err


@pytest.mark.parametrize("parallel", [True, False])
def test_what_coverage_measured_in_a_copy_is_saved_in_a_file_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parallel: bool
) -> None:
    place = tmp_path / "saved"

    class Coverage:
        @classmethod
        def current(cls) -> Coverage:
            return cls()

        def get_option(self, name: str) -> bool:
            assert name == "run:parallel"
            return parallel

        def stop(self) -> None:
            place.write_text("stopped")

        def save(self) -> None:
            place.write_text(place.read_text() + ", saved")

    module = types.ModuleType("coverage")
    module.Coverage = Coverage  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "coverage", module)
    assert given(lambda: 1) == 1
    assert place.exists() is parallel
    assert not parallel or place.read_text() == "stopped, saved"


@pytest.fixture
def beside() -> Iterator[None]:
    """Another thread."""
    over = threading.Event()
    thread = threading.Thread(target=over.wait)
    thread.start()
    yield
    over.set()
    thread.join()


def test_a_process_with_another_thread_is_not_forked(
    beside: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fork", lambda: pytest.fail("it was forked"))
    with pytest.raises(CannotFork):
        fork(lambda *_: None)
    checked = certify(NoisyHistogram(), "epsilon=1", **SMALL)
    assert rests(checked).startswith("The program is trusted, as the caller's own: it ran in the")
    assert checked.verdict is Verdict.PROVED


NATIVE = """
import ctypes, sys
from audit.subjects.forked import fork
from synthesizers.errors import CannotFork
libc = ctypes.CDLL(None)
thread = ctypes.c_ulong()
libc.pthread_create(ctypes.byref(thread), None, libc.pause, None)
try:
    fork(lambda *_: None)
except CannotFork:
    print("refused")
"""


def test_a_thread_that_python_does_not_know_counts_too() -> None:
    ran = subprocess.run([sys.executable, "-c", NATIVE], capture_output=True, text=True, check=True)
    assert ran.stdout == "refused\n"


def test_a_live_object_is_never_unpickled_elsewhere() -> None:
    with pytest.raises(CannotFork, match="one job"):
        pickle.dumps(ForkedStart(NoisyHistogram()))


def rests(checked: Checked) -> str:
    assert checked.certificate is not None
    return certificate_view(checked.certificate).rests


def refuted(subject: Any, claim: str = "epsilon=1", **asked: Any) -> Checked:
    with pytest.raises(ClaimRefuted) as caught:
        certify(subject, claim, **{**SMALL, **asked})
    return caught.value.checked


def test_certify_runs_the_callers_object_in_a_copy_and_says_so() -> None:
    places: list[int] = []

    def mechanism(curator: Curator) -> Any:
        places.append(os.getpid())
        return NoisyHistogram()(curator)

    checked = certify(mechanism, "epsilon=1", **SMALL)
    assert checked.verdict is Verdict.PROVED and places == []
    assert "it ran in a copy of the caller's process" in rests(checked)
    assert checked.certificate is not None
    assert any("caller's process holds no conf" in one for one in checked.certificate.assumptions)
    assert checked.certificate.to_json()["isolation"]["process"] == "forked"


def children() -> set[str]:
    """The numbers of our processes."""
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


def test_every_process_of_a_check_ends_with_it() -> None:
    refuted(NoisyHistogram(F(1, 2)))
    before = children()
    certify(NoisyHistogram(), "epsilon=1", **SMALL)
    refuted(NoisyHistogram(F(1, 2)))
    assert children() == before


class Patches:
    """It makes its questions free wherever it runs, and asks for too little noise."""

    def __call__(self, curator: Curator) -> Any:
        from synthesizers.budget import FREE

        DiscreteLaplace.cost = lambda *_: FREE  # type: ignore[method-assign,assignment]
        return curator.measure(whole_table(curator.domain), DiscreteLaplace(F(1, 8)), low=0, high=1)

    def budget(self, setting: Any) -> Any:
        from synthesizers.budget import PureBudget

        return PureBudget(F(1))


def test_what_a_mechanism_patches_changes_nothing_here() -> None:
    before = DiscreteLaplace.cost
    checked = refuted(Patches())
    assert "budget" in checked.trouble
    assert DiscreteLaplace.cost is before


@dataclass
class Remembers:
    """Its first run asks for more noise than those after it."""

    runs: list[int] = field(default_factory=list)

    def __call__(self, curator: Curator) -> Any:
        self.runs.append(1)
        noise = DiscreteLaplace(F(1, min(2, len(self.runs))))
        return curator.measure(whole_table(curator.domain), noise, low=0, high=1)


def test_state_from_run_to_run_is_found_by_replay() -> None:
    assert "the same answers" in refuted(Remembers()).trouble


def test_coins_of_pythons_own_are_found_by_replay() -> None:
    def tosses(curator: Curator) -> Any:
        answer = curator.measure(whole_table(curator.domain), DiscreteLaplace(F(1)), low=0, high=1)
        return [*answer.tolist(), random.randrange(2)]

    assert "on replay" in refuted(tosses).trouble


def test_an_exception_is_named_with_its_line() -> None:
    def wrong(curator: Curator) -> Any:
        raise KeyError(curator.domain)

    line = wrong.__code__.co_firstlineno + 1
    assert f"raised KeyError (line {line} of its code)" in refuted(wrong).trouble


def test_a_program_is_forked_once_for_all_instances_over_a_domain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    forks: list[int] = []
    plain = os.fork

    def counted() -> int:
        process = plain()
        forks.append(process)
        return process

    monkeypatch.setattr(os, "fork", counted)
    refuted(NoisyHistogram(F(1, 2)), cells=3, records=2)
    # Over each of the domains of 1, 2 and 3 cells once, and again for the plays made afresh.
    assert len(forks) <= 6


def test_the_api_forks_as_the_fixture_does() -> None:
    from audit.statements.claim import Claim
    from proofs.guarantees import parse_guarantee
    from synthesizers.domain import Domain
    from synthesizers.neighbours import AddRemove

    claim = Claim(parse_guarantee("epsilon=1"), AddRemove(), "output", Domain.from_cells("2"), 1)
    subject = live_subject("mine", NoisyHistogram())
    try:
        assert isinstance(subject.program, ProgramProcess)
        for trusted, verdict in ((True, Verdict.PROVED), (False, Verdict.UNDECIDED)):
            made = audit_of(subject, claim, Effort(trusted=trusted), "")
            assert made.certificate.verdict is verdict
    finally:
        subject.end()


def test_a_copy_ends_with_its_caller(tmp_path: Path) -> None:
    place = tmp_path / "process"
    code = f"""
import os, pathlib, time
from audit.subjects.forked import fork
def work(source, target):
    pathlib.Path({str(place)!r}).write_text(str(os.getpid()))
    target.write(b"x"); target.flush()
    time.sleep(60)
started = fork(work)
started.stdout.read(1)
os._exit(0)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
    require_end(int(place.read_text()))


def test_a_copy_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forked, "END_SECONDS", 0.05)
    before = children()
    with pytest.raises(ProtocolError, match="ended without"):
        call_forked(lambda: signal.pause(), 0.2)
    assert children() == before
