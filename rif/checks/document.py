"""All checks of a document, whichever syntax it was read from, and what a parser returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rif.checks import strong_safety, wellformedness
from rif.checks.safety import _fact, _rule
from rif.errors.base import RuleError
from rif.errors.checks import TooManyDisjuncts
from rif.errors.report import RuleErrors, render_errors
from rif.syntax import ast
from rif.syntax.disjunctive_normal_form import DisjunctiveNormalForm
from rif.syntax.traversal import clause_of, outer_names, rules


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document that may be used, and what there is to say about it all the same."""

    document: ast.Document
    warnings: tuple[RuleError, ...] = ()
    source: str = field(default="", repr=False, compare=False)

    def report(self, path: str) -> str:
        """The warnings as text for a person."""
        return render_errors(self.warnings, self.source, path)


def check_parsed(
    document: ast.Document, faults: Sequence[RuleError], source: str, name: str, *, check: bool
) -> ParsedDocument:
    """What reading and, with ``check``, the checks of the readable rules say together.

    Raises:
        RuleErrors: there are errors.
    """
    found = [*faults, *(check_document(document) if check else ())]
    if any(fault.severity == "error" for fault in found):
        raise RuleErrors(found, source, name)
    return ParsedDocument(document, tuple(RuleErrors(found).errors), source)


MAX_EXPANDED = 200_000
"""Literals that the bodies with an Or, and what is negated, may have together once expanded."""


def check_document(document: ast.Document) -> list[RuleError]:
    """All faults of a document that is syntactically right, sorted by place.

    Well-formedness and safeness give errors, strong safeness warnings. Linear in the bodies in
    normal form.
    """
    faults = wellformedness.check_wellformedness(document)
    normal: list[tuple[ast.Implies, DisjunctiveNormalForm]] = []
    expanded = 0
    for rule in rules(document):
        clause = clause_of(rule)
        if not isinstance(clause, ast.Implies):
            faults += _fact(clause)
            continue
        try:
            disjuncts = DisjunctiveNormalForm(clause.body, outer_names(rule))
            sizes: list[int] = []
            unsafe = list(_rule(clause, disjuncts, sizes))
        except TooManyDisjuncts as fault:
            faults.append(fault)
            continue
        if len(disjuncts.conjunctions) > 1:
            sizes += map(len, disjuncts.conjunctions)
        if sizes:
            expanded += sum(sizes)
            if expanded > MAX_EXPANDED:
                message = f"the bodies with Or have more than {MAX_EXPANDED} literals once expanded"
                faults.append(TooManyDisjuncts(message, clause.body.span))
                break
        faults += unsafe
        if not unsafe:
            normal.append((clause, disjuncts))
    faults += strong_safety.check_strong_safety(normal)
    return sorted(faults, key=lambda fault: (fault.span.line, fault.span.column))
