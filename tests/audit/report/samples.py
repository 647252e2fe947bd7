"""Channels and certificates with hand-picked chances, shared by the tests of reports."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from audit.channels.abowd_vilhuber import plug_in_channel
from audit.channels.analysis import Analysis, Wishes, analyse, analyse_streamed
from audit.channels.channel import Channel
from audit.channels.enumerate import instance
from audit.channels.measures.unavailable import Unavailable
from audit.channels.streamed import StreamedChannel, streamed_channel
from audit.statements.certificate import Certificate
from audit.statements.claim import Claim
from audit.statements.decimals import Enclosure
from audit.statements.evidence import (
    AttackReplay,
    Bound,
    Decision,
    EnumerationReplay,
    Evidence,
    Replay,
    SampledWitness,
    ShownPair,
    Side,
    Witness,
)
from audit.statements.power import Control, Power, Resolution
from proofs.derivation import derivation
from proofs.guarantees import parse_guarantee
from proofs.kernel import prove
from synthesizers.attributes import Attribute
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.programs import build

F = Fraction

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e\nVERDICT & 'more' \"quotes\""

CLINIC = Domain(
    "clinic",
    (Attribute("sex", ("female", "male")), Attribute("smoker", ("no", "yes"), missing=True)),
)


def channel(
    rows: list[list[F]],
    databases: list[list[int]],
    outputs: tuple[tuple[Any, ...], ...],
    neighbours: Neighbours | None = None,
) -> Channel:
    chances = np.empty((len(rows), len(rows[0])), object)
    for place, _ in np.ndenumerate(chances):
        chances[place] = rows[place[0]][place[1]]
    domain = Domain.from_cells(str(len(databases[0])))
    relation = ReplaceOne() if neighbours is None else neighbours
    counts = np.array(databases, np.int64)
    return Channel.of_exact(domain, relation, counts, outputs, chances, "output")


WISHES = Wishes({"1": F(1), "1/2": F(1, 2)})


def analysis(of: Channel) -> Analysis:
    return analyse(of, WISHES)


def response() -> Channel:
    """Randomized response: ε is ln 3."""
    rows = [[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]]
    return channel(rows, [[0, 1], [1, 0]], ((0, 1), (1, 0)))


def disclosing() -> Channel:
    """An output that one database alone can give, with a suppressed count and a text."""
    rows = [[F(1, 2), F(1, 2), F(0)], [F(1, 2), F(0), F(1, 2)]]
    return channel(rows, [[0, 1], [1, 0]], ((None, 1), ("few", 0), (1, "<b>")))


def lonely() -> Channel:
    """One database, one output."""
    return channel([[F(1)]], [[3]], ((3,),))


def strangers() -> Channel:
    """Two databases that are not neighbours."""
    return channel([[F(1), F(0)], [F(0), F(1)]], [[0, 3], [3, 0]], ((0,), (1,)))


def square(size: int) -> Channel:
    """``size`` databases of ``size`` - 1 records; the last output is the likeliest, none is 0."""
    domain = Domain.from_cells("2")
    counts = np.array([[k, size - 1 - k] for k in range(size)], np.int64)
    chances = np.full((size, size), 1 / (2 * size)) + np.eye(size) / 2
    outputs = tuple((k,) for k in range(size))
    return Channel.of_floats(domain, ReplaceOne(), counts, outputs, chances, 4, "output")


def alike() -> Channel:
    """Two neighbours whose rows are equal: ε is 0."""
    rows = [[F(1, 3), F(2, 3)], [F(1, 3), F(2, 3)]]
    return channel(rows, [[0, 1], [1, 0]], ((0, 1), (1, 0)))


def suppressing() -> Channel:
    """Each of three tables: released as it is, with its first count hidden, or a fixed one."""
    databases = [[0, 2], [1, 1], [2, 0]]
    outputs = tuple(map(tuple, databases)) + tuple((None, row[1]) for row in databases)
    rows = [[F(1, 8)] * 6 for _ in databases]
    for place, row in enumerate(rows):
        row[place], row[3 + place] = F(2, 8), F(2, 8)
    return channel(rows, databases, outputs)


def tailed(size: int = 31) -> Channel:
    """Binomial laws whose δ falls by many powers of ten."""
    domain = Domain.from_cells("2")
    counts = np.array([[k, size - 1 - k] for k in range(size)], np.int64)
    outputs = tuple((k, size - 1 - k) for k in range(size))
    rates = (np.arange(size) + 4) / (size + 7)
    ways = np.array([float(math.comb(size - 1, k)) for k in range(size)])
    hits = np.arange(size)
    chances = ways * rates[:, None] ** hits * (1 - rates[:, None]) ** (size - 1 - hits)
    return Channel.of_floats(domain, ReplaceOne(), counts, outputs, chances, 200, "output")


def many_cells(cells: int = 14) -> Channel:
    """Two tables of many cells, of which all but the first two are always 0."""
    rest = [0] * (cells - 2)
    tables = [[0, 1, *rest], [1, 0, *rest]]
    return channel([[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]], tables, tuple(map(tuple, tables)))


def streamed() -> StreamedChannel:
    """Five records over two cells, drawn anew by the predictive law: ε is ln 11."""
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 5)
    program = build("multinomial-dirichlet", {"alpha": "1/2"})
    return streamed_channel(program, setting, instance(setting, 5), "output")


def claim(text: str = "epsilon=2", neighbours: Neighbours | None = None) -> Claim:
    relation = ReplaceOne() if neighbours is None else neighbours
    return Claim(parse_guarantee(text), relation, "output", CLINIC, 5)


def bound(
    side: Side,
    low: F | float,
    high: F | float,
    rigour: str = "exact",
    parameter: tuple[str, Enclosure] | None = None,
) -> Bound:
    covers = "databases of 5 records over 6 cells"
    return Bound(side, Enclosure(low, high), covers, rigour, parameter)


def own(name: str, low: F | float, high: F | float, side: Side = Side.EXACT) -> Bound:
    """A bound on a claim's own parameter, beside ε = 2."""
    return bound(side, F(2), F(2), parameter=(name, Enclosure(low, high)))


