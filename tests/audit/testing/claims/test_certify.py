"""`certify` and `family`: whom they fail, whom they do not, what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from audit.statements.evidence import Verdict
from audit.testing.claims import Checked, ClaimRefuted, certify, family
from audit.testing.claims.asked import Asked
from audit.testing.claims.code import as_test
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from tests.audit.testing.claims import mechanisms
from tests.audit.testing.claims.mechanisms import (
    ManyTotals,
    NoisyHistogram,
    Overspender,
    ParallelQuestions,
    Plain,
    Resampler,
)

F = Fraction
SMALL: dict[str, Any] = {"neighbours": "add-remove", "cells": 2, "records": 1}
ROOT = Path(__file__).parents[4]


def refuted(subject: Any, claim: str, **asked: Any) -> Checked:
    with pytest.raises(ClaimRefuted) as caught:
        certify(subject, claim, **asked)
    return caught.value.checked


def test_a_program_that_keeps_its_claim_is_let_pass_with_what_was_found() -> None:
    found = certify(NoisyHistogram(), "epsilon=1", **SMALL)
    assert found.verdict is Verdict.PROVED and found.kept and not found.violations
    assert certify(NoisyHistogram(), "epsilon=1", require="proof", **SMALL).kept
    assert certify(ParallelQuestions(), "epsilon=1", **SMALL).kept
    assert certify(NoisyHistogram(F(2)), "epsilon=1", neighbours="replace-one", cells=2).kept


def test_a_program_that_breaks_it_fails_with_ruler_witness_and_smallest_pair() -> None:
    with pytest.raises(ClaimRefuted) as caught:
        certify(NoisyHistogram(F(1, 2)), "epsilon=1", neighbours="add-remove", cells=3, records=2)
    told, found = str(caught.value), caught.value.checked
    assert told.startswith(
        "NoisyHistogram(scale=Fraction(1, 2)) does not keep epsilon=1 under add-remove, databases"
    )
    assert "ε = 2" in told and "is claimed" in told
    assert "The smallest violation, databases of 0 to 1 records over 1 cell" in told
    assert "0.8807971" in told and "0.1192029" in told and "the claim is violated" in told
    assert "def test_smallest_counterexample():" in told
    assert found.smallest is not None and sorted(found.smallest.pair) == [(0,), (1,)]
    assert {f.auditor for f in found.violations} == {"channel", "composition"}
    assert "question 1: measure marginal" in told


def test_an_assertion_error_is_what_other_frameworks_understand() -> None:
    with pytest.raises(AssertionError):
        certify(NoisyHistogram(F(1, 2)), "epsilon=1", **SMALL)


def test_what_was_not_shown_as_required_fails_without_an_accusation() -> None:
    found = refuted(
        NoisyHistogram(),
        "epsilon=1",
        neighbours="add-remove",
        cells=2,
        records=1,
        pair=([1, 0], [0, 0]),
        require="exact",
    )
    assert found.verdict is Verdict.NOT_REFUTED and not found.violations


def test_it_says_why_what_is_required_is_out_of_reach() -> None:
    asked: dict[str, Any] = {"neighbours": "add-remove", "cells": 2, "require": "proof"}
    with pytest.raises(ClaimRefuted, match=r"(?s)A\s+pair\s+alone.*leave\s+out\s+require"):
        certify(NoisyHistogram(), "epsilon=1", pair=([1, 0], [0, 0]), **asked)
    with pytest.raises(ClaimRefuted, match=r"(?s)Runs\s+can.*program\s+of\s+a\s+curator"):
        certify(mechanisms.rounded_count, "epsilon=1/2", runs=4000, **asked)


def test_the_smallest_pair_is_a_test_that_the_fix_satisfies() -> None:
    found = refuted(NoisyHistogram(F(1, 2)), "epsilon=1", require="proof", **SMALL)
    held: dict[str, Any] = {}
    exec(compile(found.code, "pasted", "exec"), held)
    with pytest.raises(ClaimRefuted):
        held["test_smallest_counterexample"]()
    exec(compile(found.code.replace("Fraction(1, 2)", "Fraction(1)"), "pasted", "exec"), held)
    held["test_smallest_counterexample"]()


def test_a_family_fails_at_its_smallest_member() -> None:
    with pytest.raises(ClaimRefuted, match=r"^ManyTotals\(2\) does not keep epsilon=1"):
        family(ManyTotals, "epsilon=1", over=range(1, 20), **SMALL)

    def right(k: int) -> ManyTotals:
        return ManyTotals(k, root=False)

    assert len(family(right, "epsilon=1", over=range(1, 4), **SMALL)) == 3
    with pytest.raises(InputError, match="over is empty"):
        family(right, "epsilon=1", over=[], **SMALL)


def test_asking_beyond_the_budget_is_a_broken_protocol_with_the_question_named() -> None:
    found = refuted(Overspender(), "epsilon=2", **SMALL)
    assert found.certificate is None and "the budget" in found.trouble
    assert any("question 2" in finding.found for finding in found.violations)


def test_a_program_is_checked_on_a_pair_alone() -> None:
    for pair in (([0, 1], [0, 0]), ([{"cell": "1"}], [])):
        found = refuted(
            NoisyHistogram(F(1, 2)), "epsilon=1", neighbours="add-remove", cells=2, pair=pair
        )
        assert found.verdict is Verdict.REFUTED and found.pair == pair
    with pytest.raises(InputError, match="no neighbours"):
        certify(NoisyHistogram(), "epsilon=1", pair=([2, 0], [0, 0]), **SMALL)
    with pytest.raises(InputError, match="another number of records"):
        certify(NoisyHistogram(), "epsilon=1", pair=([2, 0], [1, 0]), **SMALL)


def test_a_function_is_attacked_with_a_fixed_seed() -> None:
    asked: dict[str, Any] = {"neighbours": "add-remove", "cells": 2, "runs": 1500}
    first, again = (refuted(mechanisms.exact_count, "epsilon=1", **asked) for _ in range(2))
    assert first.pair == again.pair == ([], [{"cell": "1"}])
    assert [f.to_report_json() for f in first.findings] == [
        f.to_report_json() for f in again.findings
    ]
    assert "attack" in {f.auditor for f in first.violations}
    # ε = 1/2 exactly: it is accused with a probability of at most 1e-6 by each of two auditors.
    found = certify(mechanisms.rounded_count, "epsilon=1/2", **(asked | {"runs": 4000}))
    assert found.verdict is Verdict.NOT_REFUTED


def test_a_function_that_fails_by_mistake_is_told_its_attributes() -> None:
    def misspelt(database: Any, rng: Any) -> int:
        return sum(record["sell"] == "1" for record in database)

    with pytest.raises(ClaimRefuted) as caught:
        certify(misspelt, "epsilon=1", neighbours="add-remove", cells=2, records=1, runs=1500)
    told = " ".join(str(caught.value).split())
    assert "misspelt raises an exception on one database" in told
    assert "mend that first. The attributes of a record are: cell." in told


def test_too_few_runs_fail_without_an_accusation_and_say_how_many_would_do() -> None:
    asked: dict[str, Any] = {"neighbours": "add-remove", "cells": 2, "properties": False}
    with pytest.raises(ClaimRefuted, match=r"(?s)runs\s+a\s+database\s+would\s+do.*runs=") as told:
        certify(mechanisms.rounded_count, "epsilon=1/2", runs=40, **asked)
    assert told.value.checked.verdict is Verdict.UNDECIDED
    assert str(told.value).startswith("UNDECIDED: ") and "does not keep" not in str(told.value)


def test_an_estimator_is_asked_for_a_public_number_of_rows() -> None:
    asked: dict[str, Any] = {"neighbours": "replace-one", "cells": 2, "records": 3, "runs": 300}
    found = refuted(Resampler, "epsilon=1/2", rows=3, properties=False, **asked)
    assert found.pair is not None
    with pytest.raises(InputError, match="rows"):
        certify(Resampler, "epsilon=1", **asked)


def test_persons_and_relations_are_taken_as_words_or_as_they_are() -> None:
    words: dict[str, Any] = {"neighbours": "add-remove", "unit": "person", "max_records": 2}
    relation = AddRemove(Unit("person", 2))
    for asked in (words, {"neighbours": relation}):
        assert certify(NoisyHistogram(), "epsilon=2", cells=1, records=2, **asked).kept
        assert refuted(NoisyHistogram(), "epsilon=3/2", cells=1, records=2, **asked)


@pytest.mark.parametrize(
    ("claim", "asked", "message"),
    [
        ("epsilon=1", {"cells": 2}, "name the neighbours"),
        ("epsilon=1", {"neighbours": "add-remove"}, "state the domain"),
        ("epsilon=1", {**SMALL, "domain": Domain.from_cells("2")}, "not both"),
        ("eps=1", SMALL, "a claim reads"),
        (None, SMALL, "state the claim"),
        (1, SMALL, "state the claim"),
        ("epsilon=1", {**SMALL, "neighbors": 1}, "takes no neighbors; did you mean 'neighbours'"),
        ("epsilon=1", {**SMALL, "xyz": 1}, "takes no xyz; it takes alarm, "),
        ("epsilon=1", {**SMALL, "require": "faith"}, "require must be"),
        ("epsilon=1", {**SMALL, "runs": 0}, "runs must be"),
        ("epsilon=1", {**SMALL, "pair": ([],)}, "two databases"),
        ("epsilon=1", {**SMALL, "neighbours": ReplaceOne(), "unit": "person"}, "unit inside"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(
    claim: Any, asked: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        certify(NoisyHistogram(), claim, **asked)


def test_what_is_no_subject_is_refused() -> None:
    with pytest.raises(InputError, match="expected a program"):
        certify(lambda: 1, "epsilon=1", **SMALL)
    with pytest.raises(InputError, match="needs parameters"):
        certify(ManyTotals, "epsilon=1", **SMALL)
    assert certify(NoisyHistogram, "epsilon=1", **SMALL).kept


def pasted(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What running the printed test by itself gives."""
    path = folder / "pasted.py"
    path.write_text(code + "\n\n\ntest_smallest_counterexample()\n")
    return subprocess.run(
        [sys.executable, str(path)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_smallest_pair_of_a_program_fails_by_itself(tmp_path: Path) -> None:
    found = refuted(NoisyHistogram(F(1, 2)), "epsilon=1", **SMALL)
    assert "from tests.audit.testing.claims.mechanisms import NoisyHistogram" in found.code
    ran = pasted(found.code, tmp_path)
    assert (
        ran.returncode == 1
        and "ClaimRefuted: NoisyHistogram(scale=Fraction(1, 2)) does not keep" in ran.stderr
    )


@pytest.mark.slow
def test_the_smallest_pair_of_a_local_function_fails_by_itself(tmp_path: Path) -> None:
    def local(database: Any, rng: Any) -> Any:
        return {"total": len(database), "list": sorted(rng.integers(5, size=2).tolist())}

    found = refuted(local, "epsilon=1", neighbours="add-remove", cells=2, runs=1500)
    ran = pasted(found.code, tmp_path)
    assert ran.returncode == 1 and "ClaimRefuted: local does not keep" in ran.stderr


def code(subject: Any, **asked: Any) -> str:
    return as_test(subject, Asked(**{"claim": "epsilon=1", "neighbours": "add-remove", **asked}))


def test_the_code_names_what_it_cannot_show() -> None:
    scale = F(1, 2)

    def closed(curator: Any) -> Any:
        return NoisyHistogram(scale)(curator)

    assert "subject = ...  # the subject of the test that failed" in code(closed)
    assert "subject = ..." in code(lambda curator: [1])
    assert "subject = ..." in code(Plain(scale))
    assert "subject = ..." in code(NoisyHistogram(scale).__call__)


def test_the_code_imports_what_an_object_is_made_of() -> None:
    assert "from fractions import Fraction" in code(NoisyHistogram(F(1, 2)))


def test_counts_are_a_pair_of_a_function_too() -> None:
    asked = {"neighbours": "add-remove", "cells": 2, "runs": 400, "properties": False}
    with pytest.raises(ClaimRefuted):
        certify(mechanisms.exact_count, "epsilon=1", pair=([0, 0], [0, 1]), **asked)


def test_the_code_says_all_that_was_asked() -> None:
    domain = Domain("d", (Attribute.binned("age", [0, F(1, 2), 2]),))
    relation = ReplaceOne(Unit("person", 2))
    text = code(NoisyHistogram(), domain=domain, neighbours=relation, pair=([1, 0], [0, 1]))
    assert "from synthesizers.neighbours import ReplaceOne, Unit" in text
    assert "from synthesizers.domain import Attribute, Domain" in text
    held: dict[str, Any] = {}
    exec(compile(text, "pasted", "exec"), held)
    with pytest.raises(ClaimRefuted):
        held["test_smallest_counterexample"]()
    assert "runs" not in text and "seed" not in text


def test_the_code_of_a_program_leaves_out_what_only_attacks_heed() -> None:
    found = refuted(NoisyHistogram(F(1, 2)), "epsilon=1", runs=50, seed=3, alarm="1e-3", **SMALL)
    assert not set(re.findall(r"(\w+)=", found.code)) & {"runs", "seed", "alarm"}


def test_long_databases_are_written_record_by_record() -> None:
    many = [{"cell": str(k % 2)} for k in range(12)]
    text = code(mechanisms.exact_count, cells=2, pair=(many, many[1:]))
    assert text.count("{'cell': '0'},") == 6 + 5
    assert max(map(len, text.splitlines())) <= 96
