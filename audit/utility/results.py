"""What several metrics said of several synthetic tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from audit.utility.clouds import Clouds
from audit.utility.copies import Copies
from audit.utility.data.compare import Data
from audit.utility.score import Score
from audit.utility.subgroups.findings import Subgroups
from synthesizers.domain import Domain
from synthesizers.errors import InputError


@dataclass(frozen=True)
class Scored:
    """One metric of one file.

    ``synthetic``: the file, as its user named it. ``baseline``: the same metric of a
    table that knows nothing but the domain, if it was taken. ``seconds``: how long
    the score took.
    """

    synthetic: str
    score: Score
    baseline: Score | None
    seconds: float


@dataclass(frozen=True)
class Promise:
    """What is promised of a file: a ``guarantee`` with its neighbours, and who says so."""

    guarantee: str
    source: str


@dataclass(frozen=True)
class UtilityResults:
    """The scores of synthetic files against one ``real`` file over a domain.

    ``records``: the rows of every file, the real one among them. ``refused``: metrics
    that cannot be taken over the domain, each with the reason. ``copies`` of real records in the
    synthetic files that are held whole; ``alike``: those of these files that hold the same records.
    ``undeclared``: columns of any file that the domain does
    not declare, and of which no score speaks. ``programs``: synthetic files that are releases of
    one program, by its name. ``promises``: of synthetic files, where one is known. ``subgroups``:
    files by the values of an attribute, where that was asked for. ``clouds``: the tables on public
    principal axes, where they were projected. ``data``: what
    the synthetic files hold beside the real one. Raises
    ``InputError`` for a metric taken twice of a file, for one whose direction or mode changes from
    file to file, and for a file whose rows are not told.
    """

    real: str
    domain: Domain
    records: Mapping[str, int]
    scored: tuple[Scored, ...]
    refused: tuple[tuple[str, str], ...] = ()
    copies: Mapping[str, Copies] = field(default_factory=dict)
    undeclared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    programs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    promises: Mapping[str, Promise] = field(default_factory=dict)
    subgroups: tuple[Subgroups, ...] = ()
    clouds: Clouds | None = None
    data: Data | None = None
    alike: tuple[tuple[str, ...], ...] = ()

    def __post_init__(self) -> None:
        """Refuse scores that cannot be laid side by side."""
        met: set[tuple[str, str]] = set()
        forms: dict[str, tuple[str, str]] = {}
        for scored in self.scored:
            score = scored.score
            if (score.metric, scored.synthetic) in met:
                raise InputError(f"{scored.synthetic} has two scores of {score.metric}")
            met.add((score.metric, scored.synthetic))
            form = score.direction, score.mode
            if forms.setdefault(score.metric, form) != form:
                raise InputError(f"{score.metric}: its direction or mode is not one")
        untold = {self.real, *self.synthetics} - set(self.records)
        if untold:
            raise InputError(f"the number of records of {min(untold)} is not told")

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics that were taken, in the order of their first score."""
        return tuple(dict.fromkeys(scored.score.metric for scored in self.scored))

    @property
    def synthetics(self) -> tuple[str, ...]:
        """The synthetic files that were scored, in the order of their first score."""
        return tuple(dict.fromkeys(scored.synthetic for scored in self.scored))

    def rename(self, names: Mapping[str, str]) -> UtilityResults:
        """The same results with other names for the files."""
        return replace(
            self,
            real=names[self.real],
            records={names[file]: records for file, records in self.records.items()},
            copies={names[file]: copies for file, copies in self.copies.items()},
            undeclared={names[file]: columns for file, columns in self.undeclared.items()},
            programs={
                program: tuple(names[file] for file in files)
                for program, files in self.programs.items()
            },
            promises={names[file]: promise for file, promise in self.promises.items()},
            subgroups=tuple(one.rename(names) for one in self.subgroups),
            clouds=None if self.clouds is None else self.clouds.rename(names),
            data=None if self.data is None else self.data.rename(names),
            alike=tuple(tuple(names[file] for file in files) for files in self.alike),
            scored=tuple(replace(s, synthetic=names[s.synthetic]) for s in self.scored),
        )

    def contestants(self) -> Mapping[str, tuple[str, ...]]:
        """What can be ranked, with its files: the programs and the files that are of none."""
        released = {file for files in self.programs.values() for file in files}
        alone = {file: (file,) for file in self.synthetics if file not in released}
        return {**self.programs, **alone}

    def of_metric(self, metric: str) -> tuple[Scored, ...]:
        """The scores of one metric, a file each; none for a metric that was not taken."""
        return tuple(scored for scored in self.scored if scored.score.metric == metric)

    def of_file(self, synthetic: str) -> tuple[Scored, ...]:
        """The scores of one file, a metric each; none for a file that was not scored."""
        return tuple(scored for scored in self.scored if scored.synthetic == synthetic)

    def at(self, metric: str, synthetic: str) -> Scored | None:
        """The score of one metric of one file, if it was taken."""
        return next((s for s in self.of_metric(metric) if s.synthetic == synthetic), None)
