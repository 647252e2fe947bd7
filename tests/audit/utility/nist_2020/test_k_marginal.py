from __future__ import annotations

import itertools
import math
import statistics
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.utility.column_sets import index_sets, sampling_error
from audit.utility.nist_2020.k_marginal import KMarginal
from audit.utility.pair import Pair
from audit.utility.records import Records, of_frame, read_records
from audit.utility.score import Score, standard_error
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from synthesizers.schemas import load_domain
from tests.audit.utility.nist_2020.slow_nist_2020 import (
    integer_domain,
    slow_fixed,
    slow_sdnist_1,
    slow_sdnist_25,
    slow_sprint_2,
    slow_sprint_3,
)

GROUPS = ("g", "h")
COLUMNS = ("a", "b", "c", "d")
MODES = KMarginal.modes

Tables = tuple[pd.DataFrame, pd.DataFrame, Domain]


def drawn_tables(
    sizes: tuple[int, int], seed: int, groups: tuple[int, int] = (3, 2), values: int = 6
) -> Tables:
    """Two tables of skewed integers; a group of each is taken away from the other."""
    random = np.random.default_rng(seed)
    frames = []
    for side, rows in enumerate(sizes):
        frame = pd.DataFrame(
            {name: random.integers(0, n, rows) for name, n in zip(GROUPS, groups, strict=True)}
        )
        for place, name in enumerate(COLUMNS):
            skewed = random.geometric(0.2 + 0.1 * place + 0.1 * side, rows)
            frame[name] = np.minimum(skewed, values + place)
        kept = frame[frame["g"] != side].reset_index(drop=True)
        frames.append(kept if len(kept) else frame)
    return frames[0], frames[1], integer_domain(*frames)


SHAPES = [
    drawn_tables(sizes, seed, groups, values)
    for seed, (sizes, groups, values) in enumerate(
        [
            ((300, 300), (3, 2), 6),
            ((400, 90), (5, 3), 30),
            ((60, 500), (2, 4), 3),
            ((9, 7), (3, 2), 4),
            ((1, 1), (1, 1), 2),
            ((1, 12), (2, 1), 2),
            ((700, 650), (1, 1), 40),
        ]
    )
]


def sets_of(score: Score) -> list[tuple[str, ...]]:
    return [tuple(draw) for draw in score.drawn]


def test_the_score_of_a_small_pair_is_the_one_worked_out_by_hand() -> None:
    # Shares of (a, b) = (0,0), (0,1), (1,1): real 1/2, 1/4, 1/4; synthetic 1/2, 1/2, 0. TV = 1/4.
    real = pd.DataFrame({"a": [0, 0, 0, 1], "b": [0, 0, 1, 1]})
    synthetic = pd.DataFrame({"a": [0, 0], "b": [0, 1]})
    score = KMarginal(k=2)(real, synthetic, integer_domain(real, synthetic))
    assert score.value == 750.0
    assert score.drawn == (["a", "b"],)
    assert score.breakdown("pairs").rows == (("a", "b", 0.25),)


@pytest.mark.parametrize("groups", [(), ("g",), GROUPS])
@pytest.mark.parametrize("shape", range(len(SHAPES)))
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_sound_score_is_the_slow_one(shape: int, groups: tuple[str, ...], k: int) -> None:
    real, synthetic, domain = SHAPES[shape]
    score = KMarginal(k=k, groups=groups, columns=COLUMNS)(real, synthetic, domain)
    assert len(score.drawn) == math.comb(4, k)
    assert score.value == pytest.approx(slow_fixed(real, synthetic, sets_of(score), groups))
    assert score.value == pytest.approx(statistics.fmean(score.parts))


