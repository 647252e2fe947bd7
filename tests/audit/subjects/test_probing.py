"""The minimum isolation: the probes see what is open, and only a box that refuses all is enough."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from audit.statements.isolation import PLAIN, Isolation
from audit.subjects import confinement, probes, probing
from audit.subjects.confinement import find_permitted_probes, require_minimum
from audit.subjects.probing import UNKNOWN, find_permitted, weaken
from synthesizers.errors import InputError
from tests.audit.subjects.boxes import (
    BY_PERMISSIONS,
    NAMESPACES,
    OTHER_USER,
    PLAIN_ONES,
    SYSTEM_PYTHON,
    require,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="boxes are built on Linux alone")

needs_python = pytest.mark.skipif(
    not os.path.exists(SYSTEM_PYTHON), reason="there is no Python of the system's"
)
needs_root = pytest.mark.skipif(
    sys.platform == "linux" and os.getuid() != 0, reason="an ordinary user's plain child is refused"
)


@pytest.fixture
def data() -> Iterator[str]:
    """A file that every user may read, and that programs must not."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        path = Path(place, "data.csv")
        path.write_text("secret")
        path.chmod(0o644)
        yield str(path)


@needs_python
@pytest.mark.parametrize("isolation", [NAMESPACES, OTHER_USER], ids=lambda one: one.process)
def test_a_box_refuses_everything(isolation: Isolation, data: str) -> None:
    assert find_permitted_probes(require(isolation), [data], SYSTEM_PYTHON) == ()


@needs_python
@pytest.mark.parametrize("isolation", [NAMESPACES, OTHER_USER], ids=lambda one: one.process)
def test_a_box_hides_folders(isolation: Isolation, data: str) -> None:
    folder = os.path.dirname(data)
    assert find_permitted_probes(require(isolation), [folder], SYSTEM_PYTHON) == ()


def names(whose: str) -> set[str]:
    return {
        *(f"signal {whose}", f"take hold of {whose}", f"see the files of {whose}"),
        *(f"read the memory of {whose}", f"write the memory of {whose}"),
        *(f"read the environment of {whose}", f"see the descriptors of {whose}"),
        f"open a descriptor of {whose}",
    }


@needs_python
@needs_root
def test_in_a_plain_child_of_root_every_probe_finds_its_access_open(data: str) -> None:
    """The probes can fail: each one that can succeed on this machine does."""
    open_ones = set(find_permitted_probes(PLAIN, [data], SYSTEM_PYTHON))
    wanted = names("the parent") | names("another process")
    wanted |= {f"read {data}", f"read {data} by its own root", f"read {data} by a symbolic link"}
    wanted |= {f"read {data} by the parent's root", f"read {data} by another name"}
    wanted |= {"hold a capability", "make a device", "make a namespace"}
    wanted |= {"mount", "become root and mount"}
    wanted |= {"connect over TCP", "send over UDP", "connect to an abstract socket"}
    wanted |= {"connect to a socket in a folder"}
    missing = wanted - open_ones
    # The machine's root itself may lack these rights, in a container.
    assert missing <= {"make a device", "make a namespace", "mount", "become root and mount"}


@needs_python
def test_another_user_alone_does_not_hide_a_file_that_all_may_read(data: str) -> None:
    found = find_permitted_probes(require(BY_PERMISSIONS), [data], SYSTEM_PYTHON)
    assert f"read {data}" in found
    assert not weaken(BY_PERMISSIONS, found).sufficient
    os.chmod(data, 0o600)
    found = find_permitted_probes(BY_PERMISSIONS, [data], SYSTEM_PYTHON)
    assert weaken(BY_PERMISSIONS, found) == BY_PERMISSIONS


