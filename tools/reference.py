"""Write docs/reference-rif.md, or another file: RIF-Core and RIF-DTB as the code has them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from r4.language import LANGUAGE
from r4.language_server.descriptions import arguments, docstring
from rif import builtins
from rif.builtins import BUILTINS, DTB
from rif.builtins.extensions import R4_BUILTIN
from rif.builtins.sparql import COUNTERPARTS
from rif.errors import dialect
from rif.errors.base import RuleError
from rif.errors.checks import UnsupportedBuiltin
from rif.syntax.terms import CUSTOMARY_PREFIXES, FUNC
from rif.values.datatypes import KNOWN, OPAQUE
from rif.values.decimals import MAX_DIGITS

TARGET = Path(__file__).parents[1] / "docs" / "reference-rif.md"
ALIAS = FUNC + "numeric-integer-mod"
"""A second name of func:numeric-mod, in the tests of the W3C only."""
SECTION = re.compile(r"\[RIF-DTB ([0-9.]+)")
OTHER_DIALECTS = {f"RIF{number}" for number in range(151, 161)}
HEAD = ["built-in", "arguments", "finds", "what"]


@dataclass(frozen=True, slots=True)
class Construct:
    """A construct of the language: its name, how it is written, and in RIF/XML."""

    name: str
    syntax: str
    xml: str
    note: str = ""


CORE = (
    Construct("document", "Document( … )", "Document/directive, payload"),
    Construct("base", "Base( <iri> )", "Document/@xml:base", "relative IRIs: RFC 3986, 5.2"),
    Construct("prefix", "Prefix( p <iri> )", "entities", "by custom: rif xs rdf func pred"),
    Construct("import of rules", "Import( <location> )", "Import/location", "named files only"),
    Construct("import of RDF or OWL", "Import( <location> <profile> )", "Import/location, profile"),
    Construct("group", "Group( … )", "Group/sentence", "groups nest"),
    Construct("rule", "Forall ?x … ( clause )", "Forall/declare, formula"),
    Construct("implication", "head :- body", "Implies/if, then"),
    Construct("conjunction in a head", "And( … ) :- body", "Implies/then/And"),
    Construct("fact", "p(t …)", "sentence/Atom"),
    Construct("conjunction", "And( … )", "And/formula", "And() is true"),
    Construct("disjunction", "Or( … )", "Or/formula", "in bodies; Or() is false"),
    Construct("existential", "Exists ?x … ( formula )", "Exists/declare, formula", "in bodies"),
    Construct("atom", "p(t …)", "Atom/op, args", "of any arity, 0 too"),
    Construct("frame", "o[k -> v …]", "Frame/object, slot", "a triple a slot"),
    Construct(
        "membership", "o # c", "Member/instance, class", "in bodies; the triple o rdf:type c"
    ),
    Construct("equality", "t = s", "Equal/left, right", "in bodies; identity of values"),
    Construct(
        "built-in predicate", "External( pred:p(t …) )", "External/content/Atom", "in bodies"
    ),
    Construct("built-in function", "External( func:f(t …) )", "External/content/Expr"),
    Construct("list", "List( t … )", "List/items", "ground"),
    Construct("variable", '?x, ?"any text"', "Var"),
    Construct("IRI", "<iri>, p:local", "Const/@type rif:iri"),
    Construct("local constant", "_name", "Const/@type rif:local", "private to its document"),
    Construct("typed literal", '"text"^^p:datatype', "Const/@type"),
    Construct("string", '"text"', "Const/@type xs:string"),
    Construct("literal with a language", '"text"@lang', "Const/@type rdf:PlainLiteral"),
    Construct("number", "12, 1.5, 1e0", "Const/@type", "xs:integer, xs:decimal, xs:double"),
    Construct("annotation", "(* iri frames *)", "id, meta", "names a rule; no meaning otherwise"),
)

DIALECT = (
    Construct("window", "Window( 5 s ), 5 s", "", "ns us ms s m h d; between imports and group"),
    Construct(
        "diamond, box",
        "DiamondMinus [0 s, 10 m] ( F )",
        "",
        "also DiamondPlus, BoxMinus, BoxPlus; round brackets for open ends, inf",
    ),
    Construct("since, until", "Since [0 s, 5 s] ( F G )", "", "also Until"),
    Construct("lasting head", "BoxPlus [0 s, 1 h] ( H ) :- F", "", "also BoxMinus; they nest"),
    Construct("condition first", "If body Then head", "", "read; :- is written"),
    Construct("inconsistency", "rif:error()", "", "an answer of its own"),
    Construct(
        "comment", "(* any text *)", "", "between any two words, if it begins as no annotation does"
    ),
)


def text() -> str:
    """The whole page."""
    return "\n".join([*_language(), *_datatypes(), *_builtins(), *_extensions()]) + "\n"


def _language() -> Iterator[str]:
    yield "# RIF-Core and RIF-DTB in R4"
    yield ""
    yield "Written by `make reference` from the code, and checked by the tests: change these."
    yield ""
    yield "## The language [RIF-Core]"
    yield ""
    yield "All of RIF-Core is read and evaluated, where a rule is safe."
    yield ""
    yield from _table(
        ["construct", "presentation syntax", "RIF/XML", "note"],
        ([c.name, _code(c.syntax), _code(c.xml), c.note] for c in CORE),
    )
    yield ""
    yield "Beside the standard [CoDeR]:"
    yield ""
    yield from _table(
        ["construct", "presentation syntax", "note"],
        ([c.name, _code(c.syntax), c.note] for c in DIALECT),
    )
    yield ""
    yield "Not in RIF-Core, and refused:"
    yield ""
    yield from _table(
        ["code", "what", "in place of it"],
        ([_code(kind.code), _docstring(kind), _cell(kind.default_hint)] for kind in _refused()),
    )
    yield ""
    yield "Kinds of formula from outside of RIF-Core:"
    yield ""
    yield from _table(
        ["keyword", "where", "what"],
        (
            [
                _code(word),
                "heads and bodies" if kind.node.is_head else "bodies",
                _docstring(kind.node),
            ]
            for word, kind in sorted(LANGUAGE.by_keyword.items())
        ),
    )
    yield ""


def _refused() -> list[type[RuleError]]:
    """The faults that are constructs of other dialects."""
    classes = (each for each in vars(dialect).values() if isinstance(each, type))
    faults = (each for each in classes if issubclass(each, RuleError) and each is not RuleError)
    refused = (fault for fault in faults if fault.code in OTHER_DIALECTS)
    return sorted(refused, key=lambda fault: fault.code)


def _datatypes() -> Iterator[str]:
    yield "## Datatypes"
    yield ""
    yield "Literals of these have a value, and `=` compares it. Numbers have at most"
    yield f"{MAX_DIGITS} digits; an rdf:PlainLiteral is an xs:string or a literal with a language."
    yield ""
    known = [*map(short, KNOWN), "rdf:PlainLiteral"]
    yield f"{len(known)} of RIF-DTB: {', '.join(map(_code, sorted(known)))}."
    yield ""
    yield f"Known by name, compared as terms: {', '.join(map(_code, sorted(map(short, OPAQUE))))}."
    yield ""


def _builtins() -> Iterator[str]:
    known = set(DTB) - {ALIAS}
    missing = sorted(known - set(BUILTINS))
    yield "## Built-ins [RIF-DTB]"
    yield ""
    yield f"{len(known) - len(missing)} of {len(known)} are evaluated. Outside its domain a"
    yield "predicate is false and a function has no value, so that the condition it stands in does"
    yield "not hold. Every built-in is evaluated where all its arguments are bound; *finds* says"
    yield "which unbound ones (`u`) it gives values to. Programs and packages add"
    yield "[functions of their own](python.md#functions-of-your-own)."
    yield ""
    for module in _groups():
        names = sorted(builtin.name for builtin in module.BUILTINS if builtin.name in DTB)
        if names:
            title, prose = _title_and_prose(module)
            yield from (f"### {title}", "")
            yield from (prose, "") if prose else ()
            yield from _table(HEAD, ([_code(short(name)), *_row(name)] for name in names))
            yield ""
    if missing:
        yield "### Not evaluated"
        yield ""
        yield f"A rule that uses one of these is refused with `{UnsupportedBuiltin.code}`:"
        yield ", ".join(_code(short(name)) for name in missing) + "."
        yield ""


def _groups() -> list[ModuleType]:
    """The modules of built-ins, in the order of the sections that they follow."""
    found = [module for module in vars(builtins).values() if isinstance(module, ModuleType)]
    return sorted((module for module in found if hasattr(module, "BUILTINS")), key=_section)


def _section(module: ModuleType) -> tuple[list[int], str]:
    section = SECTION.search(module.__doc__ or "")
    return [int(n) for n in section[1].split(".")] if section else [], module.__name__


def _title_and_prose(module: ModuleType) -> tuple[str, str]:
    """The docstring of a module: its first line, and the rest."""
    title, _, prose = (module.__doc__ or "").replace("``", "`").partition("\n\n")
    return " ".join(title.split()).rstrip("."), prose.strip()


def _extensions() -> Iterator[str]:
    yield "## Built-ins of R4"
    yield ""
    yield f"In the namespace `{R4_BUILTIN}`; the standard has none of them."
    yield ""
    for module in _groups():
        names = sorted(builtin.name for builtin in module.BUILTINS if builtin.name not in DTB)
        if names:
            title, prose = _title_and_prose(module)
            yield from (f"### {title}", "", prose, "")
            rows = ([_code(name.removeprefix(R4_BUILTIN)), *_row(name)] for name in names)
            yield from _table(HEAD, rows)
            yield ""
    yield "### What functions of SPARQL are called here"
    yield ""
    yield "The built-ins of RIF-DTB take strings without a language. `sameTerm` is `Naf` of"
    yield "`not-same-term`."
    yield ""
    rows = ([_code(name), _counterparts(iris)] for name, iris in COUNTERPARTS.items())
    yield from _table(["in SPARQL", "built-ins"], rows)


def _counterparts(iris: Iterable[str]) -> str:
    return ", ".join(_code(short(iri).removeprefix(R4_BUILTIN)) for iri in iris)


def _row(name: str) -> list[str]:
    """Arguments, patterns, and what the code says of a built-in."""
    builtin = BUILTINS[name]
    found = ", ".join(f"`({' '.join(pattern)})`" for pattern in builtin.patterns)
    return [arguments(builtin), found, _docstring(builtin.evaluate)]


def _docstring(thing: object) -> str:
    """The docstring of a class or function, in one line."""
    return _cell(docstring(thing))


def short(iri: str) -> str:
    """A name with its customary prefix."""
    for prefix, namespace in CUSTOMARY_PREFIXES.items():
        if iri.startswith(namespace):
            return f"{prefix}:{iri.removeprefix(namespace)}"
    return iri


def _code(words: str) -> str:
    return f"`{_cell(words)}`" if words else ""


def _cell(words: str) -> str:
    return words.replace("|", "\\|")


def _table(head: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield "|" + "".join(f" {cell} |" if cell else " |" for cell in row)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.write_text(text(), "utf-8")
