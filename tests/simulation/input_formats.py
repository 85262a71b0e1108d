"""One random stream in every format of input, and the rules that ask about it."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Final

from rif.syntax.terms import XSD
from tests.simulation.command import call, small_batches

PROV: Final = "http://www.w3.org/ns/prov#"
EX: Final = "urn:ex:"
WINDOW: Final = 4
RULES: Final = (
    "?s[ex:seen -> ?v] :- And(?o[ex:of -> ?s] ?o[ex:p -> ?v])",
    "?s[ex:both -> ?t] :- And(?o[ex:of -> ?s] ?o[ex:p -> ?v] ?r[ex:of -> ?t] ?r[ex:q -> ?v])",
    """?s[ex:alone -> ?v] :- And(?o[ex:of -> ?s] ?o[ex:p -> ?v]
       Naf(Exists ?r (And(?r[ex:of -> ?s] ?r[ex:q -> ?v]))))""",
    "?s[ex:at -> ?t] :- And(?o[ex:of -> ?s] ?o[ex:time -> ?t])",
)
MAPPING: Final = f"""[prefixes]
ex = "{EX}"
[rows]
subject = "ex:{{id}}"
values = [
  {{ predicate = "ex:of", iri = "ex:{{of}}" }},
  {{ column = "p", predicate = "ex:p", datatype = "xsd:integer" }},
  {{ column = "q", predicate = "ex:q", datatype = "xsd:integer" }},
  {{ column = "time", predicate = "ex:time", datatype = "TYPE" }},
]
time = {{ column = "time", format = "FORMAT" }}
"""


@dataclass(frozen=True, slots=True)
class Observation:
    """An element: what was observed of what.

    Attributes:
        name: of the observation.
        time: in ticks.
        of: what it is about.
        values: of the properties p and q, those that it has.
    """

    name: str
    time: int
    of: str
    values: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FormatsCase:
    """A stream, whose observations come in the order of time, and rules.

    Attributes:
        dated: whether stamps are dateTimes, not integers.
        cut: how many bytes are read at once.
    """

    observations: Sequence[Observation]
    rules: Sequence[str]
    dated: bool
    cut: int

    @classmethod
    def of(cls, seed: int) -> FormatsCase:
        """The case of a seed."""
        random = Random(seed)  # noqa: S311 - not for secrets
        observations, time = [], 0
        for number in range(random.randint(1, 9)):
            time += random.choice((0, 1, 1, 2, 5))
            some = random.sample("pq", random.randint(0, 2))
            values = {each: random.randint(0, 2) for each in some}
            of = random.choice(("a", "b c", "d/é"))
            observations.append(Observation(f"o{number}", time, of, values))
        rules = random.sample(RULES, random.randint(1, len(RULES)))
        return cls(observations, rules, random.random() < 0.5, random.choice((7, 64, 1 << 20)))

    def text(self, tick: int) -> str:
        """A time as it is written."""
        if not self.dated:
            return str(tick)
        time = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(milliseconds=tick)
        return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03}Z"

    @property
    def datatype(self) -> str:
        """That of times."""
        return XSD + ("dateTime" if self.dated else "integer")

    def triples(self, each: Observation) -> list[tuple[str, str, str]]:
        """An element as N-Triples write it."""
        values = [(f"{EX}{name}", value) for name, value in each.values.items()]
        pairs = [
            (f"{EX}time", f'"{self.text(each.time)}"^^<{self.datatype}>'),
            (f"{EX}of", f"<{EX}{_encoded(each.of)}>"),
            *((name, f'"{value}"^^<{XSD}integer>') for name, value in values),
        ]
        return [(f"<{EX}{each.name}>", f"<{name}>", term) for name, term in pairs]


def _encoded(name: str) -> str:
    return name.replace(" ", "%20").replace("/", "%2F").replace("é", "%C3%A9")


def _nquads(case: FormatsCase) -> str:
    lines = []
    for each in case.observations:
        name = f"<urn:g:{each.name}>"
        stamp = f'"{case.text(each.time)}"^^<{case.datatype}>'
        lines.append(f"{name} <{PROV}generatedAtTime> {stamp} .\n")
        lines += [f"{' '.join(triple)} {name} .\n" for triple in case.triples(each)]
    return "".join(lines)


def _trig(case: FormatsCase) -> str:
    blocks = []
    for each in case.observations:
        stamp = f'"{case.text(each.time)}"^^<{case.datatype}>'
        inside = " . ".join(" ".join(triple) for triple in case.triples(each))
        blocks.append(f"<urn:g:{each.name}> <{PROV}generatedAtTime> {stamp} .\n")
        blocks.append(f"<urn:g:{each.name}> {{ {inside} }}\n")
    return "".join(blocks)


def _shuffled(case: FormatsCase) -> list[Observation]:
    """In no order; those of one time as they were."""
    return sorted(case.observations, key=lambda each: (-each.time % 3, each.time))


def _turtle(case: FormatsCase) -> str:
    some = [triple for each in _shuffled(case) for triple in case.triples(each)]
    return "".join(f"{' '.join(triple)} .\n" for triple in some)


def _node(case: FormatsCase, each: Observation) -> dict[str, object]:
    time = {"@value": case.text(each.time), "@type": case.datatype}
    context = {"of": {"@id": f"{EX}of", "@type": "@id"}, "p": f"{EX}p", "q": f"{EX}q"}
    of = EX + _encoded(each.of)
    node: dict[str, object] = {"@context": context, "@id": EX + each.name, f"{EX}time": time}
    return {**node, "of": of, **each.values}


def _json_ld(case: FormatsCase) -> str:
    return json.dumps([_node(case, each) for each in _shuffled(case)])


def _json_ld_lines(case: FormatsCase) -> str:
    return "".join(f"{json.dumps(_node(case, each))}\n" for each in case.observations)


def _fields(case: FormatsCase, each: Observation) -> dict[str, object]:
    return {"id": each.name, "time": case.text(each.time), "of": each.of, **each.values}


def _ndjson(case: FormatsCase) -> str:
    lines = (_fields(case, each) for each in case.observations)
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def _csv(case: FormatsCase, delimiter: str = ",") -> str:
    file = io.StringIO()
    writer = csv.DictWriter(file, ["id", "time", "of", "p", "q"], delimiter=delimiter)
    writer.writeheader()
    writer.writerows(_fields(case, each) for each in case.observations)
    return file.getvalue()


def _tsv(case: FormatsCase) -> str:
    return _csv(case, "\t")


def _answers(case: FormatsCase) -> str:
    lines = []
    for each in case.observations:
        at: int | str = case.text(each.time) if case.dated else each.time
        end = each.time + WINDOW
        until: int | str = case.text(end) if case.dated else end
        for s, p, o in case.triples(each):
            line = {"op": "+", "at": at, "s": s, "p": p, "o": o, "from": at, "until": until}
            lines.append(f"{json.dumps(line)}\n")
    return "".join(lines)


def _patch(case: FormatsCase) -> str:
    parts = _nquads(case).splitlines()
    return "TX .\n" + "".join(f"A {line}\n" for line in parts) + "TC .\n"


FORMATS: Final[Mapping[str, Callable[[FormatsCase], str]]] = {
    "trig": _trig,
    "ttl": _turtle,
    "nt": _turtle,
    "jsonld": _json_ld,
    "ndjsonld": _json_ld_lines,
    "ndjson": _ndjson,
    "csv": _csv,
    "tsv": _tsv,
    "jsonl": _answers,
    "rdfp": _patch,
}
"""What writes a case, by the suffix that the file has; N-Quads are compared with."""
DEALT: Final = {name: FORMATS[name] for name in ("trig", "csv", "tsv", "ndjson", "jsonl", "rdfp")}
"""Those whose elements come one by one, without an option that other formats heed."""


def differences(case: FormatsCase, folder: Path, *, parquet: bool) -> tuple[str, Counter[str]]:
    """In which formats the answers differ from those of N-Quads, and what the case exercises."""
    _write_rules(case, folder)
    wanted = _run(case, folder, "nq", _nquads(case).encode())
    written = {suffix: write(case).encode() for suffix, write in FORMATS.items()}
    if parquet:
        written["parquet"] = _parquet(case)
    wrong = []
    for suffix, data in written.items():
        found = _run(case, folder, suffix, data)
        if found != wanted:
            wrong.append(f"{suffix}: {found} in place of {wanted}\n{data!r:.3000}")
    lines = wanted[1]
    return "\n".join(wrong), Counter(runs=1, answers=int(bool(lines)), ends=int('"-"' in lines))


def difference_of_dealt(seed: int, folder: Path) -> str:
    """How the answers to a stream that is dealt out to files differ from those to one; "": in none.

    The files have any formats in which an element stands where it comes, some without the line end
    of the last line.
    """
    case, random = FormatsCase.of(seed), Random(seed)  # noqa: S311 - not for secrets
    _write_rules(case, folder)
    wanted = _run(case, folder, "nq", _nquads(case).encode())
    count = random.choice((2, 3, 20))
    hands: list[list[Observation]] = [[] for _ in range(count)]
    for each in case.observations:
        random.choice(hands).append(each)
    paths = []
    for number, hand in enumerate(hands):
        suffix = random.choice(("nq", *DEALT))
        text = DEALT.get(suffix, _nquads)(replace(case, observations=hand))
        paths.append(folder / f"s{number}.{suffix}")
        paths[-1].write_text(random.choice((text, text.rstrip("\n"))), "utf-8")
    found = _run_files(case, folder, paths, ["--mapping", str(folder / "m.toml")])
    if found == wanted:
        return ""
    texts = "\n".join(f"{path.name}:\n{path.read_text('utf-8')}" for path in paths)
    return f"{found} in place of {wanted}\n{texts}"


def _run(case: FormatsCase, folder: Path, suffix: str, data: bytes) -> tuple[int, str]:
    path = folder / f"s.{suffix}"
    path.write_bytes(data)
    options = []
    if suffix in {"ttl", "nt", "jsonld", "ndjsonld"}:
        options += ["--time-predicate", f"{EX}time"]
    if suffix in {"csv", "tsv", "ndjson"}:
        options += ["--mapping", str(folder / "m.toml")]
    return _run_files(case, folder, [path], options)


def _run_files(
    case: FormatsCase, folder: Path, paths: Sequence[Path], options: Sequence[str]
) -> tuple[int, str]:
    with small_batches(case.cut):
        found = call(["run", str(folder / "r.rif"), *map(str, paths), "--drain", *options])
    bad = "DAT" in found.err or " 0 late, 0 bad" not in found.err
    return found.code if not bad else -9, found.out


def _write_rules(case: FormatsCase, folder: Path) -> None:
    """Write the rules and the mapping of tables."""
    names = " ".join(f"Forall ?o ?s ?v ?r ?t ({rule})" for rule in case.rules)
    rules = f"Document( Prefix(ex <{EX}>) Window({WINDOW}) Group({names}) )"
    (folder / "r.rif").write_text(rules, "utf-8")
    kind = ("xsd:dateTime", "iso") if case.dated else ("xsd:integer", "integer")
    mapping = MAPPING.replace("TYPE", kind[0]).replace("FORMAT", kind[1])
    (folder / "m.toml").write_text(mapping, "utf-8")


def _parquet(case: FormatsCase) -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - an extra
    import pyarrow.parquet as pq  # noqa: PLC0415

    rows = [(each.time, *triple) for each in case.observations for triple in case.triples(each)]
    columns = {
        "from": [case.text(row[0]) if case.dated else row[0] for row in rows],
        **{name: [row[place] for row in rows] for place, name in enumerate("spo", 1)},
    }
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()
