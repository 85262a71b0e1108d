"""Prefixes for IRIs that the rules have none for, so that a person can read them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, count
from os.path import commonprefix
from typing import Final
from urllib.parse import urlsplit

from r4.explain.explanation import AssertedNode, DerivedNode, Explanation, Statement
from r4.explain.rendering.names import write_term
from rete.drawing.names import Names

_WORD: Final = re.compile(r"[^\W\d_][\w-]*")
_SHORT: Final = 12
"""An IRI with so few characters is no burden."""


def with_prefixes(found: Explanation, names: Names) -> tuple[Names, tuple[tuple[str, str], ...]]:
    """Names with prefixes for all IRIs of an explanation, and the new prefixes among them."""
    spaces: dict[str, None] = {}
    same_host: dict[str, list[str]] = defaultdict(list)
    for iri in _unprefixed(found, names):
        space = _space(iri)
        if space:
            spaces[space] = None
        else:
            parts = urlsplit(iri)
            same_host[f"{parts.scheme}://{parts.netloc}/"].append(iri)
    for host, iris in same_host.items():
        spaces[_common(host, iris)] = None
    taken = {prefix for prefix, _ in names.prefixes}
    new: list[tuple[str, str]] = []
    for space in spaces:
        words = _WORD.findall(space.partition(":")[2])
        word = words[-1] if words else "ns"
        numbered = chain([word], (f"{word}{number}" for number in count(2)))
        prefix = next(each for each in numbered if each not in taken)
        taken.add(prefix)
        new.append((prefix, space))
    return replace(names, prefixes=(*names.prefixes, *new)), tuple(new)


def _unprefixed(found: Explanation, names: Names) -> Iterator[str]:
    texts = dict.fromkeys(text for fact in _facts(found) for text in fact.terms)
    texts |= dict.fromkeys(
        each.name
        for tree in found.all_trees
        for node in tree.nodes
        if isinstance(node, AssertedNode)
        for each in node.elements
        if each.name is not None
    )
    for text in texts:
        if text.startswith("<") and len(text) > _SHORT and write_term(names, text).startswith("<"):
            yield text[1:-1]


def _facts(found: Explanation) -> Iterator[Statement]:
    yield found.fact
    for tree in found.all_trees:
        for node in tree.nodes:
            if isinstance(node, AssertedNode | DerivedNode):
                yield node.fact


def _space(iri: str) -> str:
    """The namespace of an IRI: to its #, or of a URN to its last colon; else nothing."""
    at = iri.rfind("#") + 1
    if at or "//" in iri:
        return iri[:at]
    return iri[: iri.rfind(":") + 1]


def _common(host: str, iris: list[str]) -> str:
    """What the paths of IRIs with the same host begin with."""
    same = commonprefix(iris)  # noqa: RUF071 - cut at a slash in the next line
    at = same.rfind("/") + 1
    return same[:at] if at > len(host) else host
