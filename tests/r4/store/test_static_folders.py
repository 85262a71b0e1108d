"""`r4 run --static FOLDER` says what `r4 run --static FILE…` says of the files loaded into it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r4.cli import main
from r4.errors import InputError
from r4.program.compiler import compile_document
from r4.run.static_data import selected_by
from r4.spark.loading.inputs import find_inputs
from r4.spark.loading.loader import BulkLoad
from r4.store.loaded_folder import LoadedFolder
from r4.time.ticks import TimeScale
from rete.terms.dictionary import Dictionary
from tests.generators.rules.parsers import parse
from tests.simulation.spark.in_process_units import LocalUnitRunner

TERMS = st.one_of(
    st.sampled_from("abc").map(lambda name: f"<http://e.x/{name}>"),
    st.sampled_from("xy").map(lambda name: f"_:{name}"),
)
OBJECTS = st.one_of(
    TERMS,
    st.sampled_from(
        [
            '"1"^^<http://www.w3.org/2001/XMLSchema#integer>',
            '"01"^^<http://www.w3.org/2001/XMLSchema#integer>',
            '"é"@fr',
        ]
    ),
)
PREDICATES = st.sampled_from("pqr").map(lambda name: f"<http://e.x/{name}>")
TRIPLES = st.lists(st.tuples(TERMS, PREDICATES, OBJECTS), max_size=8)

BODIES = (
    "?x[e:p -> ?y]",
    "And(?x[e:p -> ?y] ?y[e:q -> ?z])",
    "And(?x[e:p -> ?y] ?x[e:q -> e:b])",
    "And(?x[e:r -> 1] ?x[e:q -> ?y])",
    "And(?x[e:p -> ?y] ?x[?w -> e:c])",
    "And(?x[e:p -> ?y] External(pred:numeric-greater-than(?y 0)))",
    "And(?x[e:none -> ?y] ?x[e:p -> ?y])",
)


def rules(bodies: list[str]) -> str:
    clauses = "".join(
        f"Forall ?x ?y ?z ?w (?x[e:h{n} -> ?y] :- {body})\n" for n, body in enumerate(bodies)
    )
    return (
        "Document(Prefix(e <http://e.x/>)"
        " Prefix(pred <http://www.w3.org/2007/rif-builtin-predicate#>)"
        f" Group({clauses}))"
    )


def text(triples: list[tuple[str, str, str]]) -> str:
    return "".join(f"{' '.join(triple)} .\n" for triple in triples)


def stream(elements: list[list[tuple[str, str, str]]]) -> str:
    lines = []
    for at, triples in enumerate(elements):
        name = f"<http://g/{at}>"
        lines.append(
            f"{name} <http://www.w3.org/ns/prov#generatedAtTime> "
            f'"{at}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'
        )
        lines += (f"{' '.join(triple)} {name} .\n" for triple in triples)
    return "".join(lines)


OPTIONS = st.sampled_from(
    [[], ["--literals", "value"], ["--entailment", "rdfs"], ["--include-input"], ["--window", "2"]]
)


@pytest.mark.slow
@given(
    files=st.lists(TRIPLES, min_size=1, max_size=2),
    more=TRIPLES,
    elements=st.lists(TRIPLES, max_size=3),
    bodies=st.lists(st.sampled_from(BODIES), min_size=1, max_size=2),
    order=st.permutations(["stream", "loaded", "more"]),
    options=OPTIONS,
)
def test_a_loaded_folder_is_its_files(
    tmp_path_factory: pytest.TempPathFactory,
    files: list[list[tuple[str, str, str]]],
    more: list[tuple[str, str, str]],
    elements: list[list[tuple[str, str, str]]],
    bodies: list[str],
    order: list[str],
    options: list[str],
) -> None:
    folder = tmp_path_factory.mktemp("static")
    paths = [folder / f"{number}.nt" for number in range(len(files))]
    for path, triples in zip(paths, files, strict=True):
        path.write_text(text(triples))
    (folder / "rules.rif").write_text(rules(bodies))
    (folder / "stream.nq").write_text(stream(elements))
    (folder / "more.nt").write_text(text(more))
    load(paths, folder / "loaded")
    told = []
    for loaded in ([folder / "loaded"], paths):
        given = {
            "stream": [str(folder / "stream.nq")],
            "more": ["--static", str(folder / "more.nt")],
            "loaded": [part for path in loaded for part in ("--static", str(path))],
        }
        rest = [part for name in order for part in given[name]]
        answers = ["--output", str(folder / "answers")]
        assert main(["run", str(folder / "rules.rif"), *rest, *options, *answers]) == 0
        told.append((folder / "answers").read_text())
    assert told[0] == told[1]


def load(paths: list[Path], into: Path) -> None:
    begun = BulkLoad(into, LocalUnitRunner())
    begun.finish(begun.read(find_inputs(list(map(str, paths)))))


def test_two_folders_are_their_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "ab":
        (tmp_path / f"{name}.nt").write_text(f"_:x <http://e.x/p> <http://e.x/{name}> .\n")
        load([tmp_path / f"{name}.nt"], tmp_path / name)
    (tmp_path / "rules.rif").write_text(rules([BODIES[0]]))
    said = []
    for suffix in ("", ".nt"):
        given = [part for name in "ab" for part in ("--static", str(tmp_path / f"{name}{suffix}"))]
        assert main(["run", str(tmp_path / "rules.rif"), *given]) == 0
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert [json.loads(line)["s"] for line in said[0].splitlines()] == ["_:d1_x", "_:d2_x"]


@pytest.mark.parametrize(
    ("body", "asked"),
    [
        (BODIES[0], {"p": None}),
        (BODIES[2], {"p": None, "q": {"<http://e.x/b>"}}),
        (
            "And(?x[e:q -> e:b] ?x[e:q -> e:a] ?x[e:p -> ?y])",
            {"p": None, "q": {"<http://e.x/a>", "<http://e.x/b>"}},
        ),
        ("And(?x[e:p -> e:b] ?x[e:p -> ?y])", {"p": None}),
        ("And(e:a[?y -> ?x])", None),
    ],
)
def test_what_rules_ask_for(body: str, asked: dict[str, set[str] | None] | None) -> None:
    found = selected_by(compile_document(parse(rules([body])).document, TimeScale()))
    if asked is None:
        assert found is None
    else:
        assert found == {f"<http://e.x/{name}>": known for name, known in asked.items()}


@pytest.fixture
def loaded(tmp_path: Path) -> Path:
    (tmp_path / "a.nt").write_text(
        '<http://e.x/a> <http://e.x/p> "b" .\n_:x <http://e.x/p> _:y .\n'
    )
    (tmp_path / "rules.rif").write_text(rules([BODIES[0]]))
    load([tmp_path / "a.nt"], tmp_path / "into")
    return tmp_path / "into"


def run(loaded: Path, *more: str) -> int:
    rules = str(loaded.with_name("rules.rif"))
    return main(["run", rules, "--static", str(loaded), *more])


def test_explain_reads_a_folder_too(loaded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = str(loaded.with_name("rules.rif"))
    fact = '<http://e.x/a> <http://e.x/h0> "b"'
    assert main(["explain", rules, "--static", str(loaded), "--fact", fact]) == 0
    assert "e:h0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda into: (into / "_SUCCESS").unlink(), "there is no _SUCCESS"),
        (lambda into: (into / "mapped" / "index.json").write_text("{"), "its index is damaged"),
        (
            lambda into: (into / "mapped" / "index.json").write_text(
                '{"version": 9, "byteorder": 1}'
            ),
            "another version",
        ),
        (lambda into: (into / "mapped" / "terms" / "entries").write_bytes(b"xy"), "are damaged"),
        (lambda into: flip(into / "mapped" / "terms" / "entries", 16), "their places are wrong"),
        (lambda into: flip(into / "mapped" / "terms" / "entries", 25), "their places are wrong"),
        (lambda into: cut(next((into / "mapped" / "triples").iterdir())), "damaged"),
        (lambda into: next((into / "mapped" / "triples").iterdir()).unlink(), "damaged"),
    ],
)
def test_a_damaged_folder_is_refused(
    loaded: Path, capsys: pytest.CaptureFixture[str], harm: object, said: str
) -> None:
    assert callable(harm)
    harm(loaded)
    assert run(loaded) == 2
    assert said in capsys.readouterr().err


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(data)


def contents(folder: Path) -> list[list[str]]:
    """All triples, as texts, and what is counted of them."""
    terms = Dictionary()
    opened = LoadedFolder(str(folder), 1)
    rows = [row for part in opened.rows_on(terms, None) for row in part.tolist()]
    found = [[terms.decode(term) for term in row] for row in rows]
    return sorted([*found, [f"{name} {count}" for name, count in opened.counts().items()]])


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.soak), 61])
def test_each_byte_changed_is_refused_or_tells_the_same(step: int, loaded: Path) -> None:
    whole = contents(loaded)
    files = [loaded / "_SUCCESS", *(each for each in (loaded / "mapped").rglob("*"))]
    refused = 0
    for path in filter(Path.is_file, files):
        raw = path.read_bytes()
        for place in range(0, len(raw), step):
            for bits in (0xFF, 1):
                path.write_bytes(raw[:place] + bytes([raw[place] ^ bits]) + raw[place + 1 :])
                try:
                    assert contents(loaded) == whole, (path, place)
                except InputError:
                    refused += 1
        path.write_bytes(raw)
    assert refused
    assert contents(loaded) == whole


@pytest.mark.parametrize("name", ["arena", "values", "classes", "hashes"])
def test_a_column_that_is_not_what_was_written_is_refused(
    loaded: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    flip(loaded / "mapped" / "terms" / name, 3)
    assert run(loaded) == 2
    assert "are damaged: they are not what was written" in capsys.readouterr().err


def test_ids_that_no_term_has_are_refused(loaded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (path,) = (loaded / "mapped" / "triples").iterdir()
    data = path.read_bytes()
    for term in range(1, 6):
        data = data.replace(term.to_bytes(8, "little"), (10**9 + term).to_bytes(8, "little"), 2)
    path.write_bytes(data)
    assert run(loaded) == 2
    assert "damaged" in capsys.readouterr().err


def test_without_arrow_a_line_says_what_to_install(
    loaded: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("r4.store.index.version_of", lambda _: None)
    assert run(loaded) == 2
    assert "pyarrow is not installed: pip install -e '.[parquet]'" in capsys.readouterr().err


def test_a_folder_is_no_stream(loaded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = str(loaded.with_name("rules.rif"))
    assert main(["run", rules, str(loaded)]) == 2
    assert "a folder is static data, and only that" in capsys.readouterr().err
    assert main(["run", rules, "--static", str(loaded.parent)]) == 2
    assert "nothing was loaded into this folder" in capsys.readouterr().err
