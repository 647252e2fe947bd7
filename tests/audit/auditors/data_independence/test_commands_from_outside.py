"""Of a command, what it writes and how it ends is looked at: nobody looks into its process."""

from __future__ import annotations

from fractions import Fraction

from audit.auditors.data_independence.boxes import examine_box
from audit.auditors.effort import Attack, Effort
from audit.statements.claim import Claim
from audit.statements.evidence import Decision
from audit.subjects.black_boxes import Wanted, black_box
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove

CLAIM = Claim(ApproxDP(Fraction(1)), AddRemove(), "output", Domain.from_cells("2"), 3)
ATTACK = Attack(500, 1, Fraction(1, 20), Fraction(1, 10**6))

AS_MANY_ROWS = """#!/bin/sh
while [ $# -gt 0 ]; do
  case $1 in --input) input=$2 ;; --output) output=$2 ;; esac
  shift 2
done
sed 's/^[01]$/0/' "$input" > "$output"
"""

ALWAYS_THE_SAME = AS_MANY_ROWS.replace("""sed 's/^[01]$/0/' "$input" """, "printf 'cell\\n0\\n' ")


def findings(folder, text):
    path = folder / "submission"
    path.write_text(text)
    path.chmod(0o755)
    subject = black_box(Wanted(f"command:{path}"), CLAIM)
    return {one.about: one for one in examine_box(subject, CLAIM, Effort(attack=ATTACK))}


def test_the_number_of_rows_that_a_command_writes_is_seen(tmp_path):
    assert findings(tmp_path, AS_MANY_ROWS)["number of rows"].decision is Decision.VIOLATED


def test_a_command_that_always_writes_the_same_is_not_accused(tmp_path):
    (rest,) = findings(tmp_path, ALWAYS_THE_SAME).values()
    assert rest.decision is Decision.KEPT
    assert "logs" not in rest.found
