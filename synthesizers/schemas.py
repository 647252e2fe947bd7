"""Domain files in and out: the TOML form, and the column schemas of shared data.

A domain file is public, so that messages may quote the names in it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from synthesizers.column_schemas import domain_from_column_schema
from synthesizers.domain import Domain
from synthesizers.domain_toml import domain_from_toml, domain_to_toml, rules_from_toml
from synthesizers.errors import InputError

_MAX_BYTES = 64 * 2**20


@dataclass(frozen=True)
class DomainFile:
    """What a domain file says: the ``domain``, and the ``rules`` that hold of every record."""

    domain: Domain
    rules: tuple[str, ...] = ()


def load_domain(path: str | Path) -> Domain:
    """Return the domain that a file declares; as ``load_domain_file``."""
    return load_domain_file(path).domain


def load_domain_file(path: str | Path) -> DomainFile:
    """Return what a domain file says.

    A name ending in ``.json`` is a column schema (``column_schemas``); anything
    else is TOML (``domain_toml``), as is ``-``, standard input. Raises
    ``InputError`` for a file that cannot be read, is not of its form, is larger
    than 64 MiB, or declares no proper domain; of a schema of another program it
    says how it is converted.
    """
    standard_input = str(path) == "-"
    spoken = "the domain on standard input" if standard_input else f"the domain file {path}"
    content = sys.stdin.buffer.read(_MAX_BYTES + 1) if standard_input else _content(path, spoken)
    if len(content) > _MAX_BYTES:
        raise InputError(f"{spoken} is larger than {_MAX_BYTES} bytes; is it a table of records?")
    name = Path(path).name
    stem = name.removesuffix(".json").removesuffix(".schema").removesuffix(".toml")
    stem = "domain" if stem in {"", "-"} else stem
    try:
        text = content.decode("utf-8-sig")
        if name.endswith(".json"):
            return DomainFile(domain_from_column_schema(text, stem))
        return DomainFile(domain_from_toml(text, stem), rules_from_toml(text))
    except UnicodeDecodeError as error:
        raise InputError(f"{spoken} is not UTF-8 text; is it a domain file?") from error
    except InputError as error:
        # Forms of other programs are learnt where a file is none of ours alone.
        from synthesizers.drafts.forms import say_conversion

        raise type(error)(f"{spoken}: {say_conversion(path, text) or error}") from error


def dump_domain(domain: Domain) -> str:
    """Return the domain as the text of a TOML domain file: ``load_domain`` gives it back."""
    return domain_to_toml(domain)


def _content(path: str | Path, spoken: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a readable path"
        raise InputError(f"{spoken} cannot be read: {reason}") from error
