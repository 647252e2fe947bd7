"""Progress off a terminal: lines now and then, by a clock that the test holds."""

from __future__ import annotations

import io

from rich.console import Console

from audit.cli.streams import HEARTBEAT_SECONDS, Heartbeat, follow


class Clock:
    """Seconds that pass where the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def lines_of(quiet: bool = False, terminal: bool = False) -> list[str]:
    """What is said of an attack of 20,000 runs, 100 a second, with a word every second."""
    clock, file = Clock(), io.StringIO()
    console = Console(file=file, quiet=quiet, force_terminal=terminal, width=60, no_color=True)
    with follow(console, clock) as progress:
        progress("planning", 0, 0, "plan: at most 20,000 runs\n  | [a line] of a log")
        progress("attacking", 0, 20_000, "")
        progress("attacking", 0, 20_000, "")
        for second in range(1, 201):
            clock.now += 1
            progress("attacking", 100 * second, 20_000, "epsilon >= 0.4 so far")
    return file.getvalue().splitlines()


def test_a_line_at_the_start_and_one_every_half_a_minute() -> None:
    assert HEARTBEAT_SECONDS == 30
    assert lines_of() == [
        "plan: at most 20,000 runs",
        "  | [a line] of a log",
        "attacking: 20,000 runs at most; Ctrl-C reports what is found",
        "attacking: 3,000 of 20,000 runs, epsilon >= 0.4 so far, about 3 min left",
        "attacking: 6,000 of 20,000 runs, epsilon >= 0.4 so far, about 2 min left",
        "attacking: 9,000 of 20,000 runs, epsilon >= 0.4 so far, about 110 s left",
        "attacking: 12,000 of 20,000 runs, epsilon >= 0.4 so far, about 80 s left",
        "attacking: 15,000 of 20,000 runs, epsilon >= 0.4 so far, about 50 s left",
        "attacking: 18,000 of 20,000 runs, epsilon >= 0.4 so far, about 20 s left",
        "attacking: 20,000 of 20,000 runs, epsilon >= 0.4 so far",
    ]


def test_quiet_is_quiet() -> None:
    assert lines_of(quiet=True) == []


def test_a_terminal_has_its_bar_and_no_lines() -> None:
    assert not any("left" in line for line in lines_of(terminal=True))


def test_a_step_without_a_total_has_no_end_in_sight() -> None:
    clock, said = Clock(), list[str]()
    heart = Heartbeat(said.append, clock)
    heart.beat("enumerating", 0, 0, "")
    clock.now += HEARTBEAT_SECONDS
    heart.beat("enumerating", 1_000, 0, "")
    assert said == ["enumerating: 1,000 transcripts"]


def test_another_step_has_a_time_of_its_own() -> None:
    clock, said = Clock(), list[str]()
    heart = Heartbeat(said.append, clock)
    heart.beat("examining", 0, 10, "")
    clock.now += HEARTBEAT_SECONDS - 1
    heart.beat("scoring", 0, 10, "")
    clock.now += HEARTBEAT_SECONDS - 1
    heart.beat("scoring", 9, 10, "")
    assert said == []


def test_what_is_left_of_scores_is_said_by_their_word() -> None:
    clock, said = Clock(), list[str]()
    heart = Heartbeat(said.append, clock)
    heart.beat("scoring", 0, 10, "")
    clock.now += HEARTBEAT_SECONDS
    heart.beat("scoring", 9, 10, "mgd, about 40 s left")
    assert said == ["scoring: 9 of 10 scores, mgd, about 40 s left"]
