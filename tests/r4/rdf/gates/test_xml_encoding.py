"""RDF/XML in the encodings that files have, and files of ontologies that are no RDF."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from r4.rdf.gates.xml_encoding import UnreadableText, as_utf8, other_syntax
from tests.simulation.command import call

RULES = """Document( Prefix(ex <urn:ex:>) Group(
  Forall ?s ?v ( ?s[ex:res -> ?v] :- ?s[ex:v -> ?v] ) ) )"""
RDF = """<?xml version="1.0" encoding="{}"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:ex:">
<rdf:Description rdf:about="urn:ex:a"><e:v>{}</e:v></rdf:Description></rdf:RDF>"""


def answers(data: bytes, folder: Path) -> tuple[str, str]:
    (folder / "r.rif").write_text(RULES, "utf-8")
    (folder / "d.rdf").write_bytes(data)
    found = call(["run", str(folder / "r.rif"), "--static", str(folder / "d.rdf")])
    return found.out, found.err


@pytest.mark.parametrize(
    "declared",
    ['encoding="{}"', "encoding='{}'", 'encoding = "{}" standalone="yes" '],
    ids=["double", "single", "standalone"],
)
@pytest.mark.parametrize(
    ("name", "codec", "word"),
    [
        ("UTF-8", "utf-8", "naïve €"),
        ("UTF-8", "utf-8-sig", "naïve €"),
        ("utf-16", "utf-16", "naïve €"),
        ("UTF-16", "utf-16-le", "naïve €"),
        ("UTF-16", "utf-16-be", "naïve €"),
        ("UTF-16LE", "utf-16-le", "naïve €"),
        ("ISO-8859-1", "latin-1", "naïve"),
        ("iso-8859-15", "iso-8859-15", "naïve €"),
        ("latin1", "latin-1", "naïve"),
        ("windows-1252", "windows-1252", "naïve €"),
        ("Windows-1251", "windows-1251", "да"),
        ("ISO-8859-2", "iso-8859-2", "žluťoučký"),
        ("iso-8859-7", "iso-8859-7", "Ωμέγα"),
        ("windows-1250", "windows-1250", "žluťoučký €"),
        ("US-ASCII", "ascii", "plain"),
        ("ASCII", "ascii", "&#233;t&#233;"),
    ],
)
def test_each_encoding_is_read(
    name: str, codec: str, word: str, declared: str, tmp_path: Path
) -> None:
    text = RDF.replace('encoding="{}"', declared).format(name, word)
    out, err = answers(text.encode(codec), tmp_path)
    assert f'"o":"\\"{word.replace("&#233;", "é")}\\""' in out, err


def test_what_is_not_in_its_encoding_is_said_with_the_line(tmp_path: Path) -> None:
    _, err = answers(RDF.format("US-ASCII", "é").encode(), tmp_path)
    assert "DAT103 no us-ascii in line 3, though the XML is said to be in that" in err


@pytest.mark.parametrize("name", ["EBCDIC-CP-US", "rot13", "zlib", "utf-7", "punycode"])
def test_an_unknown_encoding_is_refused_by_name(name: str, tmp_path: Path) -> None:
    _, err = answers(RDF.format(name, "a").encode(), tmp_path)
    assert f"the encoding {name.lower()} of this XML is not read: save it in UTF-8" in err


@pytest.mark.parametrize("text", [b"", b"<", b"\xff\xfe", b"<a/>", b"<?xml?>", b"<\0a\0"])
def test_a_text_that_names_no_encoding_is_read(text: bytes) -> None:
    as_utf8(text).decode()


@pytest.mark.parametrize("text", [b"<\0\0", b"\xfe\xff\0", b"\xff\xfe\0\xd8"])
def test_half_a_character_is_refused(text: bytes) -> None:
    with pytest.raises(UnreadableText, match="no utf-16"):
        as_utf8(text)


OWL = "http://www.w3.org/2002/07/owl#"
OTHER_SYNTAXES = {
    f'<Ontology xmlns="{OWL}" ontologyIRI="urn:o"/>': "OWL/XML",
    f'<owl:Ontology xmlns:owl="{OWL}"></owl:Ontology>': "OWL/XML",
    "Prefix(:=<urn:x:>)\nOntology(<urn:o>)": "the functional syntax of OWL",
    "Ontology( <urn:o> Declaration(Class(:A)) )": "the functional syntax of OWL",
    "Prefix: : <urn:x:>\nOntology: <urn:o>\nClass: A": "the Manchester syntax of OWL",
}
XML_BEFORE = {
    "nothing": "",
    "declaration": '<?xml version="1.0"?>\r\n',
    "byte order mark": "\ufeff  \n",
    "comment": '<?xml version="1.0"?>\n<!-- a -->\n<!-- b -->\n',
    "long comment": f"<!--{' licence <b>' * 1000}-->\n",
    "doctype": f"""<?xml version="1.0"?>
<!DOCTYPE Ontology [
    <!ENTITY owl "{OWL}" > <!ENTITY more "a > b ]" >
    <!ENTITY x '<rdf:RDF>' > <!-- ] > -->
]>

""",
    "doctype elsewhere": '<!DOCTYPE Ontology SYSTEM "owl.dtd">',
}
TEXT_BEFORE = {"nothing": "", "comment": "# made by hand\n#\n\n", "byte order mark": "\ufeff\n"}


def in_other_syntaxes() -> Iterator[tuple[str, str]]:
    """Texts, and the names of their syntaxes."""
    for text, name in OTHER_SYNTAXES.items():
        for before in (XML_BEFORE if text.startswith("<") else TEXT_BEFORE).values():
            yield before + text, name


@pytest.mark.parametrize(("text", "name"), [*in_other_syntaxes()])
def test_other_syntaxes_of_owl_are_called_by_their_names(
    text: str, name: str, tmp_path: Path
) -> None:
    assert other_syntax(text.encode()) == name
    _, err = answers(text.encode(), tmp_path)
    assert f"DAT103 this is {name}, and no RDF: save it as RDF/XML or Turtle" in err


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be"])
def test_another_syntax_of_owl_may_be_in_utf_16(codec: str, tmp_path: Path) -> None:
    text = f'<?xml version="1.0" encoding="UTF-16"?>\n<Ontology xmlns="{OWL}"/>'
    assert "DAT103 this is OWL/XML, and no RDF" in answers(text.encode(codec), tmp_path)[1]


@pytest.mark.parametrize(
    "text",
    [
        RDF.format("UTF-8", "a"),
        f"<!-- <Ontology> -->{RDF.partition('?>')[2]}".format("a"),
        f'<!DOCTYPE rdf:RDF [ <!ENTITY o "Ontology" > ]>{RDF.partition("?>")[2]}'.format("a"),
        f"""<owl:Ontology xmlns:owl="{OWL}" rdf:about="urn:ex:a" xmlns:e="urn:ex:"
            xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><e:v>a</e:v></owl:Ontology>""",
    ],
)
def test_an_ontology_in_rdf_is_no_other_syntax(text: str, tmp_path: Path) -> None:
    """A document of one node need not have ``rdf:RDF`` around it [RDF/XML, 2.6]."""
    assert not other_syntax(text.encode())
    assert '"s":"<urn:ex:a>"' in answers(text.encode(), tmp_path)[0]
