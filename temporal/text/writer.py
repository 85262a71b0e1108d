"""The writer of DatalogMTL: programs, rules, formulas and facts as text.

Parsers read the text as the same nodes. Each formula has one spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from rif.errors.report import escape_controls
from rif.syntax import ast
from rif.syntax.negation import Naf
from rif.syntax.terms import Literal
from temporal.mtl.ast import (
    BinaryOperator,
    Comparison,
    MetricFact,
    MetricProgram,
    UnaryOperator,
    is_bottom,
)
from temporal.mtl.operators import BOTTOM_WORD, NAMES, NOT_WORD, TOP_WORD
from temporal.mtl.validation import predicate_name
from temporal.text.atom_parser import COMPARED, is_variable

_UNQUOTED: Final = re.compile(r"[A-Za-z0-9_.:/+-]+")
_SPECIAL: Final = re.compile(r'["\\]')


def write_program(program: MetricProgram) -> str:
    """One rule a line."""
    return "".join(f"{write_rule(rule)}\n" for rule in program.rules)


def write_rule(rule: ast.Implies) -> str:
    """``Head :- Body``; an empty body is TOP."""
    head = ", ".join(map(write_formula, rule.head))
    return f"{head} :- {_conjunction(rule.body)}"


def write_formula(formula: ast.Formula) -> str:  # noqa: PLR0911 - a kind of formula each
    """A formula, with no more brackets than it needs.

    Raises:
        ValueError: it is of a kind that DatalogMTL does not have.
    """
    match formula:
        case UnaryOperator():
            return f"{NAMES[type(formula)]}{formula.rho}{_operand(formula.body)}"
        case BinaryOperator():
            is_left_chain = isinstance(formula.phi, BinaryOperator)
            left = write_formula(formula.phi) if is_left_chain else _operand(formula.phi)
            return f"{left} {NAMES[type(formula)]}{formula.rho} {_operand(formula.psi)}"
        case Naf():
            return f"{NOT_WORD} {_operand(formula.body)}"
        case Comparison():
            return f"{_compared(formula.left)} {formula.sign} {_compared(formula.right)}"
        case ast.And():
            return f"({_conjunction(formula)})" if formula.items else TOP_WORD
        case ast.Atom() if is_bottom(formula):
            return BOTTOM_WORD
        case ast.Atom():
            return write_atom(predicate_name(formula), [_term(arg) for arg in formula.args])
    message = f"{type(formula).__name__} is no formula of DatalogMTL"
    raise ValueError(message)


def write_fact(fact: MetricFact) -> str:
    """``P(a,b)@[1,2)``; a point is ``[5,5]``."""
    return f"{write_atom(fact.predicate, map(write_constant, fact.args))}@{fact.interval}"


def write_constant(text: str) -> str:
    """A constant as it stands in facts: quoted if it has anything but ``A-Za-z0-9_.:/+-``."""
    return text if _UNQUOTED.fullmatch(text) else _quoted(text)


def write_variable(name: str) -> str:
    """A variable as it stands in rules: one that reads like a constant has a question mark."""
    return name if is_variable(name) else f"?{name}"


def _conjunction(formula: ast.Formula) -> str:
    if isinstance(formula, ast.And) and formula.items:
        return ", ".join(map(write_formula, formula.items))
    return write_formula(formula)


def _operand(formula: ast.Formula) -> str:
    """In brackets if an operator stands in it that binds less than a unary one."""
    text = write_formula(formula)
    return f"({text})" if isinstance(formula, BinaryOperator | Comparison) else text


def write_atom(name: str, args: Iterable[str]) -> str:
    """A predicate with its arguments, which are written already."""
    written = ",".join(args)
    return f"{name}({written})" if written else name


def _term(term: ast.Term) -> str:
    match term:
        case ast.Var():
            return write_variable(term.value.name)
        case ast.Constant(Literal() as value):
            text = value.lexical
            plain = _UNQUOTED.fullmatch(text) and not is_variable(text)
            return text if plain else _quoted(text)
    message = f"{term} is no term of DatalogMTL"
    raise ValueError(message)


def _compared(term: ast.Term) -> str:
    """A side of a comparison."""
    text = _term(term)
    return text if COMPARED.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    special = _SPECIAL.sub(r"\\\g<0>", text)
    return f'"{escape_controls(special)}"'
