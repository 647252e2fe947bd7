"""A certificate carries a self-test of all cases of its form, and of no fewer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from audit.self_test.loading import load_self_test
from audit.self_test.run import Caught, Control, SelfTest, choose_liars
from synthesizers.errors import InputError

pytestmark = pytest.mark.smoke


def _document(quick: bool) -> dict[str, Any]:
    """A table in which every liar of a form was caught, as it would be written."""
    liars = choose_liars(quick, None)
    honest = {liar.honest.name: liar.honest for liar in liars}
    table = SelfTest(
        "quick" if quick else "whole",
        tuple(Caught(liar, ()) for liar in liars),
        tuple(Control(case, ()) for case in honest.values()),
    ).to_json()
    for row in table["liars"]:
        row["caught"] = True
    return table


def _carried(tmp_path: Path, document: dict[str, Any]) -> dict[str, Any]:
    path = tmp_path / "test.json"
    path.write_text(json.dumps(document))
    return load_self_test(str(path))


@pytest.mark.parametrize("quick", [True, False])
def test_a_table_of_all_cases_is_carried(tmp_path: Path, quick: bool) -> None:
    document = _document(quick)
    assert _carried(tmp_path, document)["liars"] == len(document["liars"])


@pytest.mark.parametrize("rows", ["liars", "controls"])
def test_a_table_without_one_of_its_cases_is_refused(tmp_path: Path, rows: str) -> None:
    document = _document(True)
    del document[rows][-1]
    with pytest.raises(InputError, match="lacks cases"):
        _carried(tmp_path, document)


def test_a_short_table_that_is_called_whole_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="lacks cases"):
        _carried(tmp_path, {**_document(True), "form": "whole"})


def test_a_form_that_there_is_none_of_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a whole or a quick one"):
        _carried(tmp_path, {**_document(True), "form": "thorough"})
