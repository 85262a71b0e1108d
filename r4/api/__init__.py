"""The engine as a library: graphs in, changes out.

>>> from rdflib import Namespace
>>> ex = Namespace("http://example.org/")
>>> engine = Engine.from_text('''
... Document( Prefix(ex <http://example.org/>) Window(3)
...   Group( Forall ?x ( ?x[ex:p -> ex:c] :- And(?x[ex:p -> ex:a] ?x[ex:p -> ex:b]) ) ) )
... ''')
>>> engine.add([(ex.x, ex.p, ex.a)], at=1)
True
>>> engine.add([(ex.x, ex.p, ex.b)], at=2)
True
>>> engine.advance(4)
>>> [(change.op, change.at, str(change.triple[2])) for change in engine.changes()]
[('+', 2, 'http://example.org/c'), ('-', 4, 'http://example.org/c')]

| file | what it is |
|---|---|
| `engine` | what the user holds; it has no state but the parts below |
| `assembly` | makes these parts and joins them |
| `followed_graph` | an rdflib graph whose additions are asserted and removals retracted |

| room | what is there |
|---|---|
| `state` | an engine that is saved, and one that goes on after a crash |
| `run` | elements in, changes out, questions about what holds |
| `values` | options, times, terms, changes and possible answers as users get them |
"""

from importlib import import_module
from logging import NullHandler, getLogger
from typing import TYPE_CHECKING

from r4.api.engine import Engine as Engine
from r4.api.run.engine_lock import EngineInUse as EngineInUse
from r4.api.run.queries import ForgottenInstant as ForgottenInstant
from r4.api.run.rulebook import RuleWarning as RuleWarning
from r4.api.values.change import Change as Change
from r4.api.values.event_clock import Instant as Instant
from r4.api.values.event_clock import LateElement as LateElement
from r4.api.values.event_clock import Refused as Refused
from r4.api.values.event_clock import UnboundedMemory as UnboundedMemory
from r4.api.values.possible_answers import Possible as Possible
from r4.api.values.possible_answers import Prospect as Prospect
from r4.api.values.wall_time import Clock as Clock
from r4.api.values.wall_time import SystemClock as SystemClock
from r4.engine.assertions import PermanentEquality as PermanentEquality
from r4.options.engine_options import EngineOptions as EngineOptions
from r4.options.engine_options import options_from as options_from
from r4.options.settings_file import BadSettings as BadSettings
from r4.program.range_ends import NewRangeEnd as NewRangeEnd
from r4.program.range_ends import RangeEndsRefused as RangeEndsRefused
from r4.state.errors import CheckpointFailed as CheckpointFailed
from r4.state.errors import StateError as StateError
from rete.whole_calls import EngineBroken as EngineBroken

if TYPE_CHECKING:
    from r4.api.values.change_table import ChangeTable as ChangeTable
    from r4.api.values.mapped_rows import mapping_from as mapping_from
    from r4.checkpoint.errors import SnapshotError as SnapshotError

getLogger("r4").addHandler(NullHandler())  # nothing is shown unless the user sets it up

_RARE = {
    "ChangeTable": "r4.api.values.change_table",
    "mapping_from": "r4.api.values.mapped_rows",
    "SnapshotError": "r4.checkpoint.errors",
}
"""Names that few programs need, and the modules that have them, which load rdflib or much else."""


def __getattr__(name: str) -> object:
    """One of the names that are loaded when they are asked for."""
    if name in _RARE:
        return getattr(import_module(_RARE[name]), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted({*globals(), *_RARE})