@pytest.mark.parametrize("shape", range(len(SHAPES)))
@pytest.mark.parametrize("cutoff", [None, 3, 10**6])
def test_sprint_2_is_reproduced_bit_for_bit(shape: int, cutoff: int | None) -> None:
    real, synthetic, domain = SHAPES[shape]
    metric = KMarginal(mode="sprint-2", draws=9, groups=GROUPS, bias_penalty=cutoff)
    score = metric(real, synthetic, domain)
    limit = 250 if cutoff is None else cutoff
    assert score.value == slow_sprint_2(real, synthetic, sets_of(score), GROUPS, limit)


@pytest.mark.parametrize("shape", range(len(SHAPES)))
@pytest.mark.parametrize("cutoff", [None, 3])
def test_sprint_3_is_reproduced_bit_for_bit(shape: int, cutoff: int | None) -> None:
    real, synthetic, domain = SHAPES[shape]
    metric = KMarginal(mode="sprint-3", groups=GROUPS, bias_penalty=cutoff)
    score = metric(real, synthetic, domain)
    assert sets_of(score) == list(itertools.permutations(COLUMNS, 2))
    expected = slow_sprint_3(real, synthetic, sets_of(score), GROUPS, cutoff)
    assert score.value == 1000.0 * expected
    assert metric.score_over_1000(Pair.of(real, synthetic, domain)) == expected


@pytest.mark.parametrize("shape", range(len(SHAPES)))
@pytest.mark.parametrize(
    ("groups", "cutoff"), [((), None), (("g",), None), (GROUPS, None), (GROUPS, 3)]
)
@pytest.mark.parametrize("k", [2, 3])
def test_sdnist_1_is_reproduced_bit_for_bit(
    shape: int, groups: tuple[str, ...], cutoff: int | None, k: int
) -> None:
    real, synthetic, domain = SHAPES[shape]
    metric = KMarginal(
        mode="sdnist-1", k=k, draws=9, columns=COLUMNS, groups=groups, bias_penalty=cutoff
    )
    score = metric(real, synthetic, domain)
    assert any(len(set(names)) < len(names) for names in sets_of(score))
    assert score.value == slow_sdnist_1(real, synthetic, sets_of(score), groups, cutoff)


@pytest.mark.parametrize("shape", range(len(SHAPES)))
@pytest.mark.parametrize("groups", [(), ("g",), GROUPS])
@pytest.mark.parametrize("draws", [None, 9])
def test_sdnist_25_is_reproduced_bit_for_bit(
    shape: int, groups: tuple[str, ...], draws: int | None
) -> None:
    real, synthetic, domain = SHAPES[shape]
    metric = KMarginal(mode="sdnist-2.5", draws=draws, columns=COLUMNS, groups=groups)
    score = metric(real, synthetic, domain)
    value, by_group = slow_sdnist_25(real, synthetic, sets_of(score), groups)
    assert score.value == min(max(value, 0.0), 1000.0)
    if groups:
        rows = score.breakdown("groups").rows
        named = {", ".join(map(str, group)): found for group, found in by_group.items()}
        assert {row[0]: row[1] for row in rows} == named


@pytest.mark.parametrize("mode", MODES)
def test_a_table_against_itself_has_the_best_score(mode: str) -> None:
    real, _, domain = SHAPES[0]
    assert KMarginal(mode=mode, groups=GROUPS)(real, real, domain).value == 1000.0


@pytest.mark.parametrize("mode", ["sprint-2", "sprint-3", "sdnist-1", "sdnist-2.5"])
def test_the_order_of_the_declared_values_does_not_move_an_official_score(mode: str) -> None:
    real, synthetic, domain = SHAPES[1]
    mixed = Domain(
        "mixed", tuple(Attribute(a.name, tuple(reversed(a.values))) for a in domain.attributes)
    )
    metric = KMarginal(mode=mode, groups=GROUPS)
    assert metric(real, synthetic, mixed).value == metric(real, synthetic, domain).value


