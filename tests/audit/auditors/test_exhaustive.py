"""The exhaustive auditor against sums and ratios worked out beside it."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from audit.auditors import exhaustive
from audit.auditors.exhaustive import Instance, examine_channel, examine_program, sharpen
from audit.channels.channel import Channel
from audit.statements.claim import Claim
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision, EnumerationReplay, Evidence, Side
from audit.subjects.subject import ChannelSubject, ProgramSubject
from audit.subjects.synthesizer import program_subject
from proofs.guarantees import parse_guarantee
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError, ProtocolError, TooLargeError
from synthesizers.exact import Exact
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit, histograms
from tests.audit import third_party as theirs

PERSON = Unit("person", 2)


def instance(
    subject: ProgramSubject | str,
    text: str,
    relation: Neighbours,
    size: int,
    *,
    cells: str = "2",
    values: dict[str, str] | None = None,
    records: int | None = -1,
    released: str = "output",
) -> Instance:
    if isinstance(subject, str):
        subject = program_subject(subject, values or {})
    domain = Domain.from_cells(cells)
    stated = size if records == -1 else records
    claim = Claim(parse_guarantee(text), relation, released, domain, stated)
    return Instance(subject, claim, Setting.of(domain, relation, size), size)


def decided(part: Instance) -> Evidence:
    return examine_program(part).evidence


@pytest.mark.parametrize("relation", [ReplaceOne(), AddRemove()], ids=str)
@pytest.mark.parametrize("epsilon", ["2", "1/3", "5"])
def test_the_geometric_transcript_decides_its_nominal_epsilon_as_an_equality(
    relation: Neighbours, epsilon: str
) -> None:
    values = {"epsilon": epsilon}

    def make(text: str) -> Evidence:
        return decided(
            instance("geometric-sanitizer", text, relation, 3, values=values, released="transcript")
        )

    less = Fraction(epsilon) - Fraction(1, 10**30)
    assert make(f"epsilon={epsilon}").decision is Decision.HOLDS
    assert make(f"epsilon={less}").decision is Decision.VIOLATED
    bound = make(f"epsilon={epsilon}").bound
    assert bound is not None and bound.side is Side.EXACT
    assert bound.epsilon == Enclosure(Fraction(epsilon), Fraction(epsilon))


@pytest.mark.parametrize("cells", [2, 3, 4])
@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(2)])
def test_dirichlet_multinomial_decides_at_a_logarithm_to_thirty_places(
    cells: int, alpha: Fraction
) -> None:
    n = 4
    with mpmath.workdps(60):
        true = mpmath.log(1 + n / mpmath.mpf(alpha.numerator) * alpha.denominator)
        digits = mpmath.nstr(true, 50)
    above = Fraction(digits) + Fraction(1, 10**30)
    below = Fraction(digits) - Fraction(1, 10**30)
    values = {"alpha": str(alpha)}
    for claimed, expected in ((above, Decision.HOLDS), (below, Decision.VIOLATED)):
        part = instance(
            "multinomial-dirichlet",
            f"epsilon={claimed}",
            ReplaceOne(),
            n,
            cells=str(cells),
            values=values,
        )
        found = decided(part)
        assert found.decision is expected
        assert found.bound is not None
        assert found.bound.epsilon.lower <= above and found.bound.epsilon.upper >= below


@pytest.mark.parametrize("n", [3, 4, 5])
def test_a_subsample_has_delta_of_its_fraction_and_no_epsilon(n: int) -> None:
    def make(text: str) -> Evidence:
        return decided(instance("subsample", text, ReplaceOne(), n, values={"fraction": "2/5"}))

    assert make("epsilon=100").decision is Decision.VIOLATED
    bound = make("epsilon=100").bound
    assert bound is not None and bound.epsilon == Enclosure.infinite()
    # The chance that the one record that tells two databases apart is among the ⌊fn⌋ of n.
    delta = Fraction(2 * n // 5, n)
    tiny = Fraction(1, 10**30)
    assert make(f"epsilon=3, delta={delta}").decision is Decision.HOLDS
    assert make(f"epsilon=3, delta={delta - tiny}").decision is Decision.VIOLATED


def slow_delta(rows: list[list[Fraction]], pairs: list[tuple[int, int]], epsilon: int) -> float:
    """Σ (P - e^ε·Q)₊ in plain doubles; ε small and the rows rational."""
    return max(
        sum(
            max(float(p) - math.exp(epsilon) * float(q), 0)
            for p, q in zip(rows[a], rows[b], strict=True)
        )
        for a, b in pairs
    )


def rational_channel(
    relation: Neighbours, rows: list[list[Fraction]], databases: Any
) -> ChannelSubject:
    matrix = np.empty((len(rows), len(rows[0])), np.object_)
    for place, row in enumerate(rows):
        matrix[place] = row
    outputs = tuple((f"o{i}",) for i in range(len(rows[0])))
    listed = np.asarray(databases, np.int64)
    domain = Domain.from_cells(str(listed.shape[1]))
    channel = Channel.of_exact(domain, relation, listed, outputs, matrix, "output")
    return ChannelSubject("c.csv", channel)


def skewed(count: int, width: int, seed: int) -> list[list[Fraction]]:
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        parts = [int(v) for v in generator.integers(1, 9, width)]
        found.append([Fraction(v, sum(parts)) for v in parts])
    return found


@pytest.mark.parametrize("relation", [ReplaceOne(), AddRemove(PERSON), ReplaceOne(PERSON)], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_random_channels_against_all_pairs_in_fractions(relation: Neighbours, seed: int) -> None:
    sizes = [3] if relation.records_public else [0, 1, 2]
    databases = np.concatenate([histograms(2, size) for size in sizes])
    rows = skewed(len(databases), 5, seed)
    pairs = [
        (a, b)
        for a, b in itertools.permutations(range(len(databases)), 2)
        if relation.are_neighbours(databases[a].tolist(), databases[b].tolist())
    ]
    ratio = max(p / q for a, b in pairs for p, q in zip(rows[a], rows[b], strict=True))
    subject = rational_channel(relation, rows, databases)
    below, above = (Fraction(math.log(ratio) * scale) for scale in (1 - 1e-12, 1 + 1e-12))
    records = sizes[-1]

    def examined(text: str) -> Evidence:
        claim = Claim(parse_guarantee(text), relation, "output", subject.channel.domain, records)
        return examine_channel(subject, claim)

    assert examined(f"epsilon={above}").decision is Decision.HOLDS
    assert examined(f"epsilon={below}").decision is Decision.VIOLATED
    assert examined(f"epsilon={below}").whole
    witness = examined(f"epsilon={below}").witness
    assert witness is not None
    assert witness.probabilities[0].lower / witness.probabilities[1].upper > math.exp(below) * (
        1 - 1e-9
    )
    assert relation.are_neighbours(witness.source, witness.target)
    delta = slow_delta(rows, pairs, 0)
    assert examined(f"epsilon=0, delta={Fraction(delta * 1.000001)}").decision is Decision.HOLDS
    less = examined(f"epsilon=0, delta={Fraction(delta * 0.999999)}")
    assert less.decision is Decision.VIOLATED


def test_a_zero_beside_a_chance_is_infinite_with_its_witness() -> None:
    rows = [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1), Fraction(0)]]
    subject = rational_channel(ReplaceOne(), rows, [[1, 0], [0, 1]])
    domain = subject.channel.domain
    claim = Claim(parse_guarantee("epsilon=1000"), ReplaceOne(), "output", domain, 1)
    found = examine_channel(subject, claim)
    assert found.decision is Decision.VIOLATED
    assert found.bound is not None and found.bound.epsilon == Enclosure.infinite()
    assert found.witness is not None
    assert (found.witness.source, found.witness.target) == ((1, 0), (0, 1))
    assert found.witness.event == (("o1",),)


@pytest.mark.parametrize("records", [4, 2, None])
def test_a_channel_decides_no_claim_about_other_databases(records: int | None) -> None:
    rows = [[Fraction(1, 2)] * 2] * 4
    subject = rational_channel(ReplaceOne(), rows, histograms(2, 3))
    domain = subject.channel.domain
    guarantee = parse_guarantee("epsilon=1")
    right = Claim(guarantee, ReplaceOne(), "output", domain, 3)
    assert examine_channel(subject, right).whole
    assert not examine_channel(subject, replace(right, records=records)).whole
    other = replace(right, domain=Domain.from_cells("3"))
    assert not examine_channel(subject, other).whole


@pytest.mark.parametrize(
    ("relation", "databases", "whole"),
    [
        (ReplaceOne(), [[2, 0], [1, 1], [0, 2]], True),
        (ReplaceOne(), [[2, 0], [1, 1]], False),
        (ReplaceOne(), [[2, 0], [1, 1], [1, 0]], False),
        (AddRemove(), [[0, 0], [1, 0], [0, 1]], True),
        (AddRemove(), [[1, 0], [0, 1], [2, 0]], False),
        (AddRemove(), [[0, 0], [2, 0], [0, 1]], False),
        (ReplaceOne(PERSON), [[0, 0], [1, 0], [0, 1]], True),
        (ReplaceOne(), [[500_000, 0], [499_999, 1]], False),
        (AddRemove(), [[2**62, 0], [2**62 - 1, 0]], False),
    ],
)
def test_a_channel_is_whole_only_with_all_databases(
    relation: Neighbours, databases: list[list[int]], whole: bool
) -> None:
    subject = rational_channel(relation, [[Fraction(1)]] * len(databases), databases)
    largest = max(map(sum, databases))
    claim = Claim(parse_guarantee("epsilon=1"), relation, "output", subject.channel.domain, largest)
    found = examine_channel(subject, claim)
    assert found.whole is whole
    assert found.decision is Decision.HOLDS
    assert ("all of" in found.covers) is whole


@pytest.mark.parametrize(
    ("relation", "databases"),
    [(AddRemove(), [[1, 0], [0, 1]]), (ReplaceOne(), [[2, 0], [0, 2]]), (AddRemove(), [[3, 0]])],
)
def test_a_channel_without_neighbours_says_nothing(
    relation: Neighbours, databases: list[list[int]]
) -> None:
    subject = rational_channel(relation, [[Fraction(1)]] * len(databases), databases)
    largest = max(map(sum, databases))
    claim = Claim(parse_guarantee("epsilon=0"), relation, "output", subject.channel.domain, largest)
    with pytest.raises(InputError, match="no two of the databases listed are neighbours"):
        examine_channel(subject, claim)


def test_what_is_enumerated_is_whole_only_at_the_claims_size() -> None:
    values = {"epsilon": "1"}
    for records, whole in ((3, True), (2, False), (None, False)):
        part = instance(
            "geometric-sanitizer", "epsilon=1", AddRemove(), 3, values=values, records=records
        )
        assert decided(part).whole is whole


def test_without_neighbours_nothing_can_leak() -> None:
    values = {"epsilon": "1"}
    part = instance("geometric-sanitizer", "epsilon=0", ReplaceOne(), 0, values=values)
    assert decided(part).decision is Decision.HOLDS
    assert decided(part).witness is None


def test_doubles_and_exact_chances_decide_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["epsilon=1", "epsilon=2", "epsilon=1/2, delta=1/10", "epsilon=1, delta=1/1000"]
    for text, relation in itertools.product(texts, (ReplaceOne(), AddRemove())):
        part = instance("laplace-sanitizer", text, relation, 3, values={"epsilon": "3/2"})
        exact = examine_program(part)
        with monkeypatch.context() as patch:
            patch.setattr(exhaustive, "ALWAYS_EXACT", 0)
            doubles = examine_program(part)
        replay = doubles.evidence.replay
        assert isinstance(replay, EnumerationReplay)
        assert replay.arithmetic == "doubles with counted error"
        assert doubles.evidence.decision in (exact.evidence.decision, Decision.UNDECIDED)
        assert doubles.evidence.bound is not None and exact.evidence.bound is not None
        assert doubles.evidence.bound.epsilon.lower <= exact.evidence.bound.epsilon.upper
        assert doubles.evidence.bound.epsilon.upper >= exact.evidence.bound.epsilon.lower


@pytest.mark.parametrize(
    ("text", "expected"),
    [("epsilon=1", Decision.HOLDS), (f"epsilon={1 - Fraction(1, 10**30)}", Decision.VIOLATED)],
)
@pytest.mark.parametrize("retry", [0, 10**6])
def test_sharpening_decides_what_doubles_cannot(
    monkeypatch: pytest.MonkeyPatch, text: str, expected: Decision, retry: int
) -> None:
    part = instance(
        "geometric-sanitizer",
        text,
        ReplaceOne(),
        5,
        values={"epsilon": "1"},
    )
    monkeypatch.setattr(exhaustive, "ALWAYS_EXACT", 0)
    monkeypatch.setattr(exhaustive, "RETRY_EXACT", retry or part.products() - 1)
    found = examine_program(part)
    assert found.evidence.decision is Decision.UNDECIDED
    sharper = sharpen(part, found).evidence
    if retry:
        assert sharper.decision is expected
    else:
        # The two databases of the witness can show a violation, never its absence.
        assert sharper.decision in (expected, Decision.UNDECIDED)
        assert sharper.decision is not Decision.HOLDS
    monkeypatch.setattr(exhaustive, "RETRY_EXACT", 0)
    assert sharpen(part, found).evidence.decision is Decision.UNDECIDED


def test_too_large_an_instance_says_how_large() -> None:
    part = instance(
        "geometric-sanitizer", "epsilon=1", ReplaceOne(), 9, cells="9", values={"epsilon": "1"}
    )
    with pytest.raises(TooLargeError, match="transcripts, more than"):
        examine_program(part)
    part = instance(
        "geometric-sanitizer", "epsilon=1", ReplaceOne(), 99, cells="9", values={"epsilon": "1"}
    )
    with pytest.raises(TooLargeError, match="databases"):
        examine_program(part)


@pytest.mark.parametrize(
    "program",
    [
        theirs.other_questions,
        theirs.own_randomness,
        theirs.raises,
        theirs.exits,
        theirs.rubbish,
        theirs.reads_a_file,
        theirs.hides_a_file,
        theirs.starts_a_process,
        theirs.wants_data,
        theirs.quiet_noise,
        theirs.squares,
        theirs.Alternates(),
    ],
    ids=lambda p: getattr(p, "__name__", type(p).__name__),
)
def test_a_program_that_breaks_the_protocol_gets_no_evidence(program: Any) -> None:
    part = instance(ProgramSubject("m:a", program, False), "epsilon=1", ReplaceOne(), 2)
    with pytest.raises(ProtocolError) as caught:
        examine_program(part)
    assert "secret" not in str(caught.value)


def test_a_program_may_know_its_budget_as_a_release_lets_it_know() -> None:
    """A refusal that is caught is part of the mechanism: what follows it is analysed."""
    subject = ProgramSubject("m:a", theirs.CatchesRefusal(), False)
    part = instance(subject, "epsilon=1/1000", ReplaceOne(), 2, released="output")
    found = decided(part)
    assert found.decision is Decision.VIOLATED
    assert found.bound is not None and found.bound.epsilon == Enclosure(Fraction(1), Fraction(1))
    other = ProgramSubject("m:a", theirs.CatchesRefusalOfAnother(), False)
    found = decided(instance(other, "epsilon=1/1000", AddRemove(), 2))
    assert found.decision is Decision.VIOLATED


def test_exact_values_are_exact_numbers() -> None:
    part = instance("laplace-sanitizer", "epsilon=2", ReplaceOne(), 5, values={"epsilon": "2"})
    channel = examine_program(part).enumerated.channel
    assert channel.exact is not None
    total: Exact = sum(channel.exact[0], start=Fraction(0))
    assert total == 1
