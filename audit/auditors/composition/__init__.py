"""Composition: what a mechanism spends in all, recounted question by question."""

from audit.auditors.composition.auditor import examine as examine
from audit.auditors.composition.questions import Question as Question
from audit.auditors.composition.questions import loss_of as loss_of
from audit.auditors.composition.recount import Ledger as Ledger
from audit.auditors.composition.recount import Ledgers as Ledgers
from audit.auditors.composition.recount import Unrefused as Unrefused
from audit.auditors.composition.recount import recount as recount
from audit.auditors.composition.theorems import Compared as Compared
from audit.auditors.composition.theorems import ceilings as ceilings
from audit.auditors.effort import Effort as Effort
