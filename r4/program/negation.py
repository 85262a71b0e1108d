"""Negation without a meaning: rules that are not stratified, and answers that are instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from r4.program.errors import NotStratifiedRules
from r4.program.program import BACKGROUND, ClausePlace
from rete.graph.plan import Emit, Plan, below
from rete.nodes.scan import Scan
from rete.planning.strata import CycleStep, FactPattern, NotStratified, stratify
from rete.terms.relations import TRIPLES
from rif.syntax.terms import RDF_TYPE

if TYPE_CHECKING:
    from rete.drawing.names import Names

_TYPE: Final = f"<{RDF_TYPE}>"


def stratification_error(
    bodies: Sequence[Emit],
    places: Sequence[ClausePlace],
    labels: Mapping[int, str],
    prefixes: tuple[tuple[str, str], ...],
) -> NotStratifiedRules | None:
    """The error of bodies that run together, if they are not stratified.

    Where literals of equal values are one term, ``bodies`` have values as constants. ``places`` and
    ``labels``, the IRIs of clauses that have one, are by the numbers of clauses from 1.
    """
    try:
        stratify(bodies)
    except NotStratified as found:
        from rete.drawing.names import Names  # noqa: PLC0415 - for faults alone

        names = Names(prefixes=prefixes, labels=labels)
        place = places[bodies[found.cycle[0].emit].rule - 1]
        message = _cycle_text(found.cycle, bodies, places, names)
        hint = _general_head_hint(found.cycle, bodies, places, names)
        return NotStratifiedRules.at(place, message, hint)
    return None


def _general_head_hint(
    steps: Sequence[CycleStep], bodies: Sequence[Emit], places: Sequence[ClausePlace], names: Names
) -> str | None:
    """What to do about the first rule of a cycle that derives any property, or any class."""
    first = names.rule(bodies[steps[0].emit].rule)
    for body in (bodies[step.emit] for step in steps):
        if places[body.rule - 1].document == BACKGROUND:
            continue
        for head in body.heads:
            if head.relation != TRIPLES:
                continue
            _, predicate, value = head.key
            if predicate is None:
                what = "property"
            elif predicate == _TYPE and value is None:
                what = "class"
            else:
                continue
            return (
                f"{names.rule(body.rule)} derives any {what}, as its head has a variable there: "
                f"write it for each {what} that it is about, or let {first} conclude an atom, such "
                "as ex:p(?x)"
            )
    return None


def _cycle_text(
    steps: Sequence[CycleStep], bodies: Sequence[Emit], places: Sequence[ClausePlace], names: Names
) -> str:
    parts: list[str] = []
    for step in steps:
        body = bodies[step.emit]
        verb = "derives from" if parts else "asks for"
        how = ""
        if step.negated:
            how = "the absence of " if _negates(body.source, step.pattern) else "all of "
        where = f"{names.rule(body.rule)}{places[body.rule - 1]}"
        parts.append(f"{where} {verb} {how}{_fact_text(step.pattern, names)}")
    first = names.rule(bodies[steps[0].emit].rule)
    itself = "it derives itself" if len(steps) == 1 else f"{first} derives"
    return ", which ".join(["not stratified: " + parts[0], *parts[1:], itself])


def _negates(plan: Plan, pattern: FactPattern) -> bool:
    """Whether a negation in ``plan`` reads ``pattern``; an aggregate reads the others."""
    return any(
        isinstance(scan, Scan) and (scan.relation, scan.pattern) == pattern
        for each in below(plan)
        if each.negated is not None
        for scan in below(each.sources[each.negated])
    )


def _fact_text(pattern: FactPattern, names: Names) -> str:
    from rete.drawing.names import Piece, plain  # noqa: PLC0415
    from rete.terms.number_constants import unmarked  # noqa: PLC0415

    relation, key = pattern
    pieces = [Piece("?" if text is None else names.term(unmarked(text))) for text in key]
    return plain(names.fact(relation, pieces))
