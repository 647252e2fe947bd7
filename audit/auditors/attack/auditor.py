"""The attack auditor: what repeated runs of a black box show of the claim."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from threadpoolctl import threadpool_limits

from audit.auditors.attack.attacked import AttackedBox
from audit.auditors.attack.attacking_by_bets import attack_by_bets
from audit.auditors.attack.certifying import certify_in_batch
from audit.auditors.attack.finding.confirming import confirm
from audit.auditors.attack.finding.evidence import About
from audit.auditors.attack.guessing.power import require_detect
from audit.auditors.attack.recognising.naming import name_cause
from audit.auditors.attack.searching.places import list_places
from audit.auditors.effort import Attack, Watch
from audit.parallel import Map, here
from audit.statements.claim import Claim
from audit.statements.evidence import Evidence
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing


def attack_box(
    target: AttackedBox, claim: Claim, attack: Attack, watch: Watch | None = None
) -> Evidence:
    """The evidence of an attack; interrupted, that of the runs made until then, marked partial.

    All that is learned is learned by one thread of linear algebra: of matrices as small as these
    several take longer.

    Raises ProtocolError where every run fails, InputError where there is no pair to attack.

    Guarantee
    ---------
    Of a box that keeps the claim, with independent runs, the decision is VIOLATED with probability
    at most ``attack.alarm``, and the floor exceeds the truth with at most ``attack.error``: one
    rule is tested, on runs that nothing was learned from, or one process bets on guesses that are
    fixed before each run, over all pairs. Where runs share processes, see
    `audit.auditors.attack.finding.confirming.confirm`. Backed by ``benchmarks/coverage.py`` and
    ``tests/audit/auditors/attack/test_auditor.py``.
    """
    require_detect(claim.guarantee, attack.detect)
    with threadpool_limits(limits=1, user_api="blas"):
        return _attack_box(target, claim, attack, watch or (lambda done, total, floor: None))


def _attack_box(target: AttackedBox, claim: Claim, attack: Attack, heard: Watch) -> Evidence:
    source, timed = target.source, _Timed(here)
    if isinstance(source, Drawing):
        timed = _Timed(source.share)
        source = replace(source, share=timed)
    heard(0, 2 * attack.runs, 0.0)
    try:
        places = list_places(source, target.box, claim, attack)
    except KeyboardInterrupt:
        return About(claim, attack, Pair(None, None), attack.mode).interrupted_evidence()
    attack_at = attack_by_bets if attack.until_decided else certify_in_batch
    finding = attack_at(replace(target, source=source), claim, attack, places, heard)
    evidence = name_cause(confirm(finding, target.source, target.box), finding, target.source)
    if evidence.power is None or not timed.runs_made:
        return evidence
    seconds = float(f"{timed.seconds / timed.runs_made:.3g}")
    return replace(evidence, power=replace(evidence.power, seconds=seconds))


@dataclass(eq=False)
class _Timed:
    """Shares calls out as another does, and heeds the clock: how long blocks of runs took."""

    share: Map
    seconds: float = 0.0
    runs_made: int = 0

    def __call__(self, function: Callable[..., Any], calls: Iterable[tuple[Any, ...]]) -> Any:
        """The blocks, in order."""
        blocks = iter(self.share(function, calls))
        while True:
            begun = time.monotonic()
            block = next(blocks, None)
            self.seconds += time.monotonic() - begun
            if block is None:
                return
            self.runs_made += len(block)
            yield block
