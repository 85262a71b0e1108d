"""The reference of the rule language is what the code says, and what it says is so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from r4.api import Engine
from rif.builtins import BUILTINS, DTB
from rif.syntax.terms import FUNC
from tools import reference

PREFIXES = "".join(
    f"Prefix({name} <{namespace}>)"
    for name, namespace in {
        "ex": "urn:ex:",
        "func": FUNC,
        "pred": "http://www.w3.org/2007/rif-builtin-predicate#",
        "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "rif": "http://www.w3.org/2007/rif#",
        "xs": "http://www.w3.org/2001/XMLSchema#",
    }.items()
)
YES = "ex:x[ex:is -> ex:yes]"

EXAMPLES = {
    "document": f"{YES} :- And()",
    "group": f"Group(Group({YES} :- And()) Group())",
    "prefix": "<urn:ex:x>[ex:is -> <urn:ex:yes>] :- And()",
    "rule": "Forall ?x (?x[ex:is -> ex:yes] :- _p(?x)) _p(ex:x)",
    "implication": f"{YES} :- _p() _p()",
    "conjunction in a head": f"And({YES} _p()) :- And()",
    "fact": f"_p() {YES} :- _p()",
    "conjunction": f"{YES} :- And(_p() _q()) _p() _q()",
    "disjunction": f"{YES} :- Or(_p() _q()) _q()",
    "existential": f"{YES} :- Exists ?x (_p(?x)) _p(1)",
    "atom": f"{YES} :- And(_p() _p(1) _p(1 2)) _p() _p(1) _p(1 2)",
    "frame": f"{YES} :- ex:a[ex:p -> 1 ex:q -> 2] ex:a[ex:q -> 2] ex:a[ex:p -> 1]",
    "membership": f"{YES} :- ex:a # ex:c ex:a[rdf:type -> ex:c]",
    "equality": f"{YES} :- 1 = 1.0",
    "built-in predicate": f"{YES} :- External(pred:numeric-less-than(1 2))",
    "built-in function": f"{YES} :- External(func:numeric-add(1 2)) = 3",
    "list": f"{YES} :- _p(List(1 List())) _p(List(1 List()))",
    "variable": 'Forall ?"a b" (?"a b"[ex:is -> ex:yes] :- _p(?"a b")) _p(ex:x)',
    "IRI": f"{YES} :- _p(<urn:ex:a>) _p(ex:a)",
    "local constant": f'{YES} :- _p(_a) _p("a"^^rif:local)',
    "typed literal": f'{YES} :- _p("a"^^xs:token) _p("a"^^xs:token)',
    "string": f'{YES} :- _p("a") _p("a"^^xs:string)',
    "literal with a language": f'{YES} :- _p("a"@en) _p("a@en"^^rdf:PlainLiteral)',
    "number": f'{YES} :- _p(12 1.5 1e0) _p("12"^^xs:integer "1.5"^^xs:decimal "1e0"^^xs:double)',
    "annotation": f"(* ex:rule ex:rule[ex:by -> 1] *) {YES} :- And()",
    "diamond, box": f"{YES} :- DiamondMinus [1 s, 10 m) (BoxPlus [0 s, 1 s] (_p())) _p()",
    "since, until": f"{YES} :- Since (0 s, 5 s] (_p() Until [0 s, 1 s] (_p() _p())) _p()",
    "lasting head": f"BoxPlus [0 s, 1 h] (BoxMinus [1 s, 1 s] ({YES})) :- _p() _p()",
    "condition first": f"If And() Then {YES}",
    "comment": f"(* it isn't so: *) {YES} :- And( (* _p() *) )",
}
DOCUMENTS = {
    "base": "Document(Base(<http://e/>) Group(<x>[<is> -> <yes>] :- And()))",
    "window": f"Document({PREFIXES} Window(5 s) Group({YES} :- And()))",
    "inconsistency": f"Document({PREFIXES} Group(rif:error() :- And()))",
}
NEED_FILES = {"import of rules", "import of RDF or OWL"}


def answers(document: str) -> list[str]:
    """What follows from a document alone, and no fault in it."""
    return [str(change) for change in Engine.from_text(document).run([])]


@pytest.mark.parametrize("name", [*EXAMPLES, *DOCUMENTS])
def test_each_construct_is_evaluated(name: str) -> None:
    document = DOCUMENTS.get(name) or f"Document({PREFIXES} Group({EXAMPLES[name]}))"
    found = answers(document)
    assert any("ex:yes" in line or "/yes" in line for line in found) or name == "inconsistency"
    assert found


def test_each_construct_has_an_example() -> None:
    names = {construct.name for construct in (*reference.CORE, *reference.DIALECT)}
    assert names == {*EXAMPLES, *DOCUMENTS, *NEED_FILES}


def test_the_page_is_up_to_date() -> None:
    assert reference.TARGET.read_text("utf-8") == reference.text(), "make reference"


def test_each_builtin_stands_on_the_page_once() -> None:
    lines = reference.text().splitlines()
    rows = [line.partition("`")[2].partition("`")[0] for line in lines if line.startswith("| `")]
    refused = [line for line in lines if line.startswith("`") and line.endswith("`.")]
    for name in DTB:
        short = reference.short(name)
        known = name in BUILTINS
        assert rows.count(short) == known, name
        assert sum(f"`{short}`" in line for line in refused) == (not known), name


def test_what_other_dialects_have_is_on_the_page() -> None:
    rows = reference.text().splitlines()
    for number in range(151, 161):
        assert sum(row.startswith(f"| `RIF{number}` |") for row in rows) == 1


def test_a_command_writes_the_page(tmp_path: Path) -> None:
    target = tmp_path / "page.md"
    command = [sys.executable, "-m", "tools.reference", str(target)]
    subprocess.run(command, cwd=reference.TARGET.parents[1], check=True)
    assert target.read_text("utf-8") == reference.text()
