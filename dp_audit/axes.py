"""What `utility` does for ``axes_from``: every table on the principal axes of public ones."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from synthesizers.errors import InputError

if TYPE_CHECKING:
    from audit.utility.clouds import Clouds
    from audit.utility.counts import Counted

PUBLIC = "a public table"
"""What a table without a file is called."""

_CONFIDENTIAL = (
    "--axes-from names {}, and axes must not follow from confidential records; name a public "
    "table, or leave it out"
)


def check_axes_from(table: Any, real: Any, *, whole: bool) -> None:
    """Raise ``InputError`` for a table that axes must not, or cannot, come from.

    ``whole``: tables are held whole.
    """
    if table is None:
        return
    if not whole:
        raise InputError("--axes-from looks at single records; leave out --chunk and --cluster")
    paths = [Path(one).resolve() for one in (table, real) if isinstance(one, str | Path)]
    if table is real or (len(paths) == 2 and paths[0] == paths[1]):
        raise InputError(_CONFIDENTIAL.format("the real table"))


def check_public(real: Counted, public: Counted) -> None:
    """Raise ``InputError`` for a public table with the real records, or with records all alike."""
    from audit.utility.copies import find_alike
    from audit.utility.records import Records

    assert isinstance(public, Records)
    if (public.codes == public.codes[0]).all():
        raise InputError(
            "--axes-from names a table whose records are all alike: it has no axes; name another "
            "one, or leave it out"
        )
    if find_alike({"real": cast(Records, real), "public": public}):
        raise InputError(_CONFIDENTIAL.format("a table with the records of the real one"))


def project(
    real: Counted, synthetic: Mapping[str, Counted], public: tuple[str, Counted] | None
) -> Clouds | None:
    """All tables on the axes of the ``public`` one, with its name; for None, of the synthetic.

    None where a table was counted in parts: it has no single records to be placed.
    """
    from audit.utility.clouds import project_tables
    from audit.utility.records import Records

    held = {name: table for name, table in synthetic.items() if isinstance(table, Records)}
    if not isinstance(real, Records) or len(held) < len(synthetic):
        return None
    if public is None:
        return project_tables(real, held)
    assert isinstance(public[1], Records)
    return project_tables(real, held, {public[0]: public[1]})
