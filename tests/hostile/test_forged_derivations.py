"""Forged derivations and certificates: the checker says yes to none, and neither does the kernel.

None of them may be CHECKED, end in a traceback, or take long; beside each kind stands an honest one
that must still be checked.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from audit.certify import Effort, certify
from audit.statements.claim import Claim
from audit.subjects.matrix import read_channel
from audit.subjects.synthesizer import program_subject
from proofs import checker
from proofs.channels import channel_certificate
from proofs.derivation import derivation, replay
from proofs.errors import ProofError
from proofs.guarantees import ApproxDP, parse_guarantee
from proofs.kernel import Theorem, prove
from proofs.rules import RULES
from proofs.search.ways import by_sum
from synthesizers.domain import Domain
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from tests.proofs.honest_certificates import (
    SUBJECT,
    by_theorem,
    carried,
    certificate,
    domain,
    filtered,
    output,
    setting,
)
from tests.proofs.honest_derivations import (
    AR,
    EXAMPLES,
    RO,
    approx,
    as_losses,
    asked,
    marginal,
    measured,
    read,
    stated,
    written,
    zcdp,
)

SECONDS = 60
"""How long the checker may take for a small file; it takes about 1."""

Document = dict[str, Any]
Change = Callable[[Document], None]


def verdict_on(data: object) -> str:
    """The checker's word; whatever it raises fails the test."""
    return checker.check(data).status


def changed(document: Document, *changes: Change) -> Document:
    found = copy.deepcopy(document)
    for change in changes:
        change(found)
    return found


def put(*path: Any, to: Any) -> Change:
    """A change of one place; what is not there yet is added."""

    def change(document: Document) -> None:
        place: Any = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return change


# --- Real certificates, and what a forger makes of them ------------------------------------------


def audited(
    text: str, relation: Neighbours, cells: str, *, released: str = "output", epsilon: str = "2"
) -> Document:
    """The certificate of the geometric sanitizer on 3 records."""
    claim = Claim(parse_guarantee(text), relation, released, Domain.from_cells(cells), 3)
    subject = program_subject("geometric-sanitizer", {"epsilon": epsilon})
    found = certify(subject, claim, Effort(rows=3), "dp-audit certify").certificate
    document: Document = json.loads(json.dumps(found.to_json()))
    return document


@pytest.fixture(scope="module")
def proved() -> Document:
    return audited("epsilon=2", ReplaceOne(), "3")


@pytest.fixture(scope="module")
def one_cell(proved: Document) -> Document:
    """The same on one cell, where nothing of n public records is private: ε is 0."""
    shape = {"cell": 1}
    query = {"kind": "marginal", "attributes": ["cell"]}
    count = prove("marginal", [], {"neighbours": RO, "shape": shape, "query": query})
    noisy = prove("additive-noise", [count], {"law": "discrete-laplace", "amount": 1})
    noisy = read(noisy, "sum", 0, 0)
    own = {"program": proved["subject"], "seen": "every transcript"}
    about = prove("fixed-ledger", [noisy], {**own, "setting": setting(shape, 3)})
    return changed(
        {
            **proved,
            **by_theorem("databases of 3 records over 1 cell", epsilon="0"),
            "proof": carried(output(about)),
        },
        put("claim", to="epsilon=0"),
        put("domain", "attributes", 0, "values", to=["0"]),
        put("domain", "cells", to=1),
    )


def of_matrix(folder: Path, rows: str, rounded: bool = False, text: str = "epsilon=1") -> Document:
    """The certificate of a channel in a file."""
    path = folder / "matrix.csv"
    path.write_text(f"database,a,b\n{rows}")
    subject = read_channel(str(path), ReplaceOne(), "output", rounded)
    own = subject.channel.domain
    claim = Claim(parse_guarantee(text), ReplaceOne(), "output", own, 2)
    document: Document = json.loads(
        json.dumps(certify(subject, claim, Effort(), "dp-audit certify").certificate.to_json())
    )
    assert document["verdict"] == "EXACT"
    return document


@pytest.fixture(scope="module")
def exact(tmp_path_factory: pytest.TempPathFactory) -> Document:
    rows = "2-0,3/4,1/4\n1-1,1/2,1/2\n0-2,1/4,3/4\n"
    return of_matrix(tmp_path_factory.mktemp("channel"), rows)


CLAIMS = ("epsilon=2", "epsilon=2, delta=1e-6", "rho=3", "mu=3", "alpha=2, rdp=3")
RELATIONS = (AddRemove(), ReplaceOne(), AddRemove(Unit("person", 2)))


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("released", ["output", "transcript"])
def test_an_honest_certificate_is_checked_whatever_it_claims(claim: str, released: str) -> None:
    for relation in RELATIONS:
        document = audited(claim, relation, "2", released=released)
        found = checker.check(document)
        assert document["verdict"] == "PROVED"
        assert found.status == "checked", found.reasons


def test_an_honest_exact_channel_and_the_one_cell_are_checked(
    exact: Document, one_cell: Document
) -> None:
    for document in (exact, one_cell):
        found = checker.check(document)
        assert found.status == "checked", found.reasons


def test_a_proof_of_one_cell_shows_nothing_of_three(proved: Document, one_cell: Document) -> None:
    """A claim of ε = 0 about noise of ε = 2, by a proof on a domain where nothing is private."""
    forged = {**proved, **{key: one_cell[key] for key in ("claim", "bounds", "evidence", "proof")}}
    assert verdict_on(forged) == "rejected"
    # Nor if what the last steps name is changed as well: the query speaks of its own domain.
    named = changed(
        forged,
        put("proof", "derivation", "steps", -2, "parameters", "setting", to=set_of(proved)),
    )
    assert verdict_on(named) == "rejected"


