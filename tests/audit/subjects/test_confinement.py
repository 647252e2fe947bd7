"""Boxes: what runs in them, what they are given, and that nothing of them outlives its time."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from audit.statements.isolation import PLAIN, Isolation
from audit.subjects import confinement, own_root
from audit.subjects.box_paths import python_paths
from audit.subjects.confinement import (
    ChildLimits,
    Confinement,
    ConfinementError,
    available_isolation,
    start_confined,
)
from audit.subjects.counting import COUNTERS
from synthesizers.errors import InputError
from tests.audit.subjects.boxes import (
    EMPTY,
    NAMESPACES,
    OTHER_USER,
    PLAIN_ONES,
    SECONDS,
    await_that,
    machine_has,
    processes_with,
    require,
    run,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="boxes are built on Linux alone")

APART = [NAMESPACES, OTHER_USER]
ROOT = str(Path(__file__).resolve().parents[3])


@pytest.fixture(params=[*APART, PLAIN_ONES[0], PLAIN], ids=lambda one: f"{one.process}")
def each(request: pytest.FixtureRequest) -> Isolation:
    return require(request.param)


@pytest.fixture(params=APART, ids=lambda one: one.process)
def apart(request: pytest.FixtureRequest) -> Isolation:
    return require(request.param)


@pytest.fixture
def folder() -> Iterator[str]:
    """A folder that every user may read: those of pytest are for its own user."""
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        yield place


def python(text: str) -> list[str]:
    """A command of a Python that every user may run."""
    return ["/usr/bin/python3", "-I", "-c", textwrap.dedent(text)]


needs_python = pytest.mark.skipif(
    not os.path.exists("/usr/bin/python3"), reason="there is no Python of the system's"
)


def test_the_exit_code_is_the_commands(each: Isolation) -> None:
    assert run(["sh", "-c", "exit 7"], isolation=each)[0] == 7


def test_the_signal_is_the_commands(each: Isolation) -> None:
    assert run(["sh", "-c", "kill -SEGV $$"], isolation=each)[0] == -signal.SIGSEGV
    assert run(["sh", "-c", "kill -KILL $$"], isolation=each)[0] == -signal.SIGKILL


@pytest.mark.parametrize("name", ["PIPE", "XFSZ"])
def test_no_signal_is_ignored_from_the_start(each: Isolation, name: str) -> None:
    number = getattr(signal, f"SIG{name}")
    assert run(["sh", "-c", f"kill -{name} $$"], isolation=each)[0] == -number


def test_input_and_output_are_the_commands(each: Isolation) -> None:
    assert run(["cat"], given=b"words", isolation=each) == (0, "words")


def test_a_command_that_is_not_there_is_an_error_of_its_start(each: Isolation) -> None:
    with pytest.raises(FileNotFoundError, match="no-such-program"):
        run(["no-such-program"], isolation=each)


def test_a_command_that_may_not_be_run_is_an_error_of_its_start(
    each: Isolation, folder: str
) -> None:
    path = Path(folder, "program")
    path.write_text("#!/bin/sh\n")
    path.chmod(0o644)
    with pytest.raises(PermissionError):
        run([str(path)], Confinement((folder,)), isolation=each)


def test_the_environment_is_what_was_given_and_nothing_of_ours(
    each: Isolation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "1")
    code, text = run(["/usr/bin/env"], environment={"GIVEN": "2"}, isolation=each)
    names = {line.partition("=")[0] for line in text.splitlines()}
    assert (code, names) == (0, {"PATH", "LANG", "LC_ALL", "HOME", "TMPDIR", "GIVEN"})


@needs_python
def test_of_our_descriptors_it_has_those_that_were_passed(each: Isolation) -> None:
    ours, theirs = socket.socketpair()
    secret = os.open(__file__, os.O_RDONLY)
    os.set_inheritable(secret, True)
    program = f"""
        import os, socket
        open_ones = []
        for number in range(4096):
            try:
                os.fstat(number)
                open_ones.append(number)
            except OSError:
                pass
        socket.socket(fileno={theirs.fileno()}).sendall(repr(open_ones).encode())
    """
    try:
        with ours, theirs:
            run(python(program), pass_fds=[theirs.fileno()], isolation=each)
            assert ours.recv(1000).decode() == repr([0, 1, 2, theirs.fileno()])
    finally:
        os.close(secret)


def test_it_starts_in_an_empty_folder_of_its_own_which_goes_with_it(each: Isolation) -> None:
    code, text = run(["sh", "-c", "ls -A; echo x > file && cat file; pwd"], isolation=each)
    assert code == 0
    assert text.splitlines()[0] == "x"
    assert not os.path.exists(text.splitlines()[1])


def test_it_reads_a_readable_folder_and_cannot_change_it(each: Isolation, folder: str) -> None:
    Path(folder, "file").write_text("inside")
    os.chmod(folder, 0o777)
    command = ["sh", "-c", f"cat {folder}/file; echo x > {folder}/new || echo refused"]
    text = run(command, Confinement((folder,)), isolation=each)[1]
    assert text.startswith("inside")
    assert each == PLAIN or not Path(folder, "new").exists()


def test_it_writes_in_a_writable_folder(each: Isolation, folder: str) -> None:
    os.chmod(folder, 0o777)
    box = Confinement((), writable=(folder,), folder=folder)
    assert run(["sh", "-c", "echo x > new; cat new; pwd"], box, isolation=each)[1] == (
        f"x\n{folder}\n"
    )
    assert Path(folder, "new").read_text() == "x\n"


@needs_python
@pytest.mark.parametrize("isolation", [*APART, PLAIN_ONES[0]], ids=lambda one: one.process)
def test_what_is_hidden_cannot_be_opened_below_a_readable_folder(
    isolation: Isolation, folder: str
) -> None:
    require(isolation)
    data = Path(folder, "sub", "data.csv")
    data.parent.mkdir()
    data.write_text("secret")
    Path(folder, "link").symlink_to(data)
    Path(folder, "folder-link").symlink_to(data.parent)
    Path(folder, "sub", "beside").write_text("beside")
    ways = [
        data,
        f"{folder}/link",
        f"{folder}/folder-link/data.csv",
        f"/proc/self/root{data}",
        f"{folder}/sub/../sub/data.csv",
    ]
    program = f"""
        for path in {list(map(str, ways))}:
            try:
                print("opened", open(path).read(), path)
            except OSError:
                pass
        print(open({str(data.parent / "beside")!r}).read())
    """
    box = Confinement((folder,), hidden=(str(data),))
    assert run(python(program), box, isolation=isolation) == (0, "beside\n")
    assert "opened secret" in run(python(program), Confinement((folder,)), isolation=isolation)[1]


def test_a_hidden_path_is_hidden_by_its_real_name_too(apart: Isolation, folder: str) -> None:
    Path(folder, "real").mkdir()
    Path(folder, "real", "data").write_text("secret")
    Path(folder, "named").symlink_to(Path(folder, "real"))
    box = Confinement((folder,), hidden=(f"{folder}/named/data",))
    code, text = run(["cat", f"{folder}/real/data"], box, isolation=apart)
    assert code != 0 and "secret" not in text


def test_a_hidden_folder_can_be_neither_listed_nor_entered(apart: Isolation, folder: str) -> None:
    inner = Path(folder, "data")
    inner.mkdir()
    Path(inner, "file").write_text("secret")
    box = Confinement((folder,), hidden=(str(inner),))
    text = run(["sh", "-c", f"ls {inner}; cat {inner}/file; true"], box, isolation=apart)[1]
    assert "secret" not in text and "file\n" not in text.replace(f"{inner}/file", "")


def test_what_is_hidden_is_hidden_in_a_writable_folder(apart: Isolation, folder: str) -> None:
    os.chmod(folder, 0o777)
    Path(folder, "data").write_text("secret")
    box = Confinement((), writable=(folder,), hidden=(f"{folder}/data",))
    attempt = f"cat {folder}/data; mv {folder}/data {folder}/other && cat {folder}/other"
    assert "secret" not in run(["sh", "-c", attempt], box, isolation=apart)[1]
    assert Path(folder, "data").read_text() == "secret"


def test_a_path_that_is_both_readable_and_hidden_is_an_error(folder: str) -> None:
    with pytest.raises(InputError, match="keep programs and private data apart"):
        start_confined(["true"], Confinement((f"{folder}",), hidden=(os.path.dirname(folder),)))


def test_the_whole_file_system_is_not_given() -> None:
    with pytest.raises(InputError, match="name the folders"):
        start_confined(["true"], Confinement(("/",)))


def test_a_readable_path_that_is_not_there_is_an_error(folder: str) -> None:
    with pytest.raises(InputError, match="nothing can't be read"):
        start_confined(["true"], Confinement((f"{folder}/nothing",)))


def test_a_readable_link_leads_where_it_leads(apart: Isolation, folder: str) -> None:
    Path(folder, "real").mkdir()
    Path(folder, "real", "file").write_text("inside")
    Path(folder, "one").symlink_to("two")
    Path(folder, "two").symlink_to(f"{folder}/real")
    box = Confinement((f"{folder}/one",))
    assert run(["cat", f"{folder}/one/file"], box, isolation=apart) == (0, "inside")


def test_a_root_of_its_own_holds_nothing_else(folder: str) -> None:
    Path(folder, "file").write_text("other")
    inside = run(["ls", "-A", "/"], isolation=require(NAMESPACES))[1].split()
    allowed = {"bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "dev", "proc", "nix"}
    assert set(inside) <= allowed | {"confined", ".hidden", "gnu"}
    assert run(["cat", f"{folder}/file"], isolation=NAMESPACES)[0] != 0
    devices = run(["ls", "-A", "/dev"], isolation=NAMESPACES)[1].split()
    assert set(devices) == {
        *("null", "zero", "full", "random", "urandom", "shm"),
        *("fd", "stdin", "stdout", "stderr"),
    }
    assert run(["cat", "/etc/shadow", "/etc/hostname"], isolation=NAMESPACES)[0] != 0


def test_every_mount_but_the_scratch_folder_and_devices_is_read_only(folder: str) -> None:
    Path(folder, "data").write_text("secret")
    box = Confinement((folder,), hidden=(f"{folder}/data",))
    text = run(["cat", "/proc/self/mounts"], box, isolation=require(NAMESPACES))[1]
    options = {
        place: words.split(",") for _, place, _, words, *_ in map(str.split, text.splitlines())
    }
    assert {"/", "/usr", "/proc", folder, f"{folder}/data"} <= options.keys()
    changing = {place for place, words in options.items() if "ro" not in words}
    assert changing == {"/confined", "/dev/shm", *own_root.DEVICES}


def test_in_a_namespace_there_are_its_own_processes_alone() -> None:
    marker = new_marker()
    outside = subprocess.Popen(["sleep", marker])
    try:
        command = ["sh", "-c", "cat /proc/*/cmdline | tr '\\0\\n' '  '; echo; ls -A /proc"]
        words, *names = run(command, isolation=require(NAMESPACES))[1].splitlines()
    finally:
        outside.kill()
        outside.wait()
    assert "cmdline" in words and marker not in words
    assert {name for name in names if not name.isdecimal()} <= {"self", "thread-self"}


def test_nothing_of_the_kernel_can_be_set() -> None:
    command = ["sh", "-c", "echo x > /proc/sys/kernel/core_pattern; echo x > /proc/1/comm; id -u"]
    *_, last = run(command, isolation=require(NAMESPACES))[1].splitlines()
    assert last != "0"
    assert Path("/proc/sys/kernel/core_pattern").read_text() != "x\n"


def test_the_scratch_folder_has_a_limit() -> None:
    box = Confinement((), limits=ChildLimits(scratch_bytes=2**20))
    command = ["sh", "-c", "head -c 3000000 /dev/zero > file; stat -c %s file"]
    text = run(command, box, isolation=require(NAMESPACES))[1]
    assert int(text.split()[-1]) <= 2**20


def test_files_memory_and_descriptors_have_limits(each: Isolation) -> None:
    box = Confinement((), limits=ChildLimits(megabytes=64, open_files=40, file_bytes=1000))
    limits = "ulimit -v; ulimit -n; ulimit -c; head -c 3000 /dev/zero > file; stat -c %s file"
    text = run(["sh", "-c", limits], box, isolation=each)[1]
    numbers = [int(word) for word in text.split() if word.isdecimal()]
    assert numbers == [64 * 1024, 40, 0, 1000]


BOMB = """
import os, time
made = 0
try:
    for _ in range(200):
        if not os.fork():
            time.sleep(60)
            os._exit(0)
        made += 1
