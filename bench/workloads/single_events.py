"""Single events: the elements that are added one by one, their rules, and what must come out.

An element comes at each tick. Peers in other Pythons read this file, so it needs no package.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

WINDOW: Final = 5000
"""Ticks that an element of one triple holds."""
SPACE: Final = "http://events.example/"
"""The namespace of all names."""
_SUBJECTS: Final = 5000
"""Each has two triples, and then none until the others had theirs: twice as long as the window."""
_SENSORS: Final = 50
_LIMIT: Final = 900
_RANGE: Final = 50
_LOSES: Final = 10
_PLACES: Final = 9

Value: TypeAlias = str | float
"""A name within `SPACE`, or a number."""
Triple: TypeAlias = tuple[str, str, Value]
"""Subject and predicate are names within `SPACE`; the numbers of elements are integers."""
Facts: TypeAlias = Mapping[tuple[str, Value], int]
"""Predicates and objects of a subject → the tick at which the triple ends."""
Expected: TypeAlias = tuple[str, int, str, str, Value]
"""``+`` or ``-``, when, and the triple."""


@dataclass(frozen=True, slots=True)
class EventCase:
    """What is added, event by event, under which rule."""

    description: str
    rule: str
    element: Callable[[int], list[Triple]]  # that of a tick; its triples have one subject
    # a subject, and what holds of it → what follows
    answers: Callable[[str, Facts], set[Triple]]
    window: int = WINDOW
    longer: Mapping[str, int] = field(default_factory=dict)  # predicate → ticks that it is seen on
    every: int = 1  # each so many-th call is what is timed; those between prepare it
    form: str = "ntriples"  # how an element is given
    triples: int = 1  # of an element
    reads: bool = False  # whether changes are asked for after each event, and looked into
    keeps: bool = False  # whether the engine has a ``state``

    @property
    def rules(self) -> str:
        """The document."""
        return f"""Document(
  Prefix(ex <{SPACE}>)
  Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)
  Window({self.window})
  Group( {self.rule} )
)"""


def expected(case: EventCase, count: int) -> Iterator[Expected]:
    """The changes of the first ``count`` elements until nothing holds any more, by a plain loop."""
    ends: defaultdict[int, list[Triple]] = defaultdict(list)
    facts: defaultdict[str, dict[tuple[str, Value], int]] = defaultdict(dict)
    holding: dict[str, set[Triple]] = {}
    now = 0
    while now < count or ends:
        touched = set()
        for s, p, o in ends.pop(now, ()):
            touched.add(s)
            if facts[s][p, o] == now:
                del facts[s][p, o]
        for s, p, o in case.element(now) if now < count else ():
            touched.add(s)
            end = now + case.window + case.longer.get(p, 0)
            facts[s][p, o] = end
            ends[end].append((s, p, o))
        for s in touched:
            before, after = holding.pop(s, set()), case.answers(s, facts[s])
            yield from (("-", now, *triple) for triple in before - after)
            yield from (("+", now, *triple) for triple in after - before)
            holding[s] = after
            if not facts[s]:
                del facts[s], holding[s]
        now += 1


def rounded(value: float) -> float:
    """A number as it is compared: averages that never end differ at the last places."""
    return round(value, _PLACES)


def join_event(tick: int) -> tuple[str, str, str]:
    """A triple, as names alone: one of the subject's two predicates, then the other."""
    return f"s{tick // 2 % _SUBJECTS}", "pr"[tick % 2], f"v{tick % 977}"


def _unread(tick: int) -> list[Triple]:
    s, p, o = join_event(tick)
    return [(s, {"p": "x", "r": "y"}[p], o)]


def _reversed(tick: int) -> list[Triple]:
    s, p, o = join_event(tick)
    return [(s, {"p": "r", "r": "p"}[p], o)]


def _number(tick: int) -> list[Triple]:
    return [(f"s{tick // 2 % _SUBJECTS}", "p", tick * 7 % 1000)]


def _unblocked(tick: int) -> list[Triple]:
    s, p, _ = join_event(tick)
    return [(s, p, tick * 7 % 1000)]


def _blocked(tick: int) -> list[Triple]:
    if tick % _LOSES == _LOSES - 1:
        ((s, _, o),) = _blocked(tick - 1)
        return [(s, "r", o)]
    return _number(tick)


def _reading(tick: int) -> list[Triple]:
    # No value comes twice within a window: of a set the second one would not count.
    return [(f"s{tick % _SENSORS}", "p", tick * 7919 % 100_003)]


