"""What `utility` does for ``by``: subgroups of every synthetic table, beside random subsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from audit.report.utility.words import cost_text
from dp_audit.progress import Progress
from synthesizers.domain import Domain
from synthesizers.errors import InputError

if TYPE_CHECKING:
    from audit.utility.counts import Counted
    from audit.utility.metric import Metric
    from audit.utility.subgroups.findings import Subgroups


def check_by(by: Sequence[str], domain: Domain, *, whole: bool) -> None:
    """Raise ``InputError`` for attributes that make no groups; ``whole``: tables are held whole."""
    if isinstance(by, str):
        raise InputError(f"--by is a list of attributes, as in [{by!r}], not a text")
    for name in by:
        if name not in domain.names:
            raise InputError(
                f"--by {name}: the domain has no such attribute; it has {', '.join(domain.names)}"
            )
    if len(set(by)) < len(by):
        raise InputError("--by names an attribute twice; name it once")
    if by and len(domain.names) == 1:
        raise InputError(f"--by {by[0]}: the domain has no other attribute to look at")
    if by and not whole:
        raise InputError("--by looks at single records; leave out --chunk and --cluster")


def measure_by(
    by: Sequence[str],
    real: Counted,
    synthetic: Mapping[str, Counted],
    metrics: Sequence[Metric],
    *,
    asked: bool,
    subsets: int,
    jobs: int,
    progress: Progress,
) -> tuple[Subgroups, ...]:
    """The subgroups of each attribute, in every synthetic table.

    ``asked``: the metrics were asked for by name, so that none is left out for its cost.
    """
    if not by:
        return ()
    from audit.utility.records import Records
    from audit.utility.subgroups.division import domain_without, subgroups_of
    from audit.utility.subgroups.measure import (
        affordable_within,
        applicable_within,
        measure_subgroups,
    )

    # What was read in parts has been refused.
    whole = cast(Records, real)
    plans = []
    for attribute in by:
        kept, refused = applicable_within(metrics, real.domain, attribute)
        for name, counted in synthetic.items():
            table = cast(Records, counted)
            large = [one for one in subgroups_of(whole, table, attribute) if one.large]
            domain = domain_without(real.domain, attribute)
            chosen, dear = (kept, ()) if asked else affordable_within(kept, domain, large, subsets)
            reasons = tuple((metric, cost_text(metric, seconds)) for metric, seconds in dear)
            scores = len(large) * len(chosen) * (1 + subsets)
            plans.append((attribute, name, table, chosen, (*refused, *reasons), scores))
    total, done, found = sum(plan[-1] for plan in plans), 0, []
    for attribute, name, table, chosen, refused, scores in plans:

        def tell(at: int, _: int, metric: str, before: int = done, by: str = attribute) -> None:
            progress("scoring subgroups", before + at, total, f"{by}, {metric}" if metric else by)

        found.append(
            measure_subgroups(
                whole,
                (name, table),
                attribute,
                chosen,
                subsets=subsets,
                refused=refused,
                progress=tell,
                jobs=jobs,
            )
        )
        done += scores
    return tuple(found)
