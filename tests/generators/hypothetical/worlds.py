"""Random worlds for possible answers, and their texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tests.generators.draw import Draw, from_seed
from tests.oracles.possible.worlds import (
    Diamond,
    Greater,
    Histogram,
    Literal,
    Sum,
    Triple,
    World,
    WorldElement,
    WorldRange,
    WorldRule,
    is_variable,
    written,
)

PRED = "http://www.w3.org/2007/rif-builtin-predicate#"
FUNC = "http://www.w3.org/2007/rif-builtin-function#"
PROV = "http://www.w3.org/ns/prov#"
XSD = "http://www.w3.org/2001/XMLSchema#"

SUBJECTS = ("<http://e/a>", "<http://e/b>")
OTHERS = ("<http://e/m>", "<http://e/n>")
NUMBERS = (written(1), written(3))
FRESH = ("<http://e/fresh1>", "<http://e/fresh2>")
DOMAIN = (*SUBJECTS, *OTHERS, *NUMBERS, *FRESH)


def iri(name: str) -> str:
    return f"<http://e/{name}>"


INPUTS = tuple(iri(f"i{k}") for k in range(4))
VALUED = iri("v")
STATIC = iri("s")
DERIVED = iri("d")


def world(draw: Draw) -> World:
    """A small world: one or two rules over what comes, perhaps through a derived relation."""
    metric = draw.chance(60)
    rules: list[WorldRule] = []
    if derived := draw.chance(40):
        rules += (_deriving(draw, metric=metric) for _ in range(draw.weighted((3, 1), (1, 2))))
    for k in range(draw.weighted((3, 1), (1, 2))):
        reads = derived and (k == 0 or draw.chance(50))
        rules.append(_concluding(draw, iri(f"f{k}"), metric=metric, reads=reads))
    asked = [triple for rule in rules for triple in _triples(rule.body)]
    return World(
        tuple(rules),
        tuple((s, STATIC, draw.choice((*SUBJECTS, *OTHERS))) for s in draw.some(SUBJECTS, 0, 2)),
        tuple(_elements(draw, asked)),
        draw.weighted((4, 3), (3, 5), (1, 1), (1, 2)) if draw.chance(75) else None,
        draw.weighted((4, 0), (2, 1), (2, 3)),
        {INPUTS[0]: draw.integer(1, 4)} if draw.chance(25) else {},
        by_subject=draw.chance(75),
        expect=tuple(draw.some((*INPUTS, VALUED), 2, 5)) if draw.chance(15) else None,
    )


def ranked(draw: Draw) -> World:
    """A world with chances, and perhaps a cap."""
    found = world(draw)
    if not found.delay and draw.chance(70):
        found = replace(found, delay=draw.integer(2, 4))
    longest = max((found.delay, *found.delays.values()))
    names = [None, *draw.some((*INPUTS, VALUED), 0, 3)] if draw.chance(70) else [*INPUTS[:3]]
    chances = tuple((name, _histogram(draw, longest)) for name in names)
    most = draw.weighted((2, None), (4, 1), (2, 2))
    return replace(found, chances=chances if draw.chance(80) else (), most=most)


def conditional(draw: Draw, case: World) -> World:
    """``case`` with conditions that come and go, and with conclusions by them from less input."""
    static = ((SUBJECTS[1], STATIC, OTHERS[1]),)
    small = [rule for rule in case.rules if len([*_triples(rule.body)]) <= 3]
    if small and draw.chance(30):
        more = [_shortcut(draw, rule, metric=case.metric) for rule in small]
        elements = [
            replace(each, triples=(*each.triples, (SUBJECTS[0], STATIC, OTHERS[0])))
            if draw.chance(30)
            else each
            for each in case.elements
        ]
        return replace(case, rules=(*small, *more), static=static, elements=tuple(elements))
    first: Triple = "?x", draw.choice(INPUTS[:2]), draw.choice(("?y", OTHERS[0]))
    rules = (*case.rules[:1], *_two_ways(draw, first, metric=case.metric))
    elements = [*case.elements[:3], *_coming_and_going(draw, first[1], case.elements[:3])]
    return replace(case, rules=rules, static=static, elements=tuple(elements), expect=None)


def _coming_and_going(
    draw: Draw, predicate: str, before: Sequence[WorldElement]
) -> Iterable[WorldElement]:
    """What comes first, and a condition that begins and ends, or is taken back."""
    evidence: Triple = SUBJECTS[0], predicate, OTHERS[0]
    condition: Triple = SUBJECTS[0], STATIC, OTHERS[0]
    stamp = max(each.stamp for each in before)
    names: list[str] = []
    for k in range(draw.integer(3, 5)):
        stamp += draw.weighted((5, 1), (2, 2), (1, 0))
        triples = [evidence] if not k or draw.chance(20) else []
        triples += [condition] if k % 2 or draw.chance(15) else []
        end = stamp + (draw.integer(4, 9) if evidence in triples else draw.integer(1, 4))
        back = tuple(draw.some(names, 1, 1)) if names and draw.chance(20) else ()
        name = f"<http://e/c{k}>"
        names += [name] if k else []
        yield WorldElement(name, stamp, tuple(triples), end if draw.chance(80) else None, back)


def _two_ways(draw: Draw, first: Triple, *, metric: bool) -> list[WorldRule]:
    """Rules with the same conclusion, from something with what comes ``first``, or what holds."""
    second: Literal = (first[2], INPUTS[2], draw.choice(("?x", OTHERS[1])))
    if metric or first[2] != "?y":
        rho = WorldRange(0, draw.integer(0, 3)) if draw.chance(60) else _range(draw)
        second = Diamond(draw.chance(50), rho, (("?x", INPUTS[2], OTHERS[0]),))
    if draw.chance(30):
        return _tested_ways(draw, first, second)
    held: Literal = ("?x", STATIC, draw.choice((OTHERS[0], "?held", first[2])))
    if metric and draw.chance(40):
        held = Diamond(draw.chance(20), _range(draw), (held,))
    head = "?x", iri("f9"), iri("yes")
    return [WorldRule(head, (first, second)), WorldRule(head, (second, held))]


def _tested_ways(draw: Draw, first: Triple, second: Literal) -> list[WorldRule]:
    """Rules with the same conclusion, from a value of which the other has a test."""
    rho = second.range if isinstance(second, Diamond) else WorldRange(0, 1)
    past = draw.chance(50)
    value = Diamond(not past, rho, (("?x", VALUED, draw.choice(NUMBERS)),))
    body: list[Literal] = [Diamond(not past, rho, (("?x", VALUED, "?v"),))]
    body.append(Greater("?v", written(draw.integer(0, 3))))
    body.append(draw.choice((first, ("?x", STATIC, "?held"))))
    more: tuple[Literal, ...] = (second,) if draw.chance(40) else ()
    head = "?x", iri("f9"), iri("yes")
    return [WorldRule(head, (first, value, *more)), WorldRule(head, tuple(body))]


def _shortcut(draw: Draw, rule: WorldRule, *, metric: bool) -> WorldRule:
    """A rule with the same conclusion that needs some of what ``rule`` does, and a condition."""
    bound = set(rule.head)
    body: list[Literal] = [
        each for each in rule.body if isinstance(each, Greater | Sum) or draw.chance(70)
    ]
    names = [term for triple in _triples(body) for term in (triple[0], triple[2])]
    about = draw.choice([term for term in names if is_variable(term)] or [SUBJECTS[0]])
    for subject in sorted(
        {about} | {t for t in bound if is_variable(t) and t != "?sum"} - {*names}
    ):
        held: Literal = (subject, STATIC, draw.choice((OTHERS[0], "?held", "?y")))
        if metric and draw.chance(50):
            held = Diamond(draw.chance(20), _range(draw), (held,))
        body.append(held)
    names = [term for triple in _triples(body) for term in (triple[0], triple[2])]
    known = [
        each
        for each in body
        if not (isinstance(each, Greater) and each.left not in names)
        and not (isinstance(each, Sum) and each.term not in names)
    ]
    if "?sum" in bound and not any(isinstance(each, Sum) for each in known):
        return rule
    return WorldRule(rule.head, tuple(known))


def _histogram(draw: Draw, longest: int) -> Histogram:
    """Numbers that ascend, and are often equal, at some delays."""
    starts = sorted({draw.integer(0, longest) for _ in range(draw.integer(2, 4))})
    numbers = sorted(Fraction(draw.integer(0, 5), 5) for _ in starts)
    return tuple(zip(starts, numbers, strict=True))


def _deriving(draw: Draw, *, metric: bool) -> WorldRule:
    """A rule that others read."""
    body = _body(draw, "?x", metric=metric and draw.chance(40), most=2)
    if not any("?x" in (t[0], t[2]) for t in _triples(body)):
        body.append(_triple(draw, "?x", 8))
    target = draw.choice(("?y", "?y", iri("yes")))
    if not any("?y" in t for t in _triples(body)):
        target = iri("yes")
    return WorldRule(("?x", DERIVED, target), tuple(body))


def _concluding(draw: Draw, predicate: str, *, metric: bool, reads: bool) -> WorldRule:
    """A rule whose conclusions are answers; perhaps it ``reads`` what others derive."""
    body = _body(draw, "?x", metric=metric, most=3)
    if reads:
        used: Literal = (draw.choice(("?x", "?x", "?y")), DERIVED, draw.choice(("?z", "?x")))
        if metric and draw.chance(40):
            used = Diamond(draw.chance(20), _range(draw), (used,))
        body.insert(draw.integer(0, len(body)), used)
    names = [t for triple in _triples(body) for t in (triple[0], triple[2]) if is_variable(t)]
    values = [t for t in names if t.startswith("?v")]
    if values and draw.chance(50):
        body.append(Greater(values[0], written(2)))
    subject = "?x" if "?x" in names else draw.choice(names) if names else SUBJECTS[0]
    target = iri("yes")
    if values and draw.chance(30):
        body.append(Sum("?sum", values[0], 1))
        target = "?sum"
    elif names and draw.chance(30):
        target = draw.choice(names)
    return WorldRule((subject, predicate, target), tuple(body))


def _body(draw: Draw, subject: str, *, metric: bool, most: int) -> list[Literal]:
    """Conditions, mostly about one thing."""
    body: list[Literal] = []
    for k in range(draw.weighted((1, 1), (3, 2), (2, 3)) if most > 2 else draw.integer(1, 2)):
        about = draw.weighted((5, subject), (2, "?y"), (1, SUBJECTS[0]))
        triple = _triple(draw, about, k)
        if not metric or draw.chance(40):
            body.append(triple)
            continue
        inner: list[Literal] = [triple]
        rho = _range(draw)
        if draw.chance(35):
            inner.append(_triple(draw, draw.choice((about, about, "?y")), k + 5))
        diamond = Diamond(draw.chance(25), rho, tuple(inner))
        if draw.chance(15):
            diamond = Diamond(draw.chance(30), _range(draw), (diamond,))
        body.append(diamond)
    if draw.chance(25):
        body.append((subject, STATIC, draw.choice(("?y", "?w", OTHERS[0]))))
    return body


def _triple(draw: Draw, subject: str, k: int) -> Triple:
    if draw.chance(20):
        return subject, VALUED, draw.choice((f"?v{k}", written(3)))
    target = draw.choice((OTHERS[0], OTHERS[0], "?y", "?x", f"?o{k}"))
    return subject, draw.choice(INPUTS), target


def _range(draw: Draw) -> WorldRange:
    low = draw.integer(0, 3)
    length = draw.weighted((3, 0), (2, 1), (2, 2), (1, 4))
    if not length:
        return WorldRange(low, low)
    return WorldRange(low, low + length, draw.chance(25), draw.chance(25))


def _triples(body: Iterable[Literal]) -> Iterable[Triple]:
    for each in body:
        if isinstance(each, Diamond):
            yield from _triples(each.body)
        elif isinstance(each, tuple):
            yield each


def _elements(draw: Draw, asked: Sequence[Triple]) -> Iterable[WorldElement]:
    """Elements that are mostly of what is ``asked``."""
    stamp = 0
    names: list[str] = []
    wanted = [triple for triple in asked if triple[1] not in {DERIVED, STATIC}]
    for k in range(draw.integer(3, 9)):
        stamp = max(0, stamp + draw.weighted((4, 1), (3, 0), (2, 2), (1, -1), (1, -2), (1, 5)))
        name = f"<http://e/g{k}>"
        triples: list[Triple] = []
        for _ in range(draw.weighted((5, 1), (4, 2), (1, 0))):
            other = ("?x", draw.choice(INPUTS), "?y")
            s, p, o = draw.choice(wanted) if wanted and draw.chance(85) else other
            if is_variable(s):
                s = draw.weighted((3, SUBJECTS[0]), (1, SUBJECTS[1]))
            if is_variable(o):
                o = draw.choice(NUMBERS if p == VALUED else (*SUBJECTS, *OTHERS))
            triples.append((s, p, o))
        end = stamp + draw.integer(1, 6) if draw.chance(15) else None
        back = tuple(draw.some(names, 1, 2)) if names and draw.chance(15) else ()
        names.append(name)
        yield WorldElement(name, stamp, tuple(dict.fromkeys(triples)), end, back)


@dataclass(frozen=True)
class Texts:
    """A world as files."""

    rules: str
    static: str
    stream: str
    delays: tuple[str, ...]
    wishes: tuple[str, ...]


def texts(case: World) -> Texts:
    """The texts of a world, and the options that it is run with."""
    rules = "\n".join(map(_rule, case.rules))
    window = "" if case.window is None else f"Window({case.window})"
    delays = ["--delay", f"{case.delay}"] if case.delay else []
    for predicate, ticks in case.delays.items():
        delays += ["--delay", f"{predicate.strip('<>')}={ticks}"]
    wishes = [f"--hypotheses={'subjects' if case.by_subject else 'triples'}"]
    for name, histogram in case.chances:
        said = ",".join(f"{delay}:{p}" for delay, p in histogram)
        wishes += ["--chance", said if name is None else f"{name.strip('<>')}={said}"]
    if case.most is not None:
        wishes += ["--most", f"{case.most}"]
    for each in case.expect or ():
        wishes += ["--expect", each.strip("<>")]
    return Texts(
        f"Document( {window} Group(\n{rules}\n) )\n",
        "".join(f"{' '.join(triple)} .\n" for triple in case.static),
        "".join(_quads(each) for each in case.elements),
        tuple(delays),
        tuple(wishes),
    )


def _rule(rule: WorldRule) -> str:
    names = sorted(_names([rule.head, *rule.body]))
    clause = f"{_literal(rule.head)} :- And( {' '.join(map(_literal, rule.body))} )"
    return f"Forall {' '.join(names)} ( {clause} )" if names else clause


def _names(body: Iterable[Literal]) -> set[str]:
    found: set[str] = set()
    for each in body:
        match each:
            case Diamond():
                found |= _names(each.body)
            case Greater():
                found |= {t for t in (each.left, each.right) if is_variable(t)}
            case Sum():
                found |= {t for t in (each.value, each.term) if is_variable(t)}
            case _:
                found |= {t for t in each if is_variable(t)}
    return found


def _literal(literal: Literal) -> str:
    match literal:
        case Diamond(future=future, range=rho, body=body):
            left, right = "(" if rho.low_open else "[", ")" if rho.high_open else "]"
            name = "DiamondPlus" if future else "DiamondMinus"
            inner = " ".join(map(_literal, body))
            inner = f"And( {inner} )" if len(body) > 1 else inner
            return f"{name} {left}{rho.low}, {rho.high}{right} ( {inner} )"
        case Greater(left=left, right=right):
            return f"External( <{PRED}numeric-greater-than>({left} {right}) )"
        case Sum(value=value, term=term, more=more):
            return f"{value} = External( <{FUNC}numeric-add>({term} {more}) )"
    s, p, o = literal
    return f"{s}[{p} -> {o}]"


def _quads(element: WorldElement) -> str:
    name = element.name
    lines = [f'{name} <{PROV}generatedAtTime> "{element.stamp}"^^<{XSD}integer> .\n']
    if element.end is not None:
        lines.append(f'{name} <{PROV}invalidatedAtTime> "{element.end}"^^<{XSD}integer> .\n')
    lines += (f"{name} <urn:r4:retracts> {other} .\n" for other in element.retracts)
    lines += (f"{' '.join(triple)} {name} .\n" for triple in element.triples)
    return "".join(lines)


def of_seed(seed: int) -> World:
    """Always the same world for the same seed: of even ones without chances and cap.

    In half of all worlds conditions come and go.
    """
    draw = from_seed(seed)
    found = (ranked if seed % 2 else world)(draw)
    return conditional(draw, found) if seed % 4 >= 2 else found
