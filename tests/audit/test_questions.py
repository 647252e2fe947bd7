"""A release under a certificate asks what was analysed, and nothing else."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from audit.certify import Effort, certify
from audit.cli.main import main
from audit.questions import admission, leave_of_certificate, question_tree, tree_digest
from audit.statements.certificate import digest
from audit.statements.certificate_json import decode
from audit.statements.claim import Claim
from audit.subjects.subject import ProgramSubject
from proofs.guarantees import parse_guarantee
from synthesizers.budget import Budget, PureBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.events import Event, Measure
from synthesizers.laws.suppression import CellSuppression
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import CellCounts, whole_table

F = Fraction
DOMAIN = Domain.from_cells("2")
REPLACE = ReplaceOne()
TWO, THREE = DiscreteLaplace(F(2)), DiscreteLaplace(F(3))


def fixed(curator: Curator) -> Any:
    """One question, the same in every run."""
    return curator.measure(whole_table(curator.domain), TWO, low=0, high=2)


def adaptive(curator: Curator) -> Any:
    """The second question follows from the first answer."""
    first = curator.measure(CellCounts((0,)), THREE, low=0, high=1).tolist()
    cell = CellCounts((first[0],))
    return first + curator.measure(cell, THREE, low=0, high=1).tolist()


class Budgeted:
    """Its budget alone says what it may cost."""

    def __call__(self, curator: Curator) -> Any:
        return curator.measure(whole_table(curator.domain), TWO, low=0, high=10**6)

    def budget(self, setting: Setting) -> Budget:
        return PureBudget(F(1))


class Declares(Budgeted):
    """It says beforehand what it asks."""

    def ledger(self, setting: Setting) -> list[Event]:
        return [Measure(whole_table(setting.domain), TWO, 0, 10**6)]


def certified(program: Any, relation: Neighbours = REPLACE, text: str = "epsilon=1"
              ) -> tuple[dict[str, Any], ProgramSubject, Setting]:  # fmt: skip
    subject = ProgramSubject("m:a", program, False, {"parameters": {}})
    claim = Claim(parse_guarantee(text), relation, "output", DOMAIN, 3)
    found = certify(subject, claim, Effort(trusted=True), "again").certificate
    setting = Setting.of(DOMAIN, relation, 3)
    return json.loads(json.dumps(found.to_json())), subject, setting


@pytest.mark.parametrize(
    ("program", "kind"),
    [(fixed, "ledger"), (adaptive, "tree"), (Budgeted(), "budget"), (Declares(), "ledger")],
)
def test_a_certificate_says_what_a_release_may_ask(program: Any, kind: str) -> None:
    text = "epsilon=2/3" if kind == "tree" else "epsilon=1"
    document, _, _ = certified(program, text=text)
    assert document["verdict"] in ("PROVED", "EXACT")
    assert document["questions"]["kind"] == kind


def test_a_ledger_admits_its_questions_in_order_and_no_other() -> None:
    document, subject, setting = certified(fixed)
    admit = leave_of_certificate(document, subject, setting).admit
    assert admit is not None
    asked = Measure(whole_table(DOMAIN), TWO, 0, 2)
    admit((), asked)
    for other in (Measure(whole_table(DOMAIN), THREE, 0, 2), Measure(CellCounts((0,)), TWO, 0, 2)):
        with pytest.raises(ProtocolError, match="declared ledger"):
            admit((), other)
    with pytest.raises(ProtocolError):
        admit(((asked, (1, 1)),), asked)


def test_a_tree_admits_the_question_that_follows_from_the_answers() -> None:
    document, subject, setting = certified(adaptive, text="epsilon=2/3")
    admit = leave_of_certificate(document, subject, setting).admit
    assert admit is not None
    first = Measure(CellCounts((0,)), THREE, 0, 1)
    second = Measure(CellCounts((1,)), THREE, 0, 1)
    admit((), first)
    admit(((first, (1,)),), second)
    admit(((first, (0,)),), first)
    for transcript, event in [((), second), (((first, (0,)),), second), (((first, (1,)),), first)]:
        with pytest.raises(ProtocolError, match="after these answers"):
            admit(transcript, event)


def test_a_program_that_changed_its_questions_since_is_refused() -> None:
    document, subject, setting = certified(adaptive, text="epsilon=2/3")
    assert document["questions"]["digest"] == tree_digest(question_tree(subject, setting, 3))
    changed = ProgramSubject("m:a", fixed, False, {"parameters": {}})
    with pytest.raises(InputError, match="certify it again"):
        admission(document["questions"], changed, setting, decode(document).about)


class Changes(Budgeted):
    """Its budget is another one since."""

    epsilon = F(1)

    def budget(self, setting: Setting) -> Budget:
        return PureBudget(self.epsilon)


def test_a_budget_that_proves_the_claim_no_more_is_refused() -> None:
    program = Changes()
    document, subject, setting = certified(program)
    assert document["questions"] == {"kind": "budget", "budget": {"epsilon": "1"}}
    assert leave_of_certificate(document, subject, setting).admit is None
    program.epsilon = F(11, 10)
    with pytest.raises(InputError, match="another budget than the certified one"):
        leave_of_certificate(document, subject, setting)


def says_nothing(curator: Curator) -> Any:
    """What it releases tells less than its one question."""
    curator.measure(CellCounts((0,)), TWO, low=0, high=3)
    return [0]


def test_a_ledger_is_enough_where_only_the_output_keeps_to_the_claim() -> None:
    document, subject, setting = certified(says_nothing, text="epsilon=9/20")
    assert (document["verdict"], document["questions"]["kind"]) == ("EXACT", "ledger")
    admit = leave_of_certificate(document, subject, setting).admit
    assert admit is not None
    admit((), Measure(CellCounts((0,)), TWO, 0, 3))
    with pytest.raises(ProtocolError):
        admit((), Measure(CellCounts((0,)), THREE, 0, 3))


def test_a_claim_that_does_not_follow_is_refused_whatever_the_certificate_says() -> None:
    document, subject, setting = certified(fixed)
    claim = Claim(parse_guarantee("epsilon=1/10"), REPLACE, "output", DOMAIN, 3)
    with pytest.raises(InputError, match="certify it again"):
        admission(document["questions"], subject, setting, claim)


def suppresses(curator: Curator) -> Any:
    """Nothing is told of counts below 3: of small databases nothing at all."""
    return [max(0, count or 0) for count in curator.sanitize(CellSuppression((2,), 3, False))]


def test_what_small_databases_show_is_no_leave_where_their_size_is_private() -> None:
    claim = Claim(parse_guarantee("epsilon=0"), AddRemove(), "output", DOMAIN, 2)
    subject, setting = (
        ProgramSubject("m:a", suppresses, False, {"parameters": {}}),
        Setting.of(DOMAIN, AddRemove(), 2),
    )
    found = certify(subject, claim, Effort(trusted=True), "again").certificate
    document = json.loads(json.dumps(found.to_json()))
    assert document["verdict"] == "EXACT"
    # Relabelled, with a digest that fits: a digest is no signature.
    document["verdict"] = "PROVED"
    document["digest"] = digest(document)
    with pytest.raises(InputError, match="certify it again"):
        leave_of_certificate(document, subject, setting)


def test_the_budget_alone_needs_no_list() -> None:
    document, subject, setting = certified(Budgeted())
    leave = leave_of_certificate(document, subject, setting)
    assert leave.admit is None and leave.budget == PureBudget(F(1))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"verdict": "NOT REFUTED"}, "needs PROVED or EXACT"),
        ({"assumptions": []}, "changed after it was written"),
    ],
)
def test_a_certificate_that_does_not_stand_is_refused(change: Any, match: str) -> None:
    document, subject, setting = certified(fixed)
    with pytest.raises(InputError, match=match):
        leave_of_certificate({**document, **change}, subject, setting)


def test_the_release_must_be_what_the_certificate_is_about() -> None:
    document, subject, setting = certified(fixed)
    other = Setting.of(Domain.from_cells("3"), ReplaceOne(), 3)
    with pytest.raises(InputError, match="another domain"):
        leave_of_certificate(document, subject, other)
    more = Setting(DOMAIN, ReplaceOne(), 4, 3)
    with pytest.raises(InputError, match="public number of records"):
        leave_of_certificate(document, subject, more)
    with pytest.raises(InputError, match=r"other neighbours.*replace-one.*release.*add-remove"):
        leave_of_certificate(document, subject, Setting.of(DOMAIN, AddRemove(), 3))
    renamed = ProgramSubject("m:b", fixed, False, {"parameters": {}})
    with pytest.raises(InputError, match=r"release: name is m:b here and m:a in"):
        leave_of_certificate(document, renamed, setting)


@pytest.mark.parametrize(
    ("identity", "rows", "told"),
    [
        ({"parameters": {"epsilon": "2"}}, 3, "epsilon is 2 here and 1 in the certificate"),
        ({"parameters": {"epsilon": "1"}}, 4, "rows is 4 here and 3 in the certificate"),
        ({"parameters": {}}, 3, "epsilon differs"),
        ({"parameters": {"epsilon": "1", "other": None}}, 3, "parameters differs"),
        ({"parameters": {"epsilon": "1" * 99}}, 3, "epsilon differs"),
        ({"parameters": {"epsilon": "\u202e'2"}}, 3, "epsilon is "),
    ],
)
def test_a_refusal_says_what_is_not_as_certified(
    identity: dict[str, Any], rows: int, told: str
) -> None:
    document, _, _ = certified(fixed)
    document["subject"]["parameters"] = {"epsilon": "1"}
    document["subject"]["rows"] = 3
    document["digest"] = digest(document)
    subject = ProgramSubject("m:a", fixed, False, identity)
    with pytest.raises(InputError) as refused:
        leave_of_certificate(document, subject, Setting(DOMAIN, REPLACE, 3, rows))
    message = str(refused.value)
    assert message.startswith(f"the certificate is not about this release: {told}")
    assert message.isascii()


def test_exact_for_small_databases_is_no_leave_where_the_number_of_records_is_private() -> None:
    document, subject, setting = certified(adaptive, AddRemove(), "epsilon=2/3")
    assert document["verdict"] == "EXACT"
    with pytest.raises(InputError, match="needs PROVED"):
        leave_of_certificate(document, subject, setting)


PROGRAM = """
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import whole_table

