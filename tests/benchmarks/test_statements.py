"""The scoreboard of statements: its data, what decides them, and what it says of a wrong label."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mpmath
import pytest

from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, RenyiDP
from proofs.losses import DiscreteLaplaceLoss, GaussianLoss, ResponseLoss, SampledGaussianLoss
from synthesizers.errors import InputError
from synthesizers.exact import ExpRational, compare, enclose
from synthesizers.intervals import to_mpf
from synthesizers.neighbours import AddRemove, ReplaceOne

F = Fraction
ROOT = Path(__file__).parents[2]
BOARD = ROOT / "benchmarks" / "statements"
AREAS = sorted(path.stem for path in (BOARD / "data").glob("*.toml"))


def load() -> SimpleNamespace:
    """The modules of the board, which is run as a folder."""
    sys.path.insert(0, str(BOARD))
    try:
        import deciding
        import examples
        import exceeding
        import integrals
        import laws
        import neighbouring
        import reading
        import refuting
    finally:
        sys.path.remove(str(BOARD))
    return SimpleNamespace(
        deciding=deciding,
        examples=examples,
        exceeding=exceeding,
        integrals=integrals,
        laws=laws,
        neighbouring=neighbouring,
        reading=reading,
        refuting=refuting,
    )


board = load()
STATEMENTS = board.reading.read_statements()


def mechanism(text: str) -> Any:
    ((count, found),) = board.reading.read_mechanism(text)
    assert count == 1
    return found


def number(value: Any) -> mpmath.mpf:
    """The middle of an exact number's enclosure."""
    ends = enclose(value)
    return to_mpf((ends.lower + ends.upper) / 2)


def total(row: Any) -> Any:
    return sum(row, ExpRational.of(0))


# --- the data ------------------------------------------------------------------------------------


def test_there_are_many_statements_and_half_of_them_are_false() -> None:
    assert len(STATEMENTS) >= 250 and len(AREAS) >= 15
    assert len({one.name for one in STATEMENTS}) == len(STATEMENTS)
    assert len({one.text for one in STATEMENTS}) == len(STATEMENTS)
    assert all(len(one.source) > 8 and one.text.endswith(".") for one in STATEMENTS)
    false = sum(not one.truth for one in STATEMENTS)
    assert 0.45 <= false / len(STATEMENTS) <= 0.55
    for area in AREAS:
        truths = Counter(one.truth for one in STATEMENTS if one.area == area)
        assert min(truths[True], truths[False]) >= 5


def test_what_is_decided_does_not_hold_the_label() -> None:
    record = {
        "id": "a",
        "text": "A.",
        "source": "B",
        "truth": True,
        "mechanism": "laplace(scale=1)",
        "neighbours": "add-remove",
        "claim": "epsilon=1",
    }
    one, other = (
        board.reading.read_statement("area", record | {"truth": truth}) for truth in (True, False)
    )
    assert one.formal == other.formal and one.truth != other.truth


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"truth": "yes"}, "truth"),
        ({"source": ""}, "source"),
        ({"hint": 1}, "fields"),
        ({"mechanism": "laplacian(scale=1)"}, "no mechanism"),
        ({"mechanism": "laplace(width=1)"}, "no mechanism"),
        ({"mechanism": "laplace(scale="}, "reads"),
        ({"mechanism": "0 * laplace(scale=1)"}, "reads"),
        ({"claim": "l1=1"}, "norm"),
        ({"claim": "privacy=1"}, "claim"),
        ({"neighbours": "others"}, "neighbours"),
    ],
)
def test_a_malformed_record_is_refused(change: dict[str, Any], says: str) -> None:
    record = {"id": "bad-one", "text": "A.", "source": "B", "truth": True}
    record |= {"mechanism": "laplace(scale=1)", "neighbours": "add-remove", "claim": "epsilon=1"}
    assert board.reading.read_statement("area", record).name == "bad-one"
    with pytest.raises(InputError, match=r"bad-one.*" + says):
        board.reading.read_statement("area", record | change)


def test_numbers_are_as_written() -> None:
    found = board.reading.read_mechanism(
        "3 * laplace(scale=0.1) + poisson(gaussian(mu=1/3), q=1e-6)"
    )
    (count, first), (_, second) = found
    assert (count, first.given["scale"]) == (3, F(1, 10))
    assert second.given["q"] == F(1, 10**6)
    assert second.inner[0][1].given["mu"] == F(1, 3)


