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
| `options` | what is chosen once, when an engine starts |
| `rulebook` | the rule documents that are read, compiled, and added later |
| `event_clock` | event time: points in time as ticks and back, the largest stamp, the frontier |
| `wall_time` | elements and the time of a clock in one sequence |
| `assembly` | makes these parts and joins them |
| `run` | data in: elements that are asserted and retracted go through a `r4.run.driver` |
| `change` | answers as the user gets them, and the queue in which they wait |
| `change_table` | changes as a table, also of Arrow and pandas |
| `possible_tracking` | follows possible answers as the run goes on |
| `possible_answers` | possible answers as the user gets them |
| `queries` | what holds at an instant, and why it holds |
| `followed_graph` | an rdflib graph whose additions are asserted and removals retracted |
| `graph_terms` | terms of rdflib and pyoxigraph as canonical texts, and back |
| `engine_lock` | one call at a time: other threads wait, a second event loop is refused |
| `checkpoint` | an engine as a file, and back |
| `calls` | calls that change what an engine knows: made, recorded, made again |
| `engine_state` | the folder of an engine that goes on after a crash |
"""

from r4.api.change import Change as Change
from r4.api.change_table import ChangeTable as ChangeTable
from r4.api.engine import Engine as Engine
from r4.api.engine_lock import EngineInUse as EngineInUse
from r4.api.event_clock import Instant as Instant
from r4.api.event_clock import LateElement as LateElement
from r4.api.options import EngineOptions as EngineOptions
from r4.api.possible_answers import Possible as Possible
from r4.api.possible_answers import Prospect as Prospect
from r4.api.wall_time import Clock as Clock
from r4.api.wall_time import SystemClock as SystemClock
from r4.checkpoint.errors import SnapshotError as SnapshotError
from r4.engine.assertions import PermanentEquality as PermanentEquality
from r4.state.errors import CheckpointFailed as CheckpointFailed
from r4.state.errors import StateError as StateError
