"""Kernels: pure functions from arrays to arrays, the only compiled code.

Two back ends compute the same. ``compiled`` (Cython extensions) is used if all of them import and
carry this package's `VERSION`; else ``pure`` (Python and numpy). The environment variable
``R4_KERNELS`` set to ``pure`` or ``compiled`` forces one. `BACKEND` says which is in use.

* rows: ``pure_rows.py`` / ``_rows.pyx``: the index of a row matrix; `_rows.pxd`, what all share.
* sets: ``pure_sets.py`` / ``_sets.pyx``: maximal intervals, united and taken out.
* probes: ``pure_probes.py`` / ``_probes.pyx``: joins, and their one loop; routing.
* `lines`: ``pure_lines.py`` / ``_lines.pyx``: answers as JSON lines.
* terms: ``pure_terms.py`` / ``_terms.pyx``: the index of a dictionary and its base; `_terms.pxd`,
  what all share.
* quads: ``pure_quads.py`` / ``_quads.pyx``: lines and tokens of N-Quads.
* columns: ``pure_columns.py`` / ``_columns.pyx``: the columns of a dictionary: order, numbers.
* metric: ``pure_metric.py`` / ``_metric.pyx``: diamonds, boxes, Since and Until.
* proofs: ``pure_proofs.py`` / ``_proofs.pyx``: which facts have a derivation.
* doubtful: ``pure_doubtful.py`` / ``_doubtful.pyx``: what of one table is in doubt, and asked.
* doubts: ``pure_doubts.py`` / ``_doubts.pyx``: which facts of a component still follow.
* facts: ``pure_facts.py`` / ``_facts.pyx``: plain lines of DatalogMTL facts and tables.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from os import environ
from typing import TYPE_CHECKING, Final, Literal, TypeAlias
from warnings import warn

from rete.kernels.pure_sets import BEGINS_AT as BEGINS_AT
from rete.kernels.pure_sets import COVERS as COVERS
from rete.kernels.pure_sets import DEAD as DEAD
from rete.kernels.pure_sets import ENDS_AT as ENDS_AT

if TYPE_CHECKING:
    from types import ModuleType

Backend: TypeAlias = Literal["compiled", "pure"]

VERSION: Final = 9
"""Version of the kernels' interface; a compiled binary of another version is not used."""

_EXTENSIONS: Final = {
    "_rows": "pure_rows",
    "_sets": "pure_sets",
    "_probes": "pure_probes",
    "_lines": "pure_lines",
    "_terms": "pure_terms",
    "_quads": "pure_quads",
    "_columns": "pure_columns",
    "_facts": "pure_facts",
    "_metric": "pure_metric",
    "_proofs": "pure_proofs",
    "_doubtful": "pure_doubtful",
    "_doubts": "pure_doubts",
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
    from rete.kernels import pure_doubts as doubts
    from rete.kernels import pure_facts as facts
    from rete.kernels import pure_lines as lines
    from rete.kernels import pure_metric as metric
    from rete.kernels import pure_probes as probes
    from rete.kernels import pure_proofs as proofs
    from rete.kernels import pure_rows as rows
    from rete.kernels import pure_sets as sets
else:
    rows, sets, probes = _modules["_rows"], _modules["_sets"], _modules["_probes"]
    lines, facts = _modules["_lines"], _modules["_facts"]
    metric, proofs, doubts = _modules["_metric"], _modules["_proofs"], _modules["_doubts"]

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
