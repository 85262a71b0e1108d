"""``--recognise``: the datatypes whose literals have a value."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Final, TypeVar

import click

from rif.syntax.iri import local_name
from rif.syntax.terms import RDF, XSD
from rif.values.datatypes import KNOWN, OPAQUE

F = TypeVar("F", bound=Callable[..., object])

_NONE: Final = "none"
_NAMED: Final = KNOWN | OPAQUE | {RDF + "PlainLiteral", XSD + "string"}


def recognise_option(command: F) -> F:
    """``--recognise IRI``: ``recognised``, the datatypes whose literals have a meaning."""
    return click.option(
        "--recognise",
        "recognised",
        multiple=True,
        metavar="IRI",
        callback=_recognised,
        help="A datatype whose literals have a meaning; without it all that are known have. "
        f"{_NONE}: none has.",
    )(command)


def _recognised(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> frozenset[str]:
    iris = [each.removeprefix("<").removesuffix(">") for each in given]
    for iri in iris:
        if iri != _NONE and iri not in _NAMED:
            message = f"--recognise {iri}: no such datatype is known{_near(iri)}"
            raise click.UsageError(message)
    return frozenset(iris or KNOWN) - {_NONE}


def _near(iri: str) -> str:
    """``; did you mean …?``, or nothing."""
    by_name = {local_name(known).lower(): known for known in sorted(_NAMED)}
    found = difflib.get_close_matches(local_name(iri).lower(), by_name, 1)
    return f"; did you mean {by_name[found[0]]}?" if found else ""
