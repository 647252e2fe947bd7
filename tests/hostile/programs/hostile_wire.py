# ruff: noqa: RUF012
"""Programs that speak the curator protocol as they like: ``python3 hostile_wire.py CLASS``.

Each class is what one of them says; whatever it does not override is said honestly, at epsilon = 1.
Nothing of ours is imported.
"""

from __future__ import annotations

import json
import os
import sys
from fractions import Fraction
from typing import Any

HELLO = {"protocol": "dp-audit/curator", "version": 1, "runs": "many", "scripts": True,
         "settings": "many"}  # fmt: skip


def question(scale: str = "1", **more: Any) -> dict[str, Any]:
    return {
        "event": "measure",
        "query": {"kind": "cell-counts", "cells": [0]},
        "noise": {"law": "discrete-laplace", "scale": scale},
        "low": 0,
        "high": 2,
        **more,
    }


class Honest:
    """One count at epsilon = 1, played and run as the protocol says."""

    asks = question()
    budget: Any = {"epsilon": "1"}
    ledger: Any = None

    def __init__(self) -> None:
        self.source, self.target = sys.stdin.buffer, sys.stdout.buffer
        self.listed = False

    def write(self, text: bytes) -> None:
        self.target.write(text)
        self.target.flush()

    def say(self, message: object) -> None:
        self.write(json.dumps(message).encode() + b"\n")

    def hear(self) -> Any:
        line = self.source.readline()
        if not line:
            os._exit(0)
        return json.loads(line)

    def talk(self) -> None:
        self.hello()
        while True:
            message = self.hear()
            if "end" in message:
                os._exit(0)
            if "setting" in message:
                self.declare()
            elif "play" in message:
                self.play(message["play"])
            else:
                self.run()

    def hello(self) -> None:
        self.say(HELLO)

    def declare(self) -> None:
        self.say({"budget": self.budget, "ledger": self.ledger})

    def new_questions(self) -> list[Any]:
        listed, self.listed = self.listed, True
        return [] if listed else [self.asks]

    def played(self, script: list[Any]) -> list[Any]:
        return [[0], "output", self.output(script[0])] if script else [[], "asks", 0]

    def output(self, answer: list[int]) -> Any:
        return {"values": answer}

    def play(self, scripts: list[Any]) -> None:
        played = [self.played(script) for script in scripts]
        self.say({"questions": self.new_questions(), "played": played})

    def run(self) -> None:
        self.say({"ask": self.asks})
        reply = self.hear()
        self.finish(reply.get("answer"))

    def finish(self, answer: Any) -> None:
        self.say({"stopped": True} if answer is None else {"output": self.output(answer)})


class WithoutScripts(Honest):
    """It plays no scripts, so that each transcript is a run."""

    def hello(self) -> None:
        self.say({**HELLO, "scripts": False})


class Loud(Honest):
    """The honest one at epsilon = 10."""

    asks = question("1/10")
    budget = {"unlimited": True}


class PlaysWhatItDoesNotAsk(Loud):
    """Loud in its runs, and quiet wherever it is played."""

    def new_questions(self) -> list[Any]:
        return [question()] if super().new_questions() else []


class PlaysWhatItDoesNotRelease(Loud):
    """What it plays releases nothing; what it runs releases the answer."""

    def played(self, script: list[Any]) -> list[Any]:
        return [[0], "output", {"values": [0]}] if script else [[], "asks", 0]


class PlaysNothing(Loud):
    """It is played as if it asked nothing."""

    def played(self, script: list[Any]) -> list[Any]:
        return [[], "output", {"values": [1]}]


class RefusedUnasked(Honest):
    """It says that it was refused where nothing was refused."""

    def played(self, script: list[Any]) -> list[Any]:
        return [[0], "refused"] if script else super().played(script)


class GaveUpAtOnce(Honest):
    def played(self, script: list[Any]) -> list[Any]:
        return [[], "refused"]


class NumbersBeyond(Honest):
    """Plays with a question that it never listed."""

    def played(self, script: list[Any]) -> list[Any]:
        return [[], "asks", 7]


class NegativeNumber(Honest):
    def played(self, script: list[Any]) -> list[Any]:
        return [[], "asks", -1]


class TruthForNumber(Honest):
    def played(self, script: list[Any]) -> list[Any]:
        return [[], "asks", False]


class FloatForNumber(Honest):
    def played(self, script: list[Any]) -> list[Any]:
        return [[], "asks", 0.0]


