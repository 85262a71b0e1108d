"""The package that people install: the engine, its streams and its command line.

Data goes down this table from `rdf` to `sinks`, rules from `imports` to `engine`.

| room | what it is |
|---|---|
| `time` | stamps and durations as integer ticks |
| `rdf` | RDF documents in: formats, statements as rows of ids |
| `store` | folders of bulk data, opened without reading them |
| `stream` | from chunks of sources to batches of elements in the order of time |
| `sources` | what gives a stream: RDF documents, RDF Patch, tables by a mapping |
| `foreign` | rules of other languages as rule documents |
| `imports` | what rule documents import: rules, graphs, streams |
| `program` | documents compiled to plans; negation, lookahead, entailment regimes |
| `engine` | the core: batches in, derivation, changes out, in ids and ticks |
| `answers` | what began and ceased to hold, until it is final or early, in order |
| `run` | the one place that drives a core, for all that follow |
| `options` | options of commands and of the library, a field each |
| `state` | runs that go on after whatever ended them |
| `sinks` | where answers go, a file a format |
| `entailment` | whether a premise entails a conclusion |
| `checkpoint` | a running engine as a file, and back |
| `explain` | why a fact holds, and why not |
| `possible` | answers that may become true |
| `api` | the engine as a library |
| `testing` | cases of rules, and what differs from the lines that they expect |
| `language_server` | what editors ask about the text of rules |
| `cli` | the command ``r4``, a file a command |
| `demo` | the main example |
| `spark` | several engines run one program, in shards; bulk loading |

`language` has what rules may be made of, `functions` those of one's own, `errors` what can be wrong
with data, `extras` what a missing extra is for, `path_lock` that one process at a time writes a
file or folder, `atomic_path` files that are whole or not there, `nearest_name` the name that was
probably meant, `prefixes` those that need no declaration, `property_paths` what leads to a time,
`markup` HTML for notebooks, `limited_toml` TOML whose keys are not too long to be read, `toml_text`
texts as TOML has them, `loading` Ctrl-C while modules are imported.
"""

import sys

TYPE_CHECKING = False  # as in typing, which is not imported before `r4.loading`
if TYPE_CHECKING:
    from r4.api import Change as Change
    from r4.api import Engine as Engine
    from r4.functions import OutsideDomain as OutsideDomain
    from r4.functions import function as function

__version__ = "0.2.0"

if not getattr(sys, "_is_gil_enabled", lambda: True)():
    message = (
        "R4 needs the global interpreter lock: no version of Python without it was tried. Start"
        " Python with -X gil=1, or set PYTHON_GIL=1"
    )
    raise ImportError(message)


def __getattr__(name: str) -> object:
    """The library is loaded when it is asked for: commands do without it."""
    if name in {"function", "OutsideDomain"}:
        from r4 import functions  # noqa: PLC0415

        return getattr(functions, name)
    if name in {"Change", "Engine"}:
        from rif.syntax.garbage_collection import collector_paused  # noqa: PLC0415

        with collector_paused():  # modules are a tree that only grows: a tenth of the time
            from r4 import api  # noqa: PLC0415

        return getattr(api, name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