def counts(curator):
    wide = DiscreteLaplace({scale})
    return curator.measure(whole_table(curator.domain), wide, low=0, high=3)

def moody(curator):
    import os
    noise = DiscreteLaplace(2) if not os.path.exists("{flag}") else DiscreteLaplace(1)
    return curator.measure(whole_table(curator.domain), noise, low=0, high=3)
"""


def test_a_release_under_a_certificate_from_end_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("asks.py").write_text(PROGRAM.format(scale=2, flag=tmp_path / "flag"))
    Path("domain.toml").write_text('[attributes]\ncell = { values = ["a", "b"] }\n')
    Path("table.csv").write_text("cell\na\nb\nb\n")
    about = ["--neighbours", "replace-one", "--domain", "domain.toml"]
    claim = ["--claim", "epsilon=1", "--records", "3", "--out", "cert.json"]
    assert main(["certify", "asks:moody", *about, *claim, "--quiet"]) == 0
    out = ["--data", "table.csv", "--out", "synthetic.csv", "--certificate", "cert.json"]
    assert main(["release", "asks:moody", *about, *out]) == 0
    assert "it keeps to the certificate: PROVED" in capsys.readouterr().err
    assert Path("synthetic.csv").exists()
    Path("synthetic.csv").unlink()
    # The same code asks otherwise on the day of the release.
    Path("flag").touch()
    assert main(["release", "asks:moody", *about, *out]) == 4
    assert not Path("synthetic.csv").exists()
    # Without a certificate nothing but the budget is stated, and it has none.
    plain = ["--data", "table.csv", "--out", "synthetic.csv"]
    Path("flag").unlink()
    assert main(["release", "asks:counts", *about, *plain]) == 0
    assert "no guarantee" in capsys.readouterr().err
