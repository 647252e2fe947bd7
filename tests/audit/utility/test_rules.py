from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.utility.records import of_frame
from audit.utility.rules import read_rule
from audit.utility.validity import Validity
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError

DOMAIN = Domain(
    "persons",
    (
        Attribute.binned("AGE", [0, 15, 18, 65, 110], ordinal=True),
        Attribute("MARITAL", ("married", "single"), missing=True, missing_label="N"),
        Attribute("GRADE", ("low", "middle", "high"), ordinal=True, missing=True),
        Attribute("rooms in use", ("1", "2", "3"), ordinal=True),
        Attribute("ROOMS", ("1", "2", "3", "4"), ordinal=True),
        Attribute.binned("WAGE", [-10, 0, 1000], missing=True),
        Attribute("SEX", ("f", "m")),
        Attribute("PARTNER", ("f", "m")),
    ),
)

Row = dict[str, Any]


def people(seed: int, size: int) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    choose = random.choice
    return pd.DataFrame(
        {
            "AGE": choose(["0", "14.5", "15", "17", "18", "64", "110"], size),
            "MARITAL": choose(["married", "single", "N"], size),
            "GRADE": choose(["low", "middle", "high", ""], size),
            "rooms in use": choose(["1", "2", "3"], size),
            "ROOMS": choose(["1", "2", "3", "4"], size),
            "WAGE": choose(["-5", "0", "12", "999.5", ""], size),
            "SEX": choose(["f", "m"], size),
            "PARTNER": choose(["f", "m"], size),
        }
    )


def order(row: Row, column: str) -> int:
    return ["", "low", "middle", "high"].index(row[column])


RULES: list[tuple[str, Callable[[Row], bool]]] = [
    ("AGE < 15 -> MARITAL = N", lambda r: not float(r["AGE"]) < 15 or r["MARITAL"] == "N"),
    ("AGE<15->MARITAL=N", lambda r: not float(r["AGE"]) < 15 or r["MARITAL"] == "N"),
    ("MARITAL = 'N' -> AGE <= 17", lambda r: r["MARITAL"] != "N" or float(r["AGE"]) <= 17),
    ("AGE = 110", lambda r: float(r["AGE"]) == 110),
    (
        "not (SEX = m and GRADE is present and GRADE >= middle)",
        lambda r: not (r["SEX"] == "m" and order(r, "GRADE") > 1),
    ),
    (
        "SEX = f or GRADE = low and ROOMS in [1, 4]",
        lambda r: r["SEX"] == "f" or (r["GRADE"] == "low" and r["ROOMS"] in "14"),
    ),
    (
        "(SEX = f or GRADE = low) and ROOMS in [1, 4]",
        lambda r: (r["SEX"] == "f" or r["GRADE"] == "low") and r["ROOMS"] in "14",
    ),
    ('"rooms in use" <= ROOMS', lambda r: int(r["rooms in use"]) <= int(r["ROOMS"])),
    ("WAGE is missing -> AGE > 64", lambda r: r["WAGE"] != "" or float(r["AGE"]) > 64),
    ("WAGE is present", lambda r: r["WAGE"] != ""),
    (
        "WAGE is present and WAGE >= 0 -> not AGE < 15",
        lambda r: not float(r["WAGE"] or "-1") >= 0 or float(r["AGE"]) >= 15,
    ),
    (
        "WAGE is present and WAGE != AGE",
        lambda r: r["WAGE"] != "" and float(r["WAGE"]) != float(r["AGE"]),
    ),
    ("SEX != PARTNER", lambda r: r["SEX"] != r["PARTNER"]),
    (
        "SEX = PARTNER -> MARITAL != married",
        lambda r: r["SEX"] != r["PARTNER"] or r["MARITAL"] != "married",
    ),
    ("GRADE is missing or GRADE < high", lambda r: order(r, "GRADE") < 3),
]


@pytest.mark.parametrize(("text", "holds"), RULES, ids=[text for text, _ in RULES])
def test_a_rule_is_broken_where_a_reader_says_so(text: str, holds: Callable[[Row], bool]) -> None:
    frame = people(1, 300)
    certain, may = read_rule(text, DOMAIN).broken(of_frame(frame, DOMAIN))
    expected = [not holds(row) for row in frame.to_dict("records")]
    assert certain.tolist() == expected == may.tolist()
    assert any(expected) and not all(expected)


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">=", "=", "!="])
@pytest.mark.parametrize("rule", ["WAGE {} 12", "WAGE {} AGE", "AGE {} WAGE", "not WAGE {} 12"])
def test_a_missing_number_neither_breaks_a_rule_nor_keeps_it(sign: str, rule: str) -> None:
    frame = people(0, 2).assign(WAGE=["", ""], AGE=["15", "17"])
    text = rule.format(sign)
    certain, may = read_rule(text, DOMAIN).broken(of_frame(frame, DOMAIN))
    assert not certain.any() and may.all()
    guarded = read_rule(f"WAGE is present -> {text}", DOMAIN).broken(of_frame(frame, DOMAIN))
    assert not np.any(guarded)


