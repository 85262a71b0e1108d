"""The gates before parsers: what is hostile is refused in linear time, the rest passes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from r4.rdf.gates import xml_gate
from r4.rdf.gates.input_limits import DEEPEST, turtle_fault
from r4.rdf.gates.json_gate import MOST_COPIED_IN_LINE, json_fault
from r4.rdf.gates.xml_gate import LONGEST_MARKUP, WellFormedPrefix, well_formed_prefix
from tests.r4.rdf.static_documents import XML, document, static


@pytest.mark.parametrize(
    ("suffix", "text", "reason"),
    [
        (".json", '{"urn:p":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
        (".rdf", XML % ("<rdf:Description><p>" * 100_000), "nested too deeply"),
        (
            ".rdf",
            '<!DOCTYPE r [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>' + XML % "",
            "more than plain entities",
        ),
        (".rdf", f'<!DOCTYPE r [<!ENTITY a "{"x" * 9999}">]>{XML % ("&a;" * 9999)}', "entities"),
    ],
)
def test_bombs_do_not_reach_the_parser(suffix, text, reason, tmp_path: Path) -> None:
    rows, counters = static(document(tmp_path, suffix, text))
    assert not rows
    assert reason in counters.samples["DAT103"][0].message


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE rdf:RDF [<!ENTITY xsd "http://www.w3.org/2001/XMLSchema#">]>' + XML % "",
        '<?xml version="1.0"?>\n<!-- <a> -->\n<!DOCTYPE rdf:RDF>' + XML % "",
        XML % ('<a b=">"/>' * 9999),
        XML % ("<!-- <a> -->" * 9999),
        XML % ("<![CDATA[<a>]]>" * 9999),
    ],
)
def test_harmless_xml_passes_the_gate_whole(text: str) -> None:
    assert well_formed_prefix(text.encode()) == WellFormedPrefix(len(text.encode()))


SCHEMA = {f"t{number}": f"schema:t{number}" for number in range(5000)}


@pytest.mark.parametrize(
    "text",
    [
        '{"a":"' + "{[" * 9999 + '"}',
        "[" + "{},[]," * 9999 + "0]",
        '{"a":"@context", "@context":"urn:c", "b":"' + '\\"' * 9999 + '"}',
        json.dumps({"@context": {"schema": "urn:s:", **SCHEMA}}),
        json.dumps({"@context": [None, {"a": {"@id": "b:c", "@context": SCHEMA}, "b": "urn:b:"}]}),
    ],
)
def test_harmless_json_passes_the_gate(text: str) -> None:
    assert not json_fault(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        "<" * 3_000_000,
        XML % ("<![" * 1_000_000),
        XML % ("<?" * 1_000_000),
        XML % ("<!--" * 1_000_000),
        "<!DOCTYPE r [" * 300_000,
        '<!DOCTYPE r [<!ENTITY a "' * 300_000,
        XML % ("<a b='" * 1_000_000),
    ],
    ids=["tags", "sections", "instructions", "comments", "doctypes", "entities", "attributes"],
)
def test_the_gate_reads_each_byte_of_xml_that_does_not_end_a_few_times(text: str) -> None:
    found = well_formed_prefix(text.encode())
    assert found.fault.startswith("no XML from here on")
    assert found.end < len(XML)


LONG = "x" * LONGEST_MARKUP


@pytest.mark.parametrize(
    "text",
    [
        f"<a b='{LONG}",
        f"<a {LONG}",
        f"<!--{LONG}",
        f"<?x {LONG}",
        f"<?x {LONG}{LONG}?><a/>",
        f'<!DOCTYPE r [<!ENTITY a "{LONG}',
        "<!DOCTYPE r [" + '<!ENTITY a "x">' * (LONGEST_MARKUP // 10) + "]><r/>",
        f"<r><!-- -->{LONG}<!--{LONG}{LONG}--></r>",
    ],
    ids=["value", "tag", "comment", "target", "instruction", "entity", "entities", "in-content"],
)
def test_markup_that_a_piece_of_xml_does_not_finish_is_looked_at_no_further(text: str) -> None:
    """Expat begins anew with such markup whenever it is given more: quadratic time."""
    found = well_formed_prefix(text.encode())
    assert found == WellFormedPrefix(0, 1, f"markup of more than {LONGEST_MARKUP} bytes is refused")


@pytest.mark.parametrize("begin", [0, 1, LONGEST_MARKUP // 2, LONGEST_MARKUP - 9, LONGEST_MARKUP])
def test_markup_as_long_as_a_piece_of_xml_passes_wherever_it_begins(begin: int) -> None:
    text = f"<r>{'y' * begin}<!--{LONG[13:]}--><a b='{LONG[20:]}'/>{LONG * 3}</r>".encode()
    assert well_formed_prefix(text) == WellFormedPrefix(len(text))


@pytest.mark.parametrize("text", ["y" * 40, "<b>y</b>" * 5, "<!-- y -->" * 4, "&lt;" * 10])
@pytest.mark.parametrize("kind", ["", " parseType='Literal'"])
def test_a_text_of_xml_has_a_greatest_length(
    text: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xml_gate, "LONGEST", 4 * LONGEST_MARKUP)
    monkeypatch.setattr(xml_gate, "EXPANSION", 1 << 40)
    for times, is_read in ((3, True), (6, "<b>" in text and not kind)):
        content = text * (times * LONGEST_MARKUP // len(text))
        found = well_formed_prefix(f"<r>{'<a/>' * 9}<a{kind}>{content}</a></r>".encode())
        why = "" if is_read else f"a text of more than {4 * LONGEST_MARKUP} bytes is refused"
        assert (found.fault, found.end > 0) == (why, is_read)


DEEP = "<rdf:Description><p>" * 1000


@pytest.mark.parametrize(
    "text",
    [
        f'<!DOCTYPE r [<!ENTITY a "]><rdf:RDF><!--">]>{XML % DEEP}',
        f"<!DOCTYPE r SYSTEM '[<!--'>{XML % DEEP}",
        f"<!DOCTYPE r [<!ENTITY a 'x'>]>{XML % DEEP}",
        f'<!DOCTYPE r [<!ENTITY\x85a "x">]>{XML % DEEP}',
        f'<!DOCTYPE r [<!ENTITY % a "x">]>{XML % DEEP}',
        f'<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>{XML % "&a;"}',
        f"<!DOCTYPE r [<!-- ]><r><!-- -->]>{XML % DEEP}",
        f'<!DOCTYPE r [<!ATTLIST a b CDATA "]>">]>{XML % DEEP}',
    ],
)
def test_nothing_hides_behind_a_doctype(text: str, tmp_path: Path) -> None:
    rows, counters = static(document(tmp_path, ".rdf", text))
    assert not rows
    assert counters.bad == {"DAT103": 1}


def test_what_follows_the_first_fault_of_xml_is_not_parsed(tmp_path: Path) -> None:
    faulty = (XML % "").replace("</rdf:RDF>", f"& {DEEP}</rdf:RDF>")
    rows, counters = static(document(tmp_path, ".rdf", faulty))
    assert len(rows) == 4
    assert counters.bad == {"DAT103": 1}
    sample = counters.samples["DAT103"][0]
    assert "no XML from here on: not well-formed" in sample.message
    assert sample.place.endswith("d.rdf:1")


def chain(length: int, last: str) -> dict[str, str]:
    terms = {f"p{number}": f"p{number + 1}:x" for number in range(length)}
    return {**terms, f"p{length}": last}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"@context": chain(9999, "urn:x"), "p0": "1"}),
        json.dumps({"@context": chain(9999, "p0:x"), "p0": "1"}),
        json.dumps({"@context": ["urn:c", {"a": {"@id": "urn:a", "@context": chain(999, "p:")}}]}),
        json.dumps({"@context": {f"p{n}": {"@id": f"p{n + 1}"} for n in range(9999)}}),
        json.dumps({"a": {"@context": chain(9999, "urn:x")}}).replace("@", "\\u0040"),
        json.dumps({"@context": {f"p{n}": {"@type": f"p{n + 1}:"} for n in range(9999)}}),
    ],
)
def test_terms_of_a_context_that_need_each_other_in_a_long_chain_are_refused(
    text: str, tmp_path: Path
) -> None:
    rows, counters = static(document(tmp_path, ".jsonld", text))
    assert not rows
    assert "each defined by the next" in counters.samples["DAT103"][0].message


def test_a_string_of_json_that_does_not_end_is_looked_at_once() -> None:
    assert not json_fault(b'"\\' * 1_000_000)


TERMS = "<<( <urn:a> <urn:b> " * 20_000 + "1 " + ")>> " * 20_000


@pytest.mark.parametrize(
    "begin",
    [
        "<urn:a> <urn:b>",
        "<urn:a> <urn:it's>",
        "<urn:a> <urn:a#b>",
        "a:b a:it\\'s",
        "a:b a:\\#",
    ],
)
def test_nested_triple_terms_do_not_reach_the_parser(begin: str, tmp_path: Path) -> None:
    text = f"PREFIX a: <urn:'a>\n {begin} {TERMS} .\n<urn:a> <urn:b> 1 ."
    rows, counters = static(document(tmp_path, ".ttl", text))
    assert len(rows) == 1
    assert [each.message for each in counters.samples["DAT101"]] == [
        f"more than {DEEPEST} triple terms in one statement"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# <<" * 9999 + "\n<urn:a> <urn:b> 1 .",
        "# <<'\n" * 9999 + "<urn:a> <urn:b> 1 .",
        '<urn:a> <urn:b> """' + "<<(" * 9999 + "it's \\\" <<" + '""" .',
        "<urn:a> <urn:it's> '" + "<<(" * 9999 + "' .",
    ],
)
def test_harmless_turtle_passes_the_gate(text: str) -> None:
    assert not turtle_fault(text.encode())


