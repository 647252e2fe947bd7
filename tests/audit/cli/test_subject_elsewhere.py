"""``verify --folder`` and ``replay --folder``: a submission that was moved after its audit.

The submission gives its input away, and all of its random numbers follow from the seeds here: its
runs are told apart without an error.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from dp_audit.__main__ import main
from tests.audit.calls import Command
from tests.audit.review.made_submissions import CLAIM, prepare_one, write_copy

pytestmark = pytest.mark.skipif(os.name != "posix", reason="submissions run on POSIX systems")

# A shell starts faster than Python does.
GIVE = """#!/bin/sh
while [ $# -gt 1 ]; do
    case $1 in --input) input=$2 ;; --output) output=$2 ;; esac
    shift 2
done
cp "$input" "$output"
"""


@dataclass(frozen=True)
class Audited:
    """A certificate, and the folder that its subject was copied to."""

    certificate: Path
    copy: Path


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Audited:
    """A prepared submission, audited where it was, and then moved."""
    place = tmp_path_factory.mktemp("moved")
    toml = f'[run]\nprogram = "give"\n{CLAIM}'
    found = prepare_one(write_copy(place / "x", toml, give=GIVE), place)
    certificate, before = place / "c.json", os.getcwd()
    words = [
        *("certify", found.subject, "--claim", "epsilon=1", "--neighbours", "add-remove"),
        *("--domain", "domain.toml", "--records", "2", "--runs", "20", "--seed", "3"),
        *("--alarm", "0.01", "--jobs", "1", "--quiet", "--out", str(certificate)),
    ]
    os.chdir(found.folder)
    try:
        main(words)
    finally:
        os.chdir(before)
    copy = place / "another desk" / "prepared"
    copy.parent.mkdir()
    found.folder.rename(copy)
    return Audited(certificate, copy)


def test_a_copy_is_verified_and_replayed_where_the_user_says(
    moved: Audited, dp_audit: Command, folder: Path
) -> None:
    for command in ("replay", "verify"):
        absent = dp_audit(f"{command} --jobs 1", str(moved.certificate))
        assert absent.code == 3 and "--folder" in absent.out + absent.err
    there = ("--folder", str(moved.copy))
    replayed = dp_audit(
        "replay --seed 1 --runs 20 --alarm 0.01 --jobs 1", str(moved.certificate), *there
    )
    assert replayed.code == 1 and "confirmed" in replayed.out
    verified = dp_audit("verify --jobs 1 --json v.json", str(moved.certificate), *there)
    assert verified.code == 0, verified
    # What is written goes to the user's folder.
    assert (folder / "v.json").is_file() and Path.cwd() == folder


def test_another_submission_is_not_run_and_both_digests_are_told(
    moved: Audited, dp_audit: Command, folder: Path
) -> None:
    other = folder / "other"
    shutil.copytree(moved.copy, other)
    (other / "give").write_text(f"{GIVE}touch {folder}/ran\n")
    stated = json.loads(moved.certificate.read_text())["subject"]["sources_sha256"][:12]
    for command in ("replay", "verify"):
        shown = dp_audit(f"{command} --jobs 1", str(moved.certificate), "--folder", "other")
        words = "".join((shown.out + shown.err).split())
        assert shown.code == 3 and "isnottheonethatwasaudited" in words and stated in words
    assert not (folder / "ran").exists()
    nowhere = dp_audit("verify --folder nowhere --jobs 1", str(moved.certificate))
    assert nowhere.code == 2 and "can't be entered" in nowhere.err
