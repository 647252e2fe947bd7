"""Data independence: nothing beside a mechanism's noisy answers may depend on the data."""

from audit.auditors.data_independence.auditor import examine as examine
from audit.auditors.data_independence.auditor import examine_program as examine_program
from audit.auditors.data_independence.facets import RELEASED as RELEASED
from audit.auditors.data_independence.facets import Facet as Facet
from audit.auditors.data_independence.poisoned import Poisoned as Poisoned
from audit.auditors.data_independence.poisoned import Touch as Touch
from audit.auditors.data_independence.poisoned import Touched as Touched
from audit.auditors.data_independence.poisoned import measured as measured
from audit.auditors.data_independence.reporting import touches as touches
from audit.auditors.data_independence.subjects import AuditedFunction as AuditedFunction
from audit.auditors.data_independence.subjects import audited as audited
from audit.auditors.data_independence.subjects import audited_estimator as audited_estimator
from audit.auditors.data_independence.subjects import audited_program as audited_program
from audit.auditors.data_independence.subjects import reached as reached
from audit.auditors.effort import Effort as Effort