def _literal(namespaces: int, elements: str, parse_type: str = "Literal") -> bytes:
    """A literal within so many namespaces of some 100 bytes each."""
    declared = " ".join(f'xmlns:n{each}="urn:{each:090}"' for each in range(namespaces))
    return (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:ex:" '
        f'{declared}><rdf:Description rdf:about="urn:a"><e:p rdf:parseType="{parse_type}">'
        f"{elements}</e:p></rdf:Description></rdf:RDF>"
    ).encode()


@pytest.mark.parametrize(
    ("text", "has_literals"),
    [
        (_literal(900, "<b><c/></b>" * 2000), True),
        (_literal(900, "<b/>" * 2000, "Statement"), True),
        (_literal(900, "<rdf:Description/>", "Collection"), False),
        (_literal(900, "<e:q>1</e:q>" * 2000, "Resource"), False),
    ],
    ids=["literal", "other", "collection", "resource"],
)
def test_literals_within_many_namespaces_are_read(text: bytes, has_literals: bool) -> None:
    assert well_formed_prefix(text) == WellFormedPrefix(len(text), has_literals=has_literals)


_NAMESPACES = " ".join(f'xmlns:n{each}="urn:"' for each in range(900))


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("<a " + " ".join(f'e{each}="x"' for each in range(1001)) + "/>", "1000 attributes"),
        ("<a " + _NAMESPACES + ' b="" c="" ' + _NAMESPACES.replace("n", "m") + "/>", "attributes"),
        (f"<a {_NAMESPACES}>" + "<b/>" * 200_000 + "</a>", "namespaces"),
        (f"<a {_NAMESPACES}>" * 400 + "</a>" * 400, "namespaces"),
        (f"<a {_NAMESPACES}>" + '<b c="" d="" e=""/>' * 30_000 + "</a>", "namespaces"),
    ],
    ids=["attributes", "declarations", "elements", "nested", "names"],
)
def test_names_are_looked_for_in_proportion_to_the_text(content: str, fault: str) -> None:
    found = well_formed_prefix((XML % content).encode())
    assert found.end == 0
    assert fault in found.fault


