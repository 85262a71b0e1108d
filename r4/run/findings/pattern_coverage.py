"""Unmatched patterns: conditions of rules that no fact of a run has matched.

Such a pattern mostly has a misspelled name, so the nearest one that occurs is told with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from r4.engine.core import Core
from r4.nearest_name import nearest_name
from r4.run.findings.joined_patterns import shown_term
from r4.run.findings.similar_terms import alike
from rete.arrays.delta import Column, Rows, distinct
from rete.drawing.names import Names, Piece, plain
from rete.graph.plan import Plan
from rete.graph.streams import Stream
from rete.nodes.scan import Scan
from rete.planning.strata import FactPattern
from rete.planning.unification import ConstantPattern, fed_groups
from rete.terms.number_constants import unmarked
from rete.terms.relations import TRIPLES, Head, Relation, as_written
from rif.syntax.ast import Document
from rif.syntax.terms import IRI, RDF_TYPE

_SAMPLED: Final = 4096
"""Rows of a batch whose predicates and classes are noted, at most."""
_MOST: Final = 1000
"""Predicates, and classes, that are noted."""
_SHOWN: Final = 5
"""Patterns that are shown."""
_VALUES: Final = 3
"""Values of a predicate that are shown, if none is like the one that is asked for."""
_TYPE: Final = str(IRI(RDF_TYPE))


class _Pattern(NamedTuple):
    """A pattern of input.

    Attributes:
        rule: the number of the first rule that asks for it.
        scan: the pattern itself.
        stream: the facts that match it.
        negated: whether it is asked for by negations alone.
    """

    rule: int
    scan: Scan
    stream: Stream
    negated: bool


class PatternCoverage:
    """Which patterns of the rules of a run some fact has matched, and which none has yet.

    Patterns of facts that rules derive do not count, as a pattern below them says why there are
    none. Negated ones need not match: they count if their name does not occur, but one like it.
    """

    __slots__ = (
        *("_awaited", "_classes", "_core", "_layers", "_notes_values", "_open", "_predicates"),
        *("_type", "_values"),
    )

    def __init__(
        self, core: Core, awaited: Sequence[str] = (), *, notes_values: bool = False
    ) -> None:
        """Begin, before the first fact is asserted.

        ``awaited`` are IRIs of predicates that occur, too, by what the user says. With
        ``notes_values`` it is told what unmatched patterns might have matched, too.
        """
        self._core = core
        self._notes_values = notes_values
        self._values: dict[tuple[str, int], dict[str, None]] = {}
        ids = core.terms.encode_many([f"<{iri}>" for iri in awaited])
        core.terms.pin(ids)
        self._awaited = dict(zip(ids.tolist(), awaited, strict=True))
        self._layers = core.layers
        self._open = _patterns_of_input(core)
        self._type = core.terms.encode(_TYPE)
        core.terms.pin(np.array([self._type]))
        self._predicates: dict[str, None] = {}
        self._classes: dict[str, None] = {}

    def note(self, rows: Rows) -> None:
        """Note which names occur in triples, (n, 3) and more columns, whose ids hold now.

        Only while there are unmatched patterns, or awaited predicates that did not occur, and in a
        sample of some thousand rows.
        """
        self._follow()
        self._open = [each for each in self._open if not each.stream.is_matched]
        if not (self._open or self._awaited) or not len(rows):
            return
        for known in [each for each in self._awaited if (rows[:, 1] == each).any()]:
            del self._awaited[known]
        if self._open or self._awaited:
            rows = rows[:: -(-len(rows) // _SAMPLED)]
            self._enter(self._predicates, rows[:, 1])
            self._enter(self._classes, rows[rows[:, 1] == self._type, 2])
            if self._notes_values:
                self._note_values(rows)

    def _note_values(self, rows: Rows) -> None:
        """Note what stands in facts of a predicate where unmatched patterns have constants."""
        places = {
            (predicate, place)
            for each in self._open
            if (predicate := _asked_predicate(each.scan)) is not None
            for place, _ in _constants(each.scan)
        }
        for predicate, place in places:
            term = self._core.terms.lookup(predicate)
            found = self._values.setdefault((predicate, place), {})
            self._enter(found, rows[rows[:, 1] == term, place])

    def awaited_lines(self, names: Names) -> Iterator[str]:
        """A line for each predicate that was awaited and does not occur."""
        for iri in self._awaited.values():
            near = nearest_name(f"<{iri}>", self._predicates)
            hint = "" if near is None else f"; {names.iri(near[1:-1])} occurs"
            yield f"no fact has {names.iri(iri)}, which has a --delay{hint}"

    def _follow(self) -> None:
        """Have the patterns of networks that were built anew, as ends of ranges are known.

        What no static fact matched that would end a range is in none of them.
        """
        values = self._core.program.end_values
        if self._layers is self._core.layers or values is None:
            return
        self._layers = self._core.layers
        without = {
            (each.relation, each.predicate) for each, texts in values.terms.items() if not texts
        }
        ends = [
            each
            for each in self._open
            if (each.scan.relation, dict(each.scan.constants).get(1, "")) in without
        ]
        self._open = [*ends, *_patterns_of_input(self._core)]

    def _enter(self, names: dict[str, None], ids: Column) -> None:
        if len(names) < _MOST:
            names.update(dict.fromkeys(self._core.terms.decode_many(distinct(ids))))

    def lines(self, rules: Document) -> Iterator[str]:
        """A line for each of the first `_SHOWN`, and the number of others.

        Args:
            rules: the main document, for its prefixes.
        """
        self._follow()
        labels = dict(enumerate(self._core.program.labels, 1))
        named = {number: label for number, label in labels.items() if isinstance(label, str)}
        names = Names(prefixes=rules.prefixes, labels=named)
        found = [each for each in self._open if self._is_told(each)]
        for rule, scan, _, negated in found[:_SHOWN]:
            hint = self._hint(scan, names)
            place = f"a negation of {names.rule(rule)}" if negated else names.rule(rule)
            yield f"no fact matches {_text(scan, names)} of {place}{hint}"
        if len(found) > _SHOWN:
            yield f"no fact matches {len(found) - _SHOWN} further patterns"

    def _is_told(self, pattern: _Pattern) -> bool:
        """Whether no fact has matched it, and that is likely to be a fault."""
        if pattern.stream.is_matched:
            return False
        if not pattern.negated:
            return True
        asked, near = self._nearest(pattern.scan)
        return near not in {None, asked}

    def _hint(self, scan: Scan, names: Names) -> str:
        """Its name, if that occurs in the data, or the nearest one that does."""
        asked, near = self._nearest(scan)
        if near is None:
            return ""
        but = f", but not like this{self._value_hint(scan, names)}" if near == asked else ""
        return f"; {names.term(near)} occurs{but}"

    def _value_hint(self, scan: Scan, names: Names) -> str:
        """What stands in the data in place of a constant: what is like it, or some values."""
        predicate = _asked_predicate(scan)
        for place, text in _constants(scan):
            values = self._values.get((predicate or "", place), {})
            if values and text not in values:
                near = alike(text, values)
                some = sorted(values)[:_VALUES] if near is None else [near]
                more = ", and others" if near is None and len(values) > _VALUES else ""
                shown = ", ".join(shown_term(names, each) for each in some)
                return f": with {shown}{more}, not with {shown_term(names, text)}"
        return ""

    def _nearest(self, scan: Scan) -> tuple[str, str | None]:
        """The predicate or class that it asks for, and that or the nearest one of the data."""
        constants = dict(scan.constants)
        predicate = constants.get(1)
        if scan.relation != TRIPLES or predicate is None:
            return "", None
        asked, occurring = predicate, self._predicates
        if predicate == _TYPE and constants.get(2, "").startswith("<"):
            asked, occurring = constants[2], self._classes
        return asked, asked if asked in occurring else nearest_name(asked, occurring)


def _asked_predicate(scan: Scan) -> str | None:
    """The predicate of a pattern of triples; None: it has none."""
    return dict(scan.constants).get(1) if scan.relation == TRIPLES else None


def _constants(scan: Scan) -> list[tuple[int, str]]:
    """The subject and the object of a pattern of triples, with their places, if they are given."""
    given = enumerate(scan.pattern)
    return [(place, unmarked(text)) for place, text in given if place != 1 and text is not None]


def _patterns_of_input(core: Core) -> list[_Pattern]:
    """The patterns that no rule derives facts for, each once, by the first rule that has it."""
    found: dict[Stream, _Pattern] = {}
    for network in core.layers.user_networks:
        read = [
            (emit.rule, scan, negated)
            for emit in sorted(network.emits, key=lambda each: each.rule)
            for scan, negated in _scans(emit.source)
        ]
        heads = (head for emit in network.emits for head in emit.heads)
        derived = _derived((scan for _, scan, _ in read), heads)
        for rule, scan, negated in read:
            if (scan.relation, scan.pattern) in derived:
                continue
            stream = network.streams[scan]
            known = found.get(stream)
            if known is None or (known.negated and not negated):
                found[stream] = _Pattern(rule, scan, stream, negated)
    return [each for each in found.values() if _is_written(each.scan)]


def _derived(scans: Iterable[Scan], heads: Iterable[Head]) -> set[FactPattern]:
    """The patterns of scans that a head may derive a fact for; see `fed_groups` for costs."""
    asked: dict[Relation, dict[ConstantPattern, None]] = {}
    told: dict[Relation, dict[ConstantPattern, None]] = {}
    for scan in scans:
        asked.setdefault(scan.relation, {})[scan.pattern] = None
    for head in heads:
        told.setdefault(head.relation, {})[head.key] = None
    return {
        (relation, key)
        for relation, keys in asked.items()
        for _, group in fed_groups(
            ((key, key) for key in told.get(relation, ())), [(key, key) for key in keys]
        )
        for key in group
    }


def _is_written(scan: Scan) -> bool:
    """Whether it stands in rules like this, and says more than that there are facts."""
    if scan.relation == TRIPLES:
        return bool(scan.constants or scan.numbers)
    return as_written(scan.relation).op.startswith("<")


def _scans(plan: Plan) -> Iterator[tuple[Scan, bool]]:
    """The scans that ``plan`` reads in the order of the text, and whether they are negated."""
    seen: set[tuple[Plan, bool]] = set()
    stack = [(plan, False)]
    while stack:
        each, negated = found = stack.pop()
        if found in seen:
            continue
        seen.add(found)
        if isinstance(each, Scan):
            yield each, negated
        sources = [(source, negated or n == each.negated) for n, source in enumerate(each.sources)]
        stack += reversed(sources)


def _text(scan: Scan, names: Names) -> str:
    """The pattern, as it may stand in rules."""
    variables = [f"?x{place}" for place in range(scan.relation.arity)]
    if scan.relation == TRIPLES:
        variables = ["?x", "?p", "?y"]
    for left, right in scan.equal:
        variables[right] = variables[left]
    args = [
        variables[place] if text is None else names.term(unmarked(text))
        for place, text in enumerate(scan.pattern)
    ]
    if scan.relation == TRIPLES and scan.key[1] == _TYPE:
        return f"{args[0]} # {args[2]}"
    return plain(names.fact(scan.relation, [Piece(each) for each in args]))
