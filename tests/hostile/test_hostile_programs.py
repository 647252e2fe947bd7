"""Hostile programs, run as a stranger's would be: what is concluded of each is true, or nothing is.

The programs are in ``programs/``, by what they try. Beside each group stands an honest program.
Side channels (time, memory, the order of processes) are out of scope: see
docs/explanation/threat-model.md.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import pytest
from rich.console import Console

from audit.certify import Effort, certify
from audit.cli.main import main
from audit.report.certificate.document import certificate_text
from audit.report.certificate.terminal import certificate_lines
from audit.statements.certificate import Certificate
from audit.statements.claim import Claim
from audit.statements.evidence import Side, Verdict
from audit.statements.isolation import PLAIN, Isolation
from audit.subjects import program_process
from audit.subjects.confinement import require_minimum
from audit.subjects.program_process import ProgramProcess
from audit.subjects.subject import ProgramSubject
from audit.subjects.synthesizer import program_subject
from proofs.guarantees import parse_guarantee
from synthesizers import enumeration
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import DPAuditError, InputError, ProtocolError
from synthesizers.neighbours import ReplaceOne
from tests.audit.subjects.boxes import await_that, processes_with

PROGRAMS = Path(__file__).with_name("programs")
MARKER = f"hostile-daemon-{os.getpid()}"
ONE, TEN = Fraction(1), Fraction(10)


@dataclass(frozen=True)
class Folder:
    """A user's folder, with private data in it that no program may read."""

    path: Path

    @property
    def data(self) -> str:
        return str(self.path / "private.csv")


@pytest.fixture(scope="module")
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = tmp_path_factory.mktemp("user")
    (folder / "private.csv").write_text("cell\n0\n1\n")
    (folder / "domain.toml").write_text('[attributes]\ncell = { values = ["0", "1"] }\n')
    (folder / "parent.txt").write_text(str(os.getpid()))
    (folder / "marker.txt").write_text(MARKER)
    isolation = require_minimum((str(folder / "private.csv"),))
    if not isolation.sufficient:
        pytest.skip(f"programs here run {isolation.describe()}, which is too little")
    return Folder(folder)


