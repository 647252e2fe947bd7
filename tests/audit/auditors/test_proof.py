"""The theorem about a program: what it is about, what it reaches, and where there is none."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from audit.auditors import proof
from audit.certify import Effort, certify
from audit.statements.certificate import Certificate
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Evidence, Side, Verdict
from audit.subjects.subject import ProgramSubject
from audit.subjects.synthesizer import program_subject
from proofs import checker
from proofs.derivation import replay
from proofs.guarantees import ApproxDP, parse_guarantee
from proofs.judgments import Private
from proofs.kernel import Theorem
from synthesizers.budget import Budget, PureBudget, UnlimitedBudget, ZCDPBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.queries import CellCounts
from tests.audit import third_party as theirs

F = Fraction
ONE = F(1)
TINY = F(1, 10**30)
PERSON = Unit("person", 2)
RELATIONS = (AddRemove(), ReplaceOne(), AddRemove(PERSON), ReplaceOne(PERSON))
GEOMETRIC = "geometric-sanitizer"
LARGE = 5000
"""Records beyond enumeration."""


def audited(
    program: Any,
    text: str,
    relation: Neighbours,
    records: int | None = 3,
    *,
    cells: str = "2",
    rows: int | None = None,
    released: str = "output",
    **values: str,
) -> Certificate:
    of = (
        program_subject(program, values)
        if isinstance(program, str)
        else ProgramSubject("m:a", program, False)
    )
    claim = Claim(parse_guarantee(text), relation, released, Domain.from_cells(cells), records)
    return certify(of, claim, Effort(rows=rows, trusted=True), "again").certificate


def examined(
    program: Any, text: str, relation: Neighbours, records: int, *, ours: bool = False
) -> Evidence | None:
    """The auditor's evidence where nothing was enumerated."""
    domain = Domain.from_cells("2")
    claim = Claim(parse_guarantee(text), relation, "output", domain, records)
    setting = Setting.of(domain, relation, records)
    return proof.conclude(ProgramSubject("m:a", program, ours), claim, setting, None)


def theorem_in(found: Certificate) -> Evidence | None:
    return next((e for e in found.evidence if e.auditor == "proof"), None)


def ceiling(found: Certificate | Evidence) -> Fraction:
    """What the theorem's evidence says of the claim's own parameter."""
    evidence = found if isinstance(found, Evidence) else theorem_in(found)
    assert evidence is not None and evidence.bound is not None
    assert (evidence.bound.side, evidence.bound.rigour) == (Side.CEILING, "rigorous")
    _, ends = evidence.bound.parameter or ("epsilon", evidence.bound.epsilon)
    assert ends.lower == ends.upper and isinstance(ends.upper, Fraction)
    return ends.upper


def again(found: Certificate | Evidence) -> Theorem:
    """The theorem, made anew by the kernel from the data."""
    return replay(json.loads(json.dumps(_derivation(found))))


def steps(found: Certificate | Evidence) -> list[dict[str, Any]]:
    stated: list[dict[str, Any]] = _derivation(found)["steps"]
    return stated


def rules(found: Certificate | Evidence) -> set[str]:
    return {step["rule"] for step in steps(found)}


def _derivation(found: Certificate | Evidence) -> Any:
    proved = found.proof
    assert proved is not None
    return proved["derivation"]


@dataclass(frozen=True)
class Adaptive:
    """Asks for a cell that depends on the first answer; ``limit``: its budget."""

    limit: Budget
    scale: Fraction = ONE

    def __call__(self, curator: Curator) -> list[int]:
        noise = DiscreteLaplace(self.scale)
        first = curator.measure(CellCounts((0,)), noise, low=0, high=2).tolist()
        cell = 0 if first[0] else 1
        return first + curator.measure(CellCounts((cell,)), noise, low=0, high=2).tolist()

    def budget(self, setting: Setting) -> Budget:
        return self.limit


