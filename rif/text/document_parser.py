"""Documents, groups, rules and clauses: one function a production [RIF-Core], [CoDeR]."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

from rif.checks.dialect import check_fact, check_head_members, declare_free_variables
from rif.errors.base import MAX_FAULTS
from rif.errors.report import shorten
from rif.errors.syntax import BadAnnotation, Misplaced, PrefixTwice, Shorthand, UnexpectedToken
from rif.language import Language
from rif.syntax import ast
from rif.syntax.iri import is_absolute, resolve
from rif.text import hints
from rif.text.cursor import UnreadableClause
from rif.text.formula_parser import FormulaParser
from rif.text.lexer import END, tokenise
from rif.text.shorthand import decide_equations, quantify

T = TypeVar("T")

_ORDER = ("Base", "Prefix", "Import", "Window", "Group")
_DIRECTIVES = frozenset((*_ORDER, "Forall"))
_SHORT_DIRECTIVES = frozenset(("@prefix", "@base", "@window", "@import"))
_PLAIN_DIRECTIVES = frozenset(("PREFIX", "BASE", "prefix", "base"))
"""As Turtle and SPARQL have them, without a full stop."""
_FIRST_WORDS = _PLAIN_DIRECTIVES | {"Forall", "If", "And"}
_FIRST_TOKENS = frozenset(("var", "curie", "iri", "local", "string", "number"))
"""What clauses begin with; what else has no Document( … ) is no rules."""


class DocumentParser(FormulaParser):
    """Reads documents, and rules without a document.

    Attributes:
        is_clauses: Is the document one of clauses alone, without Document( … )?
        extents: The first token of each directive, clause and group → the token behind its last.
    """

    __slots__ = ("_base_given", "_group", "_imports", "_window", "extents", "is_clauses")

    def __init__(
        self,
        text: str,
        prefixes: Mapping[str, str],
        base: str | None,
        language: Language,
        *,
        lenient: bool,
    ) -> None:
        tokens = tokenise(text, strict=language.strict)
        super().__init__(tokens, prefixes, base, language, lenient=lenient)
        self.lifted = []
        self.is_clauses = False
        self.extents: dict[int, int] = {}
        self._imports: list[ast.Import] = []
        self._window: ast.Window | None = None
        self._group: ast.Group | None = None
        self._base_given = False

    def read_all(self, read: Callable[[], T]) -> T | None:
        """The result of ``read`` over all of the text; None if it gives up."""
        if len(self.tokens.faults) >= MAX_FAULTS or (self.kind == END and self.tokens.faults):
            return None
        try:
            result = read()
        except UnreadableClause:
            return None
        if self.kind != END and len(self.faults) < MAX_FAULTS:
            self._read_rest()
        return result

    def _read_rest(self) -> None:
        """Report text behind the end; rules there are read for their faults."""
        message = f"the text should end here, found {shorten(self.values[self.at])}"
        hint = "is there a closing bracket too many before?"
        self.clause = self.at
        with suppress(UnreadableClause):
            self.note(UnexpectedToken(message, self.here(), hint))
            if self.is_name("Forall"):
                self.group_items(END)

    # Document

    def document(self) -> ast.Document:
        """Document: its directives, then its group."""
        first = self.at
        while self.kind == "(*":
            self.skip_meta()
        if not self.is_name("Document") and self._begins_clauses():
            if self.strict:
                self.fail(Shorthand("a document without Document( … ) is shorthand", self.here()))
            self.at = first
            return self._clauses()
        if not self.is_name("Document"):
            hint = (
                "a document is rules and facts, each ended by a full stop, or Document( … ); of the"
                " arguments of a command the rules come first, and the data after them"
            )
            near = hints.near_word(self.values[self.at], self.language)
            self.fail_unexpected("expected Document", near or hint)
        self.at += 1
        opened = self.open()
        self._directives()
        self.clause = self.at
        self.close_or_recover(opened)
        end, self.at = self.at, first
        metas: list[ast.Meta] = []
        with suppress(UnreadableClause):  # read last: the prefixes hold for annotations too
            metas = self.metas()
        self.at = end
        return ast.Document(
            self.base,
            tuple(self.prefixes.items()),
            tuple(self._imports),
            self._window,
            self._group,
            meta=self._single_annotation(metas, "a document"),
            span=self.since(first),
        )

    def _begins_clauses(self) -> bool:
        """Does a document of clauses alone come next, behind annotations?"""
        kind, value = self.kind, self.values[self.at]
        if kind == "lang":
            return value in _SHORT_DIRECTIVES
        if kind == "name":
            return value in _FIRST_WORDS or value in self.language.by_keyword
        if self.strict and kind in {"#", "##"}:  # a comment
            return True
        return kind in _FIRST_TOKENS

    def _clauses(self) -> ast.Document:
        """A document of clauses alone: directives, then clauses, each ended by a full stop."""
        first = self.at
        self.is_clauses = True
        while self._begins_directive():
            start = self.clause = self.at
            try:
                self._short_directive(start)
                self.extents[start] = self.at
            except UnreadableClause:
                self.recover(start)
        begin = self.at
        items = self.group_items(END)
        self._group = ast.Group(tuple(items), span=self.since(begin))
        return ast.Document(
            self.base,
            tuple(self.prefixes.items()),
            tuple(self._imports),
            self._window,
            self._group,
            span=self.since(first),
        )

    def _begins_directive(self) -> bool:
        value = self.values[self.at]
        if self.kind == "lang":
            return value in _SHORT_DIRECTIVES
        return self.kind == "name" and value in _PLAIN_DIRECTIVES

    def _short_directive(self, first: int) -> None:
        """``@prefix ex: <…> .``, ``PREFIX ex: <…>`` and their like."""
        word = self.values[self.at].removeprefix("@").lower()
        ends = self.kind == "lang"
        self.at += 1
        if word == "prefix":
            self._declare_prefix(self._short_name())
        elif word == "base":
            if self._base_given:
                self.note(Misplaced("the base is given twice", self.since(first)))
            self.base, self._base_given = self._iri("an IRI"), True
        elif word == "import":
            location = self._location()
            profile = self._iri("the IRI of a profile") if self.kind == "iri" else None
            self._imports.append(ast.Import(location, profile, span=self.since(first)))
        else:
            if self._window is not None:
                self.note(Misplaced("the window is given twice", self.since(first)))
            self._window = ast.Window(*self.duration(), span=self.since(first))
        if ends:
            self.expect(".", f"behind @{word}")
        else:
            self.accept(".")

    def _short_name(self) -> str:
        """The name of a prefix, with its colon."""
        if self.kind != "curie" or not self.values[self.at].endswith(":"):
            self.fail_unexpected("expected the name of a prefix", "it is written ex:")
        self.at += 1
        return self.values[self.at - 1][:-1]

    def _directives(self) -> None:
        rank = 0
        while self.kind not in {")", END}:
            start = self.clause = self.at
            depth = self.depth
            try:
                rank = self._directive(rank)
                self.extents[start] = self.at
            except UnreadableClause:
                self.depth = depth
                self.recover(start, _DIRECTIVES)

    def _directive(self, rank: int) -> int:
        """Read one; returns its rank in `_ORDER`, which must not be below ``rank``."""
        first = self.at
        metas = self.metas()
        word = "Window" if self.kind == "number" else self.values[self.at]
        if self.kind not in {"name", "number"} or word not in _ORDER:
            self._outside_group(first)
            return rank
        here = _ORDER.index(word)
        given = {"Base": self._base_given, "Window": self._window, "Group": self._group}
        if here < rank or (here == rank and given.get(word)):
            self.note(Misplaced(f"{word} cannot stand here", self.here()))
        if metas and word not in {"Import", "Group"}:
            self.note(BadAnnotation(f"{word} has no annotation", metas[0].span))
        _READ[word](self, metas, first)
        return max(rank, here)

    def _outside_group(self, first: int) -> None:
        """A rule that no group holds; it is read for its faults."""
        if (self.kind == "name" and self.values[self.at] in {"Forall", "If"}) or self._group:
            hint = "is there a closing bracket too many before?" if self._group else None
            self.note(UnexpectedToken("rules stand inside Group( … )", self.here(), hint))
            self.at = first
            self.group_items(")")
            if self.kinds[self.at : self.at + 2] == [")", ")"]:
                self.at += 1
        else:
            hint = hints.near_word(self.values[self.at], self.language)
            hint = hint or "rules and facts stand inside Group( … )"
            self.fail_unexpected("expected Base, Prefix, Import, Window, Group or )", hint)

    def read_base(self, _metas: list[ast.Meta], _first: int) -> None:
        """Base: ``Base( <iri> )``."""
        self.at += 1
        opened = self.open()
        self.base = self._iri("an IRI")
        self._base_given = True
        self.close(opened)

    def read_prefix(self, _metas: list[ast.Meta], _first: int) -> None:
        """Prefix: ``Prefix( name <iri> )``."""
        self.at += 1
        opened = self.open()
        at = self.at
        if self.kind not in {"name", "local"}:
            self.fail_unexpected("expected the name of a prefix", "it is written without a colon")
        self.at += 1
        self._declare_prefix(self.values[at])
        self.close(opened)

    def _declare_prefix(self, name: str) -> None:
        at = self.at - 1
        namespace = self._iri("the IRI of the prefix")
        if self.prefixes.setdefault(name, namespace) != namespace:
            message = f"the prefix {shorten(name)} is declared with two IRIs"
            self.note(PrefixTwice(message, self.since(at)))

    def read_import(self, metas: list[ast.Meta], first: int) -> None:
        """Import: ``Import( <location> <profile>? )``."""
        self.at += 1
        opened = self.open()
        location = self._location()
        profile = None if self.kind == ")" else self._iri("the IRI of a profile")
        self.close(opened)
        meta = self._single_annotation(metas, "an import")
        self._imports.append(ast.Import(location, profile, meta=meta, span=self.since(first)))

    def read_window(self, _metas: list[ast.Meta], first: int) -> None:
        """Window: ``Window( 5 s )``, or ``5 s`` alone."""
        if self.kind == "number":
            amount, unit = self.duration()
        else:
            self.at += 1
            opened = self.open()
            amount, unit = self.duration()
            self.close(opened)
        self._window = ast.Window(amount, unit, span=self.since(first))

    def _iri(self, what: str) -> str:
        """ANGLEBRACKIRI."""
        if self.kind != "iri":
            hint = hints.in_brackets(self.tokens, self.at)
            self.fail_unexpected(f"expected {what} in angle brackets", hint)
        self.at += 1
        return self.absolute(self.at - 1).value

    def _location(self) -> str:
        """ANGLEBRACKIRI of an import; without a Base it may be relative, and then stays so.

        A constant may not: what it names must not depend on where the document lies.
        """
        if self.kind == "iri" and self.base is None:
            relative = self.values[self.at][1:-1]
            if not is_absolute(relative) and is_absolute(resolve(relative, "file:///")):
                self.at += 1
                return relative
        return self._iri("the IRI of a document")

    def _single_annotation(self, metas: list[ast.Meta], what: str) -> ast.Meta | None:
        """The annotation of ``what``, which can have one only."""
        if len(metas) > 1:
            self.note(BadAnnotation(f"{what} has one annotation only", metas[1].span))
        return metas[0] if metas and not metas[0].is_empty else None

    # Group

    def read_group(self, metas: list[ast.Meta], first: int) -> None:
        """Group, of the document."""
        self._group = self.group(metas, first)

    def group(self, metas: list[ast.Meta], first: int) -> ast.Group:
        """Group: ``Group( (RULE or Group)* )``, the parser standing before the word."""
        self.expect_name("Group")
        opened = self.open()
        items = self.group_items(")")
        self.clause = self.at
        self.close_or_recover(opened)
        meta = self._single_annotation(metas, "a group")
        return ast.Group(tuple(items), meta=meta, span=self.since(first))

    def group_items(self, closing: str) -> list[ast.Rule | ast.Group]:
        """(RULE or Group)*; those with faults are left out."""
        items: list[ast.Rule | ast.Group] = []
        while self.kind not in {closing, END}:
            start = self.clause = self.at
            depth, faults = self.depth, len(self.faults)
            try:
                item = self._group_item()
                self._full_stop()
                self.extents[start] = self.at
            except UnreadableClause:
                self.depth = depth
                self.recover(start)
                continue
            if isinstance(item, ast.Group) or (
                len(self.faults) == faults and not self._has_lexical_fault(start)
            ):
                items.append(item)
        return items

    def _group_item(self) -> ast.Rule | ast.Group:
        first = self.at
        metas = self.metas()
        if self.is_name("Group"):
            return self.group(metas, first)
        rule = self.forall(metas, first) if self.is_name("Forall") else self.clause_of(metas, first)
        if not self.strict:
            rule = quantify(rule)
        if self.is_clauses:
            rule = decide_equations(rule, self.language)
        return declare_free_variables(rule, self.note) if self.lenient else rule

    def _full_stop(self) -> None:
        """The full stop behind a clause, which may be missing within Document( … )."""
        if self.is_clauses:
            if self.kind != ".":
                self.fail_unexpected("expected . behind the clause", self._clause_hint())
            self.at += 1
        elif self.kind == ".":
            self.at += 1
            self.shorthand("a full stop", self.at - 1)

    def _clause_hint(self) -> str | None:
        """A hint for what stands where a clause should end."""
        if self.kind == ",":
            return "a head of several members is And( … ); conditions stand behind :-"
        return hints.of_token(self.tokens, self.at, self.language) or (
            "a clause ends with a full stop and a blank; conditions are separated by commas"
        )

    def _has_lexical_fault(self, start: int) -> bool:
        starts, faults = self.tokens.starts, self.tokens.fault_starts
        return bisect_left(faults, starts[start]) < bisect_left(faults, starts[self.at])

    # RULE, CLAUSE

    def forall(self, metas: list[ast.Meta], first: int) -> ast.Forall:
        """RULE: ``Forall Var+ ( CLAUSE )``, the parser standing before the word."""
        self.expect_name("Forall")
        variables = self.variables()
        opened = self.open()
        inner = self.at
        clause = self.clause_of(self.metas(), inner)
        self.close(opened)
        meta = self._single_annotation(metas, "a rule")
        return ast.Forall(variables, clause, meta=meta, span=self.since(first))

    def clause_of(self, metas: list[ast.Meta], first: int) -> ast.Implies | ast.Formula:
        """CLAUSE: Implies or ATOMIC, behind its annotations."""
        if self.is_name("If"):
            return self._if_then(metas, first)
        at = self.at
        if not self.begins_formula():
            self.fail_unexpected("expected a rule or a fact", self._arrow_hint())
        formula = self.bare_formula()
        if self.accept(":-"):
            formula = self.annotate(formula, metas[1:], at)
            head = check_head_members(formula, self.note)
            body = self.conjunction()
            meta = self._single_annotation(metas[:1], "a rule")
            return ast.Implies(head, body, meta=meta, span=self.since(first))
        check_fact(formula, self.note)
        return self.annotate(formula, metas, first)

    def _arrow_hint(self) -> str | None:
        if self.kind == "lang" and self.values[self.at] in _SHORT_DIRECTIVES:
            return "directives such as @prefix stand before all clauses"
        if self.kind in {"#", "##"}:
            return "a comment is written (* … *), or begins a line with #"
        return "is there a closing bracket too many before?" if self.kind == ":-" else None

    def _if_then(self, metas: list[ast.Meta], first: int) -> ast.Implies:
        """``If FORMULA Then head``: the other way round of writing Implies."""
        self.expect_name("If")
        body = self.conjunction()
        self.expect_name("Then")
        head = check_head_members(self.needed_formula("a head"), self.note)
        meta = self._single_annotation(metas, "a rule")
        return ast.Implies(head, body, meta=meta, span=self.since(first))


_READ: Mapping[str, Callable[[DocumentParser, list[ast.Meta], int], None]] = {
    "Base": DocumentParser.read_base,
    "Prefix": DocumentParser.read_prefix,
    "Import": DocumentParser.read_import,
    "Window": DocumentParser.read_window,
    "Group": DocumentParser.read_group,
}
