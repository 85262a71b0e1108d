"""Cutting Turtle and TriG into statements loses nothing, wherever the text is cut in transit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from unittest.mock import Mock, patch

import pyoxigraph as ox
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from r4.errors import Flaw
from r4.rdf import turtle_splitter
from r4.rdf.chunks import Chunk
from r4.rdf.files import UNBOUNDED
from r4.rdf.gates.input_limits import LONGEST
from r4.rdf.turtle import TurtleReader
from r4.rdf.turtle_splitter import StatementSplitter
from rete.arrays.state_codec import StateReader
from rete.terms.dictionary import Dictionary

TRIG = ox.RdfFormat.TRIG
BASE = "http://base/"

STATEMENTS = [
    b"@prefix a: <urn:> .",
    b"@base <http://other/> .",
    b"PREFIX b.c: <urn:b:>",
    b"prefix : <urn:n:>",
    b"BaSe <http://third/>",
    b"<s> <p> <o>.",
    b"<s> <p> <o#x.y> .",
    b"a:s a:p a:o.",
    b"a:s a:p a:o.p , a:o..q.",
    b"a:s a:p b.c:d.",
    b":s :p :o, 1.5, 2, .5, 1.e5, 1., -3.2e-5, +7 .".replace(b" 1.,", b""),
    b":s a 5.",
    b":s :p 5.0.",
    b':s :p "a.b", "a\\".b", "" , "{", "}", "#" .',
    b":s :p 'a.b', 'it\\'s', '', '{.}' .",
    b':s :p """a.\n"b" ""c. \\""" """ , """""", """\n{}.\n""" .',
    b":s :p '''a.\n'b' ''c.''' .",
    b':s :p "x"@en.',
    b':s :p "x"@en-us, "y"^^a:dt.z, "z"^^<urn:dt.> .',
    b"_:b.1 :p _:c.",
    b":s :p [ :q 1.5 ; :r [ ] ] , ( 1 2. 3 ) .".replace(b" 2.", b" 2.0"),
    b"[ :p :o ] .",
    b"[] :p :o .",
    b"( 1 ) :p :o .",
    b"# a comment. with { and \" and ' and <\n:s :p :o # another .\n .",
    b":s :p :o ; ; :q :r ; .",
    b":s :p a:esc\\.aped, a:100%25, a:x-y, a:\\', :\xc3\xa9.\xc3\xa9 .",
    b":s :p true.",
    b"{ :s :p :o . :t :p :o }",
    b":g { :s :p :o }",
    b"GRAPH :g { :s :p 1.5 . }",
    b"_:g { }",
    b"[] { :s :p :o . }",
    b":g { :s :p '''}''' . # }\n :s :p \"}\" }",
]
HEAD = b"@prefix a: <urn:> . PREFIX b.c: <urn:b:>\nprefix : <urn:n:>\n"


def statements() -> st.SearchStrategy[list[bytes]]:
    return st.lists(st.sampled_from(STATEMENTS), max_size=6)


def pieces(text: bytes, cuts: Sequence[int]) -> list[bytes]:
    bounds = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    return [text[a:b] for a, b in pairwise(bounds)]


def split(parts: Sequence[bytes]) -> list[bytes]:
    splitter = StatementSplitter()
    found = []
    for number, part in enumerate([*parts, b""]):
        text, ends = splitter.feed(part, final=number == len(parts))
        assert not ends or ends[-1] == len(text)
        begins = [0, *ends[:-1]]
        found += [text[a:b] for a, b in zip(begins, ends, strict=True)] if ends else []
    return found


class Parts:
    """A source that delivers given pieces."""

    name = "text"
    live = False
    whole = True
    bounds = UNBOUNDED

    def __init__(self, parts: Sequence[bytes]) -> None:
        self._parts = iter([part for part in parts if part])

    def read(self) -> bytes:
        return next(self._parts, b"")


class Stopped(Parts):
    """A source whose reader is stopped behind the last piece."""

    def read(self) -> bytes:
        if part := super().read():
            return part
        raise EOFError


