"""Tables that a stranger's program wrote: CSV as a data frame, or no table."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd

from synthesizers.csv_files import CsvTable
from synthesizers.domain import Domain


def output_table(data: bytes, domain: Domain) -> pd.DataFrame | None:
    """The table of a CSV file's bytes, UTF-8 with a header; None where they are none.

    A column is text where the domain lists its values; otherwise numbers in doubles if every
    field is a number or empty, and text if not. What a table is read as depends on that file
    and the domain alone.
    """
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig", newline="")
    try:
        names = next(filter(None, csv.reader(text)), None)
        if names is None or len(set(names)) < len(names):
            return None
        frames = list(CsvTable(tuple(names), text).frames(None))
    except (UnicodeDecodeError, csv.Error, pd.errors.ParserError, pd.errors.ParserWarning):
        return None
    frame = frames[0] if frames else pd.DataFrame({name: pd.Series(dtype=str) for name in names})
    listed = {attribute.name for attribute in domain.attributes if attribute.edges is None}
    return pd.DataFrame(
        {name: frame[name] if name in listed else numbers_or_text(frame[name]) for name in names}
    )


def numbers_or_text(texts: pd.Series) -> pd.Series:
    """A column of texts as doubles, an empty one as NaN; as it is if one is no number."""
    fields = texts.to_numpy(dtype=np.object_)
    try:
        return pd.Series(np.where(fields == "", "nan", fields).astype(np.float64))
    except ValueError:
        return texts
