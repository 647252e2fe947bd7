"""``dp-audit init-submission``: an example of a submission, which runs, to begin from."""

from __future__ import annotations

import argparse

from audit.cli import streams
from audit.review.starter import write_starter


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("folder", metavar="FOLDER", help="where it goes; must not exist yet")
    parser.add_argument("--quiet", action="store_true", help="no talk")


def run(flags: argparse.Namespace) -> int:
    """Write the example; exit code 0."""
    folder = write_starter(flags.folder)
    streams.talk_console(flags.quiet).print(
        f"{folder} holds an example; try it with: dp-audit try {folder}",
        markup=False,
        soft_wrap=True,
    )
    return 0
