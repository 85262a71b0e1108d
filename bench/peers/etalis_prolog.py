"""Peer: ETALIS, event processing in Prolog. This writes what it is to run, and does not run it.

FOLDER gets the rules of a query, its static data, the stream as events, and a program that loads
ETALIS and feeds it. An event is a property of its subject and object; terms are atoms, or numbers
where a rule compares them. The clock of ETALIS has whole seconds, so its seconds are milliseconds
here, and its counter numbers the triples of an element; a window of n ms lets n - 1 pass.

ETALIS tells what it detected and in which interval, not when that ceases to hold. So the program
prints intervals: `workloads/detections` makes lines of these. Its garbage collection goes by the
clock on the wall; the program does the same by that of the stream, once a window.

usage: etalis_prolog.py QUERY STREAM STATIC WINDOW_IN_MS FOLDER; then swipl FOLDER/run.pl ETALIS
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

BSBM = "<http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/vocabulary/"
PRODUCT_TYPE = "<http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/instances/ProductType3>"
HURRICANE = "<http://dbpedia.org/class/yago/Hurricane111467018>"
WIND_SPEED = "<http://knoesis.wright.edu/ssw/ont/weather.owl#_WindSpeed>"
WEATHER_TYPE = "<http://purl.oclc.org/NET/ssnx/ssn#observedWeatherType>"
STAMP = "<http://www.w3.org/ns/prov#generatedAtTime>"
EPOCH, MS = datetime(1970, 1, 1, tzinfo=UTC), timedelta(milliseconds=1)

OFFER = f"""(type(Offer, '{BSBM}Offer>')
    seq product(Offer, S) seq vendor(Offer, _) seq price(Offer, O)
    seq validFrom(Offer, _) seq validTo(Offer, _) seq deliveryDays(Offer, _)
    seq offerWebpage(Offer, _) seq publisher(Offer, _) seq date(Offer, _))"""
Q1 = f"found(S, '{BSBM}offerPrice>', O) <- {OFFER}"
RULES = {
    "q1": (Q1,),
    "q1-shuffled": (Q1.replace(" seq ", " and "),),
    "q2": (f"{Q1} where (type(S, Class), above(Class, '{PRODUCT_TYPE}'))",),
    "q3": (
        "offer(Offer, Product, Price) <- product(Offer, Product) seq price(Offer, Price)",
        f"""found(Late, '{BSBM}undercuts>', Early) <-
    offer(Early, Product, More) seq offer(Late, Product, Less) where (Less < More)""",
        f"""found(Early, '{BSBM}undercuts>', Late) <-
    offer(Early, Product, Less) seq offer(Late, Product, More) where (Less < More)""",
    ),
    "q4": (
        f"""found(S, '{WEATHER_TYPE}', '{HURRICANE}') <- (observedProperty(S, '{WIND_SPEED}')
    seq observedBy(S, _) seq observationResult(S, Result) seq hasValue(Result, Value)
    seq hasQuantityValue(Value, Speed)) where (exceeds(Speed))""",
    ),
}
"""Query → its rules."""
POLICIES = {"q3": "unrestricted"}
"""Query → the consumption policy, where an event is to be met more than once."""
COMPARED = {"q3": ("price",), "q4": ("hasQuantityValue", "1MinWinds")}
"""Query → the properties whose values are numbers."""


PROGRAM = """
:- dynamic type/2, subClassOf/2, '1MinWinds'/2.
:- discontiguous type/2, subClassOf/2, '1MinWinds'/2.
:- initialization(main, main).

above(Class, Class).
above(Class, Super) :- subClassOf(Class, Next), above(Next, Super).
exceeds(Speed) :- type(Storm, Class), above(Class, '@hurricane'),
    '1MinWinds'(Storm, Wind), Speed > Wind, !.

main :- current_prolog_flag(argv, [Etalis]), consult(Etalis),
    set_etalis_flag(event_consumption_policy, @policy),
    load_static_rules('@folder/static.pl'), compile_event_file('@folder/rules.event'),
    ( getenv('R4_BENCH_MARKS', Path) -> open(Path, write, _, [alias(marks)]) ; true ),
    open('@folder/events.pl', read, In), feed(In, 0), close(In),
    ( stream_property(_, alias(marks)) -> close(marks) ; true ).

