"""Choices: which of several public tables is nearest to private data, at a stated epsilon."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from audit.auditors.proof import conclude
from audit.release import release_setting
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Evidence
from audit.subjects.subject import ProgramSubject
from proofs import checker
from proofs.guarantees import ApproxDP
from synthesizers.curator import Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.exact import enclose
from synthesizers.intervals import log_interval
from synthesizers.neighbours import Neighbours, to_json
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs.choose_table import ChooseTable
from synthesizers.queries import Marginal
from synthesizers.randomness import Entropy
from synthesizers.sampling import Run, run

NAME = "choose-table"


@dataclass(frozen=True)
class Choice:
    """Which candidate was chosen, and what stands for it; nothing else comes from private data.

    ``lower``, ``upper``: the distance of the chosen one, the mean of the total variations (at most
    1) on the marginals, lies between them but for a chance of at most ``error``; None where it is
    not told. ``excess``: but for the same chance, no candidate is nearer by more than this.
    """

    names: tuple[str, ...]
    place: int
    lower: Fraction | None
    upper: Fraction | None
    excess: Fraction
    error: Fraction
    program: ChooseTable
    setting: Setting
    made: Run
    proof: Evidence

    @property
    def chosen(self) -> str:
        """The name of the chosen candidate."""
        return self.names[self.place]

    @property
    def derivation(self) -> Mapping[str, Any]:
        """The proof that the choice costs at most its epsilon."""
        assert self.proof.proof is not None
        proved: Mapping[str, Any] = self.proof.proof["derivation"]
        return proved

    @property
    def hypotheses(self) -> tuple[str, ...]:
        """What the proof rests on, by name."""
        return tuple(self.derivation["hypotheses"])


def marginals_of(
    domain: Domain, degree: int, columns: Sequence[str] | None
) -> tuple[Marginal, ...]:
    """The marginals of up to so many of some columns, all of the domain's without any named.

    Raises InputError for a column that is not declared or named twice, and for a degree beyond 3.
    """
    names = domain.names if columns is None else tuple(columns)
    strange = [name for name in names if name not in domain.names]
    if strange or len(set(names)) < len(names) or not names:
        raise InputError("--column names one or more attributes of the domain, each once")
    if not 1 <= degree <= 3:
        raise InputError("--degree is 1, 2 or 3: the most columns of a marginal")
    sets = (own for size in range(1, degree + 1) for own in combinations(names, size))
    return tuple(map(Marginal, sets))


def choose(
    candidates: Mapping[str, Dataset],
    open_data: Callable[[], Dataset],
    marginals: Sequence[Marginal],
    relation: Neighbours,
    epsilon: Fraction,
    *,
    telling: Fraction = Fraction(1, 2),
    error: Fraction = Fraction(1, 20),
    rows: int | None = None,
    entropy: Entropy | None = None,
) -> Choice:
    """Choose a candidate at the cost of ``epsilon``; ``open_data`` gives the private table.

    Raises InputError for what makes no sense, and where the independent checker does not confirm
    the proof: then nothing is asked of the data.

    Guarantee
    ---------
    All that depends on private data is the program's output, and its ledger costs at most epsilon;
    n apart where it is public. Backed by ``tests/audit/test_choosing.py``.
    """
    if not candidates:
        raise InputError("a choice needs one or more candidates")
    program = ChooseTable.of(tuple(candidates.values()), marginals, epsilon, telling)
    if not relation.records_public and rows is None:
        raise InputError("the number of records is private here: give a public one by --rows M")
    if relation.records_public and rows is not None:
        raise InputError("--rows is for add-remove; here the table's own number is public")
    data = open_data()
    setting = release_setting(data.domain, relation, data.records, rows)
    proof = prove_choice(program, setting)
    made = run(program, data, setting, program.budget(setting), entropy)
    place, *noisy = made.output
    lower, upper = _ends(program, setting, place, noisy[0], error) if noisy else (None, None)
    excess = bound_excess(program, setting, error)
    names = tuple(candidates)
    return Choice(names, place, lower, upper, excess, error, program, setting, made, proof)


def prove_choice(program: ChooseTable, setting: Setting) -> Evidence:
    """The proof that the choice costs at most its epsilon, confirmed by the independent checker."""
    domain, relation = setting.domain, setting.neighbours
    own = {"epsilon": str(program.epsilon), "telling": str(program.telling)}
    subject = ProgramSubject(NAME, program, True, {"parameters": own})
    claim = Claim(ApproxDP(program.epsilon), relation, "output", domain, setting.records)
    found = conclude(subject, claim, setting, None)
    if found is None or found.decision is not Decision.HOLDS or found.proof is None:
        raise InputError("no rule proves the epsilon of this choice")
    answer = checker.check(json.loads(json.dumps(found.proof["derivation"])))
    if answer.status != "checked":
        raise InputError(
            f"the independent checker does not confirm the proof ({answer.status}): take fewer "
            "marginals or candidates; nothing was asked of the data"
        )
    return found


def half_width(noise: DiscreteLaplace, error: Fraction) -> int:
    """The least w for which the noise is beyond ±w with a chance of at most ``error``."""

    def suffices(width: int) -> bool:
        return bool(2 * enclose(noise.tail(width + 1)).upper <= error)

    most = 1
    while not suffices(most):
        most *= 2
    least = 0
    while least < most:
        middle = (least + most) // 2
        least, most = (least, middle) if suffices(middle) else (middle + 1, most)
    return most


def bound_excess(program: ChooseTable, setting: Setting, error: Fraction) -> Fraction:
    """How much nearer another candidate may be, but for a chance of at most ``error``.

    A candidate whose score is t below the best has a chance of at most e^(-rate·t), so that k of
    them together have at most ``error`` beyond ln(k/error)/rate (McSherry & Talwar 2007).
    """
    if len(program.counts) == 1:
        return Fraction(0)
    rate = program.choosing(setting).noise.rate
    below = log_interval(len(program.counts) / error).upper / rate
    off = 2 * program.rounding(setting)
    return min(Fraction(1), rounded_up(below / program.farthest(setting) + off))


def rounded_up(value: Fraction) -> Fraction:
    """The next multiple of 10^-9."""
    return Fraction(-(-value * 10**9 // 1), 10**9)


def _ends(
    program: ChooseTable, setting: Setting, place: int, score: int, error: Fraction
) -> tuple[Fraction, Fraction]:
    """The ends of the distance; an answer that was clamped is no farther from the distance."""
    noise = program.measuring(setting, place).noise
    assert isinstance(noise, DiscreteLaplace)
    width, farthest = half_width(noise, error), program.farthest(setting)
    low, high = (Fraction(-score + step, farthest) for step in (-width, width))
    off = program.rounding(setting)
    return max(Fraction(0), low - off), min(Fraction(1), high + off)


def ledger_of_choice(choice: Choice) -> dict[str, Any]:
    """The questions, without their answers, and what they cost."""
    setting = choice.setting
    return {
        "schema": "dp-audit/ledger/1",
        "program": {
            "kind": "program",
            "name": NAME,
            "parameters": {
                "epsilon": str(choice.program.epsilon),
                "telling": str(choice.program.telling),
            },
        },
        **to_json(setting.neighbours),
        "domain": setting.domain.to_json(),
        "records": setting.records,
        "rows": setting.rows,
        "budget": choice.program.budget(setting).to_json(),
        "spent": choice.made.spent.to_json(),
        "events": [
            event.to_json(setting.domain, setting.neighbours) for event in choice.made.ledger
        ],
    }
