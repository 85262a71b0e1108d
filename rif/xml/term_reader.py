"""Terms, frames and annotations of RIF/XML: one function a class element [RIF-Core 4]."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from rif.checks.dialect import make_list_term
from rif.errors.base import Span
from rif.errors.dialect import FunctionTerm, NotAPredicate
from rif.errors.report import shorten
from rif.errors.syntax import BadAnnotation, BadIri
from rif.errors.xml import BadAttribute, MisplacedElement
from rif.syntax import ast
from rif.syntax.iri import is_absolute, resolve
from rif.syntax.terms import CUSTOMARY_PREFIXES, IRI, XSD, GroundTerm, Literal, Local, Variable
from rif.values.datatypes import is_lexical
from rif.values.symbol_spaces import PLAIN_LITERAL, RIF_IRI, constant_of, is_language
from rif.xml.element_reader import MANY, ElementReader, Parts, describe_element
from rif.xml.tree import SPACE, XML, Element

_PREFIXES = {name: CUSTOMARY_PREFIXES[name] for name in ("rif", "xs", "rdf")} | {"xsd": XSD}
"""How the presentation syntax writes symbol spaces; none of these is the scheme of an IRI."""

_NO_TERM = Local("")
"""Stands for a term that could not be read; the rule that holds it is not kept."""


class TermReader(ElementReader):
    """Reads terms."""

    # TERM

    def term(self, element: Element) -> ast.Term:
        """TERM: Const, Var, List, or External with an Expr."""
        read = _TERMS.get(element.name)
        if read is not None:
            return read(self, element, self.parts(element))
        self.refuse(element, "a term")
        return ast.Constant(_NO_TERM)

    def term_in(self, roles: Sequence[Element]) -> ast.Term:
        """The term in the first of these role elements."""
        child = self.class_in(roles[0], "a term") if roles else None
        return ast.Constant(_NO_TERM) if child is None else self.term(child)

    def terms_in(self, roles: Sequence[Element]) -> tuple[ast.Term, ...]:
        """The terms in ``args`` or ``items``, if any."""
        if not roles:
            return ()
        self.check_content(roles[0])
        return tuple([self.term(child) for child in roles[0].children])

    def const(self, element: Element, parts: Parts) -> ast.Term:
        """Const, where an individual is due."""
        meta = self.meta(parts)
        return ast.Constant(self.constant(element), meta=meta, span=element.span)

    def constant(self, element: Element) -> GroundTerm:
        """The value of a Const, its annotation aside."""
        text = element.text
        space = element.attributes.get("type")
        if space is None:
            hint = 'write type="http://www.w3.org/2001/XMLSchema#string", or what it is'
            self.note(BadAttribute("Const has no type", element.span, hint))
            return Literal(text)
        prefix, _, local = space.partition(":")
        if prefix in _PREFIXES:
            hint = f'XML has no such prefixes: write type="{_PREFIXES[prefix]}{local}"'
            self.note(BadAttribute(f"{shorten(space)!a} is no symbol space", element.span, hint))
            space = _PREFIXES[prefix] + local
        space = self.iri(space, element)
        if space == RIF_IRI:
            return IRI(self.iri(text, element))
        language = element.attributes.get(f"{XML}lang", "")
        if space == PLAIN_LITERAL and "@" not in text and is_language(language):
            text = f"{text}@{language}"
        elif text.strip(SPACE) != text and not is_lexical(text, space):
            text = text.strip(SPACE)
        return constant_of(text, space, self.note, lambda: element.span)

    def iri(self, text: str, element: Element) -> str:
        """An IRI, white space around it taken off, resolved against ``xml:base``."""
        if is_absolute(text):
            return text
        iri = text.strip(SPACE)
        if element.base is not None:
            iri = resolve(iri, element.base)
        if not is_absolute(iri):
            message = f"{shorten(iri)!a} is no absolute IRI"
            hint = "write it in full, or give the document an xml:base"
            self.note(BadIri(message, element.span, hint))
        return iri

    def var(self, element: Element, parts: Parts) -> ast.Term:
        """Var, where it is used."""
        meta = self.meta(parts)
        return ast.Var(Variable(element.text), meta=meta, span=element.span)

    def list_term(self, element: Element, parts: Parts) -> ast.Term:
        """List; a plain constant unless it needs evaluation."""
        term = make_list_term(self.terms_in(parts["items"]), element.span, self.note)
        return replace(term, meta=self.meta(parts))

    # External

    def external_term(self, element: Element, parts: Parts) -> ast.Term:
        """External with an Expr: the value of a function."""
        op, args = self.external(parts, "Expr")
        return ast.ExternalTerm(op, args, meta=self.meta(parts), span=element.span)

    def external(self, parts: Parts, name: str) -> tuple[IRI, tuple[ast.Term, ...]]:
        """The function or predicate in an External, and its arguments."""
        content = self.class_in(parts["content"][0], f"one {name}") if parts["content"] else None
        if content is None:
            return IRI(""), ()
        if content.name != name:
            if {content.name, name} == {"Atom", "Expr"}:
                message = f"the content of this External is {name}, not {content.name}"
                hint = "functions are Expr, in terms; predicates are Atom, in formulas"
                self.note(MisplacedElement(message, content.span, hint))
            else:
                self.refuse(content, name)
            return IRI(""), ()
        inner = self.parts(content)
        self._warn_of_annotation(inner, describe_element(content))
        op, args = self.application(inner)
        if not isinstance(op, IRI):
            message = "External takes the name of a built-in"
            self.note(NotAPredicate(message, content.span))
            op = IRI("")
        return op, args

    def application(self, parts: Parts) -> tuple[GroundTerm, tuple[ast.Term, ...]]:
        """The name in an Atom or Expr, and its arguments."""
        return self._op(parts["op"]), self.terms_in(parts["args"])

    def function_term(self, element: Element, parts: Parts) -> ast.Term:
        """Expr outside of External, which RIF-Core does not have; read for its faults."""
        self._warn_of_annotation(parts, describe_element(element))
        op, _ = self.application(parts)
        self.note(FunctionTerm.of(str(op), element.span))
        return ast.Constant(_NO_TERM)

    def _op(self, roles: Sequence[Element]) -> GroundTerm:
        """The name of a predicate or function."""
        name = self.class_in(roles[0], "one Const") if roles else None
        if name is None:
            return _NO_TERM
        if name.name != "Const":
            message = f"{describe_element(name)} cannot stand for a predicate"
            self.note(NotAPredicate(message, name.span))
            return _NO_TERM
        self._warn_of_annotation(self.parts(name), "the name of a predicate or function")
        value = self.constant(name)
        if not isinstance(value, IRI | Local):
            message = f"{shorten(str(value))} cannot stand for a predicate"
            self.note(NotAPredicate(message, name.span))
        return value

    # Frame

    def frame(self, element: Element, parts: Parts) -> ast.Frame:
        """Frame."""
        slots = tuple([self._slot(slot) for slot in parts["slot"]])
        target = self.term_in(parts["object"])
        return ast.Frame(target, slots, meta=self.meta(parts), span=element.span)

    def _slot(self, element: Element) -> tuple[ast.Term, ast.Term]:
        terms = [self.term(child) for child in self.classes_in(element, "a key and a value")]
        if len(terms) != 2 and terms:  # noqa: PLR2004 - a key and a value
            message = f"a slot has a key and a value, here are {len(terms)} terms"
            self.note(MisplacedElement(message, element.span))
        terms += [ast.Constant(_NO_TERM)] * 2
        return terms[0], terms[1]

    # IRIMETA

    def meta(self, parts: Parts) -> ast.Meta | None:
        """The annotation in ``id`` and ``meta``, if there is any."""
        ids, metas = parts["id"], parts["meta"]
        if not ids and not metas:
            return None
        iri = self._identifier(ids[0]) if ids else None
        frames = self._frames(metas[0]) if metas else ()
        if iri is None and not frames:
            return None
        first, last = (ids or metas)[0], (metas or ids)[0]
        span = Span(first.line, first.column, last.end_line, last.end_column)
        return ast.Meta(iri, frames, span=span)

    def _identifier(self, element: Element) -> GroundTerm | None:
        child = self.class_in(element, "one Const")
        if child is None:
            return None
        if child.name != "Const":
            self.refuse(child, "Const")
            return None
        value = self.constant(child)
        self.text_in(child)
        if not isinstance(value, IRI):
            message = "an annotation is identified by an IRI"
            self.note(BadAnnotation(message, child.span, 'its Const is of type "…rif#iri"'))
        return value

    def _frames(self, element: Element) -> tuple[ast.Frame, ...]:
        children = [self.class_in(element, "one Frame, or And of such")]
        if children[0] is not None and children[0].name == "And":
            members = self.parts(children[0], {"formula": (0, MANY)})["formula"]
            children = [self.class_in(member, "one Frame") for member in members]
        frames = []
        for child in filter(None, children):
            if child.name == "Frame":
                frames.append(self.frame(child, self.parts(child)))
            else:
                message = f"{describe_element(child)} in an annotation"
                self.note(BadAnnotation(message, child.span, "it is one Frame, or And of such"))
        return tuple(frames)

    def _warn_of_annotation(self, parts: Parts, what: str) -> None:
        """Warn that the syntax tree has no place for an annotation."""
        for element in (*parts["id"], *parts["meta"]):
            message = f"the annotation of {what} is not kept"
            hint = "it has no meaning; annotate what is around it"
            self.note(BadAnnotation(message, element.span, hint, "warning"))


_TERMS: Mapping[str, Callable[[TermReader, Element, Parts], ast.Term]] = {
    "Const": TermReader.const,
    "Var": TermReader.var,
    "List": TermReader.list_term,
    "External": TermReader.external_term,
    "Expr": TermReader.function_term,
}