% The processor time at which a graph begins, if that is wanted.
mark(1) :- stream_property(_, alias(marks)), !, statistics(process_cputime, T),
    format(marks, "~9f\\n", [T]).
mark(_).

feed(In, Due) :- read_term(In, Term, []), feed(Term, In, Due).

feed(end_of_file, _, _) :- !.
feed(Term, In, Due) :- Term = at(Ms, Number, Event), T = datime(2024, 1, 1, 0, 0, Ms, Number),
    mark(Number), ( event(Event, [T, T]) -> true ; true ),
    ( Ms < Due -> feed(In, Due) ; collect(Ms - @window), Next is Ms + @window, feed(In, Next) ).

% What no event can meet any more, and the list of all events that ETALIS keeps.
collect(Before) :- retractall_stored_events,
    forall(( clause(etr_db(T, _, _, _, _, _), true, Goal), arg(6, T, Ms), Ms =< Before ),
        erase(Goal)).

% What was detected, and the milliseconds at which it began and ended.
told(T1, T2, S, P, O) :- arg(6, T1, Ms1), arg(6, T2, Ms2),
    format("~w\\t~w\\t~w\\t~w\\t~w\\n", [Ms1, Ms2, S, P, O]).
"""


def main(query: str, stream: Path, static: Path, window: int, folder: Path) -> None:
    """Write the files."""
    folder.mkdir(parents=True, exist_ok=True)
    program = PROGRAM.replace("@hurricane", HURRICANE).replace("@window", str(window))
    program = program.replace("@policy", POLICIES.get(query, "recent"))
    _write(folder / "run.pl", [program.replace("@folder", str(folder.resolve()))])
    _write(folder / "rules.event", rules(query, window))
    with static.open(encoding="utf-8") as triples:
        _write(folder / "static.pl", facts(triples, COMPARED.get(query, ())))
    with stream.open(encoding="utf-8") as quads:
        _write(folder / "events.pl", events(quads, COMPARED.get(query, ())))


def rules(query: str, window: int) -> Iterator[str]:
    """The rules with their window, and one that prints what is found."""
    for number, rule in enumerate(RULES[query]):
        inside = f"property(event_rule_window, {window - 1})"
        yield f"r{number}([{inside}]) 'rule:' {rule}.\n"
    yield "told(S, P, O) <- found(S, P, O) timestamp (t1(T1), t2(T2), told(T1, T2, S, P, O)).\n"


def facts(triples: Iterable[str], numbers: Sequence[str]) -> Iterator[str]:
    """Static triples as facts of Prolog."""
    for triple in triples:
        s, p, o = triple.rstrip(" .\n").split(" ", 2)
        yield f"{term(s, p, o, numbers)}.\n"


def events(quads: Iterable[str], numbers: Sequence[str]) -> Iterator[str]:
    """The stream as ``at(Milliseconds, Number, Event)``; a stamp stands before its graph."""
    at, number = 0, 0
    for quad in quads:
        s, p, rest = quad.split(" ", 2)
        if p == STAMP:
            at = (datetime.fromisoformat(rest.split('"', 2)[1]) - EPOCH) // MS
            number = 0
        else:
            number += 1
            event = term(s, p, rest.rsplit(" ", 2)[0], numbers)
            yield f"at({at}, {number}, {event}).\n"


def term(s: str, p: str, o: str, numbers: Sequence[str]) -> str:
    """A triple as a term: the end of the name of its property, of subject and object."""
    name = re.split("[/#]", p)[-1][:-1]
    value = o.split('"', 2)[1] if name in numbers else atom(o)
    return f"'{name}'({atom(s)}, {value})"


def atom(text: str) -> str:
    """A quoted atom. Blank nodes get the names that R4 gives those of a second document."""
    named = text.replace("_:", "_:d2_", 1) if text.startswith("_:") else text
    escaped = named.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _write(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(lines)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), Path(sys.argv[5]))
