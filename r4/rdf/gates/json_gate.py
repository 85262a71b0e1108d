"""The gate before the parser of JSON-LD: texts that would exhaust it.

The parser recurses over nested values, and over terms of a context that are defined by other terms.
Both have limits here. O(n) in the text; contexts, and these only, are read into objects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from r4.rdf.gates.input_limits import DEEPEST

MOST_CHAINED: Final = 100
"""Terms of a JSON-LD context of which each is defined by the next."""
LONGEST_CONTEXT: Final = 16 << 20
"""Bytes of the longest JSON-LD context that is read."""

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?|([\[{])|([\]}])', re.DOTALL)
"""A string, with an end or without one, so that each byte is looked at once; a bracket."""
_VALUE: Final = re.compile(rb"[ \t\r\n]*+:[ \t\r\n]*+(?=[\[{])")
"""What stands between a key and a value that is an array or an object."""
_CONTEXT: Final = "@context"
_MOST_DISTINCT: Final = 1000
"""So many different contexts are examined once each, however often they come."""

_Json: TypeAlias = "str | int | float | bool | list[_Json] | dict[str, _Json] | None"


def json_fault(text: bytes) -> str:
    """What is wrong with a JSON-LD text; "" if it can be read."""
    depth = begin = outside = 0
    examined: set[bytes] = set()
    for found in _TOKEN.finditer(text):
        if found[1]:
            depth += 1
            if depth > DEEPEST:
                return "JSON nested too deeply"
        elif found[2]:
            depth -= 1
            if begin and depth == outside:
                context = text[begin : found.end()]
                begin = 0
                if context in examined:
                    continue
                if fault := _context_fault(context):
                    return fault
                if len(examined) < _MOST_DISTINCT:
                    examined.add(context)
        elif not begin and _is_context(found[0]) and (value := _VALUE.match(text, found.end())):
            begin, outside = value.end(), depth
    return ""


def _is_context(token: bytes) -> bool:
    if b"\\" not in token:
        return token == b'"@context"'
    if len(token) > 6 * len(_CONTEXT) + 2:
        return False
    try:
        return bool(json.loads(token) == _CONTEXT)
    except ValueError:
        return False


def _context_fault(text: bytes) -> str:
    """What is wrong with a context; "" if it can be read."""
    if len(text) > LONGEST_CONTEXT:
        return f"a JSON-LD context of more than {LONGEST_CONTEXT} bytes"
    try:
        value: _Json = json.loads(text)
    except ValueError:
        return ""  # no JSON, as the parser will say
    if any(_longest_chain(context) > MOST_CHAINED for context in _contexts(value)):
        return f"more than {MOST_CHAINED} terms of a JSON-LD context, each defined by the next"
    return ""


def _contexts(value: _Json) -> Iterator[Mapping[str, _Json]]:
    """The objects within a context that may define terms: itself, and those of its terms."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case list() as items:
                waiting += items
            case dict() as members:
                yield members
                waiting += [each for each in members.values() if isinstance(each, dict | list)]


def _longest_chain(context: Mapping[str, _Json]) -> int:
    """The most terms of which each needs the definition of the next; a circle counts once."""
    lengths: dict[str, int] = {}
    path = list(context)
    while path:
        term = path[-1]
        needs = _needs(term, context[term])
        if term not in lengths:
            lengths[term] = 0  # while it is on the path
            path += [each for each in needs if each in context and each not in lengths]
        else:
            path.pop()
            if not lengths[term]:
                lengths[term] = 1 + max((lengths.get(each, 0) for each in needs), default=0)
    return max(lengths.values(), default=0)


def _needs(term: str, value: _Json) -> list[str]:
    """Terms whose definitions that of ``term`` may need, defined or not."""
    named = [term, value]
    if isinstance(value, dict):
        named += [value.get(key) for key in ("@id", "@type", "@reverse")]
    prefixes = [each.partition(":")[0] for each in named if isinstance(each, str)]
    return [each for each in prefixes if each != term]
