"""The plugin, in test suites of its own: what fails, what it says, writes and loads."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from audit.report.certificate.sarif import RULES, sarif

pytest_plugins = ("pytester",)

ROOT = Path(__file__).parents[3]

REGISTERED = [
    e.name for e in entry_points(group="pytest11") if e.value == "audit.testing.pytest_plugin"
]
PLUGIN = () if REGISTERED else ("-p", "audit.testing.pytest_plugin")

MECHANISMS = """
    import pytest
    from fractions import Fraction
    from hypothesis import Phase, given, settings, strategies as st
    from tests.audit.testing.claims.mechanisms import *

    SMALL = {"neighbours": "add-remove", "cells": 1, "records": 1}
"""

LOG = {
    "type": "object",
    "required": ["version", "$schema", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name", "rules"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "items": {
                                            "type": "object",
                                            "required": ["id", "shortDescription"],
                                        },
                                    }
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["ruleId", "ruleIndex", "level", "message", "locations"],
                            "properties": {
                                "ruleId": {"enum": list(RULES)},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": {"type": "object", "required": ["text"]},
                                "locations": {
                                    "type": "array",
                                    "minItems": 1,
                                    "items": {
                                        "type": "object",
                                        "required": ["physicalLocation"],
                                        "properties": {
                                            "physicalLocation": {
                                                "type": "object",
                                                "required": ["artifactLocation", "region"],
                                                "properties": {
                                                    "artifactLocation": {
                                                        "type": "object",
                                                        "required": ["uri"],
                                                    },
                                                    "region": {
                                                        "type": "object",
                                                        "properties": {
                                                            "startLine": {
                                                                "type": "integer",
                                                                "minimum": 1,
                                                            }
                                                        },
                                                    },
                                                },
                                            }
                                        },
                                    },
                                },
                            },
                        },
                    },
                },
            },
        },
    },
}
"""What the standard requires of the parts that are written (sections 3.13, 3.14, 3.18, 3.27)."""


def ran(pytester: pytest.Pytester, tests: str, *options: str) -> pytest.RunResult:
    """A run of tests in this process."""
    pytester.makepyfile(MECHANISMS + tests)
    return pytester.runpytest_inprocess(*PLUGIN, "-p", "no:randomly", *options)


def test_the_fixture_fails_a_test_and_says_why(pytester: pytest.Pytester) -> None:
    found = ran(
        pytester,
        """
    def test_broken(certify):
        certify(NoisyHistogram(Fraction(1, 2)), "epsilon=1", **SMALL)

    def test_kept(certify):
        assert certify(NoisyHistogram(), "epsilon=1", **SMALL).kept
""",
    )
    found.assert_outcomes(passed=1, failed=1)
    found.stdout.fnmatch_lines(
        [
            "NoisyHistogram(scale=Fraction(1, 2)) does not keep epsilon=1 under add-remove*",
            "*ε = 2",
            "The smallest violation, databases of 0 to 1 records over 1 cell",
            "The smallest pair, as a test that fails by itself",
            "*first = [[]0[]]",
            "Make it again: pytest *test_broken*",
        ]
    )
    # The failure is the text alone, not where in our code it came from.
    found.stdout.no_fnmatch_line("*property_test/*.py:*")
    found.stdout.no_fnmatch_line("*During handling*")


def test_markers_and_options_say_what_a_call_does_not(pytester: pytest.Pytester) -> None:
    found = ran(
        pytester,
        """
    pytestmark = pytest.mark.dp("epsilon=1", **SMALL)

    def test_by_the_module(certify):
        certify(NoisyHistogram())

    @pytest.mark.dp("epsilon=1/2")
    def test_the_nearest_marker_counts(certify):
        certify(NoisyHistogram())

    def test_the_call_counts_most(certify):
        certify(NoisyHistogram(), "epsilon=1/2", require="proof")

    @pytest.mark.dp(runs=None)
    def test_options(certify, monkeypatch):
        from audit.testing.claims import certifying
        asked = {}
        monkeypatch.setattr(certifying, "read_arguments", lambda claim, given: asked.update(given))
        monkeypatch.setattr(certifying, "check", lambda subject, asked, name: NotImplemented)
        with pytest.raises(AttributeError):
            certify(exact_count)
        assert (asked["seed"], asked["runs"], asked["alarm"]) == (5, None, "1e-4")
""",
        "--strict-markers",
        "--dp-seed=5",
        "--dp-runs=300",
        "--dp-alarm=1e-4",
    )
    found.assert_outcomes(passed=2, failed=2)


def test_what_can_not_be_checked_fails_with_one_sentence(pytester: pytest.Pytester) -> None:
    found = ran(
        pytester,
        """
    def test_no_domain(certify):
        certify(NoisyHistogram(), "epsilon=1", neighbours="add-remove")

    def test_no_family(certify):
        certify.family(ManyTotals, "epsilon=1", over=[], **SMALL)