@pytest.mark.parametrize(
    ("mode", "gap", "hit"),
    [
        ("sprint-2", 249, False),
        ("sprint-2", 250, True),
        ("sprint-2", 251, True),
        ("sprint-3", 249, False),
        ("sprint-3", 250, True),
        ("sdnist-1", 249, False),
        ("sdnist-1", 250, False),
        ("sdnist-1", 251, True),
    ],
)
def test_the_bias_limit_is_inclusive_in_the_sprints_and_exclusive_in_sdnist(
    mode: str, gap: int, hit: bool
) -> None:
    real = pd.DataFrame({"g": [0] * 20, "a": [0] * 20, "b": [0] * 20})
    synthetic = pd.DataFrame({"g": [0] * (20 + gap), "a": [0] * (20 + gap), "b": 0})
    domain = integer_domain(real, synthetic)
    score = KMarginal(mode=mode, groups=("g",), bias_penalty=250)(real, synthetic, domain)
    assert score.value == (0.0 if hit else 1000.0)
    assert any("bias" in sentence for sentence in score.stated) == hit


@pytest.mark.parametrize(
    ("mode", "alone_in_real", "alone_in_synthetic"),
    [
        ("fixed", 0.0, 0.0),
        ("sprint-2", 0.0, 0.0),
        ("sprint-3", 0.0, 0.0),
        ("sdnist-1", 500.0, 500.0),
        ("sdnist-2.5", 0.0, None),
    ],
)
def test_a_group_on_one_side_scores_what_each_program_makes_of_it(
    mode: str, alone_in_real: float, alone_in_synthetic: float | None
) -> None:
    real = pd.DataFrame({"g": [0, 0, 1], "a": 0, "b": 0})
    synthetic = pd.DataFrame({"g": [0, 0, 2], "a": 0, "b": 0})
    score = KMarginal(mode=mode, groups=("g",), k=2)(
        real, synthetic, integer_domain(real, synthetic)
    )
    groups = score.breakdown("groups")
    assert groups is not None
    found = {row[0]: row[1:] for row in groups.rows}
    assert found == {
        "0": (1000.0, 2, 2),
        "1": (alone_in_real, 1, 0),
        "2": (alone_in_synthetic, 0, 1),
    }
    assert groups.rows[-1][1] in (1000.0, None)


def test_groups_without_records_on_either_side_are_left_out_and_counted() -> None:
    real = pd.DataFrame({"g": [0, 3], "a": [0, 1]})
    domain = integer_domain(real, spare=2)
    score = KMarginal(k=1, groups=("g",))(real, real, domain)
    assert score.value == 1000.0
    assert any("4 further combinations" in sentence for sentence in score.stated)


def test_values_outside_the_domain_are_a_cell_of_their_own() -> None:
    domain = Domain("d", (Attribute("g", ("0",)), Attribute("a", ("0", "1"))))
    real = read("g,a\n0,0\n0,1\n", domain)
    synthetic = read("g,a\n0,0\n0,9\n1,1\n", domain)
    score = KMarginal(k=1, groups=("g",))(real, synthetic, domain)
    assert score.value == 1000 * (1 - (0.5 + 1) / 2)
    groups = score.breakdown("groups")
    assert groups is not None
    assert groups.rows[0] == ("outside the domain", 0.0, 0, 1)


def read(text: str, domain: Domain) -> Records:
    return of_frame(pd.read_csv(StringIO(text), dtype=str), domain, "cell")


def wide_domain(columns: int) -> Domain:
    return Domain("wide", tuple(Attribute(f"c{j:02}", ("0", "1")) for j in range(columns)))


def wide_tables(columns: int) -> Tables:
    random = np.random.default_rng(3)
    frames = [
        pd.DataFrame({f"c{j:02}": random.integers(0, 2, 30) for j in range(columns)})
        for _ in range(2)
    ]
    return frames[0], frames[1], wide_domain(columns)