def set_of(document: Document) -> Any:
    return document["proof"]["derivation"]["steps"][-2]["parameters"]["setting"]


def wide(document: Document) -> None:
    document["domain"]["attributes"][0]["values"] = [str(code) for code in range(100)]
    document["domain"]["cells"] = 100


def another_attribute(document: Document) -> None:
    document["domain"]["attributes"].append({"name": "sex", "values": ["f", "m"]})
    document["domain"]["cells"] = 6


def black_box(kind: str) -> Change:
    return put("subject", "kind", to=kind)


def lower_everywhere(document: Document) -> None:
    """A ceiling of 0.1, wherever the certificate states one."""
    ends = {"lower": "0.1", "upper": "0.1"}
    document["bounds"]["ceiling"]["epsilon"] = ends
    for entry in document["evidence"]:
        if entry["bound"]["side"] == "ceiling":
            entry["bound"]["epsilon"] = dict(ends)


def wide_everywhere(document: Document) -> None:
    """A ceiling whose lower end is 0.1, wherever the certificate states one."""
    lower_everywhere(document)
    document["bounds"]["ceiling"]["epsilon"]["upper"] = "2"
    for entry in document["evidence"]:
        entry["bound"]["epsilon"]["upper"] = "2"


def lower_by_the_theorem(document: Document) -> None:
    ends = {"lower": "0.1", "upper": "0.1"}
    document["bounds"]["ceiling"] = {**document["bounds"]["ceiling"], "rigour": "rigorous"}
    document["bounds"]["ceiling"]["epsilon"] = ends
    document["evidence"][-1]["bound"]["epsilon"] = dict(ends)


def covering(words: str) -> Change:
    """A ceiling by the theorem that covers something else, wherever the certificate states one."""

    def change(document: Document) -> None:
        document["bounds"]["ceiling"]["covers"] = words
        for entry in document["evidence"]:
            if entry["bound"]["side"] == "ceiling":
                entry["bound"]["covers"] = words

    return change


def other_cells(document: Document) -> None:
    """A number of cells that is not the attributes', in the domain and in what is covered."""
    document["domain"]["cells"] = 4
    covering("databases of 3 records over 4 cells")(document)


def ceiling_everywhere(lower: str, upper: str) -> Change:
    """Other ends of the ceiling, wherever the certificate states one."""
    ends = {"lower": lower, "upper": upper}

    def change(document: Document) -> None:
        document["bounds"]["ceiling"]["epsilon"] = ends
        for entry in document["evidence"]:
            if entry["bound"]["side"] == "ceiling":
                entry["bound"]["epsilon"] = dict(ends)

    return change


