"""A true number is found wherever an output holds it, and said in words of its own."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass

import pandas as pd
import pytest

from audit.auditors.data_independence import Facet, examine, wrap_function
from audit.statements.claim import Claim
from audit.statements.finding import violations
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.errors import ProtocolError
from synthesizers.neighbours import AddRemove

CLAIM = Claim(ApproxDP(1), AddRemove(), "output", Domain.from_cells("2"), None)


@dataclass
class Sized:
    """An output that holds a number."""

    rows: int


def in_an_object_of_a_list(records, rng):
    return [Sized(len(records)), float(rng.laplace())]


def deep_down(records, rng):
    return {"a": {"b": {"c": {"d": {"e": len(records)}}}}, "v": float(rng.laplace())}


def in_the_index(records, rng):
    return pd.DataFrame({"v": [float(rng.laplace())]}, index=[len(records)])


def in_the_attributes_of_a_frame(records, rng):
    frame = pd.DataFrame({"v": [float(rng.laplace())]})
    frame.attrs["rows"] = len(records)
    return frame


def test_long_names_that_start_alike_are_told_apart():
    def named(records, rng):
        return {f"{'a name that says much ' * 3}{len(records)}": float(rng.laplace())}

    found = {finding.about for finding in violations(examine(wrap_function(named), CLAIM))}
    assert Facet.SCHEMA.value in found


@pytest.mark.parametrize(
    "hiding", [in_an_object_of_a_list, deep_down, in_the_index, in_the_attributes_of_a_frame]
)
def test_a_true_number_in_a_corner_of_the_output_is_found(hiding):
    found = {finding.about for finding in violations(examine(wrap_function(hiding), CLAIM))}
    assert Facet.VALUES.value in found


def test_a_scale_that_depends_on_the_data_is_found_beside_one_of_the_same_line():
    def twice(records, rng):
        return [float(rng.laplace(0, scale)) for scale in (1, 1 + len(records))]

    assert any(
        f.about == Facet.SCALES.value for f in violations(examine(wrap_function(twice), CLAIM))
    )


def test_the_command_line_of_another_process_is_looked_at():
    def tells(records, rng):
        subprocess.run([sys.executable, "--version", str(len(records))], capture_output=True)
        return float(rng.laplace())

    pairs = [([], [{"cell": "0"}])]
    found = violations(examine(wrap_function(tells), CLAIM, pairs=pairs))
    assert [finding.about for finding in found] == [Facet.FILES.value]


def test_a_truth_value_is_told_as_itself():
    found = violations(examine(wrap_function(lambda records, rng: len(records) % 2 == 0), CLAIM))
    assert "True on the first database, False on the second" in found[0].found


def test_a_mechanism_that_never_returns_anything_is_not_passed():
    def broken(records, rng):
        return records.groupby("cell")

    with pytest.raises(ProtocolError, match="every run"):
        examine(wrap_function(broken), CLAIM)


def test_an_iterator_is_refused():
    def yielding(records, rng):
        yield len(records)

    with pytest.raises(ProtocolError, match="iterator"):
        examine(wrap_function(yielding), CLAIM)
