"""Going to the folder of a subject, and coming back."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.subjects.working_folder import work_in
from synthesizers.errors import InputError


def test_the_process_comes_back_whatever_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    with work_in("there"):
        assert Path.cwd() == tmp_path / "there"
    assert Path.cwd() == tmp_path
    with pytest.raises(ZeroDivisionError), work_in(tmp_path / "there"):
        raise ZeroDivisionError
    assert Path.cwd() == tmp_path
    with work_in(None):
        assert Path.cwd() == tmp_path


@pytest.mark.parametrize("name", ["absent", "file", "a\0b"])
def test_what_is_no_folder_is_an_input_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="can't be entered"), work_in(name):
        pass
    assert Path.cwd() == tmp_path