""",
    )
    found.assert_outcomes(failed=2)
    found.stdout.fnmatch_lines(
        ["certify: state the domain*", "certify: over is empty*"], consecutive=False
    )


def test_families_and_hypothesis_end_at_the_smallest(pytester: pytest.Pytester) -> None:
    found = ran(
        pytester,
        """
    @pytest.mark.dp("epsilon=1", **SMALL)
    def test_family(certify):
        certify.family(ManyTotals, over=range(1, 20))

    @settings(max_examples=6, deadline=None, derandomize=True, database=None,
              phases=(Phase.generate, Phase.shrink))
    @given(k=st.integers(1, 3))
    def test_shrunk(certify, k):
        certify(ManyTotals(k), "epsilon=1", **SMALL)
""",
        "--junitxml=found.xml",
    )
    found.assert_outcomes(failed=2)
    found.stdout.fnmatch_lines(["ManyTotals(2) does not keep epsilon=1*"])
    found.stdout.fnmatch_lines(["ManyTotals(k=2, root=True) does not keep epsilon=1*"])
    found.stdout.no_fnmatch_line("*ManyTotals(k=3*")
    # Of all examples the report has the last one, which is the smallest.
    by_test = junit(pytester.path / "found.xml")
    verdicts = [value for name, value in by_test["test_shrunk"] if name == "dp-verdict"]
    assert verdicts == ["REFUTED"]
    verdicts = [value for name, value in by_test["test_family"] if name == "dp-verdict"]
    assert verdicts == ["PROVED", "REFUTED"]


def junit(path: Path) -> dict[str, list[tuple[str, str]]]:
    """The properties of each test."""
    return {
        case.attrib["name"]: [
            (one.attrib["name"], one.attrib["value"]) for one in case.iter("property")
        ]
        for case in ET.parse(path).iter("testcase")
    }


FOUR_TESTS = """
    def test_broken(certify):
        certify(NoisyHistogram(Fraction(1, 2)), "epsilon=1", **SMALL)

    def test_kept(certify):
        certify(NoisyHistogram(), "epsilon=1", **SMALL)

    def test_beyond_the_budget(certify):
        certify(Overspender(), "epsilon=2", properties=False, **SMALL)

    def test_not_shown(certify):
        certify(NoisyHistogram(), "epsilon=1", pair=([1], [0]), require="proof", **SMALL)
