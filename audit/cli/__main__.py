"""``python -m audit``: the same command as ``dp-audit``, behind the same check of its imports."""

from __future__ import annotations

from dp_audit import main

if __name__ == "__main__":
    raise SystemExit(main())
