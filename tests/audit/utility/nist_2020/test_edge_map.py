from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from audit.utility.nist_2020.edge_map import EdgeMap
from audit.utility.score import Score
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from tests.audit.utility.nist_2020.slow_nist_2020 import in_groups, integer_domain, l1_or_two

ENDS = ("from", "to")


def edges(mode: str = "fixed") -> EdgeMap:
    return EdgeMap(mode=mode, origin="from", destination="to")


def drawn(
    rows: tuple[int, int], areas: int, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame, Domain]:
    random = np.random.default_rng(seed)
    real, synthetic = (
        pd.DataFrame({name: np.minimum(random.geometric(p, n), areas) for name in ("to", "from")})
        for n, p in zip(rows, (0.1, 0.2), strict=True)
    )
    return real, synthetic, integer_domain(real, synthetic)


def test_the_score_of_three_trips_is_the_one_worked_out_by_hand() -> None:
    real = pd.DataFrame({"from": [0, 0, 1], "to": [1, 1, 0]})
    synthetic = pd.DataFrame({"from": [0, 1, 1], "to": [1, 0, 0]})
    score = edges()(real, synthetic, integer_domain(real, synthetic))
    assert score.value == pytest.approx(1000 * (1 - 1 / 3))


@pytest.mark.parametrize("rows", [(500, 400), (30, 900), (1, 1), (1, 40), (3000, 3000)])
@pytest.mark.parametrize("areas", [2, 9, 60])
def test_both_modes_are_the_slow_ones(rows: tuple[int, int], areas: int) -> None:
    real, synthetic, domain = drawn(rows, areas, 5)
    distance = l1_or_two(in_groups(real, synthetic, (), ENDS)[()])
    official = edges("sprint-3")(real, synthetic, domain)
    assert official.value == 1000.0 * ((2.0 - distance) / 2.0)
    assert edges()(real, synthetic, domain).value == pytest.approx(official.value)


@pytest.mark.parametrize("mode", EdgeMap.modes)
def test_itself_is_the_best_and_a_stranger_the_worst(mode: str) -> None:
    real = pd.DataFrame({"from": [0, 1, 2], "to": [1, 2, 0]})
    other = pd.DataFrame({"from": [3, 3], "to": [3, 4]})
    domain = integer_domain(real, other)
    assert edges(mode)(real, real, domain).value == 1000
    assert edges(mode)(real, other, domain).value == pytest.approx(0)


def test_the_edges_that_differ_most_are_listed_first() -> None:
    real, synthetic, domain = drawn((5000, 4000), 40, 1)
    score: Score = edges()(real, synthetic, domain)
    cells = score.breakdown("cells")
    assert cells is not None
    gaps = [abs(float(row[4] or 0)) for row in cells.rows]
    assert gaps == sorted(gaps, reverse=True)
    assert len(gaps) == 100
    assert "further edges" in cells.note
    origin, destination, share, other, gap = cells.rows[0]
    at = (real["from"] == int(str(origin))) & (real["to"] == int(str(destination)))
    assert share == pytest.approx(at.mean())
    assert gap == pytest.approx(float(other or 0) - float(share or 0))


def test_attributes_that_the_domain_lacks_are_refused() -> None:
    real, _, domain = drawn((5, 5), 3, 0)
    with pytest.raises(InputError, match="pickup_community_area"):
        EdgeMap().check(domain)
    with pytest.raises(InputError, match="destination"):
        EdgeMap(origin="from", destination="x").check(domain)
    with pytest.raises(InputError, match="two attributes"):
        EdgeMap(origin="from", destination="from")
    assert list(edges().marginals_read(domain)) == [("to", "from")]
    assert real.shape == (5, 2)
