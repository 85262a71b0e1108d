"""A heartbeat moves time in every format of streams that is read."""

from __future__ import annotations

import pytest

from tests.simulation.command import call

RULES = """
Document( Prefix(ex <urn:ex:>) Window(5) Group(
  Forall ?x ( ?x[ex:is -> ex:hot] :- ?x[ex:is -> ex:warm] ) ) )
"""
PROV = "http://www.w3.org/ns/prov#"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
XML = f"""<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:ex:">
<r:Description r:about="urn:g1"><e:at r:datatype="{INTEGER}">1</e:at>
  <e:has><r:Description r:nodeID="b"><e:is r:resource="urn:ex:warm"/></r:Description></e:has>
</r:Description>
<r:Description r:about="urn:g2"><e:at r:datatype="{INTEGER}">9</e:at></r:Description>
</r:RDF>
"""
TURTLE = """@prefix e: <urn:ex:> .
<urn:g1> e:at 1 ; e:has [ e:is e:warm ] .
<urn:g2> e:at 9 .
"""
N_TRIPLES = f"""<urn:g1> <urn:ex:at> "1"^^<{INTEGER}> .
<urn:g1> <urn:ex:is> <urn:ex:warm> .
<urn:g2> <urn:ex:at> "9"^^<{INTEGER}> .
"""
N_QUADS = f"""<urn:g1> <{PROV}generatedAtTime> "1"^^<{INTEGER}> .
<urn:x> <urn:ex:is> <urn:ex:warm> <urn:g1> .
<urn:g2> <{PROV}generatedAtTime> "9"^^<{INTEGER}> .
"""
TRIG = f"""@prefix e: <urn:ex:> . @prefix p: <{PROV}> .
<urn:g1> p:generatedAtTime 1 . <urn:g1> {{ <urn:x> e:is e:warm }}
<urn:g2> p:generatedAtTime 9 .
"""
PATCH = "".join(
    f"TX .\n{rows}TC .\n"
    for rows in (
        "".join(f"A {line}\n" for line in N_QUADS.splitlines()[:2]),
        f"A {N_QUADS.splitlines()[2]}\n",
    )
)
INSIDE = ("--time-predicate", "urn:ex:at")
FORMATS = {
    "a.nq": (N_QUADS, ()),
    "a.trig": (TRIG, ()),
    "a.rdfp": (PATCH, ()),
    "a.nt": (N_TRIPLES, INSIDE),
    "a.ttl": (TURTLE, INSIDE),
    "a.rdf": (XML, INSIDE),
}


@pytest.mark.parametrize("name", FORMATS)
def test_a_stamp_alone_closes_what_came_before(name, tmp_path) -> None:
    text, options = FORMATS[name]
    (tmp_path / "rules.rif").write_text(RULES)
    (tmp_path / name).write_text(text)
    found = call(["run", str(tmp_path / "rules.rif"), str(tmp_path / name), *options])
    assert found.code == 0, found.err
    told = [line[:16] for line in found.lines() if "urn:ex:hot" in line]
    assert told == ['{"op":"+","at":1', '{"op":"-","at":6']
