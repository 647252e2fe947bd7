"""Each law is broken by an object made for it, and kept by honest ones of a third party."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest

from audit.certify import Effort, certify
from audit.statements.claim import Claim
from audit.statements.finding import Finding, Rigour
from audit.testing.claims.evidence import of_certificate
from audit.testing.laws import Law, LawBroken, Trial, laws_of, parametrize_with_laws
from audit.testing.laws.auditor_laws import BROKEN, HONEST
from audit.utility.catalogue import metric_named
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.noise import DiscreteLaplace
from tests.audit.testing.laws import broken
from tests.audit.testing.laws.broken import F, Guess, Program


def breaks(subject: Any, name: str, trial: Trial | None = None) -> str:
    """The message of a law that the subject must break."""
    laws = [law for law in laws_of(subject, trial) if law.name == name]
    messages = []
    for law in laws:
        try:
            law()
        except LawBroken as error:
            messages.append(str(error))
    assert laws and messages, f"{name} let {subject} pass"
    return messages[0]


@pytest.mark.parametrize(
    ("subject", "name"),
    [*broken.NOISES, *broken.QUERIES, *broken.TABLES, *broken.SELECTIONS],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_a_law_is_broken_by_who_was_made_to_break_it(subject: Any, name: str) -> None:
    random.seed(1)
    assert breaks(subject, name, Trial(Domain.from_cells("2x2"), records=2))


@parametrize_with_laws([broken.Honest(F(3, 2)), broken.HonestCounts(("a2",)), Program()])
def test_honest_classes_of_a_third_party_keep_all_laws(law: Law) -> None:
    law()


def test_messages_say_what_was_found() -> None:
    found = breaks(broken.BothWays(("a1",)), "sensitivity_bounds_every_change")
    assert "l1 sensitivity is stated as 1" in found and "differ by 2" in found
    found = breaks(broken.CheapCost(F(2)), "cost_bounds_every_ratio")
    assert "L1 = 2, spread out" in found


@pytest.mark.parametrize(
    ("program", "name"),
    [
        (broken.Unreliable(), "asks_the_same_on_replay_and_reads_nothing_else"),
        (broken.Remembering(), "remembers_nothing"),
        (broken.Local(), "remembers_nothing"),
        (broken.Overspending(), "stays_within_its_budget"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_programs_that_break_a_law(program: Program, name: str) -> None:
    assert breaks(program, name, Trial(records=1))


def test_a_program_that_breaks_its_claim() -> None:
    trial = Trial(records=1, claim=ApproxDP(F(1)))
    found = breaks(broken.Doubled(), "exact_value_lies_below_theorem_and_claim", trial)
    assert found.startswith("REFUTED: epsilon=1 is claimed under add-remove, exact ε = 2")


def test_a_sampling_that_disagrees_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from audit.testing.laws import program_laws

    honest = program_laws.run

    def shifted(program: Any, *arguments: Any) -> Any:
        made = honest(replace(program, epsilon=program.epsilon / 2), *arguments)
        return made

    monkeypatch.setattr(program_laws, "run", shifted)
    found = breaks(Program(F(2)), "sampling_agrees_with_enumeration", Trial(records=2))
    assert "not of the stated law" in found


def test_metrics_that_break_laws() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Backwards(broken.Rows):
        """A distance, of which more is said to be better."""

        def score(self, pair: Any) -> Any:
            found = metric_named("total-variation").score(pair)
            return self.scored(1 - found.value if found.direction == "higher" else found.value)

    @dataclass(frozen=True, kw_only=True)
    class Fickle(broken.Rows):
        """Another number each time."""

        def score(self, pair: Any) -> Any:
            return self.scored(random.random())

    @dataclass(frozen=True, kw_only=True)
    class Named(broken.Rows):
        """A name with a space."""

        name = "My rows"

    @dataclass(frozen=True, kw_only=True)
    class FirstRow(broken.Rows):
        """Of the first record alone."""

        def score(self, pair: Any) -> Any:
            return self.scored(float(pair.tables[1].codes[0].sum()) / 99)

    for law in laws_of(broken.Rows()):
        law()
    assert "two scores" in breaks(Fickle(), "the_same_again")
    assert "worse than noise" in breaks(Backwards(), "no_noise_beats_the_table_itself")
    assert "order" in breaks(FirstRow(), "order_of_synthetic_records_says_nothing")
    assert "lower case" in breaks(Named(), "range_and_names_are_stated")


def test_an_exact_auditor_keeps_the_laws_and_guessers_do_not() -> None:
    class Exact:
        name, takes = "exact", ("program",)

        def examine(self, subject: Any, claim: Claim, effort: Effort) -> Iterator[Finding]:
            yield from of_certificate(certify(subject, claim, effort, "").certificate)

    for law in laws_of(Exact(), Trial(broken=BROKEN)):
        law()
    assert "accuses geometric-sanitizer" in breaks(Guess(True), "honest_subjects_are_not_accused")
    assert "none of the broken" in breaks(Guess(False), "broken_subjects_are_accused")
    found = breaks(Guess(False), "broken_subjects_are_accused", Trial(broken=BROKEN[2:3]))
    assert "does not accuse subsample" in found
    assert "no replay" in breaks(Guess(True, again=" "), "findings_are_plain_data")
    sampled = Guess(True, rigour=Rigour.STATISTICAL)
    assert "states its error" in breaks(sampled, "statistical_findings_state_their_error")

    class Fickle(Guess):
        def examine(self, subject: Any, claim: Claim, effort: Effort) -> Any:
            self.fields["found"] = str(random.random())
            return super().examine(subject, claim, effort)

    assert "other findings" in breaks(Fickle(True), "it_finds_the_same_again")


def test_our_controls_are_what_they_are_said_to_be() -> None:
    for controls, kept in ((HONEST, True), (BROKEN, False)):
        for subject, claim in controls:
            verdict = certify(subject, claim, Effort(), "").certificate.verdict
            assert (verdict.value in ("PROVED", "EXACT")) is kept


@pytest.mark.parametrize("subject", [3, "noise", broken.unrelated(), Fraction, Program, object()])
def test_what_has_no_laws_is_refused_with_what_has(subject: Any) -> None:
    with pytest.raises(InputError, match="laws"):
        laws_of(subject)


def test_no_objects_and_wrong_ground_are_refused_at_once() -> None:
    with pytest.raises(InputError, match="nothing to try"):
        parametrize_with_laws([])
    with pytest.raises(InputError, match="raise records"):
        parametrize_with_laws([Program()], records=0)
    with pytest.raises(InputError, match="fewer records"):
        parametrize_with_laws([Program()], domain="9", records=9)
    with pytest.raises(InputError, match="neighbours must be"):
        parametrize_with_laws([Program()], neighbours="next-door")


def test_without_pytest_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pytest", None)
    with pytest.raises(InputError, match=r"dp-audit\[pytest\]"):
        parametrize_with_laws([Program()])


def test_ids_say_which_object_and_which_law() -> None:
    laws = laws_of(Program(), Trial(records=1))
    names = [f"{law.subject}-{law.name}" for law in laws]
    assert len(set(names)) == len(names)
    assert "Program(epsilon=Fraction(1, 1)) under add-remove-stays_within_its_budget" in names


@pytest.mark.parametrize(
    ("subjects", "keywords"),
    [
        (DiscreteLaplace(F(2)), {}),
        ("laplace", {}),
        ([], {"claim": 1}),
        ([], {"domain": 2}),
        ([], {"neighbours": 5}),
        ([], {"neighbours": ["replace-none"]}),
    ],
)
def test_arguments_of_another_kind_are_refused(subjects: Any, keywords: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"give a list|a claim is|neighbours"):
        parametrize_with_laws(subjects, **keywords)
