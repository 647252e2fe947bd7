"""Channel files: in, out, rounded, and everything that is not one."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

from audit.channels.abowd_vilhuber import FIGURE_1, FIGURE_3, laplace_channel, plug_in_channel
from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from audit.channels.measures.delta import delta
from audit.channels.measures.epsilon import decide_epsilon, epsilon
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision
from audit.subjects.matrix import (
    MAX_CARRIED,
    channel_csv,
    decode_channel,
    is_channel_file,
    read_channel,
)
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import enclose
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs import build
from tests.audit.channels.slow_measures import (
    encloses,
    entries,
    fractions,
    matrix,
    rational_channels,
)
from tests.synthesizers.brute_force import fraction

F = Fraction
FAIR = "database,0-1,1-0\n0-1,3/4,1/4\n1-0,1/4,3/4\n"


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Channel]:
    """Write a file's text and read it as a channel."""

    def of(text: str | bytes, rounded: bool = False, name: str = "channel.csv") -> Channel:
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_channel(str(path), ReplaceOne(), "output", rounded).channel

    return of


def figure_text(figure: str) -> str:
    """A printed figure as the contract's channel CSV."""
    names = [f"{n}-{5 - n}" for n in range(6)]
    lines = [line.split() for line in figure.strip().split("\n")]
    body = [",".join([name, *line]) for name, line in zip(names, lines, strict=True)]
    return "\n".join([",".join(["database", *names]), *body]) + "\n"


# -- reading ---------------------------------------------------------------------------------


def test_fractions_and_decimals_are_taken_exactly(read: Callable[..., Channel]) -> None:
    channel = read("database,a,b,c\n0-1,0.1,2/3,7/30\n1-0,1e-1,0.40,.5\n")
    assert entries(channel) == [[F(1, 10), F(2, 3), F(7, 30)], [F(1, 10), F(2, 5), F(1, 2)]]
    assert channel.outputs == (("a",), ("b",), ("c",))
    assert channel.databases.tolist() == [[0, 1], [1, 0]]
    assert epsilon(channel).value == F(15, 7)


def test_what_stands_between_the_commas_may_vary(read: Callable[..., Channel]) -> None:
    texts = (
        FAIR.replace("\n", "\r\n"),
        "\ufeff" + FAIR,
        '"database","0-1","1-0"\n"0-1","3/4","1/4"\n"1-0","1/4","3/4"\n',
        "database, 0-1 ,1-0\n 0-1, 3/4 ,1/4\n1-0 ,+0.25,0.75\n",
        FAIR + "\n\n",
        FAIR.rstrip("\n"),
    )
    for text in texts:
        channel = read(text)
        assert entries(channel) == [[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]]
        assert channel.outputs == ((0, 1), (1, 0))
    zipped = read(gzip.compress(FAIR.encode()), name="channel.csv.gz")
    assert epsilon(zipped).value == 3


def test_suppressed_counts(read: Callable[..., Channel]) -> None:
    channel = read("database,?-3,?,2-?-1,0-3\n1-0,1/4,1/4,1/4,1/4\n")
    assert channel.outputs == ((None, 3), (None,), (2, None, 1), (0, 3))


