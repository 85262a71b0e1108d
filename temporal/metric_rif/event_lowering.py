"""Event times as patterns of relations that have one argument more: when, or from which element.

`stamped` facts are asserted beside the triples of an element, and end with them; so joins, windows
and retraction treat them as any facts.
"""

from __future__ import annotations

from collections.abc import Callable

from rete.planning.lowering import Lowering, fresh_variable, pattern_terms
from rete.terms.relations import MARKS, Relation, ended, named, stamped
from rif.syntax import ast
from rif.syntax.clauses import split_conjuncts
from rif.syntax.terms import Literal
from temporal.metric_rif.calendars import calendar_text
from temporal.metric_rif.events import At, Ended, Every, From


def lower_event(lowering: Lowering, formula: ast.Formula) -> None:
    """Let the rows of an event formula enter a conjunction."""
    if isinstance(formula, At):
        _patterns(lowering, formula.body, (formula.time,), stamped)
    elif isinstance(formula, From):
        _patterns(lowering, formula.body, (formula.element,), named)
    elif isinstance(formula, Ended):
        _patterns(lowering, formula.body, (formula.begin, formula.end), ended)
    elif isinstance(formula, Every):
        time = formula.time or ast.Var(fresh_variable(next(lowering.fresh)))
        lowering.ask(MARKS, (ast.Constant(Literal(calendar_text(formula))), time))


def _patterns(
    lowering: Lowering,
    body: ast.Formula,
    more: tuple[ast.Term, ...],
    of: Callable[[Relation], Relation],
) -> None:
    for fact in split_conjuncts(body):
        relation, terms = pattern_terms(fact)
        lowering.ask(of(relation), (*terms, *more))
