"""The page of the reference synthesizers: made from the cards, and of all of them."""

from __future__ import annotations

from docs.cards import FAMILIES, PAGE, rendered
from synthesizers.programs import PROGRAMS, card


def test_the_page_is_what_the_cards_give() -> None:
    assert PAGE.read_text() == rendered()


def test_every_program_stands_in_one_family() -> None:
    named = [name for names in FAMILIES.values() for name in names]
    assert sorted(named) == sorted(PROGRAMS)


def test_every_card_says_what_a_card_says() -> None:
    for name in PROGRAMS:
        missing = [
            label
            for label in ("Purpose:", "Source:", "Inputs:", "Budget:", "Known weaknesses:")
            if label not in card(name)
        ]
        assert not missing, (name, missing)
