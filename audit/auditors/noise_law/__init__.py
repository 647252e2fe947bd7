"""The law of noise: whether a sampler, or what a mechanism adds, is what it is declared to be."""

from audit.auditors.noise_law.examination import examine, examine_mechanism
from audit.auditors.noise_law.subjects import StatedMechanism, StatedNoise

__all__ = ["StatedMechanism", "StatedNoise", "examine", "examine_mechanism"]
