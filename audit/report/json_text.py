"""Documents as the text of JSON files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def json_text(document: Mapping[str, Any]) -> str:
    """A document as text that every reader takes; ends with a newline.

    Strict: no NaN and no Infinity; anything but ASCII is escaped.
    """
    return json.dumps(document, indent=1, allow_nan=False) + "\n"
