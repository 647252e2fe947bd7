"""The runner of pages sees what a page says wrongly."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import list_commands, read_blocks, run_page

PAGE = """\
# A page

```python
# words.py
WORDS = "three blind mice"
```

```bash
python -c "import words; print(words.WORDS)"
```

```text
three ... mice
```

<!-- exit 1 -->
```bash
python -c "raise SystemExit(1)"
```

<!-- not run: there is no such command -->
```bash
dp-audit certify x:y \\
    --claim "epsilon=1"  # a claim
```
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    return tmp_path / "page.md"


def test_a_page_that_is_right_is_run(page: Path) -> None:
    page.write_text(PAGE)
    run_page(page, page.parent / "run")
    assert list_commands(read_blocks(page)) == [
        ["dp-audit", "certify", "x:y", "--claim", "epsilon=1"]
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("three ... mice", "two ... mice", "page.md, line 8 shows"),
        ("<!-- exit 1 -->\n", "", "page.md, line 16 ends with 1 instead of 0"),
        ("# words.py", "# other.py", "No module named 'words'"),
    ],
)
def test_a_page_that_is_wrong_is_seen(page: Path, right: str, wrong: str, message: str) -> None:
    page.write_text(PAGE.replace(right, wrong))
    with pytest.raises(AssertionError, match=message):
        run_page(page, page.parent / "run")


@pytest.mark.parametrize(("goes", "stays"), [("cd deep", True), ("(cd deep)", False)])
def test_a_block_goes_on_where_the_one_before_it_ended(page: Path, goes: str, stays: bool) -> None:
    page.write_text(f"```bash\nmkdir deep\n{goes}\n```\n\n```bash\ntouch here\n```\n")
    run_page(page, page.parent / "run")
    assert (page.parent / "run" / "deep" / "here").exists() == stays