"""


def of_four_tests(path: Path) -> dict[str, Any]:
    """The results by the name of their test, after what the standard requires."""
    log = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.validate(log, LOG)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"].endswith(".py")
    return {
        (result["properties"]["test"].split("::")[1], result["ruleId"]): result
        for result in run["results"]
    }


def test_sarif_has_each_violation_at_its_test(pytester: pytest.Pytester) -> None:
    ran(pytester, FOUR_TESTS, "--dp-sarif=out/dp.sarif").assert_outcomes(passed=1, failed=3)
    found = of_four_tests(pytester.path / "out" / "dp.sarif")
    assert found.keys() == {
        ("test_broken", "channel"),
        ("test_broken", "composition"),
        ("test_beyond_the_budget", "protocol"),
        ("test_not_shown", "undecided"),
    }
    broken = found["test_broken", "channel"]
    assert broken["level"] == "error"
    assert "declared epsilon=1, found ε = 2 (exact)" in broken["message"]["text"]
    assert broken["message"]["text"].endswith("Databases: [0] and [1].")
    assert broken["properties"]["pair"] == {"first": [0], "second": [1]}
    line = broken["locations"][0]["physicalLocation"]["region"]["startLine"]
    source = next(pytester.path.glob("test_*.py")).read_text().splitlines()
    assert source[line - 1].startswith("def test_broken")
    assert found["test_not_shown", "undecided"]["level"] == "warning"


def test_a_test_that_expects_a_refutation_accuses_nobody(pytester: pytest.Pytester) -> None:
    body = """
    def test_expected(certify):
        with pytest.raises(pytest.fail.Exception):
            certify(NoisyHistogram(Fraction(1, 2)), "epsilon=1", **SMALL)
    """
    ran(pytester, body, "--dp-sarif=dp.sarif").assert_outcomes(passed=1)
    assert of_four_tests(pytester.path / "dp.sarif") == {}


def test_a_refutation_in_a_fixture_is_reported(pytester: pytest.Pytester) -> None:
    body = """
    @pytest.fixture
    def checked(certify):
        return certify(NoisyHistogram(Fraction(1, 2)), "epsilon=1", **SMALL)

    def test_it(checked):
        pass
    """
    ran(pytester, body, "--dp-sarif=dp.sarif").assert_outcomes(errors=1)
    assert ("test_it", "channel") in of_four_tests(pytester.path / "dp.sarif")


def test_a_file_that_cannot_be_written_is_said_at_once(pytester: pytest.Pytester) -> None:
    (pytester.path / "taken").mkdir()
    found = pytester.runpytest_inprocess(*PLUGIN, "--dp-sarif=taken")
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    found.stderr.fnmatch_lines(["*--dp-sarif*can't be written*"])


def test_without_findings_the_file_says_that_nothing_was_refuted(
    pytester: pytest.Pytester,
) -> None:
    ran(pytester, "    def test_nothing(): pass\n", "--dp-sarif=dp.sarif").assert_outcomes(passed=1)
    assert of_four_tests(pytester.path / "dp.sarif") == {}


def test_a_result_keeps_its_fingerprint_where_lines_move() -> None:
    data = {
        "subject": "s",
        "claim": "epsilon=1",
        "neighbours": "add-remove",
        "verdict": "UNDECIDED",
        "kept": False,
        "bounds": {},
        "pair": None,
        "trouble": "",
        "violations": [],
    }
    first, moved, other = (
        sarif([("t.py", line, test, data)])["runs"][0]["results"][0]["partialFingerprints"]
        for line, test in ((3, "t.py::a"), (9, "t.py::a"), (3, "t.py::b"))
    )
    assert first == moved != other


def test_certificates_and_properties_are_written(pytester: pytest.Pytester) -> None:
    ran(pytester, FOUR_TESTS, "--dp-report=certs", "--junitxml=found.xml")
    names = sorted(path.name for path in (pytester.path / "certs").iterdir())
    assert len(names) == 6 and {name.rpartition(".")[2] for name in names} == {"html", "json"}
    document = json.loads(next((pytester.path / "certs").glob("*broken*.json")).read_text())
    assert document["verdict"] == "REFUTED"
    properties = dict(junit(pytester.path / "found.xml")["test_broken"])
    assert properties["dp-verdict"] == "REFUTED"
    assert properties["dp-exact"] == "ε = 2"
    assert json.loads(properties["dp-pair"]) == {"first": [0], "second": [1]}
    assert json.loads(properties["dp-audit"])["violations"]


def test_workers_send_what_they_found_to_the_process_that_writes(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makepyfile(MECHANISMS + FOUR_TESTS.partition("    def test_beyond")[0])
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    options = ("-n", "2", "--dp-sarif=dp.sarif", "--junitxml=found.xml")
    found = pytester.runpytest_subprocess(*PLUGIN, *options)
    found.assert_outcomes(passed=1, failed=1)
    assert len(of_four_tests(pytester.path / "dp.sarif")) == 2
    assert dict(junit(pytester.path / "found.xml")["test_broken"])["dp-verdict"] == "REFUTED"


HEAVY = ("numpy", "scipy", "pandas", "hypothesis", "audit.certify", "audit.testing.claims")


def test_only_the_process_that_started_the_workers_writes(pytester: pytest.Pytester) -> None:
    from audit.testing import pytest_plugin

    for worker in (False, True):
        config = pytester.parseconfig(*PLUGIN, "--dp-sarif=dp.sarif")
        if worker:
            config.workerinput = {}  # what pytest-xdist gives its workers
        pytest_plugin.pytest_configure(config)
        plugins = [type(plugin).__name__ for plugin in config.pluginmanager.get_plugins()]
        assert ("_Gathering" in plugins) is not worker


def test_nothing_is_imported_until_a_test_uses_it(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        f"import sys, audit.testing.pytest_plugin; print([m for m in {HEAVY} if m in sys.modules])"
    )
    alone = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert alone.stdout.strip() == "[]"
    pytester.makepyfile(
        f"""
        import sys

        def test_light(certify):
            assert [name for name in {HEAVY} if name in sys.modules] == []
        """
    )
    # Plugins of others may load what they like; ours is looked at.
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    others = ("-p", "no:hypothesispytest", "-p", "no:xdist")
    found = pytester.runpytest_subprocess(*PLUGIN, *others)
    found.assert_outcomes(passed=1)


def test_the_options_are_named_for_us(pytester: pytest.Pytester) -> None:
    found = pytester.runpytest_inprocess(*PLUGIN, "--help")
    for option in ("runs", "seed", "confidence", "alarm", "sarif", "report"):
        found.stdout.fnmatch_lines([f"*--dp-{option}*"])
    markers = pytester.runpytest_inprocess(*PLUGIN, "--markers")
    markers.stdout.fnmatch_lines(["@pytest.mark.dp(claim*"])
