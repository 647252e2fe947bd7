"""DataSynthesizer's description of a table, as a function of its records."""

import contextlib
import io
import json
import os
import tempfile

import pandas as pd
from DataSynthesizer.DataDescriber import DataDescriber


def describe(records, correlated):
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        table = os.path.join(folder, "table.csv")
        pd.DataFrame(records).to_csv(table, index=False)
        describer = DataDescriber(category_threshold=20)
        kinds = {name: True for name in records[0]}
        given = {"epsilon": 1, "attribute_to_is_categorical": kinds}
        given["seed"] = int.from_bytes(os.urandom(4), "big")
        if correlated:
            describer.describe_dataset_in_correlated_attribute_mode(table, k=1, **given)
        else:
            describer.describe_dataset_in_independent_attribute_mode(table, **given)
    told = describer.data_description
    return json.dumps(told, sort_keys=True, default=str)


def released(records, correlated):
    """Noisy distributions and, of the attributes, the values that are listed."""
    told = json.loads(describe(records, correlated))
    attributes = told["attribute_description"].values()
    shares = [one["distribution_probabilities"] for one in attributes]
    chances = told.get("conditional_probabilities", {})
    return {
        "listed": [one["distribution_bins"] for one in attributes],
        "shares": shares,
        "chances": chances,
    }


def independent(records, rng):
    return released(records, False)["shares"][0]


def categories(records, rng):
    return released(records, False)["listed"][0]


def correlated(records, rng):
    return released(records, True)["chances"]
