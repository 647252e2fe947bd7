"""Reading 1: answers drawn from real data by exact samplers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from synthesizers.budget import Budget, Cost
from synthesizers.curator import (
    Admission,
    Curator,
    IntArray,
    Output,
    Program,
    Setting,
    Transcript,
    ask_program,
    canonical_output,
    declared_ledger,
    keep_to,
    records_of,
)
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError, ProgramGaveUp, ProgramRefused, ProtocolError
from synthesizers.events import (
    Draw,
    Event,
    Measure,
    MeasureBest,
    MeasureSampled,
    Outcome,
    Select,
)
from synthesizers.randomness import Entropy, SystemEntropy, bernoulli
from synthesizers.true_answers import TrueAnswers

EventProgress = Callable[[int, Event], None]


@dataclass(frozen=True)
class Run:
    """One run on data: what is released, and what it asked.

    ``output``: in its `released_form`. ``ledger``: the events alone.
    ``transcript``: the events with their noisy outcomes.
    """

    output: Output
    transcript: tuple[tuple[Event, Outcome], ...]
    ledger: tuple[Event, ...]
    spent: Cost


def sample_answer(event: Event, truth: TrueAnswers, entropy: Entropy) -> Outcome:
    """One draw of an event's outcome on real data.

    Guarantee
    ---------
    The outcome has the event's exact law on the dataset, given ideal random
    bits. Backed by the chi-square comparison with enumeration for every program
    in ``tests/laws/test_readings_agree.py``.
    """
    if isinstance(event, Draw):
        return event.law.sample(entropy)
    if isinstance(event, Measure | MeasureSampled):
        asked = truth if isinstance(event, Measure) else _sample(event, truth.dataset, entropy)
        exact = asked(event.query)
        noisy = exact + event.noise.sample(len(exact), entropy)
        return tuple(noisy.clip(event.low, event.high).tolist())
    if isinstance(event, MeasureBest):
        return _best_run(event, truth(event.query), entropy)
    if isinstance(event, Select):
        return (event.noise.sample(truth(event.scores).tolist(), entropy),)
    return tuple(event.law.sample(truth.dataset.histogram(), entropy).tolist())


def _sample(event: MeasureSampled, dataset: Dataset, entropy: Entropy) -> TrueAnswers:
    chance = event.rate
    drawn = bernoulli(chance.numerator, chance.denominator, dataset.records, entropy)
    return TrueAnswers(Dataset(dataset.domain, dataset.codes[drawn]))


RUNS = 1024
"""How many runs are drawn at once (a choice of this project)."""


def _best_run(event: MeasureBest, exact: IntArray, entropy: Entropy) -> Outcome:
    left, best = event.runs.sample(entropy), Outcome()
    while left > 0:
        size = min(left, RUNS)
        noise = event.noise.sample(size * len(exact), entropy).reshape(size, len(exact))
        noisy = (exact + noise).clip(event.low, event.high).tolist()
        best, left = max(best, *map(tuple, noisy)), left - size
    return best


def private_view(dataset: Dataset, setting: Setting) -> Dataset:
    """The data as the curator may use them: at most m records of each person.

    Raises InputError where the data do not fit the setting's public constants.
    """
    unit = setting.neighbours.unit
    if dataset.domain.attributes != setting.domain.attributes:
        # Sensitivities follow from the setting's domain, answers from the table's.
        raise InputError("the table's domain is not the declared domain of the run")
    if setting.records is not None and dataset.records != setting.records:
        raise InputError("the table does not have the stated public number of records")
    return dataset if unit.is_record else dataset.clip_persons(unit.max_records)


def run(
    program: Program,
    dataset: Dataset,
    setting: Setting,
    budget: Budget,
    entropy: Entropy | None = None,
    progress: EventProgress | None = None,
    admit: Admission | None = None,
) -> Run:
    """Run a program on real data; the operating system's entropy unless given.

    ``progress`` is told each question and how many there were, before it is answered. ``admit``:
    as for `Curator`; a ledger that the program declares is kept to in any case.
    Raises ProtocolError where the program breaks the curator's protocol or asks
    beyond ``budget``.
    """
    source = SystemEntropy() if entropy is None else entropy
    truth = TrueAnswers(private_view(dataset, setting))
    answered = 0

    def reply(event: Event) -> Outcome:
        nonlocal answered
        answered += 1
        if progress is not None:
            progress(answered, event)
        return sample_answer(event, truth, source)

    declared = declared_ledger(program, setting)

    def admit_declared(transcript: Transcript, event: Event) -> None:
        if declared is not None:
            keep_to(declared)(transcript, event)
        if admit is not None:
            admit(transcript, event)

    curator = Curator(setting, budget, reply, admit_declared)
    try:
        output = ask_program(program, curator)
    except (ProgramGaveUp, ProgramRefused):
        raise ProtocolError(
            "the program gave the run up, or asked beyond its budget or what the curator does not "
            "know; its words may quote an answer and are withheld: dp-audit certify and channel "
            "show them on databases that nobody has"
        ) from None
    if len(curator.transcript) != answered:
        raise ProtocolError("the program got answers past the curator's ledger")
    shown = released_form(output, setting.domain)
    return Run(shown, curator.transcript, curator.ledger, curator.spent)


def released_form(output: Output, domain: Domain) -> Output:
    """What is analysed of an output, and no more: counts as a tuple, records in a fixed order.

    The type of a container or the order of records could say what the analysis
    does not look at.
    """
    if not isinstance(output, Dataset):
        return canonical_output(output, domain)
    codes = records_of(output, domain).codes
    return Dataset(domain, codes[np.lexsort(codes.T[::-1])])
