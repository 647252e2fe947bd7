"""JSON of strangers: what has two meanings, or no end, is refused."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from audit.statements import strict_json
from synthesizers.errors import InputError

pytestmark = pytest.mark.smoke


def parsed(text: str) -> object:
    return strict_json.parse(text, "a.json", "a list of wishes")


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"a": 1}',
        ' {"a": [1, -2.5, 1e3, true, false, null, "x"], "b": {"a": {}}}\n',
        '{"": "\\u00e9 \\ud83d\\ude00", "é": "😀"}',
        '{"a": {"k": 1}, "b": {"k": 2}}',
        '{"n": 123456789012345678901234567890}',
    ],
)
def test_a_plain_object_is_what_json_says_it_is(text: str) -> None:
    assert parsed(text) == json.loads(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 1}',
        '{"a": 1, "a": 2}',
        '{"b": {"a": null, "c": 0, "a": null}}',
        '{"b": [[{"a": 1, "\\u0061": 2}]]}',
    ],
    ids=["equal values", "other values", "within", "spelled otherwise"],
)
def test_a_key_given_twice_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not JSON"):
        parsed(text)


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("place", ['{"a": %s}', '{"a": [1, {"b": %s}]}'])
def test_numbers_that_json_does_not_have_are_refused(place: str, constant: str) -> None:
    with pytest.raises(InputError, match="is not JSON"):
        parsed(place % constant)


@pytest.mark.parametrize(
    "text",
    ["", "{", "nonsense", "{'a': 1}", '{"a": 01}', '{"a": 1,}', '{"a": 1} {}', "\ufeff{}", "\x00"],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"a\.json is not JSON; expected a list of wishes"):
        parsed(text)


@pytest.mark.parametrize("text", ["[]", "[{}]", "null", "5", '"text"', "true"])
def test_other_values_than_objects_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="no object; expected a list of wishes"):
        parsed(text)


@pytest.mark.parametrize("depth", [1_000, 100_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_beyond_what_python_can_follow_is_refused(
    opening: str, closing: str, depth: int
) -> None:
    deep = opening * depth + "1" + closing * depth
    for text in (f'{{"a": {deep}}}', f'{{"a": {opening * depth}'):
        with pytest.raises(InputError, match="is not JSON"):
            parsed(text)


def test_an_integer_of_endless_digits_is_refused() -> None:
    with pytest.raises(InputError, match="is not JSON"):
        parsed('{"a": ' + "9" * 100_000 + "}")


@pytest.mark.parametrize("text", ['{"a": "\\ud800"}', '{"\\udfff": 1}', '{"a": "\ud800"}'])
def test_half_a_character_can_be_written_again_as_ascii(text: str) -> None:
    found = parsed(text)
    assert json.loads(json.dumps(found).encode("ascii")) == json.loads(text)


@pytest.mark.parametrize("siblings", [1, 1000])
def test_nesting_is_followed_to_a_stated_depth(siblings: int) -> None:
    most = strict_json.MAX_DEPTH
    for shape in ('{"a":%s}', "[%s]"):
        for depth, fits in ((most - 1, True), (most, False), (most + 300, False)):
            inner = "1"
            for _ in range(depth - 1):
                inner = shape % inner
            text = f'{{"a": {inner}, "b": [{",".join(["0"] * siblings)}]}}'
            if fits:
                assert parsed(text) == json.loads(text)
            else:
                with pytest.raises(InputError, match="is not JSON"):
                    parsed(text)


def test_no_refusal_shows_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "MAX_BYTES", 50)
    for text in ('{"secret": NaN}', '["secret"]', '{"secret": 1, "secret": 2}', "secret" * 20):
        with pytest.raises(InputError) as refusal:
            parsed(text)
        assert "secret" not in str(refusal.value)


def test_a_text_of_the_largest_size_is_read_and_one_beyond_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(strict_json, "MAX_BYTES", 8)
    assert parsed('{"a": 1}') == {"a": 1}
    with pytest.raises(InputError, match="larger than"):
        parsed('{"a": 1} ')
    path = tmp_path / "a.json"
    path.write_bytes(b'{"a": 1}')
    assert strict_json.read_text(str(path)) == '{"a": 1}'
    path.write_bytes(b'{"a": 1} ')
    with pytest.raises(InputError, match="larger than"):
        strict_json.read_text(str(path))


def test_no_more_than_one_byte_beyond_the_largest_size_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[int] = []

    class Counted(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            asked.append(-1 if size is None else size)
            return super().read(size)

    monkeypatch.setattr(strict_json, "MAX_BYTES", 1000)
    monkeypatch.setattr(Path, "open", lambda *args: Counted(b" " * 5000))
    with pytest.raises(InputError, match="larger than"):
        strict_json.read_text("endless.json")
    assert asked == [1001]


def test_the_limit_leaves_room_for_certificates() -> None:
    assert strict_json.MAX_BYTES >= 10**7


def test_unreadable_files_are_input_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.json cannot be read"):
        strict_json.read_text(str(tmp_path / "absent.json"))
    with pytest.raises(InputError, match="cannot be read"):
        strict_json.read_text(str(tmp_path))
    latin = tmp_path / "latin.json"
    latin.write_bytes(b'{"a": "\xe9"}')
    with pytest.raises(InputError, match="not UTF-8 text"):
        strict_json.read_text(str(latin))


@pytest.mark.skipif(not Path(os.devnull).exists(), reason="needs an empty device")
def test_an_empty_device_is_an_empty_text() -> None:
    assert strict_json.read_text(os.devnull) == ""


def test_standard_input_is_read_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    class Given:
        def __init__(self, held: bytes) -> None:
            self.buffer = io.BytesIO(held)

    monkeypatch.setattr("sys.stdin", Given('{"é": 1}'.encode()))
    assert strict_json.read_input() == '{"é": 1}'
    endless = Given(b" " * 5000)
    monkeypatch.setattr("sys.stdin", endless)
    with pytest.raises(InputError, match="standard input is larger than"):
        strict_json.read_input(8)
    assert endless.buffer.tell() == 9
    monkeypatch.setattr("sys.stdin", Given(b" " * 8))
    assert strict_json.read_input(8) == " " * 8
    monkeypatch.setattr("sys.stdin", Given(b"\xff"))
    with pytest.raises(InputError, match="not UTF-8 text"):
        strict_json.read_input()