LOWER = {"lower": "0.1", "upper": "0.1"}
STEP = ("proof", "derivation", "steps")
FORGERIES: dict[str, Change] = {
    "a smaller claim": put("claim", to="epsilon=0"),
    "a claim of another kind": put("claim", to="rho=2"),
    "no claim at all": put("claim", to="differentially private"),
    "a claim that is a list": put("claim", to=["epsilon=2"]),
    "other neighbours": put("neighbours", to="add-remove"),
    "unknown neighbours": put("neighbours", to="similar"),
    "persons": put("unit", to={"name": "person", "max_records": 1}),
    "more records a unit": put("unit", "max_records", to=2),
    "a true number of records": put("unit", "max_records", to=True),
    "a unit with a note": put("unit", "note", to="each"),
    "100 values": wide,
    "another attribute": another_attribute,
    "a renamed attribute": put("domain", "attributes", 0, "name", to="age"),
    "a category for missing values": put("domain", "attributes", 0, "missing", to=True),
    "other cells": put("domain", "cells", to=4),
    "other cells everywhere": other_cells,
    "no domain": put("domain", to=None),
    "a domain with a note": put("domain", "note", to="all"),
    "an attribute with a note": put("domain", "attributes", 0, "note", to="all"),
    "a value twice": put("domain", "attributes", 0, "values", to=["0", "0", "1"]),
    "other records": put("domain", "records", to=4),
    "no number of records": put("domain", "records", to=None),
    "true records": put("domain", "records", to=True),
    "the transcript": put("released", to="transcript"),
    "an unknown release": put("released", to="everything"),
    "another program": put("subject", "name", to="laplace-sanitizer"),
    "other parameters": put("subject", "parameters", "epsilon", to="1/10"),
    "other rows": put("subject", "rows", to=4),
    "rows as a truth value": put("subject", "rows", to=True),
    "a digest": put("subject", "source_sha256", to="0" * 64),
    **{
        f"a black box: {kind}": black_box(kind)
        for kind in ("function", "estimator", "command", "outputs", "channel", "theorem")
    },
    "no kind": put("subject", to={}),
    "no subject": put("subject", to=None),
    "a ceiling of 0.1": put("bounds", "ceiling", "epsilon", to=LOWER),
    "a ceiling of 0.1 in all places": lower_everywhere,
    "a ceiling of 0.1 by the theorem": lower_by_the_theorem,
    "a wide ceiling": put("bounds", "ceiling", "epsilon", "lower", to="0.1"),
    "a wide ceiling in all places": wide_everywhere,
    "a ceiling upside down": put("bounds", "ceiling", "epsilon", to={"lower": "3", "upper": "2"}),
    "half an infinite ceiling": put("bounds", "ceiling", "epsilon", "upper", to="inf"),
    "an infinite end in all places": ceiling_everywhere("2", "inf"),
    "an infinite lower end in all places": ceiling_everywhere("inf", "2"),
    "a ceiling of rho": put("bounds", "ceiling", "rho", to=LOWER),
    "a ceiling with a note": put("bounds", "ceiling", "note", to="ε = 0.01, every database"),
    "a ceiling of every database": covering("every database, with exact epsilon 0.01"),
    "a ceiling of more records": covering("databases of 300 records over 3 cells"),
    "a ceiling of any size": covering("databases of any size over 3 cells"),
    "a ceiling of all cells": covering("databases of 3 records over 300 cells"),
    "a ceiling that covers nothing": covering(""),
    "a ceiling that covers a number": put("bounds", "ceiling", "covers", to=3),
    "no ceiling": put("bounds", "ceiling", to=None),
    "no bounds": put("bounds", to={}),
    "a bound of another side": put("bounds", "roof", to=None),
    "a bound of another side in the evidence": put("evidence", -1, "bound", "side", to="roof"),
    "an exact value of nothing": put("bounds", "exact", "covers", to="every database"),
    "an exact value by the theorem": put("evidence", -1, "bound", "side", to="exact"),
    "no evidence": put("evidence", to=[]),
    "evidence that is text": put("evidence", to="trust me"),
    "evidence without an auditor": put("evidence", 0, to={"bound": None}),
    "a ceiling of the proof in the evidence": put("evidence", -1, "bound", "epsilon", to=LOWER),
    "a statistical ceiling": put("evidence", -1, "bound", "rigour", to="statistical"),
    "an exact ceiling by a theorem": put("evidence", -1, "bound", "rigour", to="exact"),
    "a theorem by another auditor": put("evidence", -1, "auditor", to="prover"),
    "no proof": put("proof", to=None),
    "a proof that is text": put("proof", to="trust me"),
    "a proof with a note": put("proof", "note", to="reviewed"),
    "alternatives that are no list": put("proof", "alternatives", to={}),
    "an alternative that is text": put("proof", "alternatives", to=["trust me"]),
    "no steps": put(*STEP, to=[]),
    "a derivation with a note": put("proof", "derivation", "note", to="reviewed"),
    "a step with a note": put(*STEP, 0, "note", to="reviewed"),
    "another schema": put("proof", "derivation", "schema", to="dp-audit/derivation/9"),
    "an unknown verdict": put("verdict", to="SAFE"),
    "a verdict of the wrong type": put("verdict", to=["PROVED"]),
    "another verdict": put("verdict", to="EXACT"),
    "a channel that is text": put("channel_certificate", to="0-1"),
    "a setting with a note": put(*STEP, -2, "parameters", "setting", "note", to="all"),
    "a setting without attributes": put(*STEP, -2, "parameters", "setting", "attributes", to={}),
    "a setting of true values": put(
        *STEP, -2, "parameters", "setting", "attributes", to={"cell": True}
    ),
    "a setting of other records": put(*STEP, -2, "parameters", "setting", "records", to=300),
    "a setting of any records": put(*STEP, -2, "parameters", "setting", "records", to=None),
    "a release of something else": put(*STEP, -1, "parameters", "released", to="nothing"),
    "a release of the transcript": put(*STEP, -1, "parameters", "released", to="transcript"),
    "a program that is text": put(*STEP, -2, "parameters", "program", to="geometric-sanitizer"),
    "a digit of 10^5": put("claim", to="epsilon=" + "9" * 10**5),
    "a digit of 10^6": put("claim", to="epsilon=0." + "9" * 10**6),
    "a number of 10^5 digits": put(*STEP, 1, "parameters", "amount", to="9" * 10**5),
    "an integer of 10^6 bits": put(*STEP, 0, "parameters", "shape", "cell", to=1 << 10**6),
    "records of 10^6 bits": put("domain", "records", to=1 << 10**6),
    "a float": put(*STEP, 1, "parameters", "amount", to=1.0),
    "a surrogate": put("claim", to="\ud800"),
    "a rule that is a list": put(*STEP, 0, "rule", to=["marginal"]),
    "a premise after its step": put(*STEP, 0, "premises", to=[4]),
    "a premise that is true": put(*STEP, 1, "premises", to=[False]),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_no_forged_certificate_is_checked(proved: Document, name: str) -> None:
    assert verdict_on(proved) == "checked"
    forged = changed(proved, FORGERIES[name])
    assert not checker.agrees(proved, forged)
    assert verdict_on(forged) != "checked"


MINE = ("verdict", "subject", "claim", "neighbours", "unit", "released", "domain", "bounds")


@pytest.mark.parametrize("name", [*MINE, "evidence"])
def test_a_certificate_that_lacks_what_it_is_about_is_rejected(proved: Document, name: str) -> None:
    fewer = {key: value for key, value in proved.items() if key != name}
    assert verdict_on(fewer) == "rejected"


def test_a_black_box_is_not_proved_by_a_programs_proof(proved: Document) -> None:
    for verdict in ("PROVED", "NOT REFUTED"):
        for kind in ("function", "estimator", "command", "outputs", "channel"):
            subject = {"kind": kind, "name": "mine", "rows": 3}
            forged = changed(proved, put("verdict", to=verdict), put("subject", to=subject))
            forged["proof"]["derivation"]["steps"][-2]["parameters"]["program"] = subject
            found = checker.check(forged)
            assert found.status == "rejected" and "only a program" in found.reasons[0]


def exact_value(lower: str, upper: str) -> Change:
    """Another exact value, in both places."""
    ends = {"lower": lower, "upper": upper}

    def change(document: Document) -> None:
        document["bounds"]["exact"]["epsilon"] = ends
        document["evidence"][0]["bound"]["epsilon"] = dict(ends)

    return change


CHANNEL_FORGERIES: dict[str, Change] = {
    "PROVED": put("verdict", to="PROVED"),
    "a smaller value": exact_value("0", "0.1"),
    "a larger value": exact_value("5", "5"),
    "a smaller value in one place": put("bounds", "exact", "epsilon", "upper", to="0.1"),
    "an infinite value": exact_value("0", "inf"),
    **{f"a proof that is {proof!r}": put("proof", to=proof) for proof in ({}, [], "", 0, False)},
    "a floor of nothing": put("bounds", "floor", to={"epsilon": {"lower": "9", "upper": "9"}}),
    "no value": put("bounds", "exact", to=None),
    "more cells": put("domain", "cells", to=3),
    "100 cells": wide,
    "fewer records": put("domain", "records", to=1),
    "more records": put("domain", "records", to=3),
    "other neighbours": put("neighbours", to="add-remove"),
    "a smaller claim": put("claim", to="epsilon=0.1"),
    "a function": put("subject", "kind", to="function"),
    "a program": put("subject", "kind", to="program"),
    "another matrix": put("subject", "matrix", "probabilities", 0, to=["1/2", "1/2"]),
    "other databases": put("subject", "matrix", "databases", 0, to="0-2"),
    "databases that are no numbers": put("subject", "matrix", "databases", 0, to="?-?"),
    "no matrix": put("subject", "matrix", to=None),
    "a rounded matrix of no truth value": put("subject", "rounded", to="no"),
    "another row": put("channel_certificate", "rows", 0, to=["1/2", "1/2"]),
    "another delta": put("channel_certificate", "delta", to="1/2"),
    "a note": put("channel_certificate", "note", to="reviewed"),
    "a database less": lambda document: drop_the_last_database(document),
    "a ceiling by no theorem": lambda document: document.update(by_theorem(epsilon="1")),
}


def drop_the_last_database(document: Document) -> None:
    document["channel_certificate"]["databases"].pop()
    document["channel_certificate"]["rows"].pop()


@pytest.mark.parametrize("name", CHANNEL_FORGERIES)
def test_no_forged_channel_is_checked(exact: Document, name: str) -> None:
    assert verdict_on(changed(exact, CHANNEL_FORGERIES[name])) != "checked"


def test_a_list_of_some_databases_is_not_exact_about_all(exact: Document) -> None:
    """Its matrix, channel and value fit each other: one of the three databases is missing."""
    rows = [(Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 2), Fraction(1, 2))]
    some = channel_certificate(ReplaceOne(), [[2, 0], [1, 1]], rows, ApproxDP(Fraction(1)))
    forged = changed(
        exact,
        put("channel_certificate", to=some),
        put("subject", "matrix", "databases", to=["2-0", "1-1"]),
        put("subject", "matrix", "probabilities", to=[["3/4", "1/4"], ["1/2", "1/2"]]),
    )
    found = checker.check(forged)
    assert found.status == "rejected" and "all databases" in found.reasons[0]


