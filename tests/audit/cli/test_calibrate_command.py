"""``dp-audit calibrate``: the least noise, with its theorem, for a person and for a program."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from proofs import checker
from proofs.derivation import replay
from proofs.guarantees import parse_guarantee
from proofs.implication import implies
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from tests.audit.calls import Command

pytestmark = pytest.mark.smoke

F = Fraction


def test_the_noise_is_printed_with_what_it_rests_on(dp_audit: Command) -> None:
    shown = dp_audit("calibrate laplace --claim epsilon=1/2 --count 4 --neighbours add-remove")
    assert (shown.code, shown.err) == (0, "")
    lines = shown.out.splitlines()
    assert lines[0] == "4 * laplace(scale=8, sensitivity=1)"
    assert lines[1].startswith("scale = 8 keeps epsilon=0.5 (add-remove")
    assert "the theorem rests on" in lines


def test_the_document_carries_the_proof_of_the_claim(dp_audit: Command, folder: Path) -> None:
    line = "calibrate gaussian --claim 'epsilon=1, delta=1e-6' --count 1000 --json c.json"
    assert dp_audit(f"{line} --neighbours add-remove").code == 0
    document = json.loads((folder / "c.json").read_text())
    assert document["sigma"] == "133597/1000" and document["count"] == 1000
    assert F(document["reached"]) <= 1 and document["kernel_only"] is False
    claimed = parse_guarantee("epsilon=1, delta=1e-6")
    assert implies(replay(document["proof"]["derivation"]), claimed, AddRemove())
    found = checker.check_file(str(folder / "c.json"))
    assert found.status == "checked" and any("shows the claim" in why for why in found.reasons)


def test_other_neighbours_and_sensitivities(dp_audit: Command, folder: Path) -> None:
    flags = "--neighbours replace-one --unit person --max-records 3 --sensitivity 6"
    assert dp_audit(f"calibrate laplace --claim epsilon=1 {flags} --json c.json").code == 0
    document = json.loads((folder / "c.json").read_text())
    assert document["scale"] == "6"
    assert document["unit"] == {"name": "person", "max_records": 3}
    person = ReplaceOne(Unit("person", 3))
    theorem = replay(document["proof"]["derivation"])
    assert implies(theorem, parse_guarantee("epsilon=1"), person)


def test_a_noise_may_be_written_with_a_hyphen(dp_audit: Command) -> None:
    flags = "--count 4 --neighbours add-remove"
    shown = dp_audit(f"calibrate randomized-response --claim epsilon=1 {flags}")
    assert shown.code == 0 and "epsilon = 0.25 keeps epsilon=1" in shown.out


@pytest.mark.parametrize(
    "line",
    [
        "cauchy --claim epsilon=1",
        "laplace --claim nonsense",
        "laplace --claim epsilon=-1",
        "laplace --claim 'epsilon=1, delta=1'",
        "gaussian --claim epsilon=1",
        "gaussian --claim 'alpha=1, rdp=1'",
        "laplace --claim epsilon=0",
        "laplace --claim epsilon=1 --count 0",
        "laplace --claim epsilon=1 --count 1.5",
        "laplace --claim epsilon=1 --count 1e999",
        "laplace --claim epsilon=1 --sensitivity 0",
        "laplace --claim epsilon=1 --sensitivity=-2",
        "laplace --claim epsilon=1 --sensitivity many",
        "exponential --claim epsilon=1 --sensitivity 2",
        "discrete-laplace --claim epsilon=1 --sensitivity 1/2",
        "laplace --claim epsilon=1 --unit person",
        "laplace --claim epsilon=1 --json absent/c.json",
    ],
)
def test_what_cannot_be_calibrated_is_one_sentence(dp_audit: Command, line: str) -> None:
    shown = dp_audit(f"calibrate {line} --neighbours add-remove")
    assert shown.code == 2 and shown.out == ""
    assert shown.err.startswith("dp-audit: ") and shown.err.count("\n") == 1


def test_as_many_runs_as_a_flag_can_say(dp_audit: Command) -> None:
    flags = "--count 1000000000000 --neighbours add-remove"
    shown = dp_audit(f"calibrate gaussian --claim rho=1 {flags}")
    assert shown.code == 0 and "sigma = 707107" in shown.out