@pytest.fixture
def folder(shared_folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    monkeypatch.chdir(shared_folder.path)
    monkeypatch.syspath_prepend(str(PROGRAMS))
    monkeypatch.syspath_prepend(str(shared_folder.path))
    yield shared_folder
    (shared_folder.path / "flag").unlink(missing_ok=True)


def subject(name: str, hidden: str, seconds: float = 30.0, run_seconds: float = 60.0
            ) -> ProgramSubject:  # fmt: skip
    """A program of ``programs/``: module:attribute, or a class of hostile_wire as a command."""
    if ":" not in name:
        name = f"command:python3 {PROGRAMS / 'hostile_wire.py'} {name}"
    found = program_subject(name, {}, [hidden])
    assert isinstance(found.program, ProgramProcess)
    return replace(found, program=replace(found.program, seconds=seconds, run_seconds=run_seconds))


def audited(
    name: str, folder: Folder, claim: str = "epsilon=1", released: str = "output", **limits: float
) -> Certificate:
    """What an audit of the small instance concludes; its texts can be written, too."""
    about = Claim(parse_guarantee(claim), ReplaceOne(), released, Domain.from_cells("2"), 2)
    found = subject(name, folder.data, **limits)
    try:
        certificate = certify(found, about, Effort(), "again").certificate
    finally:
        assert isinstance(found.program, ProgramProcess)
        found.program.end()
    json.loads(certificate_text(certificate))
    page = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    Console(file=page, width=100).print(certificate_lines(certificate))
    assert isinstance(page.buffer, io.BytesIO) and b"\x1b" not in page.buffer.getvalue()
    return certificate


def is_true_of(certificate: Certificate, epsilon: Fraction) -> bool:
    """Whether no bound of a certificate contradicts the true epsilon."""
    exact, ceiling = certificate.bound(Side.EXACT), certificate.bound(Side.CEILING)
    return (exact is None or exact.epsilon.lower <= epsilon <= exact.epsilon.upper) and (
        ceiling is None or epsilon <= ceiling.epsilon.upper
    )


# What tries to leave the box, or what stands there: PROVED at 1 only if all of it was refused.
REACHES = [
    "memory",
    "environment",
    "traces",
    "reads_data",
    "reads_data_by_root",
    "links_data",
    "points_at_data",
    "writes_data",
    "inherits",
    "searches_objects",
    "searches_referrers",
    "mounts",
    "becomes_root",
    "listens_tcp",
    "sends_udp",
    "joins_abstract",
    "speaks_netlink",
    "leaves_bytecode",
    "raises_limits",
    "leaves_notes",
    "signals_everyone",
    "deaf",
]


@pytest.mark.parametrize("name", REACHES)
def test_what_a_program_reaches_for_is_refused(name: str, folder: Folder) -> None:
    before = sorted(path.name for path in folder.path.iterdir())
    certificate = audited(f"hostile_reach:{name}", folder)
    assert certificate.verdict is Verdict.PROVED and is_true_of(certificate, ONE)
    assert Path(folder.data).read_text() == "cell\n0\n1\n"
    assert sorted(path.name for path in folder.path.iterdir()) == before
    if name == "deaf":
        await_that(lambda: not processes_with(MARKER))


# Classes, modules and objects changed in the program's process: priced and found at 10 as asked.
PATCHES = [
    "through_closures",
    "free_noise",
    "free_events",
    "blunt_queries",
    "cheap_costs",
    "any_kind",
    "narrow_setting",
    "other_neighbours",
    "through_frames",
    "patched_events",
    "subclassed_noise_let_through",
    "int_of_its_own",
    "spends_nothing",
]
OUTPUTS = ["hostile_outputs:lying_data", "LoudTextOutputs", "Loud"]


@pytest.mark.parametrize("name", [*(f"hostile_patches:{name}" for name in PATCHES), *OUTPUTS])
def test_what_is_asked_costs_what_it_costs_here(name: str, folder: Folder) -> None:
    certificate = audited(name, folder)
    assert certificate.verdict is Verdict.REFUTED
    exact = certificate.bound(Side.EXACT)
    assert exact is not None and exact.epsilon.lower == exact.epsilon.upper == TEN


@pytest.mark.parametrize("name", ["generous_budget", "unpriced", "narrow_setting_on_its_word"])
def test_a_budget_is_kept_here(name: str, folder: Folder) -> None:
    with pytest.raises(ProtocolError, match="budget"):
        audited(f"hostile_patches:{name}", folder)


# What the parent heard is what was asked, so that these are what they are said to be.
TRUE_AT_ONE = [
    "hostile_patches:keeps_its_word",
    "hostile_patches:writes_another_question",
    "hostile_patches:lying_json",
    "hostile_outputs:surrogates",
    "hostile_bombs:fork_comes_back",
    "hostile_bombs:descriptors",
    "hostile_bombs:threads",
    "hostile_bombs:fills_its_folder",
    "hostile_bombs:talks_without_end",
    "hostile_bombs:reads_standard_input",
    "hostile_bombs:catches_everything",
    "hostile_bombs:at_exit",
    "hostile_bombs:liar_of_class",
    "Honest",
    "WithoutScripts",
    "OneNumberTwoQuestions",
    "WideBounds",
    "DeclaresAgain",
    "TextOutputs",
    "LargeNumbers",
]


@pytest.mark.parametrize("name", TRUE_AT_ONE)
def test_what_is_proved_is_true(name: str, folder: Folder) -> None:
    certificate = audited(name, folder)
    assert certificate.verdict is Verdict.PROVED and is_true_of(certificate, ONE)
    assert audited_again_at(certificate, Fraction(99, 100))


def audited_again_at(certificate: Certificate, epsilon: Fraction) -> bool:
    """Whether the same findings would not have proved less than the truth."""
    bounds = [certificate.bound(side) for side in (Side.EXACT, Side.CEILING)]
    return all(bound is None or bound.epsilon.upper > epsilon for bound in bounds)


@pytest.mark.parametrize("name", ["hostile_outputs:lying_list", "TellsByOrder"])
def test_what_releases_nothing_is_exact_at_nothing(name: str, folder: Folder) -> None:
    certificate = audited(name, folder)
    assert certificate.verdict is Verdict.EXACT and is_true_of(certificate, Fraction(0))
    assert audited(name, folder, released="transcript").verdict is Verdict.REFUTED


# Whatever breaks the protocol, or keeps to no law, ends with exit code 4, and says what it was.
BROKEN = {
    "hostile_moods:first_hundred": "asked other questions",
    "hostile_moods:first_hundred_outputs": "another output",
    "hostile_moods:every_other": "another question|other questions",
    "hostile_moods:remembers": "another output",
    "hostile_moods:coin": "another question|other questions|something else",
    "hostile_moods:coin_in_the_output": "another output|something else",
    "hostile_moods:clock": "another output",
    "hostile_moods:by_thread": "another output",
    "hostile_moods:by_hash": "in a fresh process",
    "hostile_moods:by_address": "another output",
    "hostile_moods:by_process": "another output",
    "hostile_moods:by_message": "began with another question",
    "hostile_moods:by_message_of_output": "in a run, the program asked or returned",
    "hostile_moods:other_first_question": "began with another question",
    "hostile_moods:wider_first_question": "began with another question",
    "hostile_patches:lying_plays": "began with another question",
    "hostile_patches:reads_otherwise": "something else",
    "hostile_patches:lying_builtins": "",
    "hostile_patches:subclassed_noise": "KeyError",
    "hostile_outputs:lying_number": "a flat list of whole numbers",
    "hostile_outputs:data_of_another_domain": "another domain",
    "hostile_outputs:changing": "",
    "hostile_outputs:number_with_a_point": "a flat list of whole numbers",
    "hostile_outputs:no_number": "a flat list of whole numbers",
    "hostile_outputs:truth": "a flat list of whole numbers",
    "hostile_outputs:nothing": "a flat list of whole numbers",
    "hostile_outputs:endless": "a flat list of whole numbers",
    "hostile_outputs:long_text": "texts of at most",
    "hostile_outputs:itself": "a flat list of whole numbers",
    "hostile_outputs:the_curator": "a flat list of whole numbers",
    "hostile_bombs:recursion": "RecursionError",
    "hostile_bombs:memory": "MemoryError",
    "hostile_bombs:fork_answers_too": "",
    "hostile_bombs:exits": "SystemExit",
    "hostile_bombs:ends": "its process ended",
    "hostile_bombs:ends_its_group": "its process ended",
    "hostile_bombs:becomes_another": "its process ended|wrote nothing",
    "hostile_bombs:closes_everything": "its process ended",
    "hostile_bombs:closes_its_pipe": "its process ended",
    "hostile_bombs:takes_the_pipes": "",
    "hostile_bombs:segmentation": "its process ended",
    "hostile_bombs:raises_secret": "the program raised Answer0",
    "hostile_bombs:raises_liar": "raised Liar",
    "hostile_bombs:ends_scripts_itself": "",
    "hostile_bombs:finaliser": "",
    "PlaysWhatItDoesNotAsk": "began with another question",
    "PlaysWhatItDoesNotRelease": "in a run, the program asked or returned",
    "PlaysNothing": "began with another question",
    "RefusedUnasked": "its last question was answered",
    "GaveUpAtOnce": "its last question was answered",
    "NumbersBeyond": "no play",
    "NegativeNumber": "no play",
    "TruthForNumber": "no play",
    "FloatForNumber": "no play",
    "TextForNumber": "no play",
    "LongerTranscript": "on replay of the same answers",
    "ShorterTranscript": "on replay of the same answers",
    "TooManyPlays": "another number of plays",
    "NoPlays": "another number of plays",
    "PlaysForOthers": "on replay of the same answers",
    "UndeclaredLaw": "question.noise.law",
    "UndeclaredKind": "question.event",
    "QuestionWithAPrice": "a key is not known",
    "CellOfAnotherDomain": "cells must lie in",
    "CellTwice": "different cells",
    "ScaleOfNothing": "must be positive",
    "NegativeScale": "must be positive",
    "ScaleAsFloat": "an exact number as text",
    "ScaleOfADigitTooMany": "an exact number as text",
    "DividesByZero": "an exact number as text",
    "SwapsAnotherShape": "",
    "StrangeBudget": "budget: a key is not known",
    "NegativeBudget": "budget",
    "FloatBudget": "budget.epsilon",
    "NoBudget": "budget",
    "LongBudget": "budget.epsilon",
    "LedgerOfText": "no list of questions",
    "LedgerOfDraws": "no draws",
    "LedgerOfAnother": "declared ledger",
    "EmptyLedger": "declared ledger",
    "PromisesOthersToo": "answered the setting without",
    "AnotherProtocol": "speaks the curator protocol",
    "AnotherVersion": "version 2",
    "TrueVersion": "speaks the curator protocol",
    "NoProtocol": "no message in JSON",
    "ExtraLines": "another number of plays|something else",
    "TwoAtOnce": "no message in JSON",
    "HalfALineAndTheEnd": "its process ended",
    "NulBytes": "no message in JSON",
    "NoText": "no message in JSON",
    "LongLine": "a line of more than",
    "DeepLine": "no message in JSON",
    "DeepEnough": "nested too deeply",
    "KeysTwice": "no message in JSON",
    "NoNumber": "no message in JSON",
    "Infinite": "an output holds whole numbers",
    "MillionDigits": "no message in JSON",
    "Nothing": "no JSON object",
    "List": "no JSON object",
    "EmptyLine": "no message in JSON",
    "AsksAfterItsSeed": "",
    "SeedOfFewBits": "question.law.bits",
    "StopsUnasked": "does not have at this place",
    "ErrorAsSecret": "the first count is",
    "ErrorAsOurs": r"raised ValueError \(line 100",
    "ErrorOfAnotherKind": "gave the run up",
    "ColouredError": r"\?\[2J\?\[31m",
    "TextTooLong": "texts of at most",
    "NumberTooLarge": "whole numbers up to",
    "TruthOutput": "an output holds whole numbers",
    "FloatOutput": "an output holds whole numbers",
    "NestedOutput": "an output holds whole numbers",
    "CodesOutside": "a code that the domain lacks",
    "NegativeCodes": "a code that the domain lacks",
    "WideRecords": "a list of 1 codes",
    "TwoOutputs": "no output",
    "ManyQuestions": "different questions",
}


# They differ in what they release, and are refused by the same line.
ALIKE = {
    f"hostile_outputs:{name}"
    for name in ("number_with_a_point", "no_number", "truth", "nothing", "endless", "itself")
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name in ALIKE else ()) for name in BROKEN],
)
def test_what_breaks_the_protocol_ends_with_exit_code_4(name: str, folder: Folder) -> None:
    with pytest.raises(ProtocolError, match=BROKEN[name] or None) as raised:
        audited(name, folder)
    assert all(c.isprintable() for c in str(raised.value))


