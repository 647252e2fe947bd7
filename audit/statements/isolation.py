"""What kept other people's code apart from the process that judges it, as a value."""

from __future__ import annotations

from dataclasses import asdict, dataclass

PROCESSES = {
    "namespaces": "in a user and process namespace of its own",
    "other user": "under another user id",
    "plain": "in a process of the same user, which could have traced this one",
    "forked": "in a copy of the caller's process",
    "in this process": "in the process that judged it",
}
FILESYSTEMS = {
    "own root": "seeing only the files that it was given",
    "landlock": "reading only the files that it was given",
    "permissions": "kept from the data by file permissions",
    "none": "free to read the data's files",
}
NETWORKS = {
    "namespace": "without a network",
    "seccomp": "unable to open a socket",
    "none": "free to use the network",
}
"""What each value of a field means, best first, in the words of the verdict box."""


@dataclass(frozen=True)
class Isolation:
    """What kept a subject apart: its process, the files and the network.

    The fields hold a key of `PROCESSES`, `FILESYSTEMS` and `NETWORKS`; ValueError otherwise.
    """

    process: str
    filesystem: str
    network: str

    def __post_init__(self) -> None:
        fields = (
            (self.process, PROCESSES),
            (self.filesystem, FILESYSTEMS),
            (self.network, NETWORKS),
        )
        for value, known in fields:
            if value not in known:
                raise ValueError(f"an isolation has one of {', '.join(known)}, not {value!r}")

    def to_json(self) -> dict[str, str]:
        """The three fields, as a certificate has them."""
        return asdict(self)

    @property
    def sufficient(self) -> bool:
        """Whether it is the minimum for PROVED and EXACT about other people's code.

        Guarantee
        ---------
        True only if the subject can neither trace nor signal this process, nor read the data's
        files, nor reach a network, as far as the fields are true; `require_minimum` tries them.
        Backed by ``tests/audit/statements/test_isolation.py``.
        """
        return (
            self.process in ("namespaces", "other user")
            and self.filesystem != "none"
            and self.network != "none"
        )

    @property
    def of_caller(self) -> bool:
        """Whether the subject is an object of the caller's, run there or in a copy of it."""
        return self.process in ("forked", "in this process")

    def describe(self) -> str:
        """How the program ran, one clause for the verdict box."""
        return (
            f"{PROCESSES[self.process]}, {FILESYSTEMS[self.filesystem]}, {NETWORKS[self.network]}"
        )


PLAIN = Isolation("plain", "none", "none")
"""A child like any other."""
