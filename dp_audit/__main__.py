"""Entry of the ``dp-audit`` command, also as ``python -m dp_audit``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from dp_audit.own_packages import shadowing


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    ``argv`` holds the arguments after the command's name; None reads them from ``sys.argv``.
    The exit code is 2 when another package shadows one of ours, 130 when interrupted, and
    otherwise that of ``audit.cli.main.main``.
    """
    complaint = shadowing()
    if complaint is not None:
        print(complaint, file=sys.stderr)
        return 2
    try:
        # Imported late: a module-level import would run the foreign code that is looked for.
        from audit.cli.main import main as command_line

        return command_line(argv)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
