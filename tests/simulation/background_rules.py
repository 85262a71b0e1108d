"""Rules above a regime, compared with the same rules among those of the regime."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

from r4.engine.core import Core
from rete.inference.errors import LimitReached
from rete.terms.dictionary import Dictionary
from rif.syntax.ast import Atom, Formula, Frame
from rif.syntax.terms import IRI
from tests.generators.ontologies.rules_above import (
    ATOM,
    ERROR,
    Clause,
    Layered,
    closed,
    parts_of,
)
from tests.simulation.core_run import (
    FACT_LIMIT,
    CoreLine,
    feed,
    maximal_intervals,
    program,
    tiny_stores,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

TOLD = IRI("urn:told")
_OF_ATOM = IRI(TOLD.value + "-atom")


def disagreement(case: Layered, *, forget: bool) -> str | None:
    """How answers of rules above a background differ from those of the same rules among its rules.

    There the user's rules stand a second time, ahead of all, and conclude atoms of their own: what
    they conclude is told apart from what the regime does.

    Under instances, where terms are the same for ever, an answer is completed when its body is, and
    not again each time that one of those terms is mentioned; when it holds is the same.
    """
    echoes = [
        closed(tuple(map(_echo, parts[0])), parts[1])
        for rule in case.rules
        if (parts := parts_of(rule)) is not None
    ]
    mine = [rule for rule in case.rules if parts_of(rule) is not None]
    facts = [rule for rule in case.rules if parts_of(rule) is None]
    try:
        with tiny_stores() if forget else nullcontext():
            above, core = _told(case, mine + facts, apart=True)
        among, _ = _told(case, [*echoes, *facts, *mine], apart=False)
    except LimitReached:
        return None
    errors = [[line for line in lines if line.what == "error"] for lines in (above, among)]
    above = [line._replace(what=_mark(line.what)) for line in above if line.what != "error"]
    among = [line for line in among if line.what.startswith((f"{TOLD}(", f"{_OF_ATOM}("))]
    for left, right in ((above, among), errors):
        if maximal_intervals(left, instances=case.instances) != maximal_intervals(
            right, instances=case.instances
        ):
            return f"they hold at other times: {case}"
    if not (case.instances and core.layers.classes):
        same = sorted(above, key=str) == sorted(among, key=str)
    else:
        same = {(line.start, line.what) for line in above} <= {
            (line.start, line.what) for line in among
        }
    return None if same else f"they are told otherwise: {case}"


def _told(case: Layered, rules: Sequence[Clause], *, apart: bool) -> tuple[list[CoreLine], Core]:
    core = Core(
        program(case, rules, apart=apart), Dictionary(), instances=case.instances, limit=FACT_LIMIT
    )
    return list(feed(core, case)), core


def _echo(head: Formula) -> Formula:
    """An atom that says what ``head`` says."""
    if isinstance(head, Frame):
        ((key, value),) = head.slots
        return Atom(TOLD, (head.object, key, value))
    assert isinstance(head, Atom)
    return Atom(IRI(TOLD.value + "-error") if head.op == ERROR else _OF_ATOM, head.args)


def _mark(what: str) -> str:
    """The text of the echo of an answer."""
    if what.startswith(f"{ATOM}("):
        return what.replace(str(ATOM), str(_OF_ATOM), 1)
    return f"{TOLD}({what})"
