from __future__ import annotations

import io
import shlex

import pytest
from rich.console import Console, Group, RenderableType

from audit.report.certificate.terminal import certificate_lines, comparison_lines
from audit.report.channel.measures import measures_view
from audit.report.channel.terminal import analysis_lines
from audit.report.sheet import Sheet, command_lines
from tests.audit.report import samples

CERTIFICATES = samples.certificates()
ANALYSES = samples.analyses()


def printed(renderable: RenderableType, encoding: str = "utf-8", width: int = 80) -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    Console(file=stream, width=width, no_color=True).print(renderable)
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    text = buffer.getvalue().decode(encoding)
    assert max(len(line) for line in text.splitlines()) <= width
    assert "\x1b" not in text
    return text


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
@pytest.mark.parametrize("name", CERTIFICATES)
def test_certificates_fit_eighty_columns(name: str, encoding: str) -> None:
    certificate = CERTIFICATES[name]
    text = printed(certificate_lines(certificate), encoding)
    assert certificate.verdict.value in text
    assert certificate.to_json()["digest"] in text
    assert text.isascii() or encoding == "utf-8"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("name", ANALYSES)
def test_analyses_fit_eighty_columns(name: str, encoding: str) -> None:
    printed(analysis_lines(ANALYSES[name]), encoding)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_reports_fit_other_widths(width: int) -> None:
    printed(comparison_lines(tuple(CERTIFICATES.items())), width=width)
    printed(certificate_lines(CERTIFICATES["exact"]), width=width)
    printed(analysis_lines(ANALYSES["12"]), width=width)


@pytest.mark.parametrize("width", range(12, 60))
def test_a_tuple_that_fits_a_line_is_not_broken(width: int) -> None:
    words = "after the release (0, 1, 1) the database (0, 12, 1) is likely (and so on, and on)"
    text = printed(Group(Sheet(width, False).text(words)), width=width)
    assert "(0, 1, 1)" in text and "(0, 12, 1)" in text
    assert text.split() == words.split()


def test_comparisons_share_one_axis() -> None:
    text = printed(comparison_lines(tuple(CERTIFICATES.items())))
    axes = {line for line in text.splitlines() if line.strip().startswith("┬")}
    # One for each yardstick of the claims, if something is known: ε at δ = 0 and at 10^-6.
    assert sorted(line.split()[-1] for line in axes) == ["ε", "ε", "ε(α)", "μ", "ρ"]
    assert printed(comparison_lines(tuple(CERTIFICATES.items())), "ascii").isascii()


def test_the_ruler_puts_bounds_in_order() -> None:
    lines = printed(certificate_lines(CERTIFICATES["exact"])).splitlines()
    places = [next(line.index(glyph) for line in lines if glyph in line) for glyph in "├◆"]
    ceiling = next(line for line in lines if line.lstrip().startswith("Ceiling"))
    assert places[0] < places[1] == ceiling.index("┤")


@pytest.mark.parametrize(
    ("name", "claim", "exact"),
    [
        ("gaussian", "μ = 1/3", "μ between 0.7 and 0.8"),
        ("concentrated", "ρ = 1", "ρ = ∞"),
        ("rényi", "ε(α) = 2", "ε(α) = 1.75"),
    ],
)
def test_a_claim_is_shown_beside_what_it_is_decided_on(name: str, claim: str, exact: str) -> None:
    text = printed(certificate_lines(CERTIFICATES[name]))
    symbol = claim.split(" = ")[0]
    lines = [line.strip() for line in text.splitlines()]
    kind = "enclosure" if "between" in exact else "exact value"
    ruler = next(line for line in lines if line.lower().startswith(kind))
    assert ruler.endswith(exact) and "┊" in ruler
    axis = next(line for line in lines if line.startswith("┬"))
    assert axis.split()[-1] == symbol
    assert f"┊ {claim} is claimed" in lines
    assert f"{exact} ({kind})" in text and "ε = 2 (exact value)" not in text