def test_three_cells_and_other_relations(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    path.write_text("database,yes,no\n0-0-0,1/2,1/2\n0-1-0,1/4,3/4\n")
    assert epsilon(read_channel(str(path), ReplaceOne(), "output", False).channel).witness is None
    found = read_channel(str(path), AddRemove(), "transcript", False)
    assert epsilon(found.channel).value == 2
    assert found.channel.released == "transcript"
    assert found.channel.domain.size == 3
    assert found.name == "c.csv"


def test_rows_may_miss_1_by_the_tolerance_and_no_more(read: Callable[..., Channel]) -> None:
    exactly = "database,a,b\n1-0,0.5,0.5000000010\n"
    channel = read(exactly)
    # The sum is known to 1e-9 only, and so is each chance.
    for value, stated in zip(entries(channel)[0], (F(1, 2), F(5000000010, 10**10)), strict=True):
        assert isinstance(value, Interval)
        assert value.lower < stated < value.upper
        assert value.upper - value.lower <= F(3, 10**9)
    for row in ("0.5,0.5000000011", "0.5,0.4999999989", "0.5,0.49"):
        with pytest.raises(InputError, match="--rounded"):
            read(f"database,a,b\n1-0,{row}\n")


def test_a_zero_stays_a_zero_in_a_row_that_misses_1(read: Callable[..., Channel]) -> None:
    channel = read("database,a,b\n0-1,0.9999999999,0\n1-0,0.5,0.5\n")
    assert epsilon(channel).enclosure == Enclosure.infinite()
    assert entries(channel)[1] == [F(1, 2), F(1, 2)]


# -- rounded ---------------------------------------------------------------------------------


def test_rounded_reads_half_a_last_digit_on_either_side(read: Callable[..., Channel]) -> None:
    channel = read("database,a,b,c,d\n1-0,0.25,0.740,1/100,0.00\n", rounded=True)
    a, b, c, d = entries(channel)[0]
    assert a == Interval(F(49, 200), F(51, 200))
    assert b == Interval(F(1479, 2000), F(1481, 2000))
    assert c == F(1, 100)
    assert d == Interval(F(0), F(1, 200))
    channel = read("database,a,b\n1-0,1.00,2.5E-3\n", rounded=True)
    assert entries(channel)[0] == [
        Interval(F(199, 200), F(1)),
        Interval(F(49, 20000), F(51, 20000)),
    ]


def test_the_papers_figure_3_has_a_row_beside_1(read: Callable[..., Channel]) -> None:
    text = figure_text(FIGURE_3)
    with pytest.raises(InputError, match=r"sums to 1\.000001|sums to 0\.999999"):
        read(text)
    channel = read(text, rounded=True)
    exact = laplace_channel()
    assert channel.databases.tolist() == exact.databases.tolist()
    assert channel.outputs == exact.outputs
    for vague, value in zip(chain(*entries(channel)), chain(*entries(exact)), strict=True):
        wide, ends = enclose(vague), enclose(value)
        assert wide.lower <= ends.lower <= ends.upper <= wide.upper
    found = epsilon(channel).enclosure
    assert found.lower < 2 < found.upper
    assert decide_epsilon(channel, F(2))[0] is Decision.UNDECIDED
    assert decide_epsilon(channel, F(19, 10))[0] is Decision.VIOLATED
    assert decide_epsilon(channel, F(21, 10))[0] is Decision.HOLDS


def test_the_papers_figure_1_rounded(read: Callable[..., Channel]) -> None:
    channel = read(figure_text(FIGURE_1), rounded=True)
    found = epsilon(channel).enclosure
    truth = 5 * math.log(3)
    assert found.lower < truth < found.upper < 5.7
    assert decide_epsilon(channel, F(2))[0] is Decision.VIOLATED
    exact = delta(plug_in_channel(), F(2)).enclosure
    vague = delta(channel, F(2)).enclosure
    assert vague.lower <= exact.lower <= exact.upper <= vague.upper


def test_an_identity_matrix_is_exact_with_and_without_rounded(
    read: Callable[..., Channel],
) -> None:
    text = "database,a,b\n0-1,1,0\n1-0,0,1\n"
    for rounded in (False, True):
        assert epsilon(read(text, rounded=rounded)).enclosure == Enclosure.infinite()
    # Written with decimals, a zero may be a small chance.
    vague = epsilon(
        read(text.replace("1,0", "1.00,0.00").replace("0,1", "0.00,1.00"), rounded=True)
    )
    assert vague.enclosure.upper == math.inf
    assert F(5) < vague.enclosure.lower < F(6)


def test_rounded_rows_must_be_able_to_sum_to_1(read: Callable[..., Channel]) -> None:
    read("database,a,b,c\n1-0,0.33,0.33,0.33\n", rounded=True)
    for row in ("0.33,0.33,0.32", "0.34,0.34,0.35", "0.33,0.33,32/100"):
        with pytest.raises(InputError, match="sums to"):
            read(f"database,a,b,c\n1-0,{row}\n", rounded=True)


# -- what is no channel ----------------------------------------------------------------------

MALFORMED = {
    "empty": "",
    "blank": "\n\n",
    "header alone": "database,a\n",
    "other header": "row,a\n1-0,1\n",
    "capital header": "Database,a\n1-0,1\n",
    "no outputs": "database\n1-0\n",
    "short row": "database,a,b\n1-0,1\n",
    "long row": "database,a\n1-0,1,0\n",
    "empty cell": "database,a,b\n1-0,1,\n",
    "text": "database,a,b\n1-0,half,1/2\n",
    "nan": "database,a,b\n1-0,nan,1\n",
    "infinite": "database,a,b\n1-0,inf,1\n",
    "percent": "database,a,b\n1-0,50%,50%\n",
    "decimal comma": 'database,a,b\n1-0,"0,5","0,5"\n',
    "negative": "database,a,b\n1-0,-0.5,1.5\n",
    "above 1": "database,a,b\n1-0,1.5,-0.5\n",
    "negative fraction": "database,a,b\n1-0,-1/2,1/2\n",
    "division by 0": "database,a,b\n1-0,1/0,1/2\n",
    "twice divided": "database,a,b\n1-0,1/2/2,1/2\n",
    "decimals divided": "database,a,b\n1-0,0.5/1,1/2\n",
    "huge exponent": "database,a,b\n1-0,1e999999999,1/2\n",
    "tiny exponent": "database,a,b\n1-0,1e-999999999,1\n",
    "zero with a huge exponent": "database,a,b\n1-0,0e999999999,1\n",
    "very long fraction": f"database,a,b\n1-0,1/{'9' * 6000},1\n",
    "hexadecimal": "database,a,b\n1-0,0x1,0\n",
    "sums to 2": "database,a,b\n1-0,1,1\n",
    "sums to 0": "database,a,b\n1-0,0,0\n",
    "database in words": "database,a\nfive,1\n",
    "database with a gap": "database,a\n1-?,1\n",
    "negative count": "database,a\n1--1,1\n",
    "fractional count": "database,a\n1.5-2,1\n",
    "no count": "database,a\n,1\n",
    "count beyond numbers": f"database,a\n{'9' * 30}-0,1\n",
    "count of thousands of digits": f"database,a\n{'9' * 6000}-0,1\n",
    "other cells": "database,a\n1-0,1\n1-0-0,1\n",
    "database twice": "database,a\n1-0,1\n01-0,1\n",
    "output twice": "database,0-1,0-1\n1-0,1/2,1/2\n",
    "output twice in other words": "database,0-1,00-1\n1-0,1/2,1/2\n",
    "open quote": 'database,a\n"1-0,1\n',
    "not UTF-8": b"database,a\n1-0,\xff\n",
    "zero byte": "database,a\n1-0,1\x00\n",
    "UTF-16": FAIR.encode("utf-16"),
}


@pytest.mark.parametrize("case", MALFORMED)
@pytest.mark.parametrize("rounded", [False, True])
def test_a_malformed_file_is_one_input_error(
    case: str, rounded: bool, read: Callable[..., Channel]
) -> None:
    with pytest.raises(InputError) as caught:
        read(MALFORMED[case], rounded=rounded)
    assert len(str(caught.value)) < 600
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path: Path, read: Callable[..., Channel]) -> None:
    for name in ("absent.csv", "absent.parquet", "absent.csv.gz"):
        with pytest.raises(InputError, match="absent"):
            read_channel(str(tmp_path / name), ReplaceOne(), "output", False)
    for name in ("folder.csv", "folder.parquet"):
        (tmp_path / name).mkdir()
        with pytest.raises(InputError, match="folder"):
            read_channel(str(tmp_path / name), ReplaceOne(), "output", False)
    with pytest.raises(InputError):
        read(FAIR, name="channel.csv.gz")
    with pytest.raises(InputError):
        read(gzip.compress(FAIR.encode())[:-9], name="cut.csv.gz")
    with pytest.raises(InputError):
        read(FAIR, name="channel.parquet")