class TextForNumber(Honest):
    def played(self, script: list[Any]) -> list[Any]:
        return [[], "asks", "0"]


class LongerTranscript(Honest):
    """More questions answered than the script has answers."""

    def played(self, script: list[Any]) -> list[Any]:
        return [[0, 0, 0], "output", {"values": [1]}] if script else super().played(script)


class ShorterTranscript(Honest):
    """Fewer of them: an answer that nobody asked for."""

    def played(self, script: list[Any]) -> list[Any]:
        return [[], "output", {"values": [1]}] if script else super().played(script)


class AsksForEver(Honest):
    """Each transcript asks one more question."""

    budget = {"unlimited": True}
    asks = {"event": "draw", "law": {"law": "uniform", "options": 1}}

    def played(self, script: list[Any]) -> list[Any]:
        return [[0] * len(script), "asks", 0]

    def run(self) -> None:
        for _ in range(3):
            self.say({"ask": self.asks})
            if "answer" not in self.hear():
                self.say({"stopped": True})
                return
        self.say({"output": {"values": [1]}})


class TooManyPlays(Honest):
    def play(self, scripts: list[Any]) -> None:
        played = [self.played(script) for script in [*scripts, []]]
        self.say({"questions": self.new_questions(), "played": played})


class NoPlays(Honest):
    """Messages of no plays at all, for ever."""

    def play(self, scripts: list[Any]) -> None:
        while True:
            self.say({"questions": [], "played": []})


class PlaysForOthers(Honest):
    """The answers of the last script are played for the first."""

    def play(self, scripts: list[Any]) -> None:
        played = [self.played(script) for script in scripts][::-1]
        self.say({"questions": self.new_questions(), "played": played})


class OneNumberTwoQuestions(Honest):
    """It lists a second question under the first one's number."""

    def play(self, scripts: list[Any]) -> None:
        played = [self.played(script) for script in scripts]
        again = [question("1/10")] if self.listed else []
        self.say({"questions": [*self.new_questions(), *again], "played": played})


class UndeclaredLaw(Honest):
    asks = question(noise={"law": "no-noise", "scale": "1"})


class UndeclaredKind(Honest):
    asks = {"event": "look", "at": "all"}


class QuestionWithAPrice(Honest):
    asks = question("1/10", cost={"epsilon": "0", "rho": "0"}, sensitivity=0)


class CellOfAnotherDomain(Honest):
    asks = question(query={"kind": "cell-counts", "cells": [5]})


class CellTwice(Honest):
    asks = question(query={"kind": "cell-counts", "cells": [0, 0]})


class ScaleOfNothing(Honest):
    asks = question("0")


class NegativeScale(Honest):
    asks = question("-1")


class ScaleAsFloat(Honest):
    asks = question(noise={"law": "discrete-laplace", "scale": 1.0})


class ScaleBeyondMeasure(Honest):
    """A scale of 3999 digits, which exact arithmetic can't hold out."""

    budget = {"unlimited": True}
    asks = question("1" + "0" * 3998)


class ScaleBelowMeasure(Honest):
    budget = {"unlimited": True}
    asks = question("1/1" + "0" * 3998)


class ScaleOfADigitTooMany(Honest):
    asks = question("1" * 4001)


class DividesByZero(Honest):
    asks = question("1/0")


class WideBounds(Honest):
    """More answers than could ever be listed."""

    asks = question(low=-(2**53) + 1, high=2**53 - 1)


class LawOfAnotherShape(Honest):
    """A law of tables made for another domain."""

    budget = {"unlimited": True}
    asks = {
        "event": "sanitize",
        "law": {"law": "cell-suppression", "shape": [7], "threshold": 2, "complementary": True},
    }


class SwapsAnotherShape(Honest):
    budget = {"unlimited": True}
    asks = {
        "event": "sanitize",
        "law": {
            "law": "record-swapping",
            "shape": [7],
            "attribute": 3,
            "key": [],
            "share": "1/2",
        },
    }


class StrangeBudget(Honest):
    budget = {"epsilon": "1", "delta": "0", "note": "as good as proved"}


class NegativeBudget(Honest):
    budget = {"epsilon": "-1"}


class FloatBudget(Honest):
    budget = {"epsilon": 1.0}


class NoBudget(Honest):
    budget = None


class LongBudget(Honest):
    budget = {"epsilon": "9" * 5000}


class LedgerOfText(Honest):
    ledger = "nothing"


class LedgerOfDraws(Honest):
    ledger = [{"event": "draw", "law": {"law": "uniform", "options": 2}}]