WIDER = Fraction(1, 25)


def test_a_channel_known_only_vaguely_has_no_exact_value_within(exact: Document) -> None:
    """Its true value is ln 2. Rows that hold the true ones and more also hold smaller values."""
    true = [
        (Fraction(3, 4), Fraction(1, 4)),
        (Fraction(1, 2),) * 2,
        (Fraction(1, 4), Fraction(3, 4)),
    ]
    wide = [[Interval(chance - WIDER, chance + WIDER) for chance in row] for row in true]
    databases = [[2, 0], [1, 1], [0, 2]]
    vague = channel_certificate(ReplaceOne(), databases, wide, ApproxDP(Fraction(1)))
    assert checker.check(vague).status == "checked"
    forged = changed(exact, put("channel_certificate", to=vague))
    ends = [(value, value) for value in ("0", "0.1", "0.5", "0.6", "0.693", "0.7", "0.9")]
    for lower, upper in [*ends, ("0", "0.5"), ("0", "0.9"), ("0.5", "1"), ("0.6", "1")]:
        assert verdict_on(changed(forged, exact_value(lower, upper))) == "rejected", (lower, upper)
    # What the vague rows do show is an enclosure that holds all of their values.
    assert verdict_on(changed(forged, exact_value("0.4", "1"))) == "checked"


def test_an_exact_value_at_a_delta_has_no_larger_end(tmp_path: Path) -> None:
    """Of the claim's δ = 1/10: the least ε is ln(8/5), where 1/2 - e^ε·1/4 is δ."""
    rows = "2-0,3/4,1/4\n1-1,1/2,1/2\n0-2,1/4,3/4\n"
    document = of_matrix(tmp_path, rows, text="epsilon=1, delta=1/10")
    for lower, upper, status in (
        ("0.47", "0.4701", "checked"),
        ("0.4701", "0.4702", "rejected"),
        ("0.469", "0.47", "rejected"),
    ):
        assert verdict_on(changed(document, exact_value(lower, upper))) == status


ROUNDED = "2-0,0.75,0.25\n1-1,0.5,1/2\n0-2,2.5e-1,0.75\n"
NEARLY = "2-0,0.6666666667,0.3333333334\n1-1,0.5,0.5\n0-2,0.3333333334,0.6666666667\n"


@pytest.mark.parametrize(("rows", "rounded"), [(ROUNDED, True), (NEARLY, False)])
def test_a_file_that_knows_chances_vaguely_has_no_sharper_channel(
    tmp_path: Path, rows: str, rounded: bool
) -> None:
    document = of_matrix(tmp_path, rows, rounded)
    assert verdict_on(document) == "checked"
    entries = document["channel_certificate"]["rows"]
    middles = [
        [sum(map(Fraction, e)) / 2 if type(e) is list else Fraction(e) for e in row]
        for row in entries
    ]
    sharp = [[chance / sum(row) for chance in row] for row in middles]
    databases = document["channel_certificate"]["databases"]
    few = Fraction(1, 4 * 10**9)
    narrow = [[Interval(c * (1 - few), min(c * (1 + few), 1)) for c in row] for row in middles]
    for better in (sharp, narrow):
        carried_ = channel_certificate(ReplaceOne(), databases, better, ApproxDP(Fraction(1)))
        forged = changed(document, put("channel_certificate", to=carried_))
        assert verdict_on(forged) == "rejected"
    # Chances of a file that is not rounded are held by those of one that is, and not conversely.
    assert (
        verdict_on(changed(document, put("subject", "rounded", to=True))) == "checked"
    ) == rounded


