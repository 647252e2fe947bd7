"""Functions as cases: queries with a declared sensitivity, mechanisms, samplers of noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audit.auditors import data_independence, noise_law, utility_sanity
from audit.auditors.noise_law import StatedMechanism, StatedNoise
from audit.auditors.sensitivity.declaration import parse_declaration
from audit.auditors.sensitivity.examine import StatedQuery
from audit.auditors.sensitivity.examine import examine as examine_query
from audit.self_test.case import Detector
from audit.self_test.families import GRID, TABLE
from audit.self_test.program_cases import SEED, attack_case
from audit.statements.claim import Claim
from audit.statements.finding import Finding
from audit.subjects.function import FunctionBox
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.neighbours import Neighbours, ReplaceOne

DRAWS = 30_000
"""Of a sampler of the self-test: a scale wrong by 5 % is seen."""

RUNS = 20_000
"""Of a mechanism of the self-test."""

Record = Mapping[str, Any]


@dataclass(frozen=True)
class QueryCase:
    """A query of records with a declared sensitivity, on databases of some sizes."""

    name: str
    function: Callable[[Sequence[Record]], Any]
    declared: str
    neighbours: Neighbours
    domain: Domain
    records: tuple[int, ...]
    detectors: tuple[Detector, ...] = (Detector.SENSITIVITY,)

    def examine(self, detector: Detector) -> tuple[Finding, ...]:
        """What one of its detectors finds."""
        stated = StatedQuery(
            self.name, self.function, self.domain, parse_declaration(self.declared)
        )
        return examine_query(stated, self.neighbours, self.records, seed=SEED)


@dataclass(frozen=True)
class MechanismCase:
    """A function of a database and a generator, with its claim."""

    name: str
    function: Callable[..., Any]
    claim: str
    neighbours: Neighbours
    cells: str
    detectors: tuple[Detector, ...] = (Detector.DATA_INDEPENDENCE,)

    def examine(self, detector: Detector) -> tuple[Finding, ...]:
        """What one of its detectors finds."""
        public = 3 if self.neighbours.records_public else None
        claim = Claim(
            parse_guarantee(self.claim),
            self.neighbours,
            "output",
            Domain.from_cells(self.cells),
            public,
        )
        if detector is Detector.ATTACK:
            return (attack_case(self.name, FunctionBox(self.name, self.function, False), claim),)
        subject = data_independence.wrap_function(self.function, self.name)
        return data_independence.examine(subject, claim, seed=SEED)


@dataclass(frozen=True)
class NoiseCase:
    """A sampler of noise, or a mechanism that adds it to a number, with its declared law."""

    name: str
    stated: StatedNoise | StatedMechanism
    detectors: tuple[Detector, ...] = (Detector.NOISE_LAW,)

    def examine(self, detector: Detector) -> tuple[Finding, ...]:
        """What one of its detectors finds."""
        if isinstance(self.stated, StatedNoise):
            return noise_law.examine(self.stated, seed=SEED, draws=DRAWS)
        return noise_law.examine_mechanism(self.stated, seed=SEED, draws=RUNS)


@dataclass(frozen=True)
class FamilyCase:
    """A function of a database, a generator and epsilon, whose error is looked at."""

    name: str
    function: Callable[..., Any]
    detectors: tuple[Detector, ...] = (Detector.UTILITY_SANITY,)

    def examine(self, detector: Detector) -> tuple[Finding, ...]:
        """What one of its detectors finds."""
        family = utility_sanity.Family(self.name, self.function, neighbours=ReplaceOne())
        return utility_sanity.examine(family, TABLE, grid=GRID, seed=SEED)
