"""Static data of a run: the graphs that rules import, documents, and loaded folders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from r4.errors import Counters
from r4.imports import Closure, load_graphs
from r4.prefixes import COMMON_NAMES
from r4.program.program import INPUT, Program
from r4.property_paths import about_name, steps_of
from r4.rdf.documents import Format, RdfDocument, read_static
from r4.rdf.files import UNBOUNDED, ReadingBounds
from r4.stream.elements.segmentation import GRAPH, PREDICATE, SUBJECT
from r4.stream.source import START_PREDICATE
from rete.arrays.delta import Rows
from rete.graph.plan import below
from rete.nodes.scan import Scan
from rete.terms.dictionary import Dictionary
from rete.terms.relations import TRIPLES

if TYPE_CHECKING:
    from r4.store.index import TripleSelection


_PREDICATE, _OBJECT = 1, 2


def selected_by(program: Program) -> TripleSelection | None:
    """What ``program`` asks for; None: all triples.

    Rules of a background may ask for anything, and say which terms are the same.
    """
    if program.background:
        return None
    found: TripleSelection = {}
    for scan in below(*(emit.source for emit in program.emits)):
        if not isinstance(scan, Scan) or scan.relation.undivided not in {INPUT, TRIPLES}:
            continue
        if scan.relation.undivided == INPUT:
            return None
        constants = dict(scan.constants)
        predicate = constants.get(_PREDICATE)
        if predicate is None:
            return None
        known = found.get(predicate, frozenset())
        value = constants.get(_OBJECT)
        found[predicate] = None if value is None or known is None else known | {value}
    return found


class StaticData:
    """Reads static data, once, in their order.

    Attributes:
        terms: the dictionary of all ids.
        counters: of what was read.
    """

    def __init__(  # noqa: PLR0913 - what there is, and how it is read
        self,
        closure: Closure,
        documents: Sequence[RdfDocument],
        terms: Dictionary,
        counters: Counters,
        *,
        strict: bool,
        say: Callable[[str], object],
        time_predicate: str | None = None,
        report: Callable[[Counters], object] | None = None,
    ) -> None:
        """Start; nothing is read yet.

        Args:
            closure: the rules with what they import.
            documents: static documents.
            terms: the dictionary of all ids.
            counters: what is read is counted there.
            strict: whether the first bad datum ends the run.
            say: called with warnings about imported graphs, and documents that may be streams.
            time_predicate: that of the streams; None: the usual one.
            report: called with ``counters`` behind each part: of an endless document none comes
                last.
        """
        self.terms = terms
        self.counters = counters
        self._closure = closure
        self._documents = documents
        self._strict = strict
        self._say = say
        self._report = report
        self._time_predicate = time_predicate
        self._mapped: dict[RdfDocument, list[Rows]] = {}
        self.bounds = UNBOUNDED

    def map_folder(self, program: Program | None) -> None:
        """Begin the dictionary with the terms of the first loaded folder, before any is entered.

        The terms of further folders have to be looked up one by one; so have all where literals of
        equal values are one term.

        Args:
            program: only triples that its patterns may match are read; None: all.

        Raises:
            InputError: the folder is damaged.
        """
        first = next((each for each in self._documents if each.format == Format.LOADED), None)
        if first is None or self.terms.by_value:
            return
        from r4.store.loaded_folder import LoadedFolder  # noqa: PLC0415 - pyarrow is an extra

        selection = None if program is None else selected_by(program)
        self._mapped[first] = LoadedFolder(first.path, first.number).rows_on(self.terms, selection)

    def rows(self) -> Iterator[Rows]:
        """Triples, (n, 3), part by part, as of `parts`."""
        for _, rows in self.parts():
            yield rows

    def parts(self) -> Iterator[tuple[RdfDocument | None, Rows]]:
        """Triples, (n, 3), part by part, and their document; None: a graph that rules import.

        A part is released when the next is read.

        Raises:
            ImportErrors: an imported graph cannot be used.
            InputError: a document cannot be read.
            BadData: at the first bad datum, in strict mode.
            SourceLost: the system stops delivering a document.
            Exception: as `bounds` do.
        """
        loaded = load_graphs(self._closure, self.terms, self.counters, self.bounds)
        for warning in loaded.warnings:
            self._say(warning.report())
        yield None, loaded.rows
        for document in self._documents:
            if document in self._mapped:
                parts = self._mapped.pop(document)
                while parts:
                    self.counters.quads += len(parts[0])
                    yield document, parts.pop(0)
                continue
            steps = steps_of(self._time_predicate)
            predicate, inside = about_name(steps, START_PREDICATE), len(steps) == 1
            graphs = _StampedGraphs(self.terms, predicate, inside=inside)
            for rows in read_document(
                *(document, self.terms, self.counters),
                strict=self._strict,
                look=graphs.note,
                bounds=self.bounds,
            ):
                yield document, rows
                if self._report is not None:
                    self._report(self.counters)
            if graphs.occur:
                self._say(
                    f"warning: {document.name} is static data, and has named graphs with "
                    f"{COMMON_NAMES.iri(predicate)}: a stream is given without --static"
                )


class _StampedGraphs:
    """Named graphs that would be elements, if they were in a stream.

    Their stamps stand in the default graph. A graph that describes others, as that of a
    nanopublication does, has no stamps of theirs.

    Attributes:
        occur: whether some statements had one.
    """

    __slots__ = ("_inside", "_predicate", "_terms", "occur")

    def __init__(self, terms: Dictionary, predicate: str, *, inside: bool) -> None:
        """Start; ``inside``: a graph may have its stamp within, too."""
        self._terms = terms
        self._predicate = f"<{predicate}>"
        self._inside = inside
        self.occur = False

    def note(self, rows: Rows) -> None:
        """Look at statements, (n, 4)."""
        graphs = rows[:, GRAPH]
        if self.occur or not graphs.any():
            return
        predicate = self._terms.lookup(self._predicate)
        if not predicate:
            return
        times = rows[rows[:, PREDICATE] == predicate]
        stamped = times[times[:, GRAPH] == 0, SUBJECT]
        own = self._inside & (times[:, SUBJECT] == times[:, GRAPH])
        self.occur = bool(own.any() or np.isin(stamped, graphs).any())


def read_document(  # noqa: PLR0913 - as of `read_static`
    document: RdfDocument,
    terms: Dictionary,
    counters: Counters,
    *,
    strict: bool,
    look: Callable[[Rows], object] | None = None,
    bounds: ReadingBounds = UNBOUNDED,
) -> Iterator[Rows]:
    """The triples, (n, 3), of a static document, part by part.

    ``look`` is called with its statements, (n, 4), before; not if it is a table. ``bounds`` may end
    the reading.

    Raises:
        InputError: it cannot be read.
        BadData: at the first bad datum, if ``strict``.
        SourceLost: the system stops delivering it.
    """
    if document.format.is_table:
        from r4.sources.tables.table_source import read_static_table  # noqa: PLC0415 - few data are tables

        return read_static_table(document, terms, counters, strict=strict, bounds=bounds)
    return read_static(document, terms, counters, strict=strict, look=look, bounds=bounds)
