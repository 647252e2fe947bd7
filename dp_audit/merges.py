"""`merge`: the folders of a review's shards, joined."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from audit.review.folders import ReviewFolder
from audit.review.orders import FILE, STAGES, Order, read_order, write_order
from dp_audit.results.reviews import ReviewResult
from dp_audit.reviews import finish
from synthesizers.errors import InputError


def merge(folders: Sequence[str | Path], *, out: str | Path | None = None) -> ReviewResult:
    """Join the folders of a review's shards: the same numbers as those of one review.

    >>> import dp_audit as dpa
    >>> from audit.review.starter import write_starter
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = write_starter(f"{place}/team-7")
    ...     shards = [f"{place}/1", f"{place}/2"]
    ...     for number, shard in enumerate(shards, 1):
    ...         done = dpa.review(folder, out=shard, seed=7, shard=f"{number}/2", plan=True)
    ...     joined = dpa.merge(shards)
    >>> joined.verdicts
    {'example': 'PENDING'}

    folders
        Those that ``review(…, shard="i/n")`` wrote, of one order.
    out
        Where the joined review goes; the first of them without it.

    Raises ``ValueError`` for folders of different orders. What no folder holds is said.

    """
    paths = [Path(folder).absolute() for folder in folders]
    if not paths:
        raise InputError("name the folders that reviews with --shard wrote")
    orders = [_order_of(path) for path in paths]
    if any(one.digests != orders[0].digests or one.seed != orders[0].seed for one in orders):
        raise InputError(
            "these folders are of different submissions or seeds; merge joins shards of one review"
        )
    target = ReviewFolder(paths[0] if out is None else Path(out))
    target.begin()
    if target.path not in paths:
        _copy(paths[0], target)
    target.pieces.take([path / "pieces" for path in paths if path != target.path])
    last = max(orders, key=lambda order: STAGES.index(order.stage))
    order = read_order(target.path)
    assert order is not None
    order = order.at(last.stage)
    write_order(order, target.path)
    return finish(order, target, None, here=False)


def _copy(source: Path, target: ReviewFolder) -> None:
    """What a review's folder holds beside its pieces and pages."""
    for file in (source / FILE, *source.glob("data*")):
        shutil.copyfile(file, target.path / file.name)
    held = target.path / "prepared"
    shutil.copytree(source / "prepared", held, dirs_exist_ok=True, symlinks=True)


def _order_of(path: Path) -> Order:
    order = read_order(path)
    if order is None:
        raise InputError(f"{path} is no folder of a review: it has no {FILE}")
    return order
