"""A formatted text says the same, keeps every comment, and stays as it is the next time."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import rif.text.formatter
from r4.language import LANGUAGE
from rif.errors.report import RuleErrors
from rif.syntax import ast
from rif.text.lexer import tokenise
from tests.generators.rules import syntax
from tests.generators.rules.parsers import parse, unparse, write_readable
from tests.paths import ROOT
from tests.rif.text.test_readable_writer import RULES, sayable

format_text = partial(rif.text.formatter.format_text, language=LANGUAGE)

FILES = sorted(
    path for folder in ("examples", "tests/scenarios") for path in (ROOT / folder).glob("**/*.rif")
)
COMMENTS = ("(* why: it is hot *)", '\n# a line (* of *) "text\n', "(* of\n   (* two *) lines *)")


def comments(text: str) -> list[str]:
    return [text[begin:end] for begin, end in tokenise(text).comments]


def check(text: str) -> str:
    """The formatted text, of which all that must hold does."""
    result = format_text(text)
    assert parse(result, check=False).document == parse(text, check=False).document
    assert sorted(comments(result)) == sorted(comments(text))
    assert format_text(result) == result
    return result


@st.composite
def commented(draw: st.DrawFn, text: str) -> str:
    """A text with comments and blank space between some of its tokens."""
    tokens = tokenise(text)
    pieces, at = [], 0
    for start in draw(
        st.lists(st.sampled_from(tokens.starts), max_size=4, unique=True).map(sorted)
    ):
        pieces += [text[at:start], " ", draw(st.sampled_from((*COMMENTS, "\n\n\n", "\n")))]
        at = start
    return "".join((*pieces, " " if pieces else "", text[at:]))


def is_broken(text: str) -> bool:
    """Does a comment make it unreadable, as between the parts of a literal?"""
    try:
        parse(text, check=False)
    except RuleErrors:
        return True
    return False


@given(st.data(), syntax.documents, st.booleans())
def test_all_comments_stay_and_the_rules_are_the_same(
    data: st.DataObject, document: ast.Document, readable: bool
) -> None:
    text = write_readable(sayable(document)) if readable else unparse(sayable(document))
    text = data.draw(commented(text))
    if not is_broken(text):
        check(text)


@given(syntax.documents)
@example(ast.Document(group=ast.Group(())))
def test_what_the_writers_write_stays_as_it_is(document: ast.Document) -> None:
    document = sayable(document)
    assert format_text(unparse(document)) == unparse(document)
    readable = write_readable(document)
    if "Document(" not in readable:  # else it is laid out as plain RIF
        assert format_text(readable) == readable


@given(st.data())
def test_comments_of_readable_rules_stay(data: st.DataObject) -> None:
    assert format_text(RULES) == RULES
    text = data.draw(commented(RULES))
    if not is_broken(text):
        check(text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_rule_files_say_the_same(path) -> None:
    check(path.read_text("utf-8"))


CLAUSES = """\
# of ovens

(* prose *) PREFIX ex: <urn:ex:>
@window 10m . (* of a reading *)
(* ex:r1 *) ?x[ex:hot->1]:-?x # ex:Oven.   (* why *)  (* two *)
# a line


?x[ex:a->?v] :- ?x[ex:b -> ?v],
# inside
   not ?x[ex:c->?w]. (* of
  lines *)   ex:p(1).
Group( ex:q(1). ).
# end


"""
CLAUSES_LAID_OUT = """\
# of ovens

(* prose *)
@prefix ex: <urn:ex:> .
@window 10 m . (* of a reading *)

(* ex:r1 *)
?x[ex:hot -> 1] :- ?x # ex:Oven. (* why *) (* two *)
# a line

?x[ex:a->?v] :- ?x[ex:b -> ?v],
# inside
   not ?x[ex:c->?w]. (* of
  lines *)
ex:p(1).
Group( ex:q(1). ).
# end
"""
DOCUMENT = """\
(* <urn:m> *) (* prose *) Document( (* here *)
Prefix(ex <urn:ex:>)   (* <urn:i> *) Import(<a.rif>)
 5 s
# a line
 (* of
all *) Group( (* first *) Forall ?x ( ex:p(?x):-?x[ex:a->1] ) (* behind *) ex:a(1). ex:b(2)

  (* ex:g *)

  Group( ex:a(3) (* in *)
     ex:q( (* inside *) 1 ) (* before *) )

 (* last *) ) (* after *)

 ) (* end *)
"""
DOCUMENT_LAID_OUT = """\
(* prose *)
(* <urn:m> *)
Document(
  (* here *)
  Prefix(ex <urn:ex:>)
  (* <urn:i> *)
  Import(<a.rif>)
  Window(5 s)
# a line
  (* of
all *)
  Group(
    (* first *)
    Forall ?x (
      ex:p(?x) :-
        ?x[ex:a -> 1]
    ) (* behind *)
    ex:a(1)
    ex:b(2)

    (* ex:g *)
    Group(
      ex:a(3) (* in *)
      ex:q( (* inside *) 1 ) (* before *)
    )

    (* last *)
  ) (* after *)
) (* end *)
"""


@pytest.mark.parametrize(
    ("text", "laid_out"), [(CLAUSES, CLAUSES_LAID_OUT), (DOCUMENT, DOCUMENT_LAID_OUT)]
)
def test_the_layout_of_a_text_with_comments(text: str, laid_out: str) -> None:
    assert check(text) == laid_out


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_line_ends_stay(end: str) -> None:
    assert format_text(CLAUSES.replace("\n", end)) == CLAUSES_LAID_OUT.replace("\n", end)


@pytest.mark.parametrize("text", ["", "# no rules\n", "<urn:p>(1", "ex:p(1)."])
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(RuleErrors):
        format_text(text)