except OSError:
    pass
time.sleep(0.5)
print(made)
"""


@needs_python
@pytest.mark.parametrize("isolation", APART, ids=lambda one: one.process)
@pytest.mark.parametrize("counter", COUNTERS)
def test_the_number_of_processes_has_a_limit(isolation: Isolation, counter: str) -> None:
    """Each way to count that this machine has; RLIMIT_NPROC does not count root's."""
    require(isolation)
    confined = start_confined(
        python(BOMB),
        Confinement((), limits=ChildLimits(processes=20)),
        stdout=subprocess.PIPE,
        isolation=isolation,
        counters=[counter],
    )
    try:
        if not confined.counter:
            pytest.skip(f"{counter} does not count these processes here")
        output = confined.process.communicate(timeout=SECONDS)[0]
    finally:
        confined.kill()
    if counter == "watch":
        assert confined.process.returncode == -signal.SIGKILL
    else:
        assert int(output) <= 20


ORDINARY = """
import json, subprocess, sys
from audit.subjects.confinement import *
box = start_confined(
    ["/usr/bin/python3", "-I", "-c", sys.argv[1]],
    Confinement((), limits=ChildLimits(processes=20)),
    stdout=subprocess.PIPE,
)
output = box.process.communicate()[0].decode()
box.kill()
minimum = require_minimum(sys.argv[2:])
print(json.dumps([box.isolation.to_json(), box.counter, output, minimum.sufficient]))
"""