@dataclass(frozen=True)
class Gaussian:
    """One count with discrete Gaussian noise, and the budget that it uses up."""

    variance: Fraction

    def __call__(self, curator: Curator) -> list[int]:
        noise = DiscreteGaussian(self.variance)
        return curator.measure(CellCounts((0,)), noise, low=0, high=3).tolist()

    def budget(self, setting: Setting) -> Budget:
        moved = CellCounts((0,)).sensitivity(setting.domain, setting.neighbours)
        return ZCDPBudget(moved.l2_squared / (2 * self.variance))


def least_values() -> dict[str, mpmath.mpf]:
    """What ε = 1 entails at least, each by its formula, to 50 digits.

    Randomized response attains all: ρ = tanh(1/2), μ = 2·Φ⁻¹(e/(1 + e)), and its Rényi divergence.
    """
    with mpmath.workdps(50):
        p = mpmath.e / (1 + mpmath.e)
        divergence = mpmath.log(p**8 / (1 - p) ** 7 + (1 - p) ** 8 / p**7) / 7
        return {
            "epsilon": mpmath.mpf(1),
            "rho": mpmath.tanh(mpmath.mpf(1) / 2),
            "mu": 2 * mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1),
            "alpha=8, rdp": divergence,
        }


@pytest.mark.parametrize("name", ["epsilon", "rho", "mu", "alpha=8, rdp"])
@pytest.mark.parametrize(
    ("records", "cells", "relation"), [(3, "2", ReplaceOne()), (LARGE, "6", AddRemove())]
)
def test_claims_of_every_kind_are_proved_down_to_what_a_pure_guarantee_entails(
    name: str, records: int, cells: str, relation: Neighbours
) -> None:
    def find(value: Fraction) -> Certificate:
        text = f"{name}={value}"
        return audited(GEOMETRIC, text, relation, records, cells=cells, epsilon="1")

    value = F(mpmath.nstr(least_values()[name], 40))
    hair = F(0) if name == "epsilon" else F(1, 10**15)
    enough = find(value + hair)
    assert enough.verdict is Verdict.PROVED
    assert 0 <= ceiling(enough) - value <= hair
    below = find(value - F(1, 10**15))
    evidence = theorem_in(below)
    assert evidence is not None and evidence.decision is Decision.OPEN
    assert below.verdict not in (Verdict.PROVED, Verdict.EXACT, Verdict.CONTRADICTION)
    assert "leaves the claim open" in evidence.finding


def test_half_a_square_is_proved_without_a_search() -> None:
    """An ε of 1 is ρ = 1/2 by the looser rule, which needs no stated number."""
    found = audited(GEOMETRIC, "rho=1/2", ReplaceOne(), epsilon="1")
    assert found.verdict is Verdict.PROVED


def test_a_gaussian_answer_is_proved_at_its_own_rho_to_the_last_digit() -> None:
    """ρ = 1/(2·σ²), attained: what its enumeration can only enclose is decided by the theorem."""
    for claimed, expected in ((F(1, 2), Decision.HOLDS), (F(1, 2) - TINY, Decision.OPEN)):
        found = audited(Gaussian(F(1)), f"rho={claimed}", ReplaceOne())
        evidence = theorem_in(found)
        assert evidence is not None and evidence.decision is expected
        assert ceiling(found) == F(1, 2)
        assert (found.verdict is Verdict.PROVED) is (expected is Decision.HOLDS)
    assert evidence.bound is not None and evidence.bound.epsilon.upper == float("inf")


@pytest.mark.parametrize("name", [GEOMETRIC, "laplace-sanitizer"])
@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_a_theorem_is_about_the_claims_neighbours_and_its_program(
    name: str, relation: Neighbours
) -> None:
    found = audited(name, "epsilon=1", relation, cells="3", epsilon="1")
    assert found.verdict is Verdict.PROVED and ceiling(found) == 1
    judgment = again(found).judgment
    assert isinstance(judgment, Private)
    assert judgment.neighbours == relation
    assert judgment.guarantee == ApproxDP(F(1))
    (program,) = [s["parameters"]["program"] for s in steps(found) if "program" in s["parameters"]]
    assert program == dict(found.subject)
    assert program["name"] == name and program["parameters"] == {"epsilon": "1"}
    theorem = again(found)
    assert theorem.rule == "post-processing"
    (inner,) = theorem.premises
    assert inner.parameters["program"] == program


