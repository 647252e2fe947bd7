from __future__ import annotations

import base64
import math
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.report.picture import (
    COLOURS,
    GRAIN,
    Axis,
    Box,
    Plot,
    decades,
    doublings,
    from_zero,
    percentages,
    png,
    ramp,
    round_ticks,
)
from tests.audit.report.drawings import PIXEL, assert_falls, assert_rises, places


@pytest.mark.parametrize(
    ("axis", "value", "share"),
    [
        (from_zero("a", 4.0), 0.0, 0.0),
        (from_zero("a", 4.0), 1.0, 0.25),
        (from_zero("a", 4.0), 4.0, 1.0),
        (from_zero("a", 4.0), -1.0, 0.0),
        (from_zero("a", 4.0), math.inf, 1.0),
        (decades("a", -4, 0), 0.01, 0.5),
        (decades("a", -4, 0), 0.0, 0.0),
        (decades("a", -4, 0), 1e-9, 0.0),
        (doublings("a", 64.0), 8.0, 0.5),
        (doublings("a", 64.0), 128.0, 1.0),
        (percentages("a"), 0.75, 0.75),
    ],
)
def test_shares(axis: Axis, value: float, share: float) -> None:
    assert axis.share(value) == pytest.approx(share, abs=1e-12)


def test_ticks_are_round_and_inside() -> None:
    assert [label for _, label in round_ticks(0.0, 0.43)] == ["0", "0.1", "0.2", "0.3", "0.4"]
    assert [label for _, label in doublings("a", 8.0).ticks] == ["1", "2", "4", "8"]
    labels = ["1", "0.1", "0.01", "10⁻³", "10⁻⁴"]
    assert [label for _, label in decades("a", -4, 0).ticks] == labels
    assert [label for _, label in decades("a", -12, 0).ticks][-1] == "10⁻¹²"
    assert [label for _, label in percentages("a").ticks] == [f"{25 * k} %" for k in range(5)]


@given(st.floats(1e-12, 1e12))
def test_any_length_has_some_ticks(top: float) -> None:
    values = [value for value, _ in round_ticks(0.0, top)]
    assert 4 <= len(values) <= 8 and values[0] == 0 and values[-1] <= top * (1 + 1e-9)


@given(st.integers(-300, 0), st.integers(1, 40))
def test_any_decades_have_few_ticks(first: int, length: int) -> None:
    values = [value for value, _ in decades("a", first, first + length).ticks]
    assert 2 <= len(values) <= 7
    assert all(value == 10.0 ** round(math.log10(value)) for value in values)


BOX = Box(from_zero("x", 1.0), from_zero("y", 1.0), 100.0)


def test_corners_of_the_box() -> None:
    assert BOX.place(0, 0) == (BOX.left, BOX.bottom) and BOX.place(1, 1) == (BOX.right, BOX.top)
    assert BOX.place(0.5, 0.25) == ((BOX.left + BOX.right) / 2, BOX.bottom - 25)
    assert places(BOX.path([(0, 0), (1, 1)])) == [(BOX.left, BOX.bottom), (BOX.right, BOX.top)]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=60))
def test_thinning_keeps_ends_shape_and_what_is_seen(heights: list[float]) -> None:
    heights.sort()
    points = [(k / (len(heights) - 1), height) for k, height in enumerate(heights)]
    kept = places(BOX.path(points))
    all_places = [BOX.place(*point) for point in points]
    for end in (0, -1):
        assert kept[end] == pytest.approx(all_places[end], abs=PIXEL)
    assert_rises(kept)
    assert_falls([(x, -y) for x, y in kept])
    for place in all_places:
        assert min(math.dist(place, other) for other in kept) <= GRAIN + 2 * PIXEL


def test_many_points_in_one_place_are_one() -> None:
    path = BOX.path([(0.5 + k * 1e-7, 0.5) for k in range(1000)])
    assert len(places(path)) == 2


def test_a_plot_is_described_by_its_axes_and_its_fact() -> None:
    plot = Plot("A plot", "Read it so.", "It falls.", BOX)
    assert plot.description == "Across: x, from 0 to 1. Upwards: y, from 0 to 1. It falls."


def test_each_ramp_has_distinct_colours() -> None:
    for dark in (False, True):
        assert len(set(ramp(dark))) == COLOURS


def test_a_png_read_back_has_a_pixel_for_every_step() -> None:
    steps = np.array([[0, 5, -1], [15, -1, 7]])
    for dark in (False, True):
        data = base64.b64decode(png(steps, dark), validate=True)
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        chunks, place = {}, 8
        while place < len(data):
            (length,) = struct.unpack(">I", data[place : place + 4])
            kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
            (check,) = struct.unpack(">I", data[place + 8 + length : place + 12 + length])
            assert check == zlib.crc32(kind + body)
            chunks[kind] = body
            place += 12 + length
        assert list(chunks) == [b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"]
        # 3 wide, 2 high, 8 bits, a palette; deflated, filtered, not interlaced.
        assert chunks[b"IHDR"] == bytes([0, 0, 0, 3, 0, 0, 0, 2, 8, 3, 0, 0, 0])
        lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(2, 4)
        assert not lines[:, 0].any()
        palette = np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)
        for line, expected in zip(lines[:, 1:], steps, strict=True):
            for index, step in zip(line, expected, strict=True):
                assert chunks[b"tRNS"][index] == (0 if step < 0 else 255)
                if step >= 0:
                    assert "#" + palette[index].tobytes().hex() == ramp(dark)[step]