class LedgerOfAnother(Honest):
    """It declares the quiet question and asks the loud one."""

    budget = {"unlimited": True}
    ledger = [question()]
    asks = question("1/10")


class EmptyLedger(Honest):
    budget = {"unlimited": True}
    ledger: Any = []
    asks = question("1/10")


class PromisesOthersToo(Honest):
    """A further key where it says its budget."""

    def declare(self) -> None:
        self.say({"budget": self.budget, "ledger": None, "theorem": "epsilon = 0"})


class DeclaresAgain(Honest):
    """Each time that it is asked, it declares ten times as much."""

    def declare(self) -> None:
        super().declare()
        self.budget = {"epsilon": str(10 * int(self.budget["epsilon"]))}


class AnotherProtocol(Honest):
    def hello(self) -> None:
        self.say({**HELLO, "protocol": "trust-me"})


class AnotherVersion(Honest):
    def hello(self) -> None:
        self.say({**HELLO, "version": 2})


class TrueVersion(Honest):
    def hello(self) -> None:
        self.say({**HELLO, "version": True})


class NoProtocol(Honest):
    def hello(self) -> None:
        self.write(b"hello\n")


class ExtraLines(Honest):
    """A line more after each play."""

    def play(self, scripts: list[Any]) -> None:
        super().play(scripts)
        self.say({"questions": [], "played": [[[], "output", {"values": [0]}]]})


class TwoAtOnce(Honest):
    def play(self, scripts: list[Any]) -> None:
        played = [self.played(script) for script in scripts]
        message = json.dumps({"questions": self.new_questions(), "played": played})
        self.write(f"{message}{message}\n".encode())


class PartOfALine(Honest):
    """Half a message, and then nothing."""

    def play(self, scripts: list[Any]) -> None:
        self.write(b'{"questions": [], "played": [')
        self.hear()


class HalfALineAndTheEnd(Honest):
    def play(self, scripts: list[Any]) -> None:
        self.write(b'{"questions": [], "played": [')
        os._exit(0)


class NulBytes(Honest):
    def play(self, scripts: list[Any]) -> None:
        self.write(b"\0" * 1000 + b"\n")


class NoText(Honest):
    def play(self, scripts: list[Any]) -> None:
        self.write(b'{"questions": [], "played": "\xff\xfe\x80"}\n')


class LongLine(Honest):
    """Sixty-five MiB without an end."""

    def play(self, scripts: list[Any]) -> None:
        for _ in range(65):
            self.write(b" " * 2**20)
        self.hear()