def finding(
    decision: Decision,
    of: Bound | None,
    *,
    whole: bool = True,
    witness: Witness | None = None,
    confidence: str | None = None,
    text: str = "found what was looked for",
) -> Evidence:
    return Evidence(
        "exhaustive",
        text,
        decision,
        "databases of 5 records over 6 cells",
        whole,
        of,
        confidence,
        witness,
        EnumerationReplay(records=5, arithmetic="exact"),
    )


def theorem(decision: Decision, most: F) -> Evidence:
    """A ceiling with a derivation that states it."""
    relation = {"neighbours": "replace-one", "unit": "record", "max_records": 1}
    point = {"kind": "approx", "epsilon": str(most), "delta": "0"}
    given = {"neighbours": relation, "mechanism": "a box", "guarantee": point}
    private = prove("stated-guarantee", [], given)
    proof = {"derivation": derivation(prove("post-processing", [private], {"map": "tables"}))}
    found = finding(decision, bound(Side.CEILING, most, most, "rigorous"))
    return replace(found, auditor="proof", replay=Replay(), proof=proof)


WITNESS = Witness(
    (2, 3, 0, 0, 0, 0),
    (2, 2, 1, 0, 0, 0),
    ((1, 4, 0, 0, 0, 0),),
    (Enclosure(F(3, 10), F(3, 10)), Enclosure(F(1, 10), F(1, 10))),
)

DISCLOSING_WITNESS = Witness(
    (1, 0, 0, 0, 0, 0),
    (0, 0, 0, 0, 0, 0),
    ((None, 1), ("few",)),
    (Enclosure(F(2, 5), F(2, 5)), Enclosure(F(0), F(0))),
)


def certificate(of: Claim, *evidence: Evidence, **subject: Any) -> Certificate:
    own: dict[str, Any] = {"kind": "program", "name": "sanitizer", **subject}
    own = {"parameters": {"epsilon": "2"}, "rows": 5, **own}
    if own["kind"] in ("function", "estimator"):
        own = {"form": own["kind"], "seconds": 60, "megabytes": 4096, **own}
    return Certificate(
        own,
        of,
        evidence,
        ("Post-processing looks at nothing but the answers.",),
        'dp-audit certify sanitizer --claim "epsilon=2" --neighbours replace-one --cells 2x3 '
        "--records 5 --released output --out certificate.json",
    )


RECORDS = [{"sex": "female", "smoker": "no"}] * 3
PAIR = ShownPair(RECORDS, [*RECORDS, {"sex": "male", "smoker": None}], 1, "one record added", True)
RULE = {"score": "value", "low": -0.5, "high": 1.5}


