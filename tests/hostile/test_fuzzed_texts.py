"""Whatever a stranger's text or file says, its reader gives a value or an error of ours.

Each reader is given honest texts or files that were changed in a few places. What is written is
read again as it was.
"""

from __future__ import annotations

import gzip
import io
import json
import tempfile
import tomllib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.auditors.attack.pairs.given_pairs import read_database
from audit.statements import strict_json
from audit.subjects.matrix import read_channel
from audit.subjects.output_tables import output_table
from audit.subjects.outputs import read_outputs
from audit.utility.catalogue import metric_named
from audit.utility.draws import read_draws
from audit.utility.parameters import plan_metric, read_plan
from proofs import checker
from proofs.guarantees import parse_guarantee
from proofs.ledger.expressions import parse
from proofs.ledger.files import of_list
from synthesizers.column_schemas import domain_from_column_schema
from synthesizers.domain import Domain
from synthesizers.domain_toml import domain_from_toml, domain_to_toml
from synthesizers.drafts.draft import Bins
from synthesizers.drafts.forms import draft_schema_file
from synthesizers.drafts.from_table import draft_table
from synthesizers.exact import parse_rational
from synthesizers.laws.perturbation_tables import read_perturbation_table
from synthesizers.laws.pram import read_matrix
from synthesizers.neighbours import ReplaceOne
from synthesizers.numerals import number_text, rational
from synthesizers.schemas import load_domain
from synthesizers.tables import read_table
from tests.hostile.fuzzing import (
    REFUSED,
    TEXTS,
    VALUES,
    changed_bytes,
    changed_text,
    pieces,
    taken,
)
from tests.synthesizers.drafts.samples import SCHEMAS

Reader = Callable[[Any], Any]

TOML = """
[attributes]
sex = { values = ["f", "m"], missing = "n/a" }
age = { bins = [0, "1/3", 2.5, 100], ordinal = true }
[hierarchies.sex]
levels = [["f", "m or none", "m or none"]]
[individual]
id = "person"
"""
SCHEMA = json.dumps(
    {
        "A": {"type": "categorical", "values": ["a", "b", ""]},
        "B": {"type": "categorical-code", "size": 3},
        "C": {"type": "numeric", "min": 0, "max": 1e2, "null_value": "N"},
        "D": {"type": "numeric", "min": 0.25, "max": 1.5},
    }
)
INCIDENTS = json.dumps(
    {
        "periods": [{"year": 2019, "month": 1}],
        "neighborhood": [{"code": 0, "name": "x"}],
        "incident_type": [{"code": 3}],
    }
)
DOMAIN = domain_from_toml(TOML, "small")
TABLE = "sex,age,person\nf,0.25,1\nm,99,1\n,2,2\n"
FRAME = pd.DataFrame({"sex": ["f", "m", None], "age": [0.25, 99.0, 1.0], "person": [1, 1, 2]})
CHANNEL = "database,a,1-0\n2-0,3/4,0.25\n1-1,1/2,1/2\n0-2,0.25,3/4\n"
PAIR = json.dumps([{"sex": "f", "age": 1}, ["f", 1.5, None], "x", 2**70, True])
CELLS = Domain.from_cells("2x3x2x2")
DRAWS = json.dumps({"k-marginal": [["a1", "a2", "a3"], ["a1", "a3", "a4"]]})
PLAN = '[k-marginal]\nk = 3\n[pmse-ratio]\npermutations = 10\n[workload-error]\nk = "1"\n'
LIST = 'neighbours = "add-remove"\nmechanisms = ["10 * laplace(epsilon=0.1)"]\n'
TEXT_OF_PROOF = json.dumps({"schema": "dp-audit/derivation/2", "steps": [], "hypotheses": []})


def parquet() -> bytes:
    file = io.BytesIO()
    FRAME.to_parquet(file)
    return file.getvalue()


def from_file(read: Callable[[str], Any], suffix: str) -> Reader:
    """The reader of a file's path as one of its content."""

    def reader(content: str | bytes) -> Any:
        raw = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"given{suffix}"
            path.write_bytes(raw)
            return read(str(path))

    return reader


def metrics_of_plan(path: str) -> Any:
    """The metrics of a plan, each found to fit a domain or refused."""
    for name, own in read_plan(path).items():
        plan_metric(type(metric_named(name)), own, metric_named).check(CELLS)


