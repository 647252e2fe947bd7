"""Functions as strangers write them: they do what they should not. A child imports them by name."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import pickle
import signal
import stat
import struct
import sys
import threading
import time

import numpy as np
import pandas as pd

imported = np.random.default_rng().random()
"""Noise that was drawn when the module was imported."""

turns = itertools.count()
"""How often a function of this process was called."""


class Mine:
    """A class that nobody else can import."""


class Frame(pd.DataFrame):
    """A table of a class that nobody else can import."""


def any_of(database, rng):
    """The function that the database names, on the rest of it."""
    name, *records = database
    return globals()[name](records, rng)


def any_batch(database, rng, runs):
    """The batch form that the database names, on the rest of it."""
    name, *records = database
    return globals()[name](records, rng, runs)


def noisy(database, rng):
    return len(database) + rng.laplace()


def noisy_batch(database, rng, runs):
    return len(database) + rng.laplace(size=runs)


def size(database, rng):
    return len(database)


def scaled(database, rng, *, factor=1, word="none"):
    return [type(factor).__name__, factor, word, len(database)]


own = int.from_bytes(os.urandom(6), "big")
"""A number of this process: in a namespace of its own, all have the same process id."""


def process(database, rng):
    return own


def fixed_seed(database, rng):
    return np.random.default_rng(0).random()


def global_random(database, rng):
    return np.random.random()


def seeded_globally(database, rng):
    np.random.seed(5)
    return np.random.random()


def all_kinds(database, rng):
    outputs = (
        1,
        2.5,
        float("nan"),
        None,
        "text\ud800",
        [1, [2, None]],
        {"a": (1, 2)},
        np.arange(3),
        pd.DataFrame({"a": ["x", None]}),
        Mine(),
    )
    return outputs[int(rng.integers(len(outputs)))]


def raises_on_one(database, rng):
    if not database:
        raise KeyError("a secret")
    return 1


def leaves_python(database, rng):
    if not database:
        sys.exit(3)
    return 1


def ends_process(database, rng):
    if not database:
        os._exit(0)
    return 1


def crashes(database, rng):
    if not database:
        ctypes.string_at(0)
    return 1


def interrupts(database, rng):
    raise KeyboardInterrupt


def loops(database, rng):
    while not database:
        pass
    return 1


def sleeps(database, rng):
    if not database:
        time.sleep(3600)
    return 1


def stops_itself(database, rng):
    if not database:
        os.kill(os.getpid(), signal.SIGSTOP)
    return 1


def never_ends(database, rng):
    time.sleep(3600)


def allocates(database, rng):
    held = []
    while not database:
        held.append(bytearray(2**24))
    return 1


def allocates_at_once(database, rng):
    return 1 if database else np.zeros(2**40)


def mutates(database, rng):
    seen = [dict(record) for record in database]
    for record in database:
        record["a"] += 1
    database.append({"a": 0})
    return seen


def closes_all(database, rng):
    if not database:
        os.closerange(0, 4096)
    return 1


def closes_low(database, rng):
    os.closerange(0, 256)
    return 1


def closes_streams(database, rng):
    sys.stdout.close()
    return len(database)


def chatters(database, rng):
    print("garbage" * 1000)
    os.write(1, b"\x00\xff" * 5000)
    os.write(2, b"\x00\xff" * 5000)
    sys.stdout.flush()
    return len(database)


def writes_everywhere(database, rng):
    if not database:
        for descriptor in range(600):
            with contextlib.suppress(OSError):
                os.write(descriptor, b"\xff" * 100)
    return 1


class Intruder:
    """An object that runs code where it is unpickled."""

    def __reduce__(self):
        return exec, ("import builtins; builtins.intruded = True",)


def _frame_of_intruder(number):
    pickled = pickle.dumps(Intruder())
    return struct.pack("<iQ", number, len(pickled)) + pickled


def _to_every_socket(words):
    for descriptor in range(3, 1024):
        with contextlib.suppress(OSError):
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                os.write(descriptor, words)


def pickles(database, rng):
    """In place of what is said of an output, a pickle; the database says in which frame."""
    if database:
        _to_every_socket(_frame_of_intruder(*database))
    return 1


def pickles_a_table(database, rng):
    """A table of which only a pickle is sent."""
    if database:
        shape = b'["table", "[[\\"a\\", \\"int64\\"]]"]'
        _to_every_socket(struct.pack("<iQ", -1, len(shape)) + shape + _frame_of_intruder(0))
    return 1


def trickles(database, rng):
    """A byte of a frame that never ends, as often as one is waited for."""
    while database:
        _to_every_socket(b"\0")
        time.sleep(0.05)
    return 1


def endless_shapes(database, rng):
    """Frames that are well formed and never an outcome."""
    shape = b'["nothing", ""]'
    while database:
        _to_every_socket(struct.pack("<iQ", -1, len(shape)) + shape)
    return 1


def pickles_in_batches(database, rng, runs):
    _to_every_socket(_frame_of_intruder(-3))
    return np.ones(runs)


def reads_input(database, rng):
    return sys.stdin.read()


def forks(database, rng):
    """Both processes return, and go on with what the caller does next."""
    os.fork()
    return len(database)


def forks_and_raises(database, rng):
    if os.fork() == 0:
        raise ValueError
    return len(database)


def leaves_another_behind(database, rng):
    if os.fork() == 0:
        time.sleep(3600)
    return len(database)


def leaves_a_thread(database, rng):
    threading.Thread(target=time.sleep, args=(3600,)).start()
    return len(database)


def ends_later(database, rng):
    """In a thread, after the block."""
    threading.Timer(0.2, os._exit, (1,)).start()
    return len(database)


def huge(database, rng):
    return "x" * (2**26 + 1) if not database else "x" * 10**6


def table(database, rng):
    table = Frame({"a": [1, 2], "b": ["x", None]})
    if not database:
        table["c"] = [Mine(), 1]
        table.attrs["more"] = Mine()
    return table


def raises_in_batches(database, rng, runs):
    """On one database, as soon as more than one run is wanted."""
    if not database and runs > 1:
        raise ValueError
    return rng.random(runs)


def raises_always(database, rng, runs):
    if not database:
        raise ValueError
    return np.ones(runs)


def exits_in_batches(database, rng, runs):
    if not database:
        sys.exit(1)
    return np.ones(runs)


def hangs_in_batches(database, rng, runs):
    if not database:
        time.sleep(3600)
    return np.ones(runs)


def dies_in_batches(database, rng, runs):
    os._exit(1)


def too_few(database, rng, runs):
    return [0] * (runs - 1)


def lists_of_all_lengths(database, rng, runs):
    return [[0] * int(rng.integers(3)) for _ in range(runs)]


def program(curator):
    return 0


def four(database, rng, runs, more):
    return 0


class Counter:
    """A function with a parameter of its own."""

    def __init__(self, epsilon):
        self.epsilon = epsilon

    def __call__(self, database, rng):
        return [self.epsilon, len(database)]


not_callable = 3


def of_import(database, rng):
    """Noise of this process, and a little of what it was handed."""
    return imported + rng.integers(4)
