"""Claims that maps of measurements make."""

from __future__ import annotations

import sys
from fractions import Fraction

import pytest

import dp_audit as dpa
from audit.auditors.stability.claims import claim_of_map
from audit.auditors.stability.outputs import Asked
from audit.subjects.interpreters import find_interpreter
from proofs.guarantees import parse_guarantee
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, ReplaceOne

MODULE = "tests.audit.auditors.stability.transformations"


def claim(name: str, words: str, neighbours) -> str:
    return claim_of_map(Asked(f"{MODULE}:{name}", 10.0, 4096), words, neighbours)


@pytest.mark.parametrize(
    ("name", "words", "neighbours", "stated"),
    [
        ("measured", "map(1)", AddRemove(), "epsilon=0.2"),
        ("measured", "map( 2 )", ReplaceOne(), "epsilon=0.3"),
        ("concentrated", "map(1)", AddRemove(), "rho=0.125"),
        ("approximate", "map(1)", AddRemove(), "epsilon=0.5, delta=0.000001"),
        ("exchanged", "map(1)", ReplaceOne(), "epsilon=1"),
    ],
)
def test_no_claim_is_smaller_than_the_map(name, words, neighbours, stated):
    """0.1 as a double is above a tenth: the next decimal of as many digits is claimed."""
    found = claim(name, words, neighbours)
    assert found == stated
    guarantee = parse_guarantee(found)
    if name == "measured":
        assert guarantee.epsilon >= Fraction(0.1) * (2 if isinstance(neighbours, ReplaceOne) else 1)


@pytest.mark.parametrize(
    ("name", "words", "neighbours", "complaint"),
    [
        ("measured", "map(1)", ReplaceOne(), "lie 2 apart"),
        ("exchanged", "map(1)", AddRemove(), "no two tables"),
        ("total", "map(1)", AddRemove(), "is a transformation"),
        ("other_measure", "map(1)", AddRemove(), "no guarantee is stated"),
    ],
)
def test_a_claim_that_makes_no_sense_is_refused(name, words, neighbours, complaint):
    with pytest.raises(InputError, match=complaint):
        claim(name, words, neighbours)


def test_a_measurement_is_certified_by_its_own_map():
    """As the claim says it: the certificate holds the number, and who re-checks it needs no map."""
    result = dpa.certify(
        f"{MODULE}:measured",
        "map(1)",
        neighbours="add-remove",
        pair=([3], [3, 10]),
        runs=20,
        seed=1,
        jobs=1,
        auditors="attack",
    )
    assert str(result.certificate.claim.guarantee) == "epsilon=0.2"


def test_the_map_is_asked_of_what_has_a_name():
    with pytest.raises(InputError, match="module:attribute"):
        dpa.certify(lambda database, rng: 0, "map(1)", neighbours="add-remove", runs=10)


ALONE = """
class Private:
    input_domain, input_metric = "VectorDomain(AtomDomain(T=i32))", "SymmetricDistance()"
    output_measure = "MaxDivergence"

    def map(self, apart):
        return 0.5 * apart

    def __call__(self, values):
        return len(values)

measured = Private()
told = dict()
"""
"""A measurement that needs nothing of ours."""


def test_a_map_is_asked_in_another_interpreter(monkeypatch, tmp_path):
    (tmp_path / "alone.py").write_text(ALONE)
    monkeypatch.chdir(tmp_path)
    elsewhere = find_interpreter(sys.executable)
    asked = Asked("alone:measured", 10.0, 4096, elsewhere)
    assert claim_of_map(asked, "map(2)", ReplaceOne()) == "epsilon=1.0"
    assert asked.outputs([[1, 2], []]) == [2, 0]
    with pytest.raises(InputError, match="no map"):
        Asked("alone:told", 10.0, 4096, elsewhere).ask("about")
    with pytest.raises(InputError, match="no attribute"):
        Asked("alone:nothing", 10.0, 4096, elsewhere).ask("about")
