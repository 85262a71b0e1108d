"""Hints: what to do about a token that was not expected, by what it is and what stands around it.

Pure functions over the columns of `Tokens` and the words of a language; None where nothing better
is known than the message. Each ``of_…`` gives the hint for a token that stands where something
else is due.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from rif.errors.dialect import AGGREGATE_FORM, is_aggregate
from rif.language import Language
from rif.syntax.lexical import RESERVED_WORDS
from rif.syntax.terms import CUSTOMARY_PREFIXES
from rif.text.lexer import ARROW, Tokens

_AND: Final = "several conditions have commas between them, or stand in And( … )"
COMPARISON: Final = "a comparison is ?v > 30, ?x = ?y + 1"
SLOT: Final = "a slot is written name -> value, such as ?x[ex:age -> 7]"
_FORMULA: Final = "a formula is p( … ), o[name -> value], s = t or o # class"
_COMMAS: Final = "commas separate conditions; rules and facts are ended by full stops"
_BEFORE_GROUP: Final = "Base, Prefix, Import and Window stand before Group"

_BY_LOWER: Final[Mapping[str, str]] = {word.lower(): word for word in RESERVED_WORDS}
OUT_OF_PLACE: Final[Mapping[str, str]] = {
    **dict.fromkeys(("Base", "Prefix", "Import", "Window"), _BEFORE_GROUP),
    "Document": "there is one Document( … ), around all",
    "Forall": "Forall stands in front of a whole rule; in conditions there is Exists",
    "Group": "groups stand in groups, not in rules",
    **dict.fromkeys(("And", "Or", "Exists"), "it makes conditions, and is no term"),
}
"""Where words of the syntax belong."""
_OTHER_LANGUAGES: Final[Mapping[str, str]] = {
    "filter": "conditions have commas between them; numbers are compared by ?x > 3",
    "optional": "nothing is optional in a rule: write one rule with that condition and one without",
    "bind": "a value is named by an equation: ?y = ?x + 1",
    "union": "alternatives stand in Or( … )",
    **dict.fromkeys(("not", "minus", "unless"), "negation is written not F, or Naf( F )"),
}
"""By words of SPARQL and other rule languages, in lower case."""
_TERMS: Final = frozenset(("var", "curie", "iri", "string", "number", "local", "name"))
_NAMES: Final = frozenset(("curie", "iri", "local", "var"))
_NUMBERED: Final = re.compile(r"[A-Za-z_][\w.-]*\Z")


_BRACES: Final = "only an aggregate has braces; formulas stand in round and square brackets"


def near_word(word: str, language: Language) -> str | None:
    """A hint that names the word of the syntax which differs in its capitals only."""
    known = _BY_LOWER.get(word.lower())
    if known is None:
        known = next((each for each in language.by_keyword if each.lower() == word.lower()), None)
    return f"did you mean {known}?" if known is not None and known != word else None


def of_word(word: str, language: Language) -> str | None:
    """A hint for a bare word, if it is one of other languages, or the name of a built-in."""
    if word in {"true", "false"}:
        return f'write "{word}"^^xs:boolean'
    if word == "a":
        return "what something is an instance of is written o[rdf:type -> class] or o # class"
    for prefix in ("pred", "func"):
        if f"{CUSTOMARY_PREFIXES[prefix]}{word}" in language.builtins:
            return f"write {prefix}:{word}"
    return near_word(word, language) or _OTHER_LANGUAGES.get(word.lower())


def of_token(tokens: Tokens, at: int, language: Language) -> str | None:
    """For the token at ``at``, whatever was expected."""
    if tokens.kinds[at] == "{":
        return AGGREGATE_FORM if is_aggregate(tokens.values[at - 1]) else _BRACES
    kind, value = tokens.kinds[at], tokens.values[at]
    if kind == ",":
        return _COMMAS
    if _is_arrow(tokens, at):
        return ARROW
    if kind == "name":
        return OUT_OF_PLACE.get(value) or near_word(value, language)
    return None


def in_brackets(tokens: Tokens, at: int) -> str | None:
    """For a token where an IRI in angle brackets is due."""
    kind, value = tokens.kinds[at], tokens.values[at]
    if kind == "string":
        value = value[1:-1]
    elif kind not in {"name", "curie", "local"}:
        return None
    return f"write it in angle brackets: <{value[:100]}>"


def of_opening(tokens: Tokens, at: int, language: Language) -> str | None:
    """For a token where a bracket is to be opened."""
    kinds, values = tokens.kinds, tokens.values
    if at and values[at - 1] == "Prefix" and kinds[at : at + 2] == ["curie", "iri"]:
        return f"write Prefix({values[at].rstrip(':')} {values[at + 1]})"
    return of_token(tokens, at, language)


def of_variable(tokens: Tokens, at: int, language: Language) -> str | None:
    """For a token where a variable is due."""
    value = tokens.values[at]
    if tokens.kinds[at] in {"name", "local", "curie"} and _NUMBERED.match(value):
        return f"a variable is written ?{value[:100]}"
    return of_token(tokens, at, language)


def of_relation(tokens: Tokens, first: int, at: int, language: Language) -> str | None:
    """For what follows a term that begins at ``first`` and should have become a formula."""
    kinds, values = tokens.kinds, tokens.values
    if kinds[first] == "var" and values[first].endswith("-"):
        return "names have hyphens: a difference is ?a - ?b, with blanks"
    if values[at] == "<>":
        return "what differs is written !="
    is_triple = (
        first == at - 1
        and kinds[first] in _NAMES
        and (kinds[at] in _NAMES or values[at] == "a")
        and kinds[at + 1] in _TERMS
    )
    if is_triple:
        name = "rdf:type" if values[at] == "a" else values[at]
        written = f"{values[first]}[{name} -> {values[at + 1]}]"
        return f"a triple is written {written}" if len(written) <= 200 else _FORMULA  # noqa: PLR2004
    return of_token(tokens, at, language) or _FORMULA


def of_closing(tokens: Tokens, opened: int, at: int, language: Language) -> str | None:
    """For a token where the bracket at ``opened`` should be closed."""
    kind, value = tokens.kinds[at], tokens.values[at]
    if kind in {")", "]"}:
        return "the bracket that was opened last is closed first"
    if kind == "name" and value in OUT_OF_PLACE:
        return "a closing bracket is missing before"
    if kind not in _TERMS or _is_arrow(tokens, at):
        return of_token(tokens, at, language)
    return _of_extra_term(tokens, opened, at, language)


def _of_extra_term(tokens: Tokens, opened: int, at: int, language: Language) -> str | None:
    """For a term where what the bracket holds is complete."""
    opener = _opener(tokens, opened)
    if opener == "External":
        return "a closing bracket is missing before: External( name( … ) ) has two of them"
    if tokens.kinds[at] == "name" and (suggestion := near_word(tokens.values[at], language)):
        return suggestion
    return None if opener in {"Document", "Base", "Prefix", "Import", "Window"} else _AND


def missing_before(tokens: Tokens, at: int) -> str:
    """A hint that says which bracket is open at ``at``, where a new clause seems to begin."""
    depth = 0
    for place in range(at - 1, -1, -1):
        kind = tokens.kinds[place]
        depth += (kind in {")", "]"}) - (kind in {"(", "["})
        if depth < 0:
            where = _place(tokens, place)
            return f"is a closing bracket missing before? The {kind} of {where} is open"
    return "is a closing bracket missing before?"


def _is_arrow(tokens: Tokens, at: int) -> bool:
    """Is it what other languages write between a conclusion and its condition?"""
    kind, value = tokens.kinds[at], tokens.values[at]
    return kind == "->" or (kind, value) in {("name", "If"), ("curie", ":"), ("name", "if")}


def _opener(tokens: Tokens, opened: int) -> str:
    """The word that the bracket belongs to, the variables of a quantifier passed over."""
    at = opened - 1
    while at > 0 and tokens.kinds[at] in {"var", ","}:
        at -= 1
    return tokens.values[at] if at >= 0 and tokens.kinds[at] == "name" else ""


def where_left_open(tokens: Tokens) -> str:
    """The bracket that was most likely left open in a text that ends too early; else ``""``.

    It is closed only by one that begins a line further left than its own line does. Linear.
    """
    stack: list[int] = []
    indents: dict[int, int] = {}
    for at, kind in enumerate(tokens.kinds[:-1]):
        begins = tokens.begins_line(at)
        if begins:
            span = tokens.span(at, at)
            indents[span.line] = span.column
        if kind in {"(", "["}:
            stack.append(at)
        elif kind in {")", "]"} and stack:
            span, open_at = tokens.span(at, at), tokens.span(stack[-1], stack[-1])
            if begins and span.column < indents[open_at.line]:
                opened = tokens.kinds[stack[-1]]
                return f"is the {opened} of {_place(tokens, stack[-1])} left open?"
            stack.pop()
    return ""


def _place(tokens: Tokens, at: int) -> str:
    span = tokens.span(at, at)
    return f"{span.line}:{span.column}"
