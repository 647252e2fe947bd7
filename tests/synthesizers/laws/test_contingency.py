from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.laws.contingency import contingency_table, require_shape


def test_the_table_has_the_domains_axes() -> None:
    domain = Domain.from_cells("2x3x2")
    table = contingency_table(np.arange(12), domain.shape)
    for cell, codes in enumerate(domain.codes().tolist()):
        assert table[tuple(codes)] == cell


@pytest.mark.parametrize("cells", [3, 5])
def test_a_table_of_another_size_is_refused(cells: int) -> None:
    with pytest.raises(InputError, match="4 cells"):
        contingency_table(np.zeros(cells, np.int64), (2, 2))


@pytest.mark.parametrize("shape", [(), (2, 0), (2, -1), (2, 1.5), (True, 2)])
def test_shapes_that_no_domain_has(shape: Any) -> None:
    with pytest.raises(InputError, match="shape"):
        require_shape(shape)