def test_a_black_box_is_not_refuted_by_a_matrix_that_somebody_wrote() -> None:
    """Of what can only be run no chance is known; a program's are, if the matrix is its law."""
    rows = [(Fraction(1, 3), Fraction(2, 3)), (Fraction(2, 3), Fraction(1, 3))]
    violated = channel_certificate(AddRemove(), [[0], [1]], rows, ApproxDP(Fraction(1, 2)))
    own = {"channel_certificate": violated, "domain": domain({"cell": 1}, 1)}
    refuted = certificate(None, "REFUTED", "epsilon=0.5", **own)
    assert verdict_on(refuted) == "checked"
    assert verdict_on({**refuted, "domain": domain({"cell": 1}, 0)}) == "rejected"
    for kind in ("function", "estimator", "command", "outputs", "", None):
        assert verdict_on({**refuted, "subject": {"kind": kind, "name": "mine"}}) == "rejected"


# --- Theorems that are true, and about something else --------------------------------------------


def ledger(*parts: Theorem, **more: Any) -> Theorem:
    own = {"program": SUBJECT, "seen": "every transcript", "setting": setting(), **more}
    return prove("fixed-ledger", list(parts), own)


def noisy(at: dict[str, Any] = AR) -> Theorem:
    return of_noise(marginal(at), "discrete-laplace")


def of_noise(query: Theorem, law: str) -> Theorem:
    """The pure guarantee of noise of scale 1 on one answer."""
    return by_sum(measured("additive-noise", query, law=law, amount="1"))


def sampled() -> Theorem:
    return prove("subsample", [filtered(9)], {"fraction": "1/10000", "epsilon": "1"})


def other_shape() -> Theorem:
    given = {"neighbours": AR, "shape": {"sex": 2}, "query": {"kind": "total"}}
    return of_noise(prove("total", [], given), "laplace")


def records_of(records: int) -> Theorem:
    query = asked("mutual-information", RO, candidates=[["sex", ["age"]]], records=records, scale=1)
    return by_sum(prove("exponential", [query], {"rate": "1/1000"}))


def responses(values: int) -> Theorem:
    own = {"neighbours": RO, "values": values, "epsilon": 1}
    return by_sum(prove("local-randomizer", [], own))


