"""Rules that a command is given; the commands that read none load no parser."""

from __future__ import annotations

from r4.cli.common import read_bytes, say
from rif.errors import RuleErrors
from rif.parser import Parsed
from rif.reading import parse_bytes
from temporal import rif_kinds as _kinds  # noqa: F401 - metric operators are formulas of rules


def read_rules(path: str, *, lenient: bool) -> Parsed | None:
    """The rules at ``path``, in either syntax; warnings said.

    None: they are refused, and all faults are said.
    """
    data = read_bytes(path)
    if data is None:
        return None
    name = "<stdin>" if path == "-" else path
    try:
        parsed = parse_bytes(data, name=name, lenient=lenient)
    except RuleErrors as errors:
        say(errors.report(name))
        return None
    if parsed.warnings:
        say(parsed.report(name))
    return parsed
