from diffprivlib.mechanisms.binary import Binary
from diffprivlib.mechanisms.exponential import Exponential, PermuteAndFlip
from diffprivlib.mechanisms.gaussian import GaussianDiscrete
from diffprivlib.mechanisms.geometric import Geometric, GeometricFolded, GeometricTruncated
from diffprivlib.mechanisms.laplace import Laplace, LaplaceTruncated
from diffprivlib.mechanisms.staircase import Staircase

__all__ = [
    "Binary",
    "Exponential",
    "GaussianDiscrete",
    "Geometric",
    "GeometricFolded",
    "GeometricTruncated",
    "Laplace",
    "LaplaceTruncated",
    "PermuteAndFlip",
    "Staircase",
]
