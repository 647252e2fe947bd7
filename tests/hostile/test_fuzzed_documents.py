"""Whatever a stranger's document says, its reader gives a value or an error of ours.

Honest documents of every kind are changed in a few places, at any depth: a field goes or comes, a
number is huge, a list is a text, and so on. A certificate that was changed in what it states is
never confirmed as it stands.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.auditors.attack.pairs.given_pairs import given_pair
from audit.auditors.attack.rechecking.replaying import frozen_test
from audit.certify import Effort, certify
from audit.cli.main import main
from audit.self_test.loading import load_self_test
from audit.statements.certificate import digest
from audit.statements.claim import Claim
from audit.subjects.curator_messages import (
    decode_answer,
    decode_output,
    decode_play,
    decode_script,
    encode_output,
    encode_play,
)
from audit.subjects.databases import dataset_of_records
from audit.subjects.lines import require_shallow
from audit.subjects.matrix import decode_channel
from audit.subjects.synthesizer import program_subject
from audit.utility.catalogue import metric_named
from audit.utility.draws import read_draws
from audit.utility.parameters import plan_metric
from audit.verify import read_certificate, verify
from proofs import checker
from proofs.derivation import replay
from proofs.guarantees import parse_guarantee
from proofs.ledger.files import of_list, of_release
from synthesizers.budget import PureBudget
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.noise import DiscreteLaplace
from synthesizers.playing import Play
from synthesizers.queries import Marginal
from synthesizers.questions_json import (
    budget_from_json,
    question_from_json,
    question_to_json,
    setting_from_json,
    setting_to_json,
)
from tests.hostile.fuzzing import REFUSED, VALUES, mutations_of, taken, text_of
from tests.proofs.honest_derivations import EXAMPLES, written
from tests.synthesizers.declared_examples import DECLARED
from tests.synthesizers.question_examples import domain_of, questions_with

Document = dict[str, Any]
Reader = Callable[[Any], Any]

DOMAIN = Domain.from_cells("2x3")
LAPLACE = Measure(Marginal(DOMAIN.names), DiscreteLaplace(Fraction(4)), 0, 9)
SETTING = Setting(DOMAIN, AddRemove(Unit("person", 2)), None, 4)
LEDGER: Document = {
    "schema": "dp-audit/ledger/1",
    "program": {"kind": "program", "name": "histogram", "parameters": {}},
    **{"neighbours": "replace-one", "unit": "record", "max_records": 1},
    "domain": DOMAIN.to_json(),
    **{"records": 5, "rows": 5, "budget": PureBudget(Fraction(1, 2)).to_json()},
    "spent": {"epsilon": "1/2"},
    "events": [LAPLACE.to_json(DOMAIN, ReplaceOne())],
}
LIST: Document = {
    **{"neighbours": "add-remove", "unit": "person", "max_records": 2},
    "mechanisms": ["3 * gaussian(sigma=2)", "laplace(epsilon=1)"],
}
RECORDS: list[Any] = [{"a1": "0", "a2": "2"}, {"a1": "1", "a2": 1}]
RULE: Document = {
    "score": "single",
    "column": [{"family": "numbers", "origin": "numbers", "features": [["v", "value", "0"]]}],
    "rising": True,
}
MATRIX: Document = {
    "kind": "channel",
    "rounded": False,
    "matrix": {
        "databases": ["1-0", "0-1"],
        "outputs": ["a", "b"],
        "probabilities": [["1/2", "0.5"], ["1/4", "3/4"]],
    },
}


@cache
def proved() -> Document:
    """A certificate of the geometric sanitizer, with its proof."""
    domain = Domain.from_cells("2")
    claim = Claim(parse_guarantee("epsilon=2"), ReplaceOne(), "output", domain, 1)
    subject = program_subject("geometric-sanitizer", {"epsilon": "2"})
    found = certify(subject, claim, Effort(rows=1), "dp-audit certify").certificate
    document: Document = json.loads(json.dumps(found.to_json()))
    assert document["verdict"] == "PROVED"
    return document


@cache
def attacked() -> Document:
    """A certificate of outputs in files, by an attack alone."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("0", "1"):
            (Path(folder) / f"{name}.json").write_text(json.dumps([int(name)] * 300))
        files = ",".join(f"{folder}/{name}.json" for name in ("0", "1"))
        path = Path(folder) / "out"
        words = f"certify outputs:{files} --claim epsilon=1 --neighbours add-remove --seed 4"
        main([*words.split(), "--jobs", "1", "--quiet", "--out", str(path)])
        document: Document = json.loads(path.read_text())
    assert document["verdict"] == "REFUTED"
    return document


