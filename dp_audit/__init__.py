"""Check privacy claims from Python; the entry of the ``dp-audit`` command."""
