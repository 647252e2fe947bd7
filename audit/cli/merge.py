"""``dp-audit merge``: the folders of a review's shards become one review."""

from __future__ import annotations

import argparse

from audit.cli import common, streams
from dp_audit.merges import merge


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "folders", metavar="FOLDER", nargs="+", help="what dp-audit review --shard wrote"
    )
    parser.add_argument("--out", metavar="FOLDER", help="the joined review (the first folder)")
    common.add_output(parser)


def run(flags: argparse.Namespace) -> int:
    """Print the joined review and write its pages; 3 where pieces are missing."""
    common.require_writable(flags.json)
    result = merge(**common.arguments(merge, flags))
    streams.deliver(result, flags)
    talk = streams.talk_console(flags.quiet)
    talk.print(f"pages: {result.folder / 'index.html'}", markup=False, soft_wrap=True)
    return result.exit_code