@needs_python
@pytest.mark.skipif(os.name == "posix" and os.getuid() != 0, reason="only root can be another user")
def test_an_ordinary_user_has_namespaces_whose_processes_are_counted(folder: str) -> None:
    Path(folder, "data").write_text("secret")
    ordinary = subprocess.run(
        ["/usr/bin/python3", "-c", ORDINARY, BOMB, f"{folder}/data"],
        env={"PYTHONPATH": ROOT, "PYTHONDONTWRITEBYTECODE": "1"},
        user=61234,
        group=61234,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    if "No module named 'audit'" in ordinary.stderr:
        pytest.skip("this checkout is in a folder that other users can't read")
    isolation, counter, made, sufficient = json.loads(ordinary.stdout)
    if isolation != NAMESPACES.to_json():
        pytest.skip("ordinary users can't make namespaces on this machine")
    assert (counter, sufficient) == ("rlimit", True)
    assert int(made) <= 20


@pytest.mark.parametrize("isolation", APART, ids=lambda one: one.process)
def test_some_way_to_count_processes_serves(isolation: Isolation) -> None:
    confined = start_confined(["true"], EMPTY, isolation=require(isolation))
    assert confined.counter
    confined.kill()


def test_a_limit_below_one_is_an_error() -> None:
    with pytest.raises(InputError):
        ChildLimits(processes=0)


RUN_AWAY = """
import os, sys, time
if not os.fork():
    os.setsid()
    if not os.fork():
        os.execv("/bin/sleep", ["sleep", sys.argv[1]])
    os._exit(0)
os.wait()
print("away", flush=True)
if sys.argv[2] == "stay":
    time.sleep(1000)
"""


def new_marker() -> str:
    """Seconds for a `sleep` that no other test, here or beside us, sleeps."""
    return f"3600.{int.from_bytes(os.urandom(6), 'little')}"


def away(stay: str, marker: str, isolation: Isolation) -> confinement.ConfinedProcess:
    """A box whose program has left a process in a session of its own."""
    confined = start_confined(
        ["/usr/bin/python3", "-I", "-c", RUN_AWAY, marker, stay],
        EMPTY,
        stdout=subprocess.PIPE,
        isolation=isolation,
    )
    assert confined.process.stdout is not None
    assert confined.process.stdout.readline() == b"away\n"
    return confined


@needs_python
def test_kill_ends_what_left_the_group(each: Isolation) -> None:
    marker = new_marker()
    confined = away("stay", marker, each)
    assert processes_with(marker)
    confined.kill()
    assert not processes_with(marker)
    assert confined.process.returncode == -signal.SIGKILL


@needs_python
def test_the_commands_end_ends_what_it_left_behind(each: Isolation) -> None:
    marker = new_marker()
    confined = away("go", marker, each)
    assert confined.process.wait(SECONDS) == 0
    assert not processes_with(marker)


@needs_python
def test_nothing_outlives_the_object(each: Isolation) -> None:
    marker = new_marker()
    confined = away("stay", marker, each)
    process = confined.process
    del confined
    gc.collect()
    assert process.returncode is not None
    assert not processes_with(marker)


@needs_python
def test_a_copy_of_this_process_does_not_end_the_box(apart: Isolation) -> None:
    marker = new_marker()
    confined = away("stay", marker, apart)
    copy = os.fork()
    if not copy:
        confined.kill()
        os._exit(0)
    os.waitpid(copy, 0)
    assert processes_with(marker)
    confined.kill()
    assert not processes_with(marker)


@needs_python
def test_nothing_outlives_the_launcher(apart: Isolation) -> None:
    marker = new_marker()
    if apart.process != "namespaces":
        pytest.skip("without a namespace the launcher itself ends what is left")
    confined = away("stay", marker, apart)
    confined.process.kill()
    await_that(lambda: not processes_with(marker))
    confined.kill()


PARENT = """
import sys, subprocess
from audit.subjects.confinement import Confinement, start_confined
from audit.statements.isolation import Isolation
import json
isolation = Isolation(**json.loads(sys.argv[1]))
box = start_confined(sys.argv[2:], Confinement(()), stdout=subprocess.PIPE, isolation=isolation)
print(box.process.stdout.readline().decode() + json.dumps(box._groups), flush=True)
sys.stdin.read()
"""


@needs_python
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_outlives_the_parent(each: Isolation, how: signal.Signals) -> None:
    marker = new_marker()
    command = ["/usr/bin/python3", "-I", "-c", RUN_AWAY, marker, "stay"]
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, json.dumps(each.to_json()), *command],
        env={**os.environ, "PYTHONPATH": ROOT},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert parent.stdout is not None and parent.stdin is not None
    assert parent.stdout.readline() == b"away\n"
    groups = json.loads(parent.stdout.readline())
    assert processes_with(marker)
    assert all(map(os.path.isdir, groups))
    parent.send_signal(how)
    parent.wait(SECONDS)
    await_that(lambda: not processes_with(marker))
    await_that(lambda: not any(map(os.path.exists, groups)))
    parent.stdin.close()
    parent.stdout.close()


