"""Benchmark tables: the same for a seed, of the stated size, with correlations to find."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from audit.cli.main import main
from audit.utility import benchmark_tables
from audit.utility.benchmark_tables import MOST, Size, benchmark_table, commitment
from synthesizers.errors import InputError
from synthesizers.schemas import load_domain
from synthesizers.tables import read_table


def test_a_table_has_its_stated_size() -> None:
    table = benchmark_table(Size(12, 30, 5000), "one")
    assert table.codes.shape == (5000, 12)
    assert all(2 <= size <= 30 for size in table.domain.shape)
    assert [attribute.ordinal for attribute in table.domain.attributes] == [False, True] * 6


def test_equal_seeds_give_equal_tables_and_others_do_not() -> None:
    size = Size(6, 8, 400)
    first, again, other = (benchmark_table(size, seed).codes for seed in ("a", "a", "b"))
    assert (first == again).all()
    assert first.shape != other.shape or (first != other).any()


def test_the_domain_and_the_persons_do_not_follow_from_the_number_of_records() -> None:
    short, long = (benchmark_table(Size(5, 9, n, 3), "x") for n in (200, 1000))
    assert short.domain == long.domain
    assert (long.persons[:200] == short.persons).all()


def test_every_value_can_come_and_pairs_are_correlated() -> None:
    table = benchmark_table(Size(10, 6, 40_000), "correlated")
    dependence = []
    for left, right in combinations(range(10), 2):
        counts = np.zeros((table.domain.shape[left], table.domain.shape[right]))
        np.add.at(counts, (table.codes[:, left], table.codes[:, right]), 1)
        product = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / 40_000
        dependence.append(np.abs(counts - product).sum() / 80_000)
    # Independent attributes of so few values would be nearer than 0.02 at this size.
    assert sum(one > 0.05 for one in dependence) >= 5
    assert min(dependence) < 0.02


def test_ordinal_children_move_with_their_parents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark_tables, "ZERO_CHANCE", 0.0)
    moved = 0
    for seed in range(8):
        table = benchmark_table(Size(4, 9, 4000), f"ordinal {seed}")
        ranks = table.codes.astype(float)
        correlation = np.corrcoef(ranks[:, 1], ranks[:, 3])[0, 1]
        moved += abs(correlation) > 0.1
    assert moved >= 1


def test_a_person_keeps_what_is_the_persons_own_across_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    size = Size(8, 7, 3000, 4)
    whole = benchmark_table(size, "people")
    monkeypatch.setattr(benchmark_tables, "BLOCK", 97)
    blocks = benchmark_table(size, "people")
    for table in (whole, blocks):
        assert table.persons is not None
        counts = np.bincount(table.persons)
        assert counts[:-1].min() == 1 and counts.max() == 4
        kept = 0
        for column in table.codes.T:
            pairs = np.unique(np.stack([table.persons, column]), axis=1)
            kept += pairs.shape[1] == len(counts)
        assert kept >= 4
    owned = [
        column
        for column in range(8)
        if np.unique(np.stack([whole.persons, whole.codes[:, column]]), axis=1).shape[1]
        == len(np.bincount(whole.persons))
    ]
    for column in owned:
        assert (whole.codes[:, column] == blocks.codes[:, column]).all()


@pytest.mark.parametrize(
    "size", [(0, 2, 1), (1, 1, 1), (1, 2, 0), (MOST["attributes"] + 1, 2, 1), (1, 2, 1, 0)]
)
def test_sizes_out_of_range_are_refused(size: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="a benchmark table has"):
        Size(*size)


def _generate(folder: Path, *more: str) -> int:
    size = ["--attributes", "5", "--values", "4", "--records", "300"]
    return main(["generate", *size, "--out", str(folder), "--quiet", *more])


def test_the_command_writes_what_can_be_read_back_and_made_again(tmp_path: Path) -> None:
    assert _generate(tmp_path / "hidden") == 0
    seed = (tmp_path / "hidden" / "seed.txt").read_text().strip()
    process = json.loads((tmp_path / "hidden" / "process.json").read_text())
    assert process["seed_sha256"] == commitment(seed)
    assert seed not in (tmp_path / "hidden" / "process.json").read_text()
    assert _generate(tmp_path / "again", "--seed", seed) == 0
    for name in ("table.csv", "domain.toml", "process.json"):
        first, second = ((tmp_path / part / name).read_bytes() for part in ("hidden", "again"))
        assert first == second
    domain = load_domain(tmp_path / "hidden" / "domain.toml")
    table = read_table(tmp_path / "hidden" / "table.csv", domain)
    assert (table.codes == benchmark_table(Size(5, 4, 300), seed).codes).all()


def test_two_hidden_seeds_differ(tmp_path: Path) -> None:
    assert _generate(tmp_path / "a") == 0 == _generate(tmp_path / "b")
    seeds = {(tmp_path / part / "seed.txt").read_text() for part in ("a", "b")}
    assert len(seeds) == 2


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--seed", " "], "--seed is empty"),
        (["--max-records", "0"], "records a person"),
        (["--max-records", "x"], "max-records"),
    ],
)
def test_bad_flags_are_refused_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flags: list[str], said: str
) -> None:
    assert _generate(tmp_path / "out", *flags) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _generate(tmp_path) == 0
    before = (tmp_path / "table.csv").read_bytes()
    assert _generate(tmp_path) == 2
    assert "already" in capsys.readouterr().err
    assert (tmp_path / "table.csv").read_bytes() == before
