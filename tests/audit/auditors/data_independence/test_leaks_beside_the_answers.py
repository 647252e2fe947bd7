"""What a mechanism tells beside its noisy answers is found, on the smallest pair."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from fractions import Fraction

import numpy as np
import pytest

from audit.auditors.data_independence import RELEASED, Effort, Facet, examine, wrap_function
from audit.statements.claim import Claim
from audit.statements.finding import Rigour, violations
from proofs.guarantees import ApproxDP, GaussianDP
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, ReplaceOne
from tests.audit.auditors.data_independence import leaking

SOME = Effort(pairs=8)
DOMAIN = Domain.from_cells("3")
ADDED = Claim(ApproxDP(Fraction(1)), AddRemove(), "output", DOMAIN, None)


@pytest.fixture(autouse=True)
def side_files(tmp_path, monkeypatch):
    """Where a liar leaves its files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.parametrize("liar", leaking.LIARS, ids=lambda liar: liar.__name__)
def test_a_leak_is_found_by_its_facet_on_a_pair_of_at_most_three_records(liar):
    found = {f.about: f for f in violations(examine(wrap_function(liar), ADDED, effort=SOME))}
    assert leaking.LIARS[liar] in found
    finding = found[leaking.LIARS[liar]]
    assert finding.pair is not None
    assert len(finding.pair.first) + len(finding.pair.second) <= 3
    assert finding.error is None or finding.error <= 1e-6
    json.dumps(finding.to_report_json())


def test_what_precedes_all_randomness_is_exact_and_refutes_claims_of_any_epsilon():
    generous = dataclasses.replace(ADDED, guarantee=ApproxDP(Fraction(100)))
    for liar in (leaking.seed_from_the_data, leaking.scale_from_the_data):
        (finding,) = violations(examine(wrap_function(liar), generous, effort=SOME))
        assert finding.rigour is Rigour.EXACT
        (finding,) = violations(examine(wrap_function(liar), AddRemove(), DOMAIN, effort=SOME))
        assert finding.rigour is Rigour.EXACT


def test_a_log_line_before_the_noise_is_exact():
    def speaks_first(database, rng):
        print("records:", len(database))
        return len(database) + rng.laplace()

    (finding,) = violations(examine(wrap_function(speaks_first), AddRemove(), DOMAIN))
    assert finding.about == "logs and streams"
    assert finding.rigour is Rigour.EXACT


def test_nothing_is_accused_that_only_more_runs_could_refute():
    generous = dataclasses.replace(ADDED, guarantee=ApproxDP(Fraction(30)))
    findings = {f.about: f for f in examine(wrap_function(leaking.exact_rows), generous)}
    assert not violations(findings.values())
    assert "more than 4000 runs" in findings["number of rows"].found


def test_exact_rows_are_public_where_a_record_is_replaced():
    claim = Claim(ApproxDP(Fraction(2)), ReplaceOne(), "output", DOMAIN, 6)
    assert not violations(examine(wrap_function(leaking.exact_rows), claim))


def test_other_guarantees_refute_too():
    claim = dataclasses.replace(ADDED, guarantee=GaussianDP(Fraction(1)))
    found = violations(examine(wrap_function(leaking.exact_rows), claim))
    assert "number of rows" in [finding.about for finding in found]


def test_loops_until_the_truth_are_found_where_iterations_are_visible():
    subject = wrap_function(leaking.converges_on_the_truth)
    assert not violations(examine(subject, ADDED))
    visible = RELEASED | {Facet.ITERATIONS}
    effort = Effort(pairs=6)
    (finding,) = violations(examine(subject, ADDED, visible=visible, effort=effort))
    assert finding.about == "number of iterations"
    assert "leaking.py" in str(finding.responsible)
    steady = wrap_function(leaking.counted_without_a_loop)
    assert not violations(examine(steady, ADDED, visible=visible, effort=effort))


def test_a_pair_is_shrunk_to_the_records_that_matter():
    def fails_beside_two_equals(database, rng):
        if leaking.counts(database)[1] >= 3:
            raise RuntimeError("many")
        return rng.laplace()

    first = [{"cell": "0"}] * 5 + [{"cell": "1"}] * 2 + [{"cell": "2"}] * 4
    pair = (first, [*first, {"cell": "1"}])
    (finding,) = violations(examine(wrap_function(fails_beside_two_equals), ADDED, pairs=[pair]))
    assert finding.pair is not None
    assert finding.pair.first == [{"cell": "1"}] * 2
    assert finding.pair.second == [{"cell": "1"}] * 3


def test_the_number_of_records_stays_where_the_claim_fixes_it():
    def fails_by_its_first_record(database, rng):
        if any(record["cell"] == "2" for record in database):
            raise RuntimeError("two")
        return rng.laplace()

    claim = Claim(ApproxDP(Fraction(1)), ReplaceOne(), "output", DOMAIN, 5)
    (finding,) = violations(examine(wrap_function(fails_by_its_first_record), claim))
    assert finding.pair is not None
    assert len(finding.pair.first) == len(finding.pair.second) == 5


def test_a_true_number_of_rows_names_the_line_that_read_it():
    found = {f.about: f for f in examine(wrap_function(leaking.exact_rows), ADDED)}
    assert "len read in leaking.py" in str(found["number of rows"].responsible)


def test_the_same_seed_gives_the_same_findings():
    subject = wrap_function(leaking.true_count_beside_the_answers)
    assert examine(subject, ADDED, seed=5, effort=SOME) == examine(
        subject, ADDED, seed=5, effort=SOME
    )


def test_what_is_missing_is_said():
    with pytest.raises(InputError, match="domain"):
        examine(wrap_function(leaking.histogram), AddRemove())
    with pytest.raises(InputError, match="function"):
        wrap_function(lambda curator: None)


def test_global_generators_are_left_as_they_were():
    np.random.seed(11)
    before = np.random.get_state()[1].tobytes()
    examine(wrap_function(leaking.global_generators), ADDED, effort=Effort(pairs=2))
    assert np.random.get_state()[1].tobytes() == before
    assert type(np.random.default_rng(1)) is np.random.Generator
