"""N-Quads to ids: what pyoxigraph says of each line alone is what comes out, on both back ends."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from unittest.mock import patch

import numpy as np
import pyoxigraph as ox
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rete.arrays.term_columns import ALIASES, META, TOP
from rete.kernels import Backend
from rete.terms.dictionary import Dictionary
from rete.terms.nquads import read_nquads
from rif.syntax.terms import IRI, XSD_STRING, BlankNode, Literal
from tests.simulation.dictionary_check import check_dictionary

BACKENDS: list[Backend] = ["pure", "compiled"]
MASS = max(20_000, 300 * settings().max_examples)
"""How many random lines `make test` compares; 900,000 if the profile is thorough."""
UNSUPPORTED = {"triple terms are not supported yet", "base directions are not supported yet"}

LINES = [
    b'<http://example.org/o1> <http://example.org/price> "12.5"^^<http://www.w3.org/2001/XMLSchema#decimal> <http://example.org/g1> .',  # noqa: E501
    b"<http://example.org/o1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://example.org/Offer> <http://example.org/g1> .",  # noqa: E501
    b'<http://example.org/g1> <http://www.w3.org/ns/prov#generatedAtTime> "2026-01-01T00:00:00.010Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .',  # noqa: E501
    b'_:b0 <http://example.org/p?q=1&r=%20#f> "a \\"quoted\\" \\\\ text\\n"@en-us _:g .',
    b'<urn:x:y> <a:b> "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"@de .  # comment',
    b'<urn:x:y><a:b>"tight"<urn:g>.',
    b'\t<urn:x:y>\t<a:b>\t"x"^^<http://www.w3.org/2001/XMLSchema#string>\t<urn:g>\t.\t\r',
    b'<http://h:80/a> <http://u@h/> "\\u00E9\\U0001F600\\t\\b\\f\\r\\\'"@EN-GB <http://[::1]/> .',
    b"_:a.b <a:b> _:c-d. # a.b is a label",
    b'<http://\xc3\xa9.org/\xc3\xa9?\xc3\xa9#\xc3\xa9> <a:\\u00e9> "\x01\x7f\x08 raw" .',
    b'<a:b> <a:b> <<( <a:b> <a:b> "triple" )>> .',
    b'<a:b> <a:b> "dir"@en--ltr .',
    b'<a:b> <a:b> "x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .',
    b"# only a comment",
    b"# \xff a comment of any bytes",
    b"",
    b" \t",
    b'"literal" <a:b> <a:b> .',
    b"<a:b> _:b <a:b> .",
    b'<a:b> <a:b> <a:b> "graph" .',
    b"<a:b> <a:b> <a:b> <a:b> <a:b> .",
    b'<a:b> <a:b> "x" ^^ <a:b> .',
    b'<a:b> <a:b> "x" @en .',
    b'<a:b> <a:b> "x"^^ <a:b> . . ',
    b'<a:b> <a:b> "x" . <a:b> <a:b> "y" .',
    b'\xef\xbb\xbf<a:b> <a:b> "bom" .',
    b'<a:b> <a:b> "\\uD800" .',
    b'<a:b> <a:b> "\xed\xa0\x80\xc0\x80\xff" .',
    b"<relative> <a:b> <a:b> .",
    b"@prefix a: <a:b> .",
    b'<a:b> <a:b> "unfinished',
    b'<a:b> <a:b> "zh"@zh-hant-tw .',
    b'<a:b> <a:b> "bad"@e-x- .',
]
ODD_BYTES = b"<>\"\\_:.@^ \t\r\n#%?/[]{}|`'-+!$&()*,;=~0aZ\x00\x0b\x1f\x7f\x80\xff"
SPICE = [
    *(bytes([byte]) for byte in ODD_BYTES),
    *[b"^^", b"<<(", b")>>", b"//", b":80", b"\\u00e9", b"\\U0010ffff", b"\\n", b"--", b"@EN"],
    *[b"\xc2\xa0", b"\xed\x9f\xbf", b"\xee\x80\x80", b"\xef\xbf\xbf", b"\xe0\x80\x80"],
    *[b"\xf4\x8f\xbf\xbf", b"\xf4\x90\x80\x80"],
    *[b" . ", b"_:b", b"<a:b>", b'"x"', b"http://", b"%41", b"\r\n"],
]


@dataclass
class Expected:
    """What a text says, line by line."""

    rows: list[tuple[str, ...]] = field(default_factory=list)
    faults: list[tuple[int, int, int]] = field(default_factory=list)
    unsupported: int = 0
    lines: int = 0


def canonical(term: object, document: int) -> str:
    match term:
        case ox.NamedNode():
            return str(IRI(term.value))
        case ox.BlankNode():
            return str(BlankNode(f"d{document}_{term.value}"))
        case ox.Literal() if term.direction is None:
            return str(Literal(term.value, term.datatype.value, (term.language or "").lower()))
        case ox.DefaultGraph():
            return ""
    raise NotImplementedError


def oracle(text: bytes, document: int, form: ox.RdfFormat = ox.RdfFormat.N_QUADS) -> Expected:
    expected = Expected()
    offset = 0
    for piece in re.split(rb"(\r\n|\n|\r)", text):
        if piece in {b"\r\n", b"\n", b"\r"}:
            offset += len(piece)
            expected.lines += 1
            continue
        ended = offset + len(piece) < len(text)
        if not piece.strip(b" \t"):
            if ended or piece:
                expected.rows.append(())
        else:
            try:
                quads = list(ox.parse(piece, format=form))
                rows = [tuple(canonical(term, document) for term in quad) for quad in quads]
                expected.rows += [row if len(row) == 4 else (*row, "") for row in rows]
            except (SyntaxError, NotImplementedError) as error:
                expected.faults.append((len(expected.rows), expected.lines, offset))
                expected.unsupported += isinstance(error, NotImplementedError)
        offset += len(piece)
        expected.lines += not ended and bool(piece)
    return expected


VALID = [line for line in LINES if oracle(line, 1).rows]


def said(
    terms: Dictionary, text: bytes, document: int, *, cut: int = 0, triples: bool = False
) -> Expected:
    """What reading gives, ``cut`` bytes at a time."""
    found = Expected()
    carry, at, start = b"", 0, 0
    final = False
    while not final:
        part = text[at : at + cut] if cut else text
        at += len(part)
        final = at == len(text)
        chunk = carry + part
        quads = read_nquads(terms, chunk, document, final=final, triples=triples)
        first = len(found.rows)
        found.faults += [
            (first + fault.row, found.lines + fault.line, start + fault.offset)
            for fault in quads.faults
        ]
        found.unsupported += sum(fault.message in UNSUPPORTED for fault in quads.faults)
        found.rows += [text_of(terms, row) for row in quads.rows.tolist()]
        found.lines += quads.lines
        start += quads.consumed
        carry = chunk[quads.consumed :]
    assert not carry
    return found


def text_of(terms: Dictionary, row: list[int]) -> tuple[str, ...]:
    if row == [-1, -1, -1, -1]:
        return ()
    return tuple(terms.decode(term) if term else "" for term in row)


def mutate(lines: list[bytes], rng: random.Random, count: int) -> list[bytes]:
    """Lines with one to three small changes each."""
    result = []
    for _ in range(count):
        line = bytearray(rng.choice(lines))
        for _ in range(rng.randint(1, 3)):
            at = rng.randint(0, len(line))
            width = rng.choice([0, 0, 1, 1, 2, 5, 20])
            what = rng.random()
            if what < 0.6:
                line[at : at + width] = rng.choice(SPICE)
            elif what < 0.8:
                other = rng.choice(lines)
                start = rng.randint(0, len(other))
                line[at : at + width] = other[start : start + rng.randint(0, 30)]
            else:
                line[at : at + width] = bytes([rng.randrange(256)])
        result.append(bytes(line))
    return result


def both() -> list[Dictionary]:
    try:
        return [Dictionary(backend) for backend in BACKENDS]
    except ImportError:
        return [Dictionary("pure")]


def agree(terms: list[Dictionary]) -> None:
    """All of them hold the same terms under the same ids, in the same order."""
    first = terms[0].texts
    for other in terms:
        check_dictionary(other)
        texts = other.texts
        top = int(first.state[TOP])
        assert texts.state[: ALIASES + 1].tolist() == first.state[: ALIASES + 1].tolist()
        assert np.array_equal(texts.entries[:top, META], first.entries[:top, META])
        assert np.array_equal(texts.last[:top], first.last[:top])
        ids = np.flatnonzero(first.entries[:top, META])
        assert other._columns.decode(texts, ids) == terms[0]._columns.decode(first, ids)


def test_every_kind_of_line_is_what_the_parser_says(backend: Backend) -> None:
    text = b"\n".join(LINES)
    terms = Dictionary(backend)
    assert said(terms, text, 3) == oracle(text, 3)
    check_dictionary(terms)


@pytest.mark.parametrize("count", [5_000, pytest.param(MASS, marks=pytest.mark.slow)])
def test_mutated_lines_are_what_the_parser_says(count: int) -> None:
    rng = random.Random(20260101)  # noqa: S311 - no secret
    terms = both()
    lines = LINES
    accepted = 0
    for document in range(1, count // 500 + 1):
        mutants = mutate(lines, rng, 500)
        text = b"\n".join(mutants)
        expected = oracle(text, document)
        for each in terms:
            assert said(each, text, document, cut=rng.choice([0, 700, 5000])) == expected
        if document % 10 == 0:
            agree(terms)
        accepted += len(expected.rows)
        # What was accepted is changed further, so that half of the lines are statements.
        good = [each for each in mutants if len(each) < 400 and oracle(each, 1).rows]
        lines = LINES + VALID * 3 + good[:200]
    assert accepted > count // 4


PARTS = [
    *(bytes([byte]) for byte in b"abcXYZ019-._~!$&'()*+,;=:@/"),
    *[b"%4f", b"%", "é".encode(), b"?", b"#", b"//", b"[", b"\xc2\x80", b"\xef\xa4\x80", b" "],
]
HEADS = [
    b"http://",
    b"http://h.org",
    b"http://h:8",
    b"urn:",
    b"a:",
    b"a+1:/",
    b"1:",
    b"",
    b"//",
    b"a",
]
LETTERS = ["abcx", "ABCx", "019", "a1"]


def iri(rng: random.Random) -> bytes:
    """Something like an IRI: most are one, the others nearly."""
    return b"<" + rng.choice(HEADS) + b"".join(rng.choices(PARTS, k=rng.randrange(9))) + b">"


def tag(rng: random.Random) -> bytes:
    """Something like a language tag."""
    sizes = rng.choices([0, 1, 2, 2, 3, 4, 4, 5, 8, 9], k=rng.choice([1, 1, 2, 2, 3, 4]))
    parts = ["".join(rng.choices(rng.choice(LETTERS), k=size)) for size in sizes]
    return b"@" + "-".join(parts).encode()


@pytest.mark.parametrize("count", [3_000, pytest.param(MASS, marks=pytest.mark.slow)])
def test_iris_and_tags_are_accepted_as_the_parser_accepts_them(count: int) -> None:
    rng = random.Random(7)  # noqa: S311 - no secret
    lines = []
    for _ in range(count // 2):
        lines.append(b"<a:b> <a:b> " + iri(rng) + b" .")
        suffix = tag(rng) if rng.random() < 0.7 else b"^^" + iri(rng)
        lines.append(b'<a:b> <a:b> "x"' + suffix + b" .")
    text = b"\n".join(lines)
    expected = oracle(text, 1)
    terms = both()
    for each in terms:
        assert said(each, text, 1, cut=1 << 17) == expected
    agree(terms)


piece = st.sampled_from(SPICE) | st.binary(max_size=3) | st.sampled_from(b" ".join(LINES).split())
line = st.sampled_from(LINES) | st.lists(piece, max_size=6).map(b" ".join)


@given(
    lines=st.lists(line, max_size=12),
    ends=st.sampled_from([b"\n", b"\r\n", b"\r"]),
    cut=st.integers(1, 300),
    triples=st.booleans(),
)
@example(lines=[b"", b"", b""], ends=b"\r", cut=1, triples=False)
@example(lines=[b"<a:b> <a:b> <a:b> .", b""], ends=b"\r\n", cut=20, triples=False)
def test_any_text_cut_anywhere_is_what_the_parser_says(lines, ends, cut, triples) -> None:
    text = ends.join(lines)
    form = ox.RdfFormat.N_TRIPLES if triples else ox.RdfFormat.N_QUADS
    expected = oracle(text, 1, form)
    terms = both()
    for each in terms:
        assert said(each, text, 1, cut=cut, triples=triples) == expected
    agree(terms)


def test_a_fourth_term_is_a_fault_of_n_triples(backend: Backend) -> None:
    quads = read_nquads(Dictionary(backend), b"<a:b> <a:b> <a:b> <a:g> .\n", 1, triples=True)
    assert len(quads.rows) == 0
    assert len(quads.faults) == 1


def test_what_is_not_supported_yet_says_so(backend: Backend) -> None:
    text = b'<a:b> <a:b> "x"@ar--rtl .\n<a:b> <a:b> <<( <a:b> <a:b> <a:b> )>> .\n'
    quads = read_nquads(Dictionary(backend), text, 1)
    assert [fault.message for fault in quads.faults] == [
        "base directions are not supported yet",
        "triple terms are not supported yet",
    ]


def test_a_fault_has_its_place_and_its_reason(backend: Backend) -> None:
    text = b"<a:b> <a:b> <a:b> .\n\n# c\n<a:b> <a:b> .\n<a:b> <a:b> <a:c> .\n"
    (fault,) = read_nquads(Dictionary(backend), text, 1).faults
    assert (fault.row, fault.line, fault.offset) == (2, 3, 25)
    assert "must be an IRI, a blank node or a literal" in fault.message
    assert "line 1" not in fault.message


def test_the_same_malformed_line_is_parsed_once(backend: Backend) -> None:
    text = b"x\n" * 3 + b"<a:b> <a:b> <a:b> .\n" + b"y\nx\n"
    with patch.object(ox, "parse", wraps=ox.parse) as parse:
        found = read_nquads(Dictionary(backend), text, 1).faults
    parsed = [call.args[0] for call in parse.call_args_list]
    places = [(0, 0, 0), (0, 1, 2), (0, 2, 4), (1, 4, 26), (1, 5, 28)]
    assert [(fault.row, fault.line, fault.offset) for fault in found] == places
    assert len({fault.message for fault in (*found[:3], found[4])}) == 1
    assert (parsed.count(b"x"), parsed.count(b"y")) == (1, 1)


def test_malformed_lines_that_come_again_have_places_of_their_own(backend: Backend) -> None:
    rng = random.Random(20261127)  # noqa: S311 - no secret
    lines = [b"x", b"y .", b" x", b"", b"# c", b"<a:b> <a:b> <a:b> .", b"<a:b> <a:b> .", b"x\r"]
    ends = [b"\n", b"\n", b"\r\n", b"\r"]
    text = b"".join(
        (rng.choice(lines) * rng.choice([1, 1, 2]) + rng.choice(ends)) * rng.choice([1, 1, 1, 1000])
        for _ in range(200)
    )
    expected = oracle(text, 1)
    assert len(expected.faults) > 200
    assert said(Dictionary(backend), text, 1) == expected
    assert said(Dictionary(backend), text, 1, cut=9973) == expected


def test_an_incomplete_line_is_left_to_the_caller(backend: Backend) -> None:
    terms = Dictionary(backend)
    quads = read_nquads(terms, b"<a:b> <a:b> <a:b> .\n<a:b> <a:b> <a:", 1)
    assert (quads.consumed, quads.lines, len(quads.rows)) == (20, 1, 1)
    assert read_nquads(terms, b"<a:b> <a:b> <a:", 1).consumed == 0
    assert read_nquads(terms, b"<a:b> <a:b> <a:b> .\r", 1).consumed == 0  # half of CR LF, perhaps
    assert len(read_nquads(terms, b"<a:b> <a:b> <a:b> .", 1, final=True).rows) == 1


def test_each_odd_spelling_is_parsed_once(backend: Backend, monkeypatch) -> None:
    terms = Dictionary(backend)
    line = b'<a:\\u00e9> <a:b> "x"@EN <a:g> .\n'
    first = read_nquads(terms, line, 1).rows
    monkeypatch.setattr(ox, "parse", None)
    again = read_nquads(terms, line * 3 + b'<a:b> <a:\\u00e9> "x"@EN .\n', 1).rows
    assert (again[:3] == first[0]).all()
    assert again[3].tolist() == [first[0][1], first[0][0], first[0][2], 0]
    assert terms.decode(int(first[0][2])) == '"x"@en'


def test_what_stands_in_the_dictionary_is_no_licence_for_bad_tokens(backend: Backend) -> None:
    terms = Dictionary(backend)
    terms.encode_many(["<not an IRI>", '"x"^^<relative>', "_:d1_b"])
    text = b'<not an IRI> <a:b> <a:b> .\n<a:b> <a:b> "x"^^<relative> .\n_:d1_b <a:b> <a:b> .\n'
    quads = read_nquads(terms, text, 2)
    assert [fault.line for fault in quads.faults] == [0, 1]
    assert terms.decode(int(quads.rows[0, 0])) == "_:d2_d1_b"


def test_labels_belong_to_their_document(backend: Backend) -> None:
    terms = Dictionary(backend)
    rows = [read_nquads(terms, b"_:x <a:b> _:x _:x .\n", document).rows[0] for document in (1, 12)]
    assert [terms.decode(int(row[0])) for row in rows] == ["_:d1_x", "_:d12_x"]
    assert rows[0][0] == rows[0][2] == rows[0][3]


def test_a_string_with_its_datatype_is_the_plain_one(backend: Backend) -> None:
    terms = Dictionary(backend)
    text = f'<a:b> <a:b> "x"^^<{XSD_STRING}> .\n<a:b> <a:b> "x" .\n'.encode()
    rows = read_nquads(terms, text, 1).rows
    assert rows[0, 2] == rows[1, 2]


def test_long_tokens_pass(backend: Backend) -> None:
    terms = Dictionary(backend)
    label, word = "l" * 5000, "w" * 3_000_000
    text = f'_:{label} <a:{label}> "{word}" .\n_:{label} <a:b> "\\u0041{word}" .\n'.encode()
    quads = read_nquads(terms, text, 1)
    assert not quads.faults
    assert terms.decode_many(quads.rows[1, [0, 2]]) == [f"_:d1_{label}", f'"A{word}"']
    assert quads.rows[0, 0] == quads.rows[1, 0]


@pytest.mark.parametrize("line", [b"<\n", b'"\n', b'"\\', b'<a:b> <a:b> "\\\\', b"_:", b"#"])
def test_a_hostile_text_costs_no_more_than_its_length(backend: Backend, line: bytes) -> None:
    text = line * (50_000 // len(line))
    quads = read_nquads(Dictionary(backend), text, 1, final=True)
    assert quads.consumed == len(text)


def test_nested_triple_terms_do_not_exhaust_the_parser(backend) -> None:
    nested = b"<<( " * 200_000
    quoted = b'<a:b> <a:b> "' + b"<<" * 1000 + b'" .\n'
    found = read_nquads(Dictionary(backend), nested + b"\n" + quoted, 1, final=True)
    assert len(found.faults) == 1
    assert len(found.rows) == 1
