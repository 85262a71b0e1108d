"""Kernels: pure functions from arrays to arrays, the only compiled code.

Two back ends compute the same. ``compiled`` (Cython extensions) is used if all of them import and
have this package's `VERSION`; else ``pure`` (Python and numpy). The environment variable
``R4_KERNELS`` set to ``pure`` or ``compiled`` forces one. `BACKEND` says which is in use.

Each module ``pure_<name>.py`` has a compiled twin ``_<name>.pyx``; ``_<name>.pxd`` is what other
compiled kernels use of it.

| module | what is in it |
|---|---|
| `pure_rows_index` | row matrices and their hash index |
| `pure_rows_intervals` | sets of maximal intervals: absorb, remove, uncovered pieces, find |
| `pure_rows_probes` | probes of a stored row matrix (joins), and the routing of facts to scans |
| `pure_rows_metric` | diamonds, boxes, Since and Until |
| `pure_rows_projection` | rows with other columns, together, or within bounds |
| `pure_rows_lists` | triples that rows list, in order |
| `pure_text_terms` | the index of a dictionary: canonical text to id, and its mapped terms |
| `pure_text_columns` | the columns of a dictionary: order, numbers, decoding |
| `pure_text_nquads` | lines and tokens of N-Quads |
| `pure_text_facts` | plain lines of DatalogMTL facts and tables |
| `pure_text_json` | answers as JSON lines |
| `pure_support_search` | which facts have a derivation below a level |
| `pure_support_suspects` | the suspects of one table, and the searches that concern it |
| `pure_support_levels` | which facts of a recursive component still follow, level by level |
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from os import environ
from typing import TYPE_CHECKING, Final, Literal, TypeAlias
from warnings import warn

from rete.kernels.pure_rows_index import DEAD as DEAD
from rete.kernels.pure_rows_intervals import BEGINS_AT as BEGINS_AT
from rete.kernels.pure_rows_intervals import COVERS as COVERS
from rete.kernels.pure_rows_intervals import ENDS_AT as ENDS_AT

if TYPE_CHECKING:
    from types import ModuleType

Backend: TypeAlias = Literal["compiled", "pure"]

VERSION: Final = 18
"""Version of the kernels' interface; a compiled binary of another version is not used."""

_EXTENSIONS: Final = {
    "_rows_index": "pure_rows_index",
    "_rows_intervals": "pure_rows_intervals",
    "_rows_probes": "pure_rows_probes",
    "_text_json": "pure_text_json",
    "_text_terms": "pure_text_terms",
    "_text_nquads": "pure_text_nquads",
    "_text_columns": "pure_text_columns",
    "_text_facts": "pure_text_facts",
    "_rows_metric": "pure_rows_metric",
    "_rows_lists": "pure_rows_lists",
    "_rows_projection": "pure_rows_projection",
    "_support_search": "pure_support_search",
    "_support_suspects": "pure_support_suspects",
    "_support_levels": "pure_support_levels",
}
"""Extension module -> its pure twin; each after those whose code it has in it."""


class StaleKernels(ImportError):
    """A compiled kernel of another version than this source."""


def load(backend: Backend) -> dict[str, ModuleType]:
    """The kernel modules of a back end, by the name of the extension.

    Raises:
        ImportError: ``compiled``, and an extension is absent or of another version.
    """
    if backend == "pure":
        return {name: import_module(f"{__name__}.{twin}") for name, twin in _EXTENSIONS.items()}
    modules: dict[str, ModuleType] = {}
    for name in _EXTENSIONS:
        module = modules[name] = import_module(f"{__name__}.{name}")
        if module.VERSION != VERSION:
            message = (
                f"the compiled kernels {__name__}.{name} have version {module.VERSION}, "
                f"this source needs {VERSION}: build them anew"
            )
            raise StaleKernels(message)
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
        if any(find_spec(f"{__name__}.{name}") for name in _EXTENSIONS):
            warn(f"{error}; the slower pure kernels are used until then", stacklevel=3)
    return "pure", load("pure")


_backend, _modules = _choose()

BACKEND: Final[Backend] = _backend
"""The back end in use."""

if TYPE_CHECKING:
    from rete.kernels import pure_rows_index as rows
    from rete.kernels import pure_rows_intervals as intervals
    from rete.kernels import pure_rows_lists as lists
    from rete.kernels import pure_rows_metric as metric
    from rete.kernels import pure_rows_probes as probes
    from rete.kernels import pure_rows_projection as projection
    from rete.kernels import pure_support_levels as levels
    from rete.kernels import pure_text_columns as ids
    from rete.kernels import pure_text_facts as facts
    from rete.kernels import pure_text_json as lines
else:
    rows, intervals, probes = (
        _modules["_rows_index"],
        _modules["_rows_intervals"],
        _modules["_rows_probes"],
    )
    lines, facts = _modules["_text_json"], _modules["_text_facts"]
    metric, levels = _modules["_rows_metric"], _modules["_support_levels"]
    lists, projection = _modules["_rows_lists"], _modules["_rows_projection"]
    ids = _modules["_text_columns"]

Index = rows.Index
Selection = probes.Selection
clip = projection.clip
compact = rows.compact
concatenate = projection.concatenate
difference = intervals.difference
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
uncovered = intervals.uncovered
united = intervals.united
triple_lines = lines.triple_lines
dilate = metric.dilate
erode = metric.erode
probe_eroded = metric.probe_eroded
probe_since = metric.probe_since
settle = levels.settle
