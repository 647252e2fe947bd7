"""Attacks whose runs are kept: roles of runs, looks, and what an interrupted one goes on with."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from audit.auditors.attack.attacked import AttackedBox
from audit.auditors.attack.auditor import attack_box
from audit.auditors.attack.kept_attacks import keep_attack
from audit.auditors.attack.rechecking.stated_attacks import require_replay
from audit.auditors.effort import Attack
from audit.parallel import here
from audit.statements.claim import Claim
from audit.statements.evidence import Evidence
from audit.subjects.kept_runs import RunFolder
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.runs import LEARNING, STAGES, Drawing, Seeds, freeze
from audit.subjects.subject import BlackBoxSubject
from proofs.guarantees import parse_guarantee
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove

ATTACK = Attack(400, 0, Fraction(1, 20), Fraction(1, 10**6), pair=Pair(0, 1))


@dataclass(frozen=True)
class Slow:
    """A box of small blocks, whose calls are listed; perhaps with randomness of its own."""

    name: str = "slow"
    block: int = 40
    epsilon: float = 2.0
    own: bool = False
    calls: ClassVar[list[tuple[int, int]]] = []
    interrupts: ClassVar[list[int]] = []

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        if len(self.calls) in self.interrupts:
            self.interrupts.clear()
            raise KeyboardInterrupt
        self.calls.append((seed, len(coins)))
        rng = np.random.default_rng(random.getrandbits(64) if self.own else seed)
        keeps = rng.random(len(coins)) < 1 / (1 + np.exp(-self.epsilon))
        return Outcomes.of_batch(np.where(keeps, coins, ~coins).astype(float), len(coins))

    def __repr__(self) -> str:
        return "slow"


@pytest.fixture(autouse=True)
def none_made() -> None:
    Slow.calls.clear()
    Slow.interrupts.clear()


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / "kept")


@dataclass(frozen=True)
class Asked:
    """A request: what was found, and by how many calls."""

    evidence: Evidence
    calls: list[tuple[int, int]]
    attack: Attack


def ask(
    folder: RunFolder,
    box: Any = Slow(),
    text: str = "epsilon=2",
    seed: int | None = None,
    **changed: Any,
) -> Asked:
    before = len(Slow.calls)
    subject = BlackBoxSubject("slow", "function", box, (), {"sources_sha256": "ab"})
    claim = Claim(parse_guarantee(text), AddRemove(), "output", None, None)
    asked = replace(ATTACK, **changed)
    if seed is not None:
        asked = replace(asked, seed=seed)
    kept, attack = keep_attack(subject, claim, asked, folder, seed)
    source = Drawing(kept.box, Seeds(attack.seed, attack.look), here)  # type: ignore[arg-type]
    found = attack_box(AttackedBox(source, kept.box), claim, attack)  # type: ignore[arg-type]
    return Asked(found, Slow.calls[before:], attack)


@pytest.mark.parametrize("until_decided", [False, True])
def test_the_same_request_is_answered_without_a_run(folder: RunFolder, until_decided: bool) -> None:
    words: dict[str, Any] = {"until_decided": until_decided, "runs": 100}
    first, again = (ask(folder, Slow(own=True), **words) for _ in range(2))
    assert first.calls
    assert again.calls == []
    assert again.evidence == first.evidence


CHANGES: list[dict[str, Any]] = [
    {"text": "epsilon=1/2"},
    {"text": "mu=3"},
    {"alarm": Fraction(1, 10**4)},
    {"error": Fraction(1, 100)},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_a_changed_request_learns_from_old_runs_and_tests_on_new_ones(
    folder: RunFolder, change: dict[str, Any]
) -> None:
    first, second = ask(folder), ask(folder, **change)
    learned = require_replay(first.evidence).learning_runs
    assert learned == require_replay(second.evidence).learning_runs
    assert sum(runs for _, runs in second.calls) == 2 * ATTACK.runs - learned
    assert not set(first.calls) & set(second.calls)
    assert (first.attack.look, second.attack.look) == (1, 2)
    assert first.attack.seed == second.attack.seed


def test_an_attack_that_bets_from_the_first_run_on_uses_no_run_of_another_look(
    folder: RunFolder,
) -> None:
    words: dict[str, Any] = {"until_decided": True, "runs": 40}
    first, second = (ask(folder, text=text, **words) for text in ("epsilon=3", "mu=3"))
    assert len(second.calls) > 10
    assert not set(first.calls) & set(second.calls)


def test_earlier_looks_are_counted_in_the_errors(folder: RunFolder) -> None:
    looks = [ask(folder, seed=seed) for seed in range(4)]
    for number, one in enumerate(looks, 1):
        replay = require_replay(one.evidence)
        share = Fraction(1, number * (number + 1))
        assert (replay.look, replay.alarm) == (number, ATTACK.alarm * share)
        assert replay.error == ATTACK.error * share
        assert f"look {number} at this code" in one.evidence.finding
    assert sum(one.attack.alarm for one in looks) < ATTACK.alarm


@pytest.mark.parametrize(("until_decided", "runs"), [(False, 400), (True, 60)])
def test_an_interrupted_attack_goes_on_to_what_an_uninterrupted_one_finds(
    tmp_path: Path, until_decided: bool, runs: int
) -> None:
    words: dict[str, Any] = {"seed": 3, "until_decided": until_decided, "runs": runs}
    whole = ask(RunFolder(tmp_path / "whole"), **words)
    folder = RunFolder(tmp_path / "kept")
    for more in (3, 10, 5):
        Slow.interrupts.append(len(Slow.calls) + more)
        assert require_replay(ask(folder, **words).evidence).partial
    last = ask(folder, **words)
    assert last.evidence == whole.evidence
    assert len(last.calls) <= len(whole.calls) - 18
    made = Slow.calls[len(whole.calls) :]
    assert len(set(made)) == len(made)


def test_runs_that_test_have_seeds_of_their_look_and_their_rule() -> None:
    plain = Seeds(7)
    seeds = [plain, Seeds(7, 1), Seeds(7, 2), Seeds(7, 1, "rule"), Seeds(7, 1, "other")]
    for stage in STAGES:
        found = {one.block(stage, 0, 0)[1] for one in seeds}
        assert len(found) == (1 if stage in LEARNING else len(seeds)), stage
    assert replace(plain, rule="rule").block("certify", 0, 0)[1] == plain.block("certify", 0, 0)[1]


def test_a_source_of_given_runs_is_not_frozen() -> None:
    given: Any = object()
    assert freeze(given, "rule") is given


@dataclass(frozen=True)
class Reading(Slow):
    paths: tuple[str, ...] = field(default=())


def test_a_folder_that_the_subject_may_read_is_refused(folder: RunFolder) -> None:
    with pytest.raises(InputError, match="the subject may read"):
        ask(folder, Reading(paths=(str(folder.path.parent),)))
    assert ask(folder, Reading(paths=(f"{folder.path}-other",))).evidence