def read(parts: Sequence[bytes], dictionary: Dictionary) -> Iterator[Chunk]:
    """The chunks in which there is something."""
    reader = TurtleReader(dictionary, 1, TRIG, BASE)
    chunks = reader.chunks(Parts(parts))  # type: ignore[arg-type]
    return (chunk for chunk in chunks if len(chunk.rows) or chunk.faults)


def texts(chunks: Sequence[Chunk], dictionary: Dictionary) -> list[tuple[str, ...]]:
    rows = [row for chunk in chunks for row in chunk.rows.tolist()]
    return [tuple(dictionary.decode(term) if term else "" for term in row) for row in rows]


@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_sample_is_valid(statement) -> None:
    list(ox.parse(HEAD + statement, TRIG, base_iri=BASE))


@given(
    chosen=statements(),
    gap=st.sampled_from([b" ", b"\n", b"\r\n# c.\n"]),
    cuts=st.lists(st.integers(0, 400), max_size=5),
)
@example(chosen=[b"a:s a:p a:o.p , a:o..q."], gap=b" ", cuts=[9])
@example(chosen=[b"a:s a:p a:o.", b"PREFIX b.c: <urn:b:>", b"{ }"], gap=b"\r\n# c.\n", cuts=[16])
def test_statements_are_found_wherever_the_text_is_cut(chosen, gap, cuts) -> None:
    text = gap.join(chosen)
    found = split(pieces(text, cuts))
    expected = [gap + statement if i else statement for i, statement in enumerate(chosen)]
    assert found == expected


@given(chosen=statements())
@example(chosen=[b":s :p 1.e5 ."])
@example(
    chosen=[b".Time> .Time> . . .e5 .E+ ..x", b".1 .. .e", b"a:b.c .# c", b"1.e+", b"}.{.e}.<"]
)
def test_cutting_at_every_byte_changes_nothing(chosen) -> None:
    text = b"\n".join(chosen)
    assert split([text[i : i + 1] for i in range(len(text))]) == split([text])


@given(chosen=statements(), cuts=st.lists(st.integers(0, 400), max_size=5))
def test_what_is_read_is_what_the_parser_reads(chosen, cuts) -> None:
    text = HEAD + b"\n".join(chosen)
    dictionary = Dictionary()
    chunks = list(read(pieces(text, cuts), dictionary))
    found = ox.Dataset(
        quad
        for row in texts(chunks, dictionary)
        for quad in ox.parse(f"{' '.join(row)} .", ox.RdfFormat.N_QUADS)
    )
    expected = ox.Dataset(ox.parse(text, TRIG, base_iri=BASE))
    for dataset in (found, expected):
        dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    assert found == expected
    assert not [fault for chunk in chunks for fault in chunk.faults]


@given(chosen=statements(), cuts=st.lists(st.integers(0, 400), max_size=5))
def test_names_and_order_do_not_depend_on_the_cuts(chosen, cuts) -> None:
    text = HEAD + b"\n".join(chosen)
    dictionary = Dictionary()
    whole = texts(list(read([text], dictionary)), dictionary)
    assert texts(list(read(pieces(text, cuts), dictionary)), dictionary) == whole


@given(junk=st.binary(max_size=40), cuts=st.lists(st.integers(0, 80), max_size=4))
def test_junk_ends_no_reading(junk, cuts) -> None:
    dictionary = Dictionary()
    found = list(read(pieces(HEAD + junk, cuts), dictionary))
    assert texts(found, dictionary) == texts(list(read([HEAD + junk], dictionary)), dictionary)


@pytest.mark.parametrize(
    "bad",
    [
        b":s :p .",
        b":s :p :o ; bad .",
        b"nope:s :p :o .",
        b':s :p "unclosed .\n .',
        b":s :p <a b> .",
        b":g { :s :p :o . :s :p }",
        b":g { :s { } ",
        b"}",
        b"<urn:unclosed\n :p :o .",
        b':s :p "\xff" .',
        b":s :p \x00 .",
    ],
)
def test_a_malformed_statement_is_left_out_alone(bad) -> None:
    dictionary = Dictionary()
    good = b":a :b :c .\n"
    chunks = list(read([HEAD + good + bad + b"\n" + good], dictionary))
    (chunk,) = chunks
    assert {fault.flaw for fault in chunk.faults} == {Flaw.SYNTAX}
    assert {fault.line for fault in chunk.faults} <= {4, 5}
    assert texts(chunks, dictionary) == [("<urn:n:a>", "<urn:n:b>", "<urn:n:c>", "")] * 2
    assert chunk.lines.line_of(0) == 3
    assert chunk.lines.line_of(1) in {5, 6}


