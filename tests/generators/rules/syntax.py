"""Random syntax trees, of every shape that the presentation syntax can express."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from hypothesis import strategies as st

from rif.syntax import ast
from rif.syntax.terms import (
    FUNC,
    IRI,
    PRED,
    RDF,
    RDF_LANG_STRING,
    RIF,
    XSD,
    GroundList,
    GroundTerm,
    Literal,
    Local,
    Variable,
)

A = TypeVar("A", bound=ast.Annotated)

T = TypeVar("T")

EX = "http://e/"


def opaque(strategy: st.SearchStrategy[T]) -> st.SearchStrategy[T]:
    """The same strategy, with a short name in reports."""

    @st.composite
    def drawn(draw: st.DrawFn) -> T:
        return draw(strategy)

    return drawn()


characters = st.characters(exclude_categories=["Cs"])
texts = st.one_of(
    st.text(characters, max_size=6),
    st.sampled_from(
        ['"', "\\", '\\"', "a\nb\r\tc", "\x00\x1f\x7f", "(* *)", "é\U0001d518", "a.", "->"]
    ),
)
iris = st.one_of(
    st.sampled_from(
        ["a", "b", "p", "q", ".a", "a.", "a-b", "a/b", "1Min", "a:b", "And", "%41", "a#b", "é"]
    ).map(lambda n: IRI(EX + n)),
    st.sampled_from(
        [EX, "urn:x", "mailto:a@b", XSD + "integer", RDF + "type", "http://other/é?q#f"]
    ).map(IRI),
)
names = st.one_of(
    st.sampled_from(["x", "y", "z", "_", "x1", "1", "x-y", "x.", "a.b", "And"]),
    st.text(characters, min_size=1, max_size=4),
)
variables = names.map(Variable)
locals_ = st.one_of(names, st.just("")).map(Local)
literals = st.one_of(
    texts.map(Literal),
    st.builds(
        lambda text, tag: Literal(text, RDF_LANG_STRING, tag),
        texts,
        st.sampled_from(["en", "de-at", "x-1-a"]),
    ),
    st.sampled_from(["0", "-1", "+3", "007"]).map(lambda n: Literal(n, XSD + "integer")),
    st.sampled_from(["0.0", "-1.5", ".5", "5.", "+1.0"]).map(lambda n: Literal(n, XSD + "decimal")),
    st.sampled_from(["1e0", "-1.5E10", "1.e5", "INF", "NaN", "5"]).map(
        lambda n: Literal(n, XSD + "double")
    ),
    st.sampled_from(["2000-01-01", "0001-12-31Z"]).map(lambda n: Literal(n, XSD + "date")),
    st.just(Literal("1", XSD + "boolean")),
    texts.map(lambda text: Literal(text, EX + "datatype")),
)
ground_terms: st.SearchStrategy[GroundTerm] = opaque(
    st.recursive(
        st.one_of(iris, locals_, literals),
        lambda inner: st.lists(inner, max_size=3).map(lambda items: GroundList(tuple(items))),
        max_leaves=4,
    )
)
functions = st.sampled_from(["numeric-add", "concat", "make-list"]).map(lambda n: IRI(FUNC + n))
predicates = st.sampled_from(["numeric-equal", "contains"]).map(lambda n: IRI(PRED + n))


@st.composite
def annotated(draw: st.DrawFn, nodes: st.SearchStrategy[A]) -> A:
    """A node, now and then with an annotation."""
    node = draw(nodes)
    return replace(node, meta=draw(metas())) if draw(st.integers(0, 5)) == 5 else node


@st.composite
def metas(draw: st.DrawFn) -> ast.Meta:
    iri = draw(st.none() | iris)
    frames = draw(st.lists(frames_(plain_terms()), min_size=iri is None, max_size=2))
    return ast.Meta(iri, tuple(frames))


def plain_terms() -> st.SearchStrategy[ast.Term]:
    return st.one_of(ground_terms.map(ast.Constant), variables.map(ast.Var))


def frames_(terms: st.SearchStrategy[ast.Term]) -> st.SearchStrategy[ast.Frame]:
    slots = st.lists(st.tuples(terms, terms), max_size=3).map(tuple)
    return st.builds(ast.Frame, terms, slots)


def _arguments(terms: st.SearchStrategy[ast.Term]) -> st.SearchStrategy[tuple[ast.Term, ...]]:
    return st.lists(terms, max_size=3).map(tuple)


def _ground_externals() -> st.SearchStrategy[ast.Term]:
    constants = ground_terms.map(ast.Constant)
    return st.builds(ast.ExternalTerm, functions, _arguments(constants))


def _computed_lists() -> st.SearchStrategy[ast.Term]:
    """Lists that are no plain constants: something in them is computed, or annotated."""
    special = st.one_of(
        _ground_externals(),
        st.builds(lambda value, meta: ast.Constant(value, meta=meta), ground_terms, metas()),
    )
    rest = _arguments(ground_terms.map(ast.Constant))
    return st.builds(lambda one, items: ast.ListTerm((one, *items)), special, rest)


terms: st.SearchStrategy[ast.Term] = opaque(
    st.recursive(
        st.one_of(plain_terms(), _computed_lists()),
        lambda inner: annotated(st.builds(ast.ExternalTerm, functions, _arguments(inner))),
        max_leaves=3,
    ).flatmap(lambda term: annotated(st.just(term)))
)

atoms = st.builds(ast.Atom, st.one_of(iris, locals_), _arguments(terms))
frames = frames_(terms)
facts: st.SearchStrategy[ast.Formula] = annotated(st.one_of(atoms, frames))
literals_of_bodies: st.SearchStrategy[ast.Formula] = annotated(
    st.one_of(
        atoms,
        frames,
        st.builds(ast.Member, terms, terms),
        st.builds(ast.Equal, terms, terms),
        st.builds(ast.External, predicates, _arguments(terms)),
    )
)
quantified = st.lists(variables, min_size=1, max_size=3, unique=True).map(tuple)


def _compound(inner: st.SearchStrategy[ast.Formula]) -> st.SearchStrategy[ast.Formula]:
    items = st.lists(inner, max_size=3).map(tuple)
    return annotated(
        st.one_of(
            st.builds(ast.And, items),
            st.builds(ast.Or, items),
            st.builds(ast.Exists, quantified, inner),
        )
    )


formulas: st.SearchStrategy[ast.Formula] = opaque(
    st.recursive(literals_of_bodies, _compound, max_leaves=6)
)

implications = annotated(st.builds(ast.Implies, st.lists(facts, max_size=3).map(tuple), formulas))
rules: st.SearchStrategy[ast.Rule] = opaque(
    st.one_of(
        implications,
        facts,
        annotated(st.builds(ast.Forall, quantified, st.one_of(implications, facts))),
    )
)
groups: st.SearchStrategy[ast.Group] = st.recursive(
    annotated(st.builds(ast.Group, st.lists(rules, max_size=3).map(tuple))),
    lambda inner: annotated(
        st.builds(ast.Group, st.lists(st.one_of(rules, inner), max_size=2).map(tuple))
    ),
    max_leaves=3,
)
imports = annotated(
    st.builds(ast.Import, iris.map(lambda i: i.value), st.none() | iris.map(lambda i: i.value))
)
windows = st.builds(
    ast.Window,
    st.sampled_from(["0", "5", "2.5", ".5", "+1", "007"]),
    st.sampled_from(["ns", "us", "ms", "s", "m", "h", "d", ""]),
)
prefix_names = st.sampled_from(["ex", "And", "_a", "Prefix", "x.y", "é", "Forall"])
prefixes = st.dictionaries(
    prefix_names, st.sampled_from([EX, "http://", EX + "a", XSD, RIF, "urn:"]), max_size=4
).map(lambda found: tuple(found.items()))
documents: st.SearchStrategy[ast.Document] = annotated(
    st.builds(
        ast.Document,
        st.none() | st.just("http://base/x"),
        prefixes,
        st.lists(imports, max_size=2).map(tuple),
        st.none() | windows,
        st.none() | groups,
    )
)