def test_which_names_are_channel_files() -> None:
    assert all(map(is_channel_file, ("a.csv", "b/c.csv.gz", "d.parquet", "e.json")))
    assert not any(map(is_channel_file, ("subsample", "a:b", "a.txt", "csv", "json")))


# -- Parquet ---------------------------------------------------------------------------------


def parquet(frame: pd.DataFrame, path: Path) -> Channel:
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    frame.to_parquet(path, index=False)
    return read_channel(str(path), ReplaceOne(), "output", False).channel


def test_parquet_of_text_and_of_doubles(tmp_path: Path) -> None:
    text = pd.DataFrame({"database": ["0-1", "1-0"], "0-1": ["3/4", ".25"], "1-0": ["1/4", "3/4"]})
    assert epsilon(parquet(text, tmp_path / "text.parquet")).value == 3
    doubles = pd.DataFrame({"database": ["0-1", "1-0"], "a": [0.1, 0.4], "b": [0.9, 0.6]})
    channel = parquet(doubles, tmp_path / "doubles.parquet")
    # A double stands for the shortest decimal that is it.
    assert entries(channel)[0] == [F(1, 10), F(9, 10)]
    whole = pd.DataFrame({"database": [0, 1], "a": [1, 0], "b": [0, 1]})
    assert epsilon(parquet(whole, tmp_path / "whole.parquet")).witness is None