def _graph(tick: int) -> list[Triple]:
    o = f"o{tick}"
    return [
        (o, "madeBySensor", f"s{tick % _SENSORS}"),
        (o, "hasSimpleResult", tick),
        (o, "hasFeatureOfInterest", f"f{tick % _SENSORS}"),
        *((o, f"x{number}", f"s{tick % _SENSORS}") for number in range(8)),
    ]


def _joined(s: str, facts: Facts) -> set[Triple]:
    if not any(p == "p" for p, _ in facts):
        return set()
    return {(s, "q", o) for p, o in facts if p == "r"}


def _above(s: str, facts: Facts) -> set[Triple]:
    return {(s, "q", o) for _, o in facts if int(o) > _LIMIT}


def _free(s: str, facts: Facts) -> set[Triple]:
    return {(s, "q", o) for p, o in facts if p == "p" and ("r", o) not in facts}


def _average(s: str, facts: Facts) -> set[Triple]:
    values = [int(o) for _, o in facts]
    return {(s, "q", rounded(sum(values) / len(values)))} if values else set()


def _read(_: str, facts: Facts) -> set[Triple]:
    objects = dict(facts.keys())
    if not objects:
        return set()
    return {(str(objects["hasFeatureOfInterest"]), "q", objects["hasSimpleResult"])}


_JOIN: Final = "Forall ?s ?a ?b ( ?s[ex:q -> ?b] :- And( ?s[ex:p -> ?a] ?s[ex:r -> ?b] ) )"
_NEGATION: Final = "Forall ?s ?a ( ?s[ex:q -> ?a] :- And( ?s[ex:p -> ?a] Naf( ?s[ex:r -> ?a] ) ) )"
_FILTER: Final = (
    "Forall ?s ?a ( ?s[ex:q -> ?a] :-"
    f" And( ?s[ex:p -> ?a] External(pred:numeric-greater-than(?a {_LIMIT})) ) )"
)
_DIAMOND: Final = (
    "Forall ?s ?a ?b ( ?s[ex:q -> ?b] :-"
    f" And( ?s[ex:p -> ?a] DiamondMinus [0,{_RANGE}] ( ?s[ex:r -> ?b] ) ) )"
)
_AVERAGE: Final = "Forall ?s ?m ( ?s[ex:q -> ?m] :- ?m = avg{ ?v [?s] | ?s[ex:p -> ?v] } )"
_READING: Final = (
    "Forall ?o ?s ?v ?f ( ?f[ex:q -> ?v] :- And( ?o[ex:madeBySensor -> ?s]"
    " ?o[ex:hasSimpleResult -> ?v] ?o[ex:hasFeatureOfInterest -> ?f] ) )"
)


def _join_element(tick: int) -> list[Triple]:
    return [join_event(tick)]


def _join(description: str, *, reads: bool = False, keeps: bool = False) -> EventCase:
    return EventCase(description, _JOIN, _join_element, _joined, every=2, reads=reads, keeps=keeps)


def _given(description: str, form: str) -> EventCase:
    described = f"a graph of 11 triples, three of which a rule joins, as {description}"
    return EventCase(described, _READING, _graph, _read, window=1000, form=form, triples=11)


CASES: Final[Mapping[str, EventCase]] = {
    "join": _join("a triple that completes a join"),
    "join-read": _join("the same; changes are taken out in the call, and looked into", reads=True),
    "no-match": EventCase("triples that no rule reads", _JOIN, _unread, _joined),
    "filter": EventCase("a number that is compared", _FILTER, _number, _above),
    "diamond": EventCase(
        f"a join with what held within {_RANGE} ticks",
        _DIAMOND,
        _reversed,
        _joined,
        longer={"r": _RANGE},
        every=2,
    ),
    "negation": EventCase("a negation that nothing blocks", _NEGATION, _unblocked, _free),
    "loss": EventCase("a negation, and each tenth triple blocks", _NEGATION, _blocked, _free),
    "average": EventCase("the average of a sensor in the window", _AVERAGE, _reading, _average),
    "state": _join("the join of an engine with a state on the disk", keeps=True),
    "graph-ntriples": _given("N-Triples", "ntriples"),
    "graph-turtle": _given("Turtle with prefixes", "turtle"),
    "graph-pyoxigraph": _given("triples of pyoxigraph", "pyoxigraph"),
    "graph-triples": _given("triples of rdflib", "rdflib"),
    "graph-rdflib": _given("a Graph of rdflib", "graph"),
    "sustained": _join("the join over as many triples as the streams of other benchmarks have"),
}
"""By name."""
