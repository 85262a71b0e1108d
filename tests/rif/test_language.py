"""A language is a value: more of it is another one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from rif.builtins import BUILTINS, Builtin
from rif.builtins.signatures import UnavailableBuiltin
from rif.language import CORE
from rif.syntax import ast
from rif.syntax.formula_kinds import FormulaKind
from rif.syntax.negation import NAF, Naf
from rif.syntax.terms import FUNC, PRED

TRUE = ast.And(())


@dataclass(frozen=True, slots=True)
class Sure(ast.Formula):
    """``Sure``: a toy formula."""


SURE = FormulaKind("Sure", Sure, parse=lambda _: Sure(), write=lambda *_: ["Sure"])
OWN = Builtin("urn:ex:own", "predicate", 1, 2, lambda *_: True, ("ub",), version="")


def test_more_kinds_are_another_language() -> None:
    more = CORE.with_kinds(SURE)
    assert more.by_keyword == {"Naf": NAF, "Sure": SURE}
    assert more.kind_of(Sure()) is SURE
    assert more.kind_of(Naf(TRUE)) is NAF
    assert CORE.by_keyword == {"Naf": NAF}
    with pytest.raises(ValueError, match="Sure is no kind of formula of this language"):
        CORE.kind_of(Sure())
    with pytest.raises(ValueError, match="And is no kind of formula"):
        more.kind_of(TRUE)


def test_a_keyword_or_a_class_has_one_row() -> None:
    more = CORE.with_kinds(SURE)
    with pytest.raises(ValueError, match="Surely or Sure is a kind of formula already"):
        more.with_kinds(replace(SURE, keyword="Surely"))
    with pytest.raises(ValueError, match="Sure or Other is a kind of formula already"):
        more.with_kinds(replace(SURE, node=type("Other", (Sure,), {})))
    with pytest.raises(ValueError, match="And or Sure is a kind of formula already"):
        CORE.with_kinds(replace(SURE, keyword="And"))


def test_more_built_ins_are_another_language() -> None:
    more = CORE.with_builtins([OWN])
    assert more.builtins["urn:ex:own"] is OWN
    assert more.builtins.keys() == BUILTINS.keys() | {"urn:ex:own"}
    assert more.patterns_of("urn:ex:own") == ("ub",)
    assert more.patterns_of(PRED + "list-contains") == ("bu",)
    assert CORE.patterns_of("urn:ex:own") == ()
    assert more.kinds == CORE.kinds
    other = replace(OWN, patterns=())
    assert more.with_builtins([other]).builtins["urn:ex:own"] is other
    with pytest.raises(ValueError, match="numeric-add> is a built-in already"):
        CORE.with_builtins([replace(OWN, name=FUNC + "numeric-add")])


def test_a_built_in_that_cannot_be_had_has_no_patterns() -> None:
    class Broken(dict[str, Builtin]):
        def __getitem__(self, iri: str) -> Builtin:
            raise UnavailableBuiltin(iri)

        def get(self, iri: str, _: object = None) -> Builtin:
            return self[iri]

    assert replace(CORE, builtins=Broken()).patterns_of("urn:ex:own") == ()
