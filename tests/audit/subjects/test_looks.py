"""Looks at a code: counted once a request, in whatever order and by whichever process."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from audit.subjects.kept_runs import RunFolder
from audit.subjects.looks import Look, take_look
from synthesizers.errors import InputError

CODE = {"kind": "function", "name": "m:f", "sources_sha256": "ab", "parameters": {"scale": "1"}}


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / "kept")


def test_the_same_request_is_the_same_look_and_another_one_a_further_look(
    folder: RunFolder,
) -> None:
    numbers = [take_look(folder, CODE, request, None).number for request in "abacb"]
    assert numbers == [1, 2, 1, 3, 2]


def test_looks_without_a_stated_seed_share_one_and_a_stated_one_is_another_request(
    folder: RunFolder,
) -> None:
    first, second = (take_look(folder, CODE, request, None) for request in "ab")
    assert first.seed == second.seed
    assert take_look(folder, CODE, "a", 5) == Look(3, 5)
    assert take_look(folder, CODE, "a", 6) == Look(4, 6)


@pytest.mark.parametrize(
    ("changed", "number"),
    [
        ({"seconds": 5}, 2),
        ({"megabytes": 5}, 2),
        ({"serves": True}, 2),
        ({"sources_sha256": "cd"}, 1),
        ({"parameters": {"scale": "2"}}, 1),
        ({"rows": 7}, 1),
    ],
)
def test_what_a_run_may_take_makes_no_other_code(
    folder: RunFolder, changed: dict[str, Any], number: int
) -> None:
    take_look(folder, CODE, "a", None)
    assert take_look(folder, CODE | changed, "b", None).number == number


def test_who_asks_at_once_gets_looks_of_his_own(folder: RunFolder) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: take_look(folder, CODE, str(n), None).number, range(40)))
    assert sorted(found) == list(range(1, 41))


def test_a_damaged_list_of_looks_is_refused(folder: RunFolder) -> None:
    take_look(folder, CODE, "a", None)
    (path,) = (path for path in folder.path.iterdir() if path.name not in ("key", ".lock"))
    path.write_bytes(b"[1, []]")
    with pytest.raises(InputError, match="is damaged"):
        take_look(folder, CODE, "b", None)
