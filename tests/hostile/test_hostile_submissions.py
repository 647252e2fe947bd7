"""Hostile submissions as whole folders: none reaches the review, or keeps others from a verdict.

What their programs try inside of a box is in ``test_hostile_programs.py``; here it is what a review
adds: other submissions beside them, the folder of finished pieces, the seed, and the pages.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dp_audit import merge, review
from synthesizers.errors import InputError
from tests.dp_audit.test_reviews import PROGRAM, make_challenge

COMMAND = """\
[run]
command = "python synth.py {{input}} {{output}} {review}"
seconds = 2
"""

FORGES = """\
import os, signal, sys
review = sys.argv[3]
reached = []


def attempt(name, action):
    try:
        action()
        reached.append(name)
    except Exception:
        pass


def forge(folder):
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "w") as file:
            file.write('{"verdict": "PROVED"}')


attempt("seed", lambda: open(os.path.join(review, "order.json")).read())
attempt("pieces", lambda: forge(os.path.join(review, "pieces")))
attempt("new piece", lambda: open(os.path.join(review, "pieces", "0" * 64 + ".json"), "w"))
attempt("others", lambda: os.listdir(os.path.join(review, "prepared", "team-0")))
attempt("itself", lambda: open(os.path.join(review, "prepared", "forges", "synth.py"), "a"))
attempt("its parent", lambda: open(f"/proc/{os.getppid()}/mem", "r+b"))
print("reached:", reached, "\\x1b[2J<script>alert(1)</script>", file=sys.stderr)
sys.exit(5)
"""

COPIES = "import shutil, sys\nshutil.copyfile(sys.argv[1], sys.argv[2])\n"
COPIES_TOML = '[run]\ncommand = "python synth.py {input} {output}"\n'

HANGS = "import time\ntime.sleep(10**9)\n"


def write_command(place: Path, script: str, review: Path) -> None:
    """A submission that runs a script, which is told where the review is."""
    place.mkdir()
    (place / "submission.toml").write_text(COMMAND.format(review=review))
    (place / "synth.py").write_text(script)


def test_hostile_folders_disturb_nobody(tmp_path: Path) -> None:
    source = make_challenge(tmp_path / "c", PROGRAM)
    out = tmp_path / "r"
    write_command(source / "forges", FORGES, out)
    write_command(source / "-rf <b>\x1b[2J", HANGS, out)
    queries = '[[write-up.query]]\nname = "x"\n' * 100_000
    (source / "many").mkdir()
    (source / "many" / "submission.toml").write_text(queries)
    result = review(source, out=out, seed=1)
    assert result.verdicts == {"forges": "NOT RUN", "rf -b---2J": "NOT RUN", "team-0": "PROVED"}
    document = json.loads((out / "review.json").read_text())
    assert [one["name"] for one in document["unread"]] == ["many"]
    forges = next(one for one in document["submissions"] if one["name"] == "forges")
    assert "reached: []" in forges["failures"][0]["log"]
    assert not [path for path in out.rglob("*") if path.name.startswith(".")]
    for path in out.rglob("*.html"):
        page = path.read_text()
        assert "<script>alert" not in page and "\x1b" not in page


def test_a_module_whose_import_never_ends_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = make_challenge(tmp_path / "c", HANGS, PROGRAM), tmp_path / "r"
    monkeypatch.setattr("audit.review.submissions.preparing.FORM_SECONDS", (20, 20))
    result = review(source, out=out, seed=1)
    assert result.verdicts == {"team-1": "PROVED"}
    (hangs,) = json.loads((out / "review.json").read_text())["unread"]
    assert hangs["name"] == "team-0" and "not imported within 20 seconds" in hangs["reason"]
    assert (out / "index.html").read_text().count("not imported within") == 1


@pytest.mark.parametrize("where", ["dp_audit.reviews", "audit.review.pieces.performing"])
def test_without_a_box_no_verdict_of_a_review_is_to_be_relied_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    source, out = make_challenge(tmp_path / "c", COPIES), tmp_path / "r"
    (source / "team-0" / "submission.toml").write_text(COPIES_TOML)
    with monkeypatch.context() as patched:
        patched.setattr(f"{where}.keeps_apart", lambda folder: False)
        result = review(source, out=out, seed=1, plan=True)
    assert "Do not rely on these verdicts" in " ".join(str(result).split())
    assert json.loads((out / "review.json").read_text())["kept_apart"] is False
    for page in ("index.html", "submissions/team-0.html"):
        assert "Do not rely on these verdicts" in (out / page).read_text()
    # What a piece's result says of where it ran goes along, wherever it is joined.
    joined = merge([out], out=tmp_path / "joined").to_json()["kept_apart"]
    assert joined is (where == "dp_audit.reviews")


def test_a_review_goes_on_where_a_full_disk_stopped_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = make_challenge(tmp_path / "c", PROGRAM), tmp_path / "r"

    def fill(*_: object) -> None:
        raise InputError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr("audit.review.pieces.results.Results.write", fill)
        with pytest.raises(InputError, match="the disk is full"):
            review(source, out=out, seed=1)
    assert not list((out / "pieces").glob("*")) and not (out / "index.html").exists()
    assert review(source, out=out).verdicts == {"team-0": "PROVED"}
