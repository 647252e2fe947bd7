"""Isolation as a value: which is enough, and how it reads."""

from __future__ import annotations

from itertools import product

import pytest

from audit.statements.isolation import FILESYSTEMS, NETWORKS, PLAIN, PROCESSES, Isolation

ENOUGH = {
    "process": {"namespaces", "other user"},
    "filesystem": {"own root", "landlock", "permissions"},
    "network": {"namespace", "seccomp"},
}


@pytest.mark.parametrize("words", list(product(PROCESSES, FILESYSTEMS, NETWORKS)))
def test_all_three_must_be_enough(words: tuple[str, str, str]) -> None:
    isolation = Isolation(*words)
    each = [getattr(isolation, name) in allowed for name, allowed in ENOUGH.items()]
    assert isolation.sufficient == all(each)


def test_a_plain_process_is_not_enough() -> None:
    assert not PLAIN.sufficient


@pytest.mark.parametrize("place", range(3))
def test_an_unknown_word_is_refused(place: int) -> None:
    words = ["namespaces", "own root", "namespace"]
    words[place] = "a promise"
    with pytest.raises(ValueError, match="a promise"):
        Isolation(*words)


def test_a_certificate_has_the_three_words() -> None:
    assert Isolation("other user", "landlock", "seccomp").to_json() == {
        "process": "other user",
        "filesystem": "landlock",
        "network": "seccomp",
    }


def test_the_verdict_box_says_it_in_one_clause() -> None:
    assert Isolation("namespaces", "own root", "namespace").describe() == (
        "in a user and process namespace of its own, seeing only the files that it was given, "
        "without a network"
    )
