"""Accounting expressions: the grammar, exact numbers, and one clear error for anything else."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.errors import ProofError
from proofs.ledger.expressions import FORMS, MAX_CHARACTERS, PARAMETERS, parse

F = Fraction


def test_a_sum_of_counted_mechanisms() -> None:
    first, second = parse("1000 * gaussian(sigma=30) + laplace(epsilon=0.1, sensitivity=2)")
    assert (first.count, first.name, first.parameters) == (1000, "gaussian", {"sigma": F(30)})
    assert second.count == 1 and second.parameters == {"epsilon": F(1, 10), "sensitivity": F(2)}


def test_a_poisson_sample_holds_one_mechanism() -> None:
    (term,) = parse("10000*poisson(q=0.01, gaussian(sigma=1))")
    assert term.count == 10000 and term.parameters == {"q": F(1, 100)}
    assert [inner.parameters for inner in term.inner] == [{"sigma": F(1)}]


@pytest.mark.parametrize("inside", ["gaussian(sigma=4)", "3 * pure(epsilon=4) + zcdp(rho=1)"])
def test_what_is_repeated_is_a_sum(inside: str) -> None:
    (term, other) = parse(f"best_of({inside}, expected=10, eta=-1/2) + zcdp(rho=1)")
    assert term.inner == parse(inside) and not other.inner
    assert term.parameters == {"expected": F(10), "eta": F(-1, 2)}
    assert parse(f"until-accepted(stop=0.01, {inside})")[0].inner == parse(inside)


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.1", F(1, 10)), ("1/3", F(1, 3)), ("1e-6", F(1, 10**6)), ("2E+2", F(200)), (".5", F(1, 2))],
)
def test_numbers_are_exact(text: str, value: F) -> None:
    assert parse(f"pure(epsilon={text})")[0].parameters["epsilon"] == value


def test_names_may_be_written_with_hyphens() -> None:
    assert parse("discrete-gaussian(sigma=2)")[0].name == "discrete_gaussian"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "gaussian",
        "gaussian()",
        "gaussian(sigma=0)",
        "gaussian(sigma=-1)",
        "gaussian(sigma=1",
        "gaussian(sigma=1))",
        "gaussian(sigma=1) gaussian(sigma=1)",
        "gaussian(sigma=1) +",
        "gaussian(sigma=1, sigma=2)",
        "gaussian(sigma=1, scale=2)",
        "gaussian(sigma=nan)",
        "gaussian(sigma=1e9999999)",
        "gaussian(sigma=1/0)",
        "gaussian(sigma=0x10)",
        "0 * gaussian(sigma=1)",
        "1.5 * gaussian(sigma=1)",
        "-3 * gaussian(sigma=1)",
        "3 gaussian(sigma=1)",
        "3 *",
        "laplace(epsilon=1, scale=1)",
        "pure(delta=0.1)",
        "pure(epsilon=1, delta=1)",
        "pure(epsilon=1, sensitivity=2)",
        "poisson(q=0.1)",
        "poisson(q=0, gaussian(sigma=1))",
        "poisson(q=1.5, gaussian(sigma=1))",
        "poisson(gaussian(sigma=1))",
        "poisson(q=0.1, gaussian(sigma=1), laplace(epsilon=1))",
        "poisson(q=0.1, poisson(q=0.1, gaussian(sigma=1)))",
        "allocated(steps=10)",
        "allocated(steps=1.5, gaussian(sigma=1))",
        "allocated(steps=10, times=0, gaussian(sigma=1))",
        "allocated(times=1, gaussian(sigma=1))",
        "allocated(steps=10, poisson(q=0.1, gaussian(sigma=1)))",
        "fixed_size(sample=10, gaussian(sigma=1))",
        "fixed_size(sample=10, records=1/2, gaussian(sigma=1))",
        "gaussian(gaussian(sigma=1))",
        "best_of(expected=10)",
        "best_of(gaussian(sigma=1))",
        "best_of(gaussian(sigma=1), expected=1)",
        "best_of(gaussian(sigma=1), expected=10, gamma=0.1)",
        "best_of(gaussian(sigma=1), gamma=1)",
        "best_of(gaussian(sigma=1), expected=10, eta=-1)",
        "best_of(gaussian(sigma=1), expected=10, eta=101)",
        "best_of(gaussian(sigma=1), zcdp(rho=1), expected=10)",
        "best_of(gaussian(sigma=1) + , expected=10)",
        "best_of(best_of(gaussian(sigma=1), expected=10), expected=10)",
        "best_of_poisson(gaussian(sigma=1), expected=0)",
        "best_of_poisson(gaussian(sigma=1), expected=2, eta=1)",
        "until_accepted(gaussian(sigma=1), stop=1)",
        "until_accepted(gaussian(sigma=1), expected=3)",
        "poisson(q=0.1, best_of(gaussian(sigma=1), expected=10))",
        "unknown(epsilon=1)",
        "laplace(epsilon=1; drop)",
        "((((((((",
    ],
)
def test_anything_else_is_one_clear_error(text: str) -> None:
    with pytest.raises(ProofError) as refused:
        parse(text)
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pure(epsilon=1, delta=1)", "pure needs delta below 1, found 1"),
        ("poisson(q=2, gaussian(sigma=1))", "poisson needs q at most 1, found 2"),
        ("until_accepted(pure(epsilon=1), stop=1)", "until_accepted needs stop below 1"),
        ("fixed_size(sample=10, records=5, gaussian(sigma=1))", "at most records, found 10 of 5"),
        ("best_of(gaussian(sigma=1))", "takes expected or gamma or eta and expected or"),
        ("gaussian(sigma=1", "expected ',' or '\\)', found the end"),
    ],
)
def test_an_error_names_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ProofError, match=words):
        parse(text)


def test_a_long_expression_is_refused_at_once() -> None:
    with pytest.raises(ProofError, match="characters"):
        parse("gaussian(sigma=1) + " * MAX_CHARACTERS)


@given(st.text(alphabet="0123456789.*+-/(),= egaussinlpcd_qδ\n", max_size=40))
def test_no_text_is_anything_but_parsed_or_refused(text: str) -> None:
    with contextlib.suppress(ProofError):
        assert parse(text)


numbers = st.fractions(min_value=F(1, 1000), max_value=F(999, 1000))


@given(st.integers(1, 10**9), st.sampled_from(sorted(set(PARAMETERS) - set(FORMS))), st.data())
def test_what_is_printed_is_read_again(count: int, name: str, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(PARAMETERS[name]))
    own = ", ".join(
        f"{parameter}={data.draw(numbers) + (parameter == 'order')}" for parameter in sorted(form)
    )
    (term,) = parse(f"{count} * {name}({own})")
    assert parse(str(term)) == (term,)


@pytest.mark.parametrize("form", FORMS.values())
def test_what_holds_others_is_read_again_as_it_is_printed(form: str) -> None:
    terms = parse(f"3 * {form} + {form}")
    assert parse(" + ".join(map(str, terms))) == terms
