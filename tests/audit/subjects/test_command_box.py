"""Submissions as black boxes: what they are handed, what comes back, and what is left behind."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.statements.limits import Limits
from audit.subjects import command
from audit.subjects.command import CommandBox
from audit.subjects.confinement import ChildLimits
from audit.subjects.outcomes import Ended, Outcomes, Shape
from audit.subjects.pair import Pair
from audit.subjects.runs import Seeds, draw_block
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from tests.audit.subjects.conftest import running

pytestmark = pytest.mark.skipif(os.name != "posix", reason="submissions run on POSIX systems")

DOMAIN = Domain(
    "small", (Attribute("sex", ("f", "m")), Attribute.binned("age", [0, 50, 100])), (), "id"
)
PAIR = Pair([{"sex": "f", "age": 7}], [])
Make = Callable[[str], str]


@pytest.fixture
def made(tmp_path: Path) -> Make:
    """A function that writes an executable script."""

    def make(text: str) -> str:
        path = tmp_path / f"submission-{len(list(tmp_path.iterdir()))}"
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    return make


def sh(lines: str) -> str:
    """A shell script with the paths of its input and output, and its seed, as variables."""
    return f"""#!/bin/sh
while [ $# -gt 0 ]; do
  case "$1" in --input) input=$2;; --output) output=$2;; --seed) seed=$2;; esac
  shift 2
