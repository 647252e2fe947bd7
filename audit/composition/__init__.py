"""Composition: what a mechanism spends in all, recounted question by question."""

from audit.composition.additive import Term as Term
from audit.composition.additive import terms_of as terms_of
from audit.composition.auditor import examine as examine
from audit.composition.functions import recount_function as recount_function
from audit.composition.functions import violates as violates
from audit.composition.questions import Question as Question
from audit.composition.questions import loss_of as loss_of
from audit.composition.recount import Ledger as Ledger
from audit.composition.recount import Ledgers as Ledgers
from audit.composition.recount import Unrefused as Unrefused
from audit.composition.recount import recount as recount
from audit.composition.theorems import Compared as Compared
from audit.composition.theorems import ceilings as ceilings