@pytest.mark.parametrize(
    ("relation", "records", "rows", "covers"),
    [
        (ReplaceOne(), 3, None, "databases of 3 records over 2 cells"),
        (AddRemove(), 3, None, "databases of any size over 2 cells"),
        (AddRemove(), None, 3, "databases of any size over 2 cells"),
        (AddRemove(PERSON), 3, None, "databases of any size over 2 cells"),
    ],
)
def test_a_theorem_covers_databases_of_any_size_unless_their_size_is_public(
    relation: Neighbours, records: int | None, rows: int | None, covers: str
) -> None:
    found = audited(GEOMETRIC, "epsilon=1", relation, records, rows=rows, epsilon="1")
    evidence = theorem_in(found)
    assert evidence is not None and evidence.whole and evidence.bound is not None
    assert (evidence.covers, evidence.bound.covers) == (covers, covers)
    assert covers in evidence.finding


@pytest.mark.parametrize("relation", [AddRemove(), ReplaceOne()], ids=str)
@pytest.mark.parametrize("records", [3, LARGE])
def test_the_budget_of_an_adaptive_program_is_a_theorem(records: int, relation: Neighbours) -> None:
    program = Adaptive(PureBudget(F(2)))
    for claimed, expected in (
        (F(2), Decision.HOLDS),
        (F(2) + TINY, Decision.HOLDS),
        (F(2) - TINY, Decision.OPEN),
    ):
        evidence = examined(program, f"epsilon={claimed}", relation, records)
        assert evidence is not None and evidence.decision is expected
        assert ceiling(evidence) == 2
        assert rules(evidence) >= {"filter", "post-processing"}
        assert "fixed-ledger" not in rules(evidence)
        assert again(evidence).hypotheses >= {"curator", "post-processing"}
    assert audited(program, "epsilon=2", relation).verdict is Verdict.PROVED
    assert audited(program, f"epsilon={2 - TINY}", relation).verdict is not Verdict.PROVED


def test_a_budget_that_is_not_used_up_counts_as_a_whole() -> None:
    """Two questions of 1 would be 2; what the theorem knows is the budget."""
    found = audited(Adaptive(PureBudget(F(5))), "epsilon=5", AddRemove())
    assert found.verdict is Verdict.PROVED and ceiling(found) == 5
    loose = audited(Adaptive(PureBudget(F(5))), "epsilon=4", AddRemove())
    evidence = theorem_in(loose)
    assert evidence is not None and evidence.decision is Decision.OPEN
    # Its enumeration knows more.
    assert loose.verdict is Verdict.EXACT


@pytest.mark.parametrize("records", [3, LARGE])
def test_a_zcdp_budget_of_an_adaptive_program_is_a_theorem(records: int) -> None:
    """Two questions of ε = 1 cost ρ = 1/2 each."""
    program = Adaptive(ZCDPBudget(F(1)))
    with mpmath.workdps(30):
        # Bun and Steinke 2016, Proposition 1.3: ε = ρ + 2·√(ρ·ln(1/δ)).
        classical = F(mpmath.nstr(1 + 2 * mpmath.sqrt(mpmath.log(1000)), 25)) + F(1, 10**15)
    for text, expected in (
        ("rho=1", Decision.HOLDS),
        (f"rho={1 - TINY}", Decision.OPEN),
        ("alpha=8, rdp=8", Decision.HOLDS),
        (f"alpha=8, rdp={8 - TINY}", Decision.OPEN),
        (f"epsilon={classical}, delta=1/1000", Decision.HOLDS),
        ("epsilon=3, delta=1/1000", Decision.OPEN),
    ):
        evidence = examined(program, text, AddRemove(), records)
        assert evidence is not None and evidence.decision is expected, text
        assert "filter" in rules(evidence)
    assert audited(program, "rho=1", AddRemove()).verdict is Verdict.PROVED


