"""Kernels: pure functions from arrays to arrays, the only compiled code.

Two back ends compute the same. ``compiled`` (Cython extensions) is used if all of them import and
have this package's `VERSION`; else ``pure`` (Python and numpy). The environment variable
``R4_KERNELS`` set to ``pure`` or ``compiled`` forces one. `BACKEND` says which is in use.

Each module ``pure_<name>.py`` has a compiled twin ``_<name>.pyx`` beside it; ``_<name>.pxd`` is
what other compiled kernels use of it.

| room | what is in it |
|---|---|
| `rows` | matrices of rows: index, intervals, probes, metric operators |
| `text` | terms and facts as text: dictionary, N-Quads, DatalogMTL, JSON lines |
| `bags` | aggregates: the changes of groups in the order of time, and their values |
| `support` | which facts of a recursive component still have a derivation |
| `single` | single elements: a network driven row by row, on the same stores; compiled alone |
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from os import environ
from typing import TYPE_CHECKING, Final, Literal, TypeAlias
from warnings import warn

from rete.kernels.rows.pure_coverage import Operator as Operator
from rete.kernels.rows.pure_intervals import BEGINS_AT as BEGINS_AT
from rete.kernels.rows.pure_intervals import COVERS as COVERS
from rete.kernels.rows.pure_intervals import ENDS_AT as ENDS_AT
from rete.kernels.rows.pure_matrix import DEAD as DEAD
from rete.kernels.single.interface import SingleKernels

if TYPE_CHECKING:
    from types import ModuleType

Backend: TypeAlias = Literal["compiled", "pure"]

VERSION: Final = 30
"""Version of the kernels' interface; a compiled binary of another version is not used."""

_EXTENSIONS: Final = {
    "rows._matrix": "rows.pure_matrix",
    "rows._store": "rows.pure_store",
    "rows._intervals": "rows.pure_intervals",
    "rows._probes": "rows.pure_probes",
    "rows._metric": "rows.pure_metric",
    "rows._coverage": "rows.pure_coverage",
    "text._json": "text.pure_json",
    "text._terms": "text.pure_terms",
    "text._nquads": "text.pure_nquads",
    "text._columns": "text.pure_columns",
    "text._facts": "text.pure_facts",
    "rows._lists": "rows.pure_lists",
    "rows._projection": "rows.pure_projection",
    "support._search": "support.pure_search",
    "support._suspects": "support.pure_suspects",
    "support._levels": "support.pure_levels",
    "bags._timeline": "bags.pure_timeline",
    "bags._numbers": "bags.pure_numbers",
    "bags._values": "bags.pure_values",
    "bags._choices": "bags.pure_choices",
}
"""Extension module -> its pure twin, in this package; each after those whose code it has in it."""

_WITHOUT_TWIN: Final = (
    "single._elements",
    "single._answers",
    "single._nodes",
    "single._emission",
    "single._network",
)
"""Extensions for single elements, which the pure back end takes as columns."""


def load(backend: Backend) -> dict[str, ModuleType]:
    """The kernel modules of a back end, by the name of the extension.

    Raises:
        ImportError: ``compiled``, and an extension is absent or of another version.
    """
    if backend == "pure":
        return {name: import_module(f"{__name__}.{twin}") for name, twin in _EXTENSIONS.items()}
    modules: dict[str, ModuleType] = {}
    for name in (*_EXTENSIONS, *_WITHOUT_TWIN):
        module = modules[name] = import_module(f"{__name__}.{name}")
        if module.VERSION != VERSION:
            message = (
                f"the compiled kernels {__name__}.{name} have version {module.VERSION}, "
                f"this source needs {VERSION}: build them anew"
            )
            raise ImportError(message)
    return modules


def _choose() -> tuple[Backend, dict[str, ModuleType]]:
    forced = environ.get("R4_KERNELS", "")
    if forced not in {"", "pure", "compiled"}:
        message = f"R4_KERNELS is {forced!r}; it can be 'pure' or 'compiled'"
        raise ImportError(message)
    if forced == "pure":
        return "pure", load("pure")
    try:
        return "compiled", load("compiled")
    except ImportError as error:
        if forced:
            raise
        # None built is a machine without compiler; some, or others, are left from an older source.
        if any(find_spec(f"{__name__}.{name}") for name in (*_EXTENSIONS, *_WITHOUT_TWIN)):
            warn(f"{error}; the slower pure kernels are used until then", stacklevel=3)
    return "pure", load("pure")


_backend, _modules = _choose()

BACKEND: Final[Backend] = _backend
"""The back end in use."""

if TYPE_CHECKING:
    from rete.kernels.bags import pure_choices as choices
    from rete.kernels.bags import pure_timeline as timeline
    from rete.kernels.rows import pure_coverage as coverage
    from rete.kernels.rows import pure_intervals as intervals
    from rete.kernels.rows import pure_lists as lists
    from rete.kernels.rows import pure_metric as metric
    from rete.kernels.rows import pure_probes as probes
    from rete.kernels.rows import pure_projection as projection
    from rete.kernels.rows import pure_store as store
    from rete.kernels.support import pure_levels as levels
    from rete.kernels.text import pure_columns as ids
    from rete.kernels.text import pure_facts as facts
    from rete.kernels.text import pure_json as lines
else:
    store, intervals = _modules["rows._store"], _modules["rows._intervals"]
    probes, projection = _modules["rows._probes"], _modules["rows._projection"]
    metric, lists = _modules["rows._metric"], _modules["rows._lists"]
    ids, lines = _modules["text._columns"], _modules["text._json"]
    facts, levels = _modules["text._facts"], _modules["support._levels"]
    coverage = _modules["rows._coverage"]
    timeline, choices = _modules["bags._timeline"], _modules["bags._choices"]

FactStore = store.FactStore
Index = store.Index
Lookups = coverage.Lookups
Selection = probes.Selection
Timeline = timeline.Timeline
bags_of = choices.bags_of
clip = projection.clip
concatenate = projection.concatenate
difference = coverage.difference
distinct = ids.distinct
project = projection.project
reaches_beyond = projection.reaches_beyond
absorb = intervals.absorb
absorb_starts = intervals.absorb_starts
find = intervals.find
probe = probes.probe
remove = intervals.remove
route = probes.route
route_table = probes.route_table
select = probes.select
sorted_lists = lists.sorted_lists
uncovered = coverage.uncovered
unpaired = coverage.unpaired
united = intervals.united
triple_lines = lines.triple_lines
dilate = metric.dilate
erode = metric.erode
probe_eroded = metric.probe_eroded
probe_since = metric.probe_since
settle = levels.settle

single: Final[SingleKernels | None] = (
    None
    if BACKEND == "pure"
    else SingleKernels(
        _modules["text._terms"].TermView,
        _modules["single._elements"].ElementReader,
        _modules["single._elements"].AssertedQueue,
        _modules["single._answers"].AnswerQueue,
        _modules["single._network"].RowNetwork,
    )
)
"""The kernels for single elements; None: kernels are not compiled."""
