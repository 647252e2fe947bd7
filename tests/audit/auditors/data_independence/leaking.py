"""Mechanisms that tell more than their noisy answers, and honest ones that look like them."""

from __future__ import annotations

import logging
import os
import pickle
import random
import tempfile
import warnings
from collections import Counter
from operator import itemgetter

import numpy as np
import pandas as pd

VALUES = ("0", "1", "2")


def counts(database):
    return np.array([sum(record["cell"] == value for record in database) for value in VALUES])


def table(cells):
    return pd.DataFrame({"cell": list(cells)})


# Liars.


def domain_of_the_data(database, rng):
    seen = sorted({record["cell"] for record in database})
    noisy = {v: sum(r["cell"] == v for r in database) + rng.laplace() for v in seen}
    return noisy


def categories_of_the_data(database, rng):
    noisy = np.maximum(counts(database) + rng.laplace(size=3), 0) + 1
    drawn = pd.Series(rng.choice(VALUES, 5, p=noisy / noisy.sum()))
    listed = sorted({record["cell"] for record in database})
    return pd.DataFrame({"cell": pd.Categorical(drawn, listed)})


def exact_rows(database, rng):
    noisy = np.maximum(counts(database) + rng.laplace(size=3), 0) + 1e-6
    return table(rng.choice(VALUES, len(database), p=noisy / noisy.sum()))


def true_count_beside_a_noisy_one_in_the_log(database, rng):
    noisy = len(database) + rng.laplace()
    logging.getLogger("mechanism").debug("n=%d, noisy n=%f", len(database), noisy)
    return noisy


def true_count_on_standard_error(database, rng):
    noisy = len(database) + rng.laplace()
    os.sys.stderr.write(f"{noisy:.3f} instead of {len(database)}\n")
    return noisy


def true_count_in_a_side_file(database, rng):
    noisy = len(database) + rng.laplace()
    with open(os.path.join(tempfile.gettempdir(), "leaking-mechanism.pickle"), "wb") as file:
        pickle.dump({"n": len(database), "seed": 1}, file)
    return noisy


def true_count_in_an_exception(database, rng):
    noisy = len(database) + rng.laplace()
    if noisy > -100:
        raise ValueError(f"too few records: {len(database)} (noisy {noisy:.4f})")
    return noisy


def exception_by_a_record(database, rng):
    if any(record["cell"] == "2" for record in database):
        raise KeyError("2")
    return rng.laplace()


def warning_by_a_record(database, rng):
    noisy = counts(database) + rng.laplace(size=3)
    if any(record["cell"] == "2" for record in database):
        warnings.warn("unusual value", stacklevel=1)
    return noisy


def seed_from_the_data(database, rng):
    own = np.random.default_rng(len(database))
    return len(database) + own.laplace()


def global_seed_from_the_data(database, rng):
    np.random.seed(len(database))
    random.seed(3)
    return len(database) + np.random.laplace()


def scale_from_the_data(database, rng):
    return len(database) + rng.laplace(0.0, 1 / max(1, len(database)))


def clipped_to_the_data(database, rng):
    held = [int(record["cell"]) for record in database] or [0]
    return pd.DataFrame({"x": np.clip(rng.normal(1, 9, 40), min(held), max(held))})


def true_count_beside_the_answers(database, rng):
    return {"n": len(database), "counts": counts(database) + rng.laplace(size=3)}


def converges_on_the_truth(database, rng):
    noisy, model = len(database) + rng.laplace(), 0.0
    while abs(model - len(database)) > 0.5:
        model += 1.0
    return noisy


LIARS = {
    domain_of_the_data: "schema",
    categories_of_the_data: "schema",
    exact_rows: "number of rows",
    true_count_beside_a_noisy_one_in_the_log: "logs and streams",
    true_count_on_standard_error: "logs and streams",
    true_count_in_a_side_file: "files",
    true_count_in_an_exception: "exceptions",
    exception_by_a_record: "exceptions",
    warning_by_a_record: "logs and streams",
    seed_from_the_data: "seeds",
    global_seed_from_the_data: "seeds",
    scale_from_the_data: "scales of noise",
    clipped_to_the_data: "values of the output",
    true_count_beside_the_answers: "values of the output",
}


# Honest ones, all 1-DP when one record is added or removed.


def histogram(database, rng):
    return counts(database) + rng.laplace(size=3)


def counted_in_a_loop(database, rng):
    found = dict.fromkeys(VALUES, 0)
    for record in database:
        found[record["cell"]] += 1
    return {value: count + rng.laplace() for value, count in found.items()}


def counted_without_a_loop(database, rng):
    found = Counter(map(itemgetter("cell"), database))
    return found["0"] + rng.laplace(), found["1"] + rng.laplace(), found["2"] + rng.laplace()


def noisy_rows(database, rng):
    noisy = np.maximum(np.rint(counts(database) + rng.laplace(size=3)), 0).astype(int)
    return table(np.repeat(VALUES, noisy))


def noisy_threshold(database, rng):
    noisy = counts(database) + rng.laplace(size=3)
    return {value: count for value, count in zip(VALUES, noisy, strict=True) if count > 2}


def logs_what_is_noisy(database, rng):
    noisy = len(database) + rng.laplace()
    logging.getLogger("mechanism").info("about %d records", round(noisy))
    print("noisy", noisy)
    return noisy


def fails_by_a_noisy_answer(database, rng):
    noisy = len(database) + rng.laplace()
    if noisy < 0:
        raise ValueError(f"no records: {noisy:.2f}")
    return noisy


def warns_by_a_noisy_answer(database, rng):
    noisy = len(database) + rng.laplace()
    if noisy > 10:
        warnings.warn("many records", stacklevel=1)
    return noisy


def loops_by_a_noisy_answer(database, rng):
    steps = int(np.clip(len(database) + rng.laplace(), 0, 60))
    model = 0.0
    for _ in range(steps):
        model += rng.normal()
    return model


def scale_by_a_noisy_answer(database, rng):
    about = max(1.0, len(database) + rng.laplace(0, 2))
    return len(database) + rng.laplace(0, 2 + 1 / about)


def two_valued(database, rng):
    """Randomised response on whether there is a record: e/(1+e), as likely as the claim allows."""
    truth = len(database) > 0
    return truth if rng.random() < np.e / (1 + np.e) else not truth


def writes_a_noisy_file(database, rng):
    noisy = len(database) + rng.laplace()
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(f"{noisy}\n")
    return noisy


def own_generator(database, rng):
    own = np.random.default_rng(int(rng.integers(2**40)))
    return len(database) + own.laplace()


def global_generators(database, rng):
    return len(database) + np.random.laplace(), random.random()


HONEST = [
    histogram,
    counted_in_a_loop,
    counted_without_a_loop,
    noisy_rows,
    noisy_threshold,
    logs_what_is_noisy,
    fails_by_a_noisy_answer,
    warns_by_a_noisy_answer,
    loops_by_a_noisy_answer,
    scale_by_a_noisy_answer,
    two_valued,
    writes_a_noisy_file,
    own_generator,
    global_generators,
]