# --- the decisions -------------------------------------------------------------------------------


def sample() -> Iterator[Any]:
    """The first true and the first false statement of each area."""
    for area, truth in product(AREAS, (True, False)):
        yield next(one for one in STATEMENTS if (one.area, one.truth) == (area, truth))


@pytest.mark.parametrize("statement", list(sample()), ids=lambda one: one.name)
def test_a_sample_is_decided_rightly(statement: Any) -> None:
    decision = board.deciding.decide(statement.formal)
    assert decision.truth == statement.truth and not decision.kernel_only


def test_a_theorem_that_says_less_proves_nothing() -> None:
    """Two (4, 1/2)-Rényi mechanisms have a theorem, of (4, 1)."""
    false = next(one for one in STATEMENTS if one.name == "compose-renyi-largest")
    assert board.deciding.decide(false.formal).truth is False


def test_what_is_proved_and_refuted_is_a_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    true = next(one for one in STATEMENTS if one.name == "laplace-count")
    monkeypatch.setattr(board.deciding, "refute", lambda formal: SimpleNamespace(words="made up"))
    with pytest.raises(board.deciding.ContradictionError, match="made up"):
        board.deciding.decide(true.formal)


def run(*flags: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BOARD), *flags]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_wrong_label_is_reported_and_fails(tmp_path: Path) -> None:
    data = (BOARD / "data" / "permute-and-flip.toml").read_text(encoding="utf-8")
    two = "[[statement]]".join(data.split("[[statement]]")[:3])
    swapped = {"truth = true": "truth = false", "truth = false": "truth = true"}
    flipped = "\n".join(swapped.get(line, line) for line in two.splitlines())
    for text, wrong in ((two, "0"), (flipped, "2")):
        (tmp_path / "flips.toml").write_text(text, encoding="utf-8")
        found = run("--data", str(tmp_path))
        assert found.stdout.splitlines()[1].split()[-1] == wrong and not found.stderr
        assert found.returncode == (wrong != "0") == ("\nWRONG " in found.stdout)


def test_an_unreadable_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("statement = [", encoding="utf-8")
    found = run("--data", str(tmp_path))
    assert found.returncode == 2 and "bad.toml" in found.stderr and "Traceback" not in found.stderr


@pytest.mark.slow
def test_no_statement_is_decided_wrongly() -> None:
    found = run()
    assert found.returncode == 0, found.stdout
    (row,) = (line.split() for line in found.stdout.splitlines() if line.startswith("all "))
    _, statements, proved, refuted, undecided, wrong = row
    assert int(wrong) == 0 and int(undecided) <= 10
    told = f"{statements} statements: {proved} true ones proved, {refuted} false ones refuted, "
    page = (ROOT / "docs" / "explanation" / "proofs.md").read_text(encoding="utf-8")
    assert told + f"{undecided} undecided" in page.replace("\n", " ")


# --- exact laws ----------------------------------------------------------------------------------


def laplace_density(x: mpmath.mpf, scale: F, centre: F) -> mpmath.mpf:
    return mpmath.exp(-abs(x - to_mpf(centre)) / to_mpf(scale)) / (2 * to_mpf(scale))


def laplace_below(x: mpmath.mpf, scale: F, centre: F) -> mpmath.mpf:
    away = (x - to_mpf(centre)) / to_mpf(scale)
    return mpmath.exp(away) / 2 if away < 0 else 1 - mpmath.exp(-away) / 2


def quadrature(function: Any, points: list[F]) -> mpmath.mpf:
    ends = [-mpmath.inf, *map(to_mpf, sorted(set(points))), mpmath.inf]
    return sum(mpmath.quad(function, list(piece)) for piece in pairwise(ends))


def test_integrals_are_those_of_quadrature() -> None:
    scales, centres = [F(1), F(1, 2), F(3)], [F(0), F(2), F(-1, 3)]
    kinds = ["density", "below", "above"]
    laplace = [
        board.integrals.laplace(kind, scale, centre)
        for kind, scale, centre in zip(kinds, scales, centres, strict=True)
    ]
    found = board.integrals.integral(laplace, centres)
    expected = quadrature(
        lambda x: (
            laplace_density(x, scales[0], centres[0])
            * laplace_below(x, scales[1], centres[1])
            * (1 - laplace_below(x, scales[2], centres[2]))
        ),
        centres,
    )
    assert abs(number(found) - expected) < mpmath.mpf(10) ** -12


