"""`try_submission`: one run of a submission, to see whether it works."""

from __future__ import annotations

import os
import tempfile
from fractions import Fraction
from pathlib import Path

from audit.review.submissions.opening import open_path
from audit.review.submissions.preparing import prepare
from audit.review.submissions.submission import Submission
from audit.review.submissions.trial_data import make_up, read_public
from audit.review.submissions.trying import run_once
from dp_audit.arguments import Number, exact, text, whole_number
from dp_audit.results import TrialResult
from synthesizers.errors import InputError
from synthesizers.neighbours import Unit
from synthesizers.schemas import load_domain

SEED_LIMIT = 2**31
"""Seeds are below it, as those that a submission is handed are."""


def try_submission(
    submission: str | Path,
    *,
    epsilon: Number | None = None,
    data: str | Path | None = None,
    seed: int = 0,
    exactness: int = 0,
) -> TrialResult:
    """Run a submission once, in its box, on made-up records or on a public table.

    >>> import dp_audit as dpa
    >>> from audit.review.starter import write_starter
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = write_starter(f"{place}/team-7")
    ...     result = dpa.try_submission(folder, epsilon=1)
    >>> result.exit_code
    0
    >>> list(result.to_frame().columns)
    ['sex', 'age', 'smoker']

    submission
        A folder with ``submission.toml``, a submission to DeID2, or a zip of either.
    epsilon
        The ε to ask for; the first one of its claim where it is left out.
    data
        The path of a public table of its domain: what a run says of it is shown.
    seed
        Of the made-up records, and the one that the submission is handed.
    exactness
        Further runs, on small tables whose records coins put in: the share of coins that the
        outputs tell wrong, beside the least that any program of its claim can have.

    Raises ``ValueError`` for a submission that can't be read.
    """
    start = whole_number(seed, "--seed")
    if start >= SEED_LIMIT:
        raise InputError(f"--seed must be below {SEED_LIMIT}, found {start}")
    further = whole_number(exactness, "--exactness")
    with tempfile.TemporaryDirectory(prefix="dp-audit-", ignore_cleanup_errors=True) as place:
        # A submission may run as another user, who must get to its files.
        os.chmod(place, 0o711)
        only = _open_one(submission, Path(place, "unpacked"))
        domain = load_domain(only.domain)
        unit = Unit(only.claim.unit, only.claim.max_records)
        asked = _epsilon(only, epsilon)
        made = make_up(domain, unit, start) if data is None else read_public(data, domain, unit)
        prepared = prepare(only, Path(place, "prepared"))
        return TrialResult(run_once(prepared, asked, made, start, further))


def _open_one(path: str | Path, unpacked: Path) -> Submission:
    intake = open_path(path, unpacked)
    names = [one.name for one in intake.submissions] + [one.name for one in intake.unread]
    if len(names) > 1:
        raise InputError(
            f"{path} is a folder of submissions ({', '.join(names[:5])}): name one of them"
        )
    if intake.unread:
        raise InputError(f"{path} cannot be read as a submission: {intake.unread[0].reason}")
    return intake.submissions[0]


def _epsilon(submission: Submission, asked: Number | None) -> str:
    """The ε to ask for, as its claim writes it where it is one of these."""
    stated = submission.claim.epsilons
    if asked is None:
        return stated[0]
    number = exact(asked, "--epsilon")
    if number <= 0:
        raise InputError("--epsilon must be above 0")
    return next((one for one in stated if Fraction(one) == number), text(asked, "--epsilon"))