@pytest.mark.parametrize("text", ["GRADE < high", "not GRADE <= low", "WAGE in [0, 12]"])
def test_a_missing_value_that_is_compared_may_break_a_rule(text: str) -> None:
    frame = people(0, 1).assign(WAGE="", GRADE="")
    certain, may = read_rule(text, DOMAIN).broken(of_frame(frame, DOMAIN))
    assert (certain[0], may[0]) == (False, True)


@pytest.mark.parametrize("text", ["AGE in [{}]", "{}"], ids=["list", "chain"])
def test_a_long_rule_is_read(text: str) -> None:
    parts = [str(k % 110) for k in range(2_000)]
    if "in" in text:
        rule = text.format(", ".join(parts))
    else:
        rule = " or ".join(f"AGE = {part}" for part in parts)
    certain, may = read_rule(rule, DOMAIN).broken(of_frame(people(1, 50), DOMAIN))
    assert (certain == may).all() and 0 < certain.sum() < 50


@pytest.mark.parametrize("start", ["(", "not "])
def test_a_deep_rule_is_refused(start: str) -> None:
    end = ")" if start == "(" else ""
    assert read_rule(f"{start * 50}AGE = 5{end * 50}", DOMAIN)
    with pytest.raises(InputError, match="more than 50"):
        read_rule(f"{start * 5_000}AGE = 5{end * 5_000}", DOMAIN)


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">=", "=", "!="])
@pytest.mark.parametrize("stated", ["0", "10", "15", "17", "18", "110", "120"])
def test_a_bin_breaks_a_rule_for_certain_where_all_its_numbers_do(sign: str, stated: str) -> None:
    compare = {
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
        "=": operator.eq,
        "!=": operator.ne,
    }[sign]
    frame = people(0, 4).assign(AGE=["[0, 15)", "[15, 18)", "[18, 65)", "[65, 110]"])
    certain, may = read_rule(f"not AGE {sign} {stated}", DOMAIN).broken(of_frame(frame, DOMAIN))
    for place, (low, high) in enumerate([(0, 15), (15, 18), (18, 65), (65, 110)]):
        numbers = [low + (high - low) * k / 60 for k in range(60)] + (
            [110.0] if high == 110 else []
        )
        holds = [compare(number, float(stated)) for number in numbers]
        assert certain[place] == all(holds), place
        assert may[place] == any(holds), place


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "expected a column, found 'the end'"),
        ("AGE", "after AGE stands one of"),
        ("AGE <", "expected a value or a column"),
        ("AGE < 15 ->", "expected a column"),
        ("AGE < 15 -> MARITAL = N -> SEX = m", "expected the end"),
        ("AGE < old", "compared with numbers"),
        ("MARITAL < single", "have no order"),
        ("GRADE < best", "has no value 'best'"),
        ("MARITAL = divorced", "has no value 'divorced'; it has married, single, N"),
        ("WHERE = here", "no attribute 'WHERE'"),
        ("AGE < MARITAL", "cannot be compared"),
        ("SEX < PARTNER", "cannot be compared"),
        ("(AGE < 15", "expected '\\)', found 'the end'"),
        ("AGE < 15)", "expected the end"),
        ("SEX in (m)", r"expected '\['"),
        ("AGE is old", "expected 'present'"),
        ("AGE ! 15", "cannot be read"),
        ("and = 1", "expected a column"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_place(text: str, part: str) -> None:
    with pytest.raises(InputError, match=part) as caught:
        read_rule(text, DOMAIN)
    assert repr(text) in str(caught.value)


def test_validity_is_the_share_of_records_that_break_no_rule() -> None:
    texts = tuple(text for text, _ in RULES[:3])
    real, synthetic = people(0, 200), people(1, 300)
    score = Validity(rules=texts)(real, synthetic, DOMAIN)
    broken = [[not holds(row) for _, holds in RULES[:3]] for row in synthetic.to_dict("records")]
    assert score.value == 1 - np.mean([any(row) for row in broken])
    rows = {row[0]: row[1:] for row in score.breakdown("rules").rows}
    for place, (text, holds) in enumerate(RULES[:3]):
        own = np.mean([not holds(row) for row in real.to_dict("records")])
        assert rows[text] == (own, np.mean([row[place] for row in broken]), 0.0)


def test_values_outside_the_domain_are_counted_by_column() -> None:
    real, synthetic = people(0, 200), people(1, 300)
    synthetic.loc[:2, "SEX"], synthetic.loc[:5, "AGE"] = "x", "111"
    tables = [of_frame(table, DOMAIN, "cell") for table in (real, synthetic)]
    score = Validity(rules=("AGE <= 110",))(*tables, DOMAIN)
    assert score.breakdown("outside").rows == (("AGE", 0.0, 6 / 300), ("SEX", 0.0, 3 / 300))
    assert score.value == 1 - 6 / 300