def test_noisy_max_of_two_is_its_closed_form() -> None:
    scores = (F(0), F(3))
    laplace = board.laws.noisy_max(mechanism("noisy_max(noise=laplace, scale=2)"), scores)
    # P[Z₁ - Z₂ > d] = e^(-d/b)·(1 + d/(2b))/2 of two Laplace variables of scale b.
    behind = mpmath.exp(mpmath.mpf(-3) / 2) * (1 + mpmath.mpf(3) / 4) / 2
    assert abs(number(laplace[0]) - behind) < mpmath.mpf(10) ** -12
    exponential = board.laws.noisy_max(mechanism("noisy_max(noise=exponential, scale=2)"), scores)
    assert compare(exponential[0], ExpRational.exp(F(-3, 2)) / 2) == 0
    for row in (laplace, exponential):
        assert compare(total(row), F(1)) == 0


@pytest.mark.parametrize("scores", [(F(0), F(1), F(2)), (F(3), F(3), F(0)), (F(0), F(0), F(0))])
def test_permute_and_flip_is_noisy_max_with_exponential_noise(scores: tuple[F, ...]) -> None:
    """So Ding et al. 2021 say; here the two are worked out in different ways."""
    flips = board.laws.permute_and_flip(mechanism("permute_and_flip(rate=1/2)"), scores)
    noise = board.laws.noisy_max(mechanism("noisy_max(noise=exponential, scale=2)"), scores)
    assert all(compare(a, b) == 0 for a, b in zip(flips, noise, strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "sparse_vector(threshold_scale=2, query_scale=4, count=1)",
        "sparse_vector(threshold_scale=1, query_scale=2, count=2)",
        "sparse_vector(threshold_scale=1, query_scale=2)",
        "sparse_vector(threshold_scale=1, query_scale=0)",
        "sparse_vector(threshold_scale=0, query_scale=2, count=1)",
    ],
)
def test_all_outputs_of_the_sparse_vector_are_there(text: str) -> None:
    row = board.laws.sparse_vector(mechanism(text), (F(0), F(1), F(-1), F(0)))
    assert row[-1].is_zero and compare(total(row), F(1)) == 0
    assert all(enclose(chance).lower >= 0 for chance in row)


def test_released_answers_are_those_of_quadrature() -> None:
    text = "sparse_vector(threshold_scale=2, query_scale=1, count=1, releases=answers)"
    event, rest = board.laws.sparse_vector(mechanism(text), (F(1), F(-1)))

    def density(z: mpmath.mpf) -> mpmath.mpf:
        shown = laplace_below(mpmath.mpf(0), F(1), F(-1)) - laplace_below(z, F(1), F(-1))
        return laplace_density(z, F(2), F(0)) * laplace_below(z, F(1), F(1)) * max(shown, 0)

    assert abs(number(event) - quadrature(density, [F(-1), F(0), F(1)])) < mpmath.mpf(10) ** -12
    assert compare(event + rest, F(1)) == 0


def test_long_sequences_are_told_apart_as_far_as_they_are_sorted() -> None:
    text = "sparse_vector(threshold_scale=1, query_scale=2)"
    answers = (F(0),) * 7
    row = board.laws.sparse_vector(mechanism(text), answers)
    assert len(row) == 9 and compare(total(row), F(1)) == 0
    assert enclose(row[-1]).lower > 0


def test_powers_keep_every_divergence() -> None:
    left, right = (F(1, 2), F(1, 3), F(1, 6)), (F(1, 6), F(1, 3), F(1, 2))
    merged = board.laws.together([(3, board.laws.RowPair(left, right))])
    whole = [
        (a * b * c, x * y * z)
        for (a, x), (b, y), (c, z) in product(zip(left, right, strict=True), repeat=3)
    ]
    for factor in (F(1), F(2), F(7)):
        excess = sum(max(p - factor * q, F(0)) for p, q in whole)
        found = zip(merged.left, merged.right, strict=True)
        assert sum(max(p - factor * q, F(0)) for p, q in found) == excess
    assert len(merged.left) == 10


