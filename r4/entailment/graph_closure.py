"""The closure of RDF graphs under an entailment regime: all that follows, in bulk."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from r4.engine.core import Core
from r4.errors import Counters
from r4.program.compiler import compile_document
from r4.program.regimes import regime, select
from r4.rdf.documents import RdfDocument, read_static
from r4.run.driver import Driver
from r4.time.ticks import TimeScale
from rete.arrays.delta import Rows
from rete.terms.dictionary import Dictionary
from rif.syntax import ast


@dataclass(frozen=True, slots=True)
class GraphClosure:
    """What follows from documents, and what they say.

    Attributes:
        facts: (n, 5) ids and time, each fact once, of representatives where terms are the same.
        inconsistent: whether ``rif:error()`` follows.
        counters: what was read, and what was wrong with it.
        compile_seconds, parse_seconds, close_seconds: of the rules, the documents, the closure.
    """

    facts: Rows
    inconsistent: bool
    counters: Counters
    compile_seconds: float
    parse_seconds: float
    close_seconds: float
    _core: Core = field(repr=False)

    def triples(self) -> Iterator[tuple[str, str, str]]:
        """All triples as canonical texts, each once, in no order."""
        rows = self._core.layers.classes.expand(self.facts)
        texts = self._core.terms.decode_many(np.ascontiguousarray(rows[:, :3]).ravel())
        return zip(*[iter(texts)] * 3, strict=True)


def close_graphs(
    paths: Iterable[str], name: str, rules: Container[str] | None = None
) -> GraphClosure:
    """The closure of the documents at ``paths``; malformed statements are left out and counted.

    Literals of one value are one term, as the rules of the regimes expect.

    Args:
        paths: RDF in any format that is read.
        name: the regime.
        rules: the names of the rules to be used; None: all of the regime.

    Raises:
        InputError: a document cannot be read.
        SourceLost: the system stops delivering one.
    """
    start = perf_counter()
    terms, counters = Dictionary(by_value=True), Counters()
    background = regime(name) if rules is None else select(regime(name), rules)
    program = compile_document(ast.Document(), TimeScale(), background=background)
    core = Core(program, terms, retracts=False)
    compiled = perf_counter()
    parts = [
        rows
        for number, path in enumerate(paths, 1)
        for rows in read_static(RdfDocument.of(path, number), terms, counters)
    ]
    read = perf_counter()
    for rows in parts:
        core.assert_static(rows)
    Driver(core).close_background()
    assert core.layers.statics is not None
    facts = core.layers.statics.facts()
    closed = perf_counter()
    return GraphClosure(
        facts,
        core.inconsistent,
        counters,
        compiled - start,
        read - compiled,
        closed - read,
        core,
    )