@pytest.mark.parametrize(
    "columns",
    [
        {"database": ["1-0"], "a": [None]},
        {"database": ["1-0"], "a": [float("nan")]},
        {"database": ["1-0"], "a": [True]},
        {"database": ["1-0"], "a": [[1.0]]},
        {"database": [None], "a": [1.0]},
        {"database": [], "a": []},
        {"a": [1.0], "database": ["1-0"]},
        {"database": ["1-0"]},
        {"database": [1.5], "a": [1.0]},
    ],
)
def test_parquet_that_is_no_channel(tmp_path: Path, columns: dict[str, list[Any]]) -> None:
    with pytest.raises(InputError):
        parquet(pd.DataFrame(columns), tmp_path / "bad.parquet")


def test_parquet_with_an_output_twice(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    writer = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    columns = [arrow.array(["1-0"]), arrow.array(["1/2"]), arrow.array(["1/2"])]
    path = tmp_path / "twice.parquet"
    writer.write_table(arrow.Table.from_arrays(columns, names=["database", "a", "a"]), path)
    with pytest.raises(InputError):
        read_channel(str(path), ReplaceOne(), "output", False)


# -- writing ---------------------------------------------------------------------------------


def write_channel(channel: Channel, path: str, exact: bool) -> None:
    Path(path).write_bytes(channel_csv(channel, exact).encode())


@given(channel=rational_channels())
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_exact_round_trip(channel: Channel, tmp_path: Path) -> None:
    path = str(tmp_path / "out.csv")
    write_channel(channel, path, exact=True)
    again = read_channel(path, channel.neighbours, "output", False).channel
    assert entries(again) == entries(channel)
    assert again.databases.tolist() == channel.databases.tolist()
    assert again.outputs == channel.outputs
    assert epsilon(again).value == epsilon(channel).value
    write_channel(channel, path, exact=False)
    plain = read_channel(path, channel.neighbours, "output", False).channel
    for a, b in zip(chain(*entries(plain)), chain(*fractions(channel)), strict=True):
        assert abs(enclose(a).lower - b) <= F(2, 10**9)
        assert (enclose(a).upper == 0) == (b == 0)


def test_program_channels_round_trip(tmp_path: Path) -> None:
    path = str(tmp_path / "out.csv")
    for name, values in (
        ("geometric-sanitizer", {"epsilon": "2"}),
        ("geometric-sanitizer", {"epsilon": "300"}),
        ("multinomial-dirichlet", {}),
        ("subsample", {"fraction": "1/2"}),
    ):
        setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 4)
        channel = channel_of(build(name, values), setting, exact=True).channel
        for exact in (True, False):
            write_channel(channel, path, exact)
            again = read_channel(path, ReplaceOne(), "output", False).channel
            assert again.outputs == channel.outputs
            assert np.allclose(again.centre, channel.centre, rtol=1e-8)
            if exact and name == "multinomial-dirichlet":
                assert entries(again) == entries(channel)


