"""The DOCTYPE of an XML document: which entities it declares, and whether they are harmless.

RIF/XML uses entities for the beginnings of IRIs. Those of the internal subset are read, and these
only: nothing else is opened, an entity is plain text without another entity in it, and all of them
together do not blow the document up. Whatever is not checked here is not given to the XML parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final
from xml.parsers import expat

from rif.errors.base import MAX_FAULTS, RuleError
from rif.errors.report import shorten
from rif.errors.xml import BadDeclaration, ExternalEntity, NotWellFormed, TooMuchExpansion
from rif.syntax.iri import is_absolute
from rif.syntax.lexical import name_character, name_start
from rif.xml.encoding import span_of

MAX_ENTITIES: Final = 100
"""Entities that a document may declare."""

FREE_GROWTH: Final = 2**20
"""Characters that entities may always add to a document."""

GROWTH: Final = 8
"""How many times its own length entities may add to a longer one."""

_BLANK = r"[ \t\r\n]"
_QUOTED = r"""(?:"[^"]*+"|'[^']*+'|[^>"'])*+"""
_PROLOG = re.compile(rf"(?:{_BLANK}++|<!--.*?-->|<\?.*?\?>)*+", re.DOTALL)
_DOCTYPE = "<!DOCTYPE"
_BEGIN = re.compile(
    rf"""{_DOCTYPE}{_BLANK}++[^\s>\["']++{_BLANK}*+
    (?P<outside> (?: "[^"]*+" | '[^']*+' | [^\[>"'] )*+ ) (?P<end> [>\[] )
    """,
    re.VERBOSE,
)
_PART = re.compile(
    rf"""
    (?P<blank> {_BLANK}++ | <!--.*?--> | <\?.*?\?> )
  | (?P<reference> % [^\s;%]*+ ;?+ )
  | <!ENTITY {_BLANK}++ (?P<parameter> % {_BLANK}++ )?+ (?P<name> [^\s"'<>%&]++ ) {_BLANK}++
    (?: " (?P<double> [^"]*+ ) " | ' (?P<single> [^']*+ ) '
      | (?P<file> (?:SYSTEM|PUBLIC) \b {_QUOTED} ) ) {_BLANK}*+ >
  | (?P<other> <! (?P<kind> ELEMENT|ATTLIST|NOTATION ) \b {_QUOTED} > )
  | (?P<end> \] {_BLANK}*+ > )
    """,
    re.VERBOSE | re.DOTALL,
)
_CHARACTER = re.compile(r"&#(?:x([0-9A-Fa-f]{1,8})|([0-9]{1,8}));")
_PREDEFINED = {"&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'"}
_ENTITY = re.compile(r"&(?!#|(?:amp|lt|gt|quot|apos);)[^;\s]*+;?")
_PREFIX = re.compile(rf"{name_start()}{name_character('.-')}*(?<!\.)\Z")


@dataclass(frozen=True, slots=True)
class Doctype:
    """The entities that a DOCTYPE declares.

    Attributes:
        entities: Name to replacement text; references to characters in it are not yet resolved.
        faults: Why the document cannot be read on.
    """

    entities: Mapping[str, str]
    faults: tuple[RuleError, ...]

    def prefixes(self) -> tuple[tuple[str, str], ...]:
        """The entities that a document in presentation syntax would declare as prefixes."""
        texts = ((name, _resolve_references(value)) for name, value in self.entities.items())
        return tuple(pair for pair in texts if _PREFIX.match(pair[0]) and is_absolute(pair[1]))


def can_be_declared(name: str) -> bool:
    """Can an entity have the name of this prefix?

    Not those that XML declares itself; nor some letters that only later editions of XML allow.
    """
    if f"&{name};" in _PREDEFINED or not _PREFIX.match(name):
        return False
    try:
        expat.ParserCreate().Parse(f'<!DOCTYPE a [<!ENTITY {name} "">]><a/>', True)  # noqa: FBT003
    except expat.ExpatError:
        return False
    return True


