"""What a reviewer orders: the submissions, the stage, and all that fixes the pieces of a review."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from audit.review.submissions.submission import (
    Challenge,
    Launch,
    Prepared,
    StatedClaim,
    StatedQuery,
    StatedWriteUp,
    Submission,
    Unread,
)
from synthesizers.errors import InputError
from synthesizers.files import replacing

SCHEMA = "dp-audit/review-order/1"

STAGES = ("prescreen", "final")

FILE = "order.json"
"""Where a review's folder holds its order."""


@dataclass(frozen=True)
class Order:
    """What a review is made of, before anything runs.

    ``stage``: the last one of `STAGES` that is wanted. ``seed``: from which all random numbers
    follow; nobody who wrote a submission may know it beforehand. ``detect``: of the final stage,
    the leak that an attack must be able to see, as a multiple of the claim's ε. ``records``: of the
    small databases that are made up. ``releases``: of the final stage, at each ε. ``runs``: the
    most that attack one claim, on each database. ``scale``: the share of the runs of attacks that
    the ``budget`` leaves, 1 without one. ``prepared``: the submissions, each in a folder below the
    review's own; ``unread``: those that can't be read. ``digests``: of the submissions by their
    names, and of the challenge's data by ``{data}``, which is no name.
    """

    stage: str
    seed: int
    detect: str
    records: int
    releases: int
    runs: int
    scale: float
    challenge: Challenge
    prepared: tuple[Prepared, ...]
    digests: Mapping[str, str]
    unread: tuple[Unread, ...] = ()
    budget: str = ""

    def at(self, stage: str) -> Order:
        """The same order, up to another stage."""
        return replace(self, stage=stage)


def make_seed() -> int:
    """A seed that nobody knows beforehand."""
    return secrets.randbits(48)


def write_order(order: Order, folder: Path) -> None:
    """Write the order into a review's folder, whole or not at all."""
    document = {"schema": SCHEMA, **_plain(asdict(order))}
    # All is named from the review's own folder, so that it can be moved.
    if order.challenge.data is not None:
        document["challenge"]["data"] = order.challenge.data.name
    for one in document["prepared"]:
        one["folder"] = str(Path(one["folder"]).relative_to(folder))
        one["submission"]["folder"] = one["folder"]
        one["submission"]["domain"] = f"{one['folder']}/domain.toml"
        # What these files are for is done.
        del one["submission"]["beside"]
    with replacing(folder / FILE) as file:
        file.write((json.dumps(document, indent=1) + "\n").encode())


def read_order(folder: Path) -> Order | None:
    """The order of a review's folder; None where there is none. Raises InputError."""
    try:
        document = json.loads((folder / FILE).read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError):
        raise _strange(folder) from None
    try:
        if document.pop("schema") != SCHEMA:
            raise _strange(folder)
        return _order(document, folder)
    except (AttributeError, KeyError, TypeError):
        raise _strange(folder) from None


def _order(document: dict[str, Any], folder: Path) -> Order:
    challenge = document.pop("challenge")
    data = challenge["data"]
    return Order(
        **{name: document[name] for name in _SIMPLE},
        challenge=Challenge(
            challenge["name"],
            None if data is None else folder / data,
            tuple(challenge["metrics"]),
        ),
        prepared=tuple(_prepared(one, folder) for one in document["prepared"]),
        unread=tuple(Unread(**one) for one in document["unread"]),
    )


_SIMPLE = tuple(
    one.name for one in fields(Order) if one.name not in ("challenge", "prepared", "unread")
)


# Not read again from the submission.toml of its folder: shards are joined on machines that may lack
# the interpreter which that names, and of DeID2 a domain would be drafted again.
def _prepared(document: dict[str, Any], folder: Path) -> Prepared:
    stated = document["submission"]
    write_up = stated["write_up"]
    queries = tuple(StatedQuery(**one) for one in write_up["queries"])
    submission = Submission(
        stated["name"],
        folder / stated["folder"],
        Launch(**{**stated["launch"], "words": tuple(stated["launch"]["words"])}),
        _claim(stated["claim"]),
        folder / stated["domain"],
        tuple((name, value) for name, value in stated["parameters"]),
        StatedWriteUp(write_up["file"], queries),
        None if stated["asked"] is None else _claim(stated["asked"]),
        stated["other_domain"],
    )
    place = folder / document["folder"]
    return Prepared(
        submission, place, document["subject"], tuple(document["flags"]), document["asks"]
    )


def _claim(document: dict[str, Any]) -> StatedClaim:
    return StatedClaim(**{**document, "epsilons": tuple(document["epsilons"])})


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _strange(folder: Path) -> InputError:
    return InputError(
        f"{folder / FILE} is no order of a review; give --out a new folder, or remove this one"
    )
