"""Plain text for terminals: characters that a console can show, rulers drawn with them."""

from __future__ import annotations

from audit.report.ruler import INFINITE_PLACE, Mark, Scale
from audit.report.words import clean

_ASCII = {
    "ε": "epsilon",
    "δ": "delta",
    "ρ": "rho",
    "μ": "mu",
    "α": "alpha",
    "∞": "inf",
    "≤": "<=",
    "≥": ">=",
    "≈": "~",
    "·": "*",
    "–": "-",
    "—": "-",
    "×": "x",
    "→": "->",
    "↑": "^",
    "↓": "v",
    "±": "+/-",
    "τ": "tau",
    "−": "-",
    "…": "...",
    "“": '"',
    "”": '"',
    "’": "'",
    "é": "e",
}

_GLYPHS = {"line": "─", "tick": "┬", "claim": "┊", "floor": "├", "ceiling": "┤", "exact": "◆"}
_ASCII_GLYPHS = {"line": "-", "tick": "+", "claim": ":", "floor": "[", "ceiling": "]", "exact": "#"}


def shown(text: str, ascii_only: bool) -> str:
    """Text as a console can show it: invisible characters, and all but ASCII, spelled out."""
    text = clean(text)
    if not ascii_only or text.isascii():
        return text
    spelled = "".join(_ASCII.get(character, character) for character in text)
    return spelled.encode("ascii", "backslashreplace").decode("ascii")


def ruler_rows(
    scale: Scale, claim: Mark, bounds: tuple[Mark, ...], width: int, ascii_only: bool
) -> list[tuple[str, str]]:
    """The ruler as (name, drawing) rows, the axis last; a drawing is ``width`` characters."""
    glyphs = _ASCII_GLYPHS if ascii_only else _GLYPHS
    rows = [(mark.name, _drawing(scale, claim, mark, width, glyphs)) for mark in bounds]
    axis = [glyphs["line"]] * width
    labels = [" "] * width
    for value, label in scale.ticks:
        column = _column(scale, value, width)
        axis[column] = glyphs["tick"]
        text = shown(label, ascii_only)
        start = min(max(column - len(text) // 2, 0), width - len(text))
        if all(character == " " for character in labels[max(start - 1, 0) : start + len(text)]):
            labels[start : start + len(text)] = text
    if scale.infinite:
        end = _column(scale, scale.high, width)
        axis[end + 1 : end + 3] = "//"
    return [*rows, ("", "".join(axis)), ("", "".join(labels))]


def _column(scale: Scale, value: float, width: int) -> int:
    return min(round(min(scale.share(value), INFINITE_PLACE) * (width - 1)), width - 1)


def _drawing(scale: Scale, claim: Mark, mark: Mark, width: int, glyphs: dict[str, str]) -> str:
    line = [" "] * width
    low, high = _column(scale, mark.low, width), _column(scale, mark.high, width)
    if mark.kind == "floor":
        line[low:] = glyphs["line"] * (width - low)
        line[-1] = ">"
    elif mark.kind == "ceiling":
        line[:high] = glyphs["line"] * high
        line[0] = "<"
    else:
        line[low:high] = glyphs["line"] * (high - low)
    line[_column(scale, claim.low, width)] = glyphs["claim"]
    at = high if mark.kind == "ceiling" else low
    line[at] = glyphs[mark.kind]
    if mark.kind == "exact" and high > low:
        line[low], line[high] = glyphs["floor"], glyphs["ceiling"]
    return "".join(line)


def command_lines(command: str, width: int) -> list[str]:
    """A command broken between its words, each line but the last ending in a backslash.

    Text within quotes stays on one line: a line break there would be part of it.
    """
    lines = [""]
    for word in _command_words(command):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1].strip() and len(longer) > width - 2:
            lines.append("    " + word)
        else:
            lines[-1] = longer
    return [line + " \\" for line in lines[:-1]] + lines[-1:]


def _command_words(command: str) -> list[str]:
    words, quote = [""], ""
    for character in command:
        if character == " " and not quote:
            words.append("")
            continue
        words[-1] += character
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
    return words
