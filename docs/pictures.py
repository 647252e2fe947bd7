"""Photographs pages in Chromium, and writes docs/pictures/*.png.

python -m docs.pictures                    # all pictures: some minutes
python -m docs.pictures certificate utility    # those of some pages alone

Each page is shown at the width of a screen and of a phone, in both themes; the picture of a wide
page leaves out its empty margins. The releases and the runs behind them are drawn anew, so that
numbers differ from one time to the next.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory

import dp_audit
from audit.cli.demo import patients
from dp_audit.results import CertificateResult
from synthesizers.tables import write_table
from tests.audit.report.chromium import LOOKS, Look, chromium

FOLDER = Path(__file__).parent / "pictures"
CHALLENGE = Path(__file__).parents[1] / "examples" / "challenge"

SUBMISSIONS = ("command", "exact-size")
"""Those that are photographed: a review of all takes many minutes."""

SIZES = {1280: (1000, 1060), 420: (420, 900)}
"""How much of a page is in its picture, by the width at which it is shown: width and height."""

MOST_BYTES = 200_000
"""No picture is larger, so that the repository stays small."""

EPSILONS = ("1/4", "1", "4")


def write_certificate(page: Path) -> None:
    """The certificate of the demo's release."""
    _certify({"epsilon": "1"}, "output").save(page)


def write_refutation(page: Path) -> None:
    """The same program with noise made for other neighbours."""
    _certify({"epsilon": "1", "calibrated-for": "add-remove"}, "transcript").save(page)


def write_utility(page: Path) -> None:
    """Releases of the demo's patients at several ε."""
    dataset, folder = patients(), page.parent
    write_table(dataset, folder / "patients.csv")
    files = []
    for epsilon in EPSILONS:
        made = dp_audit.release(
            "geometric-sanitizer", dataset, dataset.domain, parameters={"epsilon": epsilon}
        )
        files.append(folder / f"epsilon-{epsilon.replace('/', '-')}.csv")
        made.write_table(files[-1])
    dp_audit.utility(folder / "patients.csv", files, dataset.domain).save(page)


def write_review(page: Path) -> None:
    """Some submissions of the example."""
    folder, review = page.parent / "challenge", page.parent / "review"
    others = {one.name for one in CHALLENGE.iterdir() if one.is_dir()} - {*SUBMISSIONS}
    copytree(CHALLENGE, folder, ignore=ignore_patterns(*others, "*.zip"))
    dp_audit.review(folder, out=review, runs=4_000, releases=1, seed=7)
    page.write_bytes((review / "index.html").read_bytes())


PAGES: Mapping[str, Callable[[Path], None]] = {
    "certificate": write_certificate,
    "refutation": write_refutation,
    "utility": write_utility,
    "review": write_review,
}


def name_picture(page: str, look: Look) -> str:
    """The name of a picture's file, as ``certificate-narrow-dark.png``."""
    width = "wide" if look.width == max(SIZES) else "narrow"
    return f"{page}-{width}-{'dark' if look.dark else 'light'}.png"


def _certify(parameters: Mapping[str, str], released: str) -> CertificateResult:
    dataset = patients()
    return dp_audit.certify(
        "geometric-sanitizer",
        "epsilon=1",
        neighbours="replace-one",
        domain=dataset.domain,
        records=dataset.records,
        released=released,
        parameters=parameters,
    )


def main(wanted: Sequence[str]) -> int:
    """Write the pictures of the wanted pages; exit code 1 where one is too large."""
    FOLDER.mkdir(exist_ok=True)
    large = []
    with TemporaryDirectory() as folder, chromium() as browser:
        for name in wanted or PAGES:
            page = Path(folder) / f"{name}.html"
            PAGES[name](page)
            for look in LOOKS:
                browser.open(page, look)
                picture = browser.photograph(SIZES[look.width])
                path = FOLDER / name_picture(name, look)
                path.write_bytes(picture)
                print(f"{path.name}: {len(picture):,} bytes")
                large += [path.name] if len(picture) > MOST_BYTES else []
    print(*(f"too large: {name}" for name in large), sep="\n", end="")
    return 1 if large else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
