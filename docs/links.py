"""Links of pages that leave docs/, for the site: to the repository, or words and a path.

A hook of mkdocs (mkdocs.yml names it). The pages link to files beside docs/ as every reader of the
repository needs it: by a relative path. On the site such a path leads nowhere.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any

_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((\.\./[^)\s]+)\)")


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """The page's text with links that the site can follow."""
    folder = posixpath.dirname(page.file.src_uri)

    def _lead(link: re.Match[str]) -> str:
        words, target = link.groups()
        path = posixpath.normpath(posixpath.join("docs", folder, target))
        # The site has pages and files, and no folder of examples.
        if path.startswith("docs/") and posixpath.splitext(path)[1]:
            return link[0]
        if config.repo_url:
            return f"[{words}]({config.repo_url.rstrip('/')}/blob/HEAD/{path})"
        return words if path in words else f"{words} (`{path}`)"

    return _LINK.sub(_lead, markdown)
