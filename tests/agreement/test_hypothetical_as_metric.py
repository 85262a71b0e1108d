"""Answers are facts of the metric network, on the same rules with ``T + k`` as an operator."""

from __future__ import annotations

from collections.abc import Iterable
from json import loads

from rete.terms.dictionary import Dictionary
from rif.syntax.terms import Variable
from temporal.facts.bulk_loader import BulkLoader
from temporal.facts.bulk_writer import write_rows
from temporal.hypothetical.syntax.ast import TemporalAtom, TemporalRule, TimeTerm
from temporal.model.materialisation import materialise
from temporal.mtl.analysis import analyse
from temporal.mtl.validation import arities
from temporal.text.program_parser import parse_program
from temporal.text.writer import write_constant
from tests.generators.hypothetical.queries import QueryCase, random_case
from tests.generators.hypothetical.text import shown_delays, shown_facts, shown_program, shown_query
from tests.oracles.hypothetical.output_lines import quoted
from tests.simulation.hypothetical.engine import QueryRun

LATER = 20
"""Facts are so much later than they are drawn, so that no time of a derivation is negative."""


def has_one_time(rule: TemporalRule) -> bool:
    """Whether all its atoms hang on one time variable, and none is of what it concludes."""
    names = {atom.time.variable for atom in rule.atoms}
    recursive = rule.head.predicate in {atom.predicate for atom in rule.body}
    return len(names) == 1 and None not in names and not recursive


def as_operators(rule: TemporalRule) -> str:
    """The rule in DatalogMTL."""
    body = []
    for atom in rule.body:
        by = atom.time.offset - rule.head.time.offset
        operator = f"Diamond{'plus' if by > 0 else 'minus'}[{abs(by)},{abs(by)}]" if by else ""
        body.append(operator + without_time(atom))
    return f"{without_time(rule.head)} :- {', '.join(body)}"


def without_time(atom: TemporalAtom) -> str:
    """An atom as DatalogMTL has it."""
    names = (arg.name if isinstance(arg, Variable) else quoted(arg.lexical) for arg in atom.args)
    return applied(atom.predicate, names)


def applied(predicate: str, args: Iterable[str]) -> str:
    """A predicate with its arguments, if it has any."""
    inside = ",".join(args)
    return f"{predicate}({inside})" if inside else predicate


def facts_of_network(case: QueryCase) -> set[str]:
    """What is derived of the predicate of the query, a line each."""
    rules = parse_program("\n".join(map(as_operators, case.program.rules)))
    terms = Dictionary()
    loader = BulkLoader(terms, arities(rules))
    known = loader.arities
    facts = [
        f"{applied(name, map(quoted, args))}@{time}\n"
        for _, some in case.slices
        for name, args, time in some
        if name in known
    ]
    loader.text(["".join(facts).encode()])
    assert not loader.faults
    model = materialise(rules, loader.data(analyse(rules).scale), terms)
    rows = (
        (name, some)
        for (name, _), some in model.within(0, 1000, derived_only=True)
        if name == case.query.predicate
    )
    pieces = write_rows(rows, model.terms, model.scale)
    return set(b"".join(pieces).decode().splitlines())


def later(case: QueryCase) -> QueryCase:
    """The same, with facts at later times, and a query of all answers."""
    slices = tuple(
        (tau + LATER, tuple((name, args, time + LATER) for name, args, time in some))
        for tau, some in case.slices
    )
    args = tuple(Variable(f"V{place}") for place in range(case.query.arity))
    query = TemporalAtom(case.query.predicate, args, TimeTerm("T", 0))
    return QueryCase(case.program, query, case.delta, slices)


def test_confirmed_answers_are_the_facts_of_the_metric_network():
    derived = 0
    for seed in range(120):
        drawn = random_case(seed)
        if not all(map(has_one_time, drawn.program.rules)):
            continue
        case = later(drawn)
        player = QueryRun(
            shown_program(case.program), shown_query(case.query), shown_delays(case.delta)
        )
        told = [loads(line) for line in player.lines(shown_facts(case.slices))]
        answers = [line["answer"] for line in told if line["status"] == "answer"]
        shown = {
            f"{applied(case.query.predicate, map(write_constant, args))}@[{time},{time}]"
            for *args, time in (answer.values() for answer in answers)
        }
        assert len(shown) == len(answers)
        expected = facts_of_network(case)
        assert shown == expected, drawn
        derived += len(expected)
    assert derived > 50
