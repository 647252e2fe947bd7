"""A small schema of each form that is known, and what a draft of it must declare."""

from __future__ import annotations

from typing import Any

from synthesizers.domain import Attribute

DICTIONARY: dict[str, Any] = {
    "AREA": {"description": "Area", "values": {"25-01": "East", "25-02": "West"}},
    "AGE": {"description": "Age", "values": {"min": 0, "max": 99}},
    "CHILDREN": {
        "description": "Own children",
        "values": {"N": "N/A (no household)", "0": "None", "min": 1, "max": 4},
    },
    "ETH": {"description": "Owner", "values": {"H": "HISPANIC", "N": "NONHISPANIC"}},
    "INDUSTRY": {"description": "Codes", "link": "https://example.org/codes.pdf"},
    "INCOME": {"description": "In dollars", "N": "N/A (a child)", "min": -9000, "max": 1341000},
    "DECILE": {"description": "Bins", "N": "N/A", "1": "10th percentile", "0": "0th percentile"},
    "RATIO": {"description": "Ratio", "values": {"min": 0, "max": 500, "501": "above 5"}},
    "WEIGHT": {"description": "W", "values": {"min": 0, "max": 9.5, "step_size": 0.5}},
}
"""After the data dictionaries of SDNist: codes below ``values`` or beside it, ranges among them."""

NIST: dict[str, Any] = {
    "schema": {
        "AREA": {"dtype": "object", "values": ["25-01", "25-02"]},
        "SEX": {"dtype": "int64", "values": [1, 2]},
        "MSP": {"has_null": True, "null_value": "N", "dtype": "object", "values": ["N", "1", "2"]},
        "FOUNDED": {"has_null": True, "null_value": "", "dtype": "float64", "values": [0, 1]},
        "AGE": {"dtype": "int64", "min": 0, "max": 95},
        "INCOME": {
            "has_null": True,
            "null_value": "N",
            "dtype": "object",
            "min": -9,
            "max": 1327000,
        },
        "DENSITY": {"dtype": "float64", "min": 16, "max": 18},
        "GROUP": {"values": {"min": 0, "max": 3, "step size": 1}, "dtype": "int64"},
        "OPEN": {"dtype": "object"},
    }
}

PARAMETERS: dict[str, Any] = {
    "runs": [{"epsilon": 1.0, "max_records_per_individual": 7}],
    "schema": {
        "taxi_id": {"dtype": "int64", "kind": "id", "min": 1, "max": 9},
        "shift": {"dtype": "uint8", "kind": "categorical", "values": [0, 1]},
        "area": {"dtype": "int8", "kind": "categorical", "values": [-1, 3], "names": ["?", "Loop"]},
        "fare": {"dtype": "int16", "kind": "numeric", "min": -1, "max": 10000},
    },
}

METADATA: dict[str, Any] = {
    "METADATA_SPEC_VERSION": "SINGLE_TABLE_V1",
    "primary_key": "guest",
    "columns": {
        "guest": {"sdtype": "id"},
        "email": {"sdtype": "email", "pii": True},
        "rewards": {"sdtype": "boolean"},
        "room": {"sdtype": "categorical"},
        "fee": {"sdtype": "numerical"},
        "checkin": {"sdtype": "datetime", "datetime_format": "%d %b %Y"},
    },
}

TABLES: dict[str, Any] = {
    "METADATA_SPEC_VERSION": "V1",
    "tables": {
        "hotels": {
            "primary_key": "hotel",
            "columns": {"hotel": {"sdtype": "id"}, "city": {"sdtype": "categorical"}},
        },
        "guests": {"columns": METADATA["columns"], "primary_key": "guest"},
    },
    "relationships": [],
}

OLD_METADATA: dict[str, Any] = {
    "tables": {
        "users": {
            "primary_key": "user",
            "fields": {
                "user": {"type": "id", "subtype": "integer"},
                "country": {"type": "categorical"},
                "since": {"type": "datetime", "format": "%Y-%m-%d"},
            },
        }
    }
}

MILLION = {"minimum": 0, "maximum": "1e6", "required": True}
YEAR = {"minimum": "2020-01-01", "maximum": "2020-12-31"}
GRADES = [{"value": 1, "label": "low"}, {"value": 2}]

