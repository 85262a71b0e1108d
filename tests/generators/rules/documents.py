"""Random documents: one to six rules and some facts, safe, and certain to come to an end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rif.syntax.ast import (
    And,
    Atom,
    Constant,
    Document,
    Forall,
    Formula,
    Frame,
    Group,
    Implies,
    Meta,
    Or,
    Term,
    Var,
    Window,
)
from rif.syntax.negation import Naf
from rif.syntax.terms import IRI, RIF, GroundList, Variable
from tests.generators.rules.conditions import Body
from tests.generators.rules.termination import computes, is_finite, made_by, read_by
from tests.generators.vocabulary import EX, SUM, TYPE, Vocabulary
from tests.oracles.rules.strata import NotStratified, strata

if TYPE_CHECKING:
    from tests.generators.draw import Draw

PREFIXES = (
    ("ex", EX),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("xs", "http://www.w3.org/2001/XMLSchema#"),
    ("rif", RIF),
    ("func", "http://www.w3.org/2007/rif-builtin-function#"),
    ("pred", "http://www.w3.org/2007/rif-builtin-predicate#"),
)

Sentence = Forall | Implies | Formula


def document(
    draw: Draw, words: Vocabulary, *, bounded: bool = False, negation: bool = False
) -> Document:
    """A document; a ``bounded`` one has a window, so that its states do not grow.

    With ``negation`` its rules may have some; they are stratified all the same.
    """
    sentences = [
        _rule(draw, words, negation=negation)
        for _ in range(draw.weighted((25, 1), (30, 2), (25, 3), (20, 5)))
    ]
    sentences += _roots(draw, words, sentences)
    if draw.chance(25):
        sentences.insert(draw.integer(0, len(sentences)), _sum(draw, words))
    if draw.chance(20):
        sentences += [_fact(draw, words) for _ in range(draw.integer(1, 2))]
        sentences = draw.some(sentences, len(sentences), len(sentences))
    if not is_finite(sentences):
        sentences = [one for one in sentences if not computes(one)] or [_template(draw, words)]
    if negation:
        sentences = _stratified(sentences)
    named = [_named(draw, one, number) for number, one in enumerate(sentences, 1)]
    return Document(
        prefixes=PREFIXES, window=_window(draw, bounded=bounded), group=_grouped(draw, named)
    )


def _window(draw: Draw, *, bounded: bool) -> Window | None:
    size = draw.weighted(
        (0 if bounded else 10, -1),
        (0 if bounded else 4, 0),
        (14, 1),
        (24, 2),
        (22, 3),
        (14, 4),
        (12, 6),
    )
    if size < 0:
        return None
    text, unit = draw.weighted(
        (8, (str(size), "ms")), (1, (str(size), "")), (1, (f"{size / 1000:.3f}", "s"))
    )
    return Window(text, unit)


def _named(draw: Draw, sentence: Sentence, number: int) -> Sentence:
    """``sentence``, perhaps with an annotation that gives it a name."""
    if not draw.chance(12):
        return sentence
    return replace(sentence, meta=Meta(iri=IRI(f"{EX}rule{number}")))


def _grouped(draw: Draw, sentences: list[Sentence]) -> Group:
    """All in one group, or the middle ones in a group of their own."""
    if not draw.chance(8):
        return Group(tuple(sentences))
    begin = draw.integer(0, len(sentences))
    end = draw.integer(begin, len(sentences))
    inner = Group(tuple(sentences[begin:end]))
    return Group((*sentences[:begin], inner, *sentences[end:]))


# -- rules ---------------------------------------------------------------------------------


def _closed(head: tuple[Formula, ...], body: Formula, names: list[str]) -> Sentence:
    rule = Implies(head, body)
    return Forall(tuple(map(Variable, names)), rule) if names else rule


def _stratified(sentences: list[Sentence]) -> list[Sentence]:
    """The sentences, each with its negations if they are stratified with those before it."""
    kept = list(map(_positive, sentences))
    for number, sentence in enumerate(sentences):
        more = [*kept[:number], sentence, *kept[number + 1 :]]
        try:
            strata([(one.head, one.body) for each in more if (one := _implies(each))])
        except NotStratified:
            continue
        kept = more
    return kept


def _implies(sentence: Sentence) -> Implies | None:
    clause = sentence.clause if isinstance(sentence, Forall) else sentence
    return clause if isinstance(clause, Implies) else None


def _positive(sentence: Sentence) -> Sentence:
    """The sentence without its negations, which are members of the conjunction or all of it."""
    rule = _implies(sentence)
    if rule is None:
        return sentence
    items = rule.body.items if isinstance(rule.body, And) else (rule.body,)
    if not any(isinstance(one, Naf) for one in items):
        return sentence
    less = replace(rule, body=And(tuple(one for one in items if not isinstance(one, Naf))))
    return replace(sentence, clause=less) if isinstance(sentence, Forall) else less


def _rule(draw: Draw, words: Vocabulary, *, negation: bool = False) -> Sentence:
    if draw.chance(25 if negation else 45):
        return _template(draw, words)
    body = Body(draw, words, [*words.data, *words.data, *words.derived])
    alone = 12 if negation else 2
    for _ in range(draw.weighted((30, 1), (50 - alone, 2), (20, 3), (alone, 0))):
        body.add_pattern()
    if draw.chance(10):
        body.add_alternative()
    if draw.chance(10):
        body.add_existential()
    if draw.chance(5):
        body.add_constant()
    if body.bound and draw.chance(4):
        body.add_copy()
    if body.bound and draw.chance(20):
        body.add_test()
    for _ in range(draw.weighted((30, 0), (55, 1), (15, 2)) if negation else 0):
        body.add_negation()
    if not body.items:
        nothing: Formula = Or(()) if draw.chance(20) else And(())
        return _closed(_heads(draw, words, body), nothing, [])
    return _closed(_heads(draw, words, body), body.formula(), body.bound)


def _roots(draw: Draw, words: Vocabulary, sentences: list[Sentence]) -> list[Sentence]:
    """Rules that derive from data what others only read: else most would never fire."""
    x, y = Var(Variable("x")), Var(Variable("y"))
    made = {name for one in sentences for name in made_by(one)}
    bare = [name for one in sentences for name in read_by(one) if name not in made]
    found: list[Sentence] = []
    for derived in words.derived:
        if str(derived) in bare and draw.chance(70):
            base = draw.choice([one for one in words.data if one != TYPE])
            head, body = (Frame(x, ((Constant(key), y),)) for key in (derived, base))
            found.append(_closed((head,), body, ["x", "y"]))
    return found


def _sum(draw: Draw, words: Vocabulary) -> Sentence:
    """A rule that computes; what it derives must not come back to it."""
    body = Body(draw, words, words.data)
    body.items.append(body.over([body.new(), body.new()]))
    body.fillers.append(body.bound[-1])
    if draw.chance(30):
        body.add_pattern()
    value: Term
    if draw.chance(40):
        value = body.computed()
    else:
        value = Var(Variable(body.add_sum()))
        if draw.chance(30):
            body.items.append(body.test([body.bound[-1]]))
    key = Constant(SUM if draw.chance(70) else draw.choice(words.derived))
    return _closed((Frame(body.known(), ((key, value),)),), body.formula(), body.bound)


def _heads(draw: Draw, words: Vocabulary, body: Body) -> tuple[Formula, ...]:
    if draw.chance(3):
        return (Atom(IRI(RIF + "error"), ()),)
    return tuple(_head(draw, words, body) for _ in range(draw.weighted((85, 1), (12, 2), (3, 3))))


def _head(draw: Draw, words: Vocabulary, body: Body) -> Formula:
    if words.ops and draw.chance(45):
        op, arity = draw.choice(words.ops)
        return Atom(op, tuple(body.known(filler=True) for _ in range(arity)))
    slots = tuple(_head_slot(draw, words, body) for _ in range(draw.weighted((90, 1), (10, 2))))
    return Frame(body.known(), slots)


def _head_slot(draw: Draw, words: Vocabulary, body: Body) -> tuple[Term, Term]:
    if draw.chance(10) and TYPE in words.data:
        return Constant(TYPE), Constant(draw.choice(words.classes))
    if body.bound and draw.chance(4):
        return Var(Variable(draw.choice(body.bound))), body.known(filler=True)
    key = draw.choice([*words.derived, *words.derived, *words.data])
    if key == TYPE:
        return Constant(TYPE), Constant(draw.choice(words.classes))
    return Constant(key), body.known(filler=True)


def _template(draw: Draw, words: Vocabulary) -> Sentence:
    """A rule of a shape that recursion is made of."""
    x, y, z = (Var(Variable(name)) for name in "xyz")
    base = Constant(draw.choice([one for one in words.data if one != TYPE]))
    made, other = Constant(words.derived[0]), Constant(draw.choice(words.derived))

    def says(subject: Term, key: Term, filler: Term) -> Frame:
        return Frame(subject, ((key, filler),))

    names, head, body = draw.choice(
        (
            ("xy", says(x, made, y), says(x, base, y)),
            ("xyz", says(x, made, z), And((says(x, made, y), says(y, base, z)))),
            ("xyz", says(x, made, z), And((says(x, other, y), says(y, made, z)))),
            ("xz", says(x, made, z), Or((says(x, base, z), says(z, other, x)))),
            ("xy", says(y, made, x), says(x, made, y)),
            ("xy", says(x, other, y), says(x, made, y)),
            ("xyz", says(x, other, z), And((says(x, base, y), says(z, base, y)))),
            ("xy", says(x, made, y), And((says(x, base, y), says(x, other, y)))),
        )
    )
    return _closed((head,), body, list(names))


def _fact(draw: Draw, words: Vocabulary) -> Sentence:
    """A ground frame or atom."""
    body = Body(draw, words, words.data)
    if words.ops and draw.chance(40):
        op, arity = draw.choice(words.ops)
        args = [body.constant(filler=True) for _ in range(arity)]
        if args and draw.chance(10):
            args[0] = Constant(GroundList((args[0].value, words.nodes[0])))
        return Atom(op, tuple(args))
    keys = [one for one in (*words.data, *words.derived) if one != TYPE]
    slots = tuple(
        (Constant(draw.choice(keys)), body.constant(filler=True))
        for _ in range(draw.weighted((85, 1), (15, 2)))
    )
    return Frame(body.constant(filler=False), slots)