done
{lines}
"""


def python(lines: str) -> str:
    return f"#!{sys.executable} -IS\n{lines}\n"


ONE, ADD_REMOVE, LIMITS = ApproxDP(Fraction(1)), AddRemove(), Limits()


def box(
    path: str,
    guarantee: Guarantee = ONE,
    neighbours: Neighbours = ADD_REMOVE,
    rows: int | None = None,
    limits: Limits = LIMITS,
    domain: Domain = DOMAIN,
) -> CommandBox:
    return CommandBox(path, guarantee, neighbours, domain, rows, limits)


def once(subject: CommandBox, pair: Pair = PAIR, coin: bool = False, seed: int = 1) -> Outcomes:
    return subject.draw(pair, np.array([coin]), seed)


def shape(outcomes: Outcomes) -> Shape:
    (found,) = outcomes.shapes
    return found


def ended(reason: str) -> Shape:
    return Outcomes.of_outputs([Ended(reason)]).shapes[0]


def table(outcomes: Outcomes) -> pd.DataFrame:
    assert shape(outcomes).kind == "table"
    found = outcomes.blocks[0][0]
    assert isinstance(found, pd.DataFrame)
    return found


def await_end(path: str) -> None:
    """Return when no process of a submission runs; a minute is for a machine that is busy."""
    await_that(lambda: not running(path))


def await_that(holds: Callable[[], bool]) -> None:
    for _ in range(6000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never held")


def test_a_run_sees_an_empty_folder_its_three_files_the_options_and_a_bare_environment(
    made: Make, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_SECRET", "x")
    seen = notes / "seen.json"
    path = made(
        python(
            "import json, os, sys\n"
            "files = {n: open(n, newline='').read() for n in os.listdir('.')}\n"
            "told = [sys.argv[1:], os.getcwd(), dict(os.environ), sys.stdin.read(), files]\n"
            f"json.dump(told, open({str(seen)!r}, 'w'))"
        )
    )
    once(box(path, ApproxDP(Fraction(1, 3), Fraction(1, 10**10)), rows=5), seed=3)
    argv, folder, environment, typed, files = json.loads(seen.read_text())
    options = dict(zip(argv[::2], argv[1::2], strict=True))
    assert list(options) == [
        *("--protocol", "--input", "--domain", "--output", "--epsilon", "--delta"),
        *("--neighbours", "--unit", "--max-records", "--rows", "--seed", "--parameters"),
    ]
    assert [options[f"--{name}"] for name in ("input", "domain", "output", "parameters")] == [
        os.path.join(folder, name)
        for name in ("input.csv", "domain.json", "output.csv", "parameters.json")
    ]
    # Never more than is claimed: the decimal is cut, not rounded.
    assert Fraction(options["--epsilon"]) <= Fraction(1, 3) < Fraction("0.3333333333333334")
    assert Fraction(options["--delta"]) == Fraction(1, 10**10)
    assert options["--neighbours"] == "add-remove"
    assert (options["--unit"], options["--max-records"]) == ("record", "1")
    assert (options["--rows"], options["--protocol"]) == ("5", "1")
    assert set(files) == {"input.csv", "domain.json", "parameters.json"}
    assert files["input.csv"] == "sex,age\nf,7\n"
    assert Domain.from_json(json.loads(files["domain.json"])) == DOMAIN
    parameters = json.loads(files["parameters.json"])
    assert list(parameters) == [key[2:].replace("-", "_") for key in list(options)[:-1]]
    assert parameters["epsilon"] == pytest.approx(1 / 3, rel=1e-15)
    assert (parameters["rows"], parameters["seed"]) == (5, int(options["--seed"]))
    assert parameters["input"] == options["--input"]
    names = {"PATH", "LANG", "LC_ALL", "HOME", "TMPDIR"}
    assert set(environment) - {"LC_CTYPE"} == names  # Python adds LC_CTYPE itself
    assert environment["HOME"] == environment["TMPDIR"] == folder
    assert typed == ""
    assert not os.path.exists(folder)


@pytest.mark.parametrize(
    ("guarantee", "expected"),
    [
        (ZCDP(Fraction(1, 2)), {"rho": "0.5"}),
        (GaussianDP(Fraction(2)), {"mu": "2"}),
        (RenyiDP(Fraction(10, 3), Fraction(2, 3)), {"alpha": None, "rdp": None}),
        (ApproxDP(Fraction(2)), {"epsilon": "2", "delta": "0"}),
    ],
)
def test_each_kind_of_claim_hands_over_its_own_parameters(
    made: Make, notes: Path, guarantee: Guarantee, expected: dict[str, str | None]
) -> None:
    path = made(f'#!/bin/sh\nprintf "%s " "$@" > {notes}/seen\n')
    once(box(path, guarantee))
    words = (notes / "seen").read_text().split()
    options = dict(zip(words[::2], words[1::2], strict=True))
    names = {"epsilon", "delta", "rho", "mu", "alpha", "rdp"}
    assert {name[2:] for name in options} & names == set(expected)
    assert "--rows" not in options
    for name, value in expected.items():
        assert value is None or options[f"--{name}"] == value
    if isinstance(guarantee, RenyiDP):
        # Whatever keeps (α', ε') with α' >= α and ε' <= ε keeps the claim.
        assert (
            guarantee.alpha
            <= Fraction(options["--alpha"])
            < guarantee.alpha * (1 + Fraction(1, 10**15))
        )
        assert (
            guarantee.epsilon
            >= Fraction(options["--rdp"])
            > guarantee.epsilon * (1 - Fraction(1, 10**15))
        )


def test_tables_are_written_in_the_given_order_with_the_columns_of_the_domain(
    made: Make, notes: Path
) -> None:
    path = made(sh(f"cp $input {notes}/seen"))
    records: list[dict[str, Any]] = [
        {"age": 1.5, "sex": "m"},
        {"sex": None, "age": 7},
        {"age": "[0, 50)", "sex": 'a "new", value'},
        {"sex": True, "age": float("nan")},
    ]
    once(box(path), Pair(records, []))
    assert (notes / "seen").read_text() == (
        'sex,age\nm,1.5\n,7\n"a ""new"", value","[0, 50)"\ntrue,NaN\n'
    )
    once(box(path), Pair(records, []), coin=True)
    assert (notes / "seen").read_text() == "sex,age\n"


def test_whether_there_are_ids_depends_on_the_unit_and_not_on_the_records(
    made: Make, notes: Path
) -> None:
    path = made(sh(f"cp $input {notes}/seen"))
    pair = Pair([{"id": "p1", "sex": "f", "age": 1}], [])
    person = ReplaceOne(Unit("person", 3))
    for neighbours, coin, expected in [
        (person, False, "id,sex,age\np1,f,1\n"),
        (person, True, "id,sex,age\n"),
        (AddRemove(), False, "sex,age\nf,1\n"),
        (AddRemove(), True, "sex,age\n"),
    ]:
        once(box(path, neighbours=neighbours), pair, coin)
        assert (notes / "seen").read_text() == expected


@pytest.mark.parametrize(
    "database",
    [
        3,
        "private",
        {"sex": "private", "age": 1},
        ["private"],
        [{"sex": "private"}],
        [{"sex": "private", "age": 1, "private": 1}],
        [{"sex": ["private"], "age": 1}],
        [{"sex": "private\ud800", "age": 1}],
    ],
)
def test_what_is_no_table_of_the_domain_is_refused_without_a_word_of_it(
    made: Make, database: Any
) -> None:
    with pytest.raises(InputError) as refused:
        once(box(made(sh(""))), Pair([], database))
    assert "private" not in str(refused.value)


def test_coins_choose_the_database_and_every_run_has_a_seed_of_its_own(made: Make) -> None:
    subject = box(made(sh("{ echo rows,seed; echo $(wc -l < $input),$seed; } > $output")))
    coins = np.array([True, False, False, True, False])
    drawn = subject.draw(PAIR, coins, 5)
    tables = pd.concat(list(drawn.blocks[0]))
    assert tables["rows"].tolist() == [1, 2, 2, 1, 2]  # the header, and the record
    seeds = tables["seed"].tolist()
    assert len(set(seeds)) == 5
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert max(seeds) > 2**28  # all bits are used: below by chance 1/8 to the fifth
    assert np.array_equal(subject.draw(PAIR, coins, 5).codes(), drawn.codes())
    assert not np.array_equal(subject.draw(PAIR, coins, 6).codes(), drawn.codes())


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("exit 3", "exit code 3"),
        ("cp $input $output; exit 4", "exit code 4"),
        ("kill -SEGV $$", f"died by signal {int(signal.SIGSEGV)}"),
        ("", "no output table"),
        ("mkdir $output", "unreadable output table"),
        ("ln -s input.csv $output", "unreadable output table"),
        ("ln -s /dev/zero $output", "unreadable output table"),
        ("mkfifo $output", "unreadable output table"),
        ("touch $output", "unreadable output table"),
        ("printf 'a,a\\n1,2\\n' > $output", "unreadable output table"),
        ("printf 'a,b\\n1,2,3\\n' > $output", "unreadable output table"),
        ("printf 'a\\n\\377\\n' > $output", "unreadable output table"),
        ("printf 'a\\n\"1\\n' > $output", "unreadable output table"),
    ],
)
def test_a_run_without_a_table_is_an_outcome_that_says_why(
    made: Make, lines: str, reason: str
) -> None:
    assert shape(once(box(made(sh(lines))))) == ended(reason)


def test_a_table_of_more_than_the_stated_size_is_not_read(
    made: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "TABLE_BYTES", 10)
    subject = box(made(sh("printf 'a\\n1234567\\n' > $output")))
    assert table(once(subject))["a"].tolist() == [1234567]
    monkeypatch.setattr(command, "TABLE_BYTES", 9)
    assert shape(once(subject)) == ended("output table too large")


LEAVE = "(trap '' TERM INT HUP; while :; do sleep 1; done) &\necho left > "
"""Leaves a process behind, which has the same command line, and notes it."""


def test_the_clock_ends_a_run_and_all_that_it_started(made: Make, notes: Path) -> None:
    path = made(sh(f"trap '' TERM INT HUP\n{LEAVE}{notes}/seen\nsleep 1000"))
    assert shape(once(box(path, limits=Limits(seconds=0.3)))) == ended("time")
    assert (notes / "seen").exists()
    await_end(path)


def test_processes_that_a_run_leaves_behind_are_killed(made: Make, notes: Path) -> None:
    path = made(sh(f"{LEAVE}{notes}/seen\ncp $input $output"))
    assert shape(once(box(path))).kind == "table"
    assert (notes / "seen").exists()
    await_end(path)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory and files are Linux's")
def test_folders_too_deep_to_follow_keep_no_audit_from_its_end(made: Make) -> None:
    deep = "for _ in range(1100): os.mkdir('d'); os.chdir('d')"
    write = "open(output, 'w').write('rows,seed\\n1,2\\n')"
    text = python(
        f"import os, sys\noutput = sys.argv[sys.argv.index('--output') + 1]\n{write}\n"
        f"os.chdir(os.path.dirname(output))\n{deep}"
    )
    assert shape(once(box(made(text)))).kind == "table"


def test_memory_and_the_size_of_files_are_limited(made: Make) -> None:
    greed = "try: bytearray(2**29)\nexcept MemoryError: sys.exit(9)"
    greedy = python(f"import sys\n{greed}")
    assert shape(once(box(made(greedy), limits=Limits(megabytes=256)))) == ended("exit code 9")
    assert shape(once(box(made(greedy)))) == ended("no output table")
    limit = "{ echo blocks; ulimit -f; } > $output"
    (blocks,) = table(once(box(made(sh(limit)))))["blocks"]
    assert blocks * 512 == ChildLimits().file_bytes


def test_a_run_finds_nothing_of_the_run_before(made: Make) -> None:
    path = made(sh("n=$(ls -A | wc -l); touch kept $HOME/.kept; { echo n; echo $n; } > $output"))
    drawn = box(path).draw(PAIR, np.zeros(3, np.bool_), 1)
    assert [table["n"].tolist() for table in drawn.blocks[0]] == [[3.0]] * 3


def test_a_folder_that_a_program_exchanges_for_a_link_is_not_followed(
    made: Make, tmp_path: Path
) -> None:
    decoy = tmp_path / "decoy"
    decoy.mkdir()
    (decoy / "output.csv").write_text("a\n1\n")
    path = made(sh(f'mv "$PWD" "$PWD-away"; ln -s {decoy} "$PWD"'))
    assert shape(once(box(path))) == ended("no output table")
    assert (decoy / "output.csv").exists()


def test_what_a_program_says_neither_blocks_it_nor_shows(
    made: Make, capfd: pytest.CaptureFixture[str]
) -> None:
    path = made(sh("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2; cp $input $output"))
    assert shape(once(box(path))).kind == "table"
    assert capfd.readouterr() == ("", "")


def test_a_program_does_not_read_what_is_typed_at_the_audit(made: Make) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"typed\n")
    before = os.dup(0)
    os.dup2(reading, 0)
    try:
        found = once(box(made(sh("{ echo read; wc -c; } > $output"))))
    finally:
        os.dup2(before, 0)
        for file in (reading, writing, before):
            os.close(file)
    assert table(found)["read"].tolist() == [0.0]


def test_columns_are_text_where_the_domain_lists_values_and_numbers_where_they_can_be(
    made: Make,
) -> None:
    lines = "printf 'sex,age,new,more\\n1,7,NA,1\\n,,x,\\nnan,1e3,2,2.5\\n' > $output"
    found = table(once(box(made(sh(lines)))))
    assert found["sex"].tolist() == ["1", "", "nan"]
    assert found["age"].dtype == np.float64
    assert np.array_equal(found["age"], [7.0, np.nan, 1000.0], equal_nan=True)
    assert found["new"].tolist() == ["NA", "x", "2"]
    assert np.array_equal(found["more"], [1.0, np.nan, 2.5], equal_nan=True)
    bare = table(once(box(made(sh("echo sex,age > $output")))))
    assert list(bare.columns) == ["sex", "age"] and len(bare) == 0


INTERRUPTED = """
import os, signal, sys, tempfile, threading, time
from fractions import Fraction
from pathlib import Path
import numpy as np
from audit.subjects.pair import Pair
from audit.subjects.command import CommandBox
from audit.subjects.confinement import ChildLimits
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove

