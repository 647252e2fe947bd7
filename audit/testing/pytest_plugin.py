"""The pytest plugin: the fixture ``certify``, the marker ``dp``, options that begin with ``--dp-``.

Registered by its entry point wherever dp-audit and pytest are installed. It imports nothing but
pytest until a test uses it, so that it costs other test suites nothing. ::

    def test_privacy(certify):
        certify(MyProgram(epsilon=1), "epsilon=1", neighbours="add-remove", cells=2)
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from audit.testing.claims import Checked

PROPERTY = "dp-audit"
"""The name under which a report carries what was found, as JSON, from a worker to whoever writes
the SARIF file, and into JUnit files."""

_OPTIONS = ("runs", "seed", "confidence", "alarm")
_running = pytest.StashKey[pytest.Item]()
_found = pytest.StashKey["dict[tuple[str, str], Checked]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("dp", "differential privacy (dp-audit)")
    group.addoption(
        "--dp-runs", type=int, metavar="N", help="runs a database of attacks (default: 10000)"
    )
    group.addoption(
        "--dp-seed", type=int, metavar="S", help="random numbers of attacks (default: 0)"
    )
    group.addoption("--dp-confidence", metavar="P", help="of an attack's floor (default: 0.95)")
    group.addoption(
        "--dp-alarm", metavar="P", help="the chance that an honest function fails (default: 1e-6)"
    )
    group.addoption("--dp-sarif", metavar="FILE", help="write what was refuted as SARIF 2.1.0")
    group.addoption(
        "--dp-report", metavar="DIR", help="write each certificate as JSON and HTML into DIR"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker; gather what is found where a SARIF file is wanted."""
    config.addinivalue_line(
        "markers",
        "dp(claim, **asked): what `certify` asks in this test unless the call says otherwise, "
        "such as dp('epsilon=1', neighbours='add-remove', cells=2)",
    )
    path = config.getoption("--dp-sarif")
    # With pytest-xdist the reports of all workers come together in the process that started them.
    if path is not None and not hasattr(config, "workerinput"):
        if Path(path).is_dir() or any(part.is_file() for part in Path(path).parents):
            raise pytest.UsageError(f"--dp-sarif: {path} can't be written; name a file in a folder")
        config.pluginmanager.register(_Gathering(Path(path)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Remember whose results are to come."""
    item.config.stash[_running] = item


@pytest.fixture(scope="session")
def certify(pytestconfig: pytest.Config) -> Certify:
    """Check that a subject keeps a privacy claim; see `audit.testing.claims.certify`.

    Of session scope, for it holds nothing of a test: Hypothesis refuses others inside ``@given``.
    """
    return Certify(pytestconfig)


class Certify:
    """The fixture: called with a subject, a claim and what it is relative to, it fails the test."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def __call__(
        self, subject: Any, claim: str | None = None, *, name: str | None = None, **asked: Any
    ) -> Checked:
        """What was found; fails the test where the claim is not kept.

        Arguments that are not given are those of the test's ``dp`` markers, then those of the
        command line.
        """
        __tracebackhide__ = True
        from audit.testing.claims.certifying import examine_claim
        from audit.testing.claims.failures import failure_text

        item = self._config.stash[_running]
        arguments = {**self._options(), **_read_markers(item), **asked}
        stated = arguments.pop("claim", None) if claim is None else claim
        arguments.pop("claim", None)
        found = examine_claim(subject, stated, arguments, name)
        if isinstance(found, str):
            pytest.fail(f"certify: {found}", pytrace=False)
        kept = item.stash.setdefault(_found, {})
        if not found.kept:
            # Under Hypothesis the last example that fails is the smallest one, and alone reported.
            for earlier in [key for key, one in kept.items() if not one.kept]:
                del kept[earlier]
        kept[name or type(subject).__qualname__, str(found.claim.guarantee)] = found
        if not found.kept:
            pytest.fail(failure_text(found, f'pytest "{item.nodeid}"'), pytrace=False)
        return found

    def family(
        self, make: Any, claim: str | None = None, *, over: Iterable[Any], **asked: Any
    ) -> tuple[Checked, ...]:
        """Each ``make(parameter)``, the smallest parameter first; fails at the first refuted."""
        __tracebackhide__ = True
        maker = getattr(make, "__name__", type(make).__name__)
        found = [
            self(make(parameter), claim, name=f"{maker}({parameter!r})", **asked)
            for parameter in over
        ]
        if not found:
            pytest.fail("certify: over is empty; give parameters, as range(1, 20)", pytrace=False)
        return tuple(found)

    def _options(self) -> dict[str, Any]:
        values = {name: self._config.getoption(f"--dp-{name}") for name in _OPTIONS}
        return {name: value for name, value in values.items() if value is not None}


def _read_markers(item: pytest.Item) -> dict[str, Any]:
    """What the test's markers ask, the nearest one first."""
    asked: dict[str, Any] = {}
    for marker in reversed(list(item.iter_markers("dp"))):
        asked |= marker.kwargs
        if marker.args:
            asked["claim"] = marker.args[0]
    return asked


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Give the report what was found, and write the certificates asked for."""
    found = item.stash.get(_found, {})
    if found and (call.when == "call" or call.excinfo is not None):
        from audit.testing.claims.report_properties import as_properties, write_reports

        item.user_properties.extend(as_properties(PROPERTY, found.values()))
        folder = item.config.getoption("--dp-report")
        if folder is not None:
            write_reports(Path(folder), item.nodeid, found.values())
    return (yield)


class _Gathering:
    """What the tests of all workers found, in the process that writes the SARIF file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._found: list[tuple[str, int, str, dict[str, Any]]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep what a test that fails found, with where the test stands.

        One that expects a refutation, and succeeds, accuses nobody.
        """
        if report.failed and report.when != "teardown":
            file, line, _ = report.location
            self._found += [
                (file, (line or 0) + 1, report.nodeid, json.loads(str(value)))
                for name, value in report.user_properties
                if name == PROPERTY
            ]

    def pytest_sessionfinish(self) -> None:
        """Write the file; one without results says that nothing was refuted."""
        from audit.report.certificate.sarif import sarif

        self._path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(sarif(self._found), indent=2, ensure_ascii=False)
        self._path.write_text(text + "\n", encoding="utf-8")
