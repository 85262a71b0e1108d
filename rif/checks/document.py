"""All checks of a document, whichever syntax it was read from, and what a parser returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rif.checks.safety import check_rule_safety
from rif.checks.strong_safety import check_strong_safety
from rif.checks.wellformedness import check_wellformedness
from rif.errors.base import RuleError
from rif.errors.checks import TooManyDisjuncts, VariableInFact
from rif.errors.report import RuleErrors, render_errors
from rif.language import CORE, Language
from rif.syntax import ast
from rif.syntax.disjunctive_normal_form import DisjunctiveNormalForm
from rif.syntax.traversal import clause_of, free_variables, outer_names, rules


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document without errors, the warnings about it, and the language that it was read in."""

    document: ast.Document
    warnings: tuple[RuleError, ...] = ()
    source: str = field(default="", repr=False, compare=False)
    language: Language = field(default=CORE, repr=False, compare=False)

    def report(self, path: str) -> str:
        """The warnings as text for a person."""
        return render_errors(self.warnings, self.source, path)


def check_parsed(  # noqa: PLR0913 - all that a parser knows
    document: ast.Document,
    faults: Sequence[RuleError],
    source: str,
    name: str,
    *,
    check: bool,
    language: Language,
) -> ParsedDocument:
    """The document with the warnings of the parser and, with ``check``, of the checks.

    ``document`` has the rules that could be read, ``faults`` are those of the parser.

    Raises:
        RuleErrors: there are errors; all faults of parser and checks.
    """
    everything = [*faults, *(check_document(document, language) if check else ())]
    if any(fault.severity == "error" for fault in everything):
        raise RuleErrors(everything, source, name)
    return ParsedDocument(document, tuple(RuleErrors(everything).errors), source, language)


MAX_EXPANDED = 200_000
"""Literals that the bodies with an Or, and what is negated, may have together once expanded."""


def check_document(document: ast.Document, language: Language = CORE) -> list[RuleError]:
    """All faults of a document that is syntactically right, sorted by place.

    Well-formedness and safeness give errors, strong safeness warnings. Linear in the bodies in
    normal form.
    """
    faults = check_wellformedness(document, language)
    normal: list[tuple[ast.Implies, DisjunctiveNormalForm]] = []
    expanded = 0
    for rule in rules(document):
        clause = clause_of(rule)
        if not isinstance(clause, ast.Implies):
            free = free_variables(clause).values()
            faults += [VariableInFact(f"{var.value} stands in a fact", var.span) for var in free]
            continue
        try:
            disjuncts = DisjunctiveNormalForm(clause.body, outer_names(rule))
            sizes: list[int] = []
            unsafe = list(check_rule_safety(clause, disjuncts, sizes, language))
        except TooManyDisjuncts as fault:
            faults.append(fault)
            continue
        if len(disjuncts.conjunctions) > 1:
            sizes += map(len, disjuncts.conjunctions)
        expanded += sum(sizes)
        if expanded > MAX_EXPANDED:
            message = f"the bodies with Or have more than {MAX_EXPANDED} literals once expanded"
            faults.append(TooManyDisjuncts(message, clause.body.span))
            break
        faults += unsafe
        if not unsafe:
            normal.append((clause, disjuncts))
    faults += check_strong_safety(normal, language)
    return sorted(faults, key=lambda fault: (fault.span.line, fault.span.column))