def test_few_sets_are_all_taken_and_many_are_drawn_without_a_repeat() -> None:
    few = KMarginal()(*wide_tables(6))
    assert len(few.drawn) == 20
    assert few.standard_error == 0.0
    many = KMarginal()(*wide_tables(20))
    assert len(many.drawn) == 300 == len({frozenset(draw) for draw in sets_of(many)})
    assert all(len(set(draw)) == 3 for draw in sets_of(many))
    assert many.standard_error is not None
    assert many.standard_error > 0


def test_draws_depend_on_the_seed_and_the_domain_alone() -> None:
    real, synthetic, domain = wide_tables(20)
    first = KMarginal(draws=10)(real, synthetic, domain)
    assert KMarginal(draws=10)(real, real, domain).drawn == first.drawn
    assert KMarginal(draws=10)(synthetic, real, domain).drawn == first.drawn
    assert KMarginal(draws=10, seed=1)(real, synthetic, domain).drawn != first.drawn


@pytest.mark.parametrize("mode", MODES)
def test_draws_handed_back_give_the_same_score(mode: str) -> None:
    real, synthetic, domain = SHAPES[0]
    metric = KMarginal(mode=mode, groups=GROUPS)
    score = metric(real, synthetic, domain)
    again = metric.with_draws(list(score.drawn))(real, synthetic, domain)
    assert (again.value, again.parts, again.drawn) == (score.value, score.parts, score.drawn)
    assert again.seed is None


@pytest.mark.parametrize("draws", [[], [[]], ["a"], [["a", 1]], [{"a": 1}], [None]])
def test_draws_of_another_form_are_refused(draws: list[object]) -> None:
    with pytest.raises(InputError, match="draw"):
        KMarginal().with_draws(draws)


def test_every_collection_of_sets_is_reached_by_either_way_of_drawing() -> None:
    # Draws of 1 and of 4 of the 6 pairs of 4: a collection is missed with probability at most
    # 15 (1 - 1/15)^1000 < 1e-28.
    for draws in (1, 4):
        found = {
            frozenset(index_sets(4, 2, draws, np.random.default_rng(seed))) for seed in range(1000)
        }
        assert len(found) == math.comb(6, draws)


def test_the_standard_error_squared_is_unbiased_over_all_draws() -> None:
    values = (3.0, 7.0, 8.0, 15.0, 1.0)
    for size in (2, 3, 4):
        samples = list(itertools.combinations(values, size))
        errors = [sampling_error(sample, len(values)) for sample in samples]
        squared = statistics.fmean(error**2 for error in errors if error is not None)
        spread = statistics.pvariance([statistics.fmean(sample) for sample in samples])
        assert squared == pytest.approx(spread)
    assert sampling_error(values, 5) == 0.0
    assert sampling_error((1.0,), 5) is None


def test_given_draws_have_the_usual_standard_error_once_one_is_repeated() -> None:
    real, synthetic, domain = SHAPES[0]
    repeated = KMarginal().with_draws([["a", "b"], ["c", "d"], ["b", "a"]])
    score = repeated(real, synthetic, domain)
    assert score.standard_error == standard_error(score.parts)
    mixed = KMarginal().with_draws([["a", "b"], ["c", "d", "a"]])(real, synthetic, domain)
    assert mixed.standard_error == standard_error(mixed.parts)


def test_its_own_draws_given_again_have_the_same_standard_error() -> None:
    real, synthetic, domain = SHAPES[0]
    pairs = math.comb(len(domain.names), 2)
    for draws in (3, pairs):
        drawn = KMarginal(k=2, draws=draws)(real, synthetic, domain)
        given = KMarginal().with_draws(drawn.drawn)(real, synthetic, domain)
        assert (given.value, given.standard_error) == (drawn.value, drawn.standard_error)
        assert given.standard_error == sampling_error(given.parts, pairs)