@pytest.mark.parametrize(
    ("name", "verdict", "decision"),
    [
        ("proved", "PROVED", "claim holds here"),
        ("left open", "UNDECIDED", "does not reach the claim"),
    ],
)
def test_a_theorem_is_told_with_its_decision(name: str, verdict: str, decision: str) -> None:
    text = printed(certificate_lines(CERTIFICATES[name]))
    assert verdict in text and decision in words_of(text)
    assert "ceiling, rigorous" in words_of(text)


def test_a_theorems_ceiling_stands_beyond_the_exact_value() -> None:
    lines = printed(certificate_lines(CERTIFICATES["proved"])).splitlines()
    exact = next(line for line in lines if line.lstrip().startswith("Exact value"))
    ceiling = next(line for line in lines if line.lstrip().startswith("Ceiling"))
    claim = exact.index("┊")
    assert exact.index("◆") < ceiling.index("┤") < claim


def test_infinity_is_named_in_ascii_too() -> None:
    assert "ε = ∞" in printed(certificate_lines(CERTIFICATES["refuted"]))
    assert "epsilon = inf" in printed(certificate_lines(CERTIFICATES["refuted"]), "ascii")


def test_hostile_text_adds_no_line_and_no_colour() -> None:
    text = printed(certificate_lines(CERTIFICATES["hostile"]))
    assert "\u202e" not in text
    assert not any(line.strip().startswith("VERDICT") for line in text.splitlines())
    assert "alert(1)</script>\\x1b[31m" in text.replace("\n", "")


def test_an_analysis_names_its_facts() -> None:
    text = printed(analysis_lines(ANALYSES["response"]))
    assert "ε ≈ 1.098612" in text and "0.750000" in text
    assert "No two of the databases are neighbours" in printed(analysis_lines(ANALYSES["lonely"]))


def words_of(text: str) -> str:
    """Text without its line breaks and its columns."""
    return " ".join(text.split())


@pytest.mark.parametrize("name", ANALYSES)
def test_the_facts_of_the_pictures_are_told_without_them(name: str) -> None:
    view = measures_view(ANALYSES[name])
    text = words_of(printed(analysis_lines(ANALYSES[name]), width=200))
    said = [*view.attacker.sentences, view.groups_note, *(plot.fact for plot in view.plots)]
    said += [line for part in view.gaps.values() for line in part]
    said += [part for row in view.languages for part in (row.value, row.meaning)]
    for release in (view.optimum, view.rows):
        if release is not None:
            said += [*release.sentences, *release.notes]
            grid = release.grid
            said += [cell for _, row in grid.rows for cell in row] if grid is not None else []
    for grid in (view.renyi, view.groups, view.chosen):
        if grid is not None:
            said += [cell for _, row in grid.rows for cell in row]
    if view.attacker.rises is not None:
        said += [row.text for row in view.attacker.rises.rows]
    for words in said:
        assert words in text


def test_a_streamed_channel_is_told_in_ascii() -> None:
    text = words_of(printed(analysis_lines(ANALYSES["streamed"]), "ascii"))
    assert "50 % -> 91.7 %" in text and "\\u" not in text
    assert text.count("the channel is too large to hold") == 1
    assert "there is no matrix, no heat map and no list of odds" in text


def test_symbols_have_ascii_names() -> None:
    text = printed(analysis_lines(ANALYSES["figure 1"]), "ascii")
    assert "\\x" not in text and "\\u" not in text
    assert "rho*alpha" in text and "epsilon ~ 5.493061" in text


def test_powers_of_ten_are_told_in_ascii() -> None:
    assert Sheet(80, ascii_only=True).spell("2.5 × 10⁻¹⁷, 10³⁰") == "2.5 x 10^-17, 10^30"
    assert Sheet(80, ascii_only=False).spell("10⁻¹⁷") == "10⁻¹⁷"


def test_a_broken_command_is_the_same_command() -> None:
    command = CERTIFICATES["exact"].reproduce + " --set 'name=two words'"
    lines = command_lines(command, 60)
    assert len(lines) > 1 and all(len(line) <= 60 for line in lines)
    assert all(line.endswith(" \\") for line in lines[:-1])
    # A POSIX shell removes a backslash with the line break after it; shlex does not know that.
    joined = "\n".join(lines).replace("\\\n", "")
    assert shlex.split(joined) == shlex.split(command)
