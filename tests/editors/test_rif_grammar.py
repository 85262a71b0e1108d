"""An editor colours each token of a rule file as R4's lexer reads it."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from r4.language import LANGUAGE
from rif.syntax.aggregates import AGGREGATES
from rif.syntax.lexical import RESERVED_WORDS, TIME_UNITS
from rif.text.lexer import Tokens, tokenise
from tests.generators.rules.parsers import parse, write_readable
from tests.paths import ROOT

EXTENSION = ROOT / "editors/vscode"
MODULES = EXTENSION / "node_modules"
FOLDERS = ("examples", "r4", "tests/scenarios")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).glob("**/*.rif"))

SAMPLE = r"""
(* A comment is prose: it isn't "closed" here. (* It nests. *) Forall ?x *)
Document( Base(<http://e/>) Prefix(ex <urn:ex:>) Prefix(a.b-c <urn:ex:Group/>)
  Import(<part.rif>) Import(<g.ttl> <http://www.w3.org/ns/entailment/RDFS>)
  Window( 1.5 h ) 5 s
  Group(
    (* ex:rule ex:rule[ex:by -> "me"@en-GB] *)
    Forall ?x ?"any \"text\"" ?2 ?größe (
      And(ex:a[ex:p->1 :q -> -2.5e-3] _p(?x _local.name)) :- And(
        ?x # ex:Class  ex:Class ## ex:Forall  ?x = "a\u00e9\n"^^xs:string
        Or( External(pred:numeric-less-than(?x +10)) Naf(ex:And(List(1 List() | ?x))) )
        Exists ?größe ( ex:größe[a.b-c:p\.q -> ex:50%25] )
        DiamondMinus [0 s, 10 m] ( BoxPlus (5ms, inf) (_p()) )
        Since [0, 5 s] ( _p() Until (0 s 1 h] (_p() _p()) )
        (* (* ex:nested *) "x"^^<urn:t> *) BoxMinus [1 d,2 d) (_p())
        ?x = avg last 10{ ?v ?t [?x ?2] | DiamondMinus (0 s, ?d] ( At ?t ( ?x[ex:at -> ?v] ) ) }
        quantile 0.95{?v|_p(?v)} = first 2{ ?v ?t | Ended ?from ?until ( _p(?v ?t) ) }
        0 = count { ?v | _p(?v) }
        quantile 0.5 last 3{ ?v ?t | _p(?v ?t) } = ?x
        list{ ?v | From ?g ( ex:first[ex:count -> ?v] ) } = min first 3{ ?v ?v | ex:min(?v) }
        Every 1 h Every 1 d offset 8 h zone "Europe/Berlin" at ?t Every 2 months at ?t ) )
    If And() Then DiamondPlus [0 us, 1 ns] ( <urn:\u00e9>[<is> -> <yes>] )
  ) )
"""
READABLE = r"""# a line of prose: (* Forall ?x "
@prefix ex: <urn:ex:> .
PREFIX a.b-c: <urn:ex:Group/>
prefix : <urn:ex:>
BASE <http://e/>
@base <http://e/> .
@import <part.rif> . @import <g.ttl> <http://www.w3.org/ns/entailment/RDFS> .
@window 1.5 h .
# a # b
(* ex:r *) ?room[ex:alarm->"hot"@en] :- ?s[ex:in -> ?room, ex:reads -> ?v], ?v > 30, ?v<=4.5e1.
?s[ex:is -> (2 * ?v + 1)] :- ?s # ex:Sensor, not ?s[ex:off -> ?t], not (?s[ex:a -> ?z], ?z != ?v).
?s[ex:far -> ?d] :- ?d = ?u - ?f, ?d >= 5 m, ?v/ 2 < ?w, ?x <?y, <urn:a>(?x) ,?y = <urn:a>.(* why *)
  # ex:Class
ex:p(?x, ?m) :- ?m = avg last 10{ ?v ?t [?x] | ex:q(?x, ?v), At ?t (ex:r(?v)) },
  ?m > 2 * max{?v|ex:s(?v)}, DiamondMinus [0 s, ?d] ( Every 1 h at ?h ).
ex:at.x(1.5). ex:not(not:a, ?not). func:concat(1 2) = 3.
"""
WORDS = "\n".join(
    f"{word} ( ex:{word} ?{word} {word}:x )"
    for word in (*RESERVED_WORDS, *LANGUAGE.by_keyword)
    if word.lower() != "aggregate"  # it is written by the word of each
)
TEXTS = {"sample": SAMPLE, "words": WORDS, "readable": READABLE} | {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in FILES
}
for path in FILES:  # and all of them in readable form
    text = path.read_text("utf-8")
    TEXTS[f"{path.relative_to(ROOT).as_posix()} readable"] = write_readable(
        parse(text, check=False).document
    )

SCOPES = {
    "var": {"variable.other"},
    "curie": {
        "entity.name.namespace",
        "punctuation.separator.namespace",
        "support.constant.name",
    },
    "local": {"constant.other.local"},
    "number": {"constant.numeric"},
    "string": {"string.quoted.double", "constant.character.escape"},
    "iri": {"constant.other.iri"},
    "lang": {"storage.modifier.language"},
    "(*": {"punctuation.definition.annotation.begin"},
    "*)": {"punctuation.definition.annotation.end"},
    ":-": {"keyword.operator.implication"},
    "->": {"keyword.operator.slot"},
    "##": {"keyword.operator.subclass"},
    "#": {"keyword.operator.membership"},
    "=": {"keyword.operator.equality"},
    "^^": {"keyword.operator.datatype"},
    ",": {"punctuation.separator"},
    "|": {"punctuation.separator"},
    ".": {"punctuation.terminator"},
    **{sign: {"keyword.operator.comparison"} for sign in ("<", "<=", ">", ">=", "!=")},
    **{sign: {"keyword.operator.arithmetic"} for sign in "+-*/"},
    **{bracket: {"punctuation.bracket"} for bracket in "()[]{}"},
}
"""A kind of token → the scopes that its characters may have."""
KEYWORDS = {
    "keyword.other.directive",
    "keyword.control.quantifier",
    "keyword.control.conditional",
    "keyword.operator.logical",
    "keyword.operator.temporal",
    "support.function.external",
    "support.type.list",
}


def wanted(tokens: Tokens, token: int) -> set[str]:
    """The scopes that the characters of a token may have."""
    kind, word = tokens.kinds[token], tokens.values[token]
    if kind == "lang" and word in {"@prefix", "@base", "@import", "@window"}:
        return {"keyword.other.directive"}
    if kind != "name":
        return SCOPES[kind]
    if word in {*TIME_UNITS, "month", "months"}:
        return {"keyword.other.unit"}
    if word == "inf":
        return {"constant.language.infinity"}
    if tokens.values[token - 2 : token] == ["Prefix", "("]:
        return {"entity.name.namespace"}
    return {"support.function.aggregate"} if word in AGGREGATES else KEYWORDS


def scopes_of_characters(text: str, lines: list[list[tuple[int, int, list[str]]]]) -> list[str]:
    """The innermost scope of each character, without the name of the language."""
    found: list[str] = []
    for line, tokens in zip(text.split("\n"), lines, strict=True):
        inner = [""] * (len(line) + 1)
        for start, end, scopes in tokens:
            name = scopes[-1].removesuffix(".rif") if scopes else ""
            inner[start:end] = [name] * (min(end, len(inner)) - start)
        found += inner
    return found


@pytest.fixture(scope="module")
def coloured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """A text → the scope of each of its characters."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    if not (MODULES / "vscode-textmate").exists():
        pytest.skip("the packages of editors/vscode are not installed: make vscode")
    # With a bound on memory, as make test has, there is no room for what WebAssembly reserves.
    command = [node, "--disable-wasm-trap-handler"]
    if subprocess.run([*command, "-e", "0"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this node knows no --disable-wasm-trap-handler")
    folder = tmp_path_factory.mktemp("texts")
    paths = [folder / f"{number}.rif" for number in range(len(TEXTS))]
    for path, text in zip(paths, TEXTS.values(), strict=True):
        path.write_text(text, "utf-8")
    command += [str(Path(__file__).with_name("tokens.mjs")), str(EXTENSION), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = map(json.loads, done.stdout.splitlines())
    return {
        name: scopes_of_characters(text, tokens)
        for (name, text), tokens in zip(TEXTS.items(), lines, strict=True)
    }


@pytest.mark.parametrize("name", TEXTS)
def test_each_token_has_the_scope_of_its_kind(name: str, coloured: dict[str, list[str]]) -> None:
    text, scopes = TEXTS[name], coloured[name]
    tokens = tokenise(text)
    assert not tokens.faults
    rest = set(range(len(text)))
    for token, (start, value) in enumerate(zip(tokens.starts, tokens.values, strict=True)):
        if value:
            rest -= set(range(start, start + len(value)))
            found = set(scopes[start : start + len(value)])
            assert found <= wanted(tokens, token), tokens.span(token, token)
    # What is in no token is blank, or a comment.
    between = {scopes[at] for at in rest if not text[at].isspace()}
    assert between <= {"comment.block", "comment.line"}


def test_an_interval_is_marked_as_a_whole(coloured: dict[str, list[str]]) -> None:
    text = TEXTS["sample"]
    at = text.index("(5ms, inf)")
    assert coloured["sample"][at : at + 10] == [
        "punctuation.bracket",
        "constant.numeric",
        *["keyword.other.unit"] * 2,
        "punctuation.separator",
        "meta.interval",
        *["constant.language.infinity"] * 3,
        "punctuation.bracket",
    ]
