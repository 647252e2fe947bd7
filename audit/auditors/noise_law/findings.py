"""What the checks of noise say, as findings."""

from __future__ import annotations

import math
from collections.abc import Sequence

from audit.auditors.noise_law.fit import (
    SHARES,
    Blur,
    band,
    cell_places,
    estimate_scale,
    event_tests,
    least_visible_change,
    tail_places,
)
from audit.auditors.noise_law.freshness import Repeats, Sign
from audit.auditors.noise_law.lattice import Leak
from audit.auditors.noise_law.laws import FloatArray, NoiseLaw
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour, Shown
from proofs.guarantees import Guarantee


def _finding(
    about: str,
    violated: bool,
    declared: str,
    found: str,
    covers: str,
    replay: str,
    error: float,
    pair: Shown | None = None,
    responsible: str | None = None,
) -> Finding:
    return Finding(
        auditor="noise law",
        about=about,
        decision=Decision.of_declaration(violated),
        declared=declared,
        found=found,
        # What no honest subject does is seen, and not inferred.
        rigour=Rigour.STATISTICAL if error else Rigour.FLOOR,
        covers=covers,
        again=replay,
        pair=pair,
        responsible=responsible,
        error=error or None,
    )


def scale_finding(
    draws: FloatArray, law: NoiseLaw, blur: Blur, error: float, where: str, replay: str
) -> Finding:
    """The scale that the draws fit, and how small a change of it would have been seen."""
    found = estimate_scale(draws, law, blur, error)
    least, most, best = (factor * law.scale for factor in (found.low, found.high, found.best))
    if found.low <= found.high:
        words = f"{law.parameter} from {least:.4g} to {most:.4g}"
        words += f", best {best:.4g}" if 0 < best < math.inf else ""
    else:
        words = f"no {law.parameter} fits both the middle and the tails; {best:.4g} fits best"
    change = least_visible_change(len(draws), law, blur, error)
    seen = "no change of a factor 16" if change == math.inf else f"a change of {change:.1%}"
    return _finding(
        "scale of the noise",
        found.rejected,
        f"{law.parameter} {law.scale:.6g}",
        words,
        f"{len(draws)} draws{where}{_rounding_note(blur, law)}; {seen} is seen with 80 %",
        replay,
        error,
    )


def shape_finding(
    draws: FloatArray, law: NoiseLaw, blur: Blur, error: float, where: str, replay: str
) -> Finding:
    """The declared law against cells, tails and distribution function."""
    total = 1 - SHARES["scale"]
    share = {key: error * part / total for key, part in SHARES.items()}
    tests = [
        *event_tests(tail_places(law), draws, law, blur, share["tails"]),
        *event_tests(cell_places(law), draws, law, blur, share["cells"]),
        band(draws, law, blur, share["band"]),
    ]
    worst = min(tests, key=lambda test: test.ratio)
    violated = worst.ratio <= 1
    return _finding(
        "law of the noise",
        violated,
        law.text,
        worst.words if violated else "nothing that speaks against it",
        f"{len(draws)} draws{where}{_rounding_note(blur, law)}; {len(tests)} tests of tails, "
        "cells and distribution function",
        replay,
        error,
    )


def _rounding_note(blur: Blur, law: NoiseLaw) -> str:
    """Where the lattice is too coarse to be left unsaid."""
    step = float(blur.at(law.scale))
    if step <= 1e-6 * law.scale:
        return ""
    return f", which are rounded, compared up to {step:.2g}"


def support_finding(draws: FloatArray, off: int, law: NoiseLaw, where: str, replay: str) -> Finding:
    """Noise that is no number, or no integer where the law is on the integers."""
    what = "whole numbers" if law.discrete else "finite numbers"
    found = f"{off} of {len(draws)} draws are not" if off else f"all of {len(draws)} draws are"
    return _finding(
        "support of the noise", off > 0, what, found, f"{len(draws)} draws{where}", replay, 0.0
    )


def dependence_finding(signs: Sequence[Sign], error: float, covers: str, replay: str) -> Finding:
    """The clearest sign that draws depend on each other."""
    worst = min(signs, key=lambda sign: sign.ratio)
    violated = worst.ratio <= 1
    found = worst.words if violated else "no sign of dependence"
    return _finding(
        "independence of the draws", violated, "independent draws", found, covers, replay, error
    )


def entropy_finding(
    found: Sequence[tuple[str, Repeats]], error: float, covers: str, replay: str
) -> Finding:
    """How often draws, or whole calls, come back."""
    # Where the law expects all to repeat, repeats say nothing.
    telling = [one for one in found if one[1].expected < one[1].drawn]
    if not telling:
        return _finding(
            "entropy of the noise",
            False,
            "repeats in nearly every draw",
            "nothing against it",
            covers,
            replay,
            error,
        )
    kind, worst = min(telling, key=lambda one: one[1].ratio)
    violated = worst.ratio <= 1
    words = f"{worst.repeats} of {worst.drawn} {kind} repeat an earlier one"
    if violated:
        words += f", as of {worst.outcomes:.3g} outcomes (2^{math.log2(worst.outcomes):.1f})"
    return _finding(
        "entropy of the noise",
        violated,
        f"at most {worst.expected:.3g} repeats expected",
        words,
        covers,
        replay,
        error,
    )


def freshness_finding(
    problems: Sequence[str], error: float, covers: str, replay: str, pair: Shown | None = None
) -> Finding:
    """Whether runs are equal that should not be; ``pair``: databases that show it."""
    found = "; ".join(problems) if problems else "runs that differ"
    return _finding(
        "fresh noise", bool(problems), "new noise on every run", found, covers, replay, error, pair
    )


def global_state_finding(reseeded: str | None, replay: str) -> Finding:
    """Whether a call sets a global generator."""
    found = f"a call sets the state of {reseeded}" if reseeded else "a call sets neither"
    return _finding(
        "global generators",
        reseeded is not None,
        "numpy.random and random are not reseeded",
        found,
        "two calls from different states",
        replay,
        0.0,
    )


def low_bits_finding(
    leaks: Sequence[Leak], guarantee: Guarantee, error: float, runs: int, pair: Shown | None
) -> Finding:
    """Which numbers of outputs tell neighbours apart better than is claimed."""
    worst = min(leaks, key=lambda one: one.ratio)
    violated, guesses = worst.ratio <= 1, worst.guesses
    told = f"{worst.words}: {guesses.correct} of {guesses.number} guesses right"
    return _finding(
        "low bits of the output",
        violated,
        f"no more than {guarantee} allows",
        f"a loss of at least {worst.floor:.4g}" if violated else "no more than that",
        f"{runs} runs on two neighbours, half of them to choose what is looked at",
        "",
        error,
        pair if violated else None,
        told if violated else None,
    )


def lattice_finding(
    leaks: Sequence[tuple[Shown, Leak]], error: float, covers: str, replay: str
) -> Finding:
    """Which outputs tell two values apart better than the declared law allows."""
    if not leaks:
        return _finding(
            "outputs that tell the value",
            False,
            "no more than the declared law allows",
            "not looked at: between these values the declared law allows any distinction",
            covers,
            replay,
            error,
        )
    pair, worst = min(leaks, key=lambda one: one[1].ratio)
    violated = worst.ratio <= 1
    guesses = worst.guesses
    found = f"a loss of at least {worst.floor:.4g}" if violated else "no more than that"
    return _finding(
        "outputs that tell the value",
        violated,
        f"a loss of at most {worst.limit:.4g}",
        found,
        covers,
        replay,
        error,
        pair,
        f"{worst.words}: {guesses.correct} of {guesses.number} guesses right" if violated else None,
    )