def read_doctype(text: str) -> Doctype:
    """The DOCTYPE of a document; without one it has no entities. Linear in the text."""
    prolog = _PROLOG.match(text)
    at = prolog.end() if prolog else 0
    if not text.startswith(_DOCTYPE, at):
        return Doctype({}, ())
    begin = _BEGIN.match(text, at)
    if begin is None:
        place = span_of(text, at, at + len(_DOCTYPE))
        return Doctype({}, (NotWellFormed("the DOCTYPE does not end", place),))
    entities: dict[str, str] = {}
    faults = list(islice(_declarations(text, begin, entities), MAX_FAULTS))
    if not faults:
        faults += _growth(text, begin, entities)
    return Doctype(entities, tuple(faults))


def _declarations(text: str, begin: re.Match[str], entities: dict[str, str]) -> Iterator[RuleError]:
    """Add the declared entities to ``entities``; yield the faults of the declarations."""
    if begin["outside"].strip():
        message = "the DOCTYPE refers to another file, which is not opened"
        yield ExternalEntity(message, span_of(text, *begin.span("outside")))
    at = begin.end()
    ended = begin["end"] == ">"
    while not ended:
        part = _PART.match(text, at)
        if part is None:
            message = "this is no declaration of an entity"
            yield NotWellFormed(message, span_of(text, at, at + 1), BadDeclaration.default_hint)
            return
        at = part.end()
        ended = part["end"] is not None
        fault = None
        if part["name"]:
            fault = _read_entity(part, entities)
        elif part["reference"]:
            fault = BadDeclaration, f"{shorten(part[0])} refers to a parameter entity"
        elif part["other"]:
            fault = BadDeclaration, f"a declaration of kind {part['kind']} is not read"
        if fault:
            yield fault[0](fault[1], span_of(text, *part.span()))
        if len(entities) > MAX_ENTITIES:
            message = f"there are more than {MAX_ENTITIES} entities"
            yield TooMuchExpansion(message, span_of(text, *part.span()))
            return


def _read_entity(
    part: re.Match[str], entities: dict[str, str]
) -> tuple[type[RuleError], str] | None:
    """Add an entity to ``entities``, or say what is wrong with it."""
    name = shorten(part["name"])
    if part["parameter"]:
        return BadDeclaration, f"{name} is a parameter entity"
    if part["file"]:
        return ExternalEntity, f"the entity {name} is in another file, which is not opened"
    value = _CHARACTER.sub(_character, part["double"] or part["single"] or "")
    if other := _ENTITY.search(value):
        return BadDeclaration, f"the entity {name} has another one in it: {shorten(other[0])}"
    if f"&{part['name']};" not in _PREDEFINED:
        entities.setdefault(part["name"], value)
    return None


def _growth(text: str, begin: re.Match[str], entities: Mapping[str, str]) -> Iterator[RuleError]:
    """The fault of entities that blow the document up; checked before any is expanded."""
    most = max(FREE_GROWTH, GROWTH * len(text))
    longest = max(map(len, entities.values()), default=0)
    if text.count("&") * longest <= most:
        return
    growth = sum(text.count(f"&{name};") * len(value) for name, value in entities.items())
    if growth > most:
        message = f"its entities add {growth} characters to a document of {len(text)}"
        yield TooMuchExpansion(message, span_of(text, *begin.span("end")))


def _character(match: re.Match[str]) -> str:
    code = int(match[1], 16) if match[1] else int(match[2])
    return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else match[0]  # noqa: PLR2004


def _resolve_references(value: str) -> str:
    """The text that a reference to an entity with this replacement text stands for."""
    for written, char in list(_PREDEFINED.items())[1:]:
        value = value.replace(written, char)
    return _CHARACTER.sub(_character, value).replace("&amp;", "&")