def test_no_control_group_is_left_behind() -> None:
    require(NAMESPACES)
    made = start_confined(["sleep", "1000"], EMPTY, isolation=NAMESPACES, counters=["cgroup"])
    if not made.counter:
        made.kill()
        pytest.skip("no control group can be made here")
    ((group,),) = [made._groups]
    assert os.path.isdir(group)
    made.kill()
    assert not os.path.exists(group)


@pytest.mark.parametrize("isolation", [NAMESPACES], ids=lambda one: one.process)
def test_what_is_installed_and_a_users_private_folder_can_be_imported(
    isolation: Isolation, tmp_path: Path
) -> None:
    require(isolation)
    private = tmp_path / "home" / "mine"
    private.mkdir(parents=True)
    private.parent.chmod(0o700)
    private.chmod(0o700)
    (private / "users_own.py").write_text("import numpy, pandas, scipy, sklearn\nfound = 1\n")
    program = f"import sys; sys.path.insert(0, {str(private)!r}); import users_own; print('there')"
    box = Confinement((*python_paths(), str(private)))
    assert run([sys.executable, "-c", program], box, isolation=isolation) == (0, "there\n")


@pytest.mark.parametrize(
    ("program", "command"),
    [
        ("/bin/sh", ["/bin/sh", "-c", "echo 2"]),
        ("awk", ["awk", "BEGIN { print 1 + 1 }"]),
        ("python3", ["python3", "-c", "print(1 + 1)"]),
        ("Rscript", ["Rscript", "-e", "cat(1 + 1, '\\n', sep = '')"]),
    ],
)
def test_the_usual_programs_run(apart: Isolation, program: str, command: list[str]) -> None:
    if shutil.which(program, path="/usr/local/bin:/usr/bin:/bin") is None:
        pytest.skip(f"there is no {program} on this machine")
    path = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    assert run(command, environment=path, isolation=apart) == (0, "2\n")


