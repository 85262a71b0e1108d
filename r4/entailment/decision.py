"""Entailment: does a closed premise entail a conclusion [RIF-Core 4; RIF-RDF-OWL 3, 4]?

The engine closes the premise, with literals taken by value; each part of the conclusion is a rule
of the same network. An inconsistent premise entails everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from r4.engine.core import Core
from r4.entailment.query_parts import part_relation, part_rules, query_parts, refuse_times
from r4.imports.constant_scopes import with_locals_of
from r4.language import LANGUAGE
from r4.program.compiler import compile_document
from r4.program.program import Program
from r4.run.driver import Driver
from r4.time.ticks import TimeScale
from rete.arrays.delta import Rows
from rete.inference.errors import LimitReached
from rete.memory_limit import MemoryLimit
from rete.terms.builtin_calls import DomainErrors
from rete.terms.dictionary import Dictionary
from rete.terms.relations import ERROR, Relation
from rif.language import Language
from rif.syntax import ast

MOST: Final = 100_000
"""How many facts are derived from a premise whose closure may be endless."""
_AT_ONCE: Final = 1_000
_APART: Final = -1
"""A number of no document: the local constants of a conclusion are not those of the premise."""


Triples: TypeAlias = Callable[[Dictionary], Iterable[Rows]]
"""Gives the triples (n, 3) of graphs as ids."""


@dataclass(frozen=True, slots=True)
class Premise:
    """What is taken to be true.

    Attributes:
        documents: RIF documents, whose windows say nothing here.
        background: the rules of an entailment regime; None: RDF graphs mean no more than they say.
        triples: of the graphs that are combined with them.
        same_as: whether ``owl:sameAs`` makes terms equal.
        language: what documents and conclusion are written in.
    """

    documents: Sequence[ast.Document] = ()
    background: ast.Document | None = None
    triples: Triples = lambda _: ()
    same_as: bool = False
    language: Language = LANGUAGE


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result.

    Attributes:
        goals: the parts of the conclusion, which is their conjunction.
        met: per part, whether it follows.
        inconsistent: whether ``rif:error()`` follows from the premise.
        closed: whether all that follows was derived; if not, what is not met may follow yet.
        outside: arguments of built-ins outside of their domain, in premise and conclusion. There
            the standard leaves truth and value open; here a predicate is false and a function has
            no value. What holds does so in any case, what does not hold may depend on them.
    """

    goals: tuple[ast.Formula, ...]
    met: tuple[bool, ...]
    inconsistent: bool
    closed: bool
    outside: tuple[DomainErrors, ...] = ()

    @property
    def holds(self) -> bool | None:
        """Whether the premise entails the conclusion; None: not known."""
        if self.inconsistent or all(self.met):
            return True
        return False if self.closed else None


def entails(
    premise: Premise,
    conclusion: ast.Formula | ast.Document,
    *,
    most: int = MOST,
    memory: int | None = None,
) -> Verdict:
    """Ask whether ``premise`` entails ``conclusion``.

    Args:
        premise: what is closed.
        conclusion: a condition without free variables, or a document of facts. Its local constants
            are its own.
        most: how many facts are derived before it is given up.
        memory: bytes that the process may use, on Linux; None: any number.

    Raises:
        RuleErrors: the conclusion cannot be evaluated, or the rules not be compiled.
        MemoryExhausted: there is no memory for what follows, or no more is allowed.
    """
    parts = query_parts(conclusion)
    query = with_locals_of(part_rules(parts, premise.language), _APART)
    refuse_times((*premise.documents, query))
    main, *imported = [replace(each, window=None) for each in premise.documents] or [ast.Document()]
    program = compile_document(
        main,
        TimeScale(),
        imported=(*imported, query),
        background=premise.background,
        literals_by_value=True,
        language=premise.language,
    )
    core = _core_of(program, premise.triples)
    core.watch(MemoryLimit(memory).check)
    relations = [part_relation(number) for number in range(len(parts))]
    if not core.negates:
        core.network.hurry([*relations, ERROR])
    closed = _close(core, relations, most)
    certain = closed or not core.negates  # what a negation lets through may be retracted
    met = tuple(certain and core.derives(relation) for relation in relations)
    inconsistent = certain and core.inconsistent
    return Verdict(parts, met, inconsistent, closed, tuple(core.outside()))


def _core_of(program: Program, triples: Triples) -> Core:
    terms = Dictionary(by_value=True)
    core = Core(program, terms, limit=_AT_ONCE, retracts=False)
    for rows in triples(terms):
        core.assert_static(rows)
    return core


def _close(core: Core, relations: Sequence[Relation], most: int) -> bool:
    """Derive until nothing is left, or all ``relations`` follow; whether nothing is left."""
    driver = Driver(core)
    while core.derived < most:
        try:
            driver.close_static()
        except LimitReached:
            known = core.inconsistent or all(map(core.derives, relations))
            if known and not core.negates:
                return False
        else:
            return True
    return False