def test_a_sample_mixes_the_two_laws() -> None:
    rows = board.laws.RowPair((F(3, 4), F(1, 4)), (F(1, 4), F(3, 4)))
    sampled = board.laws.sample(rows, F(1, 5))
    assert (sampled.left, sampled.right) == ((F(7, 20), F(13, 20)), rows.right)
    gaussian = board.laws.LossPair(((1, GaussianLoss(F(4))),))
    assert board.laws.sample(gaussian, F(1, 5)).losses == ((1, SampledGaussianLoss(F(1, 5), F(4))),)
    told = board.laws.sample_openly(rows, F(1, 5))
    assert told.left == (F(4, 5), F(3, 20), F(1, 20))


def test_coarse_laplace_noise_keeps_its_largest_loss() -> None:
    losses = board.laws.additive(mechanism("laplace(scale=2)"), (F(0),), (F(3),))
    rows = board.laws.coarsen(losses)
    ratio = rows.left[0] / rows.right[0]
    assert compare(ratio, ExpRational.exp(F(3, 2))) == 0
    assert compare(total(rows.left), F(1)) == 0


# --- mechanisms that have a guarantee ------------------------------------------------------------


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize(
    "premise",
    [
        ApproxDP(F(1)),
        ApproxDP(F(1), F(1, 10)),
        ZCDP(F(1, 3)),
        GaussianDP(F(2)),
        RenyiDP(F(3), F(1, 2)),
    ],
)
def test_examples_have_their_guarantee_and_hardly_more(premise: Any, steps: int) -> None:
    found = list(board.examples.examples(premise, steps))
    assert found
    for _, pair in found:
        if isinstance(pair, board.laws.RowPair):
            _require_renyi(pair, premise)
            continue
        ((count, loss),) = pair.losses
        assert count == 1
        match loss, premise:
            case GaussianLoss(squared), ZCDP(rho):
                assert squared == 2 * rho * steps**2
            case GaussianLoss(squared), GaussianDP(mu):
                assert squared == (mu * steps) ** 2
            case GaussianLoss(squared), RenyiDP(order, bound):
                assert squared / steps**2 * order / 2 == bound
            case GaussianLoss(squared), ApproxDP(epsilon, delta):
                mu, e = mpmath.sqrt(to_mpf(squared)) / steps, to_mpf(epsilon)
                curve = mpmath.ncdf(mu / 2 - e / mu)
                curve -= mpmath.exp(e) * mpmath.ncdf(-mu / 2 - e / mu)
                assert to_mpf(delta) - mpmath.mpf(10) ** -5 < curve <= to_mpf(delta)
            case ResponseLoss(epsilon, _), ZCDP(rho):
                least = to_mpf(epsilon) * mpmath.tanh(to_mpf(epsilon) / 2)
                assert to_mpf(rho) - mpmath.mpf(10) ** -5 < least <= to_mpf(rho)
            case _:
                expected = [ResponseLoss(premise.epsilon, premise.delta)]
                expected += [DiscreteLaplaceLoss(premise.epsilon, steps)]
                assert loss in expected and (steps == 1 or loss == expected[1])


def _require_renyi(pair: Any, premise: RenyiDP) -> None:
    order, bound = to_mpf(premise.alpha), to_mpf(premise.epsilon)
    for left, right in ((pair.left, pair.right), (pair.right, pair.left)):
        chances = [(to_mpf(p), to_mpf(q)) for p, q in zip(left, right, strict=True)]
        moment = sum(p**order * q ** (1 - order) for p, q in chances)
        assert mpmath.log(moment) / (order - 1) <= bound


# --- neighbours and how far apart they are -------------------------------------------------------


def formal(record: dict[str, Any]) -> Any:
    whole = {"id": "a", "text": "A.", "source": "B", "truth": True, "claim": "epsilon=1", **record}
    whole.setdefault("mechanism", "laplace(scale=1)")
    return board.reading.read_statement("area", whole).formal


