"""Submissions: how they are handed in, read, unpacked, and made ready to run."""
