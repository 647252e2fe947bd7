from __future__ import annotations

import dataclasses
import io

import pytest
from rich.console import Console

from audit.report.utility.terminal import utility_lines
from audit.report.utility.view import utility_view
from audit.report.utility.words import NOTICE
from audit.utility.results import UtilityResults
from tests.audit.report.utility import samples


def printed(results: UtilityResults, encoding: str = "utf-8", width: int = 80) -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    Console(file=stream, width=width, no_color=True).print(utility_lines(results))
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    text = buffer.getvalue().decode(encoding)
    assert max(len(line) for line in text.splitlines()) <= width
    assert "\x1b" not in text
    return text


def words_of(text: str) -> str:
    """Text without its line breaks, its columns and the frame."""
    return " ".join(text.replace("│", " ").split())


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("width", [60, 80, 120])
def test_reports_fit_every_width(encoding: str, width: int) -> None:
    for results in (samples.results(), samples.single(), samples.hostile()):
        text = printed(results, encoding, width)
        assert text.isascii() or encoding == "utf-8"


def test_the_notice_stands_first() -> None:
    text = words_of(printed(samples.results()))
    assert text.index("NOT PRIVATE") < text.index(NOTICE) < text.index("confidential.csv")


def test_everything_that_the_pages_say_is_said() -> None:
    view = utility_view(samples.results())
    text = words_of(printed(samples.results(), width=250))
    assert view.ranking is not None
    said = [*view.ranking.sentences, view.ranking.method, *view.ranking.disagreement]
    said += [view.columns, view.ranking.podium_note]
    for block in view.blocks:
        said += [block.metric, block.facts, *block.stated]
        said += [part for row in block.rows for part in (row.name, row.value, *row.remarks)]
    said += [reason for *_, reason in view.missing]
    for words in said:
        assert words == "–" or words in text
    assert "Worst marginals, uniform.csv: sex 0.65; age 0.325; neighbourhood 0.2167" in text
    assert "The two overlap by 81.3 %." in text
    assert "smoker × sex: 0.6107" in text


def test_ranks_and_undefined_scores_stand_beside_their_file() -> None:
    lines = printed(samples.results(), width=100).splitlines()
    after = next(k for k, line in enumerate(lines) if line.strip().startswith("k-marginal  0 to"))
    row = lines[after + 2].split()
    assert row[:4] == [samples.FILES[0], "886.3", "±", "4.6"] and row[-3:] == ["1", "to", "2"]
    assert any(line.split()[:2] == ["uniform.csv", "undefined"] for line in lines)


def test_better_scores_are_drawn_further_right() -> None:
    lines = printed(samples.results(), width=100).splitlines()
    after = next(k for k, line in enumerate(lines) if line.strip().startswith("total-variation  0"))
    rows = lines[after + 2 : after + 6]
    places = [next(k for k, glyph in enumerate(row) if glyph in "●○") for row in rows]
    assert places == sorted(places, reverse=True) and "○" in rows[3]
    narrow = printed(samples.results(), width=70)
    assert "●" not in narrow and "0.03" in narrow


def test_symbols_have_ascii_names() -> None:
    text = printed(samples.results(), "ascii", 100)
    assert "\\x" not in text and "\\u" not in text
    assert "v lower is better" in text and "+/- 4.6" in text and "tau-b" in text


def test_hostile_text_adds_no_line() -> None:
    text = printed(samples.hostile())
    assert not any(line.strip().startswith("VERDICT") for line in text.splitlines())
    assert "\u202e" not in text


def test_one_file_has_no_ranking_and_no_scores_no_table() -> None:
    assert "Ranking" not in printed(samples.single())
    results = dataclasses.replace(samples.single(), scored=(), refused=(("m", "why not"),))
    assert "m, every file: why not" in printed(results)


def test_the_data_are_told_in_short() -> None:
    view = utility_view(samples.results()).data
    assert view is not None
    text = words_of(printed(samples.results(), width=250))
    for file, told in view.worst:
        assert f"{file}: {told}" in text
    for file, cells in view.coverage.rows:
        assert f"{file} {' '.join(cells)}" in text
    assert "The data" not in printed(samples.single())