@needs_python
def test_processes_share_memory_and_pipes_inside() -> None:
    program = """
        from multiprocessing import get_context
        with get_context("fork").Pool(2) as pool:
            print(sum(pool.map(abs, range(4))))
    """
    assert run(python(program), isolation=require(NAMESPACES)) == (0, "6\n")


def test_a_folder_that_another_user_cannot_read_is_one_clear_error(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    with pytest.raises(ConfinementError, match="private"):
        run(["true"], Confinement((str(private),)), isolation=require(OTHER_USER))


def test_a_box_can_be_built_with_many_files_open(each: Isolation) -> None:
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        assert run(["true"], isolation=each)[0] == 0
    finally:
        for descriptor in opened:
            os.close(descriptor)


def test_boxes_are_built_beside_one_another(apart: Isolation) -> None:
    with ThreadPoolExecutor(8) as pool:
        codes = pool.map(
            lambda code: run(["sh", "-c", f"exit {code}"], isolation=apart)[0], range(16)
        )
        assert list(codes) == list(range(16))


def test_signals_that_are_blocked_here_are_not_blocked_there(each: Isolation) -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM})
    try:
        assert run(["sh", "-c", "kill -TERM $$"], isolation=each)[0] == -signal.SIGTERM
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def test_the_best_isolation_is_one_that_can_be_built() -> None:
    best = available_isolation()
    assert best == next(filter(machine_has, confinement.BEST_FIRST))


def test_elsewhere_than_on_linux_a_process_is_a_plain_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert available_isolation.__wrapped__() == PLAIN


def test_where_there_are_no_processes_of_posix_there_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "name", "nt")
    with pytest.raises(InputError, match="POSIX"):
        start_confined(["true"], EMPTY)
