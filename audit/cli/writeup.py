"""``dp-audit writeup``: a program's write-up, or what another one states otherwise."""

from __future__ import annotations

import argparse

from audit.cli import common, streams
from dp_audit.write_ups import writeup


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "program", help="a built-in name (see list), module:attribute, or command:PATH"
    )
    parser.add_argument(
        "--claim", required=True, help="what is claimed: 'epsilon=1', 'epsilon=1, delta=1e-6', …"
    )
    common.add_domain(parser)
    parser.add_argument("--records", metavar="N", help="records of the made-up tables")
    parser.add_argument("--rows", metavar="M", help="public output size (default: N)")
    parser.add_argument(
        "--check",
        metavar="FILE",
        help="compare the queries that a submission.toml states; exit 1 if something differs",
    )
    parser.add_argument("--out", metavar="WRITEUP.md", help="write it as Markdown")
    parser.add_argument("--toml", metavar="FILE", help="write the list of queries")
    common.add_relation(parser, required=True)
    common.add_settings(parser)
    common.add_output(parser, html=True)
    common.add_as_program(parser)


def run(flags: argparse.Namespace) -> int:
    """Print the write-up or the comparison, write the files asked for; 1 if something differs."""
    inputs = (flags.domain, flags.check, flags.program)
    common.require_writable(flags.out, flags.toml, flags.json, flags.html, inputs=inputs)
    with streams.follow(streams.talk_console(flags.quiet)) as progress:
        result = writeup(**common.arguments(writeup, flags), progress=progress)
    texts = {} if flags.out is None else {flags.out: result.markdown()}
    if flags.toml is not None:
        texts[flags.toml] = result.toml()
    streams.deliver(result, flags, texts)
    return result.exit_code
