"""Answers named by options, ``--only`` and ``--fail-on``: by absolute IRIs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import click

from r4.cli.common import say
from rif.ast import Document
from rif.iri import is_absolute

_KINDS: Final = frozenset({"answer", "any", "error"})


def check_named(only: Sequence[str], fail_on: str | None, expect: Sequence[str] = ()) -> None:
    """That these are names of answers, or of what may come.

    Raises:
        click.UsageError: one of them is no absolute IRI.
    """
    for iri in only:
        _check("--only", iri, "")
    for iri in expect:
        _check("--expect", iri, "")
    if fail_on is not None and fail_on not in _KINDS:
        _check("--fail-on", fail_on, ", or answer, or error")


def _check(option: str, name: str, others: str) -> None:
    if not is_absolute(_bare(name)):
        message = (
            f"{option} {name}: no absolute IRI; write it in full, such as urn:ex:alarm{others}"
        )
        raise click.UsageError(message)


def say_prefixed(names: Iterable[str], rules: Document) -> None:
    """A warning for each name that looks as if it were meant with a prefix of the rules."""
    prefixes = dict(rules.prefixes)
    for name in names:
        prefix, _, local = _bare(name).partition(":")
        if prefix in prefixes and not local.startswith("//"):
            meant = prefixes[prefix] + local
            say(f"warning: {name} is an IRI as it stands; did you mean {meant}?")


def _bare(name: str) -> str:
    return name[1:-1] if name.startswith("<") and name.endswith(">") else name
