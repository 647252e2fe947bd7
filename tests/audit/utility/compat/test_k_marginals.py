from __future__ import annotations

import numpy as np
import pytest

from audit.utility.compat.k_marginals import PROGRAMS


@pytest.mark.parametrize(
    ("mode", "columns", "k", "draws", "repeated"),
    [("sdnist-1", 33, 2, 50, 3), ("sdnist-1", 35, 3, 300, 29), ("sdnist-2.5", 35, 2, 200, 6)],
)
def test_programs_that_replace_draw_a_column_twice_as_often_as_is_known_of_them(
    mode: str, columns: int, k: int, draws: int, repeated: int
) -> None:
    names = [f"c{j:02}" for j in range(columns)]
    sets = PROGRAMS[mode].sets(names, k, draws, 0)
    assert len(sets) == draws
    assert sum(len(set(names)) < k for names in sets) == repeated


def test_sprint_2_draws_what_its_generator_draws() -> None:
    names = ["B", "a", "C", "A", "D"]
    state = np.random.RandomState(123456)
    expected = [tuple(state.choice(sorted(names), size=2, replace=False)) for _ in range(50)]
    assert list(PROGRAMS["sprint-2"].sets(names, 2, None, 0)) == expected
    state = np.random.RandomState(7)
    expected = [tuple(state.choice(sorted(names), size=3, replace=False)) for _ in range(4)]
    assert list(PROGRAMS["sprint-2"].sets(names, 3, 4, 7)) == expected


def test_sdnist_25_draws_what_its_generator_draws() -> None:
    names = [f"c{j:02}" for j in range(30)]
    random = np.random.default_rng(0)
    expected = [tuple(random.choice(names, size=2)) for _ in range(200)]
    assert list(PROGRAMS["sdnist-2.5"].sets(names, 2, None, 0)) == expected
