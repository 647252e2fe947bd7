from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest

from audit.channels.abowd_vilhuber import laplace_channel
from audit.channels.analysis import Wishes, analyse
from audit.channels.channel import Channel
from audit.channels.measures.attacker import Guess, guess, last_record, naming
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.probabilistic import data_laws
from audit.channels.measures.unavailable import Unavailable
from audit.report.channel.attacker import (
    attacker_view,
    guess_words,
    last_record_words,
    naming_words,
)
from synthesizers.exact import Exact
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from tests.audit.channels.slow_measures import Shape, channel_of_rows
from tests.audit.report import samples
from tests.audit.report.display import assert_rounds

ANALYSES = samples.analyses()


@pytest.mark.parametrize("name", ANALYSES)
def test_rises_are_those_of_the_analysis(name: str) -> None:
    analysis = ANALYSES[name]
    record, guess, namings = analysis.last_record, analysis.guess, analysis.namings
    wanted = [] if record.witness is None else [(record.prior, record.posterior)]
    if isinstance(guess, Guess) and guess.witness is not None:
        wanted.append((guess.without, guess.right))
    if not isinstance(namings, Unavailable):
        wanted += [(naming.without, naming.right) for naming in namings.values()]
    view = attacker_view(analysis)
    assert (view.rises is None) == (not wanted)
    if view.rises is None:
        return
    for row, (before, after) in zip(view.rises.rows, wanted, strict=True):
        assert (row.start, row.end) == pytest.approx((float(before), float(after.upper)))
        assert 0 <= row.start <= row.end * (1 + 1e-12) <= 1 + 1e-12
        assert row.text.count("→") == 1 and row.text.count("%") == 2
        assert_rounds(row.text.split("→")[1].removesuffix(" %"), after, 100)


def test_randomized_response_by_hand() -> None:
    view = attacker_view(ANALYSES["response"])
    assert view.rises is not None
    # Odds of 3 to 1 raise a coin flip to 3/4; guessing the shown value is right as often.
    assert [(row.name, row.text) for row in view.rises.rows][:2] == [
        ("The last record", "50 % → 75 %"),
        ("Which of two neighbours", "50 % → 75 %"),
    ]
    assert len(view.sentences) == 4


def test_an_uneven_prior_by_hand() -> None:
    view = attacker_view(analyse(samples.response(), Wishes({}, Fraction(1, 5))))
    assert view.rises is not None
    # Odds of 1 to 4 become 3 to 4; and where the other is 4 times likelier, it is always named.
    assert [(row.text, row.start) for row in view.rises.rows][:2] == [
        ("20 % → 42.9 %", 0.2),
        ("80 % → 80 %", 0.8),
    ]


def test_a_streamed_channel_has_one_attacker() -> None:
    view = attacker_view(ANALYSES["streamed"])
    assert view.rises is not None and len(view.rises.rows) == 1 == len(view.sentences)
    # ε = ln 11: odds of 11 to 1.
    assert view.rises.rows[0].text == "50 % → 91.7 %"


def test_no_neighbours_no_last_record() -> None:
    view = attacker_view(ANALYSES["strangers"])
    assert view.rises is not None
    assert [row.name for row in view.rises.rows] == ["Which database, all equally likely"]


F = Fraction
EVEN = F(1, 2)


@dataclass(frozen=True)
class Words:
    """What is said of each attacker; ``naming``: once for every law."""

    last_record: str
    guess: str
    naming: tuple[str, ...]


def words(channel: Channel, prior: Fraction = EVEN) -> Words:
    record = last_record(epsilon(channel), prior)
    return Words(
        last_record_words(record, channel.domain, channel.neighbours),
        guess_words(guess(channel, prior)),
        tuple(naming_words(k, naming(channel, law)) for k, law in data_laws(channel).items()),
    )


def test_figure_3_in_words() -> None:
    found = words(laplace_channel())
    assert found.last_record == (
        "Knowing all records but one, and seeing the release (0, 5), an attacker who thought it a "
        "coin flip whether the last record is “cell = 1” or “cell = 0” is now 88.1 % sure that the "
        "last record is “cell = 1”."
    )
    assert found.guess == (
        "Told that the confidential database is (0, 5) or (1, 4), equally likely, and shown one "
        "release, the best attacker names the right one with a chance of 81.6 % instead of 50 %; "
        "right less wrong, an advantage of 63.2 %."
    )
    assert found.naming == (
        "An attacker to whom every listed database is equally likely names the confidential one "
        "with a chance of 69.3 % after seeing the release instead of 16.7 %. The most telling "
        "release is (0, 5): after it the database (0, 5) is 79.3 % certain.",
        "An attacker who takes records to be drawn independently and uniformly over the cells "
        "names the confidential one with a chance of 65 % after seeing the release instead of "
        "31.2 %. The most telling release is (2, 3): after it the database (2, 3) is 71.5 % "
        "certain.",
    )


