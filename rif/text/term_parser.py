"""Terms, frames and annotations: one function a production [RIF-Core, presentation syntax]."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from rif.builtins import DTB
from rif.checks.dialect import make_list_term
from rif.errors.dialect import FunctionTerm, ListNotGround, NotAPredicate
from rif.errors.report import shorten
from rif.errors.syntax import BadAnnotation, CommaBetween
from rif.syntax import ast
from rif.syntax.terms import IRI, GroundTerm
from rif.text import hints
from rif.text.constant_parser import ConstantParser
from rif.text.lexer import END

_Item = TypeVar("_Item")

_TERM_BEGINS = frozenset({"var", "curie", "iri", "string", "number", "local", "name", "(*", "("})
_NO_TERM = frozenset(("And", "Or", "Exists", "Forall", "If", "Then", "Group", "Document", "not"))


class TermParser(ConstantParser):
    """Reads terms."""

    __slots__ = ()

    # TERM

    def begins_term(self) -> bool:
        """Can the next token begin a term?"""
        kind = self.kinds[self.at]
        return kind in _TERM_BEGINS and (kind != "name" or self.values[self.at] not in _NO_TERM)

    def term(self) -> ast.Term:
        """TERM: a constant, variable, list or external function, with its annotation."""
        if self.kinds[self.at] != "(*":
            return self.bare_term()
        metas = self.metas()
        term = self.bare_term()
        return self.annotate_term(term, metas)

    def bare_term(self) -> ast.Term:
        """A term without annotation in front."""
        at = self.at
        term = self.plain_term()
        if self.kinds[self.at] == "(" and type(term) is ast.Constant:
            if self.is_builtin(term.value):
                assert isinstance(term.value, IRI)
                return ast.ExternalTerm(term.value, self.terms(), span=self.since(at))
            self._function_term(at)
        return term

    def is_builtin(self, name: GroundTerm) -> bool:
        """Is it the name of a built-in, which needs no External in shorthand?"""
        if self.strict or type(name) is not IRI:
            return False
        return name.value in DTB or name.value in self.language.builtins

    def bracketed_expression(self) -> ast.Term:
        """An expression in brackets."""
        raise NotImplementedError

    def plain_term(self) -> ast.Term:
        """A term that is no function term."""
        at = self.at
        kind = self.kinds[at]
        if kind == "var":
            self.at = at + 1
            return ast.Var(self.variable_name(at), span=self.tokens.span(at, at))
        if kind == "name" and self.kinds[at + 1] == "(":
            word = self.values[at]
            if word == "List":
                return self.list_term()
            if word == "External":
                return self.external()
        if kind == "(":
            return self.bracketed_expression()
        value = self.constant()
        return ast.Constant(value, span=self.tokens.span(at, self.at - 1))

    def annotate_term(self, term: ast.Term, metas: list[ast.Meta]) -> ast.Term:
        """``term`` with the one annotation it may have."""
        if len(metas) > 1:
            self.note(BadAnnotation("a term has one annotation only", metas[1].span))
        return replace(term, meta=metas[0]) if metas and not metas[0].is_empty else term

    def needed_term(self) -> ast.Term:
        """A term, which must come next."""
        if not self.begins_term():
            self.fail_unexpected("expected a term")
        return self.term()

    def terms(self) -> tuple[ast.Term, ...]:
        """``( TERM* )``, brackets and all."""
        return self.bracketed(self.begins_term, self.term)

    def bracketed(self, begins: Callable[[], bool], item: Callable[[], _Item]) -> tuple[_Item, ...]:
        """``( ITEM* )``: each ``item`` that ``begins``, with commas between them or none."""
        return self._items(self.open(), begins, item)

    def _items(
        self, opened: int, begins: Callable[[], bool], item: Callable[[], _Item]
    ) -> tuple[_Item, ...]:
        """What stands behind the bracket at token ``opened``, with the bracket that closes it."""
        found: list[_Item] = []
        while True:
            if begins():
                found.append(item())
            elif self.kinds[self.at] == ",":
                self.separator()
            else:
                self.close(opened)
                return tuple(found)

    def separator(self) -> None:
        """Take a comma that is as good as a blank."""
        if self.strict:
            self.comma()
        else:
            self.at += 1

    def comma(self) -> None:
        """Take a comma that should not be there."""
        self.note(CommaBetween("unexpected comma", self.here()))
        self.at += 1

    def _function_term(self, first: int) -> None:
        """``f(…)`` where a term is due: its arguments are read, and given up."""
        if self.begins_clause(first):
            self.at = first
            self.fail_unexpected("expected a term", hints.missing_before(self.tokens, first))
        self.terms()
        self.note(FunctionTerm.of(self.values[first], self.since(first)))

    # List

    def list_term(self) -> ast.Term:
        """List: ``List( GROUNDTERM* )``; a plain constant unless it needs evaluation."""
        first = self.at
        self.expect_name("List")
        opened = self.open()
        items: list[ast.Term] = []
        while self.begins_term() or self.kinds[self.at] in {",", "|"}:
            if self.kinds[self.at] == ",":
                self.separator()
            elif self.kinds[self.at] == "|":
                self.note(ListNotGround("an open list, with a tail", self.here()))
                self.at += 1
            else:
                items.append(self.term())
        self.close(opened)
        return make_list_term(items, self.since(first), self.note)

    # External

    def external(self) -> ast.ExternalTerm:
        """``External( Const( TERM* ) )``, as a term; the caller may make a formula of it."""
        first = self.at
        self.expect_name("External")
        outer = self.open()
        at = self.at
        if self.kinds[at] not in _TERM_BEGINS:
            self.fail_unexpected("expected the name of a built-in")
        if self.kinds[at] == "var" or self.is_name("List"):
            self.fail(NotAPredicate("External takes the name of a built-in", self.here()))
        op = self.constant()
        if not isinstance(op, IRI):
            message = f"{shorten(self.values[at])} is no name of a built-in"
            self.note(NotAPredicate(message, self.since(at)))
            op = IRI("")
        args = self.terms()
        self.close(outer)
        return ast.ExternalTerm(op, args, span=self.since(first))

    # Frame

    def slots(self) -> tuple[tuple[ast.Term, ast.Term], ...]:
        """``[ (TERM -> TERM)* ]``, the parser standing before the bracket."""
        self.expect("[")
        return self._items(self.at - 1, self.begins_term, self._slot)

    def _slot(self) -> tuple[ast.Term, ast.Term]:
        key = self.term()
        if self.kinds[self.at] != "->":
            self.fail_unexpected("expected -> and a value", hints.SLOT)
        self.at += 1
        return key, self.needed_term()

    # IRIMETA

    def metas(self) -> list[ast.Meta]:
        """IRIMETA*: all annotations that stand here, outermost first."""
        metas: list[ast.Meta] = []
        while self.kinds[self.at] == "(*":
            metas.append(self.meta())
        return metas

    def meta(self) -> ast.Meta:
        """IRIMETA: ``(* IRICONST? (Frame or And( Frame* ))? *)``."""
        first = self.at
        self.expect("(*")
        self.deeper()
        iri: GroundTerm | None = None
        if self.kinds[self.at] in {"iri", "curie", "string", "local"} and not self._is_object():
            at = self.at
            iri = self.constant()
            if not isinstance(iri, IRI):
                message = "an annotation is identified by an IRI"
                self.note(BadAnnotation(message, self.since(at)))
        frames: list[ast.Frame] = []
        if self.opens("And"):
            self.at += 1
            opened = self.open()
            while self.begins_term():
                frames.append(self.frame())
            self.close(opened)
        elif self.kinds[self.at] != "*)":
            frames.append(self.frame())
        if self.kinds[self.at] != "*)":
            self.fail_unexpected("expected *)", BadAnnotation.default_hint)
        self.at += 1
        self.depth -= 1
        return ast.Meta(iri, tuple(frames), span=self.since(first))

    def skip_meta(self) -> None:
        """Pass over an annotation unread."""
        depth = 0
        while self.kinds[self.at] != END:
            depth += (self.kinds[self.at] == "(*") - (self.kinds[self.at] == "*)")
            self.at += 1
            if depth == 0:
                return
        self.fail_unexpected("expected *)", BadAnnotation.default_hint)

    def _is_object(self) -> bool:
        """Is the constant that comes next followed by ``[``?"""
        at = self.at + 1
        if self.kinds[at] in {"^^", "lang"}:
            at += 1 if self.kinds[at] == "lang" else 2
        return self.kinds[min(at, len(self.kinds) - 1)] == "["

    def frame(self) -> ast.Frame:
        """Frame, in an annotation: ``TERM [ … ]``, with annotations of its own."""
        first = self.at
        metas = self.metas()
        if not self.begins_term():
            self.fail_unexpected("expected a frame", BadAnnotation.default_hint)
        target = self.annotate_term(self.plain_term(), metas[1:])
        frame = ast.Frame(target, self.slots(), span=self.since(first))
        return replace(frame, meta=metas[0]) if metas and not metas[0].is_empty else frame
