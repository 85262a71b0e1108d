"""``--recognise``: the datatypes whose literals have a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import click

from r4.cli.options.iri_names import IriNames
from r4.options.option import Topic, several
from rif.errors.nearest import nearest_word
from rif.syntax.iri import local_name
from rif.syntax.terms import RDF, XSD
from rif.values.datatypes import KNOWN, OPAQUE

_NONE: Final = "none"
_NAMED: Final = KNOWN | OPAQUE | {RDF + "PlainLiteral", XSD + "string"}


@dataclass(frozen=True, kw_only=True)
class DatatypeOptions:
    """The datatypes whose literals have a value; see `recognised_datatypes`."""

    recognised: tuple[str, ...] = several(
        "A datatype whose literals have a meaning; without it all that are known have. "
        f"{_NONE}: none has.",
        Topic.RULES,
        spelling="--recognise",
        metavar="IRI",
    )


def recognised_datatypes(names: Sequence[str], iri_names: IriNames) -> frozenset[str]:
    """The datatypes whose literals have a meaning, by the values of ``--recognise``.

    Raises:
        click.UsageError: one is not known.
    """
    iris = [iri_names.expand(name) for name in names]
    for iri in iris:
        if iri != _NONE and iri not in _NAMED:
            message = f"--recognise {iri}: no such datatype is known{_near(iri)}"
            raise click.UsageError(message)
    return frozenset(iris or KNOWN) - {_NONE}


def _near(iri: str) -> str:
    """``; did you mean …?``, or nothing."""
    by_name = {local_name(known).lower(): known for known in sorted(_NAMED)}
    near = nearest_word(local_name(iri).lower(), by_name)
    return "" if near is None else f"; did you mean {by_name[near]}?"
