"""Static documents as samples, written and read."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from r4.errors import Counters
from r4.rdf.documents import RdfDocument, read_static
from rete.terms.dictionary import Dictionary

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

XML = (
    f'<rdf:RDF xmlns:rdf="{RDF}" xmlns="urn:">%s<rdf:Description rdf:about="urn:s">'
    '<p xml:lang="EN">é</p><q rdf:nodeID="b"/><r><rdf:Description><p>x</p></rdf:Description></r>'
    "</rdf:Description></rdf:RDF>"
)

SAMPLES = {
    ".nt": '<urn:s> <urn:p> "\\u00e9"@EN .\n_:b <urn:p> _:b . # end\n',
    ".nq": '<urn:s> <urn:p> "01"^^<urn:d> <urn:g> .\n\n_:b <urn:p> _:b .\n',
    ".ttl": '@prefix : <#> . :s :p "x"@EN, [ :q 1.50 ], (1), _:b .',
    ".n3": "@prefix : <#> . :s :p true .",
    ".trig": "@prefix : <urn:> . :g { :s :p [] } :s :p 'x' .",
    ".rdf": XML % "",
    ".owl": XML % "",
    ".xml": XML % "<!-- <<<<< --><![CDATA[ ]]>",
    ".jsonld": '{"@id":"urn:s","urn:p":[{"urn:q":1},{"@id":"_:b"},{"@value":"x"}]}',
    ".json": '{"@context":{"p":"urn:p"},"@id":"urn:s","p":"x"}',
}


def document(folder: Path, suffix: str, text: str | bytes) -> RdfDocument:
    path = folder / f"d{suffix}"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return RdfDocument.of(str(path), 3)


def static(found: RdfDocument, *, strict: bool = False) -> tuple[list[tuple[str, ...]], Counters]:
    dictionary, counters = Dictionary(), Counters()
    parts = list(read_static(found, dictionary, counters, strict=strict))
    texts = dictionary.decode_many(np.concatenate(parts).ravel()) if parts else []
    return list(zip(texts[::3], texts[1::3], texts[2::3], strict=True)), counters
