"""RDF lists as RIF lists, and RIF lists as RDF: one thing in a combination of the two.

In a combination a chain of rdf:first and rdf:rest that is well-formed *is* the RIF list of the same
members, and each RIF list has an rdf:first and an rdf:rest [RIF-RDF-OWL 3.2]. So in imported graphs
the nodes of such chains are replaced by the lists they are, wherever they occur. rdf:nil is the
one constant that equals a list, ``List()``; what is said with it is said with both.

Left out: list nodes that are IRIs (rules see their triples only), lists that rules compute while
they run, which have no triples, and lists that contain themselves, which are no RIF lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from rete.arrays.delta import Rows
from rete.arrays.term_columns import KIND_BLANK
from rete.terms.dictionary import Dictionary
from rif.builtins.lists import BUILTINS as LIST_BUILTINS
from rif.errors.base import Span
from rif.syntax import ast
from rif.syntax.terms import FUNC, RDF, GroundList, GroundTerm
from rif.syntax.traversal import (
    clause_of,
    formulas_of,
    rules,
    subformulas,
    subterms,
)

FIRST: Final = f"<{RDF}first>"
REST: Final = f"<{RDF}rest>"
NIL: Final = f"<{RDF}nil>"
EMPTY: Final = str(GroundList())
_BEGIN: Final = EMPTY[:-1]

ROOM: Final = 32 << 20
"""Characters that the lists of a closure may have together. A chain of n nodes is n lists, the
text of each in that of the one before, so a list of ten thousand members would fill the memory, and
lists of lists would sooner. Shorter lists are made first; what finds no room stays as it is."""

DEEPEST: Final = 100
"""Lists in lists that are terms, as deep as those of rules may be; deeper ones stay as they are."""

_MAKERS: Final = {
    each.name
    for each in LIST_BUILTINS
    if each.kind == "function" and each.name not in {FUNC + "get", FUNC + "count"}
}
"""The built-ins that give lists."""

Triple: TypeAlias = tuple[str, str, str]
"""Canonical texts."""


def identify(triples: Rows, terms: Dictionary, room: int = ROOM) -> tuple[Rows, int]:
    """``triples`` (n, 3) with the lists in them as terms; how many lists found no room.

    The order stays; triples about rdf:nil come once more at the end. A node of a list is blank,
    has exactly one rdf:first and one rdf:rest, and its rest is such a node or rdf:nil. Linear in
    the triples and the texts of the lists.
    """
    nodes, first, rest = _chains(triples, terms)
    replaced, left = _encode(nodes, first, rest, terms, room)
    nil = terms.lookup(NIL)
    rows = triples
    if replaced:
        top = int(triples.max()) + 1
        new = np.arange(top, dtype=np.int64)
        new[list(replaced)] = list(replaced.values())
        rows = new[triples]
    about_nil = (rows[:, 0] == nil) | (rows[:, 2] == nil)
    if nil and about_nil.any():
        again = rows[about_nil]
        again = np.where(again == nil, terms.encode(EMPTY), again)
        rows = np.concatenate((rows, again))
    return rows, left


def _chains(triples: Rows, terms: Dictionary) -> tuple[list[int], dict[int, int], dict[int, int]]:
    """The nodes of lists, each after those its member and its rest are; members and rests by node.

    The rest is rdf:nil at the end.
    """
    first, rest, nil = (terms.lookup(text) for text in (FIRST, REST, NIL))
    members = _functional(triples[triples[:, 1] == first]) if first else {}
    tails = _functional(triples[triples[:, 1] == rest]) if rest else {}
    nodes = np.array([node for node in members if node in tails], np.int64)
    before: dict[int, list[int]] = {}
    for node in nodes[terms.kinds(nodes) == KIND_BLANK].tolist():
        before.setdefault(tails[node], []).append(node)
    found = list(_reach(nil, before))
    if not set(found).isdisjoint(map(members.__getitem__, found)):
        found = _sorted(found, members, tails)
    return found, members, tails


def _functional(rows: Rows) -> dict[int, int]:
    """Subject and object of the subjects that have one object only."""
    if not len(rows):
        return {}
    width = int(rows.max()) + 1
    pairs = np.unique(rows[:, 0] * width + rows[:, 2])
    subjects, objects = np.divmod(pairs, width)
    repeats = subjects[1:] == subjects[:-1]
    once = ~(np.append(repeats, False) | np.append(False, repeats))
    return dict(zip(subjects[once].tolist(), objects[once].tolist(), strict=True))


def _reach(start: int, before: Mapping[int, list[int]]) -> Iterator[int]:
    """What leads to ``start``, nearest first; a node has one rest, so each is met once."""
    stack = [start]
    while stack:
        for node in before.get(stack.pop(), ()):
            yield node
            stack.append(node)


def _sorted(nodes: list[int], first: Mapping[int, int], rest: Mapping[int, int]) -> list[int]:
    """``nodes`` such that what a list is made of comes before it; without those in circles."""
    waits = dict.fromkeys(nodes, 0)
    users: dict[int, list[int]] = {}
    for node in nodes:
        for part in (first[node], rest[node]):
            if part in waits:
                waits[node] += 1
                users.setdefault(part, []).append(node)
    ready = [node for node, count in waits.items() if not count]
    for node in ready:  # which grows
        for user in users.get(node, ()):
            waits[user] -= 1
            if not waits[user]:
                ready.append(user)
    return ready


def _encode(
    nodes: Sequence[int],
    first: Mapping[int, int],
    rest: Mapping[int, int],
    terms: Dictionary,
    room: int,
) -> tuple[dict[int, int], int]:
    """The id of the list for each node, and how many nodes found no room."""
    firsts = [first[node] for node in nodes]
    texts = terms.decode_many(np.array(firsts, np.int64))
    sizes: dict[int, int] = {}
    depths: dict[int, int] = {}
    for node, member, text in zip(nodes, firsts, texts, strict=True):
        size = sizes.get(member, len(text)) + sizes.get(rest[node], len(EMPTY)) + 1
        depths[node] = max(depths.get(member, 0) + 1, depths.get(rest[node], 1))
        # Lists of lists may double with each; those that are too deep have no room either.
        sizes[node] = min(size, room + 1) if depths[node] <= DEEPEST else room + 1
    longest = _longest(list(sizes.values()), room)
    inner: dict[int, str] = {}
    for node, member, text in zip(nodes, firsts, texts, strict=True):
        if sizes[node] <= longest:
            item = f"{_BEGIN}{inner[member]})" if member in inner else text
            item = EMPTY if item == NIL else item
            tail = inner.get(rest[node])
            inner[node] = item if tail is None else f"{item} {tail}"
    ids = terms.encode_many([f"{_BEGIN}{text})" for text in inner.values()])
    return dict(zip(inner, ids.tolist(), strict=True)), len(nodes) - len(inner)


def _longest(sizes: list[int], room: int) -> int:
    """The greatest size such that all of up to that size fit into ``room`` together.

    A list is longer than its parts, so with a list its parts are chosen.
    """
    total = longest = 0
    for size, count in sorted(Counter(sizes).items()):
        total += size * count
        if total > room:
            break
        longest = size
    return longest


def lists_of(document: ast.Document) -> Iterator[GroundList]:
    """The lists that stand in the rules and facts of a document, those in lists not."""
    for term in _terms_of(document):
        if isinstance(term, ast.Constant) and isinstance(term.value, GroundList):
            yield term.value


def place_of_list_triple(document: ast.Document) -> Span | None:
    """Where a body first asks for a triple of a list; None: none does."""
    for rule in rules(document):
        clause = clause_of(rule)
        for formula in subformulas(clause.body) if isinstance(clause, ast.Implies) else ():
            if isinstance(formula, ast.Frame):
                for key, _ in formula.slots:
                    if isinstance(key, ast.Constant) and str(key.value) in {FIRST, REST}:
                        return key.span
    return None


def computes_lists(document: ast.Document) -> bool:
    """Whether a rule makes a list of what its body binds."""
    return any(
        isinstance(term, ast.ExternalTerm) and term.op.value in _MAKERS
        for term in _terms_of(document)
    )


def _terms_of(document: ast.Document) -> Iterator[ast.Term]:
    """All terms in the rules and facts of a document, those in terms too."""
    for rule in rules(document):
        stack = [term for formula in formulas_of(rule) for term in formula.terms]
        while stack:
            yield (term := stack.pop())
            stack += subterms(term)


def triples_of(lists: Iterable[GroundList], room: int = ROOM) -> list[Triple]:
    """What is true of lists, of their rests, and of the lists in them: rdf:first and rdf:rest.

    Lists without room are left out, the longest first.
    """
    stack: list[GroundTerm] = list(lists)
    texts: dict[str, Sequence[str]] = {}
    while stack:
        item = stack.pop()
        if isinstance(item, GroundList) and (text := str(item)) not in texts:
            texts[text] = tuple(map(str, item.items))
            stack += item.items
    wanted = _longest([len(text) * (len(items) + 1) for text, items in texts.items()], room)
    found: dict[Triple, None] = {}
    for text, items in texts.items():
        if len(text) * (len(items) + 1) > wanted:
            continue
        for at, member in enumerate(items):
            rest = f"{_BEGIN}{' '.join(items[at + 1 :])})"
            whole = f"{_BEGIN}{' '.join(items[at:])})"
            found[whole, FIRST, member] = None
            found[whole, REST, rest] = None
            if rest == EMPTY:
                found[whole, REST, NIL] = None
    return list(found)
