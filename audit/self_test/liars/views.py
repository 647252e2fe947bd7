"""Programs of noisy views, each with one of its questions replaced: DPSyn, DPSyn-2020, PrivSyn."""

from __future__ import annotations

from fractions import Fraction

from audit.self_test.altered import at, every
from audit.self_test.case import BugClass, Detector
from audit.self_test.instead import over_n, quieter, unnoised
from audit.self_test.program_cases import ProgramCase, program_liar
from synthesizers.calibration import zcdp_rho
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.dpsyn import DPSyn
from synthesizers.programs.dpsyn_2020 import DPSyn2020
from synthesizers.programs.privsyn import PrivSyn

ONE, DELTA = Fraction(1), Fraction(1, 100)
# Records are generated from a seed: what is asked before it is enumerated.
EXACTLY = (Detector.TRANSCRIPT,)
LOUD = Fraction(30)
PRICE = f"rho={zcdp_rho(LOUD, DELTA)}"

CHAIN = ProgramCase(
    "DPSyn, two pairs",
    DPSyn(LOUD, DELTA, (("a1", "a2"), ("a2", "a3")), rounds=1, slack=0),
    PRICE,
    ReplaceOne(),
    "2x2x2",
    1,
    detectors=EXACTLY,
)
RECODED = ProgramCase(
    "DPSyn, recoded",
    DPSyn(LOUD, DELTA, (("a1", "a2"),), least_count=1, recode_from=3, rounds=1, slack=0),
    PRICE,
    AddRemove(),
    "3x2",
    1,
    detectors=EXACTLY,
)
ALL_PAIRS = ProgramCase(
    "DPSyn-2020",
    DPSyn2020(ONE, Fraction(1, 10**6), rounds=1, slack=0),
    "epsilon=1",
    ReplaceOne(),
    "2x2",
    2,
    detectors=EXACTLY,
)
PERSONS = ProgramCase(
    "DPSyn-2020, persons",
    DPSyn2020(ONE, Fraction(1, 10**6), rounds=1, slack=0),
    "epsilon=1",
    AddRemove(Unit("person", 2)),
    "2x2",
    2,
    detectors=EXACTLY,
)
CHOSEN = ProgramCase(
    "PrivSyn",
    PrivSyn(LOUD, DELTA, rounds=1, slack=0),
    PRICE,
    ReplaceOne(),
    "2x2",
    1,
    detectors=EXACTLY,
)
PRIVATE = ProgramCase(
    "PrivSyn, n private",
    PrivSyn(LOUD, DELTA, rounds=1, slack=0),
    PRICE,
    AddRemove(),
    "2x2",
    2,
    rows=1,
    detectors=EXACTLY,
)

LIARS = (
    program_liar(
        CHAIN,
        BugClass.DPSYN,
        "sigma of add-remove",
        "squared sensitivity 1, where a replaced record moves two counts",
        every(Measure),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        RECODED,
        BugClass.DPSYN,
        "recoded by true counts",
        "values are put together by their counts without noise",
        at(0),
        unnoised,
        quick=True,
    ),
    program_liar(
        RECODED,
        BugClass.DPSYN,
        "recoding not counted",
        "sigma follows from the pairs; the counts for recoding are left out",
        every(Measure),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        ALL_PAIRS,
        BugClass.MAP,
        "pairs at the scale of shares",
        "the noise of shares, added to counts",
        every(Measure),
        over_n,
    ),
    program_liar(
        PERSONS,
        BugClass.MAP,
        "pairs of persons as of records",
        "the sensitivity of one record, where a person has two",
        every(Measure),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        CHOSEN,
        BugClass.DPSYN,
        "distances kept in truth",
        "the cache of scores holds what they were before the noise",
        at(0),
        unnoised,
    ),
    program_liar(
        CHOSEN,
        BugClass.DPSYN,
        "shares of rho forgotten",
        "each of the one-way marginals has the whole of rho",
        at(1, 2),
        quieter(Fraction(1, 20)),
    ),
    program_liar(
        PRIVATE,
        BugClass.DPSYN,
        "single attributes not counted",
        "the one-way marginals are asked with all of rho and left out of the sum",
        at(1, 2),
        quieter(Fraction(1, 10)),
    ),
)
