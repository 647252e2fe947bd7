"""The commands of ``dp-audit``, one a file: each turns parsed flags into an exit code."""