def test_some_thousands_of_names_may_stand_among_hundreds_of_namespaces() -> None:
    text = XML % (f"<a {_NAMESPACES}>" + "<b/>" * 10_000 + "</a>")
    assert not well_formed_prefix(text.encode()).fault


COPIES = "contexts of JSON-LD that apply too often for their number of terms"


def scoped(count: int) -> dict[str, object]:
    """A context of so many terms, each with a context of a term."""
    names = [f"n{number}" for number in range(count)]
    return {name: {"@id": f"urn:{name}", "@context": {f"in-{name}": "urn:in"}} for name in names}


MANY = {f"t{number}": "urn:t" for number in range(5000)}


def nested(levels: int, terms: int) -> dict[str, object]:
    """Objects within each other, each with a context of so many terms."""
    found: dict[str, object] = {"@id": "urn:z"}
    for level in range(levels):
        context = {f"t{level}-{number}": "urn:t" for number in range(terms)}
        found = {"urn:p": found, "@context": context}
    return found


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ({"@context": scoped(2000), "@type": [f"n{n}" for n in range(2000)]}, COPIES),
        ({"@context": scoped(20), "@type": [f"n{n}" for n in range(20)]}, ""),
        ({"@type": [f"n{n}" for n in range(2000)], "@context": scoped(2000)}, COPIES),
        ({"@context": scoped(2000), **{f"n{n}": {"x": "1"} for n in range(2000)}}, COPIES),
        ({"@context": scoped(2000), "@graph": [{"@type": f"n{n}"} for n in range(2000)]}, COPIES),
        ({"@context": scoped(900), "@graph": [{"@type": "other"}] * 2000}, ""),
        ({"@context": scoped(2000), "@id": "urn:a"}, COPIES),
        ({"@context": {"n": {"@id": "urn:n", "@context": scoped(2000)}}}, COPIES),
        ({"@context": MANY, "@graph": [{"@context": [{}, scoped(300)]}]}, COPIES),
        ({"@context": MANY, "@graph": [{"@context": scoped(30)}]}, ""),
        ({"@context": {"n": {"@context": scoped(20)}}, "@graph": [{"@type": "n"}] * 9000}, COPIES),
        ({"@context": scoped(50), "@graph": [{"@type": "n3", "in-n3": "a"}] * 20_000}, ""),
        ({"@context": [scoped(1000)] * 2, "@graph": [{"@context": {}}] * 2000}, COPIES),
        ({"@graph": [{"@context": {"a": "urn:a"}, "a": "1"}] * 50_000}, ""),
        (nested(200, 40), COPIES),
        (nested(60, 40), ""),
    ],
)
def test_contexts_copy_terms_in_proportion_to_the_text(document: object, fault: str) -> None:
    assert json_fault(json.dumps(document).encode()) == fault


def test_names_of_scoped_terms_are_found_however_they_are_written() -> None:
    document = {"@context": scoped(2000), "@type": [f"n{n}" for n in range(2000)]}
    text = json.dumps(document).replace('"n', '"\\u006e').replace("@context", "\\u0040context")
    assert json_fault(text.encode()) == COPIES


def test_a_line_may_copy_less_than_a_document() -> None:
    document = {"@context": scoped(300), "@type": [f"n{n}" for n in range(300)]}
    text = json.dumps(document).encode()
    assert (json_fault(text), json_fault(text, MOST_COPIED_IN_LINE)) == ("", COPIES)
