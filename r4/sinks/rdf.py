"""Answers as RDF: N-Quads and TriG (what began to hold), RDF Patch (what began and ceased)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from r4.answers.ledger import INSERTED
from r4.answers.output_order import TRIPLE, Changes
from r4.time.ticks import Kind, StampFormat
from rete.arrays.delta import NEG_INF
from rete.arrays.state_codec import State, StateReader
from rete.terms.dictionary import Dictionary
from rif.syntax.terms import XSD

GENERATED_AT = "<http://www.w3.org/ns/prov#generatedAtTime>"


class _Instants:
    """The base of these sinks: changes instant by instant, as statements without graph.

    Attributes:
        left_out: answers that RDF cannot express (atoms, errors, literals as subjects).
    """

    def __init__(self, terms: Dictionary, clock: StampFormat) -> None:
        self._terms = terms
        self._clock = clock
        self.left_out = 0

    def finish(self) -> bytes:
        """Nothing: instants are whole."""
        return b""

    def saved(self) -> State:
        """How many answers were left out."""
        return {"left_out": self.left_out}

    def restore(self, given: StateReader) -> None:
        """Count on."""
        self.left_out = given.integer("left_out", 0)

    def _instants(self, changes: Changes) -> Iterator[tuple[int, list[tuple[bool, str]]]]:
        """Per instant, in order, the statements that are deleted (False) and inserted (True)."""
        triples = (changes.kind == TRIPLE).nonzero()[0]
        self.left_out += len(changes) - len(triples)
        texts = self._terms.decode_many(changes.triples[triples].ravel())
        group: list[tuple[bool, str]] = []
        now = NEG_INF
        for place, i in enumerate(triples.tolist()):
            s, p, o = texts[3 * place : 3 * place + 3]
            if s.startswith('"') or not p.startswith("<") or "List(" in {s[:5], o[:5]}:
                self.left_out += 1
                continue
            at = int(changes.at[i])
            if at != now and group:
                yield now, group
                group = []
            now = at
            group.append((bool(changes.op[i] == INSERTED), f"{s} {p} {o}"))
        if group:
            yield now, group

    def _stamp(self, tick: int) -> str:
        kind = "dateTime" if self._clock.kind is Kind.DATE_TIME else "integer"
        return f'"{self._clock.text(tick)}"^^<{XSD}{kind}>'


class QuadLines(_Instants):
    """N-Quads, or TriG with ``blocks``: a named graph for each instant at which answers begin.

    Graphs are ``urn:r4:answers:N``, counted from 1, each with its instant as
    ``prov:generatedAtTime``, so that the output is a stream again. What always holds is in the
    default graph.
    """

    def __init__(self, terms: Dictionary, clock: StampFormat, *, blocks: bool) -> None:
        super().__init__(terms, clock)
        self._blocks = blocks
        self._graphs = 0

    def saved(self) -> State:
        """How many graphs there are."""
        return {**super().saved(), "graphs": self._graphs}

    def restore(self, given: StateReader) -> None:
        """Count on."""
        super().restore(given)
        self._graphs = given.integer("graphs", 0)

    def render(self, changes: Changes) -> bytes:
        """The statements of ``changes`` in UTF-8."""
        out: list[str] = []
        inserted = changes.take(np.flatnonzero(changes.op == INSERTED))
        for at, group in self._instants(inserted):
            begins = [statement for _, statement in group]
            if at == NEG_INF:
                out += [f"{statement} .\n" for statement in begins]
                continue
            self._graphs += 1
            name = f"<urn:r4:answers:{self._graphs}>"
            out.append(f"{name} {GENERATED_AT} {self._stamp(at)} .\n")
            if self._blocks:
                inside = "".join(f"  {statement} .\n" for statement in begins)
                out.append(f"{name} {{\n{inside}}}\n")
            else:
                out += [f"{statement} {name} .\n" for statement in begins]
        return "".join(out).encode()


class PatchLines(_Instants):
    """RDF Patch: one transaction for each instant, deletions before additions."""

    def render(self, changes: Changes) -> bytes:
        """The transactions of ``changes`` in UTF-8."""
        out: list[str] = []
        for _, group in self._instants(changes):
            out.append("TX .\n")
            out += [f"{'A' if inserted else 'D'} {statement} .\n" for inserted, statement in group]
            out.append("TC .\n")
        return "".join(out).encode()
