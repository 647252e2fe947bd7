#!/usr/bin/env python3
"""A geometric sanitizer, the counts of all cells with discrete Laplace noise: epsilon-DP."""

import json
import math
import sys
from fractions import Fraction


def say(message):
    """One message a line, and none held back."""
    print(json.dumps(message), flush=True)


def hear():
    """The next message; the end of the input is the end."""
    line = sys.stdin.readline()
    return json.loads(line) if line else {"end": True}


class Stopped(Exception):
    """The curator needs no more of this run."""


class Refused(Exception):
    """The curator does not answer the question."""


class ScriptEnds(Exception):
    """A question beyond the script."""


def ask_curator(question):
    """The answer to a question."""
    say({"ask": question})
    reply = hear()
    if "answer" in reply:
        return [int(value) for value in reply["answer"]]
    raise Refused if "refused" in reply else Stopped


def sanitizer(setting, epsilon):
    """What a run does: a function that is handed a way to ask, and returns the output."""
    attributes = setting["domain"]["attributes"]
    cells = math.prod(len(a["values"]) + a["missing"] for a in attributes)
    public = setting["records"] is not None
    most = int(setting["records"] if public else setting["rows"])
    # With n public, the second of two counts is what the first leaves.
    asked = [0] if public and cells == 2 else list(range(cells))
    moved = 2 if setting["neighbours"] == "replace-one" and len(asked) > 1 else 1
    scale = moved * int(setting["unit"]["max_records"]) / epsilon
    question = {
        "event": "measure",
        "query": {"kind": "cell-counts", "cells": asked},
        "noise": {"law": "discrete-laplace", "scale": str(scale)},
        "low": 0,
        "high": most,
    }

    def run(ask):
        if public and cells == 1:
            return {"values": [most]}
        counts = ask(question)
        if len(counts) < cells:
            counts.append(most - counts[0])
        return {"values": counts}

    return run


def play(run, scripts, numbers):
    """Runs on given answers: what each is asked, and how it goes on. For speed alone."""
    questions, played = [], []
    for script in scripts:
        asked = []

        def ask(question, script=script, asked=asked):
            text = json.dumps(question)
            if text not in numbers:
                numbers[text] = len(numbers)
                questions.append(question)
            asked.append(numbers[text])
            if len(asked) > len(script):
                raise ScriptEnds
            answer = script[len(asked) - 1]
            if answer is None:
                raise Refused
            return [int(value) for value in answer]

        try:
            played.append([asked, "output", run(ask)])
        except ScriptEnds:
            played.append([asked[:-1], "asks", asked[-1]])
        except Refused:
            played.append([asked, "refused"])
    return {"questions": questions, "played": played}


say({"protocol": "dp-audit/curator", "version": 1, "runs": "many", "scripts": True})
start = hear()
epsilon = Fraction(start["parameters"]["epsilon"])
run = sanitizer(start["setting"], epsilon)
say({"budget": {"epsilon": str(epsilon)}, "ledger": None})
numbers = {}
while "end" not in (message := hear()):
    if "play" in message:
        say(play(run, message["play"], numbers))
        continue
    try:
        say({"output": run(ask_curator)})
    except Stopped:
        say({"stopped": True})
    except Refused:
        say({"error": "the question was refused"})