def test_an_unfinished_end_is_a_fault() -> None:
    chunks = list(read([b"<urn:a> <urn:b> <urn:c> . <urn:a> <urn:b>"], Dictionary()))
    assert [len(chunk.rows) for chunk in chunks] == [1, 0]
    assert [fault.flaw for chunk in chunks for fault in chunk.faults] == [Flaw.SYNTAX]


def test_unsupported_terms_are_left_out_of_their_statement() -> None:
    text = (
        b"<urn:s> <urn:p> <<( <urn:a> <urn:b> <urn:c> )>> , 'x'@en--ltr , 'x'@EN ;\n"
        b" <urn:q> 1 {| <urn:r> 2 |} .\n<urn:s> <urn:p> 3 .\n"
    )
    dictionary = Dictionary()
    (chunk,) = read([text], dictionary)
    assert [fault.flaw for fault in chunk.faults] == [Flaw.UNSUPPORTED_TERM] * 3
    assert {fault.line for fault in chunk.faults} == {1}
    assert texts([chunk], dictionary)[0] == ("<urn:s>", "<urn:p>", '"x"@en', "")
    assert chunk.lines.line_of(len(chunk.rows) - 1) == 3


def test_a_statement_is_handed_on_as_soon_as_it_is_whole() -> None:
    splitter = StatementSplitter()
    assert splitter.feed(b":g { :s :p :o }")[1] == [15]
    assert splitter.feed(b" :s :p :o .")[1] == []
    assert splitter.feed(b"\n")[1] == [11]
    assert splitter.feed(b"PREF")[1] == []
    assert splitter.feed(b"IX a: <urn:>")[1] == [17]
    assert splitter.feed(b" Pre:fix a 1 .\n")[1] == [14]


LONG = [
    *("'{}'", '"{}"', "'''{}'''", '"""{}"""', "<{}>", "a:{}", "{}", "a:{}.b", "'{}'@en"),
    *("'a\\'{}'", "'''a'\n{}'''", '"""a"" .\n{}\\"""""'),
]
"""Terms of Turtle that are longer than is read, with a place for digits."""


def even_pieces(text: bytes, size: int) -> list[bytes]:
    """A text, cut into pieces of some bytes."""
    return pieces(text, range(size, len(text), size))


@pytest.mark.parametrize("graph", ["{}", "<g> {{ {} <a> <b> <c> }}"], ids=["default", "block"])
@pytest.mark.parametrize("term", LONG)
@pytest.mark.parametrize("size", [1, 7, 20, 64])
def test_a_statement_with_a_long_term_is_left_out_alone(
    monkeypatch: pytest.MonkeyPatch, graph: str, term: str, size: int
) -> None:
    monkeypatch.setattr("r4.rdf.turtle.LONGEST_TOKEN", 100)
    monkeypatch.setattr("r4.rdf.turtle_splitter._LONG_RUN", 40)
    long = graph.format(f"<s> <p> {term.format('1' * 300)} . <d> <e> <f>, 'x' .")
    text = f"<s> <p> <o> .\n<g> {{ <s> <p> 2 }}\n{long}\n<s> <p> 4 . x .".encode()
    dictionary = Dictionary()
    found = list(read(even_pieces(text, size), dictionary))
    first, last, *more = [fault for chunk in found for fault in chunk.faults]
    assert (first.flaw, first.message) == (Flaw.SYNTAX, "a term of more than 100 bytes")
    assert first.line == 3
    assert (last.line, more) == (4 + term.count("\n"), [])
    objects = [row[2] for row in texts(found, dictionary)]
    integer = '"{}"^^<http://www.w3.org/2001/XMLSchema#integer>'.format
    between = ["<d>"] if graph == "{}" else []
    assert [each for each in objects if each not in {"<http://base/f>", '"x"'}] == [
        "<http://base/o>",
        integer(2),
        integer(4),
    ]
    assert ("<http://base/f>" in objects) == bool(between)


