"""``--literals value``, however data come in: as if each literal was in the one form of its value.

The form is that of an oracle, which canonicalises data and rules before a run by terms.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rete.terms.literal_values import value_text
from rif.syntax.terms import RDF, XSD, parse_canonical
from rif.values.datatypes import value_of
from tests.oracles.rdf.canonical_form import one_form
from tests.simulation.command import call

EX = "http://example.org/"
STAMP = "<http://www.w3.org/ns/prov#generatedAtTime>"
SIMPLE = "http://www.w3.org/ns/entailment/Simple"
GRAPH = "urn:g"

SPELLED = [
    *[("integer", text) for text in ("1", "01", "+1", "-0", "x", "1.0", "123456789012345678901")],
    *[("byte", text) for text in ("1", "+001", "128")],
    *[("unsignedInt", "1"), ("nonNegativeInteger", "-0"), ("negativeInteger", "0")],
    *[("decimal", text) for text in ("1.0", "1.", "1.50", "01.5", ".5", "-0.0", "1e0")],
    *[("float", text) for text in ("1", "1.0E0", "10e-1", "0.1", "16777217", "-0", "+INF", "NaN")],
    *[("double", text) for text in ("1", "1.0E0", "0.10", "1e400", "nan")],
    *[("boolean", text) for text in ("1", "true", "0", "TRUE")],
    *[(name, "a") for name in ("string", "token", "NCName", "language", "anyURI", "NMTOKEN")],
    *[("token", " a"), ("normalizedString", " a"), ("string", " a"), ("string", "1")],
    *[("dateTime", f"2020-02-{text}") for text in ("28T24:00:00Z", "29T00:00:00.0+00:00")],
    *[("dateTime", f"2020-02-29T{text}") for text in ("01:00:00+01:00", "00:00:00", "24:00:01")],
    *[("dateTimeStamp", f"2020-02-29T00:00:00{zone}") for zone in ("Z", "")],
    *[("date", f"2020-02-29{zone}") for zone in ("", "Z", "-00:00", "+01:00")],
    *[("time", text) for text in ("24:00:00", "00:00:00.000", "00:00:00Z")],
    *[("dayTimeDuration", text) for text in ("PT24H", "P1D", "PT1440M0.0S", "-PT90.50S", "P0D")],
    *[("yearMonthDuration", text) for text in ("P12M", "P1Y", "P0Y0M", "P1Y13M", "P")],
    *[("hexBinary", text) for text in ("0a", "0A", "0")],
    *[("base64Binary", text) for text in ("YQ==", "Y Q = =", "YR==")],
    *[("gYear", text) for text in ("2020", "02020")],
]
LITERALS = [
    *[f'"{text}"' if name == "string" else f'"{text}"^^<{XSD}{name}>' for name, text in SPELLED],
    *['"a"@en', '"a"@de', f'"1"^^<{EX}unknown>', f'"01"^^<{EX}unknown>'],
    *[f'"{text}"^^<{RDF}XMLLiteral>' for text in ("<a x='1'/>", "<a  x='1'></a>", "<a>")],
]
"""As in N-Triples; many are one value, and some none."""

RULES = """Document( Prefix(ex <http://example.org/>) Prefix(xs <http://www.w3.org/2001/XMLSchema#>)
  Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)
  Prefix(func <http://www.w3.org/2007/rif-builtin-function#>) {imported} {window}
  Group(
    ex:fact[ex:p -> {one}]
    Forall ?x ?v (?x[ex:has -> ?v] :- ?x[ex:p -> ?v])
    Forall ?x ?y ?v (?x[ex:shares-with -> ?y] :- And(?x[ex:p -> ?v] ?y[ex:q -> ?v]))
    Forall ?x (And(?x[ex:is -> {one}] ex:all(List({one} ex:a) ?x)) :- ?x[ex:p -> {one}])
    Forall ?x ?y ?v (?y[ex:was -> ?x] :- And(?x[ex:is -> ?v] ?y[ex:q -> {other}] ?v = {other}))
    Forall ?x ?v (?x[ex:equals -> ?v] :- And(?x[ex:p -> ?v] ?v = {other}))
    Forall ?x ?v (?x[ex:low -> ?v] :- And(?x[ex:p -> ?v] External(pred:numeric-less-than(?v 1.50))))
    Forall ?x ?v (?x[ex:next -> External(func:numeric-add(?v 1))] :- ?x[ex:p -> ?v])
    Forall ?x ?v (?x[ex:text -> External(xs:string(?v))] :- ?x[ex:p -> ?v])
  ) )"""
"""What they compute is in canonical form in either mode."""

Facts = Sequence[tuple[str, str, str]]
"""Names of subject and predicate, and a literal."""


def run(folder: Path, way: str, rules: str, facts: Facts, stamp: str, mode: str) -> list[str]:
    """The lines of a run to which the facts come in some ``way``: its role, and a suffix."""
    role, _, suffix = way.partition(" ")
    path = folder / f"data.{suffix}"
    path.write_bytes(_written(facts, stamp, role, suffix))
    imported = f"Import(<data.{suffix}> <{SIMPLE}>)" if role == "import" else ""
    window = "Window(5 ms)" if role == "stream" else ""
    (folder / "rules.rif").write_text(
        rules.replace("{imported}", imported).replace("{window}", window), "utf-8"
    )
    args = {"static": ["--static", str(path)], "stream": [str(path)], "import": []}[role]
    if role == "stream" and suffix in {"nt", "ttl"}:
        args += ["--time-predicate", f"{EX}at"]
    found = call(["run", str(folder / "rules.rif"), *args, "--literals", mode])
    assert found.code == 0, found.err
    assert "DAT" not in found.err
    return found.lines()


def _written(facts: Facts, stamp: str, role: str, suffix: str) -> bytes:
    graph = f" <{GRAPH}>" if role == "stream" and suffix in {"nq", "trig"} else ""
    lines = [f"<{EX}{s}> <{EX}{p}> {o}{graph} ." for s, p, o in facts]
    if graph:
        lines.append(f"<{GRAPH}> {STAMP} {stamp} .")
    elif role == "stream":
        lines += [f"<{EX}{s}> <{EX}at> {stamp} ." for s in dict.fromkeys(s for s, _, _ in facts)]
    text = "".join(f"{line}\n" for line in lines).encode()
    if suffix in {"nt", "nq"}:
        return text
    quads = list(ox.parse(text, format=ox.RdfFormat.N_QUADS))
    written = ox.serialize(
        quads if suffix == "trig" else [quad.triple for quad in quads], format=FORMATS[suffix]
    )
    assert written is not None
    return written


FORMATS = {
    "ttl": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
    "rdf": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
}

WAYS = [
    *(f"static {suffix}" for suffix in ("nt", "nq", "ttl", "trig", "rdf", "jsonld")),
    *(f"stream {suffix}" for suffix in ("nt", "nq", "ttl", "trig")),
    *(f"import {suffix}" for suffix in ("nt", "ttl", "rdf", "jsonld")),
]


def both(way: str, facts: Facts, one: str, other: str, stamp: str) -> tuple[list[str], list[str]]:
    """The lines of a run by value, and of one by terms of which all is in one form before."""
    rules = RULES.replace("{one}", one).replace("{other}", other)
    same = RULES.replace("{one}", one_form(one)).replace("{other}", one_form(other))
    plain = [(s, p, one_form(o)) for s, p, o in facts]
    with tempfile.TemporaryDirectory() as folder:
        go = partial(run, Path(folder), way)
        return go(rules, facts, stamp, "value"), go(same, plain, one_form(stamp), "term")


CONSTANTS = [text for text in LITERALS if value_of(parse_canonical(text)) != parse_canonical(text)]
"""What may stand in rules, where an ill-typed constant is refused, and is not in its one form."""
STAMPS = [f'"7"^^<{XSD}integer>', f'"+07"^^<{XSD}byte>', f'"2020-02-29T24:00:00Z"^^<{XSD}dateTime>']
FACTS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c"]), st.sampled_from(["p", "q"]), st.sampled_from(LITERALS)
    ),
    min_size=1,
    max_size=12,
    unique=True,
)


@given(
    way=st.sampled_from(WAYS),
    facts=FACTS,
    constants=st.tuples(st.sampled_from(CONSTANTS), st.sampled_from(CONSTANTS)),
    stamp=st.sampled_from(STAMPS),
)
def test_answers_are_those_of_data_in_one_form(
    way: str, facts: Facts, constants: tuple[str, str], stamp: str
) -> None:
    by_value, by_term = both(way, facts, *constants, stamp)
    assert by_value == by_term


@pytest.mark.parametrize("way", WAYS)
def test_every_spelling_is_read_in_every_format(way: str) -> None:
    facts = [
        *((f"s{number}", "p", text) for number, text in enumerate(LITERALS)),
        *((f"s{number}", "q", text) for number, text in enumerate(reversed(LITERALS))),
    ]
    one, other = f'"+1"^^<{XSD}byte>', f'"1.0"^^<{XSD}decimal>'
    by_value, by_term = both(way, facts, one, other, STAMPS[0])
    assert by_value == by_term
    answers = [line.partition('"p":"<http://example.org/')[2] for line in by_value]
    ones = [text for text in LITERALS if one_form(text) == one_form(one)]
    assert sum(line.startswith("is>") for line in answers) == len(ones) + 1  # and ex:fact


NUMBERS = st.from_regex(r"[+-]?[0-9]{0,20}\.?[0-9]{0,20}", fullmatch=True)


@given(
    st.sampled_from(LITERALS)
    | st.builds(
        lambda number, name: f'"{number}"^^<{XSD}{name}>',
        NUMBERS,
        st.sampled_from(["integer", "decimal", "double", "long"]),
    )
)
def test_the_one_form_of_a_term_is_that_of_the_oracle(text: str) -> None:
    assert value_text(text) == str(value_of(parse_canonical(text))) == one_form(text)


def test_a_computed_whole_decimal_prints_as_the_integer_it_is(tmp_path: Path) -> None:
    rules = """Document( Prefix(ex <http://example.org/>)
      Prefix(func <http://www.w3.org/2007/rif-builtin-function#>) {imported} {window} Group(
        Forall ?x ?v (?x[ex:twice -> External(func:numeric-add(?v ?v))] :- ?x[ex:p -> ?v])
        Forall ?x (?x[ex:is -> ex:odd] :- ?x[ex:twice -> 3]) ) )"""
    facts = [("a", "p", f'"1.50"^^<{XSD}decimal>')]
    go = partial(run, tmp_path, "static nt", rules, facts, "")
    objects = [line.partition('"o":')[2].partition(',"from"')[0] for line in go("value")]
    assert objects == ['"<http://example.org/odd>"', f'"\\"3\\"^^<{XSD}integer>"']
    objects = [line.partition('"o":')[2].partition(',"from"')[0] for line in go("term")]
    assert objects == [f'"\\"3\\"^^<{XSD}decimal>"']
