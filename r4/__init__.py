"""What people install: the engine, its streams and its command line.

The engine: `compile` takes a document to a
`program` with its `relations`, where `negation` judges what is negated and
`metric` how far operators look; `engine` runs their networks batch by batch. `ruleset` has those
and what joins and leaves, by `assertions` facts come in, of some `validity`, and are taken back,
`now` is how far time has come, and `forgetting` says what is still needed. `hearing` hears what
tables gain and lose, and `telling` gives the answers: `answers` keeps what began and ceased to
hold, `arrivals` also what of it was `told` before it was final, `changes` brings it into the order
of the lines, and by `including` all that holds is an answer. `api` is the engine as a library,
`joining` reads the rules that are added to it, and `graphs` is its edge to rdflib and pyoxigraph.

Documents in: `files` opens, `rdf` knows the formats, `chunks` has what is read, `nquads` reads the line formats and
`statements` the others, for which `turtle` finds where statements end; `guards` refuses what would
exhaust a parser, `patch` reads transactions of RDF Patch, `blanks` names blank nodes, `faults`
counts what is wrong with data, and `outside` says what built-ins were given outside their domain.
What rule documents import, rules and graphs, is the matter of `imports`.

Entailment: what the vocabularies of RDF and OWL mean stands in `entailment`, as rules; `meaning`
finds those of a run. `closure` is all that follows from graphs. `entails` decides whether a
`conclusion` follows: `goals` makes it rules that are asked.

Streams: `streams` has what a source is, `rdf_source` is one of documents, a `batch` goes to the engine; `elements` finds where elements
begin and end, `subjects` makes them of plain graphs, `items` judges them, and `settle` what depends
on those before; `feed` is one source on its way, `turns` and `frontier` merge several, `idle` hears
which are silent; `delays` says what is late, `late` keeps it, `cuts` makes batches around what
takes back, and `intake` is all of it. `time` turns stamps and durations into ticks, `stamps` whole
columns of them, and `clock` turns ticks back. `sources` makes streams of other things than RDF.

Why a fact holds is the matter of `explain`, what may become true that of `possible`.

Around it: `sinks` has a file a format of answers, `cli` a file a command, `bench` the workloads and
comparisons, `demo` the main example; `extras` says what a missing extra is for. `snapshot` makes a
running engine a file. `spark` lets several engines run a program, each as one of the others'
`neighbours`, and fills folders with bulk data, which `loaded` opens.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from r4.api import Change as Change
    from r4.api import Engine as Engine

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """The library is loaded when it is asked for: it brings rdflib, which commands do without."""
    if name in {"Change", "Engine"}:
        from r4 import api  # noqa: PLC0415

        return getattr(api, name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
