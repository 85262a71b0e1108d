"""Names for blank nodes without label: ``g1``, ``g2`` … by their position in the document.

The parser gives such a node a random number as label: 32 hexadecimal digits without leading zeros,
the first one a letter. (Fewer than 16 of them come once in 2^64 nodes.) Whether a label of that
shape is random follows from the text: an explicit label stands in it, a random one never does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeAlias

_RANDOM = re.compile(rb"_:([a-f][0-9a-f]{15,31})(?= )")
_HEX = re.compile(rb"[a-f][0-9a-f]{15,31}")
_EXPLICIT = re.compile(rb"_:([a-f][0-9a-f]{15,31})")
_NUMBERED = re.compile(rb"g[0-9]+(?:-[0-9]+)*")
_CANDIDATE = re.compile(rb"_:(?:[a-f][0-9a-f]{15,31}|g[0-9]+(?:-[0-9]+)*) ")

_Labels: TypeAlias = tuple[bytes, bytes, bytes]
"""Labels of graph name, subject and object, in the order in which TriG writes them; "" for none."""


class BlankNodeNames:
    """The names given to the blank nodes of one document so far.

    A label is kept as it is. Only where it would meet a generated name that was given out before
    (``_:g1`` after the first ``[]``) it becomes ``g1-1``: two nodes never share a name. Names
    depend on the order of statements alone, not on how many are named at once.
    """

    __slots__ = ("_kept", "_last", "_taken")

    def __init__(self) -> None:
        self._last = 0
        self._kept: dict[bytes, bytes] = {}
        self._taken: set[bytes] = set()

    def rename(self, quads: bytes, is_generated: Callable[[bytes], bool]) -> bytes:
        """``quads``, canonical N-Quads of whole statements of the document, with names in place.

        Costs O(bytes); nothing but a search where no label can be concerned.
        """
        if not _CANDIDATE.search(quads):
            return quads
        lines = quads.split(b"\n")
        found = [(i, _labels(line)) for i, line in enumerate(lines) if b"_:" in line]
        labels = set().union(*(labels for _, labels in found))
        generated = {label for label in labels if _HEX.fullmatch(label) and is_generated(label)}
        numbered = {label for label in labels if _NUMBERED.fullmatch(label)}
        nests = _Nests((labels for _, labels in found), generated)
        names: dict[bytes, bytes] = {}
        for i, concerned in found:
            for label in concerned:
                if label in generated:
                    for node in nests.around(label):
                        names[node] = self._next()
                elif label in numbered:
                    names[label] = self._keep(label)
            lines[i] = _renamed(lines[i], concerned, names)
        return b"\n".join(lines)

    def _next(self) -> bytes:
        self._last += 1
        while (name := b"g%d" % self._last) in self._taken:
            self._last += 1
        self._taken.add(name)
        return name

    def _keep(self, label: bytes) -> bytes:
        """The name of an explicit label that looks like a generated name."""
        if (kept := self._kept.get(label)) is not None:
            return kept
        name, clashes = label, 0
        while name in self._taken:
            clashes += 1
            name = b"%b-%d" % (label, clashes)
        self._taken.add(name)
        self._kept[label] = name
        return name


def absent_from(text: bytes) -> Callable[[bytes], bool]:
    """Whether a random-looking label is generated: it is no explicit label of the Turtle ``text``.

    Sound because labels have no escapes in Turtle, and a random label of 128 bits does not occur
    in a text that was written before it.
    """
    explicit = frozenset(_EXPLICIT.findall(text))
    return lambda label: label not in explicit


def differing_labels(first: bytes, second: bytes) -> Callable[[bytes], bool]:
    """Whether a label is generated: it differs between two parses of one document.

    For formats where labels can hide in entities and escapes. Both parses are N-Quads.
    """
    pairs = zip(_RANDOM.findall(first), _RANDOM.findall(second), strict=True)
    generated = {one for one, other in pairs if one != other}
    return generated.__contains__


def has_random(quads: bytes) -> bool:
    """Whether some label may be a generated one."""
    return _RANDOM.search(quads) is not None


def _labels(line: bytes) -> _Labels:
    """The labels of a line of canonical N-Quads."""
    subject, _, rest = line.split(b" ", 2)
    graph = rest.removesuffix(b" .").rpartition(b" ")[2]
    value = rest.partition(b" ")[0]
    return (
        # What begins within a literal ends with its quote, tag or datatype.
        graph[2:] if graph.startswith(b"_:") and graph != rest[:-2] and b'"' not in graph else b"",
        subject[2:] if subject.startswith(b"_:") else b"",
        value[2:] if value.startswith(b"_:") else b"",
    )


def _renamed(line: bytes, labels: _Labels, names: Mapping[bytes, bytes]) -> bytes:
    """The line with new labels."""
    graph, subject, value = (names.get(label) for label in labels)
    if graph is not None:
        line = b"%b%b ." % (line[: -len(labels[0]) - 2], graph)
    if subject is not None or value is not None:
        first, predicate, rest = line.split(b" ", 2)
        if subject is not None:
            first = b"_:" + subject
        if value is not None:
            rest = b"_:%b%b" % (value, rest[len(labels[2]) + 2 :])
        line = b"%b %b %b" % (first, predicate, rest)
    return line


class _Nests:
    """Generated nodes as they stand within each other in the text.

    The parser gives the triples within brackets before the triple that the brackets are the object
    of. But such a node is the object of that one triple only; so a nest is read downwards from the
    node that is no object.
    """

    __slots__ = ("_inner", "_outer", "_seen")

    def __init__(self, statements: Iterable[_Labels], generated: AbstractSet[bytes]) -> None:
        self._outer: dict[bytes, bytes] = {}
        self._inner: dict[bytes, list[bytes]] = {}
        self._seen: set[bytes] = set()
        for _, subject, value in statements:
            if subject in generated and value in generated and value not in self._outer:
                self._outer[value] = subject
                self._inner.setdefault(subject, []).append(value)

    def around(self, node: bytes) -> Iterator[bytes]:
        """All nodes of the nest that ``node`` stands in, outer before inner, each once."""
        climbed = {node}
        while (outer := self._outer.get(node)) is not None and not (
            outer in climbed or outer in self._seen
        ):
            climbed.add(outer)
            node = outer
        stack = [node]
        while stack:
            node = stack.pop()
            if node not in self._seen:
                self._seen.add(node)
                yield node
                stack.extend(reversed(self._inner.get(node, ())))
