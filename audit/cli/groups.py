"""Under which title of a command's help a flag stands: one title a flag, in all commands."""

from __future__ import annotations

GROUPS = {
    "the claim, and who is protected": (
        *("--claim", "--declared", "--neighbours", "--unit", "--max-records", "--released"),
        *("--epsilon", "--delta", "--count", "--sensitivity", "--prior", "--optimum"),
    ),
    "tables and their domain": (
        *("--data", "--domain", "--cells", "--floats", "--values", "--attributes", "--records"),
        *("--rows", "--drop", "--outside", "--column", "--degree", "--telling", "--error"),
        *("--numbers-within-bins", "--from-schema", "--from-public-table"),
        *("--from-confidential-table", "--table", "--bins", "--apart", "--id", "--rounded"),
        *("--release-of", "--claim-of", "--holdout", "--split", "--axes-from"),
    ),
    "the program": (
        *("--set", "--as", "--python", "--warm", "--folder", "--subject", "--trust-subject"),
        *("--doubles", "--record", "--distance"),
    ),
    "what is asked": (
        *("--auditors", "--require", "--stage", "--fail-on", "--metric", "--compat", "--plan"),
        *("--model", "--by", "--subsets", "--no-baseline", "--quasi-identifiers", "--secret"),
        *("--link", "--check", "--exactness", "--tolerance", "--evidence", "--quick", "--only"),
        *("--exact", "--confidence", "--alarm", "--detect", "--beyond", "--about", "--of"),
        *("--certificate", "--self-test", "--time"),
    ),
    "runs, and what they may take": (
        *("--runs", "--pair", "--until-decided", "--stop-early", "--min-records", "--examples"),
        *("--releases", "--replicates", "--draws", "--seed", "--data-is-public", "--cache"),
        *("--look", "--seconds", "--megabytes", "--budget", "--shard", "--chunk", "--jobs"),
        "--cluster",
    ),
    "one run among canaries": ("--one-run", "--canaries", "--score", "--guesses"),
    "results": (
        *("--out", "--json", "--html", "--csv", "--toml", "--ledger", "--save-draws"),
        *("--draft-about", "--registry", "--label", "--in-toto", "--svr", "--quiet"),
    ),
}
"""The flags by title, in the order of the help."""