def test_outputs_of_text_and_gaps_are_quoted_and_read_back(tmp_path: Path) -> None:
    path = str(tmp_path / "out.csv")
    outputs = ((None, 2), ('say "yes", twice',), (1, 1), ("line\nbreak",))
    row: list[Any] = [F(1, 4)] * 4
    channel = Channel.of_exact(
        Domain.from_cells("2"), ReplaceOne(), np.array([[1, 0]]), outputs, matrix([row]), "output"
    )
    write_channel(channel, path, exact=True)
    assert read_channel(path, ReplaceOne(), "output", False).channel.outputs == outputs


# -- certificates ----------------------------------------------------------------------------


def identity_of(tmp_path: Path, text: str, rounded: bool = False) -> dict[str, Any]:
    path = tmp_path / "carried.csv"
    path.write_text(text)
    subject = read_channel(str(path), ReplaceOne(), "output", rounded)
    found: dict[str, Any] = json.loads(json.dumps(subject.identity))
    return found


def test_a_certificate_carries_the_channel(tmp_path: Path) -> None:
    for text, rounded in ((FAIR, False), (figure_text(FIGURE_3), True)):
        identity = identity_of(tmp_path, text, rounded)
        again = decode_channel(identity, "carried.csv", ReplaceOne(), "output")
        there = read_channel(str(tmp_path / "carried.csv"), ReplaceOne(), "output", rounded)
        assert again is not None
        assert entries(again.channel) == entries(there.channel)
        assert again.channel.outputs == there.channel.outputs
        assert again.channel.databases.tolist() == there.channel.databases.tolist()


def test_a_channel_too_large_to_carry_is_not_carried(tmp_path: Path) -> None:
    columns = MAX_CARRIED // 2 + 1
    names = ",".join(f"{n}" for n in range(columns))
    row = ",".join(["1", *["0"] * (columns - 1)])
    identity = identity_of(tmp_path, f"database,{names}\n1-0,{row}\n0-1,{row}\n")
    assert set(identity) == {"sha256", "rounded"}
    assert decode_channel(identity, "carried.csv", ReplaceOne(), "output") is None


def test_a_tampered_carried_channel_is_an_input_error(tmp_path: Path) -> None:
    def alter(change: Callable[[dict[str, Any]], Any]) -> None:
        identity = identity_of(tmp_path, FAIR)
        change(identity)
        with pytest.raises(InputError):
            decode_channel(identity, "carried.csv", ReplaceOne(), "output")

    alter(lambda i: i["matrix"]["probabilities"].pop())
    alter(lambda i: i["matrix"]["probabilities"][0].pop())
    alter(lambda i: i["matrix"]["probabilities"][0].append("0"))
    alter(lambda i: i["matrix"]["probabilities"][0].__setitem__(0, "2"))
    alter(lambda i: i["matrix"]["probabilities"][0].__setitem__(0, None))
    alter(lambda i: i["matrix"].__setitem__("probabilities", 5))
    alter(lambda i: i["matrix"].__setitem__("probabilities", [5, 5]))
    alter(lambda i: i["matrix"].__setitem__("databases", []))
    alter(lambda i: i["matrix"].__setitem__("databases", None))
    alter(lambda i: i["matrix"].pop("outputs"))
    alter(lambda i: i.__setitem__("matrix", 5))
    alter(lambda i: i.__setitem__("matrix", []))
    alter(lambda i: i["matrix"].__setitem__("outputs", ["0-1", "0-1"]))


def test_figures_by_file_and_by_program_agree(read: Callable[..., Channel]) -> None:
    with mpmath.workdps(60):
        truth = 5 * mpmath.log(fraction(F(3)))
    assert encloses(epsilon(read(figure_text(FIGURE_1), rounded=True)).enclosure, truth)


def test_chances_below_the_doubles_are_written_as_they_are(tmp_path: Path) -> None:
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 2)
    program = build("geometric-sanitizer", {"epsilon": "2000"})
    channel = channel_of(program, setting).channel
    assert channel.powers is not None
    path = tmp_path / "steep.csv"
    write_channel(channel, str(path), False)
    exact = channel_of(program, setting, exact=True).channel
    assert exact.exact is not None
    for row, line in enumerate(path.read_text().splitlines()[1:]):
        for column, cell in enumerate(line.split(",")[1:]):
            ends = enclose(exact.exact[row, column])
            assert abs(F(cell) / ends.lower - 1) < F(1, 10**12)
