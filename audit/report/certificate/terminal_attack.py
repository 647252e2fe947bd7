"""A sampled witness for a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from audit.report.certificate.attack_story import AttackStory
from audit.report.terminal_sheet import Sheet
from audit.report.terminal_text import command_lines, shown


def attack_told(sheet: Sheet, story: AttackStory) -> Group:
    """The witness in words, with a small table of its guesses."""
    parts: list[RenderableType] = [
        sheet.text(story.difference),
        *(sheet.text(text) for text in (story.distance, story.standing) if text),
        sheet.indented(sheet.pairs(story.databases)),
        Text(),
        sheet.text(f"{story.heading}:"),
        *(sheet.indented(sheet.text(event)) for event in story.events),
    ]
    if story.events_left_out:
        parts.append(sheet.indented(sheet.text(story.events_left_out, "dim")))
    parts.append(Text())
    if story.counts:
        parts += [sheet.indented(_counts(sheet, story)), Text()]
    parts += [sheet.text(text) for text in (story.seen, story.allowed, story.strength) if text]
    parts += [Text(), sheet.text("Tested on fresh randomness by:")]
    command = shown(story.command, sheet.ascii_only)
    for line in command_lines(command, sheet.width - 4):
        parts.append(sheet.indented(Text(line, overflow="fold")))
    if story.digest:
        parts.append(sheet.text(f"The rule's digest: {story.digest}", "dim"))
    return Group(*parts)


def _counts(sheet: Sheet, story: AttackStory) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    for _ in range(2):
        table.add_column(justify="right")
    table.add_row(Text("guesses"), Text("runs"), Text("share"))
    for count in story.counts:
        table.add_row(*(sheet.text(text) for text in (count.name, count.count, count.share)))
    return table
