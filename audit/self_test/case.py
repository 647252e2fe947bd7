"""What the self-test examines: cases, and liars, which are cases beside an honest one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Protocol

from audit.statements.finding import Finding


class Detector(StrEnum):
    """Who examines a case: an auditor by its name, or what a certificate says of one release.

    CHANNEL, TRANSCRIPT: a certificate about the output, about the transcript. BOUNDARY: about a
    program in a process of its own.
    """

    CHANNEL = "channel"
    TRANSCRIPT = "transcript"
    COMPOSITION = "composition"
    SENSITIVITY = "sensitivity"
    DATA_INDEPENDENCE = "data independence"
    NOISE_LAW = "noise law"
    UTILITY_SANITY = "utility sanity"
    ATTACK = "attack"
    BOUNDARY = "boundary"


class BugClass(Enum):
    """What kind of thing went wrong."""

    DOMAIN = "domain, size, neighbours"
    NOISE = "law of the noise"
    BUDGET = "budget"
    LOOK = "looks at the data"
    SIDE = "side channels"
    DIRICHLET = "Multinomial-Dirichlet"
    SANITIZER = "sanitizers, subsampling"
    FOURIER = "Fourier (Barak)"
    PRIVIEW = "PriView"
    PRIVBASIS = "PrivBasis"
    GROUPS = "DPFieldGroups, pfr"
    DPSYN = "DPSyn, GUM, PrivSyn"
    PRIVBAYES = "PrivBayes"
    SELECTION = "MST, AIM, MWEM"
    OPTIMISED = "RAP, GEM"
    GAN = "DP-WGAN"
    MAP = "Temporal Map"
    HOSTILE = "hostile programs"


class Case(Protocol):
    """A subject with a claim, which auditors examine."""

    @property
    def name(self) -> str:
        """What the table calls it; equal names are the same case."""
        ...

    @property
    def detectors(self) -> tuple[Detector, ...]:
        """Who examines it, the exact ones first."""
        ...

    def examine(self, detector: Detector) -> tuple[Finding, ...]:
        """What one of its detectors finds."""
        ...


@dataclass(frozen=True)
class Liar:
    """A case with one thing replaced, and the honest one.

    ``bug``: what was replaced, in a few words. ``quick``: it belongs to the short form.
    """

    name: str
    bug_class: BugClass
    bug: str
    honest: Case
    lying: Case
    quick: bool = False

    @property
    def exactly(self) -> bool:
        """Whether an exact detector sees this kind of subject, so that one must catch it."""
        return any(detector in EXACT for detector in self.lying.detectors)


EXACT = frozenset(
    {
        Detector.CHANNEL,
        Detector.TRANSCRIPT,
        Detector.COMPOSITION,
        Detector.SENSITIVITY,
        Detector.DATA_INDEPENDENCE,
        Detector.BOUNDARY,
    }
)
"""Detectors that estimate nothing: what they find is exact, or, of data independence, also an event
that always happens on one database and never on its neighbour, or, of the boundary, a verdict."""