# What cannot be audited at all, and says so.
REFUSED = {
    "ScaleBeyondMeasure": "more digits",
    "ScaleBelowMeasure": "exponent",
    "LawOfAnotherShape": "a table of 7 cells",
    "ErrorAboutSetting": "the first count is",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_audited_is_an_error_of_the_input(name: str, folder: Folder) -> None:
    with pytest.raises(InputError, match=REFUSED[name]):
        audited(name, folder)


@pytest.mark.parametrize("isolation", [None, PLAIN, Isolation("namespaces", "none", "namespace")])
def test_without_isolation_nothing_of_a_strangers_is_proved(
    isolation: Isolation | None, folder: Folder
) -> None:
    certificate = replace(audited("Honest", folder), isolation=isolation)
    assert certificate.verdict is Verdict.UNDECIDED
    assert replace(certificate, trusted=True).verdict is Verdict.PROVED


def test_a_transcript_without_end_is_not_listed(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enumeration, "MAX_ASKED", 20)
    with pytest.raises(InputError, match="more than 20 questions"):
        audited("AsksForEver", folder)


HANGS = [
    "hostile_bombs:hangs",
    "hostile_bombs:spins",
    "hostile_bombs:stops_itself",
    "hostile_bombs:becomes_an_echo",
    "hostile_bombs:steals_from_the_pipe",
    "PartOfALine",
]


@pytest.mark.parametrize("name", HANGS)
def test_a_program_that_does_not_answer_is_ended(name: str, folder: Folder) -> None:
    with pytest.raises(ProtocolError, match=r"wrote nothing for 0\.3 seconds"):
        audited(name, folder, seconds=0.3)


@pytest.mark.parametrize("name", ["RunsForever", "AsksItsTranscript", "DrawsForever"])
def test_a_run_that_does_not_end_is_ended(name: str, folder: Folder) -> None:
    with pytest.raises(ProtocolError, match=r"a run of it took more than 0\.2 seconds"):
        audited(name, folder, run_seconds=0.2)


def test_messages_of_a_run_are_counted(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program_process, "MOST_MESSAGES", 50)
    with pytest.raises(ProtocolError, match="more than 50 messages"):
        audited("RunsForever", folder)


@pytest.mark.parametrize(
    ("name", "most", "match"),
    [
        ("DrawsForever", 5000, "a run took more than"),
        ("LongOutputs", 2**20, "one batch of plays took more than"),
        ("QuestionsOfMegabytes", 2**20, "questions took more than|one batch of plays"),
    ],
)
def test_what_a_program_sends_is_bounded(
    name: str, most: int, match: str, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_process.Connection._require_few, "__defaults__", (most,))
    with pytest.raises(ProtocolError, match=match):
        audited(name, folder)


@pytest.mark.parametrize("name", ["never_reads", "forks", "deep_recursion"])
def test_a_program_that_takes_all_there_is_gets_no_verdict_but_a_true_one(
    name: str, folder: Folder
) -> None:
    try:
        certificate = audited(f"hostile_bombs:{name}", folder, seconds=3, run_seconds=3)
    except ProtocolError:
        return
    assert certificate.verdict is Verdict.PROVED and is_true_of(certificate, ONE)


def test_an_undeclared_coin_is_not_proved_from_its_ledger(folder: Folder) -> None:
    # One run of four selects, the others measure: delta(1) is at least 0.150.
    about = Claim(
        parse_guarantee("epsilon=1, delta=0.142"),
        ReplaceOne(),
        "output",
        Domain.from_cells("4"),
        50,
    )
    for _ in range(2):
        found = subject("hostile_moods:coin_beyond_enumeration", folder.data)
        try:
            verdict = certify(found, about, Effort(), "again").certificate.verdict
        except DPAuditError:
            continue
        assert verdict not in (Verdict.PROVED, Verdict.EXACT)


@pytest.mark.slow
def test_an_undeclared_coin_listed_in_parallel_ends_with_exit_code_4(folder: Folder) -> None:
    found = subject("hostile_moods:wide_coin", folder.data)
    about = Claim(parse_guarantee("epsilon=2"), ReplaceOne(), "output", Domain.from_cells("2"), 2)
    with pytest.raises(ProtocolError):
        certify(found, about, Effort(jobs=2), "again")


SMALL = Setting.of(Domain.from_cells("2"), ReplaceOne(), 2)


@pytest.mark.parametrize("name", ["DeclaresByFlag", "LedgerByFlag"])
def test_every_process_declares_the_same(name: str, folder: Folder) -> None:
    found = subject(f"hostile_moods:{name}", folder.data)
    program = found.program
    assert isinstance(program, ProgramProcess)
    before = found.budget(SMALL), found.ledger(SMALL)
    program.end()
    assert (found.budget(SMALL), found.ledger(SMALL)) == before
    program.end()
    (folder.path / "flag").touch()
    for declared in (found.budget, found.ledger):
        with pytest.raises(ProtocolError, match="another budget or ledger than before"):
            declared(SMALL)


def test_questions_of_one_domain_are_not_numbers_of_another(folder: Folder) -> None:
    program = subject("Honest", folder.data).program
    assert isinstance(program, ProgramProcess)
    two, three = SMALL, Setting.of(Domain.from_cells("3"), ReplaceOne(), 2)
    first = program.ready(two)
    first.play([()])
    assert program.ready(Setting.of(Domain.from_cells("2"), ReplaceOne(), 1)) is first
    assert program.ready(three) is not first
    program.end()


ABOUT = ["--neighbours", "replace-one", "--domain", "domain.toml"]


@pytest.mark.parametrize(
    ("name", "claim"),
    [("ByFlag", "1"), ("DeclaresByFlag", "1"), ("LedgerByFlag", "1"), ("TreeByFlag", "2")],
)
def test_a_release_keeps_to_what_was_certified(
    name: str, claim: str, folder: Folder, tmp_path: Path
) -> None:
    certificate, out = str(tmp_path / "cert.json"), tmp_path / "out.csv"
    stated = ["--claim", f"epsilon={claim}", "--records", "2", "--out", certificate, "--quiet"]
    name = f"hostile_moods:{name}"
    assert main(["certify", name, "--as", "program", *ABOUT, *stated]) == 0
    release = [*ABOUT, "--data", "private.csv", "--out", str(out), "--certificate", certificate]
    assert main(["release", name, *release, "--quiet"]) == 0
    out.unlink()
    (folder.path / "flag").touch()
    assert main(["release", name, *release, "--quiet"]) in (2, 4)
    assert not out.exists()


@pytest.mark.parametrize("name", ["ErrorAsSecret", "ErrorAboutSetting", "ColouredError"])
def test_what_a_program_says_beside_private_data_is_withheld(
    name: str, folder: Folder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = f"command:python3 {PROGRAMS / 'hostile_wire.py'} {name}"
    out = tmp_path / "out.csv"
    words = [*ABOUT, "--data", "private.csv", "--out", str(out)]
    assert main(["release", command, *words, "--quiet"]) == 4
    assert not out.exists()
    told = capsys.readouterr()
    assert "first count" not in told.err + told.out and "withheld" in told.err


CASES = """
from fractions import Fraction
from synthesizers.attributes import Attribute
from synthesizers.budget import FREE, PureBudget
from synthesizers.curator import Curator
from synthesizers.domain import Domain
from synthesizers.errors import BudgetExceeded
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import Marginal, whole_table


class Narrows:
    # A domain of one cell, so that a marginal costs nothing under replace-one; then the counts.
    def budget(self, setting):
        return PureBudget(Fraction(1))

    def __call__(self, curator):
        names = curator.domain.names
        one = Domain.from_cells("1")
        # It is narrow from the first run on.
        self.cells = max(self.cells, curator.domain.size)
        object.__setattr__(curator.setting, "domain", one)
        try:
            quiet = DiscreteLaplace(Fraction(1, 1000))
            return curator.measure(Marginal(names), quiet, low=0, high=100)
        except BudgetExceeded:
            if not self.gives_up:
                raise
            return [100] + [0] * (self.cells - 1)

    gives_up = False
    cells = 0


class GivesUp(Narrows):
    gives_up = True


class Prices(Narrows):
    def __call__(self, curator):
        DiscreteLaplace.cost = lambda self, *words: FREE
        query = whole_table(curator.domain)
        return curator.measure(query, DiscreteLaplace(Fraction(1, 1000)), low=0, high=100)


narrows, gives_up, prices = Narrows(), GivesUp(), Prices()
"""


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    """The exit code of the command, and what it says of errors; the program has its process."""
    code = main([*words])
    return code, capsys.readouterr().err


@pytest.fixture
def cases(folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cells: int) -> list[str]:
    """A hundred records; the counts of the first two cells are 37 and 63."""
    monkeypatch.chdir(tmp_path)
    Path("cases.py").write_text(CASES)
    values = ", ".join(f'"{value}"' for value in range(cells))
    Path("domain.toml").write_text(f"[attributes]\ncell = {{ values = [{values}] }}\n")
    Path("table.csv").write_text("cell\n" + "0\n" * 37 + "1\n" * 63)
    return ["--neighbours", "replace-one", "--domain", "domain.toml"]


@pytest.mark.parametrize("cells", [40])
@pytest.mark.parametrize("name", ["narrows", "prices"])
def test_a_program_that_changes_its_price_is_neither_proved_nor_released(
    name: str, cases: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    claim = ["--claim", "epsilon=1", "--records", "100", "--out", "cert.json"]
    code, said = run(capsys, "certify", f"cases:{name}", "--as", "program", *cases, *claim)
    assert (code, Path("cert.json").exists()) == (4, False), said
    out = ["--data", "table.csv", "--out", "out.csv", "--ledger", "ledger.json"]
    code, more = run(capsys, "release", f"cases:{name}", *cases, *out)
    assert code == 4 and "Traceback" not in said + more
    assert not Path("out.csv").exists() and not Path("ledger.json").exists()


@pytest.mark.parametrize("cells", [5])
def test_one_that_takes_the_refusal_is_proved_releases_nothing_private_and_spends_nothing(
    cases: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    claim = ["--claim", "epsilon=1", "--records", "100", "--out", "cert.json"]
    code, said = run(capsys, "certify", "cases:gives_up", "--as", "program", *cases, *claim)
    assert code == 0, said
    code, said = run(capsys, "verify", "cert.json", "--subject", "cases:gives_up")
    assert code in (0, 2), said
    checker = Path(program_process.__file__).parents[2] / "proofs" / "checker.py"
    checked = subprocess.run(
        [sys.executable, str(checker), "cert.json"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    out = ["--data", "table.csv", "--out", "out.csv", "--ledger", "ledger.json"]
    code, said = run(
        capsys, "release", "cases:gives_up", *cases, *out, "--certificate", "cert.json"
    )
    assert code == 0, said
    assert Path("out.csv").read_text().split() == ["cell"] + ["0"] * 100
    ledger = json.loads(Path("ledger.json").read_text())
    assert ledger["events"] == [] and ledger["spent"]["epsilon"] == "0"


PACKAGE = """
import sys

if any(name.startswith("audit.certify") for name in sys.modules):
    raise SystemExit("imported where verdicts are made")
"""


def test_a_package_around_a_program_is_not_imported_here(
    folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "hostile_package"
    package.mkdir()
    (package / "__init__.py").write_text(PACKAGE)
    (package / "inside.py").write_text("from hostile_parts import quiet\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    certificate = audited("hostile_package.inside:quiet", folder)
    assert certificate.verdict is Verdict.PROVED
    assert "hostile_package" not in sys.modules
    assert certificate.subject["sources_sha256"]


def test_there_are_sixty_and_more() -> None:
    programs = {*REACHES, *PATCHES, *OUTPUTS, *TRUE_AT_ONE, *BROKEN, *REFUSED, *HANGS}
    assert len(programs) >= 60
