"""What the functions of this package return: a value each, which the report shows."""

from dp_audit.results.accounts import AccountResult, NoiseResult
from dp_audit.results.attestations import AttestationResult
from dp_audit.results.certificates import CertificateResult, VerificationResult
from dp_audit.results.channels import ChannelResult
from dp_audit.results.choices import ChoiceResult
from dp_audit.results.comparisons import ComparisonResult, CriteriaResult
from dp_audit.results.components import ComponentsResult, SensitivityResult, StabilityResult
from dp_audit.results.releases import DomainResult, ReleaseResult
from dp_audit.results.result import Result, plain_lines
from dp_audit.results.reviews import ReviewResult
from dp_audit.results.trials import TrialResult
from dp_audit.results.usefulness import DisclosureResult, UtilityResult
from dp_audit.results.write_ups import WriteUpResult

__all__ = [
    "AccountResult",
    "AttestationResult",
    "CertificateResult",
    "ChannelResult",
    "ChoiceResult",
    "ComparisonResult",
    "ComponentsResult",
    "CriteriaResult",
    "DisclosureResult",
    "DomainResult",
    "NoiseResult",
    "ReleaseResult",
    "Result",
    "ReviewResult",
    "SensitivityResult",
    "StabilityResult",
    "TrialResult",
    "UtilityResult",
    "VerificationResult",
    "WriteUpResult",
    "plain_lines",
]