@pytest.mark.parametrize("size", [1, 7, 20])
def test_a_long_statement_is_left_out_alone(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr("r4.rdf.turtle.LONGEST", 100)
    text = b"<g> { <s> <p> 1 }\n<g> {" + b" <s> <p> 2 .\n" * 20 + b"}\n<g> { <s> <p> 3 } x ."
    found = list(read(even_pieces(text, size), Dictionary()))
    assert sum(len(chunk.rows) for chunk in found) == 2
    first, last = [fault for chunk in found for fault in chunk.faults]
    assert (first.flaw, first.message) == (Flaw.SYNTAX, "a statement of more than 100 bytes")
    assert last.line == 23


@pytest.mark.parametrize("size", [1, 7, 20])
def test_a_comment_may_be_long(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr("r4.rdf.turtle.LONGEST_TOKEN", 100)
    long = b"#" + b"1 . " * 100
    text = b"<s> <p> 1 .\n" + long + b"\n<s> " + long + b"\n <p> 2 . x ." + long
    found = list(read(even_pieces(text, size), Dictionary()))
    assert sum(len(chunk.rows) for chunk in found) == 2
    assert [fault.line for chunk in found for fault in chunk.faults] == [4]
    assert LONGEST > 100


@pytest.mark.parametrize("stop", range(30, 480, 30))
@pytest.mark.parametrize("term", LONG)
def test_a_long_term_is_left_out_where_a_run_resumes_within_it(
    monkeypatch: pytest.MonkeyPatch, term: str, stop: int
) -> None:
    monkeypatch.setattr("r4.rdf.turtle.LONGEST_TOKEN", 100)
    monkeypatch.setattr("r4.rdf.turtle_splitter._LONG_RUN", 40)
    long = f"<g> {{ <s> <p> {term.format('1' * 300)} . <d> <e> <f> }}"
    text = f"<s> <p> <o> .\n{long}\n<s> <p> 4 . x .".encode()
    dictionary = Dictionary()
    right = list(read(even_pieces(text, 10), dictionary))
    first, second = (TurtleReader(dictionary, 1, TRIG, BASE) for _ in range(2))
    found: list[Chunk] = []
    with pytest.raises(EOFError):  # which leaves the chunks before it in the list
        found.extend(first.chunks(Stopped(even_pieces(text[:stop], 10))))  # type: ignore[arg-type]
    second.restore(StateReader(first.saved()))
    found += second.chunks(Parts(even_pieces(text[stop:], 10)))  # type: ignore[arg-type]
    assert texts(found, dictionary) == texts(right, dictionary)


def test_a_statement_of_too_many_nodes_is_left_out_alone(monkeypatch) -> None:
    monkeypatch.setattr("r4.rdf.turtle.MOST_NODES", 12)
    text = b"<s> <p> (1 2 3) . <s> <p> (1 2 3 4 5) . <s> <p> <o> ."
    chunks = list(read([text], Dictionary()))
    assert sum(len(chunk.rows) for chunk in chunks) == 2 * 3 + 1 + 1
    (fault,) = [fault for chunk in chunks for fault in chunk.faults]
    assert fault.message == "a statement that has blank nodes more than 12 times"


def test_deeply_nested_triple_terms_do_not_reach_the_parser() -> None:
    deep = b"<urn:s> <urn:p> " + b"<<( <urn:a> <urn:b> " * 200_000 + b" )>>" * 200_000 + b" .\n"
    chunks = list(read([deep + b"<urn:s> <urn:p> <urn:o> .\n"], Dictionary()))
    assert sum(len(chunk.rows) for chunk in chunks) == 1
    assert [fault.flaw for chunk in chunks for fault in chunk.faults] == [Flaw.SYNTAX]


def test_a_literal_may_hold_many_angle_brackets() -> None:
    text = b'<urn:s> <urn:p> "' + b"cout << " * 2000 + b'" .'
    assert [len(chunk.rows) for chunk in read([text], Dictionary())] == [1]


def test_a_run_of_dots_is_looked_at_once() -> None:
    with patch.object(turtle_splitter, "_DOTS", Mock(wraps=turtle_splitter._DOTS)) as dots:
        _, ends = StatementSplitter().feed(b"." * 1000 + b" x " + b"." * 10)
    assert dots.match.call_count == 2
    assert ends == [1000]


def test_dots_without_a_statement_are_one_malformed_statement() -> None:
    for cut in range(42):
        splitter, text = StatementSplitter(), b"<a> <b> <c> .... # .\n.. <d> <e> <f> . .."
        pieces = [splitter.feed(text[:cut]), splitter.feed(text[cut:], final=True)]
        found = [piece[begin:end] for piece, ends in pieces for begin, end in pairwise([0, *ends])]
        assert found == [b"<a> <b> <c> .", b"...", b" # .\n..", b" <d> <e> <f> .", b" .."]


def test_a_comment_that_ends_with_the_text_is_looked_at_once() -> None:
    right = StatementSplitter._scan_tokens
    text = b"<a b" + b"#c.d" * 1000
    with patch.object(StatementSplitter, "_scan_tokens", autospec=True, side_effect=right) as scan:
        assert StatementSplitter().feed(text, final=True) == (text, [len(text)])
    assert scan.call_count <= 3


def test_comments_that_came_before_are_not_looked_at_again() -> None:
    splitter, begun = StatementSplitter(), []
    gaps: list[int] = []
    rests: list[int] = []
    names = ("_GAPS", gaps), ("_COMMENT_REST", rests)
    for piece in [b"# a\n#"] * 3 + [b" b", b" c\n <urn:a>", b" <urn:b> <urn:c> .\n"]:
        splitter.feed(piece)
        with ExitStack() as stack:
            for name, starts in names:
                pattern = getattr(turtle_splitter, name)
                spy = Mock(
                    match=lambda *args, p=pattern, s=starts: s.append(args[1]) or p.match(*args)
                )
                stack.enter_context(patch.object(turtle_splitter, name, spy))
            begun.append(splitter.has_begun)
    assert begun == [False] * 4 + [True, False]
    assert gaps == [0, 8, 13, 19, 0]
    assert rests == [5, 10, 15, 17]


COMMENTS = st.sampled_from(["#", "\n", "\r", " ", "<urn:a>", ".", "{", "}", "BASE", '"', "# .\n"])


@given(st.lists(st.tuples(st.lists(COMMENTS, max_size=3), st.booleans(), st.booleans())))
def test_a_text_has_begun_if_more_than_space_and_comments_is_pending(
    pieces: list[tuple[list[str], bool, bool]],
) -> None:
    splitter = StatementSplitter()
    for tokens, final, asked in pieces:
        splitter.feed("".join(tokens).encode(), final=final)
        if asked:
            blank = turtle_splitter._BLANK.fullmatch(splitter.text)
            assert splitter.has_begun == (blank is None)


def test_tokens_without_space_are_looked_at_again_when_they_are_twice_as_many() -> None:
    splitter, parts, run = StatementSplitter(), 64, b"a" * turtle_splitter._LONG_RUN
    right = StatementSplitter._scan_tokens
    with patch.object(StatementSplitter, "_scan_tokens", autospec=True, side_effect=right) as scan:
        for _ in range(parts):
            assert splitter.feed(run) == (b"", [])
        assert scan.call_count <= 2 * parts.bit_length()
        text, ends = splitter.feed(b" }", final=True)
    assert ends == [len(text)] == [parts * len(run) + 2]


@pytest.mark.parametrize(
    "token", ['"%s"', "'%s'", '"""%s"""', "'''%s'''", "<urn:%s>", '"%s"^^<urn:t>']
)
@pytest.mark.parametrize("parts", [2, 9])
def test_a_statement_with_a_long_token_is_given_with_its_last_byte(token: str, parts: int) -> None:
    text = (f"<urn:s> <urn:p> {token}" % ("x" * (3 << 16))).encode()
    splitter, cut = StatementSplitter(), len(text) // (parts - 1)
    for begin in range(0, len(text), cut):
        assert splitter.feed(text[begin : begin + cut]) == (b"", [])
    assert splitter.feed(b".\n") == (text + b".", [len(text) + 1])