def test_all_sets_are_taken_however_many_they_are() -> None:
    domain = wide_domain(26)
    real, synthetic = (
        Records(domain, np.random.default_rng(seed).integers(2, size=(40, 26))) for seed in (1, 2)
    )
    metric = KMarginal(k=2, all_sets=True)
    score = metric(real, synthetic, domain)
    assert sets_of(score) == list(itertools.combinations(domain.names, 2))
    assert score.standard_error == 0
    assert len(KMarginal(k=2)(real, synthetic, domain).drawn) == 300 < len(score.drawn)
    few = metric.with_draws(list(score.drawn[:3]))(real, synthetic, domain)
    assert few.parts == score.parts[:3]


def test_sdnist_25_takes_all_pairs_of_few_columns_but_those_of_groups() -> None:
    names = ("PUMA", "SEX", "INDP", "AGEP", "MSP")
    domain = Domain("acs", tuple(Attribute(name, ("0", "1")) for name in names))
    frame = pd.DataFrame({name: ["0", "1"] for name in names})
    score = KMarginal(mode="sdnist-2.5", groups=("PUMA",))(frame, frame, domain)
    drawn = ("AGEP", "INDP", "MSP", "SEX")
    assert sets_of(score) == list(itertools.combinations(drawn, 2))
    alone = KMarginal(mode="sdnist-2.5")(frame, frame, domain)
    assert sets_of(alone) == list(itertools.combinations(sorted(names), 2))
    one = KMarginal(mode="sdnist-2.5", columns=("SEX",))(frame, frame, domain)
    assert sets_of(one) == [("SEX", "SEX")]


def test_the_wanted_marginals_are_those_that_the_score_reads() -> None:
    real, synthetic, domain = SHAPES[0]
    for mode in MODES:
        metric = KMarginal(mode=mode, groups=("h", "g"))
        pair = Pair.of(real, synthetic, domain)
        pair.count(metric.marginals_read(domain))
        held = set(pair.real._held)
        metric.score(pair)
        assert set(pair.real._held) == held


@settings(max_examples=40)
@given(
    st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=1, max_size=30),
    st.lists(st.tuples(*[st.integers(0, 3)] * 4), min_size=1, max_size=30),
    st.sampled_from(MODES),
)
def test_scores_stay_in_their_range_and_ignore_the_order_of_rows_and_the_names_of_values(
    real: list[tuple[int, ...]],
    synthetic: list[tuple[int, ...]],
    mode: str,
) -> None:
    names = ["g", "a", "b", "c"]
    frames = [pd.DataFrame(rows, columns=names) for rows in (real, synthetic)]
    domain = integer_domain(*frames)
    metric = KMarginal(mode=mode, k=2, groups=("g",))
    score = metric(frames[0], frames[1], domain)
    assert score.value is not None
    assert 0 <= score.value <= 1000
    turned = [frame.iloc[::-1].reset_index(drop=True) for frame in frames]
    assert metric(turned[0], turned[1], domain).value == score.value
    renamed = [frame.assign(a=5 - frame["a"], g=5 - frame["g"]) for frame in frames]
    other = metric(renamed[0], renamed[1], integer_domain(*renamed))
    assert other.value == pytest.approx(score.value, abs=1e-9)
    if real == synthetic:
        assert score.value == 1000