def test_zcdp_entails_no_pure_guarantee_and_no_gaussian_one() -> None:
    program = Adaptive(ZCDPBudget(F(1)))
    for text in ("epsilon=2", "mu=50"):
        found = audited(program, text, AddRemove())
        assert theorem_in(found) is None and found.to_json()["proof"] is None
        assert found.verdict is Verdict.EXACT


@pytest.mark.parametrize(
    ("relation", "factor"),
    [(ReplaceOne(), 2), (AddRemove(PERSON), 2), (ReplaceOne(PERSON), 4)],
    ids=str,
)
def test_a_budget_counted_under_another_relation_goes_through_groups(
    relation: Neighbours, factor: int
) -> None:
    """One replaced record is one removed and one added; a person has up to two."""
    pure = Adaptive(PureBudget(F(1), AddRemove()), F(2))
    concentrated = Adaptive(ZCDPBudget(F(1, 4), AddRemove()), F(2))
    for program, name, value in (
        (pure, "epsilon", F(factor)),
        (concentrated, "rho", F(factor**2, 4)),
    ):
        for claimed, expected in ((value, Decision.HOLDS), (value - TINY, Decision.OPEN)):
            evidence = examined(program, f"{name}={claimed}", relation, LARGE)
            assert evidence is not None and evidence.decision is expected
            assert ceiling(evidence) == value
        assert rules(evidence) >= {"filter", "group", "post-processing"}
        judgment = again(evidence).judgment
        assert isinstance(judgment, Private) and judgment.neighbours == relation


def test_our_own_program_with_noise_for_another_relation() -> None:
    for records in (3, LARGE):
        named = {"epsilon": "1", "calibrated-for": "add-remove"}
        proved = audited(GEOMETRIC, "epsilon=2", ReplaceOne(), records, cells="3", **named)
        assert proved.verdict is Verdict.PROVED and ceiling(proved) == 2
        claimed = audited(GEOMETRIC, "epsilon=1", ReplaceOne(), records, cells="3", **named)
        evidence = theorem_in(claimed)
        assert evidence is not None and evidence.decision is Decision.OPEN
        assert claimed.verdict in (Verdict.REFUTED, Verdict.UNDECIDED)


def test_a_budget_under_replace_one_says_nothing_under_add_remove() -> None:
    """The number of records costs nothing there, and everything here."""
    for program in (
        Adaptive(PureBudget(F(4), ReplaceOne())),
        Adaptive(ZCDPBudget(F(4), ReplaceOne())),
    ):
        for text in ("epsilon=1000", "rho=1000"):
            assert examined(program, text, AddRemove(), 2) is None
            assert examined(program, text, AddRemove(), LARGE) is None
            assert examined(program, text, ReplaceOne(), LARGE) is not None or text[0] == "e"


@pytest.mark.parametrize(
    "program",
    [theirs.adaptive, theirs.sanitizes, Adaptive(UnlimitedBudget())],
    ids=["adaptive", "sanitizes", "unlimited"],
)
def test_without_a_budget_or_a_fixed_ledger_of_known_laws_there_is_no_theorem(program: Any) -> None:
    found = audited(program, "epsilon=2, delta=1/2", ReplaceOne())
    assert theorem_in(found) is None
    assert found.to_json()["proof"] is None and found.bound(Side.CEILING) is None
    assert found.verdict is not Verdict.PROVED


def test_a_program_without_budget_is_proved_by_the_ledger_of_its_enumeration_alone() -> None:
    found = audited(theirs.first_cell, "epsilon=1", AddRemove(), 3)
    assert found.verdict is Verdict.PROVED
    (step,) = [step for step in steps(found) if step["rule"] == "fixed-ledger"]
    assert step["parameters"]["seen"] == "every transcript"
    assert "fixed-ledger" in again(found).hypotheses and "curator" not in again(found).hypotheses
    beyond = audited(theirs.first_cell, "epsilon=1", AddRemove(), LARGE)
    assert theorem_in(beyond) is None and beyond.verdict is Verdict.NOT_REFUTED


