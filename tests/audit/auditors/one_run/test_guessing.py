"""Guesses by scores: as many as were settled, and none that depends on a coin."""

import numpy as np
import pytest

from audit.auditors.one_run.guessing import (
    count_right,
    find_differences,
    guess_inclusion,
    guess_pairs,
    guess_presence,
    tell_guesses,
)

SCORES = np.array([5.0, -3.0, 0.0, 4.0, -2.0, 1.0])


def test_the_ends_of_the_order_are_guessed() -> None:
    assert guess_inclusion(SCORES, 4, "1", 0) == "+-.+-."
    assert guess_inclusion(SCORES, 3, "1", 0) == "+-.+.."
    assert guess_presence(SCORES, 3, "1") == "+..+.+"


def test_of_pairs_the_largest_differences_are_guessed_by_their_sign() -> None:
    assert guess_pairs(SCORES, 3, "1", 0) == "+-.+.."


def test_scores_may_be_infinite() -> None:
    scores = np.array([np.inf, 0.0, -np.inf, -np.inf, np.inf, np.inf, 2.0, 1.0])
    assert find_differences(scores).tolist() == [np.inf, 0, 0, 1]
    assert guess_pairs(find_differences(scores), 2, "1", 0) == "+..+"


@pytest.mark.parametrize("guesses", [1, 7, 100])
@pytest.mark.parametrize("scores", [np.zeros(100), np.arange(100.0)])
def test_as_many_are_guessed_as_were_settled(scores: np.ndarray, guesses: int) -> None:
    for made in (
        guess_inclusion(scores, guesses, "1", 0),
        guess_pairs(scores, guesses, "1", 0),
        guess_presence(scores, guesses, "1"),
    ):
        assert len(made) == 100
        assert made.count("+") + made.count("-") == guesses


def test_guesses_of_equal_scores_do_not_follow_the_order_of_canaries() -> None:
    made = guess_inclusion(np.zeros(1000), 1000, "1", 0)
    # 500 of the first 500 would be out; at random 250 ± 11.
    assert 150 < made[:500].count("-") < 350
    assert made != guess_inclusion(np.zeros(1000), 1000, "1", 1)
    pairs = guess_pairs(np.zeros(1000), 1000, "1", 0)
    assert 350 < pairs.count("+") < 650


def test_right_guesses_are_counted() -> None:
    coins = np.array([True, False, True, True, True, False])
    assert count_right("+-.+-.", coins) == 3
    shown, hidden = (tell_guesses("+-.+-.", coins, shown) for shown in (True, False))
    assert (shown.right, shown.made) == (3, "+-.+-.")
    assert (hidden.right, hidden.made, hidden.sha256) == (3, None, shown.sha256)