def metrics_of_draws(path: str) -> Any:
    """The metrics of a draws file, each found to fit a domain or refused."""
    for name, drawn in read_draws(path).items():
        metric_named(name).with_draws(drawn).check(CELLS)


def both_outputs(path: str) -> Any:
    return read_outputs(path, path)


def checked_alone(path: str) -> None:
    """What the independent checker says: one of its words and codes, whatever the file."""
    found = checker.check_file(path)
    assert found.status in checker.STATUSES and found.status != "checked"


CLAIMS = ["epsilon=1", "epsilon = 2 , delta=1e-6", "rho=1/2", "mu=0.5", "alpha=8, rdp=2"]
EXPRESSIONS = [
    "1000 * gaussian(sigma=30, sensitivity=2) + laplace(epsilon=0.1)",
    "3 * poisson(q=0.01, gaussian(sigma=1))",
    "pure(epsilon=1, delta=1e-9)",
]

texts: dict[str, tuple[list[str], Reader]] = {
    "claims": (CLAIMS, lambda text: str(parse_guarantee(text))),
    "rationals": (["1", "-2/3", "0.25", "1e-6"], lambda text: str(parse_rational(text, "it"))),
    "numerals": (["1", "-2/3", "0.25", "1e-6"], rational),
    "expressions": (EXPRESSIONS, parse),
    "ledgers of expressions": ([LIST], lambda text: of_list(toml(text))),
    "domain files": ([TOML, domain_to_toml(DOMAIN)], lambda text: domain_from_toml(text, "d")),
    "column schemas": ([SCHEMA, INCIDENTS], lambda text: domain_from_column_schema(text, "d")),
    "schemas of others": (
        [json.dumps(schema) for schema in SCHEMAS.values()],
        from_file(lambda path: draft_schema_file(path, Bins(3)).toml(), ".json"),
    ),
    "domain files of JSON": ([SCHEMA], from_file(load_domain, ".schema.json")),
    "cells": (["4", "2x3", "2x3x4"], Domain.from_cells),
    "documents": ([SCHEMA, INCIDENTS, "{}"], lambda text: strict_json.parse(text, "it", "")),
    "databases": ([PAIR, "[1, NaN]"], from_file(read_database, ".json")),
    "draws": ([DRAWS], from_file(metrics_of_draws, ".json")),
    "plans": ([PLAN], from_file(metrics_of_plan, ".toml")),
    "matrices": (["0.9,0.1\n1/10,9/10\n"], from_file(read_matrix, ".csv")),
    "perturbation tables": (
        ["count,change,chance\n1,-1,1/2\n1,1,1/2\n"],
        from_file(read_perturbation_table, ".csv"),
    ),
    "outputs in lines": (["[1, 2]\n[3]\n", '{"a": 1}\n'], from_file(both_outputs, ".jsonl")),
    "outputs in JSON": (['[[1, 2], {"a": "x"}]'], from_file(both_outputs, ".json")),
    "proofs": ([TEXT_OF_PROOF], from_file(checked_alone, ".json")),
}  # fmt: skip
files: dict[str, tuple[list[bytes], Reader]] = {
    "tables": ([TABLE.encode()], from_file(lambda path: read_table(path, DOMAIN), ".csv")),
    "compressed tables": (
        [gzip.compress(TABLE.encode(), mtime=0)],
        from_file(lambda path: read_table(path, DOMAIN), ".csv.gz"),
    ),
    "tables to draft of": (
        [TABLE.encode(), b"a,b\n2020-01-01,1.5\n2020-02-29,N\n"],
        from_file(lambda path: draft_table(path, Bins(3)).toml(), ".csv"),
    ),
    "tables in Parquet": (
        [parquet()],
        from_file(lambda path: read_table(path, DOMAIN), ".parquet"),
    ),
    "channels": (
        [CHANNEL.encode()],
        from_file(lambda path: read_channel(path, ReplaceOne(), "output", False), ".csv"),
    ),
    "rounded channels": (
        [CHANNEL.encode()],
        from_file(lambda path: read_channel(path, ReplaceOne(), "output", True), ".csv"),
    ),
    "channels in Parquet": (
        [parquet()],
        from_file(lambda path: read_channel(path, ReplaceOne(), "output", False), ".parquet"),
    ),
    "output tables": ([TABLE.encode()], lambda content: output_table(content, DOMAIN)),
    "outputs of rows": ([b"1,2\n3,x\n"], from_file(both_outputs, ".csv")),
    "outputs of arrays": ([b"\x93NUMPY\x01\x00"], from_file(both_outputs, ".npy")),
    "bytes of documents": ([b'{"a": 1}'], from_file(strict_json.read_text, ".json")),
    "proofs as bytes": ([TEXT_OF_PROOF.encode()], from_file(checked_alone, ".json")),
}