PUBLIC = {"neighbours": "replace-one", "domain": domain(records=3)}
HONEST: dict[str, tuple[Callable[[], Theorem], dict[str, Any]]] = {
    "a budget": (lambda: output(filtered()), {}),
    "a budget, composed once": (
        lambda: output(by_sum(prove("compose", [as_losses(filtered())], {}))),
        {},
    ),
    "a ledger": (lambda: output(ledger(noisy())), {}),
    "a transcript": (lambda: output(filtered(), "transcript"), {"released": "transcript"}),
    "an output of a transcript": (lambda: output(output(filtered(), "transcript")), {}),
    "a budget counted under other neighbours": (
        lambda: output(
            prove("group", [filtered("1/2", setting=setting(records=3))], {"neighbours": RO})
        ),
        PUBLIC,
    ),
    "public records": (
        lambda: output(ledger(records_of(3), setting=setting(records=3))),
        PUBLIC,
    ),
    "all cells' responses": (
        lambda: output(ledger(responses(6), setting=setting(records=3))),
        PUBLIC,
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_theorem_about_the_subject_is_checked(name: str) -> None:
    make, more = HONEST[name]
    found = checker.check(certificate(carried(make()), **more))
    assert found.status == "checked", found.reasons


ELSEWHERE: dict[str, tuple[Callable[[], Theorem], dict[str, Any]]] = {
    "a sampled program": (lambda: output(sampled()), {}),
    "a mixture of programs": (
        lambda: output(prove("mixture", [filtered(), filtered()], {"weights": ["1/2", "1/2"]})),
        {},
    ),
    "a stated guarantee": (lambda: output(ledger(approx("0"))), {}),
    "a stated guarantee, bare": (lambda: output(approx("0")), {}),
    "a stated sensitivity": (
        lambda: output(ledger(of_noise(free(), "laplace"))),
        {},
    ),
    "disjoint parts": (
        lambda: output(
            ledger(prove("parallel", [noisy()], {"key": "sex", "relation": "add-remove"}))
        ),
        {},
    ),
    "a ledger of a budget": (lambda: output(ledger(filtered("0", {"name": "another"}))), {}),
    "a ledger of a ledger": (lambda: output(ledger(ledger(noisy(), program={}))), {}),
    "a ledger on another domain": (lambda: output(ledger(other_shape())), {}),
    "a ledger of other records": (
        lambda: output(ledger(records_of(2), setting=setting(records=3))),
        PUBLIC,
    ),
    "responses of other cells": (
        lambda: output(ledger(responses(2), setting=setting(records=3))),
        PUBLIC,
    ),
    "a channel as a ledger": (lambda: output(ledger(EXAMPLES["finite-channel"][0]())), PUBLIC),
    "another setting": (lambda: output(filtered(setting=setting({"sex": 2}))), {}),
    "a setting of renamed attributes": (
        lambda: output(filtered(setting=setting({"sex": 2, "edge": 3}))),
        {},
    ),
    "a setting of public records": (lambda: output(filtered(setting=setting(records=3))), {}),
    "a private number of records": (lambda: output(filtered(at=ReplaceOne())), PUBLIC),
    "another number of records": (
        lambda: output(filtered(at=ReplaceOne(), setting=setting(records=4))),
        PUBLIC,
    ),
    "the raw answers": (filtered, {}),
    "another release": (lambda: output(filtered(), "transcript"), {}),
    "a transcript of an output": (
        lambda: output(output(filtered()), "transcript"),
        {"released": "transcript"},
    ),
    "a query": (marginal, {}),
    "an odometer": (lambda: EXAMPLES["odometer"][0](), {}),
    "another program": (lambda: output(filtered(program={"name": "another"})), {}),
    "no program": (
        lambda: output(by_sum(prove("public-draw", [], {"neighbours": AR, "law": {}}))),
        {},
    ),
}


def free() -> Theorem:
    norms = {"l0": 0, "l1": 0, "l2_squared": 0, "linf": 0}
    own = {"neighbours": AR, "query": "nothing", "monotone": True, "integers": True}
    return prove("stated-sensitivity", [], {**norms, **own})


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_theorem_about_something_else_proves_nothing_of_the_subject(name: str) -> None:
    make, more = ELSEWHERE[name]
    assert verdict_on(certificate(carried(make()), claim="epsilon=9", **more)) == "rejected"


def test_an_alternative_is_about_the_subject_too() -> None:
    about, other = output(filtered()), output(filtered("1/10", {"name": "another"}))
    assert verdict_on(certificate(carried(about, about))) == "checked"
    assert verdict_on(certificate(carried(about, other))) == "rejected"


def test_a_proof_that_says_less_of_its_domain_is_not_re_checked() -> None:
    """As certificates carried it before theorems named their setting and release."""
    budget = {"loss": "response", "count": 1, "epsilon": 1, "delta": 0}
    given = {"neighbours": AddRemove(), "budget": budget, "program": SUBJECT}
    unset = by_sum(prove("filter", [], given))
    unnamed = prove("post-processing", [filtered()], {"map": "a model"})
    for theorem in (output(unset), unnamed):
        found = checker.check(certificate(carried(theorem)))
        assert found.status == "not re-checked" and checker.EXIT_CODES[found.status] == 3
        assert "does not name" in found.reasons[-1]
    old = prove("fixed-ledger", [other_shape()], {"program": SUBJECT, "seen": "every transcript"})
    assert verdict_on(certificate(carried(output(old)), claim="epsilon=9")) == "rejected"


CEILINGS = [
    ("rho=1", {"measure": "rho"}, {"rho": "1", "epsilon": "inf"}, "checked"),
    ("rho=1", {"measure": "rho"}, {"rho": "0.9", "epsilon": "inf"}, "rejected"),
    # Older certificates carry no theorem of epsilon beside one of rho: it is not shown.
    ("rho=1", {"measure": "rho"}, {"rho": "1", "epsilon": "5"}, "not re-checked"),
    ("rho=1", {"measure": "rho"}, {"epsilon": "inf"}, "checked"),
    ("rho=1", {"measure": "rho"}, {"mu": "1", "epsilon": "inf"}, "rejected"),
    ("epsilon=1", {}, {"epsilon": "1"}, "checked"),
    ("epsilon=1", {}, {"epsilon": "1.5"}, "checked"),
    ("epsilon=1, delta=0.1", {}, {"epsilon": "1"}, "checked"),
    ("epsilon=1", {}, {"epsilon": "0.999999999999"}, "rejected"),
    ("epsilon=1", {}, {"epsilon": "-1"}, "rejected"),
    ("epsilon=1", {}, {"epsilon": "1e-99999"}, "rejected"),
    ("epsilon=1", {}, {"epsilon": "one"}, "rejected"),
    (
        "alpha=4, rdp=1",
        {"measure": "renyi", "order": 4},
        {"rdp": "1", "epsilon": "inf"},
        "checked",
    ),
    (
        "alpha=4, rdp=1",
        {"measure": "renyi", "order": 4},
        {"rdp": "1/2", "epsilon": "inf"},
        "rejected",
    ),
]


@pytest.mark.parametrize(("claim", "more", "numbers", "expected"), CEILINGS)
def test_a_ceiling_is_one_that_the_theorem_implies(
    claim: str, more: dict[str, Any], numbers: dict[str, str], expected: str
) -> None:
    theorem = output(filtered(**more))
    data = certificate(carried(theorem), claim=claim, **by_theorem(**numbers))
    assert verdict_on(data) == expected


def test_a_sharper_ceiling_of_another_auditor_is_left_open() -> None:
    sharper = by_theorem(epsilon="0.1")
    sharper["bounds"]["ceiling"]["rigour"] = sharper["evidence"][0]["bound"]["rigour"] = "exact"
    sharper["evidence"][0]["auditor"] = "factorised"
    assert verdict_on(certificate(carried(output(filtered())), **sharper)) == "not re-checked"


def test_what_was_stated_and_not_seen_stands_in_the_first_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], proved: Document, exact: Document
) -> None:
    told = {
        "asks only what the ledger says": proved,
        "what other auditors found": proved,
        "what its findings, assumptions and notes say in words": exact,
        "keeps the program to its budget": certificate(carried(output(filtered()))),
        "the matrix is the law of the mechanism": changed(exact, put("assumptions", to=["none"])),
        "a mechanism's guarantee": written(zcdp("1")),
        "how far a query's answers move": written(EXAMPLES["stated-sensitivity"][0]()),
        "what runs is the mechanism": written(noisy()),
        "all of the file but": {"proof": carried(noisy()), "epsilon": "0"},
    }
    for words, data in told.items():
        path = tmp_path / "proof.json"
        path.write_text(json.dumps(data))
        assert checker.main([str(path)]) == 0
        first = capsys.readouterr().out.splitlines()[0]
        assert first.startswith("CHECKED. Stated to the checker and not seen by it: ")
        assert words in first