path, tempfile.tempdir = sys.argv[1:]

def interrupt():
    # The program waits as soon as it has said that it runs.
    while not list(Path(tempfile.tempdir).glob("*/*/began")):
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
box = CommandBox(path, ApproxDP(Fraction(1)), AddRemove(), Domain.from_cells("2"))
try:
    box.draw(Pair([], []), np.zeros(1, np.bool_), 1)
except KeyboardInterrupt:
    print(*Path(tempfile.tempdir).iterdir(), "interrupted")
"""
"""A process that is interrupted in the middle of a run; whatever that does to it ends there."""


def test_an_interrupt_ends_the_program_and_removes_its_folder(made: Make, tmp_path: Path) -> None:
    path, place = made(sh("touch began\nsleep 1000")), tmp_path / "place"
    place.mkdir()
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, path, str(place)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == "interrupted\n"
    await_end(path)


def test_a_box_pickles_and_a_relative_path_stays_the_same_file(
    made: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(made(sh("{ echo seed; echo $seed; } > $output")))
    monkeypatch.chdir(path.parent)
    subject = box(path.name)
    sent = pickle.loads(pickle.dumps(subject))
    monkeypatch.chdir(tmp_path.parent)
    assert sent == subject
    arguments = (PAIR, Seeds(3), "learn", 0, 0, 4)
    drawn = [draw_block(b, *arguments) for b in (subject, sent)]
    assert np.array_equal(drawn[0].outcomes.codes(), drawn[1].outcomes.codes())
    assert subject.name == f"command:{path.name}"


def test_a_path_that_cannot_be_run_is_refused_at_once(made: Make, tmp_path: Path) -> None:
    path = Path(made(sh("")))
    box(str(path)).check()
    with pytest.raises(InputError, match="is not a file"):
        box(str(tmp_path / "absent")).check()
    with pytest.raises(InputError, match="is not a file"):
        box(str(tmp_path)).check()
    path.chmod(0o644)
    with pytest.raises(InputError, match="chmod"):
        box(str(path)).check()


@pytest.mark.parametrize("text", ["#!/no/such/interpreter\n", "neither a script nor a program"])
def test_a_program_that_cannot_be_started_ends_the_audit(made: Make, text: str) -> None:
    with pytest.raises(ProtocolError, match="cannot be run"):
        once(box(made(text)))


@pytest.mark.parametrize(("seconds", "megabytes"), [(0, 1), (-1, 1), (float("nan"), 1), (1, 0)])
def test_limits_that_leave_no_room_are_refused(seconds: float, megabytes: int) -> None:
    with pytest.raises(InputError):
        Limits(seconds, megabytes)