def toml(text: str) -> dict[str, Any]:
    """A document of TOML; what is none is not this reader's matter."""
    try:
        return tomllib.loads(text)
    except ValueError:
        return {}


def any_text(honest: list[str]) -> st.SearchStrategy[str]:
    return st.one_of(changed_text(honest), changed_text(honest), pieces, st.text(max_size=20))


QUICK = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
LONG = settings(max_examples=500, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("name", texts)
@QUICK
@given(data=st.data())
def test_any_text_is_read_or_refused(name: str, data: st.DataObject) -> None:
    honest, reader = texts[name]
    taken(reader, data.draw(any_text(honest)))


@pytest.mark.parametrize("name", files)
@QUICK
@given(data=st.data())
def test_any_file_is_read_or_refused(name: str, data: st.DataObject) -> None:
    honest, reader = files[name]
    taken(reader, data.draw(changed_bytes(honest)))


@pytest.mark.slow
@pytest.mark.parametrize("name", texts)
@LONG
@given(data=st.data())
def test_many_texts_are_read_or_refused(name: str, data: st.DataObject) -> None:
    honest, reader = texts[name]
    taken(reader, data.draw(any_text(honest)))


@pytest.mark.slow
@pytest.mark.parametrize("name", files)
@LONG
@given(data=st.data())
def test_many_files_are_read_or_refused(name: str, data: st.DataObject) -> None:
    honest, reader = files[name]
    taken(reader, data.draw(changed_bytes(honest)))


@pytest.mark.parametrize("name", texts)
def test_an_honest_text_is_read(name: str) -> None:
    """Or else the changed ones would all be refused at the same place."""
    honest, reader = texts[name]
    assert all(taken(reader, text) is not REFUSED for text in honest)


@pytest.mark.parametrize("name", ["claims", "rationals", "numerals", "expressions", "cells"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_text_at_which_others_stumbled_is_read_or_refused(name: str, text: str) -> None:
    _, reader = texts[name]
    for around in ("{}", "epsilon={}", "laplace(epsilon={})", "{} * laplace(epsilon=1)"):
        taken(reader, around.format(text))


@pytest.mark.parametrize("number", range(len(VALUES)))
def test_any_value_is_a_rational_or_refused(number: int) -> None:
    taken(lambda given: str(parse_rational(given, "it")), VALUES[number])


fractions = st.fractions(max_denominator=10**12)


@given(epsilon=st.fractions(min_value=0), delta=st.fractions(min_value=0, max_value="9/10"))
@settings(max_examples=50)
def test_a_claim_that_is_written_is_read_again(epsilon: Fraction, delta: Fraction) -> None:
    for text in (f"epsilon={epsilon}", f"epsilon={epsilon}, delta={delta}", f"rho={epsilon}"):
        claim = parse_guarantee(text)
        assert parse_guarantee(str(claim)) == claim


@given(value=fractions)
@settings(max_examples=50)
def test_a_number_that_is_written_is_read_again(value: Fraction) -> None:
    assert rational(number_text(value)) == value == parse_rational(number_text(value), "it")


@given(data=st.data())
@settings(max_examples=50)
def test_a_domain_and_an_expression_that_were_read_are_written_and_read_again(
    data: st.DataObject,
) -> None:
    domain = taken(lambda text: domain_from_toml(text, "d"), data.draw(any_text([TOML])))
    if domain is not REFUSED:
        assert domain_from_toml(domain_to_toml(domain), "d") == domain
        assert Domain.from_json(json.loads(json.dumps(domain.to_json()))) == domain
    terms = taken(parse, data.draw(any_text(EXPRESSIONS)))
    if terms is not REFUSED:
        assert parse(" + ".join(map(str, terms))) == terms
