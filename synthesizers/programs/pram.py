"""PRAM, the post-randomisation method: every record's value passes through a matrix of chances.

Purpose: protecting microdata of categories by chance, each record on its own,
in a way that can be corrected for in estimates.

Source: Gouweleeuw, Kooiman, Willenborg & de Wolf 1998. With retain =
e^epsilon/(e^epsilon + k - 1) it is randomized response over k values (Warner
1965 for two).

Inputs: either retain, a chance p from 0 to 1 (a value stays with chance p, else
becomes one of the others, all equally likely; an only value stays), or matrix, a
CSV file without a header of k lines of k decimals or fractions: in line i,
column j the chance that the i-th value becomes the j-th; every line sums to
exactly 1. attribute, the one that is randomised (default: the record as a
whole, its values being the cells in order, the last attribute fastest; up to
1000). The matrix is fixed beforehand: one made from the data, so that expected
frequencies stay as they are (invariant PRAM), is another method.

Budget: where the record is randomised as a whole and the number of records is
public (replace-one, records), it is epsilon-DP, with epsilon the logarithm of
the largest ratio within a column of the matrix: for retain = p between 0 and 1
that of p (k - 1)/(1 - p) or its inverse, whichever is larger. It holds for
databases of any size, and is attained. In all other cases epsilon is infinite:
with a zero beside a non-zero in a column (retain = 0 or 1), with one attribute of
several (the others are shown as they are), and with a private number of records
(it shows).

Post-processing: none. In particular, frequencies are not corrected.

Assumes public: the domain, the matrix, the number of records.

Known weaknesses: a p that keeps most values makes epsilon large (0.8 and ten
values: ln 36, about 3.6); one attribute alone leaves the rest of a record as it
is; a second release with fresh chance costs epsilon again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from synthesizers.curator import Setting
from synthesizers.errors import InputError
from synthesizers.laws.pram import PostRandomisation, Weights, read_matrix, retaining
from synthesizers.programs.one_law import OneLaw
from synthesizers.programs.parameters import attribute_name, parameter, rational


def matrix_file(text: str, name: str) -> Weights:
    """The matrix of a file, which is read here and not again."""
    return read_matrix(text)


@dataclass(frozen=True, slots=True)
class Pram(OneLaw):
    """See the module's card."""

    retain: Fraction | None = parameter(rational, None)
    matrix: Weights | None = parameter(matrix_file, None)
    attribute: str | None = parameter(attribute_name, None)

    def __post_init__(self) -> None:
        if (self.retain is None) == (self.matrix is None):
            raise InputError("pram takes either --set retain=P or --set matrix=FILE, one of them")
        if self.retain is not None and not 0 <= self.retain <= 1:
            raise InputError(f"retain is a chance from 0 to 1, found {self.retain}")

    def law(self, setting: Setting) -> PostRandomisation:
        """The law of the release; InputError where the matrix does not fit the domain."""
        domain = setting.domain
        if self.attribute is None:
            return PostRandomisation(
                self._weights(domain.size, f"the domain has {domain.size} cells")
            )
        place = domain.position(self.attribute)
        before, values, after = domain.shape[:place], domain.shape[place], domain.shape[place + 1 :]
        having = f"the attribute {self.attribute!r} has {values} values, a missing one included"
        weights = self._weights(values, having)
        return PostRandomisation(weights, math.prod(before), math.prod(after))

    def _weights(self, values: int, having: str) -> Weights:
        if self.retain is not None:
            return retaining(Fraction(self.retain), values)
        assert self.matrix is not None
        if len(self.matrix) != values:
            raise InputError(
                f"the matrix has {len(self.matrix)} lines, but {having}; give it one line for each"
            )
        return self.matrix