def sampled(correct: int, wrong: int, runs: int = 1000, **changed: Any) -> SampledWitness:
    """Guesses of a frozen rule."""
    given: dict[str, Any] = {
        "pair": PAIR,
        "rule": RULE,
        "digest": "sha256:" + "0" * 64,
        "event": ("guesses B where the output is at least 1.5", "guesses A where it is below 0"),
        "test": "exact binomial",
        "runs": runs,
        "correct": correct,
        "wrong": wrong,
        "p_value": 1.0,
    }
    return SampledWitness(**{**given, **changed})


MADE = AttackReplay(
    mode="batch",
    seed=7,
    runs=1000,
    error=F(1, 20),
    alarm=F(1, 10**6),
    repeatable=True,
    versions={"dp-audit": "1"},
)


def attack(
    decision: Decision,
    least: F | float | None,
    witness: SampledWitness | None,
    detectable: float | None = 1.31,
    parameter: tuple[str, Enclosure] | None = None,
    needed: int | None = None,
    control: Control | None = None,
    **replay: Any,
) -> Evidence:
    """What an attack found; ``detectable``: its power, None for a certificate of before."""
    inf = float("inf")
    of = None if least is None else bound(Side.FLOOR, least, inf, "statistical", parameter)
    seen = None if detectable is None else Power(detectable, 2.0, 3e-5, 1000, needed, 0.25)
    old = Resolution(1.31, 3e-5, 1000) if detectable is None else None
    if decision in (Decision.VIOLATED, Decision.INVALID):
        seen = old = None
    return Evidence(
        "attack",
        "The rule was tested once.",
        decision,
        "one pair of databases",
        False,
        of,
        None if of is None else "0.95",
        witness,
        replace(MADE, **replay),
        power=seen,
        control=control,
        resolution=old,
    )


def attacks() -> dict[str, Certificate]:
    """What can only be run, attacked in every kind of claim."""
    inf = float("inf")
    hostile = sampled(
        600,
        100,
        pair=ShownPair([{HOSTILE: HOSTILE}], [], 1, HOSTILE, True),
        event=(HOSTILE,) * 12,
    )
    box = {"kind": "function", "name": "module:noisy_count"}
    unseen, violated = Decision.UNSEEN, Decision.VIOLATED
    rho, mu = (("rho", Enclosure(F("0.4"), inf)), ("mu", Enclosure(F("0.9"), inf)))
    far = ShownPair(0, 22, 22, "a chain", False)
    nothing = Evidence(
        "attack",
        "Every run on a database gave the same output, whatever the random numbers.",
        Decision.INVALID,
        "one pair of databases",
        False,
        replay=MADE,
    )
    return {
        "attack refuted": certificate(
            claim("epsilon=1"),
            attack(violated, F("3.62"), sampled(900, 20, p_value=2.5e-61)),
            **box,
        ),
        "attack unseen": certificate(
            claim("epsilon=1"),
            attack(unseen, F("0.91"), sampled(700, 260), control=Control(2.0, 0.5, True)),
            **box,
        ),
        "attack few": certificate(
            claim("epsilon=1"),
            attack(Decision.UNDECIDED, F("0.91"), sampled(70, 26), 3.2, needed=1500),
            **box,
        ),
        "attack suspicious": certificate(
            claim("epsilon=1"),
            attack(Decision.UNDECIDED, F("1.2"), sampled(800, 230, p_value=1.3e-6), needed=1500),
            **box,
        ),
        "attack control missed": certificate(
            claim("epsilon=1"),
            attack(
                Decision.UNDECIDED,
                F("0.91"),
                sampled(700, 260),
                needed=1500,
                control=Control(2.0, 0.5, False),
            ),
            **box,
        ),
        "attack of before": certificate(
            claim("epsilon=1"), attack(unseen, F("0.91"), sampled(700, 260), None), **box
        ),
        "attack chain": certificate(
            claim("epsilon=1/10"),
            attack(unseen, F("0.0976"), sampled(880, 120, pair=far), 0.131),
            **box,
        ),
        "attack far below": certificate(
            claim("epsilon=10, delta=1e-6"),
            attack(unseen, F("0.01"), sampled(510, 490, rule={**RULE, "low": "-inf"}), inf),
            **box,
        ),
        "attack concentrated": certificate(
            claim("rho=0.5"), attack(unseen, F("1.2"), sampled(700, 200), 0.7, rho), **box
        ),
        "attack gaussian": certificate(
            claim("mu=1"), attack(unseen, F("1.2"), sampled(700, 200), 1.1, mu), **box
        ),
        "attack rényi": certificate(
            claim("alpha=8, rdp=2"),
            attack(unseen, F("1"), sampled(0, 0), 3.0, ("rdp", Enclosure(F(0), inf))),
            **box,
        ),
        "attack deterministic": certificate(
            claim("epsilon=1"),
            attack(violated, inf, sampled(1000, 0, test="if deterministic", p_value=0.0)),
            **box,
        ),
        "attack interrupted": certificate(
            claim("epsilon=1"),
            attack(unseen, F("0.5"), sampled(70, 30, 100, test="e-process"), 2.0, partial=True),
            **box,
        ),
        "attack invalid": certificate(claim("epsilon=1"), nothing, **box),
        "attack hostile": certificate(claim(), attack(unseen, F(1), hostile), **box),
    }


