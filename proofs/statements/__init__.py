"""The rules' pages, read by their headings."""

from __future__ import annotations

from importlib.resources import files


def page(rule: str) -> dict[str, str]:
    """The sections of a rule's page, by heading; the name of the rule is under ``""``.

    Raises FileNotFoundError for a rule without a page.
    """
    text = files(__name__).joinpath(f"{rule}.md").read_text(encoding="utf-8")
    title, *sections = text.split("\n## ")
    found = {"": title.removeprefix("# ").strip()}
    for section in sections:
        heading, _, body = section.partition("\n")
        found[heading.strip()] = body.strip()
    return found


def summary(rule: str) -> str:
    """The rule's statement as one paragraph."""
    return " ".join(page(rule)["Statement"].split())
