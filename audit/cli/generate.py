"""``dp-audit generate``: a benchmark table of a public process with a hidden seed."""

from __future__ import annotations

import argparse
import secrets
from pathlib import Path

from audit.cli import streams
from audit.report.json_text import json_text
from audit.utility.benchmark_tables import Size, benchmark_table, commitment
from dp_audit.arguments import optional_number, whole_number
from synthesizers.errors import InputError
from synthesizers.schemas import dump_domain
from synthesizers.tables import write_table

FILES = ("table.csv", "domain.toml", "process.json", "seed.txt")


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("--attributes", required=True, metavar="D", help="how many attributes")
    parser.add_argument("--values", required=True, metavar="V", help="at most V values each")
    parser.add_argument("--records", required=True, metavar="N", help="how many records")
    parser.add_argument("--max-records", metavar="m", help="with persons of 1 to m records each")
    parser.add_argument("--seed", help="a revealed seed, to make its table again")
    parser.add_argument("--out", required=True, metavar="DIR", help="where files go")
    parser.add_argument("--quiet", action="store_true", help="no talk")


def run(flags: argparse.Namespace) -> int:
    """Write the table, its domain, what is public of the process, and the seed; exit code 0."""
    size = Size(
        whole_number(flags.attributes, "--attributes"),
        whole_number(flags.values, "--values"),
        whole_number(flags.records, "--records"),
        optional_number(flags.max_records, "--max-records"),
    )
    if flags.seed is not None and not flags.seed.strip():
        raise InputError("--seed is empty: give the seed that was revealed, or leave it out")
    folder = Path(flags.out)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is not a folder; choose another --out")
    there = [name for name in FILES if (folder / name).exists()]
    if there:
        raise InputError(f"{folder} holds {', '.join(there)} already; choose another --out")
    seed = secrets.token_hex(16) if flags.seed is None else flags.seed.strip()
    dataset = benchmark_table(size, seed)
    folder.mkdir(parents=True, exist_ok=True)
    write_table(dataset, folder / "table.csv")
    streams.write_text(str(folder / "domain.toml"), dump_domain(dataset.domain))
    public = {
        "schema": "dp-audit/benchmark/1",
        "attributes": size.attributes,
        "values": size.values,
        "records": size.records,
        "max_records": size.max_records,
        "seed_sha256": commitment(seed),
    }
    streams.write_text(str(folder / "process.json"), json_text(public))
    streams.write_text(str(folder / "seed.txt"), seed + "\n")
    talk = streams.talk_console(flags.quiet)
    talk.print(
        f"{folder}: table.csv ({size.records} records), domain.toml, process.json and seed.txt. "
        "Publish domain.toml and process.json now; keep table.csv and seed.txt hidden until the "
        "results are in, then reveal seed.txt",
        markup=False,
    )
    return 0
