"""Random syntax trees of RIF with metric operators, of every shape that can be written."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from rif.errors.base import NOWHERE
from rif.syntax import ast
from rif.syntax.lexical import SECONDS
from temporal.intervals.durations import DurationLiteral, Durations
from temporal.metric_rif.syntax import make_range
from temporal.mtl.ast import BoxMinus, BoxPlus, DiamondMinus, DiamondPlus, Since, Until
from tests.generators.rules import syntax

amounts = st.sampled_from(["0", "1", "2.5", ".5", "+1", "007", "10"])
units = st.sampled_from([*SECONDS, ""])


@st.composite
def ranges(draw: st.DrawFn) -> Durations:
    """Ranges as they are read: with their ends as they were written."""
    left = DurationLiteral(draw(amounts), draw(units))
    unit = draw(units.filter(lambda found: bool(found) == bool(left.unit) or not left.number))
    right = draw(st.sampled_from([DurationLiteral(draw(amounts), unit), DurationLiteral("inf")]))
    if right.number is not None and Fraction(_size(right)) < _size(left):
        left, right = right, left
    closed = draw(st.booleans()), draw(st.booleans())
    if right.number is not None and _size(right) == _size(left):
        closed = True, True
    return make_range(left, right, NOWHERE, left_closed=closed[0], right_closed=closed[1])


@st.composite
def open_ranges(draw: st.DrawFn) -> Durations:
    """Ranges as they are read that end in a variable of any name."""
    left = DurationLiteral(draw(amounts), draw(units))
    closed = draw(st.booleans()), draw(st.booleans())
    end = ast.Var(draw(syntax.variables))
    return make_range(left, end, NOWHERE, left_closed=closed[0], right_closed=closed[1])


def _size(end: DurationLiteral) -> Fraction:
    assert end.number is not None
    return end.number * SECONDS.get(end.unit, Fraction(1))


def _operators(inner: st.SearchStrategy[ast.Formula]) -> st.SearchStrategy[ast.Formula]:
    rho = st.one_of(ranges(), ranges(), open_ranges())
    unary = [st.builds(node, rho, inner) for node in (DiamondMinus, DiamondPlus, BoxMinus, BoxPlus)]
    binary = [st.builds(node, rho, inner, inner) for node in (Since, Until)]
    items = st.lists(inner, max_size=2).map(tuple)
    rest = [
        st.builds(ast.And, items),
        st.builds(ast.Or, items),
        st.builds(ast.Exists, syntax.quantified, inner),
    ]
    return syntax.annotated(st.one_of(*unary, *binary, *rest))


formulas: st.SearchStrategy[ast.Formula] = syntax.opaque(
    st.recursive(syntax.literals_of_bodies, _operators, max_leaves=5)
)
heads: st.SearchStrategy[ast.Formula] = syntax.opaque(
    st.recursive(
        syntax.facts,
        lambda inner: syntax.annotated(
            st.one_of(st.builds(BoxPlus, ranges(), inner), st.builds(BoxMinus, ranges(), inner))
        ),
        max_leaves=2,
    )
)
rules = st.builds(
    ast.Forall,
    syntax.quantified,
    syntax.annotated(st.builds(ast.Implies, st.lists(heads, max_size=2).map(tuple), formulas)),
)
documents = st.builds(
    lambda found: ast.Document(group=ast.Group(tuple(found))), st.lists(rules, max_size=3)
)
