"""Veils: fixed maps of single outcomes, as plain data, behind which what they hide is not seen."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.auditors.attack.scores.scores import score_from_json
from audit.auditors.attack.veils.form_veils import Failures, Forms, Labels
from audit.auditors.attack.veils.number_veils import Absent, Ends, Lattice, stands_out
from audit.auditors.attack.veils.row_veils import Rows, Sorted
from audit.auditors.attack.veils.veils import VEILS, choose_veils, hide, veil_from_json
from audit.subjects.outcomes import Ended, Outcomes, Raised
from audit.subjects.pair import Pair
from synthesizers.errors import InputError

pytestmark = pytest.mark.smoke

RNG = np.random.default_rng(4)
PAIR = Pair([{"x": 1}], [{"x": 1}, {"x": 2}])


def frame(rows: int) -> pd.DataFrame:
    return pd.DataFrame({"x": RNG.normal(size=rows), "y": RNG.choice(["a", "b", None], rows)})


ZOO: list[Any] = [
    *RNG.normal(size=20).tolist(),
    *[math.nan, math.inf, -math.inf, -0.0, 1e308, 5e-324, 3, True, None, "", b"4.5", object()],
    *[Raised("KeyError"), Raised("ValueError"), Ended("time"), "age 3.25, n = 1e400 and -7"],
    *[[1.5, 2.5], [1.5, 2.5, 3.5], [], (1, 2), RNG.normal(size=(3, 2)), RNG.normal(size=(4, 2))],
    *[frame(3), frame(0), frame(5), pd.DataFrame({"x": [1, 2]}), pd.DataFrame({"z": ["q"]})],
    *[{"a": 1.25, "b": [1, 2.5]}, {"a": 2, "c": {"d": float("nan")}}, {1: 2.0}, {"n": 10**400}],
    *[[{"x": "a", "n": 3.5}, {"x": "b", "n": 1}], [["v1", 2.5]], {"s": {"p", "q"}}, [None, "t"]],
    *[{"counts": np.array([1.5, 2.25])}, [{"x": True}], {"t": (1, [2.0])}],
]
OUTCOMES = Outcomes.of_outputs(ZOO)
ALL = choose_veils(list(VEILS), OUTCOMES, PAIR)


@pytest.mark.parametrize("veil", ALL, ids=list(VEILS))
def test_each_outcome_is_mapped_by_itself(veil: Any) -> None:
    whole = veil.hide(OUTCOMES)
    assert len(whole) == len(OUTCOMES)
    codes = whole.codes()
    for run in range(len(OUTCOMES)):
        alone = veil.hide(OUTCOMES.take(np.array([run])))
        assert alone.codes()[0] == codes[run], ZOO[run]
    turned = np.arange(len(OUTCOMES))[::-1]
    assert (veil.hide(OUTCOMES.take(turned)).codes() == codes[turned]).all()


@pytest.mark.parametrize("veil", ALL, ids=list(VEILS))
def test_a_veil_read_back_from_sorted_json_maps_to_the_same(veil: Any) -> None:
    read = veil_from_json(json.loads(json.dumps(veil.to_json(), sort_keys=True)))
    assert read.to_json() == veil.to_json()
    assert (read.hide(OUTCOMES).codes() == veil.hide(OUTCOMES).codes()).all()
    assert len(veil.hide(Outcomes.of_outputs([]))) == 0


def test_veils_one_after_the_other_map_whatever_there_is() -> None:
    assert len(hide(OUTCOMES, ALL)) == len(OUTCOMES)
    assert hide(OUTCOMES, ()) is OUTCOMES


@pytest.mark.parametrize(
    "data",
    [
        *({"veil": "none"}, {}, {"veil": "lattice"}, {"veil": "lattice", "steps": {"a": -1}}),
        *({"veil": "lattice", "steps": {"a": "x"}}, {"veil": "ends", "ends": {"a": [2, 1]}}),
        *({"veil": "rows", "size": -1}, {"veil": "rows", "size": 10**9}, {"veil": "labels"}),
        *({"veil": "absent"}, {"veil": "forms", "columns": [1]}, 3),
    ],
)
def test_what_is_no_veil_is_no_score_either(data: Any) -> None:
    score = {"score": "behind", "leaks": "", "veils": [data], "of": {"score": "silent"}}
    with pytest.raises(InputError, match="not of its form"):
        score_from_json(score)


def test_veils_behind_veils_are_no_score() -> None:
    inner = {"score": "behind", "leaks": "", "veils": [], "of": {"score": "silent"}}
    with pytest.raises(InputError, match="not of its form"):
        score_from_json({**inner, "of": inner})


def values(outcomes: Outcomes) -> Any:
    (block,) = outcomes.blocks
    return np.asarray(block)[:, 0]


def test_on_a_lattice_the_low_bits_are_gone_and_the_value_is_not() -> None:
    noise = RNG.laplace(size=2000) + 4
    outcomes = Outcomes.of_outputs(noise.tolist())
    found = values(Lattice.of(outcomes, PAIR).hide(outcomes))
    assert abs(found - noise).max() < 0.001
    assert (found * 2**10 == np.round(found * 2**10)).all()
    # A step is the same for shifted values: it does not depend on where they are.
    moved = Outcomes.of_outputs((noise - 4).tolist())
    assert Lattice.of(moved, PAIR).steps == Lattice.of(outcomes, PAIR).steps
    whole = Outcomes.of_outputs([3.0, 5e9, -2.0])
    assert (values(Lattice.of(whole, PAIR).hide(whole)) == [3.0, 5e9, -2.0]).all()


def test_minus_zero_is_zero_on_a_lattice() -> None:
    found = values(Lattice({"numbers 0": 0.5}).hide(Outcomes.of_outputs([-0.1, -0.0])))
    assert not np.signbit(found).any()


def test_ends_lie_within_values_that_stand_out() -> None:
    noise = np.clip(RNG.normal(size=1000), -math.inf, 1.0)
    assert stands_out(1.0, noise) and not stands_out(float(noise.min()), noise)
    geometric = RNG.geometric(0.86, 2000) - RNG.geometric(0.86, 2000)
    assert not stands_out(1.0, geometric.astype(float))
    outcomes = Outcomes.of_outputs([*noise.tolist(), *RNG.normal(size=1000).tolist()])
    found = values(Ends.of(outcomes, PAIR).hide(outcomes))
    assert found.max() == 1.0
    table = Outcomes.of_outputs([pd.DataFrame({"x": [3.0, 5.0, 4.0]})])
    (kept,) = Ends.of(table, PAIR).hide(table).blocks[0]
    assert kept["x"].tolist() == [0.0, 1.0, 0.5]


def test_numbers_without_noise_and_numbers_of_records_are_absent() -> None:
    noise = RNG.normal(size=50).tolist()
    outputs = [{"n": 1 + k % 2, "noisy": x, "flag": 7.5} for k, x in enumerate(noise)]
    veil = Absent.of(Outcomes.of_outputs(outputs), PAIR)
    assert veil.fields == {"data n", "data flag"}


def test_labels_that_only_some_have_go_with_what_stands_under_them() -> None:
    outputs = [{"a": 1.5, **({"b": 2.5} if k % 2 else {}), "names": ["p", "q"][: 1 + k % 2]}
               for k in range(10)]  # fmt: skip
    outcomes = Outcomes.of_outputs(outputs)
    codes = Labels.of(outcomes, PAIR).hide(outcomes).codes()
    assert len(np.unique(outcomes.codes())) == 2 and len(np.unique(codes)) == 1
    tables = [pd.DataFrame({"x": list("ab" + "c" * (k % 2))}) for k in range(10)]
    outcomes = Outcomes.of_outputs(tables)
    assert len(np.unique(Labels.of(outcomes, PAIR).hide(outcomes).codes())) == 1


def test_forms_failures_rows_and_orders_become_one() -> None:
    x = pd.DataFrame({"x": [1, 2]})
    same = [x, x.astype(float), x.assign(extra=3)]
    assert _codes(Forms, same) == 1
    assert _codes(Forms, [3, 3.0, True + 2]) == 1
    assert _codes(Failures, [Raised("A"), Raised("B"), Ended("time")]) == 1
    assert _codes(Failures, [Raised("A"), None, 3]) == 3
    one_value = [pd.DataFrame({"x": [1] * n}) for n in (4, 5, 9)]
    assert _codes(Rows, one_value) == 1
    assert _codes(Rows, [[7.0] * n for n in (4, 5, 9)]) == 1
    assert _codes(Rows, [[{"x": 1}] * n for n in (4, 5, 9)]) == 1
    rows = pd.DataFrame({"x": list("abc"), "y": [1, 2, 3]})
    assert _codes(Sorted, [rows, rows[::-1]]) == 1
    assert _codes(Sorted, [np.array([[1, 2], [3, 4]]), np.array([[3, 4], [1, 2]])]) == 1
    assert _codes(Sorted, [[{"x": 1}, {"x": 2}], [{"x": 2}, {"x": 1}]]) == 1


def _codes(veil: Any, outputs: list[Any]) -> int:
    outcomes = Outcomes.of_outputs(outputs)
    return len(np.unique(veil.of(outcomes, PAIR).hide(outcomes).codes()))
