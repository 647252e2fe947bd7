"""Pages in headless Chromium: their pictures, their printed sheets, their mistakes.

Chromium is spoken to over two pipes in the DevTools protocol: JSON, a zero byte after each.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
"""Where Chromium lies; None where it is not installed."""

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: install chromium")

AXE_FOLDER = "DP_AUDIT_AXE"
"""The environment variable with the folder in which ``npm install axe-core`` was run."""

_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--hide-scrollbars", "--remote-debugging-pipe"),
)

_WAIT_FOR_LOAD = """new Promise((done) => {
  if (document.readyState === "complete") done(1); else addEventListener("load", () => done(1));
})"""


@dataclass(frozen=True)
class Look:
    """How wide a page is shown, and in which theme."""

    width: int
    dark: bool = False

    def __str__(self) -> str:
        return f"{self.width} px, {'dark' if self.dark else 'light'}"


LOOKS = tuple(Look(width, dark) for width in (1280, 420) for dark in (False, True))
"""A screen and a phone, in both themes."""


class Chromium:
    """One tab of a running browser."""

    def __init__(self, requests: BinaryIO, answers: BufferedReader) -> None:
        self._requests = requests
        self._answers = answers
        self._pending = b""
        self._number = 0
        self._session: str | None = None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]

    def ask(self, method: str, **parameters: object) -> dict[str, Any]:
        """The result of one method of the protocol. Raises ``RuntimeError`` where it fails."""
        self._number += 1
        request: dict[str, object] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            request["sessionId"] = self._session
        self._requests.write(json.dumps(request).encode() + b"\0")
        self._requests.flush()
        while True:
            answer = json.loads(self._read_message())
            if answer.get("id") == self._number:
                break
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, page: Path, look: Look) -> None:
        """Show a file, and wait until it is loaded."""
        theme = {"name": "prefers-color-scheme", "value": "dark" if look.dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[theme])
        shape = {"width": look.width, "height": 900, "deviceScaleFactor": 1}
        self.ask("Emulation.setDeviceMetricsOverride", **shape, mobile=look.width < 600)
        self.ask("Page.navigate", url=page.resolve().as_uri())
        self.evaluate(_WAIT_FOR_LOAD)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page, after its promise is kept."""
        flags = {"awaitPromise": True, "returnByValue": True}
        answer = self.ask("Runtime.evaluate", expression=expression, **flags)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def photograph(self, size: tuple[int, int] | None = None) -> bytes:
        """The page as PNG: all of it, or a width and height in pixels of its upper middle."""
        wide, high = self.evaluate("[innerWidth, document.documentElement.scrollHeight]")
        width, height = size or (wide, high)
        clip = {"x": (wide - width) / 2, "y": 0, "width": width, "height": height, "scale": 1}
        answer = self.ask("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        return base64.b64decode(answer["data"])

    def print_pdf(self) -> bytes:
        """The page as it is printed."""
        answer = self.ask("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        return base64.b64decode(answer["data"])

    def overflow(self) -> list[str]:
        """Elements that are cut at the right edge of the screen: what scrolls by itself is not."""
        found: list[str] = self.evaluate(_OVERFLOW)
        return found

    def find_violations(self, axe: str) -> list[str]:
        """What axe-core holds against the page: WCAG 2.1, A and AA, and its best practices."""
        self.evaluate(axe + "; 1")
        lines: list[str] = self.evaluate(_RUN_AXE)
        return lines

    def _read_message(self) -> bytes:
        while b"\0" not in self._pending:
            more = self._answers.read1(1 << 20)
            if not more:
                raise RuntimeError("Chromium ended")
            self._pending += more
        message, _, self._pending = self._pending.partition(b"\0")
        return message


_OVERFLOW = """(() => {
  const wide = document.documentElement.clientWidth;
  const scrolls = (one) => one && (["auto", "scroll", "hidden"].includes(
    getComputedStyle(one).overflowX) || scrolls(one.parentElement));
  return [...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > wide + 1 && !scrolls(one.parentElement))
    .map((one) => `${one.tagName} ${one.className} ${one.textContent.trim().slice(0, 60)}`);
})()"""

_RUN_AXE = """(async () => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"];
  const found = await axe.run(document, { runOnly: { type: "tag", values: tags } });
  return found.violations.map((one) => `${one.id}: ${one.help}: ` + one.nodes.slice(0, 4)
    .map((node) => node.target.join(" ") + " " + (node.any[0]?.message ?? "")).join(" | "));
})()"""


@contextmanager
def chromium() -> Iterator[Chromium]:
    """A browser with a profile of its own, which ends with the block."""
    assert CHROMIUM is not None
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        requests, to_browser = os.pipe()
        from_browser, answers = os.pipe()
        # The protocol is spoken on descriptors 3 and 4, which a shell puts in their place.
        words = (CHROMIUM, *_FLAGS, f"--user-data-dir={profile}")
        script = f'exec "$@" 3<&{requests} 4>&{answers}'
        browser = subprocess.Popen(
            ("bash", "-c", script, "chromium", *words),
            pass_fds=(requests, answers),
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        os.close(requests)
        os.close(answers)
        try:
            with os.fdopen(to_browser, "wb") as out, os.fdopen(from_browser, "rb") as back:
                yield Chromium(out, back)
        finally:
            browser.terminate()
            browser.wait()


def count_sheets(pdf: bytes) -> int:
    """How many sheets a printed page has."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def axe_source() -> str:
    """The source of axe-core. Skips the test where it was not installed, and says how it is."""
    place = Path(os.environ.get(AXE_FOLDER, ".")) / "node_modules" / "axe-core" / "axe.min.js"
    if not place.is_file():
        pytest.skip(
            f"needs axe-core: npm install --prefix FOLDER axe-core, then set {AXE_FOLDER}=FOLDER"
        )
    return place.read_text("utf-8")
