"""The gate before the parser of JSON-LD: texts that would exhaust it.

The parser recurses over nested values, and over terms of a context that are defined by other terms.
It copies all terms that are defined at a place whenever a context applies there: one of the node,
or that a term of its types or keys brings; and whenever it reads a term that has a context. All
these have limits here. O(n) in the text; contexts, and these only, are read into objects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from r4.rdf.gates.input_limits import DEEPEST

MOST_CHAINED: Final = 100
"""Terms of a JSON-LD context of which each is defined by the next."""
LONGEST_CONTEXT: Final = 16 << 20
"""Bytes of the longest JSON-LD context that is read."""

MOST_COPIED: Final = 1_000_000
"""Terms that contexts may copy, beside one and a half for each byte; a copy takes up to 1.5 µs."""
MOST_COPIED_IN_LINE: Final = 20_000
"""The same for a text that is one line of many."""
_MOST_HELD: Final = 500_000
"""Terms that contexts within each other may hold at once, by a bound: 700 bytes each."""

_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?|([\[{])|([\]}])', re.DOTALL)
"""A string, with an end or without one, so that each byte is looked at once; a bracket."""
_VALUE: Final = re.compile(rb"[ \t\r\n]*+:[ \t\r\n]*+(?=[\[{])")
"""What stands between a key and a value that is an array or an object."""
_CONTEXT: Final = "@context"
_MOST_DISTINCT: Final = 1000
"""So many different contexts are examined once each, however often they come."""

_Json: TypeAlias = "str | int | float | bool | list[_Json] | dict[str, _Json] | None"


class _Context(NamedTuple):
    """What a context costs where it applies.

    Attributes:
        terms: how many it defines.
        scoped: how many of all terms within have a context.
        copied: terms that are copied for these, beside those that are defined around it.
    """

    terms: int
    scoped: int
    copied: int

    @classmethod
    def of(cls, value: _Json) -> _Context:
        scoped = copied = 0
        waiting = [(value, 0)]
        while waiting:
            context, around = waiting.pop()
            terms = around + _size(context)
            for within in _scoped_contexts(context).values():
                scoped += 1
                copied += terms
                waiting.append((within, terms))
        return cls(_size(value), scoped, copied)


def json_fault(text: bytes, most_copied: int = MOST_COPIED) -> str:
    """What is wrong with a JSON-LD text; "" if it can be read.

    ``most_copied`` terms, beside one and a half for each byte, may be copied by its contexts.
    """
    depth = begin = outside = 0
    examined: dict[bytes, _Context] = {}
    contexts: list[tuple[int, int, _Context]] = []  # begin, end
    scoped: dict[str, _Context] = {}
    for found in _TOKEN.finditer(text):
        if found[1]:
            depth += 1
            if depth > DEEPEST:
                return "JSON nested too deeply"
        elif found[2]:
            depth -= 1
            if begin and depth == outside:
                context = text[begin : found.end()]
                if (known := examined.get(context)) is None:
                    value = _value(context)
                    if fault := _context_fault(context, value):
                        return fault
                    known = _Context.of(value)
                    _note_scoped(value, scoped)
                    if len(examined) < _MOST_DISTINCT:
                        examined[context] = known
                contexts.append((begin, found.end(), known))
                begin = 0
        elif not begin and _is_context(found[0]) and (gap := _VALUE.match(text, found.end())):
            begin, outside = gap.end(), depth
    most = most_copied + len(text) + len(text) // 2
    return _copies_fault(text, contexts, scoped, most) if contexts else ""


def _is_context(token: bytes) -> bool:
    if b"\\" not in token:
        return token == b'"@context"'
    return len(token) <= 6 * len(_CONTEXT) + 2 and text_of(token) == _CONTEXT


def _value(context: bytes) -> _Json:
    """The value of a context; None: it is too long, or no JSON, as the parser will say."""
    try:
        found: _Json = None if len(context) > LONGEST_CONTEXT else json.loads(context)
    except ValueError:
        return None
    return found


def _context_fault(text: bytes, value: _Json) -> str:
    """What is wrong with a context; "" if it can be read."""
    if len(text) > LONGEST_CONTEXT:
        return f"a JSON-LD context of more than {LONGEST_CONTEXT} bytes"
    if any(_longest_chain(context) > MOST_CHAINED for context in _contexts(value)):
        return f"more than {MOST_CHAINED} terms of a JSON-LD context, each defined by the next"
    return ""


def _contexts(value: _Json) -> Iterator[dict[str, _Json]]:
    """The objects within a context that may define terms: itself, and those of its terms."""
    waiting = [value]
    while waiting:
        match waiting.pop():
            case list() as items:
                waiting += items
            case dict() as members:
                yield members
                waiting += [each for each in members.values() if isinstance(each, dict | list)]


def _size(context: _Json) -> int:
    """How many terms a context defines."""
    if isinstance(context, list):
        return sum(map(_size, context))
    return len(context) if isinstance(context, dict) else 0


def _scoped_contexts(context: _Json) -> dict[str, _Json]:
    """The contexts that terms of a context have, by these."""
    members = context if isinstance(context, list) else [context]
    return {
        term: definition["@context"]
        for each in members
        if isinstance(each, dict)
        for term, definition in each.items()
        if isinstance(definition, dict) and "@context" in definition
    }


def _note_scoped(value: _Json, scoped: dict[str, _Context]) -> None:
    """Note the terms of a context that have a context, and what that costs."""
    for context in _contexts(value):
        for term, within in _scoped_contexts(context).items():
            known = scoped.get(term, _Context(0, 0, 0))
            scoped[term] = _Context(*map(max, known, _Context.of(within)))


@dataclass(slots=True)
class _Node:
    """An object of a text while it is read.

    Attributes:
        terms: those of contexts that apply to it.
        own: how many contexts these are.
        applied: how many contexts apply to it, and to the objects within.
        terms_below, own_below: the most of `terms` and `own` on a way down to an object within.
    """

    terms: int = 0
    own: int = 0
    applied: int = 0
    terms_below: int = 0
    own_below: int = 0

    def apply(self, terms: int) -> None:
        """A context of so many terms applies to it."""
        self.terms += terms
        self.own += 1
        self.applied += 1

    def take(self, inner: _Node) -> None:
        """An object within it is read."""
        self.applied += inner.applied
        self.terms_below = max(self.terms_below, inner.terms + inner.terms_below)
        self.own_below = max(self.own_below, inner.own + inner.own_below)


def _copies_fault(
    text: bytes,
    contexts: Sequence[tuple[int, int, _Context]],
    scoped: Mapping[str, _Context],
    most: int,
) -> str:
    """Whether contexts copy more than ``most`` terms, or hold too many at once; "" if not.

    The terms of a context are copied once for each context that applies below it. A key or string
    that is the name of a term with a context counts as its type.
    """
    nodes = [_Node()]
    copied = held = end = 0
    coming = iter(contexts)
    begin, behind, context = next(coming)
    for found in _TOKEN.finditer(text):
        if found.start() < end:
            continue
        token = found[0]
        applied: _Context | None = None
        if found.start() == begin:
            applied = context
            end = behind
            begin, behind, context = next(coming, (-1, 0, context))
        elif token == b"{":
            nodes.append(_Node())
        elif token == b"}" and len(nodes) > 1:
            node = nodes.pop()
            held -= node.terms
            copied += node.terms * node.applied
            nodes[-1].take(node)
        elif scoped and not (found[1] or found[2]):
            applied = scoped.get(text_of(token))
        if applied is not None:
            copied += applied.copied + applied.scoped * held
            held += applied.terms
            nodes[-1].apply(applied.terms)
        if copied > most or nodes[-1].terms_below * nodes[-1].own_below > _MOST_HELD:
            return "contexts of JSON-LD that apply too often for their number of terms"
    return ""


def text_of(token: bytes) -> str:
    """The text of a JSON string; "" if it is none."""
    try:
        return token[1:-1].decode() if b"\\" not in token else str(json.loads(token))
    except ValueError:
        return ""


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
