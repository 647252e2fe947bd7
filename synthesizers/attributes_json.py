"""Attributes and hierarchies as plain JSON, for certificates and other programs.

Bin edges are exact text (``"0.5"``, ``"1/3"``, ``"2020-01-31"``): a JSON float would be rounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from synthesizers.attributes import Attribute, Hierarchy
from synthesizers.errors import InputError
from synthesizers.quantities import Quantity, read_edges

_ATTRIBUTE_KEYS = frozenset({"name", "values", "ordinal", "edges", "missing", "missing_label"})
_HIERARCHY_KEYS = frozenset({"attribute", "levels"})


def attribute_to_json(attribute: Attribute) -> dict[str, object]:
    """Return the attribute as a dictionary with every key present."""
    edges = attribute.edges
    return {
        "name": attribute.name,
        "values": list(attribute.values),
        "ordinal": attribute.ordinal,
        "edges": None if edges is None else [attribute.quantity.write(edge) for edge in edges],
        "missing": attribute.missing,
        "missing_label": attribute.missing_label,
    }


def attribute_from_json(obj: object) -> Attribute:
    """Return the attribute that ``attribute_to_json`` wrote; ``InputError`` for anything else.

    Keys whose value would be the default may be absent.
    """
    fields = json_object(obj, _ATTRIBUTE_KEYS, frozenset({"name", "values"}), "an attribute")
    texts = fields.get("edges")
    quantity, edges = (Quantity.NUMBERS, None) if texts is None else _edges(texts)
    return Attribute(
        name=json_text(fields["name"], "the name of an attribute"),
        values=_texts(fields["values"], "values"),
        ordinal=_truth(fields.get("ordinal", False), "ordinal"),
        edges=edges,
        missing=_truth(fields.get("missing", False), "missing"),
        missing_label=json_text(fields.get("missing_label", ""), "missing_label"),
        quantity=quantity,
    )


def hierarchy_to_json(hierarchy: Hierarchy) -> dict[str, object]:
    """Return the hierarchy as a dictionary of its attribute and its levels."""
    return {
        "attribute": hierarchy.attribute,
        "levels": [list(level) for level in hierarchy.levels],
    }


def hierarchy_from_json(obj: object) -> Hierarchy:
    """Return the hierarchy that ``hierarchy_to_json`` wrote; ``InputError`` for anything else."""
    fields = json_object(obj, _HIERARCHY_KEYS, _HIERARCHY_KEYS, "a hierarchy")
    levels = tuple(_texts(level, "a level") for level in json_list(fields["levels"], "levels"))
    return Hierarchy(json_text(fields["attribute"], "the attribute of a hierarchy"), levels)


def json_object(
    obj: object, known: frozenset[str], needed: frozenset[str], what: str
) -> Mapping[str, object]:
    """``obj`` as an object with all needed keys and no unknown one, else ``InputError``."""
    if not isinstance(obj, dict):
        raise InputError(f"{what} in JSON must be an object")
    if not needed <= obj.keys() <= known:
        raise InputError(
            f"{what} in JSON needs the keys {', '.join(sorted(needed))} and may have no others but "
            f"{', '.join(sorted(known))}"
        )
    return obj


def json_list(obj: object, what: str) -> Sequence[object]:
    """``obj`` as a list, else ``InputError``."""
    if not isinstance(obj, list):
        raise InputError(f"a domain in JSON: {what} must be a list")
    return obj


def json_text(obj: object, what: str) -> str:
    """``obj`` as text, else ``InputError``."""
    if not isinstance(obj, str):
        raise InputError(f"a domain in JSON: {what} must be text")
    return obj


def _edges(obj: object) -> tuple[Quantity, tuple[Fraction, ...]]:
    texts = [text for text in json_list(obj, "edges") if isinstance(text, str)]
    found = read_edges(texts) if len(texts) == len(json_list(obj, "edges")) else None
    if found is None:
        raise InputError(
            'a domain in JSON: edges must be numbers as text, as in "0.5", or all be dates or times'
        )
    return found


def _texts(obj: object, what: str) -> tuple[str, ...]:
    return tuple(json_text(item, what) for item in json_list(obj, what))


def _truth(obj: object, what: str) -> bool:
    if not isinstance(obj, bool):
        raise InputError(f"a domain in JSON: {what} must be true or false")
    return obj