def signed(document: Any) -> Any:
    """With the digest that fits, as anyone who forges can compute it."""
    if isinstance(document, dict) and "digest" in document:
        try:
            return {**document, "digest": digest(document)}
        except (ValueError, RecursionError, TypeError):
            return document
    return document


def checked(document: Any) -> Any:
    """The checker's word: it raises nothing, and what it says can be printed."""
    found = checker.check(document)
    assert found.status in checker.STATUSES
    return found


def by_command(*words: str) -> Reader:
    """A command that reads a document: it ends with a code of the contract, by no fault of ours."""

    def reader(document: Any) -> int:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "given.json"
            path.write_text(text_of(document))
            code = main([str(path) if word == "FILE" else word for word in words])
        assert code in (0, 1, 2, 3, 4)
        return code

    return reader


def from_file(read: Callable[[str], Any]) -> Reader:
    def reader(document: Any) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "given.json"
            path.write_text(text_of(document))
            return read(str(path))

    return reader


def metrics_of_plan(plan: Any) -> None:
    """A plan as TOML reads it: tables of values."""
    for name, own in plan.items() if isinstance(plan, dict) else ():
        if isinstance(own, dict) and all(isinstance(key, str) for key in own):
            plan_metric(type(metric_named(name)), own, metric_named)


def metrics_of_draws(path: str) -> None:
    """The metrics of a draws file, each found to fit a domain or refused."""
    for name, drawn in read_draws(path).items():
        metric_named(name).with_draws(drawn).check(Domain.from_cells("2x3x2"))


def pair_of(databases: Any) -> Any:
    first, second = databases if isinstance(databases, list) and len(databases) == 2 else (1, 2)
    return given_pair(first, second, AddRemove(), DOMAIN)


PLAYS = [[*map(list, play[:1]), *play[1:]] for play in map(encode_play, (
    Play((0, 1), 1, None), Play((0,), None, (1, None, "x")), Play((0,), None, None),
))]  # fmt: skip
OUTPUT = encode_output((1, None, "x", 2**60))
WHOLE = {"setting": setting_to_json(SETTING), "ask": question_to_json(LAPLACE)}

