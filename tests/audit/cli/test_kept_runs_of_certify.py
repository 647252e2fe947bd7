"""``dp-audit certify --cache``: answered from what is kept, and counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dp_audit
from audit.statements.certificate_json import decode
from audit.statements.reproduce import contradiction, parse_command

MODULE = """
def noisy(database, rng, runs):
    return len(database) + rng.laplace(0, 1 / 1.5, runs)
"""

PLACE: dict[str, Any] = {"neighbours": "add-remove", "pair": ([], [{"x": 1}]), "jobs": 1}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    work = tmp_path / "work"
    work.mkdir()
    (work / "counting.py").write_text(MODULE)
    monkeypatch.chdir(work)
    return tmp_path / "cache"


def certify(claim: str = "epsilon=1", **words: Any) -> dict[str, Any]:
    result = dp_audit.certify("counting:noisy", claim, **(PLACE | {"runs": 200} | words))
    found: dict[str, Any] = json.loads(result.json_text())
    return found


def without_clock(document: dict[str, Any]) -> dict[str, Any]:
    """A certificate without how long runs took, which stands in its digest, too."""
    found: dict[str, Any] = json.loads(json.dumps(document))
    del found["digest"]
    for one in found["evidence"]:
        one.get("power", {}).pop("seconds", None)
    return found


def test_the_same_request_gives_the_same_certificate_and_another_one_is_a_look_more(
    cache: Path,
) -> None:
    first = certify(cache=cache)
    kept = sorted(cache.iterdir())
    assert without_clock(certify(cache=cache)) == without_clock(first)
    assert sorted(cache.iterdir()) == kept
    second = certify("epsilon=2", cache=cache)
    replays = [one["evidence"][-1]["replay"] for one in (first, second)]
    assert [replay["look"] for replay in replays] == [1, 2]
    assert replays[0]["seed"] == replays[1]["seed"]
    # The command names the look, and needs no folder to make the same again.
    command = parse_command(second["reproduce"])
    assert command.flags["look"] == ["2"]
    again = certify("epsilon=2", seed=int(command.flags["seed"][0]), look=2)
    assert without_clock(again) == without_clock(second)


def test_the_command_of_a_certificate_says_which_look_it_is(cache: Path) -> None:
    document = certify(cache=cache)
    assert contradiction(decode(document)) == ""
    for looked in (2, None):
        replay = {**document["evidence"][-1]["replay"], "look": looked}
        kept = {key: value for key, value in replay.items() if value is not None}
        evidence = [{**document["evidence"][-1], "replay": kept}]
        assert "the attack" in contradiction(decode({**document, "evidence": evidence}))


@pytest.mark.parametrize(
    ("subject", "words", "message"),
    [
        (len, {}, "given by its name"),
        ("counting:noisy", {"look": 2}, "leave out --look"),
        ("counting:noisy", {"cluster": "tcp://host:1"}, "leave out --cluster"),
        ("outputs:a.csv,b.csv", {}, "given by its name"),
        ("geometric-sanitizer", {}, "--cache goes with an attack"),
    ],
)
def test_what_can_not_be_counted_is_refused(
    cache: Path, subject: Any, words: dict[str, Any], message: str
) -> None:
    Path("a.csv").write_text("x\n1\n2\n")
    Path("b.csv").write_text("x\n1\n2\n")
    place = {"neighbours": "add-remove", "form": "function"} if callable(subject) else {}
    if subject == "geometric-sanitizer":
        place = {"cells": 2, "records": 2, "parameters": {"epsilon": 1}}
    with pytest.raises(ValueError, match=message):
        dp_audit.certify(
            subject, "epsilon=1", **{"neighbours": "add-remove", **place, **words, "cache": cache}
        )


def test_a_folder_beside_the_subject_is_refused(cache: Path) -> None:
    with pytest.raises(ValueError, match="the subject may read"):
        certify(cache="here")
