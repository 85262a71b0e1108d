"""Rule texts in one layout, with all their comments.

``?x[ex:hot->1]:-?x # ex:Oven.   (* why *)`` becomes ``?x[ex:hot -> 1] :- ?x # ex:Oven. (* why *)``.
Clauses alone are laid out as by `rif.text.readable_writer`, what stands in ``Document( … )`` as by
`rif.text.writer`. A comment keeps its place among directives and clauses: on the line of the one
before it, or on a line of its own. A clause or directive with a comment inside stays as it is
written. Of blank lines one is kept; one stands behind the directives of clauses alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from rif.language import CORE, Language
from rif.syntax import ast
from rif.text.document_parser import DocumentParser
from rif.text.parser import parse, parse_with_tokens
from rif.text.readable_writer import ReadableWriter, as_clause
from rif.text.writer import Lines, TextWriter, indent

_LINE_END = re.compile(r"\r\n|\r|\n")
_WITHOUT_STOP = frozenset(("prefix", "base"))
"""Directives that Turtle and SPARQL write without a full stop, in small letters."""


def format_text(text: str, *, name: str = "<text>", language: Language = CORE) -> str:
    """A document in that layout; its line ends are those of its first line. Linear.

    It is the same document, and stays as it is the next time.

    Raises:
        RuleErrors: the text is no document; all its faults. Checks are left out.
    """
    first = _LINE_END.search(text)
    parsed, parser = parse_with_tokens(
        _LINE_END.sub("\n", text), name=name, check=False, language=language
    )
    layout = _Layout(parser, parsed.document, language)
    if parser.is_clauses:
        layout.clauses()
    else:
        layout.document()
    result = layout.text()
    assert parse(result, check=False, language=language).document == parsed.document
    return result if first is None else result.replace("\n", first[0])


class _Layout:
    """The lines up to a place of the text.

    Attributes:
        lines: Those so far.
        at: The offset up to which the text is in them.
        joins: May a comment stand behind the last line?
        parts: Does a blank line follow, whether the text has one or not?
    """

    __slots__ = (
        "_comments", "_document", "_language", "_parser", "_text", "_tokens", "_writer",
        "at", "joins", "lines", "parts",
    )  # fmt: skip

    def __init__(self, parser: DocumentParser, document: ast.Document, language: Language) -> None:
        self._parser = parser
        self._tokens = parser.tokens
        self._text = parser.tokens.text
        self._comments = parser.tokens.comments
        self._document = document
        self._language = language
        self._writer = (
            ReadableWriter(document, language)
            if parser.is_clauses
            else TextWriter(dict(document.prefixes), language)
        )
        self.lines: Lines = []
        self.at = 0
        self.joins = False
        self.parts = False

    def text(self) -> str:
        """All of it, with what stands behind the last token."""
        self._reach(len(self._text), 0)
        self._drop_blank()
        return "\n".join(self.lines) + "\n"

    # documents

    def clauses(self) -> None:
        """Directives and clauses without a document."""
        group = self._document.group
        items = iter(group.items if group is not None else ())
        before = False
        for first, end in self._members(0, len(self._tokens.kinds)):
            is_directive = self._is_short_directive(first)
            self.parts = before and not is_directive
            before = is_directive
            lines = self._short_directive(first, end) if is_directive else self._item(next(items))
            self._part(first, end, 0, lines)

    def document(self) -> None:
        """``Document( … )``."""
        imports = iter(self._document.imports)
        word = self._open("Document", 0, 0, self._document.meta)
        for first, end in self._members(word + 2, len(self._tokens.kinds)):
            at = self._behind_annotations(first)
            if self._tokens.values[at] == "Group":
                assert self._document.group is not None
                self._group(self._document.group, first, end, 1)
            else:
                is_import = self._tokens.values[at] == "Import"
                self._part(first, end, 1, self._directive(at, end, imports if is_import else None))
        self._close(len(self._tokens.kinds) - 1, 0)

    def _group(self, group: ast.Group, first: int, end: int, level: int) -> None:
        word = self._open("Group", first, level, group.meta)
        for item, (begin, stop) in zip(group.items, self._members(word + 2, end), strict=True):
            if isinstance(item, ast.Group):
                self._group(item, begin, stop, level + 1)
            else:
                self._part(begin, stop, level + 1, self._item(item))
        self._close(end, level)

    def _members(self, at: int, end: int) -> Iterator[tuple[int, int]]:
        """Directives, clauses and groups from token ``at`` on, without those inside of groups."""
        extents = self._parser.extents
        while at < end:
            if at in extents:
                yield at, extents[at]
            at = extents.get(at, at + 1)

    # parts

    def _item(self, item: ast.Rule | ast.Group) -> Lines | None:
        """A clause as it is written here; None: it stays as it is."""
        if not isinstance(self._writer, ReadableWriter):
            return self._writer.item(item)
        clause = None if isinstance(item, ast.Group) else as_clause(item, self._language)
        return None if clause is None else self._writer.item(clause)

    def _is_short_directive(self, token: int) -> bool:
        kind, value = self._tokens.kinds[token], self._tokens.values[token]
        return kind == "lang" or (kind == "name" and value.lower() in _WITHOUT_STOP)

    def _short_directive(self, first: int, end: int) -> Lines:
        """A directive as ``@prefix ex: <…> .``."""
        word, *rest = self._tokens.values[first:end]
        if rest[-1] != ".":
            rest.append(".")
        return [" ".join([f"@{word.removeprefix('@').lower()}", *rest])]

    def _behind_annotations(self, token: int) -> int:
        """The first token behind the annotations that begin at ``token``."""
        kinds = self._tokens.kinds
        depth = 0
        while depth or kinds[token] == "(*":
            depth += (kinds[token] == "(*") - (kinds[token] == "*)")
            token += 1
        return token

    def _directive(self, at: int, end: int, imports: Iterator[ast.Import] | None) -> Lines:
        """``Prefix(ex <…>)``, the word being token ``at``; ``imports``: the next is this one."""
        values = self._tokens.values
        if self._tokens.kinds[at] == "number":
            return [f"Window({' '.join(values[at:end])})"]
        meta = next(imports).meta if imports is not None else None
        line = f"{values[at]}({' '.join(values[at + 2 : end - 1])})"
        return [line] if meta is None else [self._writer.meta(meta), line]

    # layout

    def _part(self, first: int, end: int, level: int, lines: Lines | None) -> None:
        """Tokens from ``first`` up to ``end`` as these lines, or as they are."""
        starts, values = self._tokens.starts, self._tokens.values
        begin, stop = starts[first], starts[end - 1] + len(values[end - 1])
        self._reach(begin, level)
        at = bisect_left(self._comments, (begin, begin))
        if lines is None or (at < len(self._comments) and self._comments[at][0] < stop):
            lines = [_indented(self._text[begin:stop], level)]
        else:
            lines = [_indented(line, level) for line in lines]
        self.lines += lines
        self.at, self.joins = stop, True

    def _open(self, word: str, first: int, level: int, meta: ast.Meta | None) -> int:
        """``Group(`` with its annotation, whose first token is ``first``; the token of the word."""
        token = self._behind_annotations(first)
        assert self._tokens.values[token] == word
        behind = self._tokens.starts[token + 1] + 1
        self._reach(self._tokens.starts[first], level)
        for begin, end in self._comments_before(behind):
            self._comment(self._text[begin:end], level)
        lines = [] if meta is None else [self._writer.meta(meta)]
        self.lines += [_indented(line, level) for line in (*lines, f"{word}(")]
        self.at, self.joins = behind, False
        return token

    def _close(self, end: int, level: int) -> None:
        """The last closing bracket before token ``end``; the comments before it stay so."""
        token = end - 1
        while self._tokens.kinds[token] != ")":  # a full stop may stand behind it
            token -= 1
        begin = self._tokens.starts[token]
        self._reach(begin, level + 1)
        self._drop_blank()
        self.lines.append(_indented(")", level))
        self.at, self.joins = begin + 1, True

    def _reach(self, offset: int, level: int) -> None:
        """The comments up to ``offset``, and a blank line where there is one, or is to be."""
        for begin, end in self._comments_before(offset):
            breaks = self._text.count("\n", self.at, begin)
            comment = self._text[begin:end]
            if breaks == 0 and self.joins:
                self.lines[-1] += f" {comment}"
            else:
                self._blank(breaks)
                self._comment(comment, level)
            self.at, self.joins = end, True
        self._blank(self._text.count("\n", self.at, offset))

    def _comment(self, comment: str, level: int) -> None:
        self.lines.append(comment if comment[0] == "#" else _indented(comment, level))

    def _comments_before(self, offset: int) -> Sequence[tuple[int, int]]:
        first = bisect_left(self._comments, (self.at, self.at))
        return self._comments[first : bisect_left(self._comments, (offset, offset))]

    def _blank(self, breaks: int) -> None:
        """A blank line where the text has one, or one is to be; none behind a bracket."""
        if (breaks > 1 or self.parts) and self.joins and self.lines[-1]:
            self.lines.append("")
        self.parts = False

    def _drop_blank(self) -> None:
        if self.lines and not self.lines[-1]:
            self.lines.pop()


def _indented(line: str, level: int) -> str:
    for _ in range(level):
        (line,) = indent([line])
    return line
