from __future__ import annotations

from fractions import Fraction

import pytest

from audit.channels.analysis import Wishes, analyse
from audit.channels.measures.attacker import Guess
from audit.channels.measures.unavailable import Unavailable
from audit.report.channel.attacker import attacker_view
from tests.audit.report import samples
from tests.audit.report.shown import assert_rounds

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
