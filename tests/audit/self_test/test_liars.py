"""The table of liars: what it holds, and that every one is caught."""

from __future__ import annotations

from collections import Counter

import pytest

from audit.self_test.altered import Altered
from audit.self_test.case import EXACT, BugClass, Case, Detector, Liar
from audit.self_test.liars import LIARS
from audit.self_test.liars.agencies import LawOf
from audit.self_test.liars.bayes import DegreeOfData
from audit.self_test.program_cases import ProgramCase
from audit.statements.finding import violations
from synthesizers.programs import PROGRAMS

CONTROLS = list({liar.honest.name: liar.honest for liar in LIARS}.values())


def _against(case: Case) -> set[Detector]:
    """The detectors that speak against a case, those of sampling beside exact ones left out."""
    exact = [detector for detector in case.detectors if detector in EXACT]
    asked = exact or list(case.detectors)
    return {d for d in asked if violations(case.examine(d))}


def _named(case: Case | Liar) -> str:
    return case.name.replace(" ", "-")


@pytest.mark.parametrize("liar", [liar for liar in LIARS if liar.quick], ids=_named)
def test_a_liar_of_the_quick_form_is_caught(liar: Liar) -> None:
    assert _against(liar.lying)
    assert not _against(liar.honest)


@pytest.mark.slow
@pytest.mark.parametrize("liar", LIARS, ids=_named)
def test_every_liar_is_caught_exactly_where_that_is_possible(liar: Liar) -> None:
    assert _against(liar.lying)


@pytest.mark.slow
@pytest.mark.parametrize("case", CONTROLS, ids=_named)
def test_no_honest_case_is_accused(case: Case) -> None:
    assert not [d for d in case.detectors if violations(case.examine(d))]


def test_every_class_of_bug_has_two_liars_or_more() -> None:
    found = Counter(liar.bug_class for liar in LIARS)
    assert {kind for kind in BugClass if found[kind] < 2} == set()


def test_the_quick_form_has_queries_mechanisms_noise_and_programs() -> None:
    asked = {detector for liar in LIARS if liar.quick for detector in liar.lying.detectors}
    assert asked == {detector for liar in LIARS for detector in liar.lying.detectors}


def _classes(case: Case) -> set[type]:
    if not isinstance(case, ProgramCase):
        return set()
    program = case.program
    if isinstance(program, Altered):
        instead = program.instead
        inner = {type(instead.program)} if isinstance(instead, LawOf) else set()
        return {type(program.honest), *inner}
    return {type(program)}


def test_every_built_in_program_is_touched() -> None:
    cases = [case for liar in LIARS for case in (liar.honest, liar.lying)]
    found = {kind for case in cases for kind in _classes(case)}
    assert set(PROGRAMS.values()) <= found


def test_a_liar_differs_from_its_honest_case_in_one_thing() -> None:
    for liar in LIARS:
        if isinstance(liar.lying, ProgramCase) and isinstance(liar.honest, ProgramCase):
            assert liar.lying.claim == liar.honest.claim
            assert liar.lying.neighbours == liar.honest.neighbours
            assert isinstance(liar.lying.program, Altered | DegreeOfData)
            assert liar.lying.program.honest is liar.honest.program
