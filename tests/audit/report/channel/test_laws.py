from __future__ import annotations

from audit.channels.abowd_vilhuber import plug_in_channel
from audit.channels.measures.probabilistic import data_laws
from audit.report.channel.laws import LAWS, law_meanings


def test_every_law_has_words() -> None:
    # All databases of one size: where every law is to be had.
    assert set(LAWS) == set(data_laws(plug_in_channel()))


def test_laws_are_told_in_the_order_given() -> None:
    assert law_meanings(["multinomial", "uniform"]) == (
        "multinomial: records drawn independently and uniformly over the cells; "
        "uniform: every listed database alike"
    )
