"""Writes the reference of commands, JSON forms, metrics, verdicts and rules from the code.

    python docs/reference.py            # writes the pages
    python docs/reference.py --check    # compares them, and exits 1 where one differs

The words around what is made are in commands.md.j2, json.md.j2 and the others beside it.
"""

from __future__ import annotations

import argparse
import inspect
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path

from audit.auditors.registry import AUDITORS
from audit.cli.commands import COMMANDS
from audit.cli.usage import CommandParser
from audit.report.words import DECISIONS, MEANINGS
from audit.utility.catalogue import METRICS
from audit.utility.metric import FIXED, Metric
from docs.generated import DOCS, fill, render, write_or_compare
from docs.schemas import SCHEMAS, describe_schema
from proofs import rules
from proofs.rules.rule import PREMISES, Rule
from proofs.statements import page

PAGE = DOCS / "reference"


def describe_command(name: str) -> str:
    """A command's heading, purpose, usage, examples and options."""
    parser = CommandParser(prog=f"dp-audit {name}")
    parser.name = name
    parser.load()
    command = COMMANDS[name]
    usage = parser.format_usage().removeprefix("usage: ").strip()
    examples = "\n".join(_lines(example) for example in command.examples)
    blocks = [f"### {name}", fill(command.purpose), f"```text\n{_lines(usage)}\n```"]
    blocks.append(f"{EXAMPLES}\n```bash\n{examples}\n```")
    for group in parser._action_groups:
        actions = [one for one in group._group_actions if one.dest != "help"]
        if actions:
            title = f"**{(group.title or '').capitalize()}**"
            blocks += [title, "\n".join(map(_describe_option, actions))]
    return "\n\n".join(blocks)


EXAMPLES = "<!-- not run: the tests of the help run the examples of all commands in one folder -->"


def _lines(command: str) -> str:
    """A command on lines that fit, for a shell."""
    lines = fill(command.replace(" --", "\n--").replace(" ", "\0").replace("\n", " "))
    return " \\\n    ".join(lines.replace("\0", " ").split("\n"))


def _describe_option(action: argparse.Action) -> str:
    """An item: how an option is spelled, and what it does."""
    names = ", ".join(f"`{name}`" for name in action.option_strings) or f"`{_value(action)}`"
    takes = action.option_strings and action.nargs != 0
    value = f" `{_value(action)}`" if takes else ""
    return fill(f"{names}{value}: {(action.help or '') % vars(action)}", "- ")


def _value(action: argparse.Action) -> str:
    """What stands for the value of an option."""
    if action.metavar is None:
        words = [str(choice) for choice in action.choices or ()]
        return "|".join(words) or (action.dest.upper() if action.option_strings else action.dest)
    return action.metavar if isinstance(action.metavar, str) else " ".join(action.metavar)


def describe_metric(name: str) -> str:
    """A metric's heading, what it says, its range and its direction."""
    metric: type[Metric] = METRICS[name]
    lead, *_ = (inspect.getdoc(metric) or "").split("\n\n")
    highest = "∞" if math.isinf(metric.highest) else f"{metric.highest:g}"
    facts = [f"- Values: {metric.lowest:g} to {highest}; {metric.direction} is better."]
    others = [f"`{mode}`" for mode in metric.modes if mode != FIXED]
    if others:
        facts.append(fill(f"`--compat`: {', '.join(others)}.", "- "))
    names = [f"`{one.name}`" for one in fields(metric) if one.name != "mode"]
    if names:
        facts.append(fill(f"Parameters: {', '.join(names)}.", "- "))
    return "\n\n".join([f"### {name}", fill(lead.replace("``", "`")), "\n".join(facts)])


def describe_rules() -> Iterator[str]:
    """Each file of rules: what its rules are about, and the statement of each."""
    for file in (*rules.SENSITIVITY, *rules.MECHANISMS, *rules.STEPS):
        own = [value for value in vars(file).values() if isinstance(value, Rule)]
        lead = (inspect.getdoc(file) or "").split("\n\n")[0]
        yield "\n\n".join([f"## {_title(file.__name__)}", fill(lead), *map(describe_rule, own)])


def _title(module: str) -> str:
    return module.rpartition(".")[2].replace("_", " ").capitalize()


def describe_rule(rule: Rule) -> str:
    """A rule's heading, what it takes, and its statement."""
    names = ", ".join(f"`{name}`" for name in rule.parameters) or "none"
    takes = fill(f"Takes: {PREMISES[rule.needs]}; parameters: {names}.", "- ")
    link = f"- Proof: [{rule.name}](../../proofs/statements/{rule.name}.md)"
    statement = page(rule.name)["Statement"]
    return "\n\n".join([f"### {rule.name}", statement, f"{takes}\n{link}"])


def list_verdicts() -> list[str]:
    """Each verdict with its meaning and its exit code."""
    return [
        fill(f"**{verdict.value}** (exit code {verdict.exit_code}). {words}", "- ")
        for verdict, words in MEANINGS.items()
    ]


def list_decisions() -> list[str]:
    """Each decision of a finding, as a certificate spells it, and in words."""
    return [fill(f"`{one.value}`: {words}.", "- ") for one, words in DECISIONS.items()]


def list_auditors() -> list[str]:
    """Each auditor, as a flag names it, with what it does."""
    return [fill(f"`{one.flag}`: {one.summary}.", "- ") for one in AUDITORS.values()]


MADE: Mapping[Path, Callable[[], str]] = {
    PAGE / "commands.md": partial(render, "commands.md.j2", command=describe_command),
    PAGE / "json.md": partial(
        render, "json.md.j2", document=lambda name: describe_schema(SCHEMAS[name])
    ),
    PAGE / "metrics.md": partial(render, "metrics.md.j2", metrics=METRICS, metric=describe_metric),
    PAGE / "rules.md": lambda: render("rules.md.j2", files=list(describe_rules())),
    PAGE / "verdicts.md": lambda: render(
        "verdicts.md.j2",
        verdicts=list_verdicts(),
        decisions=list_decisions(),
        auditors=list_auditors(),
    ),
}
"""What gives each page."""


if __name__ == "__main__":
    sys.exit(write_or_compare(__doc__, MADE))
