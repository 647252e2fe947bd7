"""Tied choices: tables on which one record decides which pair of attributes hangs together more.

Of three attributes the first two agree most often, and the third agrees as often with the one as
with the other. A network or tree of pairs holds the first two, and the third with either: which of
them, the exchanged record says. Whoever chooses by noisy scores hardly heeds one record; whoever
chooses by true ones gives it away: the pair that was not chosen agrees less often in the output.
"""

from __future__ import annotations

from collections.abc import Iterator

from audit.auditors.attack.pairs.records import Record, Records
from audit.auditors.attack.pairs.sizes import Sizes
from audit.auditors.attack.pairs.sketches import Sketch
from audit.statements.claim import Claim
from synthesizers.neighbours import AddRemove

SHARES = (0.6, 0.2, 0.1, 0.1)
"""Of records in which all three agree, the third is another, the second, the first. (Of the first
two 80 % agree, of the others 70 %, or 62 % where only a third attribute joins them.)"""

TIED = 400
"""Records where a claim leaves their number open (what is not chosen then agrees in thirty records
less, beside noise of about fifteen at ε = 1)."""


def list_ties(values: Records, claim: Claim, sizes: Sizes) -> Iterator[Sketch]:
    """One sketch; none where fewer than three attributes have two values."""
    low, high = values.low(), values.high()
    names = [a.name for a in values.domain.attributes if len(a.values) > 1][:3]
    adds = isinstance(claim.neighbours, AddRemove)
    room = (max(TIED, sizes.most) if claim.records is None else sizes.most) - sizes.unit
    pairs = [int(share * room / 2) for share in SHARES]
    if len(names) < 3 or room < sizes.least or min(pairs) < 1:
        return

    def record(*other: str) -> Record:
        return {**low, **{name: high[name] for name in other}}

    first, second, third = names
    kinds = [
        (record(), record(*names)),
        (record(third), record(first, second)),
        (record(second), record(first, third)),
        (record(first), record(second, third)),
    ]
    # Each record and its opposite in turn, so that no attribute alone tells anything.
    rest = [one for both, many in zip(kinds, pairs, strict=True) for one in both * many]
    rest = (rest + [record(), record(*names)] * room)[:room]
    gone = () if adds else (record(second),) * sizes.unit
    told = f"which of two attributes agrees with {third!r} more often, beside {room}"
    yield Sketch(told, tuple(rest), gone, (record(first),) * sizes.unit)
