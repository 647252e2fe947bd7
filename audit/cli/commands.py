"""Every command: what it is for, in which group of the help it stands, and examples that run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PROGRAM = "geometric-sanitizer --set epsilon=1"
SMALL = "--neighbours replace-one --cells 2 --records 3"
REAL, DOMAIN = "bench/table.csv", "--domain bench/domain.toml"


@dataclass(frozen=True)
class Command:
    """A command's part of the help.

    ``line``: of the list of all commands. ``purpose``: a sentence, for its own help. ``examples``:
    they run in the order of the registry, each in the folder where those before it ran.
    ``module``: below ``audit.cli``; it declares its flags in ``add`` and obeys them in ``run``.
    """

    line: str
    purpose: str
    examples: tuple[str, ...]
    module: str


START: dict[str, Command] = {
    "demo": Command(
        "release, certify and report on real records",
        "Show the whole job on real patient records that ship with it: a release, its "
        "certificate, its usefulness and a report.",
        ("dp-audit demo", "dp-audit demo --out tour --quiet"),
        "demo",
    ),
    "list": Command(
        "list what is built in, with the programs' cards",
        "List what is built in: programs, auditors, metrics, kinds of noise and known causes.",
        ("dp-audit list", "dp-audit list programs"),
        "listing",
    ),
    "self-test": Command(
        "run every auditor on programs that lie, and on honest ones",
        "Test the auditors themselves: each program that lies must be caught, and no honest one "
        "may be accused.",
        ("dp-audit self-test --only 'deviation for scale'", "dp-audit self-test --quick"),
        "self_test",
    ),
    "generate": Command(
        "make a benchmark table: a public process, a hidden seed",
        "Make a benchmark table that is not confidential, by a public process with a hidden seed.",
        (
            "dp-audit generate --attributes 3 --values 3 --records 300 --out bench",
            "dp-audit generate --attributes 3 --values 3 --records 300 --max-records 4 "
            "--out persons",
        ),
        "generate",
    ),
    "domain": Command(
        "draft a domain file of a public schema or table",
        "Draft a domain file, which says what values each column may have, from what is public.",
        (
            "dp-audit domain age:number sex:category --out draft.toml",
            f"dp-audit domain --from-public-table {REAL} --out public.toml",
        ),
        "domain",
    ),
}

RELEASE: dict[str, Command] = {
    "release": Command(
        "make a synthetic table from real data",
        "Run a program on confidential data, and write the synthetic table that it returns, with "
        "a ledger of what was asked of the data.",
        (
            f"dp-audit release {PROGRAM} --data {REAL} {DOMAIN} --out synth.csv "
            "--ledger ledger.json",
            f"dp-audit release laplace-sanitizer --set epsilon=1 --data {REAL} {DOMAIN} "
            "--out other.csv",
        ),
        "release",
    ),
    "split": Command(
        "put half of a table aside by coins, to test a release with",
        "Part a table in two halves by a coin for each record, so that the half that a program "
        "never saw can test its release.",
        (
            f"dp-audit split {REAL} --out halves",
            f"dp-audit split {REAL} --out more-halves --quiet",
        ),
        "split",
    ),
    "choose": Command(
        "which of several tables is nearest to private data",
        "Choose the table that is nearest to private data, and pay for the choice with a stated "
        "epsilon.",
        (
            f"dp-audit choose synth.csv other.csv --data {REAL} {DOMAIN} --epsilon 1",
            f"dp-audit choose synth.csv other.csv --data {REAL} {DOMAIN} --epsilon 1 --degree 1 "
            "--ledger choice.json",
        ),
        "choose",
    ),
}

AUDIT: dict[str, Command] = {
    "certify": Command(
        "decide a privacy claim about a subject",
        "Decide whether a privacy claim about a program, a function or a channel holds, and write "
        "a certificate of what was shown.",
        (
            f"dp-audit certify {PROGRAM} --claim epsilon=1 {SMALL} --out cert.json",
            "dp-audit certify laplace-sanitizer --set epsilon=1 --claim epsilon=1/2 "
            f"{SMALL} --runs 4000 --seed 1 --out attack.json",
        ),
        "certify",
    ),
    "verify": Command(
        "re-check every number of a certificate",
        "Check every number of a certificate again, without trusting whoever wrote it.",
        ("dp-audit verify cert.json", "dp-audit verify cert.json --html verified.html"),
        "verify",
    ),
    "replay": Command(
        "test the rule of a certificate on fresh runs",
        "Run the subject of an attack's certificate afresh, and test the certificate's rule on "
        "the new outputs.",
        ("dp-audit replay attack.json", "dp-audit replay attack.json --runs 1000 --seed 7"),
        "replay",
    ),
    "sensitivity": Command(
        "compare a function's declared sensitivity with what is found",
        "Look for two neighbouring tables between which a function changes more than declared.",
        (
            "dp-audit sensitivity builtins:len --declared l1=1 --neighbours add-remove --cells 4",
            "dp-audit sensitivity builtins:len --declared l1=3 --neighbours add-remove --cells 4 "
            "--unit person --max-records 3",
        ),
        "sensitivity",
    ),
    "components": Command(
        "look at the calls of noise inside a function, line by line",
        "Look at each call of noise inside a function, and say which line hides or spends more "
        "than the claim allows.",
        (
            "dp-audit components my_noise:noisy_count --declared epsilon=1 "
            "--neighbours add-remove --cells 2",
            "dp-audit components my_noise:noisy_count --declared epsilon=1/2 "
            "--neighbours add-remove --cells 2",
        ),
        "components",
    ),
    "stability": Command(
        "compare a transformation's map with its outputs",
        "Compare what the map of a transformation of OpenDP promises with how far its outputs "
        "lie apart.",
        (
            "dp-audit stability my_transformation:clamp",
            "dp-audit stability my_transformation:clamp --distance 2 --records 2",
        ),
        "stability",
    ),
}

ACCOUNT: dict[str, Command] = {
    "account": Command(
        "add up what several mechanisms cost",
        "Add up what several mechanisms cost together, by every rule that applies.",
        (
            "dp-audit account '1000 * gaussian(sigma=30)' --neighbours add-remove --delta 1e-6",
            "dp-audit account ledger.json --delta 0 --json account.json",
        ),
        "account",
    ),
    "calibrate": Command(
        "find the least noise for a claim",
        "Find the least noise with which several queries together keep a claim, and prove it.",
        (
            "dp-audit calibrate laplace --claim epsilon=1/2 --count 4 --neighbours add-remove",
            "dp-audit calibrate gaussian --claim 'epsilon=1, delta=1e-6' --count 10 "
            "--neighbours replace-one",
        ),
        "calibrate",
    ),
    "explain": Command(
        "print a proof step by step",
        "Print a proof step by step: of a certificate, an accounting or a calibration.",
        ("dp-audit explain cert.json", "dp-audit explain account.json"),
        "explain",
    ),
    "channel": Command(
        "Pr[output | database] for every small database",
        "Compute the exact probability of every output on every small table, and all that "
        "follows from these: epsilon, delta, and what an attacker learns.",
        (
            f"dp-audit channel {PROGRAM} --cells 2 --records 3",
            f"dp-audit channel {PROGRAM} --cells 2 --records 3 --epsilon 1/2 --html channel.html",
        ),
        "channel",
    ),
}

USEFULNESS: dict[str, Command] = {
    "utility": Command(
        "how useful synthetic tables are",
        "Measure how near synthetic tables come to the real one, and rank them.",
        (
            f"dp-audit utility {REAL} synth.csv {DOMAIN} --metric total-variation",
            f"dp-audit utility {REAL} synth.csv other.csv {DOMAIN} --html utility.html",
        ),
        "utility",
    ),
    "disclosure": Command(
        "what attacks on a release gain from its records",
        "Attack one release, and say what the attacks gain from the records that it was made from.",
        (
            f"dp-audit disclosure halves/training.csv synth.csv {DOMAIN} --split halves/split.json",
            f"dp-audit disclosure halves/training.csv synth.csv {DOMAIN} "
            "--holdout halves/holdout.csv --html disclosure.html",
        ),
        "disclosure",
    ),
}

REVIEW: dict[str, Command] = {
    "init-submission": Command(
        "write an example of a challenge submission",
        "Write an example of a submission to a challenge that runs, to begin from.",
        ("dp-audit init-submission my-submission", "dp-audit init-submission second --quiet"),
        "init_submission",
    ),
    "try": Command(
        "run a challenge submission once, to see whether it works",
        "Run a submission once, to see whether it starts, ends, and returns a table.",
        ("dp-audit try my-submission", "dp-audit try my-submission --out output.csv --seed 3"),
        "trying",
    ),
    "review": Command(
        "review submissions: verdicts, questions to send back, utility",
        "Review one submission or a folder of them: verdicts, questions to send back, usefulness.",
        (
            "dp-audit review my-submission --plan",
            "dp-audit review my-submission --runs 2000 --seed 1 --out reviewed",
        ),
        "review",
    ),
    "merge": Command(
        "join the folders of a review's shards",
        "Join the folders of a review that several machines made in shares.",
        ("dp-audit merge reviewed --out joined", "dp-audit merge reviewed --json review.json"),
        "merge",
    ),
    "writeup": Command(
        "fill a write-up from what a program asks, or check one",
        "Fill a write-up from what a program asks of made-up tables, or compare one that is "
        "there with it.",
        (
            f"dp-audit writeup {PROGRAM} --claim epsilon=1 {SMALL}",
            f"dp-audit writeup {PROGRAM} --claim epsilon=1 {SMALL} --out writeup.md",
        ),
        "writeup",
    ),
}

SHARE: dict[str, Command] = {
    "compare": Command(
        "certificates side by side, on one ruler where they may be",
        "Show certificates side by side, on one ruler where their claims answer one question.",
        (
            "dp-audit compare cert.json attack.json",
            "dp-audit compare cert.json attack.json --csv compared.csv",
        ),
        "compare",
    ),
    "criteria": Command(
        "decide what a board asks by certificates and other reports",
        "Decide whether certificates and other reports meet what a board asks.",
        (
            "dp-audit criteria criteria.toml cert.json",
            "dp-audit criteria criteria.toml cert.json --html decision.html",
        ),
        "criteria",
    ),
    "attest": Command(
        "say to others what a certificate shows",
        "Say to others what a certificate shows: a label of one page, an entry of a registry, a "
        "statement to be signed.",
        (
            "dp-audit attest cert.json --label label.html",
            "dp-audit attest --draft-about about.toml",
        ),
        "attest",
    ),
}

BY_AIM: Mapping[str, dict[str, Command]] = {
    "begin": START,
    "make a release": RELEASE,
    "audit a claim": AUDIT,
    "prove, and account for a budget": ACCOUNT,
    "measure what a release is good for, and what it gives away": USEFULNESS,
    "review submissions": REVIEW,
    "decide, and tell others": SHARE,
}
"""The commands by what a user wants, in the order of the help."""

COMMANDS: Mapping[str, Command] = {
    name: command for group in BY_AIM.values() for name, command in group.items()
}
"""Every command by its name."""


def overview() -> str:
    """All commands by what a user wants, for the help of the whole."""
    width = max(map(len, COMMANDS)) + 2
    blocks = [
        "\n".join([f"{aim}:", *(f"  {name:<{width}}{one.line}" for name, one in group.items())])
        for aim, group in BY_AIM.items()
    ]
    return "\n\n".join(blocks)
