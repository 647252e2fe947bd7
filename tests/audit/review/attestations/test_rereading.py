"""A certificate that is read again: what agrees with itself, and what is refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.review.attestations.rereading import reread
from audit.statements.certificate import digest
from synthesizers.errors import InputError
from tests.audit.review.attestations.made_attestations import certify

GOLDEN = Path(__file__).parents[3] / "golden" / "certificates"
PROVED = certify()


def test_an_honest_certificate_is_read() -> None:
    text = PROVED.json_text()
    one = reread(text, "cert.json")
    assert one.shown and one.rechecked and one.certificate.verdict.value == "PROVED"
    assert one.sha256 == hashlib.sha256(text.encode()).hexdigest()
    assert one.digest == PROVED.to_json()["digest"]
    assert one.command.startswith("dp-audit certify geometric-sanitizer ")


@pytest.mark.parametrize("name", ["refuted", "undecided", "outputs-kept", "delta"])
def test_older_certificates_are_read_whatever_their_verdict(name: str) -> None:
    text = (GOLDEN / f"before-isolation-{name}.json").read_text()
    one = reread(text, "old.json")
    assert one.certificate.verdict.value == json.loads(text)["verdict"]
    assert one.shown is (name == "delta")


def lower_claim(plain: dict[str, Any]) -> None:
    plain["claim"] = "epsilon=1/2"


def state_proved(plain: dict[str, Any]) -> None:
    plain["verdict"] = "EXACT"


def lower_proof(plain: dict[str, Any]) -> None:
    """Less noise than the claim needs, in every step."""
    text = json.dumps(plain).replace('"amount": "1"', '"amount": "1/2"')
    plain.update(json.loads(text))


def drop_proof(plain: dict[str, Any]) -> None:
    plain["proof"] = None


ALTERED: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (state_proved, "its evidence entails PROVED, and it states EXACT"),
    (lower_claim, "the independent checker rejects its proof|dp-audit does not write it so"),
    (lower_proof, "the independent checker rejects its proof"),
    (drop_proof, "its evidence entails EXACT, and it states PROVED"),
]


@pytest.mark.parametrize(("change", "says"), ALTERED)
def test_an_altered_certificate_is_refused_even_with_a_digest_of_its_own(
    change: Callable[[dict[str, Any]], None], says: str
) -> None:
    plain = json.loads(PROVED.json_text())
    change(plain)
    with pytest.raises(InputError, match=r"its text was changed|dp-audit does not write it so"):
        reread(json.dumps(plain), "cert.json")
    plain["digest"] = digest(plain)
    with pytest.raises(InputError, match=says):
        reread(json.dumps(plain), "cert.json")


def test_a_program_of_others_that_nothing_kept_apart_is_refused() -> None:
    text = (GOLDEN / "before-isolation-module.json").read_text()
    with pytest.raises(InputError, match="its evidence entails UNDECIDED, and it states PROVED"):
        reread(text, "old.json")


def test_another_command_is_never_repeated() -> None:
    plain = json.loads(PROVED.json_text())
    plain["reproduce"] = "rm -r /"
    plain["digest"] = digest(plain)
    assert reread(json.dumps(plain), "cert.json").command == ""