# --- Derivations: every rule, every field --------------------------------------------------------

WRONG: tuple[Any, ...] = (None, True, -1, 1.5, "", "1/0", "x", [], [[]], {}, {"x": 1})
"""What may be put where something else belongs."""

FREE = {"program", "law", "map", "description", "key", "mechanism", "stated"}
"""Parameters of any content, which theorems repeat and rest on by name."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """All places in plain data, but inside of what may hold anything."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, member in value.items():
            if key not in FREE:
                yield from places(member, (*path, key))
    if isinstance(value, list):
        for key, member in enumerate(value[:3]):
            yield from places(member, (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def test_every_rule_has_an_honest_derivation() -> None:
    assert set(EXAMPLES) == set(RULES)


def accepted(steps: list[Any], hypotheses: list[str]) -> tuple[bool, bool]:
    """Whether the checker and the kernel take a derivation; any other exception fails the test."""
    data = {"schema": "dp-audit/derivation/2", "steps": steps, "hypotheses": hypotheses}
    try:
        replay(data)
        kernel = True
    except ProofError:
        kernel = False
    return verdict_on(data) == "checked", kernel


def concludes(rule: str, found: list[Any], step: Any, meter: checker.Meter | None = None) -> bool:
    """Whether the checker draws any conclusion by a step of other parameters or premises."""
    meter = checker.Meter() if meter is None else meter
    try:
        checker.conclusion(
            meter, rule, [found[place] for place in step["premises"]], step["parameters"]
        )
    except (checker.Rejected, LookupError, TypeError, ValueError, ArithmeticError, AttributeError):
        return False
    except checker.Unaffordable:
        return False
    return True


def kernel_refuses(rule: str, premises: list[Theorem], parameters: Any) -> bool:
    try:
        prove(rule, premises, parameters)
    except ProofError:
        return True
    return False


@pytest.mark.parametrize("rule", RULES)
def test_a_step_of_any_rule_with_one_field_changed_is_not_checked(rule: str) -> None:
    """Its conclusion, rule, premises and hypotheses: each honest derivation has one of each."""
    theorem = EXAMPLES[rule][0]()
    data = written(theorem)
    assert verdict_on(data) == "checked"
    last = data["steps"][-1]
    forged: list[Any] = []
    for path in places(last["conclusion"]):
        for wrong in WRONG:
            if type(wrong) is type(at(last["conclusion"], path)) and wrong == at(
                last["conclusion"], path
            ):
                continue
            forged.append(changed(data, put("steps", -1, "conclusion", *path, to=wrong)))
    forged.append(changed(data, put("steps", -1, "conclusion", "spare", to=1)))
    forged.append(changed(data, put("steps", -1, "spare", to=1)))
    forged.append(changed(data, put("spare", to=1)))
    for name in RULES:
        if name != rule:
            forged.append(changed(data, put("steps", -1, "rule", to=name)))
    for name in ("", "wish", rule.upper(), rule + " ", rule + "-pair", "discrete-" + rule):
        if name not in RULES:
            forged.append(changed(data, put("steps", -1, "rule", to=name)))
    for place in ([len(data["steps"]) - 1], [-1], [True], [10**30], [None], ["0"], {}, None):
        forged.append(changed(data, put("steps", -1, "premises", to=place)))
    forged += [
        {**data, "hypotheses": names}
        for names in ([*data["hypotheses"], "trust"], data["hypotheses"][1:], None, "sampler")
        if names != data["hypotheses"]
    ]
    assert not [one for one in forged if verdict_on(one) == "checked"]
    for one in forged[: len(forged) : 7]:
        with pytest.raises(ProofError):
            replay(one)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_refuses_missing_spare_and_wrong_parameters_and_premises(rule: str) -> None:
    """Both programs do, whatever the parameter: the kernel with its own error and no other."""
    for make in EXAMPLES[rule][:1]:
        theorem = make()
        premises, given = list(theorem.premises), dict(theorem.parameters)
        data = written(theorem)
        found = [step["conclusion"] for step in data["steps"]]
        known = [checker_judgment(step, data["steps"]) for step in data["steps"]]
        assert len(known) == len(found)
        step = data["steps"][-1]
        for spare in ("spare", "", "neighbour", "Epsilon"):
            more = {**given, spare: 1}
            assert kernel_refuses(rule, premises, more)
            assert not concludes(rule, known, {**step, "parameters": more})
        for name in given:
            fewer = {key: value for key, value in given.items() if key != name}
            if not isinstance(checker.RULES[rule].parameters[name], checker.Optional):
                assert kernel_refuses(rule, premises, fewer)
                assert not concludes(rule, known, {**step, "parameters": fewer})
        for path in places(given):
            for wrong in WRONG:
                other = changed(given, put(*path, to=wrong))
                refused = kernel_refuses(rule, premises, other)
                meter = checker.Meter()
                taken = concludes(rule, known, {**step, "parameters": other}, meter)
                assert not (refused and taken and not meter.notes), (path, wrong)
            inner = at(given, path)
            if isinstance(inner, dict) and path[-1] not in FREE | {"shape", "attributes"}:
                other = changed(given, put(*path, "spare", to=1))
                assert kernel_refuses(rule, premises, other), path
                assert not concludes(rule, known, {**step, "parameters": other}), path
        for several in ([], [*premises, marginal()], [*premises, zcdp("1")]):
            if several and len(several) == len(premises):
                continue
            numbers = list(range(len(several)))
            both = [checker_judgment_of(one) for one in several]
            refused = kernel_refuses(rule, several, given)
            taken = concludes(rule, both, {**step, "premises": numbers})
            assert refused or several == premises or len(premises) > 1 or not premises
            assert not (refused and taken)


def checker_judgment(step: Any, steps: list[Any]) -> Any:
    """The checker's own form of a step's conclusion."""
    inside = [checker_judgment(steps[place], steps) for place in step["premises"]]
    return checker.conclusion(checker.Meter(), step["rule"], inside, step["parameters"])[0]


def checker_judgment_of(theorem: Theorem) -> Any:
    data = derivation(theorem)
    return checker_judgment(data["steps"][-1], data["steps"])


@pytest.mark.parametrize("number", range(len(EXAMPLES["to-approx"])))
def test_a_method_takes_its_own_hints_for_the_sides_and_no_other(number: int) -> None:
    theorem = EXAMPLES["to-approx"][number]()
    hints = theorem.parameters["hints"]
    others: list[Any] = [{**hints, "both": {}}, {"remove": 1, "add": 1}]
    others += [{**hints, "remove": {**hints.get("remove", {}), "spare": 1}}]
    judgment = checker_judgment_of(theorem.premises[0])
    for other in others:
        forged = {**theorem.parameters, "hints": other}
        assert kernel_refuses("to-approx", list(theorem.premises), forged)
        with pytest.raises(checker.Rejected):
            checker.conclusion(checker.Meter(), "to-approx", [judgment], forged)


def test_limits_are_met_before_anything_is_read() -> None:
    schema = {"schema": "dp-audit/derivation/2", "hypotheses": []}
    for steps in (1 << 10**6, -1 << 10**6, [[[1 << 10**6]]]):
        assert verdict_on({**schema, "steps": steps}) == "malformed"
    nested = b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}"
    with pytest.raises(checker.Malformed, match="nested"):
        checker.read(nested)
    assert checker.read(b'{"a": "' + b"[" * 100 + b'"}') == {"a": "[" * 100}


def test_no_counts_are_not_all_counts() -> None:
    one, forged = as_losses(approx("1")), {"counts": []}
    with pytest.raises(checker.Rejected):
        checker.conclusion(checker.Meter(), "compose", [checker_judgment_of(one)], forged)
    assert kernel_refuses("compose", [one], forged)


def test_the_kernel_tells_one_from_true_and_from_a_float() -> None:
    data = derivation(stated(kind="zcdp", rho="1"))
    for wrong in (True, 1.0):
        forged = changed(data, put("steps", -1, "conclusion", "max_records", to=wrong))
        with pytest.raises(ProofError):
            replay(forged)


def test_the_kernel_refuses_endless_numbers_and_nesting_with_its_own_error() -> None:
    deep: Any = 1
    for _ in range(10**5):
        deep = [deep]
    loss = {"loss": "response", "count": 1, "epsilon": 1, "delta": 0}
    given = {"neighbours": AR, "budget": loss, "program": {}}
    for wrong in (1 << 10**6, "9" * 10**6, "1e99999", deep, {"deep": deep}):
        for name in loss:
            assert kernel_refuses("filter", [], {**given, "budget": {**loss, name: wrong}})
        assert kernel_refuses("filter", [], {**given, "program": {"x": deep}})


# --- Files: as a stranger would send them --------------------------------------------------------


def printed(tmp_path: Path, content: bytes) -> subprocess.CompletedProcess[str]:
    """What the checker alone says of a file."""
    path = tmp_path / "file.json"
    path.write_bytes(content)
    command = [sys.executable, "-I", str(checker.__file__), str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"schema": "dp-audit/derivation/2", "steps": ' + b"9" * 10**5 + b"}", 2),
        (b'{"schema": "dp-audit/derivation/2", "steps": ' + b"9" * 10**6 + b"}", 2),
        (b'{"schema": "dp-audit/derivation/2", "steps": 0.' + b"9" * 10**6 + b"}", 1),
        (b'{"claim": "epsilon=' + b"9" * 10**6 + b'", "proof": {"derivation": {}}}', 1),
        (b'{"a": ' + b"[" * 10**6, 2),
        (b'{"a":' * 10**6, 2),
        (b'{"a": "' + b"\\\\" * 10**6 + b'"}', 2),
        (b'"' + b"[" * 10**6 + b'"', 2),
        (b'{"schema": "dp-audit/derivation/2", "steps": [' + b"{}," * 200_000 + b"{}]}", 1),
    ],
)
def test_a_file_beyond_all_limits_ends_at_once_and_without_a_traceback(
    tmp_path: Path, content: bytes, code: int
) -> None:
    done = printed(tmp_path, content)
    assert (done.returncode, done.stderr) == (code, "")


def test_forged_certificates_are_refused_by_the_checker_alone(
    tmp_path: Path, proved: Document
) -> None:
    done = printed(tmp_path, json.dumps(proved).encode())
    assert done.returncode == 0 and "the ledger says" in done.stdout.splitlines()[0]
    for name in ("a smaller claim", "100 values", "a black box: function", "a ceiling of 0.1"):
        done = printed(tmp_path, json.dumps(changed(proved, FORGERIES[name])).encode())
        assert (done.returncode, done.stderr) == (1, "")
        assert done.stdout.startswith("REJECTED")


def test_there_are_many_of_them() -> None:
    assert len(FORGERIES) + len(CHANNEL_FORGERIES) + len(ELSEWHERE) >= 120
