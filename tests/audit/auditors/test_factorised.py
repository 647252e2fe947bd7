"""The factorised value against the enumerated transcript channel, and where it must be silent."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest

from audit.auditors import factorised
from audit.channels.enumerate import Enumerated, channel_of
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Evidence, Side
from audit.subjects.subject import ProgramSubject
from audit.subjects.synthesizer import program_subject
from proofs.guarantees import parse_guarantee
from proofs.ledger.programs import fixed_ledger
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import ProtocolError
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, Noise, RoundedLaplace
from synthesizers.queries import (
    BoundedSum,
    CellCounts,
    Layer,
    LinearQueries,
    Marginal,
    Query,
    RecodedMarginal,
    Total,
)
from tests.audit import third_party as theirs

F = Fraction
PERSON = Unit("person", 2)
RELATIONS = (AddRemove(), ReplaceOne(), AddRemove(PERSON), ReplaceOne(PERSON))


def subject(program: Any, ours: bool = False) -> ProgramSubject:
    return ProgramSubject("m:a", program, ours)


def examined(
    program: Any,
    relation: Neighbours,
    n: int | None,
    cells: str = "2",
    text: str = "epsilon=1",
    *,
    released: str = "transcript",
    enumerate_first: bool = True,
    rows: int | None = None,
    ours: bool = False,
) -> tuple[Evidence | None, Enumerated | None]:
    domain = Domain.from_cells(cells)
    claim = Claim(parse_guarantee(text), relation, released, domain, n)
    size = n if rows is None else rows
    setting = Setting(domain, relation, n if relation.records_public else None, size)
    found = None
    if enumerate_first:
        assert n is not None
        found = channel_of(program, setting, released="transcript", size=n)
    ledgers = None if found is None or not found.complete else found.ledgers
    of = program if isinstance(program, ProgramSubject) else subject(program, ours)
    return factorised.conclude(of, claim, setting, ledgers), found


def largest_loss(found: Enumerated) -> tuple[float, float]:
    """ln of the largest ratio, all pairs and outputs one by one; lower and upper."""
    channel = found.channel
    low = high = 0.0
    for a, b in itertools.permutations(range(len(channel.databases)), 2):
        if not channel.neighbours.are_neighbours(channel.counts(a), channel.counts(b)):
            continue
        seen = channel.upper[a] > 0
        ratios = channel.lower[a, seen] / channel.upper[b, seen]
        low = max(low, math.log(ratios.max()))
        high = max(high, math.log((channel.upper[a, seen] / channel.lower[b, seen]).max()))
    return low, high


NOISES: dict[str, Noise] = {
    "geometric": DiscreteLaplace(F(1)),
    "geometric, narrow": DiscreteLaplace(F(2, 5)),
    "laplace": RoundedLaplace(F(3, 2)),
    "laplace, narrow": RoundedLaplace(F(1, 2)),
}
QUERIES: dict[str, tuple[Query, ...]] = {
    "histogram": (Marginal(("cell",)),),
    "one cell": (CellCounts((1,)),),
    "two cells, reversed": (CellCounts((1, 0)),),
    "total": (Total(),),
    "sum": (BoundedSum("cell", (-3, 2), -1, 2),),
    "sum of positives": (BoundedSum("cell", (1, 2), 0, 9),),
    "cell and total": (CellCounts((0,)), Total()),
    "the same cell twice": (CellCounts((0,)), CellCounts((0,))),
    "sum and histogram": (BoundedSum("cell", (-1, 1), -1, 1), Marginal(("cell",))),
    "recoded": (RecodedMarginal(("cell",), ((0, -1),)), RecodedMarginal(("cell",), ((1, 0),))),
    "matrix": (LinearQueries(("cell",), (Layer(1, (0, 0)), Layer(-1, (1, 0)))),),
}
CLAMPS = {
    "0 to n": lambda n: (0, n),
    "wide": lambda n: (-2, n + 2),
    "above": lambda n: (2, 3),
    "one answer": lambda n: (1, 1),
}


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize("queries", QUERIES.values(), ids=QUERIES)
@pytest.mark.parametrize("sizes", [(2,), pytest.param((1, 3), marks=pytest.mark.slow)], ids=str)
def test_never_below_the_enumerated_transcript_channel(
    relation: Neighbours, queries: tuple[Query, ...], sizes: tuple[int, ...]
) -> None:
    for (noise, clamp), n in itertools.product(
        itertools.product(list(NOISES.values())[:: 1 if 1 in sizes else 2], CLAMPS.values()), sizes
    ):
        low, high = clamp(n)
        program = theirs.Asks(tuple((query, noise, low, high) for query in queries))
        evidence, found = examined(program, relation, n)
        assert evidence is not None and evidence.bound is not None and found is not None
        least, most = largest_loss(found)
        ends = evidence.bound.epsilon
        # Doubles with counted error are far within 1e-9 of the exact channel here.
        assert float(ends.upper) >= least - 1e-12
        assert float(ends.lower) <= most + 1e-12
        assert evidence.whole
        if evidence.decision is Decision.HOLDS:
            assert least <= 1 + 1e-12
        if evidence.decision is Decision.VIOLATED:
            assert most >= 1 - 1e-12


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_three_cells_and_a_table_of_two_attributes(relation: Neighbours) -> None:
    for noise, cells in itertools.product((NOISES["geometric"], NOISES["laplace"]), ("3", "2x2")):
        names = Domain.from_cells(cells).names
        queries = [Marginal(names), *(Marginal((name,)) for name in names[1:])]
        program = theirs.Asks(tuple((query, noise, 0, 2) for query in queries))
        evidence, found = examined(program, relation, 2, cells)
        assert evidence is not None and evidence.bound is not None and found is not None
        assert float(evidence.bound.epsilon.upper) >= largest_loss(found)[0] - 1e-12


@pytest.mark.parametrize(
    ("relation", "loss"),
    [
        # Σ over cells of |shift| / scale, by hand: one, two, m and 2m records move.
        (AddRemove(), F(2, 3)),
        (ReplaceOne(), F(4, 3)),
        (AddRemove(PERSON), F(4, 3)),
        (ReplaceOne(PERSON), F(8, 3)),
    ],
    ids=str,
)
@pytest.mark.parametrize("law", [DiscreteLaplace, RoundedLaplace])
def test_the_value_by_hand_decided_as_an_equality(
    relation: Neighbours, loss: Fraction, law: Any
) -> None:
    program = theirs.Asks(((Marginal(("cell",)), law(F(3, 2)), -5, 9),))
    for claimed, expected in (
        (loss, Decision.HOLDS),
        (loss - F(1, 10**30), Decision.VIOLATED),
        (loss + F(1, 10**30), Decision.HOLDS),
    ):
        evidence, _ = examined(program, relation, 3, text=f"epsilon={claimed}")
        assert evidence is not None and evidence.bound is not None
        assert evidence.bound.epsilon.upper == loss == evidence.bound.epsilon.lower
        assert evidence.decision is expected
        assert evidence.bound.side is Side.EXACT


@pytest.mark.parametrize(
    ("query", "shift"),
    [
        (BoundedSum("cell", (-3, 2), -1, 2), {"add-remove": 2, "replace-one": 3}),
        (BoundedSum("cell", (4, 7), 0, 9), {"add-remove": 7, "replace-one": 3}),
        (Total(), {"add-remove": 1, "replace-one": 0}),
        (CellCounts((1,)), {"add-remove": 1, "replace-one": 1}),
    ],
    ids=lambda v: getattr(v, "kind", ""),
)
def test_the_move_of_each_query_by_hand(query: Query, shift: dict[str, int]) -> None:
    program = theirs.Asks(((query, DiscreteLaplace(F(2)), -3, 20),))
    for relation in (AddRemove(), ReplaceOne()):
        evidence, _ = examined(program, relation, 2)
        assert evidence is not None and evidence.bound is not None
        assert evidence.bound.epsilon.upper == F(shift[relation.name], 2)


def test_the_output_is_bounded_from_above_alone() -> None:
    program = theirs.Asks(((CellCounts((0,)), theirs.ONE, 0, 3),))
    for text, expected in (("epsilon=1", Decision.HOLDS), ("epsilon=1/2", Decision.UNDECIDED)):
        evidence, _ = examined(program, ReplaceOne(), 2, text=text, released="output")
        assert evidence is not None and evidence.bound is not None
        assert evidence.decision is expected
        assert evidence.bound.side is Side.CEILING and evidence.witness is None
        assert evidence.bound.epsilon.lower == evidence.bound.epsilon.upper == 1


def test_with_delta_a_smaller_epsilon_is_not_called_violated() -> None:
    program = theirs.Asks(((CellCounts((0,)), theirs.ONE, 0, 3),))
    evidence, _ = examined(program, ReplaceOne(), 2, text="epsilon=1/2, delta=0.9")
    assert evidence is not None and evidence.decision is Decision.UNDECIDED
    assert evidence.bound is not None and evidence.bound.side is Side.CEILING


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_a_discrete_gaussian_has_no_finite_epsilon_over_any_size(relation: Neighbours) -> None:
    noise = DiscreteGaussian(F(100))
    program = theirs.Asks(((CellCounts((0,)), noise, 0, 3),))
    evidence, _ = examined(program, relation, 2, text="epsilon=1000000")
    assert evidence is None


def test_one_gaussian_answer_among_others_is_enough() -> None:
    program = theirs.Asks(
        ((CellCounts((0,)), theirs.ONE, 0, 2), (CellCounts((1,)), DiscreteGaussian(F(9)), 0, 2))
    )
    assert examined(program, ReplaceOne(), 2)[0] is None


@pytest.mark.parametrize(
    "program",
    [
        theirs.adaptive,
        theirs.selects,
        theirs.sanitizes,
        theirs.constant,
        theirs.gaussian_cell,
    ],
    ids=lambda p: p.__name__,
)
def test_silent_where_the_transcript_does_not_factorise(program: Any) -> None:
    assert examined(program, ReplaceOne(), 2)[0] is None


@pytest.mark.parametrize("query", [theirs.Squares((0,)), CellCounts((0,))], ids=["query", "noise"])
def test_a_subclass_of_a_known_kind_is_not_trusted(query: Query) -> None:
    """It could answer, or be noised, otherwise than its base: the ledger is given here as met."""
    noise = theirs.ONE if type(query) is theirs.Squares else theirs.QuietNoise(F(1))
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 2)
    claim = Claim(parse_guarantee("epsilon=1"), ReplaceOne(), "output", setting.domain, 2)
    of = subject(theirs.constant)
    ledgers = frozenset({(Measure(query, noise, 0, 3),)})
    assert factorised.conclude(of, claim, setting, ledgers) is None
    plain = frozenset({(Measure(CellCounts((0,)), theirs.ONE, 0, 3),)})
    assert factorised.conclude(of, claim, setting, plain) is not None


def test_public_draws_change_nothing() -> None:
    plain, _ = examined(theirs.first_cell, ReplaceOne(), 2)
    drawn, _ = examined(theirs.drawn, ReplaceOne(), 2)
    assert plain is not None and drawn is not None and plain.bound == drawn.bound


def test_more_ledgers_than_are_kept_is_not_a_fixed_ledger() -> None:
    evidence, found = examined(theirs.first_cell, ReplaceOne(), 2)
    assert evidence is not None and found is not None and found.complete
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 2)
    two = frozenset({*found.ledgers, ()})
    program = subject(theirs.first_cell)
    budget = program.budget(setting)
    assert fixed_ledger(program.program, budget, setting, two, ours=False) is None


LARGE = 5000
"""Records beyond enumeration: the first question must use the whole budget up."""


@pytest.mark.parametrize("program", [theirs.Exhausts(), theirs.InZCDP()], ids=["pure", "zcdp"])
@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_an_exhausted_budget_fixes_the_ledger(program: Any, relation: Neighbours) -> None:
    asked: Any = {"text": "epsilon=2", "enumerate_first": False}
    evidence, _ = examined(program, relation, LARGE, **asked, ours=True)
    assert evidence is not None and evidence.decision is Decision.HOLDS
    # A program that is not ours could ask otherwise in its next run.
    assert examined(program, relation, LARGE, **asked)[0] is None
    assert evidence.bound is not None
    assert evidence.bound.epsilon.upper == relation.unit.max_records


@pytest.mark.parametrize(
    "program",
    [
        theirs.first_cell,
        theirs.Keeps(),
        theirs.adaptive,
        theirs.drawn,
        theirs.constant,
        theirs.selects,
        theirs.sanitizes,
        theirs.Alternates(),
        theirs.Histogram(F(1), F(2)),
        theirs.Histogram(F(2), F(1)),
    ],
    ids=lambda p: getattr(p, "__name__", type(p).__name__),
)
def test_silent_where_another_question_could_follow(program: Any) -> None:
    for relation in (ReplaceOne(), AddRemove()):
        for ours in (False, True):
            if ours and isinstance(program, theirs.Alternates):
                # Programs of ours toss no coins of their own.
                continue
            asked: Any = {"text": "epsilon=9", "enumerate_first": False, "ours": ours}
            assert examined(program, relation, LARGE, **asked)[0] is None


def test_what_is_refused_is_not_the_first_question() -> None:
    """Its crude question is refused by the budget, in a release and here; the next one counts."""
    program = theirs.CatchesRefusal()
    asked: Any = {"text": "epsilon=1", "enumerate_first": False}
    evidence, _ = examined(program, ReplaceOne(), LARGE, **asked, ours=True)
    assert evidence is not None and evidence.bound is not None
    assert evidence.bound.epsilon.upper == 1


def test_a_question_that_is_free_under_the_budgets_relation_may_still_follow() -> None:
    """The total costs nothing under replace-one, and tells everything under add-remove."""
    evidence, _ = examined(
        theirs.AsksForFree(), AddRemove(), LARGE, text="epsilon=1", enumerate_first=False, ours=True
    )
    assert evidence is None


def test_a_budget_that_lasts_for_two_questions_under_the_relation_analysed() -> None:
    """Under add-remove its first question uses half of the budget up."""
    evidence, _ = examined(
        theirs.AsksTwice(), AddRemove(), LARGE, text="epsilon=1/2", enumerate_first=False, ours=True
    )
    assert evidence is None


def test_our_own_program_with_noise_for_add_remove_is_seen_under_replace_one() -> None:
    ours = program_subject("geometric-sanitizer", {"epsilon": "1", "calibrated-for": "add-remove"})
    domain = Domain.from_cells("5")
    claim = Claim(parse_guarantee("epsilon=1"), ReplaceOne(), "transcript", domain, 400)
    setting = Setting.of(domain, ReplaceOne(), 400)
    evidence = factorised.conclude(ours, claim, setting, None)
    assert evidence is not None and evidence.decision is Decision.VIOLATED
    assert evidence.bound is not None and evidence.bound.epsilon.upper == 2


def test_a_file_read_before_the_first_question_is_noticed() -> None:
    class Peeks(theirs.Exhausts):
        def __call__(self, curator: Any) -> list[int]:
            theirs.hides_a_file(curator)
            return super().__call__(curator)

    with pytest.raises(ProtocolError, match="past the curator"):
        examined(Peeks(), ReplaceOne(), LARGE, enumerate_first=False, ours=True)


def test_randomness_of_its_own_is_not_taken_for_a_fixed_question() -> None:
    program = theirs.Alternates()
    assert examined(program, ReplaceOne(), LARGE, enumerate_first=False)[0] is None


@pytest.mark.parametrize(
    ("relation", "n", "expected"),
    [
        (ReplaceOne(), 3, "databases of 3 records over 2 cells"),
        (AddRemove(), 3, "databases of any size over 2 cells"),
        (ReplaceOne(PERSON), 3, "databases of any size over 2 cells"),
    ],
)
def test_a_public_n_is_covered_alone(relation: Neighbours, n: int, expected: str) -> None:
    evidence, _ = examined(theirs.first_cell, relation, n)
    assert evidence is not None and evidence.covers == expected
    assert evidence.bound is not None and evidence.bound.covers == expected
    assert expected in evidence.finding


@pytest.mark.parametrize(
    ("relation", "records"),
    [(AddRemove(), 0), (AddRemove(PERSON), 1), (ReplaceOne(PERSON), 1)],
    ids=str,
)
def test_a_witness_lies_within_the_claim(relation: Neighbours, records: int) -> None:
    """Larger databases than the claim speaks of lose more; they refute nothing."""
    program = theirs.Asks(((Marginal(("cell",)), theirs.ONE, 0, 9),))
    evidence, found = examined(program, relation, records, rows=9, text="epsilon=1/100")
    assert evidence is not None and found is not None
    _, most = largest_loss(found)
    assert evidence.decision is not Decision.VIOLATED or most > 1 / 100
    if evidence.witness is not None:
        assert sum(evidence.witness.source) <= records
        assert sum(evidence.witness.target) <= records
    # A loss that only databases beyond the claim have decides nothing.
    between = (F(most).limit_denominator(1000) + F(1, 100)) if most else F(1, 100)
    again, _ = examined(program, relation, records, rows=9, text=f"epsilon={between}")
    assert again is not None and again.decision is not Decision.VIOLATED


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_the_witness_is_two_neighbours_and_true_chances(relation: Neighbours) -> None:
    n = 3
    program = theirs.Asks(((Marginal(("cell",)), RoundedLaplace(F(1)), 0, n),))
    evidence, found = examined(program, relation, n, text="epsilon=1/2")
    assert evidence is not None and evidence.witness is not None and found is not None
    witness, channel = evidence.witness, found.channel
    assert relation.are_neighbours(witness.source, witness.target)
    output = channel.outputs.index(witness.event[0])
    rows = [channel.counts(d) for d in range(len(channel.databases))]
    for database, ends in zip((witness.source, witness.target), witness.probabilities, strict=True):
        row = rows.index(database)
        assert float(ends.upper) >= channel.lower[row, output] * (1 - 1e-12)
        assert float(ends.lower) <= channel.upper[row, output] * (1 + 1e-12)


@pytest.mark.parametrize("text", ["rho=1", "mu=1", "alpha=2, rdp=1"])
def test_silent_on_other_kinds_of_claims(text: str) -> None:
    assert examined(theirs.first_cell, ReplaceOne(), 2, text=text)[0] is None


def test_silent_where_the_cells_are_too_many_to_try(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = program_subject("geometric-sanitizer", {"epsilon": "1"})
    monkeypatch.setattr(factorised, "MAX_CELLS", 6)
    for cells, silent in ((6, False), (7, True)):
        domain = Domain.from_cells(str(cells))
        claim = Claim(parse_guarantee("epsilon=1"), AddRemove(), "output", domain, 100)
        setting = Setting.of(domain, AddRemove(), 100)
        assert (factorised.conclude(ours, claim, setting, None) is None) is silent
