"""Writes audit/cli/listed.json: what ``dp-audit list`` says of metrics and noise.

    python docs/listed.py            # writes the file
    python docs/listed.py --check    # compares it, and exits 1 if it differs

The command prints the file, so that it imports none of the libraries that metrics and laws need.
"""

from __future__ import annotations

import inspect
import json
import math
import sys
from typing import Any

from audit.utility.catalogue import METRICS
from audit.utility.metric import FIXED, Metric
from docs.generated import DOCS, write_or_compare
from synthesizers.declared import NOISES, PUBLIC_LAWS, SAMPLED_NOISES, SELECTIONS, TABLE_LAWS

FILE = DOCS.parent / "audit" / "cli" / "listed.json"


def summary(metric: type[Metric]) -> str:
    """What a metric is, its range, and the programs that it can reproduce."""
    span = f"{metric.lowest:g} to {'∞' if math.isinf(metric.highest) else f'{metric.highest:g}'}"
    others = [mode for mode in metric.modes if mode != FIXED]
    compat = f"; --compat {', '.join(others)}" if others else ""
    return f"{_first_line(metric)} [{span}, {metric.direction} is better{compat}]"


def rendered() -> str:
    """The file."""
    laws: set[Any] = NOISES | SAMPLED_NOISES | SELECTIONS | TABLE_LAWS | PUBLIC_LAWS
    lines = {
        "metrics": {name: summary(metric) for name, metric in METRICS.items()},
        "noise": dict(sorted((law.name, _first_line(law)) for law in laws)),
    }
    return json.dumps(lines, indent=1, ensure_ascii=False) + "\n"


def _first_line(kind: type) -> str:
    return (inspect.getdoc(kind) or "").splitlines()[0]


if __name__ == "__main__":
    sys.exit(write_or_compare(__doc__, {FILE: rendered}))