def test_breakdowns_name_the_worst_first() -> None:
    real, synthetic, domain = SHAPES[0]
    score = KMarginal(k=2, groups=GROUPS)(real, synthetic, domain)
    for name in ("marginals", "attributes"):
        rows = score.breakdown(name).rows
        assert [row[-1] for row in rows] == sorted((row[-1] for row in rows), reverse=True)
    pairs = score.breakdown("pairs")
    marginals = score.breakdown("marginals")
    assert pairs is not None
    assert marginals is not None
    assert [(f"{a} × {b}", tv) for a, b, tv in pairs.rows] == list(marginals.rows)
    means = {row[0]: row[1] for row in score.breakdown("attributes").rows}
    with_a = [tv for a, b, tv in pairs.rows if "a" in (a, b)]
    assert means["a"] == pytest.approx(sum(with_a) / 3)
    groups = score.breakdown("groups")
    assert groups is not None
    assert score.value == pytest.approx(statistics.fmean(float(row[1] or 0) for row in groups.rows))
    assert sum(int(row[2] or 0) for row in groups.rows) == len(real)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"k": 0}, "k must be"),
        ({"draws": 0}, "draws must be"),
        ({"mode": "sprint-9"}, "mode"),
        ({"bias_penalty": 250}, "no bias penalty"),
        ({"mode": "sdnist-2.5", "bias_penalty": 250}, "no bias penalty"),
        ({"mode": "sdnist-1", "bias_penalty": -1}, "at least 0"),
        ({"mode": "sprint-3", "draws": 5}, "leave draws out"),
        ({"mode": "sdnist-1", "all_sets": True}, "all_sets takes every set"),
        ({"draws": 5, "all_sets": True}, "all_sets takes every set"),
        ({"given": (("a",),), "all_sets": True}, "all_sets takes every set"),
        ({"given": ((),)}, "at least one"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        KMarginal(**fields)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"k": 5}, "lower k"),
        ({"columns": ("c00", "x")}, "no attribute 'x'"),
        ({"groups": ("x",)}, "no attribute 'x'"),
        ({"groups": ("c00", "c00")}, "twice"),
        ({"columns": ("c00", "c00")}, "twice"),
        ({"columns": ("c00", "c01", "c02"), "groups": ("c00",)}, "cannot be drawn"),
        ({"mode": "sprint-2"}, "name the attributes"),
        ({"mode": "sprint-3"}, "name the attributes"),
        ({"mode": "sdnist-1", "bias_penalty": 9}, "name groups"),
        ({"given": (("c00", "x"),)}, "no attribute 'x'"),
        ({"given": (("c00", "c00"),)}, "twice"),
        ({"given": (("c00",),), "groups": ("c00",)}, "makes groups"),
    ],
)
def test_parameters_that_do_not_fit_the_domain_are_refused(
    fields: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        KMarginal(**fields).check(wide_domain(4))


def test_a_marginal_that_cannot_be_numbered_is_refused() -> None:
    with pytest.raises(InputError, match="smaller k"):
        KMarginal(k=50).check(wide_domain(50))


def test_two_years_of_the_acs_are_nearer_than_uniform_values_and_scored_as_slowly(
    shared_data: Path,
) -> None:
    domain = load_domain(shared_data / "acs_ma2018.schema.json")
    real, synthetic = (
        read_records(shared_data / f"acs_ma{year}.csv.gz", domain, outside="cell")
        for year in (2018, 2019)
    )
    columns = ("AGEP", "SEX", "RAC1P")
    metric = KMarginal(k=2, columns=columns, groups=("PUMA",))
    score = metric(real, synthetic, domain)
    frames = [
        pd.DataFrame({name: table.column(name) for name in ("PUMA", *columns)})
        for table in (real, synthetic)
    ]
    sets = sets_of(score)
    assert score.value == pytest.approx(slow_fixed(*frames, sets, ("PUMA",)))
    assert len(score.breakdown("groups").rows) == 5
    random = np.random.default_rng(0)
    uniform = [random.integers(0, attribute.size, 7000) for attribute in domain.attributes]
    nothing = Records(domain, np.stack(uniform, axis=1))
    null = metric(real, nothing, domain)
    assert null.drawn == score.drawn
    assert null.value < score.value < 1000
    numbers = Domain(
        "codes", tuple(Attribute(n, tuple(map(str, range(300)))) for n in ("PUMA", *columns))
    )
    for mode, slow in (
        ("sdnist-2.5", slow_sdnist_25(*frames, sets, ("PUMA",))[0]),
        ("sdnist-1", slow_sdnist_1(*frames, sets, ("PUMA",), None)),
        ("sprint-2", slow_sprint_2(*frames, sets, ("PUMA",), 250)),
    ):
        handed = KMarginal(mode=mode, groups=("PUMA",), given=tuple(sets))
        assert handed(*frames, numbers).value == slow
