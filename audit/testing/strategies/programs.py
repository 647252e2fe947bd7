"""Small programs of a curator, adaptive ones among them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from hypothesis import strategies as st

from audit.testing.strategies.bounds import require_between
from audit.testing.strategies.questions import events
from synthesizers.budget import FREE, Budget, Cost, PureBudget, UnlimitedBudget, ZCDPBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.events import Draw, Event, Measure, MeasureBest, MeasureSampled, Sanitize, Select

Answers = tuple[int, ...]


class Ending(Enum):
    """What a pipeline releases of all its answers, one after the other."""

    ALL = "all answers"
    CLIPPED = "all answers, none below 0"
    SUM = "the sum of the answers"
    PARITY = "whether their sum is odd"
    ORDERED = "the answers in ascending order"
    CONSTANT = "nothing of them"

    def output(self, answers: Answers) -> list[int]:
        """The release."""
        match self:
            case Ending.ALL:
                return list(answers)
            case Ending.CLIPPED:
                return [max(answer, 0) for answer in answers]
            case Ending.SUM:
                return [sum(answers)]
            case Ending.PARITY:
                return [sum(answers) % 2]
            case Ending.ORDERED:
                return sorted(answers)
            case Ending.CONSTANT:
                return [0]


@dataclass(frozen=True)
class Pipeline:
    """A program: questions one after the other, then post-processing of their answers.

    ``question`` is asked, and the sum of its answers, modulo their number, says which of ``then``
    goes on; without any, ``ending`` makes the output of all answers so far. With two or more, the
    program is adaptive.
    """

    question: Event
    then: tuple[Pipeline, ...] = ()
    ending: Ending = Ending.ALL

    def __call__(self, curator: Curator) -> list[int]:
        """Ask, go on, release."""
        answers: Answers = ()
        step = self
        while True:
            found = _ask(step.question, curator)
            answers += found
            if not step.then:
                return step.ending.output(answers)
            step = step.then[sum(found) % len(step.then)]

    def budget(self, setting: Setting) -> Budget:
        """The most that any path costs, in pure DP where that is finite, else in zCDP."""
        costs = list(self._costs(setting, FREE))
        epsilons = [cost.epsilon for cost in costs]
        rhos = [cost.rho for cost in costs]
        finite_epsilons = [epsilon for epsilon in epsilons if epsilon is not None]
        finite_rhos = [rho for rho in rhos if rho is not None]
        if len(finite_epsilons) == len(costs):
            return PureBudget(max(finite_epsilons))
        return ZCDPBudget(max(finite_rhos)) if len(finite_rhos) == len(costs) else UnlimitedBudget()

    def _costs(self, setting: Setting, spent: Cost) -> list[Cost]:
        total = spent + self.question.cost(setting.domain, setting.neighbours)
        return [cost for step in self.then for cost in step._costs(setting, total)] or [total]


def _ask(question: Event, curator: Curator) -> Answers:
    match question:
        case Measure(query, noise, low, high):
            return tuple(curator.measure(query, noise, low=low, high=high).tolist())
        case MeasureSampled(query, rate, rounded, low, high):
            return tuple(curator.measure_sampled(query, rate, rounded, low=low, high=high).tolist())
        case MeasureBest(query, noise, runs, low, high):
            return tuple(curator.measure_best(query, noise, runs, low=low, high=high).tolist())
        case Select(scores, noise):
            return (curator.select(scores, noise),)
        case Sanitize(law):
            return tuple(curator.sanitize(law).tolist())
        case Draw(law):
            return tuple(curator.draw(law).tolist())


def pipelines(
    domain: Domain,
    *,
    max_questions: int = 3,
    max_branches: int = 2,
    questions: st.SearchStrategy[Event] | None = None,
) -> st.SearchStrategy[Pipeline]:
    """Programs of at most ``max_questions`` questions on each path.

    ``questions``: those that are asked, by default `events` of few answers. They shrink to one
    question whose answers are released. Raises InputError for impossible bounds.
    """
    require_between(1, max_questions, "questions", 1)
    require_between(1, max_branches, "branches", 1)
    # So few answers to each that three questions are enumerated in a moment.
    asked = events(domain, max_width=8) if questions is None else questions
    found = st.builds(Pipeline, asked, st.just(()), st.sampled_from(Ending))
    for _ in range(max_questions - 1):
        branches = st.lists(found, max_size=max_branches).map(tuple)
        found = st.builds(Pipeline, asked, branches, st.sampled_from(Ending))
    return found
