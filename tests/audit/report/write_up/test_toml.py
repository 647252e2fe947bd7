"""The list of queries is read back as it was written, whatever its words are."""

from __future__ import annotations

import tomllib
from fractions import Fraction

import pytest

from audit.report.write_up.toml import queries_toml
from audit.review.submissions.sections import Section
from audit.review.submissions.stated_write_ups import read_write_up
from audit.review.write_ups.asked import AskedQuery
from audit.review.write_ups.comparing import compare_write_up
from tests.audit.review.write_ups.queries import SEXES, ask


def reread(asked: list[AskedQuery]) -> list[str]:
    section = Section(tomllib.loads(queries_toml(asked))["write-up"], "[write-up]", [])
    stated = read_write_up(section)
    assert section.problems == []
    assert [one.name for one in stated.queries] == [one.name for one in asked]
    return [one.kind for one in compare_write_up(stated.queries, asked)]


def test_what_is_written_differs_in_nothing() -> None:
    assert reread([]) == []
    third = ask(SEXES, share=Fraction(1, 3), line=15, sensitivity="sqrt(2)", times=7)
    assert reread([ask(), third, ask(share=None, sensitivity=None, file=None, line=None)]) == []


@pytest.mark.parametrize(
    "words", ["'", '"', "'\"", "\\", "a\nb", "\x00", "\x7f", "\u202e", "é", "\U0001f600", "]]\n[x]"]
)
def test_words_of_strangers_stay_words(words: str) -> None:
    assert reread([ask(name=words, file=words)]) == []


def test_a_query_reads_as_one_would_write_it() -> None:
    assert queries_toml([ask()]) == (
        "[[write-up.query]]\n"
        'name = "counts by age"\n'
        """question = '{"kind": "marginal", "attributes": ["age"]}'\n"""
        'sensitivity = "2"\n'
        'share = "0.5"\n'
        'noise = "discrete-laplace"\n'
        'file = "synth.py"\n'
        "line = 14\n"
    )
