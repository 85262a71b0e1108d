"""Kernels: pure functions from arrays to arrays, the only compiled code.

Two back ends compute the same. ``compiled`` (Cython extensions) is used if all of them import and
carry this package's `VERSION`; else ``pure`` (Python and numpy). The environment variable
``R4_KERNELS`` set to ``pure`` or ``compiled`` forces one. `BACKEND` says which is in use.

* rows: ``pure_rows_index.py`` / ``_rows_index.pyx``: the index of a row matrix; `_rows_index.pxd`, what all share.
* sets: ``pure_rows_intervals.py`` / ``_rows_intervals.pyx``: maximal intervals, united and taken out.
* probes: ``pure_rows_probes.py`` / ``_rows_probes.pyx``: joins, and their one loop; routing.
* `lines`: ``pure_text_json.py`` / ``_text_json.pyx``: answers as JSON lines.
* terms: ``pure_text_terms.py`` / ``_text_terms.pyx``: the index of a dictionary and its base; `_text_terms.pxd`,
  what all share.
* quads: ``pure_text_nquads.py`` / ``_text_nquads.pyx``: lines and tokens of N-Quads.
* columns: ``pure_text_columns.py`` / ``_text_columns.pyx``: the columns of a dictionary: order, numbers.
* metric: ``pure_rows_metric.py`` / ``_rows_metric.pyx``: diamonds, boxes, Since and Until.
* proofs: ``pure_support_search.py`` / ``_support_search.pyx``: which facts have a derivation.
* doubtful: ``pure_support_suspects.py`` / ``_support_suspects.pyx``: what of one table is in doubt, and asked.
* doubts: ``pure_support_levels.py`` / ``_support_levels.pyx``: which facts of a component still follow.
* facts: ``pure_text_facts.py`` / ``_text_facts.pyx``: plain lines of DatalogMTL facts and tables.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from os import environ
from typing import TYPE_CHECKING, Final, Literal, TypeAlias
from warnings import warn

from rete.kernels.pure_rows_intervals import BEGINS_AT as BEGINS_AT
from rete.kernels.pure_rows_intervals import COVERS as COVERS
from rete.kernels.pure_rows_intervals import DEAD as DEAD
from rete.kernels.pure_rows_intervals import ENDS_AT as ENDS_AT

if TYPE_CHECKING:
    from types import ModuleType

Backend: TypeAlias = Literal["compiled", "pure"]

VERSION: Final = 9
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
    from rete.kernels import pure_rows_intervals as sets
    from rete.kernels import pure_rows_metric as metric
    from rete.kernels import pure_rows_probes as probes
    from rete.kernels import pure_support_levels as doubts
    from rete.kernels import pure_support_search as proofs
    from rete.kernels import pure_text_facts as facts
    from rete.kernels import pure_text_json as lines
else:
    rows, sets, probes = (
        _modules["_rows_index"],
        _modules["_rows_intervals"],
        _modules["_rows_probes"],
    )
    lines, facts = _modules["_text_json"], _modules["_text_facts"]
    metric, proofs, doubts = (
        _modules["_rows_metric"],
        _modules["_support_search"],
        _modules["_support_levels"],
    )

Index = rows.Index
absorb = sets.absorb
absorb_starts = sets.absorb_starts
find = sets.find
probe = probes.probe
remove = sets.remove
route = probes.route
route_table = probes.route_table
select = probes.select
uncovered = sets.uncovered
united = sets.united
triple_lines = lines.triple_lines
dilate = metric.dilate
erode = metric.erode
probe_eroded = metric.probe_eroded
probe_since = metric.probe_since
prove = proofs.prove
met = proofs.met
settle = doubts.settle