def test_beyond_enumeration_a_first_question_counts_where_it_uses_the_budget_up() -> None:
    """ρ of a pure ε = 1 is 0.46…; the budget alone, of ρ = 1/2, could not show it.

    It counts for programs of ours alone: another one could ask otherwise in its next run.
    """
    found = examined(theirs.InZCDP(), "rho=0.47", AddRemove(), LARGE, ours=True)
    theirs_alone = examined(theirs.InZCDP(), "rho=0.47", AddRemove(), LARGE)
    assert theirs_alone is not None and theirs_alone.decision is Decision.OPEN
    assert "fixed-ledger" not in rules(theirs_alone)
    declared = examined(theirs.Declares(), "rho=0.47", AddRemove(), LARGE)
    assert declared is not None and declared.decision is Decision.HOLDS
    (step,) = [step for step in steps(declared) if step["rule"] == "fixed-ledger"]
    assert step["parameters"]["seen"] == "declared beforehand; the curator refuses all else"
    assert found is not None and found.decision is Decision.HOLDS
    (step,) = [step for step in steps(found) if step["rule"] == "fixed-ledger"]
    assert step["parameters"]["seen"] == "a first question that uses up the budget"
    assert again(found).hypotheses >= {"curator", "fixed-ledger"}
    kept = examined(theirs.Keeps(), "epsilon=1", AddRemove(), LARGE)
    assert kept is not None and kept.decision is Decision.OPEN
    assert ceiling(kept) == 5
    assert "filter" in rules(kept) and "fixed-ledger" not in rules(kept)


@pytest.mark.parametrize(
    ("text", "verdict"), [("epsilon=1", Verdict.PROVED), (f"epsilon={1 - TINY}", Verdict.REFUTED)]
)
def test_a_strangers_program_can_be_proved(text: str, verdict: Verdict) -> None:
    found = audited(theirs.Histogram(F(1)), text, ReplaceOne())
    assert found.verdict is verdict
    assert found.subject["kind"] == "module"
    (program,) = [s["parameters"]["program"] for s in steps(found) if "program" in s["parameters"]]
    assert program == dict(found.subject)


CLAIMS = [
    (GEOMETRIC, "epsilon=1", ReplaceOne(), {"epsilon": "1"}),
    (GEOMETRIC, "epsilon=1/3", ReplaceOne(), {"epsilon": "1"}),
    (GEOMETRIC, "mu=2", AddRemove(), {"epsilon": "1"}),
    (GEOMETRIC, "alpha=3/2, rdp=1", AddRemove(PERSON), {"epsilon": "1"}),
    ("laplace-sanitizer", "epsilon=1/2, delta=0.3", AddRemove(), {"epsilon": "1"}),
    ("laplace-sanitizer", "epsilon=0.3, delta=0.3", AddRemove(), {"epsilon": "1"}),
    ("laplace-sanitizer", "epsilon=0.1, delta=0.3", AddRemove(), {"epsilon": "1"}),
    ("multinomial-dirichlet", "epsilon=3", ReplaceOne(), {}),
    (Adaptive(ZCDPBudget(F(1))), "epsilon=9, delta=1/1000", AddRemove(), {}),
    (Gaussian(F(4)), "epsilon=1, delta=1/10", ReplaceOne(), {}),
]


@pytest.mark.parametrize(("program", "text", "relation", "values"), CLAIMS, ids=str)
def test_the_ceiling_stated_is_that_of_the_proof_carried(
    program: Any, text: str, relation: Neighbours, values: dict[str, str]
) -> None:
    """Whatever other rules found: the certificate says no more than its derivation shows."""
    found = audited(program, text, relation, **values)
    guarantee = steps(found)[-1]["conclusion"]["guarantee"]
    match guarantee["kind"]:
        case "approx":
            stated = F(guarantee["epsilon"])
            assert isinstance(found.claim.guarantee, ApproxDP)
            assert F(guarantee["delta"]) <= found.claim.guarantee.delta
        case "gdp":
            stated = F(guarantee["mu"])
        case "renyi":
            ((order, value),) = guarantee["points"]
            assert F(order) == F("3/2")
            stated = F(value)
    assert ceiling(found) == stated
    assert again(found).judgment.to_json()["guarantee"] == guarantee
    evidence = theorem_in(found)
    assert evidence is not None
    # What the exact value says can be no more than that, on the same databases.
    exact = found.bound(Side.EXACT)
    assert exact is not None and found.verdict is not Verdict.CONTRADICTION
    own = exact.epsilon if exact.parameter is None else exact.parameter[1]
    assert own.lower <= stated


