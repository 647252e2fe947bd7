from __future__ import annotations

import dataclasses

import pytest

from audit.utility.results import Scored, UtilityResults
from synthesizers.errors import InputError
from tests.audit.utility.made_scores import DOMAIN, made, results_of

RESULTS = results_of({"m": [1.0, None], "n": [3.0, 4.0]}, ["b.csv", "a.csv"])


def test_metrics_and_files_come_in_the_order_of_their_scores() -> None:
    assert RESULTS.metrics == ("m", "n")
    assert RESULTS.synthetics == ("b.csv", "a.csv")


def test_scores_are_found_by_metric_and_by_file() -> None:
    assert [s.score.value for s in RESULTS.of_metric("n")] == [3.0, 4.0]
    assert [s.score.metric for s in RESULTS.of_file("a.csv")] == ["m", "n"]
    found = RESULTS.at("n", "a.csv")
    assert found is not None and found.score.value == 4.0
    assert RESULTS.at("n", "c.csv") is None
    assert RESULTS.of_metric("k") == RESULTS.of_file("c.csv") == ()


def test_a_metric_is_taken_once_of_a_file() -> None:
    twice = (*RESULTS.scored, Scored("a.csv", made(1.0, "m"), None, 0.0))
    with pytest.raises(InputError, match=r"a\.csv has two scores of m"):
        dataclasses.replace(RESULTS, scored=twice)


@pytest.mark.parametrize("change", [{"direction": "higher"}, {"mode": "other"}])
def test_a_metric_is_one_for_all_files(change: dict[str, object]) -> None:
    other = Scored("c.csv", made(1.0, "m", **change), None, 0.0)
    records = {**RESULTS.records, "c.csv": 1}
    with pytest.raises(InputError, match="m: its direction or mode"):
        dataclasses.replace(RESULTS, scored=(*RESULTS.scored, other), records=records)


def test_a_range_may_grow_with_a_file() -> None:
    wider = Scored("c.csv", made(7.0, "m", highest=7.0), None, 0.0)
    records = {**RESULTS.records, "c.csv": 1}
    found = dataclasses.replace(RESULTS, scored=(*RESULTS.scored, wider), records=records)
    assert found.at("m", "c.csv") == wider


def test_the_rows_of_every_file_are_told() -> None:
    with pytest.raises(InputError, match=r"records of a\.csv"):
        dataclasses.replace(RESULTS, records={"real": 1, "b.csv": 1})
    with pytest.raises(InputError, match="records of real"):
        UtilityResults("real", DOMAIN, {}, ())
