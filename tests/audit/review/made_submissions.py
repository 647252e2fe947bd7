"""Submissions that tests make: folders of files, and zips of them."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from audit.review.submissions.challenge import Terms
from audit.review.submissions.opening import open_path
from audit.review.submissions.preparing import prepare
from audit.review.submissions.submission import Challenge, Prepared, Submission

DOMAIN = """name = "clinic"

[attributes]
sex = { values = ["female", "male"] }
age = { bins = [0, 30, 60], ordinal = true }

[individual]
id = "who"
"""

COPY = "python give.py {input} {output}"
COPY_SCRIPT = "import shutil, sys\nshutil.copyfile(sys.argv[1], sys.argv[2])\n"
"""A submission that gives its input away."""

CLAIM = '[claim]\nepsilons = [0.1, 1]\nneighbours = "add-remove"\n'
TOML = f'[run]\ncommand = "{COPY}"\n{CLAIM}'
SILENT = Terms(Challenge("a challenge"))
"""The terms of no challenge."""

PARAMETERS: dict[str, Any] = {
    "runs": [
        {"epsilon": 1.0, "delta": 2.5e-05, "max_records": 9, "max_records_per_individual": 3},
        {"epsilon": 10.0, "delta": 2.5e-05, "max_records": 9, "max_records_per_individual": 3},
    ],
    "schema": {
        "who": {"dtype": "int64", "kind": "id", "min": 1000, "max": 9999},
        "shift": {"dtype": "uint8", "kind": "categorical", "values": [0, 1, 2]},
        "fare": {"dtype": "int64", "kind": "numeric", "min": 0, "max": 100000},
    },
}

MAIN = """
import csv, json
runs = json.load(open("data/parameters.json"))["runs"]
records = list(csv.DictReader(open("data/ground_truth.csv")))
header = open("data/submission_format.csv").read().strip().split(",")
with open("submission.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(header)
    for run in runs:
        for record in records:
            writer.writerow([run["epsilon"]] + [record[name] for name in header[1:]])
"""


def write_files(folder: Path, files: dict[str, str]) -> Path:
    """The folder with these files."""
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    return folder


def write_copy(folder: Path, toml: str = TOML, **more: str) -> Path:
    """A submission that gives its input away, or what its file says instead."""
    files = {"submission.toml": toml, "domain.toml": DOMAIN, "give.py": COPY_SCRIPT, **more}
    return write_files(folder, files)


def write_deid2(folder: Path, main: str = MAIN, parameters: dict[str, Any] = PARAMETERS) -> Path:
    """A submission to DeID2."""
    return write_files(folder, {"main.py": main, "parameters.json": json.dumps(parameters)})


def zip_folder(folder: Path, archive: Path, within: str = "") -> Path:
    """A zip of a folder's files; ``within``: the folder in it that they lie in."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as held:
        for path in sorted(folder.rglob("*")):
            held.write(path, within + str(path.relative_to(folder)))
    return archive


def open_one(path: Path, unpacked: Path) -> Submission:
    """The submission at a path."""
    intake = open_path(path, unpacked)
    assert not intake.unread, intake.unread
    (only,) = intake.submissions
    return only


def prepare_one(path: Path, place: Path) -> Prepared:
    """The submission at a path, made ready."""
    return prepare(open_one(path, place / "unpacked"), place / "prepared")