TABLE_SCHEMA: dict[str, Any] = {
    "fields": [
        {"name": "key", "type": "string"},
        {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": True}},
        {"name": "grade", "type": "integer", "categories": GRADES, "categoriesOrdered": True},
        {"name": "rooms", "type": "integer", "constraints": {"minimum": 1, "maximum": 3}},
        {"name": "income", "type": "number", "constraints": MILLION},
        {"name": "seen", "type": "date", "constraints": YEAR},
        {"name": "member", "type": "boolean", "trueValues": ["yes"], "falseValues": ["no"]},
        {"name": "smoker", "type": "boolean", "missingValues": []},
        {"name": "remark", "title": "What\nwas said", "type": "string"},
        {"name": "email", "type": "string", "constraints": {"unique": True}},
    ],
    "missingValues": ["", "NA"],
    "primaryKey": ["key"],
}

PACKAGE: dict[str, Any] = {
    "name": "package",
    "resources": [{"name": "people", "path": "people.csv", "schema": TABLE_SCHEMA}],
}

COLUMNS: dict[str, Any] = {
    "sex": {"type": "categorical", "values": ["1", "2"], "description": "Sex"},
    "company": {"type": "string/raw", "n_values": 62},
}

SCHEMAS: dict[str, dict[str, Any]] = {
    "dictionary": DICTIONARY,
    "nist": NIST,
    "bare nist": NIST["schema"],
    "parameters": PARAMETERS,
    "metadata": METADATA,
    "old metadata": OLD_METADATA,
    "table schema": TABLE_SCHEMA,
    "package": PACKAGE,
    "columns": COLUMNS,
}
"""The schemas of one table."""


def ordinal(name: str, low: int, high: int, missing: bool | str = False) -> Attribute:
    """An attribute of whole numbers."""
    label = missing if isinstance(missing, str) else ""
    values = tuple(map(str, range(low, high + 1)))
    return Attribute(name, values, True, None, bool(missing), label)


def code_values(name: str, *values: str, missing: bool | str = False) -> Attribute:
    """An attribute of codes."""
    label = missing if isinstance(missing, str) else ""
    return Attribute(name, values, False, None, bool(missing), label)


DECLARED: dict[str, list[Attribute]] = {
    "dictionary": [
        code_values("AREA", "25-01", "25-02"),
        ordinal("AGE", 0, 99),
        ordinal("CHILDREN", 0, 4, "N"),
        code_values("ETH", "H", "N"),
        code_values("DECILE", "1", "0", missing="N"),
    ],
    "nist": [
        code_values("AREA", "25-01", "25-02"),
        code_values("SEX", "1", "2"),
        code_values("MSP", "1", "2", missing="N"),
        code_values("FOUNDED", "0", "1", missing=True),
        ordinal("AGE", 0, 95),
        ordinal("GROUP", 0, 3),
    ],
    "parameters": [code_values("shift", "0", "1"), code_values("area", "-1", "3")],
    "metadata": [code_values("rewards", "False", "True")],
    "old metadata": [],
    "table schema": [
        code_values("sex", "f", "m"),
        Attribute("grade", ("1", "2"), True, None, True, "NA"),
        ordinal("rooms", 1, 3, "NA"),
        code_values("member", "no", "yes", missing="NA"),
    ],
    "columns": [code_values("sex", "1", "2")],
}
"""The attributes that each says in full."""

GAPS: dict[str, dict[str, str]] = {
    "dictionary": {"INDUSTRY": "values", "INCOME": "bins", "RATIO": "bins", "WEIGHT": "bins"},
    "nist": {"INCOME": "bins", "DENSITY": "bins", "OPEN": "values"},
    "parameters": {"fare": "bins"},
    "metadata": {"room": "values", "fee": "bins", "checkin": "bins"},
    "old metadata": {"country": "values", "since": "bins"},
    "table schema": {"income": "bins", "seen": "bins", "smoker": "values", "remark": "values"},
    "columns": {"company": "values"},
}
"""The attributes that each leaves to fill in, and what of them."""

DECLARED |= {"bare nist": DECLARED["nist"], "package": DECLARED["table schema"]}
GAPS |= {"bare nist": GAPS["nist"], "package": GAPS["table schema"]}

LEFT_OUT = {
    "parameters": ["taxi_id"],
    "metadata": ["guest", "email"],
    "old metadata": ["user"],
    "table schema": ["key", "email"],
    "package": ["key", "email"],
}
"""The columns that are no attributes."""

IDS = {"parameters": "taxi_id", "metadata": "guest", "old metadata": "user"}
IDS |= {"table schema": "key", "package": "key"}
"""The id columns."""
