"""Well-formedness, as far as one document can show it [RIF-Core 2.2, 2.3; RIF-DTB 3].

Variables are declared, once in each quantifier; a constant has one role; External has a built-in
that is known, of the right kind, with as many arguments as it takes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, TypeAlias
from typing import Literal as Choice

from rif.builtins import DTB
from rif.builtins.extensions import R4_BUILTIN
from rif.builtins.signatures import UnavailableBuiltin
from rif.builtins.sparql import COUNTERPARTS
from rif.builtins.strings import string
from rif.checks.aggregates import check_aggregates
from rif.errors.base import NOWHERE, RuleError, Span
from rif.errors.checks import (
    BadRegularExpression,
    BuiltinOutsideExternal,
    NotOfRif,
    RegularExpressionNotLinear,
    RoleClash,
    UndeclaredVariable,
    UnknownBuiltin,
    UnsupportedBuiltin,
    VariableTwice,
    WrongArity,
    WrongKindOfBuiltin,
)
from rif.errors.dialect import AGGREGATE_FORM, NegationAsFailure, is_aggregate
from rif.errors.nearest import nearest_word, nearest_words
from rif.language import CORE, Language
from rif.regex import compile_pattern
from rif.regex.scanner import BadFlags, BadReplacement, Inexpressible, RegexError
from rif.syntax import ast
from rif.syntax.negation import Naf
from rif.syntax.terms import (
    FUNC,
    IRI,
    LONGEST_NAME,
    PRED,
    RIF,
    GroundList,
    GroundTerm,
    Local,
    Variable,
    display_name,
)
from rif.syntax.traversal import clause_of, free_variables, rules, subterms

Role: TypeAlias = Choice["individual", "predicate", "external function", "external predicate"]

Roles: TypeAlias = dict[GroundTerm, tuple[Role, Span]]
"""The role of each IRI and local constant, and where it first has it."""

_LOCAL = re.compile("[#/:]")
_SUGGESTIONS = 3
_MOST_HINTS = 20


def check_wellformedness(document: ast.Document, language: Language) -> list[RuleError]:
    """The faults of a document by itself; the clashes of its imports are not seen. Linear."""
    checker = _WellformednessCheck(language)
    for rule in rules(document):
        checker.rule(rule)
    if checker.naf is not None:
        message = "Naf is not RIF-Core, it is RIF-FLD"
        checker.faults.append(NegationAsFailure(message, checker.naf))
    return checker.faults


def check_formula(
    formula: ast.Formula, language: Language, *, closed: bool = True
) -> list[RuleError]:
    """The faults of a condition alone; ``closed``: free variables are faults."""
    checker = _WellformednessCheck(language)
    checker.formula(formula)
    if closed:
        checker.check_declared(formula, "bind it: Exists {} ( … )")
    return [fault for fault in checker.faults if fault.severity == "error"]


def roles(document: ast.Document, language: Language = CORE) -> Roles:
    """The first role of each constant, to compare with those of imported documents."""
    checker = _WellformednessCheck(language)
    for rule in rules(document):
        checker.rule(rule)
    return checker.roles


@dataclass(slots=True)
class _WellformednessCheck:
    """Collects faults and roles over the rules of a document.

    Attributes:
        unknown: Names that are no built-in, though used as one.
        clashes: Clashes that are reported: the first of its kind is enough.
        naf: Where the first negation as failure stands, if there is one.
    """

    language: Language
    faults: list[RuleError] = field(default_factory=list)
    roles: Roles = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    clashes: set[tuple[GroundTerm, Role]] = field(default_factory=set)
    naf: Span | None = None

    def rule(self, rule: ast.Rule) -> None:
        self.check_declared(rule, "declare it: Forall {} … ( … )")
        if isinstance(rule, ast.Forall):
            self._check_repetition(rule.variables, rule.span)
        clause = clause_of(rule)
        if isinstance(clause, ast.Implies):
            for head in clause.head:
                self.formula(head)
            self.formula(clause.body)
        else:
            self.formula(clause)
        self.faults += check_aggregates(rule)

    def check_declared(self, rule: ast.Rule, hint: str) -> None:
        known = [v.name for v in rule.variables] if isinstance(rule, ast.Forall) else []
        for var in free_variables(rule).values():
            advice = hint.format(var.value)
            # The search for near names takes time; who has many such faults has other problems.
            if len(self.faults) < _MOST_HINTS and len(known) < LONGEST_NAME:
                near = nearest_word(var.value.name, known)
                advice = f"did you mean ?{near}? Else {advice}" if near else advice
            message = f"{var.value} is not declared"
            self.faults.append(UndeclaredVariable(message, var.span, advice))

    def _check_repetition(self, variables: tuple[Variable, ...], span: Span) -> None:
        if len(set(variables)) < len(variables):
            self.faults.append(VariableTwice("a variable is declared twice", span))

    def formula(self, formula: ast.Formula) -> None:
        if type(formula) is ast.Atom:
            self._predicate(formula)
        elif type(formula) is ast.External:
            self._external(formula, "predicate")
        elif type(formula) is ast.Exists:
            self._check_repetition(formula.variables, formula.span)
        elif type(formula) is Naf and self.naf is None:
            self.naf = formula.span
        for term in formula.terms:
            self._term(term)
        for part in formula.parts:
            self.formula(part)

    def _predicate(self, atom: ast.Atom) -> None:
        op = atom.op
        if isinstance(op, IRI) and (op.value in DTB or op.value in self.language.builtins):
            message = f"{display_name(op)} is a built-in"
            self.faults.append(BuiltinOutsideExternal(message, atom.span))
        elif isinstance(op, IRI | Local):
            self._role(op, "predicate", atom.span)
            if isinstance(op, IRI) and op.value.startswith(RIF):
                self._check_rif_name(op.value, atom)

    def _check_rif_name(self, name: str, atom: ast.Atom) -> None:
        if name != RIF + "error":
            message = f"RIF has no predicate rif:{name.removeprefix(RIF)[:LONGEST_NAME]}"
            self.faults.append(NotOfRif(message, atom.span))
        elif atom.args:
            self.faults.append(NotOfRif("rif:error takes no arguments", atom.span))

    def _term(self, term: ast.Term) -> None:
        if type(term) is ast.Constant:
            self._individual(term.value, term.span)
        elif type(term) is not ast.Var:
            if isinstance(term, ast.ExternalTerm):
                self._external(term, "function")
            for part in subterms(term):
                self._term(part)

    def _individual(self, value: GroundTerm, span: Span) -> None:
        if type(value) is IRI or type(value) is Local:
            known = self.roles.get(value)
            if known is None or known[0] != "individual":
                self._role(value, "individual", span)
        elif type(value) is GroundList:
            for item in value.items:
                self._individual(item, span)

    def _role(self, constant: GroundTerm, role: Role, span: Span) -> None:
        first, place = self.roles.setdefault(constant, (role, span))
        if first != role and (constant, role) not in self.clashes:
            self.clashes.add((constant, role))
            where = f" in line {place.line}" if place != NOWHERE else ""
            message = f"{display_name(constant)} is used as {role} here, but as {first}{where}"
            self.faults.append(RoleClash(message, span))

    def _external(
        self, external: ast.External | ast.ExternalTerm, kind: Choice["predicate", "function"]
    ) -> None:
        name, span = external.op.value, external.span
        signature = DTB.get(name)
        try:
            builtin = self.language.builtins.get(name)
        except UnavailableBuiltin as error:
            self.faults.append(UnknownBuiltin(f"{display_name(external.op)}: {error}", span, ""))
            return
        known = builtin or signature
        if known is None:
            message = f"{display_name(external.op)} is no built-in"
            # The search for near names takes some milliseconds each.
            hint = (
                _suggest_builtins(name, self.language)
                if len(self.unknown) < _MOST_HINTS or name in self.unknown
                else ""
            )
            self.unknown.add(name)
            self.faults.append(UnknownBuiltin(message, span, hint))
            return
        if known.kind != kind:
            where = "a term" if kind == "function" else "a formula"
            message = f"{display_name(external.op)} is a {known.kind}, it cannot stand as {where}"
            self.faults.append(WrongKindOfBuiltin(message, span))
            return
        role: Role = "external predicate" if kind == "predicate" else "external function"
        self._role(external.op, role, span)
        count = len(external.args)
        if count < known.least or (known.most is not None and count > known.most):
            takes = _arity(known.least, known.most)
            message = f"{display_name(external.op)} takes {takes}, {count} given"
            self.faults.append(
                WrongArity(message, span, _count_hint(count, known.least, known.most))
            )
        elif builtin is None:
            message = f"{display_name(external.op)} is not evaluated here yet"
            self.faults.append(UnsupportedBuiltin(message, span))
        elif fault := check_regular_expression(external):
            self.faults.append(fault)


def _arity(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least} arguments"
    if least == most:
        return f"{least} argument" if least == 1 else f"{least} arguments"
    return f"{least} to {most} arguments"


def _count_hint(count: int, least: int, most: int | None) -> str:
    """A hint: how many arguments are missing, or too many."""
    if count < least:
        few = least - count
        return f"{few} argument{' is' if few == 1 else 's are'} missing"
    many = count - (count if most is None else most)
    return f"{many} argument{'' if many == 1 else 's'} too many"


@lru_cache(maxsize=4)
def _by_local_name(language: Language) -> dict[str, list[str]]:
    names: dict[str, list[str]] = {}
    for name in sorted({*DTB, *language.builtins}):
        names.setdefault(_LOCAL.split(name)[-1], []).append(name)
    return names


_OF_DATA_ALONE: Final = "answers follow from data alone, so that a second run gives the same; "
_REFUSED: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("now", "current-date", "current-datetime", "current-time", "rand", "random"),
        f"{_OF_DATA_ALONE}At ?t ( … ) has the time of a fact, Every 1 h at ?t those of the clock",
    ),
    **dict.fromkeys(
        ("uuid", "struuid", "bnode"),
        f"{_OF_DATA_ALONE}{display_name(IRI(R4_BUILTIN + 'iri'))} of func:concat makes an IRI of"
        " what a thing is known by",
    ),
    **dict.fromkeys(("if", "coalesce"), "write a rule for each case, or Or( … )"),
}
"""Functions of other languages that are no built-ins, in lower case: what there is instead."""
_OF_SPARQL: Final[Mapping[str, tuple[str, ...]]] = {
    name.lower(): builtins for name, builtins in COUNTERPARTS.items()
}


def _suggest_builtins(name: str, language: Language) -> str:
    """A hint that names the built-ins with a similar name."""
    local = _LOCAL.split(name)[-1][:LONGEST_NAME]
    if is_aggregate(local):
        return AGGREGATE_FORM
    if local.lower() in _REFUSED:
        return _REFUSED[local.lower()]
    known = _by_local_name(language)
    plain = local.removeprefix("numeric-")
    similar = [each for each in dict.fromkeys((local, plain)) if each in known]
    similar += [other for other in _closest(local, language) if other not in similar]
    iris = dict.fromkeys(_OF_SPARQL.get(local.lower(), ()))
    iris |= dict.fromkeys(iri for other in similar for iri in known[other])
    names = [display_name(IRI(iri)) for iri in iris]
    return f"did you mean {' or '.join(names[:_SUGGESTIONS])}?" if names else ""


@lru_cache(maxsize=256)
def _closest(local: str, language: Language) -> list[str]:
    return nearest_words(local, _by_local_name(language), _SUGGESTIONS, 0.75)


_REPLACE: Final = FUNC + "replace"
_FLAGS: Final = {PRED + "matches": 2, _REPLACE: 3}
"""Index of the flags among the arguments, from 0; the pattern has 1, the replacement 2."""


def check_regular_expression(external: ast.External | ast.ExternalTerm) -> RuleError | None:
    """The fault in the regular expression of a built-in that has as many arguments as it takes.

    None also for any other built-in. Costs what compiling it does, which the run need not repeat.
    """
    name, args = external.op.value, external.args
    if name not in _FLAGS:
        return None
    pattern = _constant(args[1])
    flags = _constant(args[_FLAGS[name]]) if len(args) > _FLAGS[name] else ""
    if pattern is None or flags is None:
        return None
    try:
        compiled = compile_pattern(pattern, flags)
        replacement = _constant(args[2]) if name == _REPLACE else None
        if replacement is not None:
            compiled.replacement_parts(replacement)
    except RegexError as fault:
        faulty = args[1]
        if isinstance(fault, BadReplacement):
            faulty = args[2]
        elif isinstance(fault, BadFlags):
            faulty = args[_FLAGS[name]]
        where = f", at character {fault.position + 1}" if fault.position else ""
        if isinstance(fault, Inexpressible):
            return RegularExpressionNotLinear(fault.message + where, faulty.span)
        return BadRegularExpression(fault.message + where, faulty.span)
    return None


def _constant(term: ast.Term) -> str | None:
    """The text of a string that stands in the rule."""
    return string(term.value) if isinstance(term, ast.Constant) else None