@pytest.mark.parametrize(("program", "text", "relation", "values"), CLAIMS, ids=str)
def test_the_same_audit_finds_the_same_proof(
    program: Any, text: str, relation: Neighbours, values: dict[str, str]
) -> None:
    first, second = (audited(program, text, relation, **values) for _ in range(2))
    assert json.dumps(first.to_json()) == json.dumps(second.to_json())


@pytest.mark.parametrize(("program", "text", "relation", "values"), CLAIMS, ids=str)
def test_the_independent_checker_agrees_or_says_that_it_cannot_afford_it(
    program: Any, text: str, relation: Neighbours, values: dict[str, str]
) -> None:
    document = json.loads(json.dumps(audited(program, text, relation, **values).to_json()))
    found = checker.check(document)
    assert found.status in ("checked", "kernel only"), found.reasons
    if found.status == "kernel only":
        # The best ceiling that it can afford travels beside the theorem.
        (other,) = document["proof"]["alternatives"]
        assert checker.check(other).status == "checked"


def test_a_proof_that_the_checker_can_follow_is_taken_where_it_suffices() -> None:
    """At δ = 0.3, ε is 0.2866… by a closed form that it does not have, 0.3748… by Rényi DP."""
    tight, loose = (
        audited("laplace-sanitizer", f"epsilon={e}, delta=0.3", AddRemove(), epsilon="1")
        for e in ("0.3", "0.5")
    )
    assert (tight.verdict, loose.verdict) == (Verdict.PROVED, Verdict.PROVED)
    assert float(ceiling(tight)) == pytest.approx(0.2866501121225)
    assert float(ceiling(loose)) == pytest.approx(0.3748949071)
    assert "alternatives" in tight.to_json()["proof"]
    assert "alternatives" not in loose.to_json()["proof"]


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize(
    "program",
    [
        theirs.first_cell,
        theirs.gaussian_cell,
        theirs.drawn,
        theirs.crude,
        theirs.selects,
        theirs.Exhausts(),
        theirs.Declares(),
        theirs.Histogram(F(1, 2)),
        Adaptive(PureBudget(F(8))),
    ],
    ids=lambda p: getattr(p, "__name__", type(p).__name__),
)
def test_no_exact_value_lies_above_a_theorem(program: Any, relation: Neighbours) -> None:
    for text in ("epsilon=1", "epsilon=1/4, delta=1/10", "rho=1/2"):
        found = audited(program, text, relation, 2)
        assert found.verdict is not Verdict.CONTRADICTION
        evidence, exact = theorem_in(found), found.bound(Side.EXACT)
        if evidence is not None and exact is not None:
            own = exact.epsilon if exact.parameter is None else exact.parameter[1]
            assert own.lower <= ceiling(found)


def test_an_auditor_that_proves_too_much_contradicts_the_enumeration(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A kernel that took noise for twice what it is would be found out by every small instance."""
    honest = proof.of_ledger

    def forged(events: Any, setting: Setting) -> Any:
        doubled = tuple(
            type(e)(e.query, DiscreteLaplace(2 * e.noise.scale), e.low, e.high) for e in events
        )
        return honest(doubled, setting)

    monkeypatch.setattr(proof, "of_ledger", forged)
    for text in ("epsilon=1", "epsilon=1/2", "epsilon=1/4"):
        found = audited(GEOMETRIC, text, ReplaceOne(), epsilon="1")
        assert found.verdict is Verdict.CONTRADICTION