class DeepLine(Honest):
    def play(self, scripts: list[Any]) -> None:
        self.write(b'{"questions": [], "played": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n")


class DeepEnough(Honest):
    """As deep as the parser goes, and deeper than a message is."""

    def play(self, scripts: list[Any]) -> None:
        self.write(b'{"questions": [], "played": ' + b"[" * 200 + b"]" * 200 + b"}\n")


class KeysTwice(Honest):
    def play(self, scripts: list[Any]) -> None:
        self.write(
            b'{"questions": [], "played": [], "played": [[[], "output", {"values": [1]}]]}\n'
        )


class NoNumber(Honest):
    def output(self, answer: list[int]) -> Any:
        return {"values": [float("nan")]}


class Infinite(Honest):
    def play(self, scripts: list[Any]) -> None:
        self.write(b'{"questions": [], "played": [[[], "output", {"values": [1e999]}]]}\n')


class MillionDigits(Honest):
    def play(self, scripts: list[Any]) -> None:
        digits = b"9" * 10**6
        self.write(
            b'{"questions": [], "played": [[[], "output", {"values": [' + digits + b"]}]]}\n"
        )


class Nothing(Honest):
    def play(self, scripts: list[Any]) -> None:
        self.write(b"null\n")


class List(Honest):
    def play(self, scripts: list[Any]) -> None:
        self.write(b"[]\n")


class EmptyLine(Honest):
    def play(self, scripts: list[Any]) -> None:
        self.write(b"\n")


class RunsForever(Honest):
    """It asks what it has spent, again and again."""

    def run(self) -> None:
        while True:
            self.say({"spent": True})
            self.hear()


class AsksItsTranscript(Honest):
    def run(self) -> None:
        self.say({"ask": self.asks})
        self.hear()
        while True:
            self.say({"transcript": True})
            self.hear()


class DrawsForever(Honest):
    """Questions that cost nothing, without end."""

    def run(self) -> None:
        while True:
            self.say({"ask": {"event": "draw", "law": {"law": "uniform", "options": 2}}})
            self.hear()


class AsksAfterItsSeed(Honest):
    budget = {"unlimited": True}

    def run(self) -> None:
        self.say({"ask": {"event": "draw", "law": {"law": "seed", "bits": 62}}})
        self.hear()
        self.say({"ask": self.asks})
        self.finish(self.hear().get("answer"))


class SeedOfFewBits(Honest):
    asks = {"event": "draw", "law": {"law": "seed", "bits": 1}}


class StopsUnasked(Honest):
    def run(self) -> None:
        self.say({"stopped": True})


class ErrorAsSecret(Honest):
    """Its error says what it was answered."""

    def run(self) -> None:
        self.say({"ask": self.asks})
        answer = self.hear().get("answer")
        self.say({"error": f"the first count is {answer}"})


class ErrorAboutSetting(Honest):
    """The same as if a parameter were wrong."""

    def run(self) -> None:
        self.say({"ask": self.asks})
        answer = self.hear().get("answer")
        self.say({"error": f"the first count is {answer}", "about": "setting"})


class ErrorAsOurs(Honest):
    """The same as one of the errors of our own child, by its line."""

    def run(self) -> None:
        self.say({"ask": self.asks})
        answer = self.hear().get("answer")
        line = 1000 + sum(answer or [0])
        self.say({"error": f"raised ValueError (line {line} of its code): {answer}"})


class ErrorOfAnotherKind(Honest):
    def run(self) -> None:
        self.say({"error": {"deep": [1, 2]}})


class ColouredError(Honest):
    def run(self) -> None:
        self.say({"error": "\x1b[2J\x1b[31m\u202egone\n[bold]bold[/bold] \ud800"})


class TextOutputs(Honest):
    """Texts that a terminal, a page or an encoder might stumble over."""

    def output(self, answer: list[int]) -> Any:
        texts = ["\ud800", "[bold]x[/bold] [/]", "\x1b[2J\x07", "<script>alert(1)</script>"]
        return {"values": [texts[answer[0]]]}


class LoudTextOutputs(Loud):
    output = TextOutputs.output


class TextTooLong(Honest):
    def output(self, answer: list[int]) -> Any:
        return {"values": ["x" * 10_001]}


class LargeNumbers(Honest):
    def output(self, answer: list[int]) -> Any:
        return {"values": [{"whole": "9" * 3999 + str(answer[0])}]}


class NumberTooLarge(Honest):
    def output(self, answer: list[int]) -> Any:
        return {"values": [2**60]}


class TruthOutput(Honest):
    def output(self, answer: list[int]) -> Any:
        return {"values": [True]}


class FloatOutput(Honest):
    def output(self, answer: list[int]) -> Any:
        return {"values": [0.5]}


class NestedOutput(Honest):
    def output(self, answer: list[int]) -> Any:
        return {"values": [[1]]}


class CodesOutside(Honest):
    def output(self, answer: list[int]) -> Any:
        return {"records": [[7]]}


class NegativeCodes(Honest):
    def output(self, answer: list[int]) -> Any:
        return {"records": [[-1]]}


class WideRecords(Honest):
    def output(self, answer: list[int]) -> Any:
        return {"records": [[0, 0]]}


class TwoOutputs(Honest):
    def output(self, answer: list[int]) -> Any:
        return {"values": [1], "records": [[0]]}


class LongOutputs(Honest):
    """Each of its three outputs has ten thousand numbers."""

    def output(self, answer: list[int]) -> Any:
        return {"values": answer * 10**4}


class TellsByOrder(Honest):
    """The order of its records says more than their counts, which alone are released."""

    budget = {"unlimited": True}
    asks = question("1/10")

    def output(self, answer: list[int]) -> Any:
        return {"records": [[0], [1]] if answer[0] else [[1], [0]]}


class QuestionsOfMegabytes(Honest):
    """New questions of two megabytes with every line, without end."""

    def play(self, scripts: list[Any]) -> None:
        filler = " " * 2**20
        while True:
            large = question(query={"kind": "marginal", "attributes": [filler, filler]})
            self.say({"questions": [large], "played": [self.played(script) for script in scripts]})


class ManyQuestions(Honest):
    """Different questions, more than a parent should keep."""

    def play(self, scripts: list[Any]) -> None:
        asked = [question(str(Fraction(number + 1, 7))) for number in range(100_001)]
        self.say({"questions": asked, "played": [self.played(script) for script in scripts]})


if __name__ == "__main__":
    globals()[sys.argv[1]]().talk()
