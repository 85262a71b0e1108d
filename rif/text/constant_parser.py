"""Constants and variables, in all their spellings [RIF-DTB 2; SPARQL, for names and numbers]."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from rif.checks.dialect import OTHER_DIALECTS
from rif.errors.dialect import AGGREGATE_FORM, OtherDialect, is_aggregate
from rif.errors.nearest import nearest_word
from rif.errors.report import shorten
from rif.errors.syntax import BadEscape, BadIri, BareWord, UnexpectedToken, UnknownPrefix
from rif.language import Language
from rif.syntax.iri import is_absolute, resolve
from rif.syntax.terms import (
    BUILTIN_PREFIXES,
    CUSTOMARY_PREFIXES,
    ESCAPED_CHARACTERS,
    IRI,
    RDF_LANG_STRING,
    XSD,
    GroundTerm,
    Literal,
    Local,
    Variable,
)
from rif.text import hints
from rif.text.cursor import Cursor
from rif.text.lexer import Tokens
from rif.values.symbol_spaces import constant_of

_XSD_INTEGER = XSD + "integer"
_XSD_DECIMAL = XSD + "decimal"
_XSD_DOUBLE = XSD + "double"

_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_LOCAL_ESCAPE = re.compile(r"\\(.)")
_LONGEST_NAME: Final = 30
_MOST_NAMES: Final = 100
"""Among so many prefixes, and of so many characters, a similar one is looked for."""


class ConstantParser(Cursor):
    """Reads constants and variables.

    Attributes:
        prefixes: Prefix to namespace, as declared so far.
        base: What relative IRIs are resolved against.
        lenient: Bare words are local constants, with a warning.
    """

    __slots__ = ("_assumed_prefixes", "_iris", "base", "lenient", "prefixes")

    def __init__(
        self,
        tokens: Tokens,
        prefixes: Mapping[str, str],
        base: str | None,
        language: Language,
        *,
        lenient: bool,
    ) -> None:
        super().__init__(tokens, language)
        self.prefixes = dict(prefixes)
        self.base = base
        self.lenient = lenient
        self._iris: dict[str, IRI] = {}
        self._assumed_prefixes: dict[str, str] = {}

    # Const

    def constant(self) -> GroundTerm:
        """Const, in any of its spellings."""
        at = self.at
        kind = self.kinds[at]
        value = self.values[at]
        if kind == "curie":
            self.at = at + 1
            return self._iris.get(value) or self.expand(at)
        if kind == "iri":
            self.at = at + 1
            return self._iris.get(value) or self.absolute(at)
        if kind == "string":
            return self._string()
        if kind in {"name", "local"}:
            return self._word()
        if kind != "number":
            self.fail_unexpected("expected a constant")
        self.at = at + 1
        double = "e" in value or "E" in value
        return Literal(
            value, _XSD_DOUBLE if double else _XSD_DECIMAL if "." in value else _XSD_INTEGER
        )

    def expand(self, at: int) -> IRI:
        """The IRI of the prefixed name at a token."""
        written = self.values[at]
        prefix, _, local = written.partition(":")
        namespace = self.prefixes.get(prefix) or self._assumed_prefixes.get(prefix)
        if namespace is None:
            namespace = self._unknown_prefix(prefix, at)
        if "\\" in local:
            local = _LOCAL_ESCAPE.sub(r"\1", local)
        iri = IRI(namespace + local)
        if not is_absolute(iri.value):
            message = f"{shorten(written)} stands for {shorten(iri.value)}, which is no IRI"
            self.note(BadIri(message, self.tokens.span(at, at)))
        self._iris[written] = iri
        return iri

    def _unknown_prefix(self, prefix: str, at: int) -> str:
        """A namespace to read on with for a prefix that is not declared; reported once."""
        namespace = CUSTOMARY_PREFIXES.get(prefix)
        span = self.tokens.span(at, at)
        if namespace is not None and (self.strict or prefix not in BUILTIN_PREFIXES):
            message = f"the prefix {prefix}: is not declared; it is read as by custom"
            hint = f"add Prefix({prefix} <{namespace}>) to the document"
            self.note(UnknownPrefix(message, span, hint, "warning"))
        elif namespace is not None:
            pass
        elif prefix == "_":
            message = "blank nodes cannot be written in rules"
            hint = "a local constant is _name; a variable under Exists stands for any node"
            self.note(UnknownPrefix(message, span, hint))
        else:
            message = f"the prefix {shorten(prefix)}: is not declared"
            is_brief = len(prefix) <= _LONGEST_NAME and len(self.prefixes) <= _MOST_NAMES
            known = [*self.prefixes, *CUSTOMARY_PREFIXES] if is_brief else []
            near = nearest_word(prefix, known)
            meant = f"did you mean {near}:? Else " if near else ""
            hint = f"{meant}add Prefix({shorten(prefix)} <…>) to the document"
            self.note(UnknownPrefix(message, span, hint))
        self._assumed_prefixes[prefix] = namespace or "urn:undeclared:"
        return self._assumed_prefixes[prefix]

    def absolute(self, at: int) -> IRI:
        """The IRI between the angle brackets at a token, resolved against Base."""
        written = self.values[at]
        text = self.unescape(written[1:-1], at) if "\\" in written else written[1:-1]
        if not is_absolute(text) and not self.tokens.has_fault_at(at):
            if self.base is not None:
                text = resolve(text, self.base)
            if not is_absolute(text):
                message = f"{shorten(written)} is no absolute IRI"
                hint = "write it in full, or give the document a Base(<…>)"
                self.note(BadIri(message, self.tokens.span(at, at), hint))
        iri = IRI(text)
        self._iris[written] = iri
        return iri

    def _string(self) -> GroundTerm:
        """A string alone, with ``@lang``, or with ``^^`` and a symbol space."""
        at = self.at
        text = self.unescape(self.values[at][1:-1], at)
        self.at = at + 1
        if self.kinds[self.at] == "lang":
            self.at += 1
            return Literal(text, RDF_LANG_STRING, self.values[self.at - 1][1:].lower())
        if not self.accept("^^"):
            return Literal(text)
        if self.kinds[self.at] not in {"curie", "iri"}:
            self.fail_unexpected("expected a datatype")
        space = self.constant()
        assert isinstance(space, IRI)  # by the kind of its token
        return constant_of(text, space.value, self.note, lambda: self.since(at))

    def unescape(self, text: str, at: int) -> str:
        """The characters that the text of a string or IRI stands for."""
        if "\\" not in text:
            return text

        def character(match: re.Match[str]) -> str:
            escape = match[1]
            if len(escape) > 1:
                code = int(escape[1:], 16)
                if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004
                    return chr(code)
            elif escape in ESCAPED_CHARACTERS:
                return ESCAPED_CHARACTERS[escape]
            message = f"{shorten(match[0])} is no escape"
            start = self.tokens.starts[at] + 1 + match.start()
            place = self.tokens.span_between(start, start + len(match[0]))
            twice = rf"a backslash is written twice: \{match[0]}"
            self.note(BadEscape(message, place, f"{twice}; {BadEscape.default_hint}"))
            return "\N{REPLACEMENT CHARACTER}"

        return _ESCAPE.sub(character, text)

    def _word(self) -> GroundTerm:
        """A local constant; another word is none, but in lenient mode it is read as one."""
        at = self.at
        word = self.values[at]
        if word[0] == "_" and len(word) > 1:
            self.at = at + 1
            return Local(word[1:])
        if self.kinds[at + 1] == "(":
            if word in OTHER_DIALECTS:
                message = f"{word} is {OTHER_DIALECTS[word]}, not RIF-Core"
                self.fail(OtherDialect(message, self.here()))
            if hint := hints.OUT_OF_PLACE.get(word):
                self.fail(UnexpectedToken(f"{word} cannot stand here", self.here(), hint))
        fault = BareWord(
            f"{shorten(word)} is no constant",
            self.here(),
            self._aggregate_hint(word, at)
            or hints.of_word(word, self.language)
            or f"write p:{word} with a prefix, or _{word} for a local constant;"
            " the lenient mode reads it as local",
        )
        is_slip = hints.near_word(word, self.language) and (
            self.kinds[at + 1] in {"(", "var"} or word == "if"
        )
        if (is_slip and not self.lenient) or self.kinds[at + 1] == "{":
            self.fail(fault)
        if self.lenient:
            message = f"{shorten(word)} is read as the local constant _{shorten(word)}"
            fault = BareWord(message, self.here(), severity="warning")
        self.note(fault)
        self.at = at + 1
        return Local(word.removeprefix("_"))

    def _aggregate_hint(self, word: str, at: int) -> str:
        """The hint for ``avg{ … }``, and for ``avg( … )`` where no built-in has this name."""
        end = self.tokens.starts[at] + len(word)
        behind = self.tokens.text[end : end + 1]
        is_call = behind == "{" or (behind == "(" and hints.of_word(word, self.language) is None)
        return AGGREGATE_FORM if is_call and is_aggregate(word) else ""

    # Var

    def variable_name(self, at: int) -> Variable:
        """The variable at a token: ``?name`` or ``?"name"``."""
        name = self.values[at][1:]
        if name[0] == '"':
            name = self.unescape(name[1:-1], at)
        return Variable(name)