@needs_python
@needs_root
def test_files_alone_are_not_a_boundary(data: str) -> None:
    found = find_permitted_probes(require(PLAIN_ONES[0]), [data], SYSTEM_PYTHON)
    assert "hold a capability" in found
    assert f"read {data}" not in found


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("take hold of the parent", Isolation("plain", "own root", "namespace")),
        ("read the memory of the parent", Isolation("plain", "own root", "namespace")),
        ("use another descriptor", Isolation("plain", "own root", "namespace")),
        (UNKNOWN, Isolation("plain", "own root", "namespace")),
        ("a probe of another name", Isolation("plain", "own root", "namespace")),
        ("read /data.csv by its own root", Isolation("namespaces", "none", "namespace")),
        ("open /dev/vda", Isolation("namespaces", "none", "namespace")),
        ("send over UDP", Isolation("namespaces", "own root", "none")),
        ("connect to an abstract socket", Isolation("namespaces", "own root", "none")),
    ],
)
def test_one_access_that_is_open_is_too_much(name: str, left: Isolation) -> None:
    assert weaken(NAMESPACES, [name]) == left
    assert not left.sufficient


def script(text: str) -> Any:
    """A box whose program says something else than the probes."""

    def start(
        command: Sequence[str], readable: Sequence[str], hidden: Sequence[str]
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["/bin/sh", "-c", text],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    return start


@pytest.mark.parametrize(
    "text",
    [
        "cat >/dev/null",
        "cat >/dev/null; echo nonsense",
        "cat >/dev/null; echo '{}'",
        "cat >/dev/null; echo '[]'",
        'cat >/dev/null; echo \'{"signal the parent": "refused"}\'',
        'cat >/dev/null; echo \'{"signal the parent": "refused"}\'; exit 1',
        "exit 0",
    ],
)
def test_a_program_that_does_not_answer_was_not_refused(text: str) -> None:
    assert UNKNOWN in find_permitted(script(text), [])


def test_a_listener_that_was_reached_counts_whatever_the_program_says() -> None:
    def start(command: Sequence[str], *_: object) -> subprocess.Popen[bytes]:
        lying = [*command[:-1], command[-1].replace('return "open"', 'return "refused"')]
        return subprocess.Popen(lying, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    assert set(find_permitted(start, [])) >= {
        *("connect over TCP", "send over UDP"),
        *("connect to an abstract socket", "connect to a socket in a folder"),
    }


def test_a_box_that_cannot_be_started_was_not_refused() -> None:
    def start(*_: object) -> subprocess.Popen[bytes]:
        raise OSError

    assert find_permitted(start, []) == (UNKNOWN,)


def test_an_error_that_is_no_refusal_is_not_taken_for_one() -> None:
    def failing(number: int) -> Any:
        def probe() -> None:
            raise OSError(number, "")

        return probe

    assert probes.outcome(failing(1)) == "refused"
    assert probes.outcome(failing(24)).startswith("not tried")
    assert probes.outcome(lambda: 1 / 0) == "not tried: ZeroDivisionError"
    assert probes.outcome(lambda: None) == "open"


def test_the_minimum_is_what_was_tried(monkeypatch: pytest.MonkeyPatch, data: str) -> None:
    confinement._minimum.cache_clear()
    monkeypatch.setattr(confinement, "available_isolation", lambda: NAMESPACES)
    monkeypatch.setattr(confinement, "find_permitted_probes", lambda *_: ("send over UDP",))
    assert require_minimum([data]) == Isolation("namespaces", "own root", "none")
    confinement._minimum.cache_clear()


def test_what_is_not_enough_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    confinement._minimum.cache_clear()
    monkeypatch.setattr(confinement, "available_isolation", lambda: PLAIN)
    assert require_minimum([]) == PLAIN
    confinement._minimum.cache_clear()


def test_the_minimum_can_be_had_here(data: str) -> None:
    require(NAMESPACES)
    confinement._minimum.cache_clear()
    assert require_minimum([data]) == NAMESPACES
    assert require_minimum([data]) is require_minimum([data])


def test_a_hidden_path_that_is_not_there_is_an_error() -> None:
    with pytest.raises(InputError, match="is not there"):
        require_minimum(["/no-such-data.csv"])


def test_a_process_that_has_only_the_number_of_another_is_not_taken_for_it() -> None:
    began = probing._identify(os.getpid())
    assert probes.outcome(lambda: probes._on(began, lambda: None)) == "open"
    other = {**began, "began": "1"}
    assert probes.outcome(lambda: probes._on(other, lambda: None)) == "refused"
