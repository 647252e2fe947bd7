"""A training as a function of a run: canaries, their scores, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from audit.subjects.canary_run import as_canary_run, score_alike
from synthesizers.errors import InputError


def canaries() -> list[dict[str, float]]:
    return [{"x": float(k)} for k in range(6)]


def total(records: list[dict[str, float]], rng: object) -> float:
    return sum(record["x"] for record in records)


def test_it_counts_trains_and_scores() -> None:
    run = as_canary_run(total, canaries, lambda output, one: output - one["x"])
    assert run({"canaries": None, "chosen": None}, None) == [6]
    assert run({"canaries": None, "chosen": [1, 3]}, None) == [4, 3, 2, 1, 0, -1]


@pytest.mark.parametrize("given", [10**400, "1.5", None, float("nan")])
def test_a_score_is_a_number(given: object) -> None:
    run = as_canary_run(total, canaries, lambda output, one: given)
    with pytest.raises(InputError, match="the score of a canary is a number"):
        run({"canaries": None, "chosen": [0]}, None)


def test_canaries_may_be_handed_over() -> None:
    run = as_canary_run(lambda records, rng: len(records), None, lambda output, one: output)
    assert run({"canaries": ["a", "b"], "chosen": [0]}, None) == [1, 1]


def test_what_a_training_does_to_its_records_is_no_leak() -> None:
    def spoil(records: list[dict[str, float]], rng: object) -> int:
        for record in records:
            record["x"] = -100.0
        return 0

    run = as_canary_run(spoil, canaries, lambda output, one: one["x"])
    kept = canaries()
    assert as_canary_run(spoil, None, lambda output, one: one["x"])(
        {"canaries": kept, "chosen": [0, 1, 2]}, None
    ) == [0, 1, 2, 3, 4, 5]
    assert run({"canaries": None, "chosen": [5]}, None) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "output",
    [
        pd.DataFrame({"a": [1, 5], "b": ["x", "y"]}),
        [{"a": 1, "b": "x"}, {"b": "y", "a": 5}],
        [(1, "x"), (5, "y")],
    ],
)
def test_of_a_table_the_nearest_row_scores(output: object) -> None:
    records = [{"a": 1, "b": "x"}, {"a": 2, "b": "x"}, {"a": 9, "b": "z"}]
    run = as_canary_run(lambda rows, rng: output, None, None)
    found = run({"canaries": records, "chosen": []}, None)
    # Numbers of a are 8 apart at most.
    assert found == pytest.approx([0, -1 / 8, -1.5])


def test_of_numbers_as_long_as_a_canary_the_inner_product_scores() -> None:
    run = as_canary_run(lambda rows, rng: np.array([1.0, 2.0]), None, None)
    assert run({"canaries": [[3, 4], [0, -1]], "chosen": []}, None) == [11, -2]


def test_an_empty_table_is_far_from_all() -> None:
    assert score_alike([], [0.0, 0.0], {"a": 1, "b": 2}) == -2


@pytest.mark.parametrize(
    ("made", "score", "output", "said"),
    [
        (lambda: 3, None, [], "list of records"),
        (list, None, [], "1 to 100000 canaries; found 0"),
        (canaries, lambda output, one: "much", [], "is a number; of number 0 it is a str"),
        (canaries, lambda output, one: float("nan"), [], "is a number"),
        (canaries, None, "text", "without --score"),
        (canaries, None, [1.0, 2.0], "without --score"),
    ],
)
def test_what_makes_no_sense_is_refused(
    made: object, score: object, output: object, said: str
) -> None:
    run = as_canary_run(lambda rows, rng: output, made, score)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=said):
        run({"canaries": None, "chosen": [0]}, None)
