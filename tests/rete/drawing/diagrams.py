"""Networks of a few rules, as diagrams."""

from __future__ import annotations

from hypothesis import strategies as st

from r4.language import LANGUAGE
from r4.program.compiler import compile_document
from r4.time.ticks import TimeScale
from rete.drawing.diagram import Diagram, diagram
from rete.drawing.names import names_of, plain
from rete.network.network import Network
from rete.terms.dictionary import Dictionary
from rif.syntax.ast import Document
from tests.generators.draw import from_seed
from tests.generators.rules.documents import document as random_document
from tests.generators.rules.parsers import parse
from tests.generators.vocabulary import vocabulary

PROLOGUE = """
Document( Prefix(ex <http://example.org/>) Prefix(exa <http://example.org/a/>)
          Prefix(rdf <http://www.w3.org/1999/02/22-rdf-syntax-ns#>)
          Prefix(rdfs <http://www.w3.org/2000/01/rdf-schema#>)
          Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)
          Prefix(func <http://www.w3.org/2007/rif-builtin-function#>)
          Window(5 s)
          Group( """
SUBCLASS = """
(* ex:subclass *) Forall ?thing ?class ?super (
  ?thing[rdf:type -> ?super] :- And(?thing[rdf:type -> ?class] ?class[rdfs:subClassOf -> ?super]))
"""
HOT = """
Forall ?obs ?sensor ?value (ex:hot(?sensor) :- And(
  ?obs[ex:by -> ?sensor] ?obs[ex:value -> ?value]
  External(pred:numeric-greater-than(?value 30))))
"""
COLD = """
Forall ?o ?s ?v (ex:cold(?s) :- And(
  ?o[ex:by -> ?s] ?o[ex:value -> ?v] External(pred:numeric-less-than(?v 5))))
"""


def parsed(*rules: str) -> Document:
    return parse(PROLOGUE + "\n".join(rules) + "))").document


def network_of(document: Document) -> Network:
    return Network(compile_document(document, TimeScale()).emits, Dictionary())


def drawn(*rules: str) -> Diagram:
    document = parsed(*rules)
    return diagram(network_of(document), names_of(document, LANGUAGE, "rules.rif"))


def labels(of: Diagram, kind: str) -> list[str]:
    return [" ".join(map(plain, node.label)) for node in of.nodes if node.kind == kind]


def random_diagram(seed: int) -> tuple[Network, Diagram]:
    draw = from_seed(seed)
    document = random_document(draw, vocabulary(draw))
    network = network_of(document)
    return network, diagram(network, names_of(document, LANGUAGE))


seeds = st.integers(0, 2**32)