def test_databases_that_are_compared_are_neighbours() -> None:
    query = {"kind": "marginal", "attributes": ["a"]}
    for relation, moves in (("add-remove", {(1,)}), ("replace-one", {(1, 1)})):
        found = formal({"domain": {"a": 3}, "query": query, "neighbours": relation})
        sizes = {
            tuple(sorted(abs(x - y) for x, y in zip(left, right, strict=True) if x != y))
            for _, left, right in board.neighbouring.neighbouring_answers(found)
        }
        assert sizes == moves


def test_moves_add_up_over_the_records_of_a_person() -> None:
    one = formal({"moves": [[2]], "neighbours": "add-remove", "given": "add-remove", "persons": 3})
    reached = {
        right[0] - left[0] for _, left, right in board.neighbouring.neighbouring_answers(one)
    }
    assert one.steps == 3 and reached == {-6, -2, 2, 6}
    exchanged = formal({"neighbours": "replace-one", "given": "add-remove"})
    assert exchanged.steps == 2


@pytest.mark.parametrize(
    "record",
    [
        {"mechanism": "local(matrix=[[3/4,1/4],[1/4,3/4]])", "neighbours": "add-remove"},
        {"mechanism": "randomized_response(values=3, epsilon=1)", "neighbours": "add-remove"},
        {
            "mechanism": "without_replacement(pure(epsilon=1), sample=1, records=2)",
            "neighbours": "add-remove",
        },
        {
            "mechanism": "poisson(laplace(scale=1), q=1/2)",
            "domain": {"a": 2},
            "query": {"kind": "marginal", "attributes": ["a"]},
            "neighbours": "add-remove",
        },
        {
            "mechanism": "parallel(laplace(scale=1), laplace(scale=1))",
            "domain": {"a": 2},
            "query": {"kind": "marginal", "attributes": ["a"]},
            "neighbours": "replace-one",
        },
    ],
    ids=lambda record: record["mechanism"],
)
def test_no_pair_is_looked_at_that_may_be_no_neighbours(record: dict[str, Any]) -> None:
    assert list(board.refuting.pairs_of(formal(record))) == []


def test_nothing_exceeds_its_own_guarantee() -> None:
    """At the exact parameters of each pair no claim is broken, and just below them all are."""
    response = board.laws.LossPair(((1, ResponseLoss(F(1))),))
    gaussian = board.laws.LossPair(((1, GaussianLoss(F(1))),))
    rows = board.laws.RowPair((F(3, 4), F(1, 4)), (F(1, 4), F(3, 4)))
    cases = [
        (response, ApproxDP(F(1)), ApproxDP(F(999, 1000))),
        (response, ApproxDP(F(0), F("0.46212")), ApproxDP(F(0), F("0.46211"))),
        (gaussian, ZCDP(F(1, 2)), ZCDP(F(499, 1000))),
        (gaussian, GaussianDP(F(1)), GaussianDP(F(99, 100))),
        (gaussian, RenyiDP(F(3), F(3, 2)), RenyiDP(F(3), F(149, 100))),
        (gaussian, ApproxDP(F(1), F("0.12694")), ApproxDP(F(1), F("0.12693"))),
        (rows, ApproxDP(F(0), F(1, 2)), ApproxDP(F(0), F(499, 1000))),
        (rows, ApproxDP(F("1.0987")), ApproxDP(F("1.0986"))),
        (rows, ZCDP(F("0.5494")), ZCDP(F("0.549"))),
    ]
    for pair, holds, broken in cases:
        for neighbours in (AddRemove(), ReplaceOne()):
            assert board.exceeding.exceed(pair, holds, neighbours) is None
            assert board.exceeding.exceed(pair, broken, neighbours) is not None


@pytest.mark.parametrize("text", ["zcdp(rho=0)", "gdp(mu=0)", "pure(epsilon=0)"])
def test_what_tells_nothing_is_not_refuted(text: str) -> None:
    nothing = formal({"mechanism": text, "neighbours": "add-remove", "claim": "epsilon=0"})
    assert board.refuting.refute(nothing) is None


def test_a_theorem_under_other_neighbours_settles_nothing() -> None:
    statement = next(one for one in STATEMENTS if one.name == "laplace-histogram-add-remove")
    other = replace(statement.formal, neighbours=ReplaceOne(), given=ReplaceOne())
    assert board.deciding.decide(statement.formal).truth is True
    assert board.deciding.decide(other).truth is False