def test_another_prior_in_words() -> None:
    # From 1 in 10: e^2/(e^2 + 9) = 0.4509. Odds of 9 outweigh e^2 = 7.4: no better guess.
    found = words(laplace_channel(), F(1, 10))
    assert "who held it 10 % likely that the last record is “cell = 1”, and otherwise" in (
        found.last_record
    )
    assert "is now 45.1 % sure that" in found.last_record
    assert "is (0, 5) with a chance of 10 % and otherwise (1, 4)" in found.guess
    assert found.guess.endswith("guesses no better than without the release.")


def test_the_first_of_the_pair_is_the_less_likely_one() -> None:
    found = words(channel_of_rows([[F(1), F(0)], [F(1, 2), F(1, 2)]]), F(3, 4))
    # With (1, 0) at 1 in 4: 1/4 · 1/2 on the second output, against 3/4 of the other database.
    assert "(1, 0) with a chance of 25 % and otherwise (0, 1)" in found.guess
    assert "with a chance of 87.5 % instead of 75 %" in found.guess


def test_a_guess_that_may_be_better_is_not_called_useless() -> None:
    vague = Interval(F("0.4"), F("0.6"))
    rows: list[list[Exact]] = [[vague, vague], [F(1, 2), F(1, 2)]]
    assert "at least 50 % instead of 50 %" in words(channel_of_rows(rows)).guess


def test_certainty_is_said_only_where_it_is_certain() -> None:
    sure = channel_of_rows([[F(1, 2), F(1, 2)], [F(1), F(0)]])
    assert words(sure).last_record.endswith("is now certain that the last record is “cell = 1”.")
    tiny = F(1, 10**30)
    almost = words(channel_of_rows([[F(1, 2), F(1, 2)], [1 - tiny, tiny]]))
    assert "is now more than 99.99999999 % sure that" in almost.last_record
    assert "certain that" not in almost.last_record


def test_a_release_that_names_the_database() -> None:
    (sentence,) = words(
        channel_of_rows([[F(1), F(0)], [F(0), F(1)]], (AddRemove(), ((0,), (1,))))
    ).naming
    assert sentence.endswith(
        "The most telling release is (0): after it the database (0) is certain."
    )
    assert "with a chance of 100 % after seeing the release instead of 50 %" in sentence


def test_what_is_known_only_roughly_is_a_least() -> None:
    rows: list[list[Exact]] = [
        [Interval(F("0.7051"), F("0.8")), Interval(F("0.2"), F("0.2949"))],
        [F(1, 4), F(3, 4)],
    ]
    # A ratio of at least 0.7051/0.25 = 2.8204, so of 0.73825; told apart by at least 0.4551.
    found = words(channel_of_rows(rows))
    assert "is now at least 73.8 % sure" in found.last_record
    assert "with a chance of at least 72.7 % instead of 50 %" in found.guess
    assert "an advantage of at least 45.5 %" in found.guess


def test_a_record_that_is_there_or_not() -> None:
    rows: list[list[Exact]] = [[F(3, 4), F(1, 4)], [F(1, 2), F(1, 2)]]
    shape: Shape = (AddRemove(), ((0, 0), (0, 1)))
    missing = "the last record, of “cell = 1”, is missing"
    present = "the last record, of “cell = 1”, is present"
    # The ratio of 2 at output 1 speaks for (0, 1), which has the record.
    found = words(channel_of_rows(rows, shape)).last_record
    assert f"a coin flip whether {present} or missing is now 66.7 % sure that {present}." in found
    found = words(channel_of_rows(rows[::-1], shape)).last_record
    assert f"a coin flip whether {missing} or present is now 66.7 % sure that {missing}." in found


def test_a_persons_records() -> None:
    rows: list[list[Exact]] = [[F(3, 4), F(1, 4)], [F(1, 2), F(1, 2)]]
    shape: Shape = (ReplaceOne(Unit("person", 2)), ((0, 2), (2, 0)))
    assert words(channel_of_rows(rows, shape)).last_record == (
        "Knowing all records but one person's, and seeing the release (1), an attacker who thought "
        "it a coin flip whether the database is (2, 0) or (0, 2) is now 66.7 % sure that the "
        "database is (2, 0)."
    )


def test_nothing_to_tell() -> None:
    alike = words(channel_of_rows([[F(1, 3), F(2, 3)]] * 2))
    assert alike.last_record.startswith("No release tells an attacker")
    assert alike.guess.endswith("guesses no better than without the release.")
    assert all(text.endswith("no better with the release.") for text in alike.naming)
    single = words(channel_of_rows([[F(1)]]))
    assert single.last_record.startswith("No two of the databases are neighbours")
    assert single.guess.startswith("No two of the databases are neighbours")
