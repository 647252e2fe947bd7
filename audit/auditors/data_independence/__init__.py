"""Data independence: nothing beside a mechanism's noisy answers may depend on the data."""

from audit.auditors.data_independence.auditor import examine as examine
from audit.auditors.data_independence.auditor import examine_program as examine_program
from audit.auditors.data_independence.facets import RELEASED as RELEASED
from audit.auditors.data_independence.facets import Facet as Facet
from audit.auditors.data_independence.poisoned import Poisoned as Poisoned
from audit.auditors.data_independence.poisoned import Touch as Touch
from audit.auditors.data_independence.poisoned import Touched as Touched
from audit.auditors.data_independence.poisoned import permit_reading as permit_reading
from audit.auditors.data_independence.reporting import touches as touches
from audit.auditors.data_independence.subjects import AuditedFunction as AuditedFunction
from audit.auditors.data_independence.subjects import find_touches as find_touches
from audit.auditors.data_independence.subjects import wrap_estimator as wrap_estimator
from audit.auditors.data_independence.subjects import wrap_function as wrap_function
from audit.auditors.data_independence.subjects import wrap_program as wrap_program
from audit.auditors.effort import Effort as Effort
