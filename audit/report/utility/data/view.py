"""The data of synthetic tables beside the real one, as strings and pictures."""

from __future__ import annotations

from dataclasses import dataclass

from audit.report.grid import Grid
from audit.report.picture import Plot, Sides
from audit.report.utility.data.attributes import draw_attribute
from audit.report.utility.data.coverage import MOST_ROWS, list_gaps, summarise
from audit.report.utility.data.maps import PairMaps, draw_pairs
from audit.report.utility.data.words import distance_text
from audit.report.utility.dives import MAX_FILES
from audit.report.words import plural
from audit.utility.results import UtilityResults

MOST_DRAWN = 40
"""The most attributes that are drawn."""

WORST_NAMED = 5
"""The most attributes that are named as the worst of a file."""

READING = (
    "Distance is total variation, the share of records that would have to change their value: "
    "0 for tables alike, 1 for tables with nothing in common. By chance: what it would be on "
    "average if the records of both tables were shuffled and dealt out again. The worst come "
    "first, those farthest beyond chance."
)


@dataclass(frozen=True)
class DataView:
    """What is said and drawn of the data.

    ``worst``: of each file. ``coverage``: a row a file; ``gaps``: rows of what differs, with
    ``gaps_note``. ``tables``: the real one and the files that are drawn, in the order of bars and
    looks. ``attributes``, ``pairs``: pictures, worst first; ``notes`` on what they leave out.
    """

    worst: tuple[tuple[str, str], ...]
    coverage: Grid
    gaps: tuple[tuple[str, ...], ...]
    gaps_note: str
    reading: str
    tables: tuple[str, ...]
    attributes: tuple[Sides | Plot, ...]
    pairs: tuple[PairMaps, ...]
    notes: tuple[str, ...]


def data_view(results: UtilityResults) -> DataView | None:
    """The data in words and pictures; None where it was not compared."""
    data = results.data
    if data is None:
        return None
    files = data.files[:MAX_FILES]
    gaps = list_gaps(data.coverage, dict(results.records), results.real, files)
    more = len(gaps) - MOST_ROWS
    return DataView(
        tuple((file, _worst(results, place)) for place, file in enumerate(files)),
        summarise(data.coverage, files),
        gaps[:MOST_ROWS],
        f"{plural(more, 'further row')} in the JSON document." if more > 0 else "",
        READING,
        (f"{results.real} (real)", *files),
        tuple(
            draw_attribute(results.domain.attribute(one.attribute), one, files)
            for one in data.attributes[:MOST_DRAWN]
        ),
        draw_pairs(data.pairs, files),
        _notes(results),
    )


def _worst(results: UtilityResults, place: int) -> str:
    """The worst attributes of a file, as far as they are beyond chance."""
    assert results.data is not None
    rows = [(a.attribute, a.distances[place], a.chances[place]) for a in results.data.attributes]
    rows.sort(key=lambda row: row[2] - row[1])
    beyond = [row for row in rows if row[1] > row[2]][:WORST_NAMED]
    named = "; ".join(f"{name} {distance_text(*both)}" for name, *both in beyond)
    return named or "no column is farther off than by chance"


def _notes(results: UtilityResults) -> tuple[str, ...]:
    assert results.data is not None
    data, notes = results.data, []
    if len(data.files) > MAX_FILES:
        notes.append(f"Shown are the first {plural(MAX_FILES, 'file')}.")
    if len(data.attributes) > MOST_DRAWN:
        notes.append(f"Drawn are the worst {MOST_DRAWN} of {len(data.attributes)} columns.")
    paired = {name for pair in data.apart for name in pair.attributes}
    if 1 < len(paired) < len(data.attributes):
        notes.append(f"Pairs were counted of the first {len(paired)} columns of the domain.")
    if notes:
        notes.append("The JSON document has all counts.")
    return tuple(notes)