documents: dict[str, tuple[Callable[[], Any], Reader]] = {
    "domains": (DOMAIN.to_json, Domain.from_json),
    "settings": (lambda: setting_to_json(SETTING), setting_from_json),
    "budgets": (
        lambda: PureBudget(Fraction(1, 3), AddRemove()).to_json(),
        budget_from_json,
    ),
    "ledgers": (lambda: LEDGER, lambda plain: of_release(plain if type(plain) is dict else {})),
    "lists of expressions": (
        lambda: LIST,
        lambda plain: of_list(plain if type(plain) is dict else {}),
    ),
    "databases": (lambda: RECORDS, lambda plain: dataset_of_records(plain, DOMAIN)),
    "pairs": (lambda: [RECORDS, RECORDS[:1]], pair_of),
    "channels in certificates": (
        lambda: MATRIX,
        lambda plain: decode_channel(
            plain if type(plain) is dict else {}, "it", ReplaceOne(), "output"
        ),
    ),
    "answers": (lambda: [1, -2, str(2**60)], decode_answer),
    "scripts": (
        lambda: [[1], None, [2, 3]],
        lambda plain: decode_script(plain if type(plain) is list else []),
    ),
    "outputs": (lambda: OUTPUT, lambda plain: decode_output(plain, DOMAIN)),
    "records": (
        lambda: {"records": [[0, 2], [1, 1]]},
        lambda plain: decode_output(plain, DOMAIN),
    ),
    "plays": (
        lambda: PLAYS,
        lambda plain: [decode_play(play, 2, DOMAIN) for play in plain]
        if type(plain) is list
        else decode_play(plain, 2, DOMAIN),
    ),
    "messages": (lambda: WHOLE, require_shallow),
    "plans": (
        lambda: {"k-marginal": {"k": 3}, "pmse-ratio": {"permutations": 5, "seed": 1}},
        metrics_of_plan,
    ),
    "draws": (
        lambda: {"k-marginal": [["a1", "a2", "a3"]], "range-queries": [{"a1": [0, 1]}]},
        from_file(metrics_of_draws),
    ),
    "self-tests": (
        lambda: {"schema": "dp-audit/self-test/1", "liars": [], "controls": [], "code": "x"},
        from_file(load_self_test),
    ),
    "proofs by the kernel": (lambda: written(EXAMPLES["to-approx"][0]()), replay),
    "proofs by the checker": (lambda: written(EXAMPLES["fixed-ledger"][0]()), checked),
    "certificates by the checker": (proved, checked),
    "rules of attacks": (attacked, lambda plain: frozen_test(certificate_of(plain), None)),
}  # fmt: skip
commands: dict[str, tuple[Callable[[], Any], Reader]] = {
    "verify, a proof": (proved, lambda plain: verified(signed(plain))),
    "verify, an attack": (attacked, lambda plain: verified(signed(plain))),
    "explain": (proved, by_command("explain", "FILE")),
    "account": (lambda: LEDGER, by_command("account", "FILE", "--delta", "1e-6")),
    "replay": (attacked, by_command("replay", "FILE", "--jobs", "1", "--runs", "20", "--quiet")),
}


def certificate_of(plain: Any) -> Document:
    return read_certificate(text_of(plain), "it")


def verified(plain: Any) -> int:
    return verify(certificate_of(plain)).exit_code


QUICK = settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow])
LONG = settings(max_examples=400, suppress_health_check=list(HealthCheck))
FEWER = settings(max_examples=100, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("name", documents)
@QUICK
@given(data=st.data())
def test_any_document_is_read_or_refused(name: str, data: st.DataObject) -> None:
    honest, reader = documents[name]
    taken(reader, data.draw(mutations_of(honest())))


@pytest.mark.slow
@pytest.mark.parametrize("name", documents)
@LONG
@given(data=st.data())
def test_many_documents_are_read_or_refused(name: str, data: st.DataObject) -> None:
    honest, reader = documents[name]
    taken(reader, data.draw(mutations_of(honest())))


@pytest.mark.slow
@pytest.mark.parametrize("name", commands)
@FEWER
@given(data=st.data())
def test_a_command_ends_well_whatever_its_document_says(name: str, data: st.DataObject) -> None:
    honest, reader = commands[name]
    taken(reader, data.draw(mutations_of(honest())))


@pytest.mark.parametrize("name", documents)
def test_an_honest_document_is_read(name: str) -> None:
    """Or else the changed ones would all be refused at the same place."""
    honest, reader = documents[name]
    if name != "self-tests":
        assert taken(reader, honest()) is not REFUSED


@pytest.mark.parametrize("name", documents)
def test_any_value_for_a_document_is_read_or_refused(name: str) -> None:
    _, reader = documents[name]
    for value in VALUES:
        taken(reader, value)


@pytest.mark.slow
@pytest.mark.parametrize("value", DECLARED, ids=lambda value: type(value).__name__)
@settings(max_examples=200, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_question_is_read_or_refused_and_is_written_as_it_was_read(
    value: Any, data: st.DataObject
) -> None:
    domain = domain_of(value)
    event = data.draw(st.sampled_from(questions_with(value)))
    plain = data.draw(mutations_of(json.loads(json.dumps(question_to_json(event)))))
    found = taken(lambda given: question_from_json(given, domain), plain)
    if found is not REFUSED:
        again = json.loads(json.dumps(question_to_json(found)))
        assert question_from_json(again, domain) == found