@functools.cache
def certificates() -> Mapping[str, Certificate]:
    inf = float("inf")
    exact = finding(Decision.HOLDS, bound(Side.EXACT, F(2), F(2)), witness=WITNESS)
    floor = finding(
        Decision.UNDECIDED,
        bound(Side.FLOOR, F("1.62"), F("1.62"), "statistical"),
        whole=False,
        confidence="0.95",
    )
    ceiling = finding(Decision.HOLDS, bound(Side.CEILING, F(2), F(2), "rigorous"))
    infinite = finding(Decision.VIOLATED, bound(Side.EXACT, inf, inf), witness=DISCLOSING_WITNESS)
    unbounded = finding(Decision.UNDECIDED, bound(Side.CEILING, inf, inf, "rigorous"))
    persons = claim("rho=0.5", AddRemove(Unit("person", 3)))
    hostile = finding(Decision.HOLDS, None, text=HOSTILE)
    below = finding(Decision.HOLDS, bound(Side.EXACT, F("1.7"), F("1.7")), witness=WITNESS)
    return {
        "exact": certificate(claim(), exact, floor, ceiling),
        "proved": certificate(claim(), below, theorem(Decision.HOLDS, F("1.9"))),
        "left open": certificate(claim(), theorem(Decision.OPEN, F("2.5"))),
        "refuted": certificate(claim("epsilon=1, delta=1e-6"), infinite),
        "infinite floor": certificate(
            claim(), finding(Decision.VIOLATED, bound(Side.FLOOR, inf, inf), witness=WITNESS)
        ),
        "no ceiling": certificate(claim(), unbounded, kind="function"),
        "contradiction": certificate(claim(), exact, infinite),
        "empty": certificate(claim("epsilon=0")),
        "persons": certificate(persons, finding(Decision.HOLDS, None, witness=WITNESS)),
        "rényi": certificate(
            claim("alpha=8, rdp=2"),
            finding(Decision.HOLDS, own("rdp", F("1.75"), F("1.75")), witness=WITNESS),
        ),
        "gaussian": certificate(
            claim("mu=1/3"),
            finding(Decision.VIOLATED, own("mu", F("0.7"), F("0.8")), witness=WITNESS),
        ),
        "concentrated": certificate(
            claim("rho=1"),
            finding(Decision.VIOLATED, own("rho", inf, inf), witness=DISCLOSING_WITNESS),
        ),
        "in ε alone": certificate(claim("rho=1"), exact),
        "hostile": certificate(claim(), hostile, name=HOSTILE),
        "wide": certificate(
            claim("epsilon=1/10"), finding(Decision.UNDECIDED, bound(Side.EXACT, F(0), F(700)))
        ),
        **attacks(),
    }


@functools.cache
def analyses() -> Mapping[str, Analysis]:
    return {
        "response": analysis(response()),
        "disclosing": analysis(disclosing()),
        "lonely": analysis(lonely()),
        "strangers": analysis(strangers()),
        "12": analysis(square(12)),
        "40": analysis(square(40)),
        "100": analysis(square(100)),
        "alike": analysis(alike()),
        "figure 1": analysis(plug_in_channel()),
        "suppressing": analysis(suppressing()),
        "tailed": analysis(tailed()),
        "many cells": analysis(many_cells()),
        "in part": replace(
            analysis(response()),
            zcdp=Unavailable("it takes too long"),
            groups=Unavailable("it takes too long"),
            rows=Unavailable("an output is no table"),
        ),
        "streamed": analyse_streamed(streamed(), WISHES, jobs=1),
    }
