"""Examples of what readers read, small and of many kinds, and words of their languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from tests.generators.rules.parsers import parse, write_xml
from tests.paths import ROOT

XSD: Final = "http://www.w3.org/2001/XMLSchema#"
RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
PROV: Final = "http://www.w3.org/ns/prov#"


def _encoded(*texts: str) -> Sequence[bytes]:
    return [text.encode() for text in texts]


RULES: Final = [
    *(path.read_bytes() for path in sorted(ROOT.glob("examples/*.rif"))),
    *_encoded(
        "Document(Group(<urn:p>(1)))",
        'Document(Base(<http://e/>) Prefix(ex <http://e/#>) Prefix(func <http://www.w3.org/2007/rif-builtin-function#>) Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>) Prefix(xs <http://www.w3.org/2001/XMLSchema#>) Group( (* ex:g ex:g[ex:says -> "x"@en] *) Forall ?x ?y ( ex:p(?x External(func:numeric-add(?y 1))) :- And( ?x[ex:a -> ?y ex:b -> "v"^^xs:string] External(pred:numeric-less-than(?y 1.5e3)) Or(?x # ex:C ex:r(?x)) ?x = ?y Exists ?z (ex:q(?z List(1 2 _x))) ) ) ))',  # noqa: E501
        'Document(Prefix(ex <urn:>) Window(5 s) Group(Forall ?x ?y (ex:o(?x) :- And(DiamondMinus[0 s, 10 m](?x[ex:a -> ?y]) BoxMinus(0 s, 1 h](?x[ex:b -> ?y]) Since[0 s, inf)(?x[ex:c -> ?y] ?x[ex:d -> ?y]) Naf(ex:n(?x)))) BoxPlus[0 s, 1 h](ex:f("2020-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>))))',  # noqa: E501
        "Dialect(RIF-Core) Document(Prefix(rif <http://www.w3.org/2007/rif#>) Import(<a.rif>) Import(<b.ttl> <http://www.w3.org/ns/entailment/Simple>) Group(rif:error() :- <urn:p>(List())))",  # noqa: E501
    ),
]
RULES_XML: Final = [
    *(
        write_xml(parse(raw.decode()).document).encode()
        for raw in RULES
        if b"Naf" not in raw and b"Import" not in raw
    ),
    b'<?xml version="1.0"?><!DOCTYPE Document [<!ENTITY rif "http://www.w3.org/2007/rif#">]><Document xmlns="&rif;"><payload><Group><sentence><Atom><op><Const type="&rif;iri">urn:p</Const></op><args ordered="yes"><Const type="http://www.w3.org/2001/XMLSchema#integer">1</Const></args></Atom></sentence></Group></payload></Document>',  # noqa: E501
]
_QUADS: Final = (
    f'<urn:g1> <{PROV}generatedAtTime> "1"^^<{XSD}integer> .\n'
    '<urn:s> <urn:p> "a\\u00e9\\n"@en-GB <urn:g1> .\n_:b <urn:p> _:b.c <urn:g1> .\n\n'
    f'<urn:g2> <{PROV}generatedAtTime> "2"^^<{XSD}integer> .\n'
    f'<urn:g2> <{PROV}invalidatedAtTime> "9"^^<{XSD}integer> .\n'
    f'<urn:s> <urn:p> "1.5"^^<{XSD}decimal> <urn:g2> .\n# end\n'
    f'<urn:g3> <{PROV}generatedAtTime> "3"^^<{XSD}integer> .\n'
    "<urn:g3> <urn:r4:retracts> <urn:g1> .\n"
)
_DATED: Final = (
    f'<urn:g> <{PROV}generatedAtTime> "2020-02-29T23:59:59.123456789+14:00"^^<{XSD}dateTime> .\n'
    "<urn:s> <urn:p> <urn:o> <urn:g> .\n"
)
NQUADS: Final = _encoded(_QUADS, _DATED)
TURTLE: Final = _encoded(
    f"@prefix : <urn:> . @base <http://e/> . PREFIX x: <{XSD}>\n"
    ':s a :C ; :p 1, -2.5, 1e3, true, \'a\', """b\n"c\\u00e9"""@en, "1"^^x:integer ;\n'
    "  :q [ :r ( 1 2 [] ) ] , _:b , <rel> . # comment\n_:b :p\\,1 :o%20o .\n",
    "<urn:a> <urn:p> << <urn:s> <urn:p> 1 >> .\nVERSION '1.2'\n<urn:a> <urn:p> 1 {| <urn:q> 2 |} .",
)
TRIG: Final = _encoded(
    f"@prefix : <urn:> . @prefix p: <{PROV}> .\n:g p:generatedAtTime 1 . :g {{ :s :p 1, (2) . }}\n"
    ":h p:generatedAtTime 2 . GRAPH :h { [] :p [] ; :q 'x' } { :d :p :o } _:b { :s :p :o }\n",
    f":g <{PROV}generatedAtTime> '2020-01-01T00:00:00Z'^^<{XSD}dateTime> .",
    _DATED,
)
RDF_XML: Final = _encoded(
    f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE r [<!ENTITY e "urn:e#">]>\n<rdf:RDF '
    f'xmlns:rdf="{RDF}" xmlns:e="urn:e#" xml:base="http://e/"><rdf:Description rdf:about="a" '
    'e:q="v" xml:lang="en"><e:p rdf:resource="&e;b"/><e:p rdf:datatype="urn:d">1</e:p>'
    '<e:l rdf:parseType="Collection"><e:C rdf:ID="i"/><e:C rdf:nodeID="n"/></e:l>'
    '<e:x rdf:parseType="Literal"><b xmlns="urn:x">t<!-- c --></b></e:x>'
    '<e:r rdf:parseType="Resource"><e:p>x &amp; y</e:p></e:r></rdf:Description>'
    "<rdf:Bag><rdf:li>1</rdf:li><rdf:_2>2</rdf:_2></rdf:Bag><![CDATA[ ]]><?pi x?></rdf:RDF>",
    f'<rdf:RDF xmlns:rdf="{RDF}"/>',
)
JSON_LD: Final = _encoded(
    '{"@context":{"@version":1.1,"@base":"http://e/","@vocab":"urn:v:","p":{"@id":"urn:p",'
    '"@type":"@id","@container":"@list"},"q":"urn:q","x":"http://www.w3.org/2001/XMLSchema#",'
    '"n":{"@id":"q:n","@context":{"z":"urn:z"}},"r":{"@reverse":"urn:r"}},"@id":"s","@type":["C"],'
    '"p":["a","b"],"q":[1,1.5,true,null,{"@value":"1","@type":"x:integer"},{"@value":"a",'
    '"@language":"en"},{"@list":[[1],2]},{"@set":[]}],"@graph":[{"@id":"_:b","n":{"z":"\\u00e9"}}],'
    '"r":{"@id":"t"},"@included":[],"@index":"i"}',
    '[{"@id":"urn:a","urn:p":[{"@id":"_:b"}]},{"@id":"urn:g","@graph":[{"@id":"urn:s"}]}]',
)
CSV: Final = _encoded(
    "place,when,wind,cars\na b,2020-01-01T00:00:00Z,01.50,7\n"
    '"x/y, z",2020-01-01 00:00:01.5,NA,8\na b,2020-01-01T00:00:02+01:00,3,\n',
    'when;place;cars;wind\r\n"2020-01-01T00:00:00Z";"a ""b""\nc";1;2\r\n',
)
TSV: Final = _encoded(
    "place\twhen\twind\tcars\na b\t2020-01-01T00:00:00Z\t01.50\t7\n"
    '"x"\t2020-01-01 00:00:01.5\tNA\turn:x\n\\t\t2020-01-01T00:00:02+01:00\t3\t\n',
)
COLUMNS: Final = _encoded(
    '<urn:a>\t<urn:p>\t"1"\t1\n_:b\t<urn:p>\t"x\\u00e9"@en\t3\n<urn:a>\t<urn:q>\t<urn:b>\t4',
    '<urn:a>\t<urn:p>\t"1"^^<urn:t>\t2020-01-01T00:00:00Z\nList(1)\t<urn:p>\t1\tx\n\t\n',
)
ANSWERS: Final = _encoded(
    '{"op":"+","at":1,"s":"<urn:s>","p":"<urn:p>","o":"\\"o\\\\n\\"","from":1,"until":null}\n'
    '{"op":"-","at":3,"s":"<urn:s>","p":"<urn:p>","o":"\\"o\\\\n\\"","from":1,"until":3}\n'
    '{"op":"+","at":3,"s":"_:b","p":"<urn:p>","o":"List(1 \\"a\\"@en)","from":3,"until":9}\n',
    '{"op":"+","at":null,"s":"<urn:s>","p":"<urn:p>","o":"<urn:o>","from":null,"until":null}\n'
    '{"op":"+","at":"2020-01-01T00:00:00Z","atom":"urn:p","args":["<urn:s>"],"rule":1,'
    '"from":"2020-01-01T00:00:00Z","until":null}\n',
)
WITH_CONTEXT: Final = (
    f'{{"@context":"urn:c","@id":"urn:s","{PROV}generatedAtTime":1,'
    '"p":"a","q":{"p":[1]},"@type":"T"}\n'
).encode()
CONTEXTS: Final = _encoded(
    '{"@context":{"@vocab":"urn:","p":{"@id":"urn:p","@type":"@id"},"q":{"@id":"urn:q",'
    '"@context":{"p":"urn:r"}},"T":{"@id":"urn:T","@context":{"p":null}}}}',
    '{"@base":"http://e/","p":"x:p","x":"urn:x:","q":{"@reverse":"urn:q"},"T":"urn:T"}',
)
NDJSON: Final = _encoded(
    '{"place":"a b","when":"2020-01-01T00:00:00Z","wind":1.50,"cars":"urn:x"}\n'
    '{"when":"2020-01-01 00:00:01.5","place":"\\u00e9","wind":1.5e3,"in":{"cars":[1,null]}}\n',
)
MAPPINGS: Final = _encoded(
    '[prefixes]\nex = "urn:ex:"\n[rows]\nsubject = "ex:{a}"\ntypes = ["ex:T"]\nmissing = ["-"]\n'
    'values = [{ column = "b", predicate = "ex:p" }, { predicate = "ex:q", iri = "{+c}" }]\n'
    'time = { column = "t", format = "%d.%m.%Y", zone = "Z" }\nuntil = "u"\norder = "time"\n',
    '[observations]\nbase = "urn:"\nsensor = "urn:{s}"\ntime = "t"\ndelimiter = ";"\n'
    '[[observations.results]]\ncolumn = "c"\nobserves = "urn:p"\nfactor = "1/3"\ndigits = 1\n',
)
CONFIGURATIONS: Final = _encoded(
    '[run]\nwindow = "1 s"\nonly = ["ex:q", "urn:r"]\nstatic = ["a.ttl", "b/c.ttl"]\n'
    'mapping = "m.toml=a.ttl"\nimport-map = ["urn:ex:i=i.rif"]\nstrict = true\nlimit = 7\n',
    'run = { drain = true, delay = ["2 s", "urn:p=5"], as = "trig", memory = "2GB" }\n# end\n',
    'run.output = "\\u2603\\"\\\\\\t.out"\nrun."max-term" = 100\nrun.hypotheses = \'triples\'\n',
)
RDF_PATCH: Final = _encoded(
    f'H id <uuid:1> .\nTX .\nPA "x" "urn:x" .\nA <urn:g> <{PROV}generatedAtTime> '
    f'"1"^^<{XSD}integer> .\nA <urn:s> <urn:p> "o" <urn:g> .\nTC .\n'
    f'TX .\nA <urn:h> <{PROV}generatedAtTime> "2"^^<{XSD}integer> .\n'
    'D <urn:s> <urn:p> "o" <urn:g> .\nA _:b <urn:p> <_:c> <urn:h> .\nTC .\nTX .\nTA .\n',
)
CONCLUSIONS: Final = _encoded(
    "Document(Group(<urn:p>(1)))",
    "And(<urn:a>[<urn:p> -> <urn:b>] Exists ?x ?y (And(<urn:q>(?y) ?x # <urn:C> ?x = 1.0)))",
    "Or(rif:error() External(<http://www.w3.org/2007/rif-builtin-predicate#is-list>(List(1 2))))",
)
MTL_RULES: Final = [
    (ROOT / "examples/network.txt").read_bytes(),
    *_encoded(
        "A(X) :- Diamondminus[0,1]B(X, 'c d')\nBoxplus[0,3]C(?x) :- Boxminus(0,1/2]A(?x), TOP\n"
        'P :- (Q Since[0,2] R) Until[1,inf) S. # comment\nBOTTOM :- P, a1:Q(X,"y")\n',
        "A(X):-ALWAYS[-2,-1]B(X)\nA(X) :- [-][0,1]B(X), <+>[0.5,1.25]C(X)\nF :- E <S>[0,2] D\n",
        "A(X) :- Diamondminus[0s,10m]B(X)\nP :- Boxplus[1h,2d]Q\n",
    ),
]
MTL_FACTS: Final = _encoded(
    'A(a,b)@[1,2)\nB(a)@5\nZ(b)@1\nP@[1/3,inf)\nB("c d\\"")@(-inf,-0.5]\n# c\nA(x,y)@[1,2) .\n',
    "Z(a)@2020-01-01T00:00:00Z\nZ(b)@[2020-01-01,2020-01-02T12:00:00.5+01:00)\n",
)
MTL_TABLES: Final = _encoded("a,1,2\nb,1/3,5\n", 'a,"b,c",[1;2)\n"x""y",2020-01-01,inf\n')
HYP_RULES: Final = [
    (ROOT / "examples/parking.txt").read_bytes(),
    *_encoded(
        "Flag(X,T) :- Temp(X,high,T)\nTemp(X,high,T), Temp(X,high,T+1) -> Cool(X,T+1)\n"
        "Shdn(X,T) :- Cool(X,T), Flag(X,T-1)\nMalf(X,T-2) :- Shdn(X,T)\n",
        'P(X,T+1) :- P(X,T)\nGoal(X,T) :- P(X,T), Q("c d",X,T) # c\n',
    ),
]
HYP_FACTS: Final = _encoded(
    '@0 Temp(wt2,high,0)\n@1 Temp(wt2,high,1)\n@1\n@3 Temp("a b",high,2) # c\n@7\n'
)
DURATIONS: Final = _encoded("5s", "1.5 h", "10ms", "0", "3 d", "250us", "1 min", "PT1H", "inf")
DATES: Final = _encoded(
    *("2020-01-01T00:00:00Z", "-0001-12-31T24:00:00.000+14:00", "2020-02-29", "23:59:59.999Z"),
    *("P1Y2M", "-P3DT4H5M6.7S", "1.50", "-INF", "+01", "true", "0aFF", "YWJj", "a b", "en@fr"),
    *("2020-01-01T00:00:00.123456789-00:00", "12345678901-01-01T00:00:00Z", "<a b='c'>x</a>@"),
)
PATTERNS: Final = _encoded(
    *("a+b*c?", "[a-z-[aeiou]]{2,5}", r"\p{Lu}\P{IsGreek}\d\s\w\i\c", "(a|b)+$", "^.x{0,3}"),
    *(r"[^\\\]\-]+", "a{3,}?", r"(a)(?:b)\.", "(x(y(z)))", "[A-Z&&]", "", "."),
)


def words(samples: Iterable[bytes]) -> Sequence[bytes]:
    """Words and marks of the samples, each once."""
    found: dict[bytes, None] = {}
    for sample in samples:
        found |= dict.fromkeys(re.findall(rb"@?\w[\w:-]*|<[^<>\s]*>|[^\w\s]+", sample[:8192]))
    return list(found)
