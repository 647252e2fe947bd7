"""``dp-audit try``: one run of a submission, to see whether it works."""

from __future__ import annotations

import argparse

from audit.cli import common, streams
from dp_audit.trials import try_submission
from synthesizers.errors import ProtocolError


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument(
        "submission", metavar="SUBMISSION", help="a folder with submission.toml, or a zip of one"
    )
    parser.add_argument("--epsilon", metavar="E", help="the ε to ask for (the first of its claim)")
    parser.add_argument(
        "--data", metavar="TABLE", help="a PUBLIC table to run on (default: made-up records)"
    )
    parser.add_argument("--seed", default="0", metavar="S", help="of what is made up and drawn (0)")
    parser.add_argument(
        "--exactness",
        default="0",
        metavar="N",
        help="run it N times besides, on records that coins put in: how exact its counts are, "
        "beside any program of its claim",
    )
    parser.add_argument("--out", metavar="FILE.csv", help="write the whole output")
    common.add_output(parser)


def run(flags: argparse.Namespace) -> int:
    """Print how the run went, and write its output; 0 for an output, 4 for none."""
    common.require_writable(flags.out, flags.json, inputs=(flags.submission, flags.data))
    result = try_submission(**common.arguments(try_submission, flags))
    streams.deliver(result, flags)
    if flags.out is not None and result.exit_code == 0:
        if result.trial.run.output is None:
            raise ProtocolError(f"the output is no table, so that {flags.out} is not written")
        result.write_table(flags.out)
    return result.exit_code
