"""Hypothetical answers: what facts to come may make true, and on what evidence [CruzFilipe22].

| file or room | what is in it |
|---|---|
| `live_entries` | rows by key, by the times at which they end, in order; for both languages |
| `ranking` | how probable awaited facts are, and the k most probable answers; for both languages |
| `rif_rules` | possible answers of RIF rules over streams; what follows is Temporal Datalog |
| `syntax` | Temporal Datalog: syntax tree, parsers, validation, errors |
| `resolution` | before any data: a query resolved to the input atoms that it needs |
| `arrival` | lines of facts to slices; how late and how probable facts are |
| `evidence` | which hypotheses have arrived: plans, tables of entries, deadlines |
| `output` | which entries become lines, in which order, and their JSON text |
| `online_evaluation` | slices of facts in, lines out: one network for a query; from Python, too |
| `history` | from the lines: when each answer was possible, how that ended, and an SVG of it |
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from temporal.hypothetical.history import History as History
    from temporal.hypothetical.history import Picture as Picture
    from temporal.hypothetical.history import histories as histories
    from temporal.hypothetical.online_evaluation import Hypothesiser as Hypothesiser
    from temporal.hypothetical.online_evaluation import Told as Told

_FILES = {
    "History": "history",
    "Hypothesiser": "online_evaluation",
    "Picture": "history",
    "Told": "online_evaluation",
    "histories": "history",
}


__all__ = list(_FILES)


def __getattr__(name: str) -> object:
    """Temporal Datalog is loaded when it is asked for: RIF rules do without."""
    if name not in _FILES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{_FILES[name]}"), name)
